import { expect, type Page } from '@playwright/test';
import { signIn, test, watchPage } from '../support/desk.ts';
import { ownStudy } from '../support/study.ts';

const pain = {
  displayName: 'Evening',
  questions: [
    { text: 'Any pain?', type: 'BOOLEAN', values: [], isRequired: true },
    { text: 'How long did you sleep?', type: 'NUMERIC', values: [], unit: 'h' },
    { text: 'Where?', type: 'MULTIPLECHOICE', values: ['Hip', 'Knee'] },
  ],
};

async function openDefinition(page: Page, studyId: string, part: string): Promise<void> {
  await page.goto(`/studies/${studyId}/definition`);
  await page.getByRole('radio', { name: part }).click();
}

async function save(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Save definition', exact: true }).click();
  await expect(page.getByText('All changes saved')).toBeVisible();
}

test('moves surveys and questions by drag and by key, and duplicates them', async ({ page, site }) => {
  const expectNoProblems = watchPage(page);
  const { client, studyId } = await ownStudy(site, 'Reordered');
  const params = { studyId };
  await client.call('putDefinition', {
    params,
    body: { diaries: [{ displayName: 'Morning', questions: [] }, pain, { displayName: 'Weekly', questions: [] }] },
  });
  await page.goto('/');
  await signIn(page, site);
  await openDefinition(page, studyId, 'Surveys');
  const list = page.getByRole('list', { name: 'Surveys' });
  await list.getByRole('button', { name: 'Move Weekly' }).focus();
  await page.keyboard.press('ArrowUp');
  await expect(page.getByText('Weekly moved to place 2 of 3.')).toBeAttached();
  // The focus stays on the handle, for the next step.
  await expect(list.getByRole('button', { name: 'Move Weekly' })).toBeFocused();
  await page.keyboard.press('Home');
  await expect(list.getByRole('listitem').first()).toContainText('Weekly');
  await list.getByRole('button', { name: 'Move Weekly' }).dragTo(list.getByRole('listitem').nth(2));
  await expect(list.getByRole('listitem')).toHaveText([/Morning/, /Evening/, /Weekly/]);

  await list.getByRole('button', { name: /^Evening/ }).click();
  await page.getByRole('button', { name: 'Move Question 2', exact: true }).focus();
  await page.keyboard.press('ArrowDown');
  await expect(page.getByLabel('Question', { exact: true }).nth(1)).toHaveValue('Where?');
  await page
    .getByRole('button', { name: 'Move Question 2', exact: true })
    .dragTo(page.getByRole('group', { name: 'Question 1' }));
  await expect(page.getByLabel('Question', { exact: true }).first()).toHaveValue('Where?');
  await page.getByRole('button', { name: 'Duplicate question 1' }).click();
  await expect(page.getByLabel('Question', { exact: true }).nth(1)).toBeFocused();
  await page.getByRole('button', { name: 'Duplicate survey' }).click();
  await expect(page.getByLabel('Name', { exact: true })).toHaveValue('Evening (copy)');
  await save(page);
  const { diaries } = await client.call('getDefinition', { params });
  expect(diaries.map(({ displayName }) => displayName)).toEqual(['Morning', 'Evening', 'Evening (copy)', 'Weekly']);
  const texts = ['Where?', 'Where?', 'Any pain?', 'How long did you sleep?'];
  expect(diaries[1]!.questions.map(({ text }) => text)).toEqual(texts);
  expect(diaries[2]!.questions.map(({ text }) => text)).toEqual(texts);
  const ids = diaries.flatMap(({ questions }) => questions.map(({ id }) => id));
  expect(new Set(ids).size).toBe(8);
  expectNoProblems();
});

test('previews a survey as the phone asks it', async ({ page, site }) => {
  const expectNoProblems = watchPage(page);
  const { client, studyId } = await ownStudy(site, 'Previewed');
  await client.call('putDefinition', { params: { studyId }, body: { diaries: [pain] } });
  await page.goto('/');
  await signIn(page, site);
  await openDefinition(page, studyId, 'Surveys');
  const phone = page.getByRole('region', { name: 'On the phone' });
  await expect(phone).toContainText('Question 1 of 3');
  // Asked once more before it is skipped.
  await phone.getByRole('button', { name: 'Skip', exact: true }).click();
  await expect(phone).toContainText('The study team would like an answer here.');
  await phone.getByRole('radio', { name: 'Yes' }).check({ force: true });
  await phone.getByRole('button', { name: 'Next' }).click();
  await phone.getByRole('textbox').fill('about eight');
  await phone.getByRole('button', { name: 'Next' }).click();
  await expect(phone).toContainText('Please type a number, such as 36.5.');
  await phone.getByRole('textbox').fill('7,5');
  await phone.getByRole('button', { name: 'Next' }).click();
  // The form leads the preview: what is typed shows at once.
  await page.getByLabel('Question', { exact: true }).nth(2).fill('Where exactly?');
  await expect(phone.getByRole('heading', { name: 'Where exactly?' })).toBeVisible();
  await phone.getByRole('checkbox', { name: 'Knee' }).check({ force: true });
  await phone.getByRole('button', { name: 'Next' }).click();
  await expect(phone).toContainText('7.5 h');
  await expect(phone).toContainText('Knee');
  expectNoProblems();
});

test('fills the program by drag and by key, with the times in its rows', async ({ page, site }) => {
  const expectNoProblems = watchPage(page);
  const { client, studyId } = await ownStudy(site, 'Filled');
  const params = { studyId };
  await client.call('putDefinition', {
    params,
    body: { diaries: [{ displayName: 'Morning' }, { displayName: 'Evening' }, { displayName: 'Weekly' }] },
  });
  await page.goto('/');
  await signIn(page, site);
  await openDefinition(page, studyId, 'Program');
  const cell = (name: string, day: number) => page.getByRole('button', { name: `${name}, day ${day}:` });
  await cell('Morning', 1).hover();
  await page.mouse.down();
  await cell('Morning', 2).hover();
  await cell('Evening', 3).hover();
  await page.mouse.up();
  for (const day of [1, 2, 3])
    for (const name of ['Morning', 'Evening']) await expect(cell(name, day)).toHaveAttribute('aria-pressed', 'true');
  await expect(page.getByText('2 × days 1–3')).toBeVisible();
  await cell('Evening', 3).click();
  await expect(cell('Evening', 3)).toHaveAttribute('aria-pressed', 'false');
  // Weekly like Evening, by key; then its last day for the rest of the week.
  await cell('Evening', 1).focus();
  await page.keyboard.press('Shift+ArrowDown');
  await page.keyboard.press('Shift+ArrowRight');
  await page.keyboard.press('Control+d');
  await expect(cell('Weekly', 2)).toHaveAttribute('aria-pressed', 'true');
  await cell('Weekly', 2).focus();
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('ArrowLeft');
  for (let day = 2; day < 6; day++) await page.keyboard.press('Shift+ArrowRight');
  await page.keyboard.press('Control+r');
  await page.getByLabel('Weekly from').fill('08:00');
  await save(page);
  const { program } = await client.call('getDefinition', { params });
  expect(program!.tasks.map(({ days }) => days)).toEqual([
    [1, 2, 3],
    [1, 2],
    [1, 2, 3, 4, 5, 6],
  ]);
  expect(program!.tasks[2]!.window).toMatchObject({ start: '08:00' });
  expectNoProblems();
});
