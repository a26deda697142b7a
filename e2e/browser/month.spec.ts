/**
 * A study of forty subjects over a simulated month, by clicking: defined, planned, enrolled from a table, followed and closed.
 */
import { expect, test } from '@playwright/test';
import { Coordinator } from '../support/coordinator.ts';
import { expectAccessible } from '../support/desk.ts';
import { MonthSite } from '../support/month-site.ts';
import { removeFolder } from '../support/remove-folder.ts';

const STUDY = 'Heart at home';
const SUBJECTS = 40;
const GROUPS = ['Intervention', 'Control'] as const;
const VISITS = [
  { name: 'Baseline', day: 0 },
  { name: 'Week 1', day: 7 },
  { name: 'Week 2', day: 14 },
  { name: 'Week 4', day: 27 },
] as const;

const nameOf = (number: number) => `M-${String(number).padStart(2, '0')}`;

/** The table of the clinic: every third subject lives in Tokyo, the last two are in no group, and one row is a test. */
function tableOfSubjects(): string {
  const rows = Array.from({ length: SUBJECTS }, (_, index) => {
    const number = index + 1;
    const group = number > SUBJECTS - 2 ? '' : GROUPS[index % 2];
    return [
      nameOf(number),
      30 + number,
      index % 2 === 0 ? 'f' : 'm',
      number % 3 === 0 ? 'Asia/Tokyo' : 'UTC',
      group,
      '',
    ];
  });
  const lines = [...rows, ['M-TEST', '', '', 'UTC', '', 'yes']].map((cells) => cells.join(';'));
  return ['Participant;Age;Sex;Time zone;Group;Test', ...lines].join('\r\n');
}

let month: MonthSite;

test.beforeAll(async () => {
  month = await MonthSite.create();
});
test.afterAll(async () => {
  await removeFolder(await month.end());
});

async function defineStudy(coordinator: Coordinator): Promise<void> {
  const { page, dialog } = coordinator;
  await page.getByRole('link', { name: 'Studies', exact: true }).first().click();
  await coordinator.press('New study');
  await dialog.getByRole('textbox', { name: 'Short name' }).fill(STUDY);
  await coordinator.press('Create study', dialog);
  await expect(page.getByRole('heading', { name: STUDY, level: 1 })).toBeVisible();
  await coordinator.choose('Surveys');
  await coordinator.press('Add survey');
  await page.getByRole('textbox', { name: 'Name' }).fill('Evening');
  await coordinator.press('Add question');
  const question = page.getByRole('group', { name: 'Question 1' });
  await question.getByRole('textbox', { name: 'Question' }).fill('Did you take it off?');
  await question.getByRole('combobox', { name: 'Answer type' }).selectOption({ label: 'Yes or no' });
  await coordinator.choose('Sensors');
  await coordinator.press('Add sensor');
  await page.getByRole('combobox', { name: 'Placement' }).selectOption({ label: 'Thigh, front' });
  await page.getByRole('combobox', { name: 'Side' }).selectOption({ label: 'Right' });
  await page.getByRole('combobox', { name: 'Settings' }).selectOption({ label: 'Movement, everyday' });
  await coordinator.choose('Program');
  await page.getByRole('textbox', { name: 'Length (days)' }).fill('28');
  await page.getByRole('checkbox', { name: 'Evening every day' }).check();
  await coordinator.choose('Data quality');
  await page.getByRole('textbox', { name: 'Wear from which a day is valid (h)' }).fill('1');
  await coordinator.press('Save definition');
  await expect(page.getByText('All changes saved')).toBeVisible();
}

async function planVisits(coordinator: Coordinator): Promise<void> {
  const { page } = coordinator;
  await coordinator.tab('Plan');
  for (const [index, name] of GROUPS.entries()) {
    await coordinator.press('Add group');
    await page.getByRole('textbox', { name: `Group ${index + 1}` }).fill(name);
  }
  for (const { name, day } of VISITS) {
    await coordinator.press('Add visit');
    await page.getByRole('textbox', { name: 'Name' }).last().fill(name);
    const entry = page.getByRole('group', { name, exact: true });
    await entry.getByRole('textbox', { name: 'Day', exact: true }).fill(String(day));
    await entry.getByRole('textbox', { name: 'Window before (days)' }).fill('2');
    await entry.getByRole('textbox', { name: 'Window after (days)' }).fill('2');
  }
  await coordinator.press('Save plan');
  await expect(page.getByText('Plan saved')).toBeVisible();
}

async function enrol(coordinator: Coordinator): Promise<void> {
  const { page, dialog } = coordinator;
  await coordinator.tab('Subjects');
  await coordinator.press('Enrol from a table (CSV)');
  const choose = dialog.locator('input[type="file"]');
  const file = (text: string) => ({ name: 'subjects.csv', mimeType: 'text/csv', buffer: Buffer.from(text) });
  const table = tableOfSubjects();
  await choose.setInputFiles(file(table.replace(/Control(?=[^]*M-03)/, 'Contral')));
  await expect(dialog.getByTestId('row-counts')).toHaveText(`${SUBJECTS} new rows and 1 refused row`);
  await expect(dialog).toContainText('The plan of the study has no group called “Contral”.');
  await choose.setInputFiles(file(table));
  await expect(dialog.getByTestId('row-counts')).toHaveText(`${SUBJECTS + 1} new rows`);
  await coordinator.submit(`Enrol ${SUBJECTS + 1} subjects`);
  await expect(page.getByRole('link', { name: nameOf(SUBJECTS), exact: true })).toBeVisible();
}

async function startStudy(coordinator: Coordinator): Promise<void> {
  await coordinator.press('Start study');
  await coordinator.submit('Start study');
  await expect(coordinator.page.getByText('Running', { exact: true })).toBeVisible();
}

test('follows forty subjects through a month', async ({ browser }) => {
  test.setTimeout(400_000);
  const onDay = async (day: number, name: string, work: (coordinator: Coordinator) => Promise<void>) =>
    await test.step(`day ${day}: ${name}`, async () => {
      await month.open(day);
      const coordinator = await Coordinator.arrives(browser, month);
      await work(coordinator);
      await coordinator.leaves();
    });

  await onDay(0, 'set up and enrol', async (coordinator) => {
    await defineStudy(coordinator);
    await planVisits(coordinator);
    await expectAccessible(coordinator.page);
    await enrol(coordinator);
    await startStudy(coordinator);
    for (const number of [1, 2, 3, 4, 5, 6]) {
      await coordinator.openToday();
      await coordinator.followVisit(nameOf(number), 'Baseline');
      await coordinator.visitDone('Baseline');
    }
  });

  await onDay(3, 'late baselines', async (coordinator) => {
    for (const number of [7, 8]) {
      await coordinator.openToday();
      await coordinator.followVisit(nameOf(number), 'Baseline');
      await coordinator.visitMissed('Baseline', 'Did not come');
      await coordinator.scheduleVisit('Schedule', 'Week 1', month.date(8), '10:30');
    }
  });
});
