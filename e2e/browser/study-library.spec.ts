import { readFile } from 'node:fs/promises';
import { expect } from '@playwright/test';
import { signIn, test, watchPage } from '../support/desk.ts';
import { ownStudy } from '../support/study.ts';

test('adds a scored questionnaire and duplicates the study', async ({ page, site }) => {
  const expectNoProblems = watchPage(page);
  const { studyId, displayName } = await ownStudy(site, 'Library');
  await page.goto('/');
  await signIn(page, site);
  await page.goto(`/studies/${studyId}/definition`);
  await page.getByRole('radio', { name: 'Surveys' }).click();
  await page.getByRole('button', { name: 'Add from library' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Questionnaire').selectOption('phq-9.en');
  await expect(dialog).toContainText('Public domain');
  await expect(dialog).toContainText('Question 9 asks about thoughts of self-harm.');
  await dialog.getByLabel('Questionnaire').selectOption('who-5.ja');
  await expect(dialog).toContainText('CC BY-NC-SA 3.0 IGO');
  await expect(dialog).toContainText('Your own translation is not scored.');
  await dialog.getByLabel('Questionnaire').selectOption('gad-2.en');
  await dialog.getByRole('button', { name: 'Add survey' }).click();
  await expect(page.getByText('Scored as GAD-2')).toBeVisible();
  await page.getByRole('button', { name: 'Save definition', exact: true }).click();
  await expect(page.getByText('All changes saved')).toBeVisible();

  await page.getByRole('button', { name: 'Study', exact: true }).click();
  await page.getByRole('menuitem', { name: 'Duplicate' }).click();
  await expect(dialog.getByLabel('Short name')).toHaveValue(`${displayName} (copy)`);
  await dialog.getByRole('button', { name: 'Create study' }).click();
  await expect(page.getByRole('heading', { name: `${displayName} (copy)` })).toBeVisible();
  await page.getByRole('radio', { name: 'Surveys' }).click();
  await expect(page.getByText('Scored as GAD-2')).toBeVisible();
  // Other choices are no longer the instrument.
  await page.getByLabel('Choices, one per line').first().fill('Never\nAlways');
  await expect(page.getByText('Not scored as GAD-2')).toBeVisible();
  await page.getByRole('button', { name: 'Discard changes' }).click();

  expectNoProblems();
});

test('shows scores at the subject, and their licence in the CSV', async ({ page, site }) => {
  const expectNoProblems = watchPage(page);
  await page.goto('/');
  await signIn(page, site);
  // Only a phone reports tasks; how the site scores them is tested at its interface.
  await page.route('**/task_reports*', async (route) => {
    const response = await route.fetch();
    const answer = (await response.json()) as { items: Record<string, unknown>[] };
    const scores = [{ questionnaireId: 'gad-2.en', name: 'GAD-2', value: 3, min: 0, max: 6, answered: 2, items: 2 }];
    await route.fulfill({ response, json: { ...answer, items: answer.items.map((item) => ({ ...item, scores })) } });
  });
  await page.goto(`/studies/${site.studyId}/subjects/${site.subjects[0]!.id}/tasks`);
  const scores = page.getByRole('region', { name: 'Scores' });
  await expect(scores).toContainText('GAD-2');
  await expect(scores).toContainText('0–6');
  await expect(page.getByText('Research figures, computed from the answers')).toBeVisible();
  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Scores as CSV' }).click();
  const csv = await readFile(await (await download).path(), 'utf8');
  expect(csv).toContain('gad-2.en');
  expect(csv).toContain('Public domain');
  expectNoProblems();
});

test('begins a study with a template', async ({ page, site }) => {
  await ownStudy(site, 'Templates');
  await page.goto('/');
  await signIn(page, site);
  await page.goto('/studies');
  await page.getByRole('button', { name: 'New study' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Short name').fill(`From a template ${Date.now()}`);
  await dialog.getByLabel('Begin with').selectOption({ label: 'Template: ECG and posture, 7 days' });
  await expect(dialog).toContainText('A chest sensor, a posture calibration on the first day');
  await dialog.getByRole('button', { name: 'Create study' }).click();
  await expect(page).toHaveURL(/\/definition$/);
  await expect(page.getByRole('list', { name: 'Activities' })).toContainText('Posture calibration');
});
