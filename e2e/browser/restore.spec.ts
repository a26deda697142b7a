import { access, mkdtemp, readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from '@playwright/test';
import { jobEnd } from '../../src-server/testing/test-site.ts';
import { expectAccessible, signIn, test } from '../support/desk.ts';
import { removeFolder } from '../support/remove-folder.ts';
import { serveSite } from '../support/sites.ts';
import { adminClient } from '../support/study.ts';

const PASSPHRASE = 'correct horse battery staple';
/** What a backup of a site in use and its restored copy have in common to the row. */
const TABLES = ['study', 'subject', 'recording', 'annotation', 'message', 'user', 'equipment'];

test('restores an encrypted backup beside the site, and the restored folder serves the same data', async ({
  page,
  site,
}) => {
  // Each use of a passphrase costs a second of processor time on purpose, and a second site starts.
  test.setTimeout(240_000);
  const folder = await mkdtemp(join(tmpdir(), 'outpost-e2e-restore-'));
  const { client } = await adminClient(site);
  const settings = await client.call('getSiteSettings');
  let restored = '';
  try {
    const directory = join(folder, 'encrypted');
    await client.call('encryptBackups', { body: { directory, passphrase: PASSPHRASE } });
    const { counts } = await client.call('getDiagnostics');
    await jobEnd(client, (await client.call('createBackup', { body: {} })).id);

    await page.goto('/');
    await signIn(page, site);
    await page.getByRole('link', { name: 'Site', exact: true }).click();
    await page.getByRole('link', { name: 'Backups', exact: true }).click();
    // The scheduled backup of the day may have been made meanwhile, too.
    const encrypted = page.getByRole('row').filter({ hasText: 'Encrypted' });
    const newest = encrypted.getByRole('button', { name: /^Restore/ }).first();
    await newest.click();
    const dialog = page.getByRole('dialog');
    await expect(dialog.getByText('Encrypted with a passphrase')).toBeVisible();
    const field = dialog.getByLabel('New folder');
    await expect(field).not.toHaveValue('');
    restored = await field.inputValue();
    expect(restored).toContain('-restored-');
    await expectAccessible(page);

    const submit = dialog.getByRole('button', { name: 'Restore backup' });
    await submit.click();
    await expect(dialog.getByText('Enter the passphrase.')).toBeVisible();
    await expect(dialog.getByText('Enter your password.')).toBeVisible();
    await dialog.getByLabel('Passphrase of the backups').fill('not the passphrase');
    await dialog.getByLabel('Your password').fill(site.password);
    await submit.click();
    await expect(dialog.getByText(/This is not the passphrase of/)).toBeVisible({
      timeout: 30_000,
    });
    expect(await readdir(folder)).toEqual(['encrypted']);
    // What was typed stays.
    await expect(dialog.getByLabel('Your password')).toHaveValue(site.password);
    await dialog.getByLabel('Passphrase of the backups').fill(PASSPHRASE);
    await submit.click();
    await expect(dialog).toBeHidden({ timeout: 30_000 });

    const card = page.getByRole('region', { name: 'Restore' });
    await expect(card.getByText(/^Restored: the site as of/)).toBeVisible({ timeout: 90_000 });
    await expect(card.getByText(restored, { exact: true })).toBeVisible();
    await expect(card.getByText(`serve --data "${restored}"`)).toBeVisible();
    await expectAccessible(page);

    const second = await serveSite(restored);
    try {
      const { client: own } = await adminClient({ ...site, url: second.url });
      const { counts: found } = await own.call('getDiagnostics');
      const picked = (all: Record<string, number>) => Object.fromEntries(TABLES.map((name) => [name, all[name]]));
      expect(picked(found)).toEqual(picked(counts));
      expect(found.recording).toBeGreaterThan(0);
      const verified = await jobEnd(own, (await own.call('verifySite')).id);
      expect(verified).toMatchObject({ state: 'done', result: { countProblems: 0 } });
    } finally {
      await second.stop();
    }

    // The same folder again is refused, and the dialog says why.
    await newest.click();
    await expect(field).toHaveValue(`${restored}-2`);
    await field.fill(restored);
    await dialog.getByLabel('Passphrase of the backups').fill(PASSPHRASE);
    await dialog.getByLabel('Your password').fill(site.password);
    await submit.click();
    await expect(dialog.getByText(/There is a site in/)).toBeVisible();
    await access(join(restored, 'site.json'));
  } finally {
    const { schedule } = settings.backup;
    await client.call('updateSiteSettings', { body: { backup: { schedule } } });
    if (restored) await removeFolder(restored);
    await removeFolder(folder);
  }
});
