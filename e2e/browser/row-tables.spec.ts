/** Subjects and equipment of a table: the preview of every row, and the rows at once. */
import { expect } from '@playwright/test';
import { createClient } from '../../src-server/api/contract/client.ts';
import { expectAccessible, signIn, type TestSite, test, watchPage } from '../support/desk.ts';

async function ownStudy(site: TestSite): Promise<string> {
  const client = createClient({ baseUrl: site.url });
  const { user, accessToken } = await client.call('login', { body: { email: site.email, password: site.password } });
  client.credentials = { userId: user.id, accessToken };
  const body = { displayName: 'Tea trial, from a table' };
  return (await client.call('createStudy', { params: { accountId: user.accountId }, body })).id;
}

test('enrols forty subjects of a file, after the rows at fault were corrected', async ({ page, site }) => {
  const expectNoProblems = watchPage(page);
  const studyId = await ownStudy(site);
  await page.goto('/');
  await signIn(page, site);
  await page.goto(`/studies/${studyId}/subjects`);
  await page.getByRole('button', { name: 'Enrol from a table (CSV)' }).first().click();
  const dialog = page.getByRole('dialog');
  const submit = dialog.getByRole('button', { name: /^Enrol \d+ subjects?$/ });
  await expect(submit).toBeDisabled();

  const saving = page.waitForEvent('download');
  await dialog.getByRole('button', { name: 'Download an empty table' }).click();
  expect((await saving).suggestedFilename()).toBe('Tea-trial,-from-a-table_subjects.csv');

  const rows = Array.from({ length: 40 }, (_, at) => `RT-${String(at + 1).padStart(2, '0')};${20 + at};f`);
  const file = (lines: readonly string[]) => ({
    name: 'subjects.csv',
    mimeType: 'text/csv',
    buffer: Buffer.from(['Participant;Age;Sex;Remark', ...lines].join('\r\n')),
  });
  const choose = dialog.locator('input[type="file"]');
  await choose.setInputFiles(file([...rows.slice(0, 39), 'RT-40;seven;f']));
  await expect(dialog.getByTestId('row-counts')).toHaveText('39 new rows and 1 refused row');
  await expect(dialog).toContainText('“seven” is not a number.');
  await expect(dialog).toContainText('Columns that are not known and left out: Remark');
  await expect(submit).toBeDisabled();
  await expectAccessible(page);

  await choose.setInputFiles(file(rows));
  await expect(dialog.getByTestId('row-counts')).toHaveText('40 new rows');
  await submit.click();
  await expect(dialog).toHaveCount(0);
  await expect(page.getByText('RT-01', { exact: true })).toBeVisible();

  // The same rows again, pasted from a spreadsheet, with one more.
  await page.getByRole('button', { name: 'Enrol from a table (CSV)' }).first().click();
  await dialog.getByRole('textbox', { name: 'Rows' }).fill('name\tage\nRT-01\t20\nRT-41\t61\n');
  await expect(dialog.getByTestId('row-counts')).toHaveText(
    '1 new row and 1 row that exists already and stays as it is',
  );
  await dialog.getByRole('button', { name: 'Enrol 1 subject', exact: true }).click();
  await expect(dialog).toHaveCount(0);
  expectNoProblems();
});

test('registers equipment of a table', async ({ page, site }) => {
  const expectNoProblems = watchPage(page);
  await page.goto('/');
  await signIn(page, site);
  await page.goto('/equipment');
  await page.getByRole('button', { name: 'Register from a table (CSV)' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('textbox', { name: 'Rows' }).fill('serial,type,name\nRT-S1,sensor,Wrist A\nRT-H1,hub,\n');
  await expect(dialog.getByTestId('row-counts')).toHaveText('2 new rows');
  await dialog.getByRole('button', { name: 'Register 2 devices' }).click();
  await expect(dialog).toHaveCount(0);
  await page.getByRole('searchbox').fill('RT-');
  await expect(page.getByText('Wrist A')).toBeVisible();
  expectNoProblems();
});
