/** Status and visits: a subject from screening to withdrawal, by clicking only. */
import { expect, type Page } from '@playwright/test';
import { expectAccessible, signIn, test } from '../support/desk.ts';
import { adminClient, ownStudy } from '../support/study.ts';

const dateIn = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);
const card = (page: Page, name: string) => page.getByRole('region', { name, exact: true });
const dialog = (page: Page) => page.getByRole('dialog');
const picture = (page: Page, name: string) =>
  page.screenshot({ path: `test-results/participation-${name}.png`, fullPage: true });

test('takes a subject through screening, consent, group, visits and withdrawal', async ({ page, site }) => {
  test.slow();
  const { client, accountId } = await adminClient(site);
  const { id: studyId } = await client.call('createStudy', {
    params: { accountId },
    body: { displayName: `Trial ${Date.now()}`, title: 'Trial' },
  });
  await page.goto('/');
  await signIn(page, site);

  // The plan of the study.
  await page.goto(`/studies/${studyId}/plan`);
  await page.getByRole('button', { name: 'Add version' }).click();
  await page.getByRole('textbox', { name: 'Version 1' }).fill('1.0');
  for (const [index, name] of ['Intervention', 'Control'].entries()) {
    await page.getByRole('button', { name: 'Add group' }).click();
    await page.getByRole('textbox', { name: `Group ${index + 1}` }).fill(name);
  }
  for (const name of ['Baseline', 'Week 1', 'Week 2']) {
    await page.getByRole('button', { name: 'Add visit' }).click();
    await page.getByRole('textbox', { name: 'Name' }).last().fill(name);
  }
  await expectAccessible(page);
  await picture(page, 'plan');
  await page.getByRole('button', { name: 'Save plan' }).click();
  await expect(page.getByText('Plan saved')).toBeVisible();

  // A new subject starts in screening.
  await page.goto(`/studies/${studyId}/subjects`);
  await page.getByRole('button', { name: 'Enrol subject' }).first().click();
  await dialog(page).getByRole('textbox', { name: 'Name' }).fill('P-01');
  await page.keyboard.press('Control+Enter');
  await expect(dialog(page)).toBeHidden();
  await page.goto(`/studies/${studyId}/subjects`);
  await page.getByRole('link', { name: 'P-01' }).click();
  await page.getByRole('link', { name: 'Status and visits' }).click();
  await expect(card(page, 'Status')).toContainText('Screening');
  await expect(card(page, 'Status').getByRole('button', { name: 'Enrol' })).toBeDisabled();
  await expect(page.getByText('No visits planned')).toBeVisible();
  await expectAccessible(page);
  await picture(page, 'screening');

  // A consent with the signed form.
  await page.getByRole('button', { name: 'Record consent' }).click();
  const form = dialog(page).getByLabel('Signed form (optional)');
  await form.setInputFiles({ name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('not a form') });
  await expect(dialog(page).getByText('Choose a PDF, PNG or JPEG of up to 20 MB.')).toBeVisible();
  await form.setInputFiles({
    name: 'Form P-01.pdf',
    mimeType: 'application/pdf',
    buffer: Buffer.from('%PDF-1.7 %%EOF'),
  });
  await expectAccessible(page);
  await dialog(page).getByRole('button', { name: 'Record consent' }).click();
  await expect(card(page, 'Consent')).toContainText('Version 1.0');
  const downloading = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Open form: Form P-01.pdf' }).click();
  expect((await downloading).suggestedFilename()).toBe('Form P-01.pdf');

  // Enrolment and group.
  await card(page, 'Status').getByRole('button', { name: 'Enrol' }).click();
  await dialog(page).getByRole('button', { name: 'Enrol' }).click();
  await expect(card(page, 'Status')).toContainText('Enrolled');
  await page.getByRole('button', { name: 'Assign group' }).click();
  await dialog(page).getByRole('combobox', { name: 'Group' }).selectOption('Intervention');
  await dialog(page).getByRole('button', { name: 'Assign group' }).click();
  await expect(card(page, 'Group')).toContainText('Intervention');

  // Visits done, moved and missed.
  const row = (name: string) => page.getByRole('row', { name: new RegExp(`^${name} `) });
  await page.getByRole('button', { name: 'Done: Baseline' }).click();
  await page.keyboard.press('Control+Enter');
  await expect(row('Baseline')).toContainText('Done');
  await page.getByRole('button', { name: 'Schedule: Week 1' }).click();
  await dialog(page).getByLabel('Date', { exact: true }).fill(dateIn(7));
  await dialog(page).getByLabel('Time (optional)').fill('10:00');
  await dialog(page).getByRole('button', { name: 'Schedule' }).click();
  await expect(row('Week 1')).toContainText('10:00');
  await page.getByRole('button', { name: 'Move: Week 1' }).click();
  await dialog(page).getByLabel('Date', { exact: true }).fill(dateIn(12));
  await dialog(page).getByRole('textbox', { name: 'Reason (optional)' }).fill('On holiday');
  await dialog(page).getByRole('button', { name: 'Move' }).click();
  await expect(row('Week 1')).toContainText('Outside the window');
  await page.getByRole('button', { name: 'Missed: Week 2' }).click();
  await dialog(page).getByRole('button', { name: 'Missed' }).click();
  await expect(row('Week 2')).toContainText('Missed');
  await expectAccessible(page);
  await picture(page, 'visits');
  await page.setViewportSize({ width: 768, height: 900 });
  await picture(page, 'visits-768');
  await page.setViewportSize({ width: 1280, height: 800 });

  // Withdrawal, with what happens to the data.
  await card(page, 'Status').getByRole('button', { name: 'Withdraw' }).click();
  await dialog(page).getByRole('button', { name: 'Withdraw' }).click();
  await expect(dialog(page).getByText('Enter a reason.')).toBeVisible();
  await dialog(page).getByRole('textbox', { name: 'Reason' }).fill('Moved away');
  await dialog(page).getByRole('radio', { name: 'Do not use any data' }).check();
  await expectAccessible(page);
  await picture(page, 'withdraw');
  await dialog(page).getByRole('button', { name: 'Withdraw' }).click();
  await expect(card(page, 'Status')).toContainText('Do not use any data');
  await expect(row('Week 1')).toContainText('Ended');
  await expect(card(page, 'History')).toContainText('Moved away');
  await expectAccessible(page);
  await picture(page, 'withdrawn');

  // The list finds the subject by status and group, and History tells it.
  await page.goto(`/studies/${studyId}/subjects`);
  await page.getByRole('combobox', { name: 'Show' }).selectOption('Withdrawn');
  await page.getByRole('combobox', { name: 'Group' }).selectOption('Intervention');
  await expect(page.getByRole('row', { name: /P-01/ })).toContainText('Withdrawn');
  await page.getByRole('combobox', { name: 'Group' }).selectOption('Control');
  await expect(page.getByRole('link', { name: 'P-01' })).toHaveCount(0);
  await page.goto(`/studies/${studyId}/history`);
  await expect(page.getByText('Visit moved').first()).toBeVisible();
});

test('shows visits that are due on Today, and opens them there', async ({ page, site }) => {
  const { client, accountId } = await adminClient(site);
  const displayName = `Due ${Date.now()}`;
  const { id: studyId } = await client.call('createStudy', {
    params: { accountId },
    body: { displayName, title: 'Due' },
  });
  const params = { studyId };
  const visit = { id: 'v', displayName: 'Baseline', anchor: 'ENROLLED' as const, offsetDays: 0 };
  const visits = [{ ...visit, windowBefore: 1, windowAfter: 1, isOptional: false, isReminded: true }];
  const plan = { consentForms: [], groups: [], strata: [], visits };
  await client.call('setStudyPlan', { params, body: { version: 0, ...plan } });
  await client.call('createSubject', { params, body: { displayName, timezone: 'Etc/UTC' } });
  await page.goto('/');
  await signIn(page, site);
  const item = page.getByRole('listitem').filter({ hasText: displayName });
  await expect(item).toContainText('Baseline: schedule by');
  await picture(page, 'today');
  await item.getByRole('link', { name: /^Open visits/ }).click();
  await page.getByRole('button', { name: 'Done: Baseline' }).click();
  await page.keyboard.press('Control+Enter');
  await expect(page.getByRole('row', { name: /^Baseline / })).toContainText('Done');
});

test('shows the plan of a completed study without editing, and asks for the reason of a correction', async ({
  page,
  site,
}) => {
  const { client, studyId } = await ownStudy(site, 'Over');
  const params = { studyId };
  const visit = { id: 'v', displayName: 'Baseline', anchor: 'ENROLLED' as const, offsetDays: 0 };
  const visits = [{ ...visit, windowBefore: 1, windowAfter: 1, isOptional: false, isReminded: true }];
  const plan = { consentForms: [], groups: [], strata: [], visits };
  await client.call('setStudyPlan', { params, body: { version: 0, ...plan } });
  const { id: subjectId } = await client.call('createSubject', {
    params,
    body: { displayName: 'O-01', timezone: 'Etc/UTC' },
  });
  await client.call('startStudy', { params });
  await client.call('stopStudy', { params });
  await page.goto('/');
  await signIn(page, site);

  await page.goto(`/studies/${studyId}/plan`);
  await expect(page.getByRole('textbox', { name: 'Name' })).toHaveValue('Baseline');
  // An administrator is not told that others may change the plan.
  await expect(page.getByText('You can read this plan.')).toBeHidden();
  await expect(page.getByRole('button', { name: 'Save plan' })).toBeHidden();

  await page.goto(`/studies/${studyId}/subjects/${subjectId}/participation`);
  await page.getByRole('button', { name: 'Missed: Baseline' }).click();
  let sent = 0;
  page.on('request', (request) => {
    if (request.method() !== 'GET') sent += 1;
  });
  await dialog(page).getByRole('button', { name: 'Missed' }).click();
  await expect(dialog(page).getByText('Enter a reason.')).toBeVisible();
  expect(sent).toBe(0);
  await dialog(page).getByRole('textbox', { name: 'Reason' }).fill('Found in the paper file');
  await dialog(page).getByRole('button', { name: 'Missed' }).click();
  await expect(page.getByRole('region', { name: 'Visits with their windows' })).toContainText('Missed');
});

test('shows the plan of an archived study without editing', async ({ page, site }) => {
  const { client, studyId } = await ownStudy(site, 'Shelved');
  await client.call('archiveStudy', { params: { studyId } });
  await page.goto('/');
  await signIn(page, site);
  await page.goto(`/studies/${studyId}/plan`);
  await expect(page.getByRole('region', { name: 'Visits', exact: true })).toBeVisible();
  await expect(page.getByRole('button', { name: 'Save plan' })).toBeHidden();
  await expect(page.getByRole('button', { name: 'Add visit' })).toBeHidden();
});
