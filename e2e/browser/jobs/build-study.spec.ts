/** The main job "build and start a study", by mouse and by keyboard alone; then the phone of a subject has the tasks. */
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, type Page } from '@playwright/test';
import { SimulatedPhone } from '../../../src-server/simulator/phone/phone.ts';
import type { TestLanSite } from '../../../src-server/testing/test-lan-site.ts';
import { TEST_EMAIL, TEST_PASSWORD } from '../../../src-server/testing/test-site.ts';
import { expectAccessible, watchPage } from '../../support/desk.ts';
import { Keyboard } from '../../support/keyboard.ts';
import { test } from '../../support/lan-site.ts';
import { removeFolder } from '../../support/remove-folder.ts';

interface Asked {
  text: string;
  kind: string;
  type: string;
  values: string[];
}

/** One question of each kind. */
const QUESTIONS: readonly Asked[] = [
  { text: 'Where were you?', kind: 'Single choice', type: 'MULTIPLECHOICE', values: ['At home', 'Outdoors'] },
  { text: 'How tired are you?', kind: 'Scale', type: 'RANGE', values: ['1', '7'] },
  { text: 'Did you take it off?', kind: 'Yes or no', type: 'BOOLEAN', values: ['YES', 'NO'] },
  { text: 'Cups of coffee', kind: 'Number', type: 'NUMERIC', values: [] },
  { text: 'When did you get up?', kind: 'Time of day', type: 'TIMEOFDAY', values: [] },
  { text: 'Which drugs?', kind: 'Multiple choice', type: 'MULTIPLECHOICE', values: ['None', 'Other'] },
  { text: 'Last visit?', kind: 'Date', type: 'DATE', values: [] },
  { text: 'Anything else?', kind: 'Text', type: 'FREETEXT', values: [] },
];

/** Enrols a subject into the study on the page, and checks the tasks on the subject's phone. */
async function expectOnPhone(page: Page, lan: TestLanSite): Promise<void> {
  const studyId = /\/studies\/([^/]+)/.exec(page.url())?.[1] ?? '';
  const { deviceConfigs, program } = await lan.client.call('getDefinition', { params: { studyId } });
  expect(deviceConfigs.map(({ physicalConfig }) => [physicalConfig.location, physicalConfig.side])).toEqual([
    ['ANTERIOR_THIGH', 'LEFT'],
  ]);
  expect(program?.days).toBe(10);
  expect(program?.tasks.map(({ type, days }) => [type, days])).toEqual([
    ['activity', [0, 2]],
    ['diary', 'daily'],
  ]);
  const subject = { displayName: 'B-1', timezone: 'Etc/GMT' };
  const { id: subjectId } = await lan.client.call('createSubject', { params: { studyId }, body: subject });
  const { token } = await lan.client.call('createSubjectToken', { params: { studyId, subjectId } });
  const folder = await mkdtemp(join(tmpdir(), 'outpost-phone-'));
  const phone = await SimulatedPhone.open({ folder, clock: () => Date.now() + lan.clock.aheadMs });
  try {
    await phone.signIn(lan.lanUrl, token, lan.site.lan.fingerprint);
    const { isRunning, tasks: today } = await phone.today();
    expect(isRunning).toBe(true);
    expect(today.map(({ displayName }) => displayName)).toEqual(['Stand up', 'Evening']);
    const [activity, diary] = await phone.tasks();
    expect(activity).toMatchObject({ type: 'activity', displayName: 'Stand up', durationSec: 120 });
    expect(diary?.questions).toMatchObject(QUESTIONS.map(({ text, type, values }) => ({ text, type, values })));
  } finally {
    phone.close();
    await removeFolder(folder);
  }
}

test.describe.configure({ timeout: 180_000 });

test('by mouse: defines tasks with every question type, a sensor and a program, and locks them once started', async ({
  desk,
  lan,
}) => {
  const expectNoProblems = watchPage(desk);
  await desk.getByRole('link', { name: 'Studies', exact: true }).first().click();
  await desk.getByRole('button', { name: 'New study' }).click();
  await desk.getByRole('textbox', { name: 'Short name' }).fill('Built by mouse');
  await desk.getByRole('button', { name: 'Create study' }).click();
  await expect(desk.getByRole('heading', { name: 'Built by mouse', level: 1 })).toBeVisible();

  await desk.getByRole('button', { name: 'Add activity' }).click();
  await desk.getByRole('textbox', { name: 'Name' }).fill('Stand up');
  await desk.getByRole('textbox', { name: 'Duration (s)' }).fill('120');
  await desk.getByRole('radio', { name: 'Surveys' }).click();
  await desk.getByRole('button', { name: 'Add survey' }).click();
  await desk.getByRole('textbox', { name: 'Name' }).fill('Evening');
  for (const [index, { text, kind, type, values }] of QUESTIONS.entries()) {
    await desk.getByRole('button', { name: 'Add question' }).click();
    const question = desk.getByRole('group', { name: `Question ${index + 1}` });
    await question.getByRole('textbox', { name: 'Question' }).fill(text);
    await question.getByRole('combobox', { name: 'Answer type' }).selectOption({ label: kind });
    if (type === 'MULTIPLECHOICE') {
      await desk.getByRole('button', { name: 'Save definition', exact: true }).click();
      await expect(desk.getByRole('button', { name: 'Surveys: Evening' })).toBeVisible();
      await expect(desk.getByText('Enter at least one choice.').first()).toBeVisible();
      await question.getByRole('textbox', { name: 'Choices, one per line' }).fill(values.join('\n'));
    }
    if (type === 'RANGE') {
      await question.getByRole('textbox', { name: 'Lowest' }).fill(values[0] ?? '');
      await question.getByRole('textbox', { name: 'Highest' }).fill(values[1] ?? '');
    }
  }
  await desk.getByRole('radio', { name: 'Sensors' }).click();
  await desk.getByRole('button', { name: 'Add sensor' }).click();
  await desk.getByRole('button', { name: 'Thigh, front', exact: true }).click();
  await desk.getByRole('combobox', { name: 'Side' }).selectOption({ label: 'Left' });
  await desk.getByRole('combobox', { name: 'Settings' }).selectOption({ label: 'Movement, everyday' });
  await desk.getByRole('radio', { name: 'Program' }).click();
  await desk.getByRole('textbox', { name: 'Length (days)' }).fill('10');
  await desk.getByRole('button', { name: 'Stand up, day 0: not due' }).click();
  await desk.getByRole('button', { name: 'Stand up, day 2: not due' }).click();
  await desk.getByRole('checkbox', { name: 'Evening every day' }).check();
  await desk.getByRole('link', { name: 'Overview' }).click();
  await expect(desk.getByRole('dialog', { name: 'Leave without saving?' })).toBeVisible();
  await desk.getByRole('button', { name: 'Cancel' }).click();
  await desk.getByRole('button', { name: 'Save definition', exact: true }).click();
  await expect(desk.getByText('All changes saved')).toBeVisible();
  await expect(desk.getByRole('button', { name: 'Stand up, day 2: due' })).toBeVisible();
  await expectAccessible(desk);

  await desk.getByRole('button', { name: 'Start study' }).click();
  const dialog = desk.getByRole('dialog');
  await expect(dialog.getByText('you can add tasks, questions, sensors and days')).toBeVisible();
  await expect(dialog.getByText('No subjects enrolled yet')).toBeVisible();
  await dialog.getByRole('button', { name: 'Start study' }).click();
  await expect(desk.getByText('Running', { exact: true })).toBeVisible();
  await expect(desk.getByRole('button', { name: 'Stand up, day 2: due, locked' })).toBeVisible();
  await desk.getByRole('radio', { name: 'Activities' }).click();
  await expect(desk.getByText("Locked: tasks can't be removed while the study is running.")).toBeVisible();
  await expectOnPhone(desk, lan);
  expectNoProblems();
});

test('by keyboard alone', async ({ page, lan }) => {
  const keys = await Keyboard.at(page);
  const expectNoProblems = watchPage(page);
  await page.goto('/');
  await keys.signIn({ email: TEST_EMAIL, password: TEST_PASSWORD });
  await keys.press('Alt+2');
  await expect(page.getByRole('heading', { name: 'Studies', level: 1 })).toBeVisible();
  await keys.command('New study');
  await expect(page.getByRole('textbox', { name: 'Short name' })).toBeFocused();
  await keys.type('Built by keys');
  await keys.press('Enter');
  await expect(page.getByRole('heading', { name: 'Built by keys', level: 1 })).toBeVisible();

  await keys.activate(page.getByRole('button', { name: 'Add activity' }));
  await expect(page.getByRole('textbox', { name: 'Name' })).toBeFocused();
  await keys.type('Stand up');
  await keys.write(page.getByRole('textbox', { name: 'Duration (s)' }), '120');
  await keys.pick(page.getByRole('radio', { name: 'Surveys' }));
  await keys.activate(page.getByRole('button', { name: 'Add survey' }));
  await expect(page.getByRole('textbox', { name: 'Name' })).toBeFocused();
  await keys.type('Evening');
  for (const [index, { text, kind, type, values }] of QUESTIONS.entries()) {
    await keys.activate(page.getByRole('button', { name: 'Add question' }));
    const question = page.getByRole('group', { name: `Question ${index + 1}` });
    await expect(question.getByRole('textbox', { name: 'Question' })).toBeFocused();
    await keys.type(text);
    await keys.choose(question.getByRole('combobox', { name: 'Answer type' }), kind);
    if (type === 'MULTIPLECHOICE') {
      await keys.press('Tab');
      await expect(question.getByRole('textbox', { name: 'Choices, one per line' })).toBeFocused();
      for (const [line, value] of values.entries()) {
        if (line > 0) await keys.press('Enter');
        await keys.type(value);
      }
    }
    if (type === 'RANGE') {
      await keys.write(question.getByRole('textbox', { name: 'Lowest' }), values[0] ?? '');
      await keys.write(question.getByRole('textbox', { name: 'Highest' }), values[1] ?? '');
    }
  }
  await keys.pick(page.getByRole('radio', { name: 'Sensors' }));
  await keys.activate(page.getByRole('button', { name: 'Add sensor' }));
  await keys.choose(page.getByRole('combobox', { name: 'Placement' }), 'Thigh, front');
  await keys.choose(page.getByRole('combobox', { name: 'Side' }), 'Left');
  await keys.choose(page.getByRole('combobox', { name: 'Settings' }), 'Movement, everyday');
  await keys.pick(page.getByRole('radio', { name: 'Program' }));
  await keys.write(page.getByRole('textbox', { name: 'Length (days)' }), '10');
  await keys.tabTo(page.getByRole('button', { name: 'Stand up, day 0: not due' }));
  await keys.press('Space', 'ArrowRight', 'ArrowRight', 'Space');
  await expect(page.getByRole('button', { name: 'Stand up, day 2: due' })).toBeFocused();
  await keys.tabTo(page.getByRole('checkbox', { name: 'Evening every day' }));
  await keys.press('Space');
  await keys.press('ControlOrMeta+Enter');
  await expect(page.getByText('All changes saved')).toBeVisible();

  await keys.command('Start study');
  const dialog = page.getByRole('dialog', { name: 'Start Built by keys?' });
  await expect(dialog).toBeVisible();
  await keys.activate(dialog.getByRole('button', { name: 'Start study' }));
  await expect(page.getByText('Running', { exact: true })).toBeVisible();
  await expectOnPhone(page, lan);
  keys.expectNoMouse();
  expectNoProblems();
});
