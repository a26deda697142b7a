/** Notes and calls: written by keyboard, edited, followed up from Today, and withdrawn. */
import { expect, type Page } from '@playwright/test';
import { expectAccessible, signIn, test, watchPage } from '../support/desk.ts';
import { ownStudy } from '../support/study.ts';

const rows = (page: Page) => page.getByRole('list', { name: 'Notes and calls' }).locator('> li');

test('writes a call by keyboard on any page of a subject, edits it, and follows it up from Today', async ({
  page,
  site,
}) => {
  const expectNoProblems = watchPage(page);
  const { client, studyId } = await ownStudy(site, 'Calls');
  const name = `C-${studyId.slice(-4)}`;
  const { id: subjectId } = await client.call('createSubject', {
    params: { studyId },
    body: { displayName: name, timezone: 'Asia/Tokyo' },
  });
  const other = { kind: 'NOTE' as const, body: 'Straps arrive on Thursday.' };
  await client.call('addNote', { params: { studyId }, body: other });
  await page.goto('/');
  await signIn(page, site);
  await page.goto(`/studies/${studyId}/subjects/${subjectId}/labels`);
  // The key works once the desk knows what the study allows, as the menu does.
  await expect(page.getByRole('button', { name: 'Subject', exact: true })).toBeVisible();
  await page.keyboard.press('n');
  const dialog = page.getByRole('dialog', { name: `Add note about ${name}` });
  await expect(dialog.getByRole('textbox', { name: 'Text' })).toBeFocused();
  await page.keyboard.press('Control+Enter');
  await expect(dialog.getByText('Enter a text.')).toBeVisible();
  await expectAccessible(page);
  await page.keyboard.type('Will call backk.');
  await dialog.getByRole('combobox', { name: 'Kind' }).selectOption('Call, no contact');
  await dialog
    .getByLabel('Follow up on (optional)')
    // Due for the administrator too, whose zone may be a day behind.
    .fill(new Date(Date.now() - 86_400_000).toISOString().slice(0, 10));
  await dialog.getByRole('combobox', { name: 'Assigned to' }).selectOption({ index: 1 });
  await page.keyboard.press('Control+Enter');
  await expect(dialog).toBeHidden();

  await page.getByRole('link', { name: 'Notes', exact: true }).click();
  await expect(rows(page)).toHaveCount(1);
  await expect(rows(page).first()).toContainText('Call, no contact');
  await page.getByRole('button', { name: 'Edit note: Will call backk.' }).click();
  await page.getByRole('dialog').getByRole('textbox', { name: 'Text' }).fill('Will call back.');
  await page.keyboard.press('Control+Enter');
  await expect(rows(page).first()).toContainText('Will call back.');
  await rows(page).first().getByText('Edited (1)').click();
  await expect(rows(page).first()).toContainText('Will call backk.');
  await expectAccessible(page);

  await page.goto('/');
  const due = page.getByRole('listitem').filter({ hasText: name }).filter({ hasText: 'Will call back.' });
  await expect(due).toContainText('for you');
  await due.getByRole('link', { name: /^Open note/ }).click();
  await expect(rows(page).first()).toHaveAttribute('data-shown');
  await page.getByRole('button', { name: 'Follow-up done: Will call back.' }).click();
  await expect(rows(page).first()).toContainText('Followed up by');
  await page.goto('/');
  await expect(page.getByRole('heading', { name: 'Today', level: 1 })).toBeVisible();
  await expect(due).toHaveCount(0);

  // The study shows the notes about its subjects too, and withdraws one with a reason. Another desk adds one meanwhile.
  await page.goto(`/studies/${studyId}/notes`);
  await expect(rows(page)).toHaveCount(2);
  await page.getByRole('button', { name: 'Withdraw note: Straps arrive' }).click();
  await page.keyboard.press('Control+Enter');
  await expect(page.getByText('Enter a reason.')).toBeVisible();
  await page.keyboard.type('Wrong study');
  await page.keyboard.press('Control+Enter');
  await expect(page.getByText(/^Withdrawn by .*: Wrong study$/)).toBeVisible();
  await client.call('addNote', { params: { studyId }, body: { kind: 'NOTE', body: 'From another desk.' } });
  await expect(rows(page).filter({ hasText: 'From another desk.' })).toBeVisible();
  await page.goto(`/studies/${studyId}/history`);
  await expect(page.getByText('Note withdrawn').first()).toBeVisible();
  expectNoProblems();
});

test('shows notes in Japanese in the dark on a small window', async ({ browser, site }) => {
  const { client, studyId } = await ownStudy(site, 'Notes ja');
  const today = new Date().toISOString().slice(0, 10);
  for (const body of ['次の来院は木曜日です。', '午前中に電話してほしいとのことです。']) {
    const call = { kind: 'CALL' as const, isReached: true, body, followUpDate: today };
    await client.call('addNote', { params: { studyId }, body: call });
  }
  const context = await browser.newContext({
    ...{ baseURL: site.url, locale: 'ja-JP', colorScheme: 'dark', viewport: { width: 1024, height: 640 } },
  });
  const page = await context.newPage();
  await page.goto(`/studies/${studyId}/notes`);
  await page.getByRole('textbox').first().fill(site.email);
  await page.locator('input[type=password]').fill(site.password);
  await page.keyboard.press('Enter');
  await expect(page.getByText('次の来院は木曜日です。')).toBeVisible();
  await expectAccessible(page);
  await page.screenshot({ path: 'test-results/notes-ja.png' });
  await page.getByRole('button', { name: 'メモを追加' }).click();
  await expect(page.getByRole('dialog')).toBeVisible();
  await expectAccessible(page);
  await page.screenshot({ path: 'test-results/notes-ja-add.png' });
  await context.close();
});
