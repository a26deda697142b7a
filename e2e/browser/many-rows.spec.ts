/** Actions on many selected rows: what cannot be done, failed or was not answered is said, and nothing is done twice. */
import { expect, type Locator, type Page } from '@playwright/test';
import { expectAccessible, signIn, type TestSite, test, watchPage } from '../support/desk.ts';
import { ownStudy } from '../support/study.ts';

const picture = (page: Page, name: string) => page.screenshot({ path: `test-results/many-rows-${name}.png` });
const box = (page: Page, name: string) => page.getByRole('checkbox', { name: `Select ${name}`, exact: true });
const bar = (page: Page) => page.getByRole('region', { name: 'Selection', exact: true });
const outcome = (dialog: Locator, name: string) => dialog.getByRole('listitem').filter({ hasText: name });

/** A running study with two groups and some subjects. */
async function makeStudy(site: TestSite, size = 4) {
  const { client, accountId, studyId } = await ownStudy(site, 'Many rows');
  const groups = [
    { id: 'a', displayName: 'Group A' },
    { id: 'b', displayName: 'Group B' },
  ];
  await client.call('setStudyPlan', {
    params: { studyId },
    body: { version: 0, consentForms: [], groups, strata: [], visits: [] },
  });
  const tag = crypto.randomUUID().slice(0, 6);
  const names = Array.from({ length: size }, (_, index) => `MR-${tag}-${index + 1}`);
  const subjects: { id: string; name: string }[] = [];
  for (const displayName of names) {
    const body = { displayName, timezone: 'Etc/GMT' };
    const { id } = await client.call('createSubject', { params: { studyId }, body });
    subjects.push({ id, name: displayName });
  }
  await client.call('startStudy', { params: { studyId } });
  return { client, accountId, studyId, tag, subjects };
}

test.beforeEach(async ({ page, site }) => {
  await page.goto('/');
  await signIn(page, site);
});

test('selects by mouse, range and key, keeps the selection over a sort and a search, and clears it', async ({
  page,
  site,
}) => {
  const expectNoProblems = watchPage(page);
  const { studyId, subjects } = await makeStudy(site);
  const [one, two, three, four] = subjects.map(({ name }) => name) as [string, string, string, string];
  await page.goto(`/studies/${studyId}/subjects`);
  await expect(box(page, one)).toBeVisible();
  await expect(bar(page)).toHaveCount(0);
  const before = await page.getByRole('link', { name: three }).boundingBox();
  await box(page, one).check();
  await expect(bar(page)).toContainText('1 subject selected');
  // The bar comes after the table: no row moves under the pointer.
  expect(await page.getByRole('link', { name: three }).boundingBox()).toEqual(before);
  const all = page.getByRole('checkbox', { name: 'Select all shown' });
  expect(await all.evaluate((input: HTMLInputElement) => input.indeterminate)).toBe(true);
  await box(page, three).click({ modifiers: ['Shift'] });
  await expect(bar(page)).toContainText('3 subjects selected');
  await page.getByRole('button', { name: 'Subject', exact: true }).click();
  await expect(box(page, two)).toBeChecked();
  await expect(box(page, four)).not.toBeChecked();
  await expectAccessible(page);
  await picture(page, 'selected');
  await page.getByRole('searchbox', { name: 'Search subjects' }).fill(four);
  await expect(bar(page)).toContainText('3 of them hidden by the filter');
  await page.getByRole('searchbox', { name: 'Search subjects' }).fill('');

  await page.getByRole('link', { name: four }).focus();
  await page.keyboard.press('Escape');
  await expect(bar(page)).toHaveCount(0);
  await page.keyboard.press('x');
  await expect(box(page, four)).toBeChecked();
  await page.keyboard.press('Shift+ArrowDown');
  await page.keyboard.press('Shift+ArrowDown');
  await expect(bar(page)).toContainText('3 subjects selected');
  await page.keyboard.press('Shift+ArrowUp');
  await expect(bar(page)).toContainText('2 subjects selected');
  await page.keyboard.press('Space');
  await expect(bar(page)).toContainText('1 subject selected');
  await all.check();
  await expect(bar(page)).toContainText('4 subjects selected');
  await bar(page).getByRole('button', { name: 'Clear selection' }).click();
  await expect(bar(page)).toHaveCount(0);
  expectNoProblems();
});

test('puts subjects into a group: says which it cannot, shows the one that failed, and tries only that again', async ({
  page,
  site,
}) => {
  const { client, studyId, subjects } = await makeStudy(site);
  const [one, two, three, four] = subjects;
  const setGroup = (subjectId: string, groupId: string) =>
    client.call('setSubjectGroup', { params: { studyId, subjectId }, body: { groupId } });
  await setGroup(four!.id, 'b');
  await page.goto(`/studies/${studyId}/subjects`);
  await page.getByRole('checkbox', { name: 'Select all shown' }).check();
  await bar(page).getByRole('button', { name: 'Set group' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Group', { exact: true }).selectOption('Group B');
  await expect(dialog).toContainText('Will change (3 of 4)');
  await expect(outcome(dialog, four!.name)).toContainText('Already in this group and stratum.');
  await expectAccessible(page);
  await picture(page, 'unable');

  // Somebody else puts one of them into the other group while the action runs.
  let isChanged = false;
  await page.route(`**/subjects/${two!.id}/participation/groups`, async (route) => {
    if (!isChanged) {
      isChanged = true;
      await setGroup(two!.id, 'a');
    }
    await route.continue();
  });
  await dialog.getByRole('button', { name: 'Set group of 3 subjects' }).click();
  await expect(dialog).toContainText('2 of 3 done.');
  await expect(outcome(dialog, two!.name)).toContainText('Failed');
  await expect(outcome(dialog, two!.name)).toContainText('reason is required');
  await expect(outcome(dialog, one!.name)).toContainText('Done');
  await expect(outcome(dialog, three!.name)).toContainText('Done');
  await expectAccessible(page);
  await picture(page, 'failed');

  await dialog.getByLabel(/^Reason/).fill('Entered for the wrong person');
  await expect(async () => {
    await dialog.getByRole('button', { name: 'Try again (1)' }).click({ timeout: 1000 });
    await expect(dialog).toContainText('3 of 3 done.', { timeout: 2000 });
  }).toPass();
  await dialog.getByRole('button', { name: 'Close' }).click();
  await expect(dialog).toBeHidden();
  await expect(bar(page)).toContainText('1 subject selected');

  const { items } = await client.call('listStudyAudit', { params: { studyId } });
  const entriesOf = ({ id }: { id: string }) =>
    items.filter(({ action, subjectId }) => action === 'participation.group' && subjectId === id).length;
  // The second was put into group A by somebody else, then into group B.
  expect([one, two, three, four].map((subject) => entriesOf(subject!))).toEqual([1, 2, 1, 1]);
});

test('adds a note to each subject once, although an answer was lost and the tab was closed', async ({ page, site }) => {
  const { client, studyId, subjects } = await makeStudy(site);
  await page.goto(`/studies/${studyId}/subjects`);
  await page.getByRole('checkbox', { name: 'Select all shown' }).check();
  await bar(page).getByRole('button', { name: 'Add note' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('textbox', { name: 'Text' }).fill('Did not wear the sensor this week.');
  // The site saves it; the answer does not come.
  await page.route(`**/subjects/${subjects[1]!.id}/notes`, async (route) => {
    await route.fetch();
    await route.abort();
  });
  await dialog.getByRole('button', { name: 'Add 4 notes' }).click();
  await expect(outcome(dialog, subjects[1]!.name)).toContainText('No answer');
  await expect(dialog).toContainText('nothing is saved twice');
  await picture(page, 'no-answer');
  await page.unroute(`**/subjects/${subjects[1]!.id}/notes`);

  await page.reload();
  const notice = page.getByRole('status').filter({ hasText: '“Add note” was interrupted' });
  await expectAccessible(page);
  await picture(page, 'interrupted');
  await notice.getByRole('button', { name: 'Select' }).click();
  await bar(page).getByRole('button', { name: 'Add note' }).click();
  await dialog.getByRole('textbox', { name: 'Text' }).fill('Did not wear the sensor this week.');
  await dialog.getByRole('button', { name: /^Add \d notes?$/ }).click();
  await dialog.getByRole('button', { name: 'Close' }).click();
  await expect(dialog).toBeHidden();
  await expect(notice).toHaveCount(0);
  const { items } = await client.call('listNotes', { params: { studyId } });
  expect(items.map(({ subjectId }) => subjectId).sort()).toEqual(subjects.map(({ id }) => id).sort());
});

test('repeats the same notes where a dialog is closed after a lost answer, and asks before a run is stopped', async ({
  page,
  site,
}) => {
  const { client, studyId, subjects } = await makeStudy(site);
  const addNotes = async () => {
    await bar(page).getByRole('button', { name: 'Add note' }).click();
    await dialog.getByRole('textbox', { name: 'Text' }).fill('Did not wear the sensor this week.');
    await dialog.getByRole('button', { name: /^Add \d notes?$/ }).click();
  };
  await page.goto(`/studies/${studyId}/subjects`);
  await page.getByRole('checkbox', { name: 'Select all shown' }).check();
  const dialog = page.getByRole('dialog', { name: 'Add note to several subjects' });
  const path = `**/subjects/${subjects[1]!.id}/notes`;
  const answer = Promise.withResolvers<void>();
  await page.route(path, async (route) => {
    await route.fetch();
    await answer.promise;
    await route.abort();
  });
  await addNotes();
  await expect(dialog).toContainText('3 of 4 done.');
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  const asked = page.getByRole('dialog', { name: 'Stop this action?' });
  await expect(asked).toContainText('1 row is not done yet');
  await expectAccessible(page);
  await picture(page, 'stop');
  await asked.getByRole('button', { name: 'Stop', exact: true }).click();
  await expect(page.getByRole('dialog')).toHaveCount(0);

  // The request is still under way.
  await bar(page).getByRole('button', { name: 'Add note' }).click();
  await expect(outcome(dialog, subjects[1]!.name)).toContainText('Still being saved.');
  answer.resolve();
  await expect(dialog).toContainText('1 of these rows has no result of an earlier try.');
  await expectAccessible(page);
  await picture(page, 'repeated');
  await page.unroute(path);
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await addNotes();
  await expect(dialog).toContainText('1 of 1 done.');
  const { items } = await client.call('listNotes', { params: { studyId } });
  expect(items.map(({ subjectId }) => subjectId).sort()).toEqual(subjects.map(({ id }) => id).sort());
});

test('sends a message to the selected subjects, and keeps the one selected who withdrew meanwhile', async ({
  page,
  site,
}) => {
  const { client, studyId, subjects } = await makeStudy(site);
  const [one, two] = subjects as [(typeof subjects)[0], (typeof subjects)[0]];
  await page.goto(`/studies/${studyId}/subjects`);
  await box(page, one.name).check();
  await box(page, two.name).check();
  await bar(page).getByRole('button', { name: 'Send message' }).click();
  const dialog = page.getByRole('dialog');
  await expect(dialog).toContainText('Recipients: 2 subjects');
  await dialog.getByRole('textbox', { name: 'Message', exact: true }).fill('Please wear the sensor tonight.');
  await dialog.getByRole('button', { name: 'Preview' }).click();
  await expect(dialog.getByRole('button', { name: 'Send 2 messages' })).toBeVisible();
  const date = new Date().toISOString().slice(0, 10);
  await client.call('setSubjectStatus', {
    params: { studyId, subjectId: two.id },
    body: { status: 'WITHDRAWN', date, reason: 'Moved away', dataDecision: 'KEEP_ALL' },
  });
  await dialog.getByRole('button', { name: 'Send 2 messages' }).click();
  await expect(dialog).toContainText('1 message sent');
  await expect(outcome(dialog, two.name)).toContainText('Not sent: the subject no longer participates.');
  await dialog.getByRole('button', { name: 'Close' }).click();
  await expect(bar(page)).toContainText('1 subject selected');
  await expect(box(page, two.name)).toBeChecked();
});

test('takes sensors back, one of which somebody else took back meanwhile, and prints the selected', async ({
  page,
  site,
}) => {
  const { client, accountId, studyId, tag, subjects } = await makeStudy(site);
  const ids = [1, 2, 3].map((number) => `SN-${tag}-${number}`);
  for (const [index, equipmentId] of ids.entries()) {
    const body = { id: equipmentId, type: 'SENSOR' as const };
    await client.call('registerEquipment', { params: { accountId }, body });
    const params = { studyId, subjectId: subjects[index]!.id, equipmentId };
    await client.call('assignEquipment', { params });
  }
  await page.goto('/equipment');
  await page.getByRole('searchbox', { name: 'Search equipment' }).fill(tag);
  await page.getByRole('checkbox', { name: 'Select all shown' }).check();
  await expect(bar(page)).toContainText('3 items selected');
  await expectAccessible(page);
  await bar(page).getByRole('button', { name: 'Take back' }).click();
  const dialog = page.getByRole('dialog');
  await page.route(`**/equipment/${ids[0]}`, async (route) => {
    const params = { studyId, subjectId: subjects[0]!.id, equipmentId: ids[0]! };
    if (route.request().method() === 'DELETE') await client.call('unassignEquipment', { params });
    await route.continue();
  });
  await dialog.getByRole('button', { name: 'Take back 3 items' }).click();
  await expect(dialog).toContainText('3 of 3 done.');
  await expect(outcome(dialog, ids[0]!)).toContainText('Unchanged');
  await expect(outcome(dialog, ids[0]!)).toContainText(`${subjects[0]!.name} no longer holds it.`);
  await dialog.getByRole('button', { name: 'Close' }).click();
  const { items } = await client.call('listStudyAudit', { params: { studyId } });
  const taken = items.filter(({ action }) => action === 'equipment.unassign').map(({ entityId }) => entityId);
  expect(taken.sort()).toEqual(ids);

  await box(page, ids[1]!).check();
  await bar(page).getByRole('button', { name: 'Print selected' }).click();
  await expect(page.getByText('1 of ', { exact: false }).first()).toBeVisible();
  await expect(page.getByText(ids[1]!).first()).toBeVisible();
  await expect(page.getByText(ids[2]!)).toHaveCount(0);
});

test('resolves answered queries with one text, and names those that are still open', async ({ page, site }) => {
  const { client, studyId, subjects } = await makeStudy(site);
  const date = new Date().toISOString().slice(0, 10);
  for (const [index, { id: subjectId }] of subjects.entries()) {
    const params = { studyId, subjectId };
    const { id: queryId } = await client.call('openQuery', {
      params,
      body: { target: 'DAY', date, text: `Why no data ${index + 1}?` },
    });
    if (index < 2) {
      const body = { kind: 'ANSWER' as const, text: 'It was charging.' };
      await client.call('addQueryStep', { params: { studyId, queryId }, body });
    }
  }
  await page.goto(`/studies/${studyId}/queries`);
  const boxes = page.getByRole('checkbox', { name: /^Select MR-/ });
  await expect(boxes).toHaveCount(4);
  await boxes.first().check();
  await boxes.last().click({ modifiers: ['Shift'] });
  await expect(bar(page)).toContainText('4 queries selected');
  await expectAccessible(page);
  await bar(page).getByRole('button', { name: 'Resolve' }).click();
  const dialog = page.getByRole('dialog');
  await expect(dialog).toContainText("Can't change (2)");
  await expect(outcome(dialog, 'Why no data 4?')).toContainText('Its state is “Open”.');
  await dialog.getByRole('textbox', { name: 'Text (optional)' }).fill('Plausible.');
  await dialog.getByRole('button', { name: 'Resolve 2 queries' }).click();
  await expect(dialog).toContainText('2 of 2 done.');
  await picture(page, 'queries');
  await dialog.getByRole('button', { name: 'Close' }).click();
  await expect(bar(page)).toContainText('2 queries selected');
});

test('fits a small window, in Japanese and in the dark', async ({ browser, site }) => {
  // More rows than the window holds: the bar stays in view.
  const { studyId } = await makeStudy(site, 24);
  const context = await browser.newContext({
    ...{ baseURL: site.url, locale: 'ja-JP', colorScheme: 'dark', viewport: { width: 1024, height: 640 } },
  });
  const page = await context.newPage();
  await page.goto(`/studies/${studyId}/subjects`);
  await page.getByRole('textbox').first().fill(site.email);
  await page.locator('input[type=password]').fill(site.password);
  await page.keyboard.press('Enter');
  await page.getByRole('checkbox', { name: '表示中の行をすべて選択' }).check();
  const selected = page.getByRole('region', { name: '選択中の項目' });
  await expect(selected).toContainText('被験者 24名を選択中');
  await expect(selected).toBeInViewport({ ratio: 1 });
  await expectAccessible(page);
  await picture(page, 'ja-1024');
  await page.setViewportSize({ width: 768, height: 640 });
  await expect(selected).toBeInViewport({ ratio: 1 });
  await picture(page, 'ja-768');
  await selected.getByRole('button', { name: 'その他' }).click();
  await expect(page.getByRole('menuitem', { name: '非表示にする' })).toBeVisible();
  await picture(page, 'ja-768-more');
  await context.close();
});
