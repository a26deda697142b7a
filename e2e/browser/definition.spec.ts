import { expect } from '@playwright/test';
import { signIn, test, watchPage } from '../support/desk.ts';
import { addUser, ownStudy } from '../support/study.ts';

test('shows what a definition file replaces, and imports it only after confirmation', async ({ page, site }) => {
  const expectNoProblems = watchPage(page);
  const study = await ownStudy(site, 'Replaced');
  const params = { studyId: study.studyId };
  await study.client.call('putDefinition', {
    params,
    body: { activities: [{ displayName: 'Long walk' }, { displayName: 'Deep breathing' }] },
  });
  const { activities, ...rest } = await study.client.call('getDefinition', { params });
  const file = {
    name: 'other.json',
    mimeType: 'application/json',
    buffer: Buffer.from(JSON.stringify({ ...rest, activities: [activities[0]] })),
  };
  await page.goto('/');
  await signIn(page, site);
  await page.goto(`/studies/${study.studyId}/definition`);
  const choose = page.getByLabel('Import definition').last();
  await choose.setInputFiles(file);
  const dialog = page.getByRole('dialog');
  await expect(dialog).toContainText('2 now, 1 in the file');
  await expect(dialog).toContainText('Deep breathing');
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await expect(dialog).toBeHidden();
  expect((await study.client.call('getDefinition', { params })).activities).toHaveLength(2);
  await choose.setInputFiles(file);
  await dialog.getByRole('button', { name: 'Replace' }).click();
  await expect(dialog).toBeHidden();
  await expect(page.getByRole('button', { name: /^Deep breathing/ })).toHaveCount(0);
  expect((await study.client.call('getDefinition', { params })).activities).toHaveLength(1);
  expectNoProblems();
});

test('lists invalid entries with their place before saving, and creates one study on a double click', async ({
  page,
  site,
}) => {
  const study = await ownStudy(site, 'Beginner');
  await page.goto('/');
  await signIn(page, site);
  await page.goto('/studies');
  await page.getByRole('button', { name: 'New study' }).click();
  const dialog = page.getByRole('dialog');
  const name = `朝の日誌 ${study.studyId.slice(-6)}`;
  await dialog.getByRole('button', { name: 'Create study' }).click();
  await expect(dialog.getByLabel('Short name')).toBeFocused();
  await dialog.getByLabel('Short name').fill(name);
  await dialog.getByRole('button', { name: 'Create study' }).dblclick();
  await expect(page).toHaveURL(/\/definition$/);
  const items = await study.client.call('listStudies', { params: { accountId: study.accountId } });
  expect(items.filter(({ displayName }) => displayName === name)).toHaveLength(1);

  await page.getByRole('radio', { name: 'Surveys' }).click();
  await page.getByRole('button', { name: 'Add survey' }).click();
  await page.getByRole('button', { name: 'Add question' }).click();
  await page.getByLabel('Answer type').selectOption('RANGE');
  await page.getByLabel('Lowest').fill('１０');
  await page.getByLabel('Highest').fill('5');
  await page.getByRole('radio', { name: 'Program' }).click();
  const length = page.getByLabel('Length (days)');
  await length.fill('');
  await length.pressSequentially('２１');
  await page.getByRole('button', { name: 'Save definition', exact: true }).click();
  const told = page.getByRole('alert');
  await expect(told).toContainText('Not saved: fix 3 problems first.');
  await told.getByRole('button', { name: 'Surveys: Untitled' }).first().click();
  await page.getByLabel('Name', { exact: true }).fill('朝の日誌');
  await page.getByLabel('Question', { exact: true }).fill('痛みはどのくらいですか');
  await page.getByLabel('Lowest').fill('０');
  await expect(told).toBeHidden();
  await page.getByRole('button', { name: 'Save definition', exact: true }).click();
  await expect(page.getByText('All changes saved')).toBeVisible();
  const [made] = items.filter(({ displayName }) => displayName === name);
  const saved = await study.client.call('getDefinition', { params: { studyId: made!.id } });
  expect(saved.diaries[0]!.questions[0]!.values).toEqual(['0', '5']);
  expect(saved.program?.days).toBe(21);
});

test('accepts sensor settings beyond the presets, and rejects impossible ones', async ({ page, site }) => {
  const study = await ownStudy(site, 'Fast ECG');
  await page.goto('/');
  await signIn(page, site);
  await page.goto(`/studies/${study.studyId}/definition`);
  await page.getByRole('radio', { name: 'Sensors' }).click();
  await page.getByRole('button', { name: 'Add sensor' }).click();
  await page.getByText('Advanced settings').click();
  const rate = page.getByLabel('Rate (Hz)');
  await rate.fill('0');
  await expect(page.getByText('Enter a whole number from 1 to')).toBeVisible();
  await rate.fill('500');
  await expect(page.getByLabel('Settings', { exact: true })).toHaveValue('own');
  await page.getByLabel('Measurement').selectOption('ACCEL_GYRO');
  await page.getByRole('button', { name: 'Save definition', exact: true }).click();
  await expect(page.getByText('All changes saved')).toBeVisible();
  const { deviceConfigs } = await study.client.call('getDefinition', { params: { studyId: study.studyId } });
  expect(deviceConfigs[0]!.sensorConfig).toMatchObject({
    sensingType: 'MPU_ANALOG',
    afe: { rate: 500, gain: 10 },
    gyro: { mode: 'ACCEL_GYRO', gyroRange: 2000 },
  });
});

test('shows no edit buttons to a coordinator whose role in the study is monitor', async ({ page, site }) => {
  const watched = await ownStudy(site, 'Watched');
  const run = await ownStudy(site, 'Run');
  const { id: userId, email, password } = await addUser(watched, 'COORDINATOR');
  for (const [{ studyId }, role] of [
    [watched, 'MONITOR'],
    [run, 'COORDINATOR'],
  ] as const) {
    await watched.client.call('setStudyMember', { params: { studyId, userId }, body: { role } });
  }
  await page.goto('/');
  await signIn(page, { email, password });
  await page.goto(`/studies/${run.studyId}`);
  await expect(page.getByRole('button', { name: 'Enrol subject' }).first()).toBeVisible();
  await expect(page.getByRole('button', { name: 'Start study' })).toBeVisible();
  await page.goto(`/studies/${watched.studyId}`);
  await expect(page.getByRole('heading', { name: watched.displayName })).toBeVisible();
  await expect(page.getByRole('heading', { name: 'No subjects yet' })).toBeVisible();
  await expect(page.getByRole('button', { name: 'Enrol subject' })).toHaveCount(0);
  await expect(page.getByRole('button', { name: 'Start study' })).toHaveCount(0);
  await page.goto(`/studies/${watched.studyId}/definition`);
  await expect(page.getByText('Read-only. Coordinators and administrators can edit the definition.')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Import definition' })).toHaveCount(0);
  // A link that somebody passed on to a study of others: whom to ask, and a way on.
  const subjectId = site.subjects[0]!.id;
  for (const path of ['', '/definition', `/subjects/${subjectId}/days`]) {
    await page.goto(`/studies/${site.studyId}${path}`);
    await expect(page.getByRole('heading', { name: 'Not found', level: 1 })).toBeVisible();
    await expect(page.getByTestId('error-notice')).toHaveCount(0);
  }
  await page.goto('/equipment/devices');
  await expect(page.getByRole('heading', { name: 'Equipment', level: 1 })).toBeVisible();
  // Devices of other studies are not even counted.
  for (const { displayName } of site.subjects) await expect(page.getByText(displayName)).toHaveCount(0);
  await page.getByRole('link', { name: 'Today', exact: true }).click();
  await expect(page.getByRole('heading', { name: 'Today', level: 1 })).toBeVisible();
});
