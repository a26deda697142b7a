/**
 * Questions from the definition to the export: the desk defines requested, conditional, multiple-choice, date, number and text questions, a
 * subject answers them in the phone app, and the desk and an archive have the answers.
 */
import { type Browser, devices, expect, type Page } from '@playwright/test';
import type { TestLanSite } from '../../../src-server/testing/test-lan-site.ts';
import { allJobsEnd } from '../../../src-server/testing/test-site.ts';
import { csvRecords, zipContents } from '../../../src-server/testing/zip-contents.ts';
import { expectAccessible, watchPage } from '../../support/desk.ts';
import { test } from '../../support/lan-site.ts';

const { defaultBrowserType: _browser, ...PHONE } = devices['Pixel 7'];
const FALL = 'Did you fall?';
const DAY = 'On which day?';
const PAIN = 'Where does it hurt?';
const WEIGHT = 'Your weight?';
const NOTE = 'Anything else?';

test.describe.configure({ timeout: 180_000 });

async function addQuestion(desk: Page, number: number, text: string, kind: string) {
  await desk.getByRole('button', { name: 'Add question' }).click();
  const question = desk.getByRole('group', { name: `Question ${number}`, exact: true });
  await question.getByRole('textbox', { name: 'Question' }).fill(text);
  await question.getByRole('combobox', { name: 'Answer type' }).selectOption({ label: kind });
  return question;
}

/** Defines the study on the desk and starts it; answers its id. */
async function defineStudy(desk: Page): Promise<string> {
  await desk.getByRole('link', { name: 'Studies', exact: true }).first().click();
  await desk.getByRole('button', { name: 'New study' }).click();
  await desk.getByRole('textbox', { name: 'Short name' }).fill('Falls');
  await desk.getByRole('button', { name: 'Create study' }).click();
  await desk.getByRole('radio', { name: 'Surveys' }).click();
  await desk.getByRole('button', { name: 'Add survey' }).click();
  await desk.getByRole('textbox', { name: 'Name' }).fill('Evening');

  const fall = await addQuestion(desk, 1, FALL, 'Yes or no');
  await fall.getByRole('checkbox', { name: 'Answer requested' }).check();
  await expect(fall.getByRole('combobox', { name: 'Ask this question' })).toHaveCount(0);
  const day = await addQuestion(desk, 2, DAY, 'Date');
  await day
    .getByRole('combobox', { name: 'Ask this question' })
    .selectOption({ label: `Depending on question 1: ${FALL}` });
  await desk.getByRole('button', { name: 'Save definition', exact: true }).click();
  await expect(desk.getByText('Choose an earlier question with choices or yes/no').first()).toBeVisible();
  await day.getByRole('checkbox', { name: 'Yes', exact: true }).check();
  const pain = await addQuestion(desk, 3, PAIN, 'Multiple choice');
  await pain.getByRole('textbox', { name: 'Choices, one per line' }).fill('Hip\nKnee\nHead');
  const weight = await addQuestion(desk, 4, WEIGHT, 'Number');
  await weight.getByRole('textbox', { name: 'Unit' }).fill('kg');
  await addQuestion(desk, 5, NOTE, 'Text');
  await expectAccessible(desk);

  await desk.getByRole('radio', { name: 'Program' }).click();
  await desk.getByRole('textbox', { name: 'Length (days)' }).fill('10');
  await desk.getByRole('checkbox', { name: 'Evening every day' }).check();
  await desk.getByRole('button', { name: 'Save definition', exact: true }).click();
  await expect(desk.getByText('All changes saved')).toBeVisible();
  await desk.getByRole('button', { name: 'Start study' }).click();
  await desk.getByRole('dialog').getByRole('button', { name: 'Start study' }).click();
  await expect(desk.getByText('Running', { exact: true })).toBeVisible();
  return /\/studies\/([^/]+)/.exec(desk.url())?.[1] ?? '';
}

/** Answers the survey in the phone app: first after a fall, then changed to none. */
async function answerOnPhone(browser: Browser, lan: TestLanSite, token: string): Promise<void> {
  const context = await browser.newContext({ ...PHONE, ignoreHTTPSErrors: true, locale: 'en-US' });
  const phone = await context.newPage();
  const asked = (text: string) => expect(phone.getByRole('heading', { name: text })).toBeVisible();
  const tap = (name: string) => phone.getByRole('button', { name, exact: true }).click();
  const expiry = Math.round(Date.now() / 1000) + 3600;
  await phone.goto(`${lan.lanUrl}/phone#1&s=site&n=Harbour&t=${token}&e=${expiry}`);
  await tap('Sign in');
  await tap('Yes, this is right');
  await tap('Begin Evening');

  await asked(FALL);
  await expect(phone.getByText('Question 1 of 4', { exact: true })).toBeVisible();
  await tap('Skip');
  await expect(phone.getByText('The study team would like an answer here.')).toBeVisible();
  await asked(FALL);
  await phone.getByRole('radio', { name: 'Yes' }).check({ force: true });
  await expect(phone.getByText('Question 1 of 5', { exact: true })).toBeVisible();
  await tap('Next');
  await asked(DAY);
  await tap('Today');
  await tap('Next');
  await asked(PAIN);
  for (const name of ['Head', 'Hip']) await phone.getByRole('checkbox', { name }).check({ force: true });
  await tap('Next');
  await asked(WEIGHT);
  await phone.getByRole('textbox', { name: `${WEIGHT} (kg)` }).fill('71,5');
  await tap('Next');
  await asked(NOTE);
  await tap('Skip');

  await asked('Check your answers');
  const rows = phone.getByRole('main').getByRole('listitem');
  await expect(rows).toHaveCount(5);
  await expect(rows.nth(3)).toContainText('71.5 kg');
  await rows.nth(0).getByRole('link').click();
  await phone.getByRole('radio', { name: 'No' }).check({ force: true });
  await tap('Next');
  // Passes over the day of a fall that was none.
  await asked(PAIN);
  await phone.getByRole('button', { name: 'All questions' }).click();
  await expect(phone.getByRole('listitem').filter({ hasText: DAY })).toHaveCount(0);
  await tap('Check and send');
  await expect(rows).toHaveCount(4);
  await tap('Send');
  await expect(phone.getByText('Sent', { exact: true })).toBeVisible();
  await context.close();
}

test('questions of many types reach the phone, and their answers the desk and an archive', async ({
  browser,
  desk,
  lan,
}) => {
  const expectNoProblems = watchPage(desk);
  const studyId = await defineStudy(desk);
  const subject = { displayName: 'Q-1', timezone: 'Etc/GMT' };
  const { id: subjectId } = await lan.client.call('createSubject', { params: { studyId }, body: subject });
  const { token } = await lan.client.call('createSubjectToken', { params: { studyId, subjectId } });
  await answerOnPhone(browser, lan, token);

  await desk.goto(`/studies/${studyId}/subjects/${subjectId}/labels`);
  await expect(desk.getByRole('row').filter({ hasText: WEIGHT })).toContainText('71.5 kg');
  await expect(desk.getByRole('row').filter({ hasText: FALL })).toContainText('No');
  await expect(desk.getByRole('row').filter({ hasText: PAIN })).toHaveCount(2);
  await expect(desk.getByRole('row').filter({ hasText: DAY })).toHaveCount(0);

  const params = { studyId };
  const { id: exportId } = await lan.client.call('requestStudyExport', { params, body: { format: 'ARCHIVE' } });
  await allJobsEnd(lan.client);
  const { href } = await lan.client.call('getStudyExportFile', { params: { studyId, exportId } });
  const members = await zipContents(Buffer.from(await (await fetch(href)).arrayBuffer()));
  const table = (name: string) => csvRecords(String([...members].find(([path]) => path.endsWith(name))?.[1] ?? ''));
  const questions = table('questions.csv');
  const answers = table('annotations.csv').filter(({ type }) => type === 'question');
  const textOf = (id: string | undefined) => questions.find((question) => question.id === id)?.text;
  expect(answers.map(({ questionId, value, unit }) => [textOf(questionId), value, unit]).sort()).toEqual(
    [
      [FALL, 'NO', ''],
      [PAIN, 'Hip', ''],
      [PAIN, 'Head', ''],
      [WEIGHT, '71.5', 'kg'],
    ].sort(),
  );
  const task = table('annotations.csv').find(({ type }) => type === 'diary');
  expect(textOf(task?.skippedQuestionIds)).toBe(NOTE);
  expect(questions.find(({ text }) => text === DAY)).toMatchObject({ type: 'DATE', showIfValues: '["YES"]' });
  expectNoProblems();
});
