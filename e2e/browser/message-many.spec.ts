import { expect } from '@playwright/test';
import { signIn, test, watchPage } from '../support/desk.ts';
import { ownStudy } from '../support/study.ts';

test('sends a template to many subjects once, after a preview of each text', async ({ page, site }) => {
  const expectNoProblems = watchPage(page);
  const { client, studyId, displayName } = await ownStudy(site, 'Written to');
  const enrol = async (name: string, given: object = {}) =>
    (
      await client.call('createSubject', {
        params: { studyId },
        body: { displayName: name, timezone: 'UTC', ...given },
      })
    ).id;
  const ids = [await enrol('W-1'), await enrol('W-2'), await enrol('W-3')];
  await enrol('W-9', { isTest: true });
  await client.call('updateSubject', { params: { studyId, subjectId: ids[2]! }, body: { isHidden: true } });
  await page.goto('/');
  await signIn(page, site);
  await page.goto('/messages');
  await page.getByRole('button', { name: 'Message several' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Study').selectOption({ label: displayName });
  // Neither hidden subjects nor tests among the others.
  await expect(dialog.getByRole('checkbox', { name: /^W-/ })).toHaveCount(2);
  await dialog.getByRole('button', { name: 'Preview' }).click();
  await expect(dialog.getByText('Choose at least one subject.')).toBeVisible();
  await expect(dialog.getByText('Enter a message.')).toBeVisible();
  await dialog.getByRole('checkbox', { name: 'All shown (2)' }).check();
  await expect(dialog.getByText('Recipients: 2 subjects')).toBeVisible();
  await dialog.getByLabel('Message', { exact: true }).fill('{nmae}: please charge the sensor.');
  await expect(dialog.getByText('{nmae} is not a placeholder.')).toBeVisible();
  await dialog.getByLabel('Message', { exact: true }).fill('{name}: please charge the sensor of {study}.');
  await dialog.getByText('Templates (0)').click();
  await dialog.getByLabel('New template name').fill('Charge');
  await dialog.getByRole('button', { name: 'Save as template' }).click();
  await expect(dialog.getByRole('button', { name: 'Delete “Charge”' })).toBeVisible();
  await dialog.getByRole('radio', { name: 'Japanese' }).click();
  await expect(dialog.getByText('This template has no text in this language yet.')).toBeVisible();
  await dialog.getByRole('radio', { name: 'English' }).click();
  await dialog.getByRole('button', { name: 'Preview' }).click();
  await expect(dialog).toContainText('Send 2 messages?');
  const texts = [
    `W-1: please charge the sensor of ${displayName}.`,
    `W-2: please charge the sensor of ${displayName}.`,
  ];
  for (const text of texts) await expect(dialog).toContainText(text);
  // What was written is still there.
  await dialog.getByRole('button', { name: 'Edit' }).click();
  await expect(dialog.getByLabel('Message', { exact: true })).toHaveValue(
    '{name}: please charge the sensor of {study}.',
  );
  await dialog.getByRole('button', { name: 'Preview' }).click();
  expectNoProblems();
  // The answer to the first request is lost: sending again sends nothing twice.
  await page.route('**/message_batches', async (route) => {
    await route.fetch();
    await route.abort();
  });
  await dialog.getByRole('button', { name: 'Send 2 messages' }).click();
  await expect(dialog.getByRole('alert')).toBeVisible();
  await page.unroute('**/message_batches');
  // A press within half a second of the one before counts as a double click.
  await expect(async () => {
    await dialog.getByRole('button', { name: 'Send 2 messages' }).click({ timeout: 1000 });
    await expect(dialog).toContainText('2 messages sent', { timeout: 2000 });
  }).toPass();
  await expect(dialog.getByRole('list', { name: 'Per subject' }).getByRole('listitem')).toHaveText(
    texts.map((text) => new RegExp(text)),
  );
  for (const [index, text] of texts.entries()) {
    const { items } = await client.call('listMessages', { params: { studyId, subjectId: ids[index]! } });
    expect(items.map(({ body }) => body)).toEqual([text]);
  }
  await dialog.getByRole('button', { name: 'Close' }).click();
  await expect(dialog).toBeHidden();
});
