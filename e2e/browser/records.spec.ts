import { readFile } from 'node:fs/promises';
import { expect, type Page } from '@playwright/test';
import { type Client, createClient } from '../../src-server/api/contract/client.ts';
import { zipContents } from '../../src-server/testing/zip-contents.ts';
import { signIn, type TestSite, test, watchPage } from '../support/desk.ts';

const subjectPath = ({ studyId, subjects }: TestSite) => `/studies/${studyId}/subjects/${subjects[0]!.id}`;

async function staff(site: TestSite): Promise<Client> {
  const client = createClient({ baseUrl: site.url });
  const { user, accessToken } = await client.call('login', { body: { email: site.email, password: site.password } });
  client.credentials = { userId: user.id, accessToken };
  return client;
}

/** A label in the middle of the first recording with an ECG. */
async function makeLabel(
  site: TestSite,
  displayName: string,
): Promise<{ client: Client; remove: () => Promise<void> }> {
  const client = await staff(site);
  const params = { studyId: site.studyId, subjectId: site.subjects[0]!.id };
  const { items } = await client.call('listSubjectRecordings', { params });
  const recording = items.find(({ sensorConfig }) => sensorConfig.afe);
  if (!recording) throw new Error('The demo has no ECG.');
  const startTs = recording.recordingStartTs + 1_800_000;
  const { id } = await client.call('createLabel', {
    params,
    body: { displayName, startTs, stopTs: startTs + 60_000, recordingId: recording.id },
  });
  return {
    client,
    remove: () => client.call('deleteLabel', { params: { ...params, annotationId: id } }).catch(() => undefined),
  };
}

const rowOf = (page: Page, name: string) => page.getByRole('row').filter({ hasText: name });

test.beforeEach(async ({ page, site }) => {
  await page.goto('/');
  await signIn(page, site);
});

test('finds, edits, deletes and restores a label, and shows it in the history', async ({ page, site }) => {
  const expectNoProblems = watchPage(page);
  const name = `Episode ${Math.random().toString(36).slice(2, 8)}`;
  const { client } = await makeLabel(site, name);
  await page.goto(`${subjectPath(site)}/labels`);
  await page.getByRole('searchbox', { name: 'Search names and values' }).fill(name.toUpperCase());
  await expect(page.getByRole('row')).toHaveCount(2);

  await page.getByRole('button', { name: `Edit label ${name}` }).press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Edit label' });
  await dialog.getByRole('textbox', { name: 'Start', exact: true }).fill('noon');
  await page.keyboard.press('Control+Enter');
  await expect(dialog.getByText('Enter a date and time such as')).toBeVisible();
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: `Edit label ${name}` }).press('Enter');
  await dialog.getByRole('textbox', { name: 'Value' }).fill('seen by two readers');
  await dialog.getByRole('textbox', { name: /^End/ }).fill('');
  await dialog.getByRole('textbox', { name: /^Reason/ }).fill('Last checked');
  await page.keyboard.press('Control+Enter');
  await expect(dialog).toHaveCount(0);
  await expect(rowOf(page, name)).toContainText('seen by two readers');
  await expect(rowOf(page, name)).toContainText('point');

  await page.getByRole('button', { name: `Delete label ${name}` }).press('Enter');
  await expect(rowOf(page, name)).toHaveCount(0);
  await page.getByRole('button', { name: 'Undo', exact: true }).press('Enter');
  await expect(rowOf(page, name)).toContainText('seen by two readers');

  await page.goto(`${subjectPath(site)}/history`);
  const changed = page
    .getByRole('row')
    .filter({ hasText: 'Label changed' })
    .filter({ hasText: 'Last checked' })
    .first();
  await expect(changed).toContainText('empty → changed toseen by two readers');
  await expect(changed).toContainText('Dana Whitfield');

  await page.goto(`${subjectPath(site)}/labels`);
  const params = { studyId: site.studyId, subjectId: site.subjects[0]!.id };
  await page.getByRole('link', { name: `Signals at ${name}` }).press('Enter');
  await expect(page.getByRole('slider', { name: 'Detail', exact: true })).toBeVisible();
  const { items } = await client.call('listAnnotations', { params, query: { type: 'recording' } });
  for (const item of items.filter(({ displayName }) => displayName === name))
    await client.call('deleteLabel', { params: { ...params, annotationId: item.id } });
  expectNoProblems();
});

test('filters the events of a day, links to their records and keeps filters in the address', async ({ page, site }) => {
  const expectNoProblems = watchPage(page);
  const client = await staff(site);
  const params = { studyId: site.studyId, subjectId: site.subjects[1]!.id };
  const body = new FormData();
  body.set('body', 'For the log of events');
  await client.call('sendMessage', { params, body });
  await page.goto(`/events?study=${site.studyId}`);
  const table = page.getByRole('table', { name: 'Events' });
  await expect(table).toContainText('Message sent');
  await page.getByRole('combobox', { name: 'Event' }).selectOption({ label: 'Message sent' });
  await page.getByRole('combobox', { name: 'Subject' }).selectOption({ label: site.subjects[1]!.displayName });
  const row = table.getByRole('row').nth(1);
  await expect(row).toContainText(site.subjects[1]!.displayName);
  await expect(row).toContainText('Dana Whitfield');
  // What comes meanwhile does not move the row that one is on.
  const link = row.getByRole('link').first();
  await link.focus();
  const before = await link.boundingBox();
  const count = await table.getByRole('row').count();
  body.set('body', 'Another for the log');
  await client.call('sendMessage', { params, body });
  const more = page.getByRole('button', { name: /^Show \d+ new rows?$/ });
  await expect(more).toBeVisible();
  expect(await link.boundingBox()).toEqual(before);
  await expect(link).toBeFocused();
  await expect(table.getByRole('row')).toHaveCount(count);
  await more.press('Enter');
  await expect(more).toHaveCount(0);
  await expect(page.getByRole('region', { name: 'Events', exact: true })).toBeFocused();
  expect(await table.getByRole('row').count()).toBeGreaterThan(count);
  await page.reload();
  await expect(page.getByRole('combobox', { name: 'Event' })).toHaveValue('MESSAGE_POSTED');
  await row.getByRole('link', { name: 'Messages' }).click();
  await expect(page.getByText('For the log of events')).toBeVisible();
  await page.goto(`/events?study=${site.studyId}&date=2001-02-03`);
  await expect(page.getByRole('heading', { name: /No events on/ })).toBeVisible();
  expectNoProblems();
});

test('shows who changed what in the history of a study and of a user, with older entries', async ({ page, site }) => {
  const client = await staff(site);
  await page.goto(`/studies/${site.studyId}`);
  await page.getByRole('link', { name: 'History' }).click();
  await page.getByRole('combobox', { name: 'Record type' }).selectOption('study');
  await expect(page.getByRole('row').filter({ hasText: 'Study started' })).toContainText('Running');
  await expect(page.getByRole('row').filter({ hasText: 'Recording added' })).toHaveCount(0);
  const made = page.waitForResponse((response) => response.url().endsWith('/audit/exports'));
  await page.getByRole('button', { name: 'Export for audit' }).click();
  const { rows, closingHash } = await (await made).json();
  await expect(page.getByRole('dialog')).toContainText(closingHash);
  const downloading = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Download', exact: true }).click();
  const members = await zipContents(await readFile(await (await downloading).path()));
  expect(String(members.get('audit.csv')).trim().split('\n')).toHaveLength(rows + 1);
  await page.goto(`/site/users/${client.credentials?.userId}/history`);
  await expect(page.getByRole('row').filter({ hasText: 'User created' })).toBeVisible();
  await page.getByRole('radio', { name: 'Changes by this user' }).click();
  await expect(page.getByRole('row').nth(2)).toBeVisible();
});

test('signs a recording in its list, and shows there and beside its signals that a label came since', async ({
  page,
  site,
}) => {
  const client = await staff(site);
  const params = { studyId: site.studyId, subjectId: site.subjects[0]!.id };
  await page.goto(`${subjectPath(site)}/recordings`);
  const row = page.getByRole('row').nth(1);
  await row.getByRole('button', { name: /^Sign recording of / }).click();
  await page.getByLabel('Your password').fill('not the password');
  const sign = page.getByRole('dialog').getByRole('button', { name: 'Sign' });
  await sign.click();
  await expect(page.getByText("This isn't your current password.")).toBeVisible();
  // From here: the browser itself reports the refused request.
  const expectNoProblems = watchPage(page);
  await page.getByLabel('Your password').fill(site.password);
  await sign.click();
  await expect(row.getByRole('button', { name: /^Signed: recording of / })).toBeVisible();
  const href = await row.getByRole('link', { name: /^View signals/ }).getAttribute('href');
  const recordingId = href!.split('/').at(-1)!;
  const { items } = await client.call('listSubjectRecordings', { params });
  const { recordingStartTs: startTs } = items.find(({ id }) => id === recordingId)!;
  const body = { displayName: 'Seen after signing', startTs, recordingId };
  const { id: annotationId } = await client.call('createLabel', { params, body });
  const changed = row.getByRole('button', { name: /^Changed: recording of / });
  await expect(changed).toBeVisible();
  // With the widest state the list fits into the smallest window.
  await page.setViewportSize({ width: 1024, height: 640 });
  const beyondPx = () =>
    page.getByRole('table').evaluate(({ parentElement: frame }) => frame!.scrollWidth - frame!.clientWidth);
  await expect.poll(beyondPx).toBeLessThanOrEqual(0);
  await page.setViewportSize({ width: 1440, height: 900 });
  await changed.click();
  await expect(page.getByRole('dialog')).toContainText('Changed since signed');
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click();
  await row.getByRole('link', { name: /^View signals/ }).click();
  const signatures = page.getByRole('region', { name: 'Signatures' });
  await expect(signatures).toContainText('Changed since signed');
  await client.call('deleteLabel', { params: { ...params, annotationId } });
  await expect(signatures).toContainText('Unchanged');
  await page.goto(`${subjectPath(site)}/history`);
  await expect(page.getByRole('row').filter({ hasText: 'Wrong password' })).toContainText('sign');
  expectNoProblems();
});

test('signs a definition, shows that it changed since, and locks and unlocks the study', async ({ page, site }) => {
  const client = await staff(site);
  const signer = await client.call('getUser', { params: { userId: client.credentials!.userId } });
  const name = `Signed ${Date.now().toString(36)}`;
  const { id: studyId } = await client.call('createStudy', {
    params: { accountId: signer.accountId },
    body: { displayName: name },
  });
  const expectNoProblems = watchPage(page);
  await page.goto(`/studies/${studyId}/signatures`);
  await page.getByRole('button', { name: 'Sign', exact: true }).click();
  const sign = page.getByRole('dialog').getByRole('button', { name: 'Sign' });
  await page.getByLabel('Your password').fill(site.password);
  await page.getByRole('combobox', { name: 'Meaning' }).selectOption('APPROVED');
  await sign.click();
  const row = page.getByRole('row').filter({ hasText: 'Approved' });
  await expect(row).toContainText(`${signer.firstName} ${signer.lastName}`);
  await expect(row).toContainText('Unchanged');
  await client.call('updateStudy', { params: { studyId }, body: { title: 'Another title' } });
  await expect(row).toContainText('Changed since signed');
  await client.call('requestStudyExport', { params: { studyId }, body: { format: 'ARCHIVE' } });
  await page.goto('/exports');
  const exported = page.getByRole('row').filter({ hasText: name });
  await exported.getByRole('button', { name: /^Sign / }).click();
  await page.getByLabel('Your password').fill(site.password);
  await sign.click();
  await expect(exported.getByRole('button', { name: /^Signed: / })).toBeVisible();
  await page.goto(`/studies/${studyId}/signatures`);
  await expect(page.getByRole('row').filter({ hasText: 'Export' })).toContainText('Unchanged');
  const step = async (action: string) => {
    await page.getByRole('button', { name: 'Study', exact: true }).click();
    await page.getByRole('menuitem', { name: action }).click();
    await page.getByLabel('Reason').fill('Analysis begins');
    await page.getByLabel('Your password').fill(site.password);
    await page.getByRole('dialog').getByRole('button', { name: action }).click();
    await expect(page.getByRole('dialog')).toHaveCount(0);
  };
  await step('Lock study');
  await expect(page.getByText('This study has been locked since')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Enrol subject' })).toHaveCount(0);
  await step('Unlock study');
  await expect(page.getByText('Unlocked since')).toBeVisible();
  expectNoProblems();
});
