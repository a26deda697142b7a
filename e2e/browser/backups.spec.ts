/** Flows that make backups of the shared site. They are in one file, and so one after the other: each would list those of the others. */
import { access, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from '@playwright/test';
import { jobEnd } from '../../src-server/testing/test-site.ts';
import { expectAccessible, signIn, test, watchPage } from '../support/desk.ts';
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

test('creates, checks and deletes a backup, and checks the whole site', async ({ page, site }) => {
  // Three jobs, which wait for those of other tests on the same site.
  test.setTimeout(180_000);
  const { client } = await adminClient(site);
  // The row of an older backup would be taken for that of this flow.
  for (const { id: backupId, directory } of (await client.call('listBackups', {})).items)
    await client.call('deleteBackup', { params: { backupId }, query: { directory } });
  await page.goto('/');
  await signIn(page, site);
  await page.goto('/site/backups');
  await page.getByRole('button', { name: 'Back up now' }).first().click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Back up now' }).click();
  const row = page.getByRole('row').filter({ hasText: 'manual' });
  await expect(row.getByText('Complete')).toBeVisible({ timeout: 40_000 });
  await row.getByRole('button', { name: /^Check backup/ }).click();
  // On a busy site the check waits for its turn. Once it is done, the row must show it.
  const stateOfCheck = async () => {
    const { items } = await client.call('listJobs', { query: { kind: 'verify' } });
    const { state = 'none', error } = items[0] ?? {};
    return error ? `${state}: ${error.message}` : state;
  };
  await expect.poll(stateOfCheck, { timeout: 60_000 }).toBe('done');
  await expect(row.getByText('at creation')).toHaveCount(0, { timeout: 20_000 });
  await row.getByRole('button', { name: /^Delete backup/ }).click();
  await dialog.getByRole('button', { name: 'Delete backup' }).click();
  await expect(row).toHaveCount(0);
  await page.goto('/site');
  await page.getByRole('button', { name: 'Run check' }).click();
  await expect(page.getByText('No problems found')).toBeVisible({ timeout: 45_000 });
});

test('encrypts backups with a passphrase, prints a key sheet and changes the passphrase', async ({ page, site }) => {
  // Each use of a passphrase costs a second of processor time on purpose.
  test.setTimeout(120_000);
  const folder = await mkdtemp(join(tmpdir(), 'outpost-e2e-encrypted-'));
  const expectNoProblems = watchPage(page);
  await page.goto('/');
  await signIn(page, site);
  await page.goto('/site/backups');
  await page.getByRole('button', { name: 'Encrypt backups' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Folder').fill(join(folder, 'encrypted'));
  await dialog.getByLabel('Passphrase', { exact: true }).fill('password2026');
  await expect(dialog.getByText('Strength: weak')).toBeVisible();
  await dialog.getByLabel('Repeat passphrase').fill('password2027');
  await dialog.getByRole('button', { name: 'Encrypt backups' }).click();
  await expect(dialog.getByText('The two passphrases differ.')).toBeVisible();
  await dialog.getByRole('button', { name: 'Suggest a passphrase' }).click();
  const passphrase = (await dialog.getByLabel('Suggested passphrase').textContent()) ?? '';
  await expect(dialog.getByText('Strength: strong')).toBeVisible();
  await expectAccessible(page);
  await dialog.getByRole('button', { name: 'Encrypt backups' }).click();
  await expect(dialog.getByRole('heading', { name: 'Keep the passphrase safe' })).toBeVisible({ timeout: 30_000 });
  const sheet = page.getByTestId('key-sheet');
  await expect(sheet).toBeHidden();
  await page.emulateMedia({ media: 'print' });
  await expect(sheet).toContainText(join(folder, 'encrypted'));
  await expect(sheet).not.toContainText(passphrase);
  await expect(dialog).toBeHidden();
  await page.emulateMedia({ media: 'screen' });
  await dialog.getByRole('checkbox', { name: 'Print the passphrase' }).check();
  await page.emulateMedia({ media: 'print' });
  await expect(sheet).toContainText(passphrase);
  await page.emulateMedia({ media: 'screen' });
  await dialog.getByRole('button', { name: 'Close' }).click();
  await expect(sheet).toHaveCount(0);
  const status = page.getByRole('region', { name: 'Last and next backup' });
  await expect(status.getByText('Encrypted with a passphrase')).toBeVisible();

  expectNoProblems();
  await status.getByRole('button', { name: 'Change passphrase' }).click();
  await dialog.getByLabel('Current passphrase').fill('not the passphrase');
  await dialog.getByLabel('New passphrase').fill('another eight words on paper');
  await dialog.getByLabel('Repeat passphrase').fill('another eight words on paper');
  await dialog.getByRole('button', { name: 'Change passphrase' }).click();
  await expect(dialog.getByText('This is not the passphrase of')).toBeVisible({ timeout: 30_000 });
  await dialog.getByLabel('Current passphrase').fill(passphrase);
  await dialog.getByRole('button', { name: 'Change passphrase' }).click();
  await expect(dialog.getByRole('heading', { name: 'Keep the passphrase safe' })).toBeVisible({ timeout: 30_000 });
  await dialog.getByRole('button', { name: 'Close' }).click();
  // Other tests of this site back up to its own folder.
  await page.getByRole('form', { name: 'Schedule' }).getByLabel('Folder').fill('');
  await page.getByRole('form', { name: 'Schedule' }).getByRole('button', { name: 'Save' }).click();
  await expect(status.getByText('Not encrypted')).toBeVisible();
  await rm(folder, { recursive: true, force: true });
});
