import { readFile } from 'node:fs/promises';
import { expect, type Page } from '@playwright/test';
import { expectAccessible, signIn, test, watchPage } from '../support/desk.ts';
import { addUser, ownStudy } from '../support/study.ts';

const rowOf = (page: Page, studyName: string) => page.getByRole('row').filter({ hasText: studyName });

test('an export is made, downloaded, gone on from and deleted', async ({ page, site }) => {
  const expectNoProblems = watchPage(page);
  const study = await ownStudy(site, 'Exported');
  await page.goto('/');
  await signIn(page, site);
  await page.getByRole('link', { name: 'Exports' }).click();
  await page.getByRole('button', { name: 'New export' }).first().click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Study').selectOption({ label: study.displayName });
  await dialog.getByLabel('De-identify').check();
  await expectAccessible(page);
  await dialog.getByRole('button', { name: 'Make export' }).click();
  await expect(dialog).toBeHidden();
  const row = rowOf(page, study.displayName);
  await expect(row.getByText('Ready')).toBeVisible();
  await expect(row.getByText('De-identified')).toBeVisible();
  await expect(row.getByText(/\d (kB|B)$/)).toBeVisible();
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    row.getByRole('button', { name: /^Download/ }).click(),
  ]);
  const bytes = await readFile(await download.path());
  expect(bytes.subarray(0, 2).toString()).toBe('PK');
  const [made] = (await study.client.call('listStudyExports', { params: { studyId: study.studyId } })).items;
  expect(bytes.length).toBe(made.sizeBytes);

  await row.getByRole('button', { name: /^New export of the changes since/ }).click();
  await expect(dialog.getByLabel('De-identify')).toBeHidden();
  await dialog.getByRole('button', { name: 'Make export' }).click();
  await expect(rowOf(page, study.displayName)).toHaveCount(2);
  const changes = row.filter({ hasText: 'Changes only' });
  await expect(changes.getByText('Ready')).toBeVisible();
  await changes.getByRole('button', { name: /^Delete/ }).click();
  await expect(dialog).toContainText('The data of the study stays');
  await dialog.getByRole('button', { name: 'Delete export' }).click();
  await expect(rowOf(page, study.displayName)).toHaveCount(1);
  expectNoProblems();
});

test('by keyboard alone: an export of another form, found among the jobs', async ({ page, site }) => {
  const study = await ownStudy(site, 'Typed');
  await page.goto('/');
  await signIn(page, site);
  await page.getByRole('link', { name: 'Exports' }).focus();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { name: 'Exports', level: 1 })).toBeVisible();
  await page.getByRole('button', { name: 'New export' }).first().waitFor();
  await page.keyboard.press('n');
  await expect(page.getByRole('dialog').getByLabel('Study')).toBeFocused();
  await page.keyboard.type(study.displayName);
  await page.keyboard.press('Tab');
  await page.keyboard.press('ArrowDown');
  await expect(page.getByRole('radio', { name: 'Parquet' })).toBeChecked();
  await page.keyboard.press('Control+Enter');
  await expect(rowOf(page, study.displayName).getByText('Ready')).toBeVisible();
  await page.getByRole('link', { name: 'Site', exact: true }).focus();
  await page.keyboard.press('Enter');
  await page.getByRole('link', { name: 'Jobs', exact: true }).focus();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('row').filter({ hasText: study.displayName }).getByText('done')).toBeVisible();
});

test('files that are no recordings are refused in words', async ({ page, site }) => {
  const study = await ownStudy(site, 'Imported');
  await study.client.call('createSubject', {
    params: { studyId: study.studyId },
    body: { displayName: 'F-1', timezone: 'US/Eastern' },
  });
  await page.goto('/');
  await signIn(page, site);
  await page.goto('/exports');
  await page.getByRole('button', { name: 'Import files' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Study').selectOption({ label: study.displayName });
  await dialog.getByLabel('Subject').selectOption({ label: 'F-1' });
  const choosing = page.waitForEvent('filechooser');
  await dialog.getByRole('button', { name: 'Choose files' }).click();
  await (await choosing).setFiles({
    name: 'notes.edf',
    mimeType: 'text/plain',
    buffer: Buffer.from('not a recording'),
  });
  await expect(dialog.getByText('notes.edf')).toBeVisible();
  await expectAccessible(page);
  await dialog.getByRole('button', { name: 'Import', exact: true }).click();
  await expect(dialog.getByText(/Code (UNSUPPORTED_FORMAT|FILE_DAMAGED)/)).toBeVisible();
  await dialog.getByRole('button', { name: 'Close' }).click();
  await page.goto('/site/jobs');
  await page.getByRole('radio', { name: 'Failed' }).click();
  await expect(page.getByText('Its files are gone. Give them in anew.').first()).toBeVisible();
});

test('a monitor is told why there is nothing to export, and changes no job', async ({ page, site }) => {
  const expectNoProblems = watchPage(page);
  const study = await ownStudy(site, 'Watched');
  const monitor = await addUser(study, 'MONITOR');
  await page.goto('/');
  await signIn(page, monitor);
  await page.goto('/exports');
  await expect(page.getByRole('heading', { name: 'Your role does not export' })).toBeVisible();
  await expect(page.getByRole('button', { name: /New export|Import files/ })).toHaveCount(0);
  await page.goto('/site/jobs');
  await expect(page.getByRole('heading', { name: 'Jobs', level: 1 })).toBeVisible();
  await expect(page.getByRole('button', { name: /^(Cancel|Try again)/ })).toHaveCount(0);
  expectNoProblems();
});

for (const colorScheme of ['light', 'dark'] as const) {
  test.describe(`${colorScheme} theme`, () => {
    test.use({ colorScheme });
    test('axe finds nothing on exports and jobs', async ({ page, site }) => {
      await page.goto('/');
      await signIn(page, site);
      for (const path of ['/exports', '/site/jobs', '/site']) {
        await page.goto(path);
        await page.getByRole('heading', { level: 1 }).waitFor();
        await test.step(path, () => expectAccessible(page));
      }
    });
  });
}
