/** The record of a subject, the sign-in of its phone, the lists. */
import { readFile } from 'node:fs/promises';
import { expect, type Locator, type Page } from '@playwright/test';
import { createClient } from '../../src-server/api/contract/client.ts';
import { zipContents } from '../../src-server/testing/zip-contents.ts';
import { expectAccessible, signIn, type TestSite, test, watchPage } from '../support/desk.ts';

async function ownStudy(site: TestSite, displayName: string): Promise<string> {
  const client = createClient({ baseUrl: site.url });
  const { user, accessToken } = await client.call('login', { body: { email: site.email, password: site.password } });
  client.credentials = { userId: user.id, accessToken };
  const { id } = await client.call('createStudy', { params: { accountId: user.accountId }, body: { displayName } });
  await client.call('putDefinition', {
    params: { studyId: id },
    body: {
      subjectMetadataFields: [
        { displayName: 'Smoker', type: 'BOOLEAN' },
        { displayName: 'Cups of tea', type: 'NUMBER' },
        { displayName: 'Ward', type: 'MULTIPLECHOICE', values: ['North', 'South'] },
        { displayName: 'Note', type: 'FREETEXT' },
      ],
    },
  });
  return id;
}

async function openStudy(page: Page, site: TestSite, studyId: string) {
  await page.goto('/');
  await signIn(page, site);
  await page.goto(`/studies/${studyId}`);
}

test('enrols a subject by mouse, shows errors beside their fields and saves what was entered', async ({
  page,
  site,
}) => {
  const expectNoProblems = watchPage(page);
  await openStudy(page, site, await ownStudy(site, 'Tea trial, mouse'));
  await page.getByRole('button', { name: 'Enrol subject' }).first().click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('textbox', { name: 'Code or name' }).fill('M-1');
  const zone = dialog.getByRole('combobox', { name: 'Time zone' });
  await zone.fill('osaka');
  await expect(page.getByRole('option', { name: 'Asia/Tokyo' })).toContainText('Yokohama');
  await zone.fill('nowhere');
  await dialog.getByRole('textbox', { name: /^Age/ }).fill('17');
  await dialog.getByRole('textbox', { name: 'Cups of tea' }).fill('many');
  await dialog.getByRole('button', { name: 'Enrol', exact: true }).click();
  await expect(dialog.getByText('enter an IANA name')).toBeVisible();
  await expect(dialog.getByText('from 18 to 125')).toBeVisible();
  await expect(dialog.getByText('Enter a number.')).toBeVisible();
  await expectAccessible(page);
  await expect(zone).toBeFocused();
  await zone.fill('tokyo');
  await page.getByRole('option', { name: 'Asia/Tokyo' }).click();
  await dialog.getByRole('textbox', { name: /^Age/ }).fill('４２');
  await dialog.getByRole('textbox', { name: 'Cups of tea' }).fill('2,5');
  await dialog.getByRole('combobox', { name: 'Ward' }).selectOption('South');
  await dialog.getByRole('combobox', { name: 'Smoker' }).selectOption({ label: 'No' });
  await dialog.getByRole('button', { name: 'Enrol', exact: true }).click();
  await expect(page.getByRole('heading', { name: 'M-1', level: 1 })).toBeVisible();
  await expect(page.getByText('42 years')).toBeVisible();

  await page.getByRole('button', { name: 'Subject', exact: true }).click();
  await page.getByRole('menuitem', { name: 'Edit subject' }).click();
  await expect(dialog.getByRole('textbox', { name: 'Cups of tea' })).toHaveValue('2.5');
  await expect(dialog.getByRole('combobox', { name: 'Ward' })).toHaveValue('South');
  await dialog.getByRole('textbox', { name: /^Age/ }).fill('');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByText('42 years')).toHaveCount(0);

  await page.getByRole('button', { name: 'Subject', exact: true }).click();
  await page.getByRole('menuitem', { name: 'Sign in phone' }).click();
  await dialog.getByRole('button', { name: 'Create token' }).click();
  await expect(dialog.getByText("The site isn't listening on the local network")).toBeVisible();
  // A code for the camera would lead nowhere.
  await expect(dialog.getByRole('img', { name: /QR code/ })).toHaveCount(0);
  const first = await dialog.getByRole('status', { name: 'Sign-in token' }).textContent();
  await dialog.getByRole('button', { name: 'New token' }).click();
  await expect(dialog.getByRole('status', { name: 'Sign-in token' })).not.toHaveText(first ?? '');
  await expectAccessible(page);
  await dialog.getByRole('button', { name: 'Close' }).click();

  await page.getByRole('button', { name: 'Subject', exact: true }).click();
  await page.getByRole('menuitem', { name: 'Hide subject' }).click();
  await dialog.getByRole('button', { name: 'Hide' }).click();
  await expect(page.getByText('Hidden', { exact: true })).toBeVisible();
  expectNoProblems();
});

test('exports and erases a subject of a complete study, after which no page, search or link finds them', async ({
  page,
  site,
}) => {
  // Refused requests and a subject that is gone are part of this: only errors of the page itself are problems.
  const uncaught: string[] = [];
  page.on('pageerror', ({ message }) => uncaught.push(message));
  const studyId = await ownStudy(site, 'Tea trial, erased');
  const client = createClient({ baseUrl: site.url });
  const { user, accessToken } = await client.call('login', { body: { email: site.email, password: site.password } });
  client.credentials = { userId: user.id, accessToken };
  const params = { studyId };
  const subject = await client.call('createSubject', { params, body: { displayName: 'ER-404', timezone: 'UTC' } });
  await client.call('createSubject', { params, body: { displayName: 'ER-405', timezone: 'UTC' } });
  await client.call('startStudy', { params });
  await client.call('stopStudy', { params });
  await openStudy(page, site, studyId);
  const address = `/studies/${studyId}/subjects/${subject.id}/history`;
  await page.goto(address);
  await page.getByRole('button', { name: 'Subject', exact: true }).click();
  await expect(page.getByRole('menuitem', { name: 'Edit subject' })).toHaveCount(0);
  await page.getByRole('menuitem', { name: 'Export subject data' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Create export' }).click();
  await expect(dialog.getByText('Ready', { exact: true })).toBeVisible({ timeout: 30_000 });
  await expectAccessible(page);
  const saving = page.waitForEvent('download');
  await dialog.getByRole('button', { name: /^Download the export of/ }).click();
  const copy = await saving;
  expect(copy.suggestedFilename()).toMatch(/^subject-data-.+\.zip$/);
  const members = await zipContents(await readFile(await copy.path()));
  expect(JSON.parse(String(members.get('subject.json'))).subject.displayName).toBe('ER-404');
  await dialog.getByRole('button', { name: 'Close' }).click();
  await page.getByRole('button', { name: 'Subject', exact: true }).click();
  await page.getByRole('menuitem', { name: 'Erase subject' }).click();
  await expect(dialog).toContainText('1 export on this site that includes the subject');
  await expect(dialog).toContainText("This can't be undone.");
  await expect(dialog).toContainText('One entry in the audit trail');
  await expect(dialog).toContainText('Backups on disks that are not connected');
  const code = dialog.getByRole('textbox', { name: 'Type ER-404 to confirm' });
  const reason = dialog.getByRole('textbox', { name: /^Reason/ });
  const password = dialog.getByLabel('Your password');
  const erase = dialog.getByRole('button', { name: 'Erase', exact: true });
  await reason.fill('ER-404 asked in writing');
  await code.fill('ER-405');
  await password.fill('not this password');
  const done = page.getByRole('dialog', { name: 'ER-404 was erased' });
  // Other flows back the site up meanwhile; the dialog then asks the person to wait.
  const eraseUntil = (answer: Locator) =>
    expect(async () => {
      await erase.click({ timeout: 2000 });
      await expect(answer).toBeVisible({ timeout: 5000 });
    }).toPass({ timeout: 30_000 });
  await eraseUntil(dialog.getByText('Type it exactly as shown.'));
  await expect(code).toBeFocused();
  await expectAccessible(page);
  await code.fill('ER-404');
  await eraseUntil(dialog.getByText("This isn't your current password."));
  await password.fill(site.password);
  await eraseUntil(dialog.getByText('must not name the person').first());
  await reason.fill('Asked in writing');
  await eraseUntil(done);
  await expect(done).toContainText('Nothing of the subject is left in this site.');
  await expect(done).toContainText('Delete them yourself');
  await expectAccessible(page);
  await done.getByRole('button', { name: 'Close' }).click();
  await expect(page).toHaveURL(new RegExp(`/studies/${studyId}/subjects$`));
  await expect(page.getByRole('link', { name: 'ER-405' })).toBeVisible();
  await expect(page.getByText('ER-404')).toHaveCount(0);
  await page.keyboard.press('ControlOrMeta+k');
  await page.getByRole('dialog').getByRole('searchbox').fill('ER-404');
  await expect(page.getByText('No results for “ER-404”.')).toBeVisible();
  await page.keyboard.press('Escape');
  await page.goto(`/studies/${studyId}/history`);
  const tombstone = page.getByRole('row').filter({ hasText: 'Subject erased' });
  await expect(tombstone).toContainText('Asked in writing');
  await tombstone.locator('summary').click();
  for (const field of ['Hash of the subject', 'Emptied entries', 'Signatures', 'Phones'])
    await expect(tombstone.getByText(field, { exact: true })).toBeVisible();
  await expect(page.getByText(/^Content erased with a person/).first()).toBeVisible();
  await page.goto(address);
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Not found');
  expect(uncaught).toEqual([]);
});

test('hides a column that a person does not need, also after a reload, and shows it again', async ({ page, site }) => {
  await openStudy(page, site, site.studyId);
  await page.goto(`/studies/${site.studyId}/subjects`);
  const headers = page.getByRole('table').getByRole('columnheader');
  await expect(headers.first()).toBeVisible();
  const all = await headers.allTextContents();
  const choose = () => page.getByRole('button', { name: /^Columns/ }).click();
  await choose();
  // The column that names the row can't be hidden.
  await expect(page.getByRole('menuitemcheckbox').first()).toBeDisabled();
  const item = page.getByRole('menuitemcheckbox').nth(1);
  const hidden = (await item.textContent()) ?? '';
  await item.click();
  await page.keyboard.press('Escape');
  await expect(headers).toHaveText(all.filter((header) => header !== hidden));
  await page.reload();
  await expect(headers).toHaveText(all.filter((header) => header !== hidden));
  await choose();
  await page.getByRole('menuitemcheckbox', { name: hidden, exact: true }).click();
  await page.keyboard.press('Escape');
  await expect(headers).toHaveText(all);
});
