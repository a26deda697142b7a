/** The main job "export and verify", by mouse and by keyboard alone: the file that came is the one the site made, whole. */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { type Download, expect, type Page } from '@playwright/test';
import { zipContents } from '../../../src-server/testing/zip-contents.ts';
import { expectAccessible, signIn, test, watchPage } from '../../support/desk.ts';
import { Keyboard } from '../../support/keyboard.ts';
import { type OwnStudy, ownStudy } from '../../support/study.ts';

test.describe.configure({ timeout: 180_000 });
test.use({ permissions: ['clipboard-read', 'clipboard-write'] });

const rowOf = (page: Page, { displayName }: OwnStudy) => page.getByRole('row').filter({ hasText: displayName });
const sha256Of = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

/** A study with somebody in it. */
async function filledStudy(site: Parameters<typeof ownStudy>[0], name: string): Promise<OwnStudy> {
  const study = await ownStudy(site, name);
  await study.client.call('createSubject', {
    params: { studyId: study.studyId },
    body: { displayName: 'E-1', timezone: 'Asia/Tokyo' },
  });
  return study;
}

/** Checks the file against what the desk gave for it, and each file in it against its manifest. */
async function expectWhole(download: Download, sha256: string): Promise<void> {
  const bytes = await readFile(await download.path());
  expect(sha256Of(bytes)).toBe(sha256);
  const members = await zipContents(bytes);
  const manifest: { files: { path: string; sizeBytes: number; sha256: string }[] } = JSON.parse(
    members.get('manifest.json')?.toString() ?? '',
  );
  members.delete('manifest.json');
  expect(manifest.files.map(({ path }) => path).sort()).toEqual([...members.keys()].sort());
  for (const { path, sizeBytes, sha256: expected } of manifest.files) {
    const content = members.get(path) ?? Buffer.alloc(0);
    expect([path, content.length, sha256Of(content)]).toEqual([path, sizeBytes, expected]);
  }
  expect(members.get('subjects.csv')?.toString()).toContain('Asia/Tokyo');
}

test('by mouse: exports, downloads and verifies, then exports only changes and deletes', async ({ page, site }) => {
  const expectNoProblems = watchPage(page);
  const study = await filledStudy(site, 'Exported');
  await page.goto('/');
  await signIn(page, site);
  await page.getByRole('link', { name: 'Exports' }).click();
  await page.getByRole('button', { name: 'New export' }).first().click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Study').selectOption({ label: study.displayName });
  await expectAccessible(page);
  await dialog.getByRole('button', { name: 'Create export' }).click();
  await expect(dialog).toBeHidden();
  const row = rowOf(page, study);
  await expect(row.getByText('Ready')).toBeVisible({ timeout: 60_000 });
  await expect(row.getByText(/\d\s(kB|B)/)).toBeVisible();
  const downloading = page.waitForEvent('download');
  await row.getByRole('button', { name: /^Download/ }).click();
  const download = await downloading;
  await row.getByRole('button', { name: /^Copy SHA-256/ }).click();
  await expect(row.getByText('SHA-256 copied.')).toBeAttached();
  await expectWhole(download, await page.evaluate(() => navigator.clipboard.readText()));

  await row.getByRole('button', { name: /^Export changes since/ }).click();
  await expect(dialog.getByLabel('De-identify')).toBeHidden();
  await dialog.getByRole('button', { name: 'Create export' }).click();
  await expect(rowOf(page, study)).toHaveCount(2);
  const changes = row.filter({ hasText: 'Changes only' });
  await expect(changes.getByText('Ready')).toBeVisible({ timeout: 60_000 });
  await changes.getByRole('button', { name: /^Delete/ }).click();
  await expect(dialog).toContainText('Study data is kept');
  await dialog.getByRole('button', { name: 'Delete export' }).click();
  await expect(rowOf(page, study)).toHaveCount(1);
  expectNoProblems();
});

test('by keyboard alone', async ({ page, site }) => {
  const keys = await Keyboard.at(page);
  const expectNoProblems = watchPage(page);
  const study = await filledStudy(site, 'Typed');
  await page.goto('/');
  await keys.signIn(site);
  await keys.press('Alt+7');
  await expect(page.getByRole('heading', { name: 'Exports', level: 1 })).toBeVisible();
  await keys.activate(page.getByRole('button', { name: 'New export' }).first());
  const dialog = page.getByRole('dialog');
  await expect(dialog.getByLabel('Study')).toBeFocused();
  await keys.choose(dialog.getByLabel('Study'), study.displayName);
  await keys.tabTo(dialog.getByLabel('De-identify'));
  await keys.press('Space', 'Space', 'Control+Enter');
  await expect(dialog).toBeHidden();
  await expect(page.getByRole('button', { name: 'New export' }).first()).toBeFocused();
  const row = rowOf(page, study);
  await expect(row.getByText('Ready')).toBeVisible({ timeout: 60_000 });
  const downloading = page.waitForEvent('download');
  await keys.activate(row.getByRole('button', { name: /^Download/ }));
  const download = await downloading;
  await keys.activate(row.getByRole('button', { name: /^Copy SHA-256/ }));
  await expect(row.getByText('SHA-256 copied.')).toBeAttached();
  await expectWhole(download, await page.evaluate(() => navigator.clipboard.readText()));
  // The same work is among the jobs of the site.
  await keys.press('Alt+8');
  await keys.activate(page.getByRole('navigation', { name: 'Site pages' }).getByRole('link', { name: 'Jobs' }));
  await expect(row.getByText('done')).toBeVisible();
  keys.expectNoMouse();
  expectNoProblems();
});
