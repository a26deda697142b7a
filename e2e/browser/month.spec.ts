/**
 * A study of forty subjects over a simulated month, by clicking only: defined, planned, enrolled from a table, followed with visits,
 * no-shows, calls, follow-ups, queries, consents and withdrawals, and closed. Recordings and surveys come over the interfaces of devices.
 *
 * After the first week, after seventeen days and at the end, every number on these boards equals a plain count over a copy of the store:
 * - Today: items in all and under each heading, with whom and what each names (overdue by how many days, how many queries, messages, days
 *   without data or tasks), and what arrived in the last 24 hours.
 * - Studies: subjects and recordings. Overview: subjects, tasks done and due, recordings and their hours, faults; the tasks and the hours
 *   worn of each subject on each day; recordings per day.
 * - Subjects: hours, days and recordings of each; rows under each filter and group.
 * - Data quality: who is at risk and why; days with data, valid days, wear and tasks of each subject and of each week; weeks on target;
 *   faults.
 * - Queries: by state, open and answered in all and per subject. Notes: notes, calls, open follow-ups.
 * - Board: subjects, days, missing and partial days, mean and deviation of wear and steps by group.
 * - Status and visits of some subjects: status, consent, group, each visit with its window, state and date, and steps in the history.
 */
import { expect, test } from '@playwright/test';
import { Coordinator } from '../support/coordinator.ts';
import { expectAccessible } from '../support/desk.ts';
import { Boards } from '../support/month-boards.ts';
import { Counts } from '../support/month-counts.ts';
import { MonthSite } from '../support/month-site.ts';
import { removeFolder } from '../support/remove-folder.ts';
import { EMPTY_SITE_ADMIN } from '../support/sites.ts';

const STUDY = 'Heart at home';
const SUBJECTS = 40;
const GROUPS = ['Intervention', 'Control'] as const;
const VISITS = [
  { name: 'Baseline', day: 0 },
  { name: 'Week 1', day: 7 },
  { name: 'Week 2', day: 14 },
  { name: 'Week 4', day: 27 },
] as const;

/** Of items of Today that are about the site itself. */
const SITE_HEADINGS = ['Backup overdue'];

/** As the desk writes a mean of wear. */
const wornText = (seconds: number): string => {
  const minutes = Math.round(seconds / 60);
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
};

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
  await choose.setInputFiles(file(table.replace('Control', 'Contral')));
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

/** Every number on every board, against a count in a copy of the store. */
async function compareBoards(
  coordinator: Coordinator,
  day: number,
  { subjects, isOver = false }: { subjects: readonly string[]; isOver?: boolean },
): Promise<void> {
  const { page } = coordinator;
  const boards = new Boards(coordinator);
  await month.analysed();
  const study = await month.studyId();
  const store = await month.copyOfStore(`day-${day}`);
  const counts = new Counts(store, { study, now: month.clock(), today: month.date(day) });
  /** A board that is still loading shows less. */
  const compare = async <T>(read: () => Promise<T>, counted: (read: T) => T) =>
    await expect(async () => {
      const shown = await read();
      expect<unknown>(shown).toEqual(counted(shown));
    }).toPass({ timeout: 20_000 });

  await test.step('Today', async () => {
    await coordinator.openToday();
    await compare(
      () => boards.attention(),
      ({ items }) => {
        const own = counts.attention();
        // What the site says of itself, such as a backup, is no item of a study.
        const ofSite = Object.fromEntries(Object.entries(items).filter(([heading]) => SITE_HEADINGS.includes(heading)));
        const all = { ...own, ...ofSite };
        const count = Object.values(all).flat().length;
        return { title: count === 1 ? '1 item needs attention' : `${count} items need attention`, items: all };
      },
    );
    await compare(
      () => boards.arrivals(),
      () => counts.arrivals(),
    );
  });
  await test.step('Studies and overview', async () => {
    await page.getByRole('link', { name: 'Studies', exact: true }).first().click();
    await compare(
      () => boards.studies(),
      () => counts.studies(),
    );
    await coordinator.openStudy(STUDY);
    await compare(
      () => boards.tiles(),
      () => counts.tiles(),
    );
    await compare(
      () => boards.grid(),
      ({ dates }) => ({ dates, rows: counts.taskCells(dates), recordings: counts.recordingsPerDay(dates) }),
    );
    await coordinator.choose('Hours worn');
    await compare(
      () => boards.grid(),
      ({ dates }) => ({ dates, rows: counts.wearCells(dates), recordings: counts.recordingsPerDay(dates) }),
    );
  });
  await test.step('Subjects', async () => {
    await coordinator.tab('Subjects');
    await compare(
      () => boards.listed(),
      () => counts.listed(),
    );
    const filters = counts.filters();
    await compare(
      () => boards.filters(Object.keys(filters)),
      () => filters,
    );
  });
  await test.step('Data quality', async () => {
    await coordinator.tab('Data quality');
    await compare(
      () => boards.quality(),
      () => counts.quality(),
    );
    await compare(
      () => boards.weeks(),
      () => counts.weeks(),
    );
    await compare(
      () => boards.faults(),
      () => counts.faults(),
    );
  });
  await test.step('Queries and notes', async () => {
    await coordinator.tab('Queries');
    await compare(
      () => boards.queries(),
      () => counts.queries(),
    );
    await coordinator.tab('Notes');
    await compare(
      () => boards.notes(),
      () => counts.notes(),
    );
  });
  await test.step('Board', async () => {
    await coordinator.tab('Board');
    await page.getByRole('combobox', { name: 'Compare by' }).selectOption('Groups');
    const dates = counts.boardDates(isOver);
    await compare(
      () => boards.comparison('Worn'),
      () => counts.comparison('SENSOR_WEAR_DURATION', dates, (seconds) => wornText(seconds)),
    );
    await compare(
      () => boards.comparison('Steps'),
      () => counts.comparison('MOVING_STEPS', dates, (steps) => `${Math.round(steps).toLocaleString('en-US')} steps`),
    );
  });
  for (const name of subjects) {
    await test.step(`Status and visits of ${name}`, async () => {
      await coordinator.openSubject(name, 'Status and visits');
      await compare(
        () => boards.participation(),
        () => counts.participation(name),
      );
    });
  }
  await expectAccessible(page);
  counts.close();
}

interface Worn {
  subject: string;
  day: number;
  hour: number;
  hours: number;
}

/** What the recorders hold of these days: three subjects wear one on most days, ten now and then; some days are whole. */
function recordingsOf(days: readonly number[]): Worn[] {
  return days.flatMap((day) =>
    Array.from({ length: 13 }, (_, index) => index + 1).flatMap((number): Worn[] => {
      const subject = nameOf(number);
      if (WHOLE_DAYS.some(([one, on]) => one === number && on === day)) return [{ subject, day, hour: 0, hours: 17 }];
      const isWorn = number <= 3 ? day % 7 !== 5 : (number + day) % 5 === 0;
      return isWorn ? [{ subject, day, hour: 6, hours: 1 + (number % 3) / 2 }] : [];
    }),
  );
}

/** Number of a subject who lives in UTC, and a day worn for 17 hours. */
const WHOLE_DAYS = [
  [1, 2],
  [1, 3],
  [2, 2],
  [4, 11],
  [5, 10],
  [10, 9],
] as const;

const span = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, index) => first + index);

async function signInPhones(coordinator: Coordinator): Promise<void> {
  for (const number of [1, 2, 3]) {
    const name = nameOf(number);
    await month.signInPhone(name, await coordinator.tokenFor(name));
    await expect(coordinator.dialog.getByText(`Phone of ${name} signed in.`)).toBeVisible();
    await coordinator.submit('Close');
  }
}

/** Works through visits from Today, one subject after the other. */
async function visits(
  coordinator: Coordinator,
  visit: string,
  numbers: readonly number[],
  act: (name: string) => Promise<void>,
): Promise<void> {
  for (const number of numbers) {
    await coordinator.openToday();
    await coordinator.followVisit(nameOf(number), visit);
    await act(nameOf(number));
  }
}

async function addConsentForm(coordinator: Coordinator, index: number, version: string): Promise<void> {
  await coordinator.openStudy(STUDY);
  await coordinator.tab('Plan');
  await coordinator.press('Add version');
  await coordinator.page.getByRole('textbox', { name: `Version ${index}` }).fill(version);
  await coordinator.press('Save plan');
  await expect(coordinator.page.getByText('Plan saved')).toBeVisible();
}

async function closeStudy(coordinator: Coordinator): Promise<void> {
  const { page, dialog } = coordinator;
  await coordinator.openStudy(STUDY);
  await coordinator.press('Stop study');
  await coordinator.submit('Stop study');
  await expect(page.getByText('Complete', { exact: true }).first()).toBeVisible();
  await coordinator.press('Study');
  await page.getByRole('menuitem', { name: 'Lock study' }).click();
  await dialog.getByRole('textbox', { name: 'Reason' }).fill('All data is in.');
  await dialog.getByLabel(/password/i).fill(EMPTY_SITE_ADMIN.password);
  await expectAccessible(page);
  await coordinator.submit('Lock study');
  await expect(page.getByText(/locked/i).first()).toBeVisible();
}

test('follows forty subjects through a month', async ({ browser }) => {
  // A busy machine took more than six minutes.
  test.setTimeout(600_000);
  const onDay = async (day: number, name: string, work: (coordinator: Coordinator) => Promise<void>) =>
    await test.step(`day ${day}: ${name}`, async () => {
      await month.open(day);
      const coordinator = await Coordinator.arrives(browser, month);
      await work(coordinator);
      await coordinator.leaves();
    });

  await onDay(0, 'set up, enrol and start', async (coordinator) => {
    await defineStudy(coordinator);
    await planVisits(coordinator);
    await expectAccessible(coordinator.page);
    await enrol(coordinator);
    await startStudy(coordinator);
    await visits(coordinator, 'Baseline', span(1, 4), () => coordinator.visitDone('Baseline'));
    await signInPhones(coordinator);
  });

  await onDay(2, 'late baselines, no-shows and calls', async (coordinator) => {
    await visits(coordinator, 'Baseline', span(5, 8), () => coordinator.visitDone('Baseline', month.date(1)));
    await visits(coordinator, 'Baseline', [15, 16], async () => {
      await coordinator.visitMissed('Baseline', 'Did not come');
      await coordinator.note('No answer.', { kind: 'Call, no contact', followUp: month.date(6) });
    });
    await visits(coordinator, 'Week 1', [1, 3, 4], async (name) => {
      const day = name < nameOf(3) ? 7 : 8;
      await coordinator.scheduleVisit('Schedule', 'Week 1', month.date(day), '10:30');
    });
    await coordinator.importFile(nameOf(1), month.recording(0, 6, 1.5));
    await coordinator.openStudy(STUDY);
    await coordinator.note('Straps arrive on Friday.', { followUp: month.date(5) });
  });

  await onDay(7, 'first week', async (coordinator) => {
    await month.send(nameOf(1), span(0, 7));
    await month.send(nameOf(2), [0, 2, 4, 6]);
    await month.send(nameOf(3), [0, 1, 2], 'The strap is loose.');
    await month.import(recordingsOf(span(0, 6)).filter(({ subject, day }) => subject !== nameOf(1) || day > 0));
    await compareBoards(coordinator, 7, { subjects: [nameOf(1), nameOf(15)] });
    await visits(coordinator, 'Week 1', [1, 2, 5], () => coordinator.visitDone('Week 1'));
    await visits(coordinator, 'Week 1', [11, 12], () => coordinator.visitMissed('Week 1', 'Did not come'));
    await visits(coordinator, 'Week 1', [4], () =>
      coordinator.scheduleVisit('Move', 'Week 1', month.date(10), '08:15'),
    );
    await expectAccessible(coordinator.page);
    for (const [number, text] of [
      [1, 'Why only an hour?'],
      [2, 'Was the recorder changed?'],
      [4, 'Is this the right thigh?'],
    ] as const)
      await coordinator.openQuery(nameOf(number), text);
    await coordinator.openToday();
    await coordinator.page.getByRole('link', { name: /^Open note: M-15/ }).click();
    await coordinator.press('Follow-up done: No answer.');
    await expect(coordinator.page.getByText(/^Followed up by/)).toBeVisible();
    await coordinator.openSubject(nameOf(20), 'Status and visits');
    await coordinator.withdraw('Moved away', 'Keep all data');
  });

  await onDay(14, 'consents and queries', async (coordinator) => {
    await addConsentForm(coordinator, 1, '1.0');
    for (const number of span(1, 4)) {
      await coordinator.openToday();
      await coordinator.page.getByRole('link', { name: new RegExp(`^Record consent: ${nameOf(number)}\\.`) }).click();
      await coordinator.consent('1.0');
    }
    await coordinator.openStudy(STUDY);
    await coordinator.tab('Queries');
    await coordinator.queryStep('Answer', 'Why only an hour?', 'It was charging.', 'ANSWERED');
    await coordinator.queryStep('Answer', 'Was the recorder changed?', 'Yes, on Tuesday.', 'ANSWERED');
    await coordinator.queryStep('Resolve', 'Was the recorder changed?', '', 'RESOLVED');
    await visits(coordinator, 'Week 2', [1, 2, 3], () => coordinator.visitDone('Week 2'));
    await visits(coordinator, 'Week 2', [7], () => coordinator.visitMissed('Week 2'));
  });

  await onDay(17, 'withdrawals', async (coordinator) => {
    await month.send(nameOf(1), span(8, 16));
    await month.send(nameOf(2), [8, 10, 15, 16]);
    await month.import(recordingsOf(span(7, 16)));
    await coordinator.openSubject(nameOf(5), 'Status and visits');
    await coordinator.withdraw('No time', 'Keep data until the withdrawal', month.date(11));
    await coordinator.openSubject(nameOf(8), 'Status and visits');
    await coordinator.withdraw('Changed their mind', 'Do not use any data');
    await coordinator.openSubject(nameOf(30), 'Status and visits');
    await coordinator.withdraw('Skin problems', 'Keep all data', month.date(15));
    await compareBoards(coordinator, 17, { subjects: [nameOf(4), nameOf(5), nameOf(8)] });
    await coordinator.openToday();
    await coordinator.page.getByRole('link', { name: /^Reply: M-03/ }).click();
    await coordinator.page.getByRole('textbox', { name: `Message ${nameOf(3)}` }).fill('A new one is on its way.');
    await coordinator.press('Send');
  });

  await onDay(21, 'new consent form', async (coordinator) => {
    await addConsentForm(coordinator, 2, '2.0');
    for (const number of [1, 2, 3]) {
      await coordinator.openSubject(nameOf(number), 'Status and visits');
      await coordinator.consent('2.0');
    }
    await coordinator.voidConsent('2.0', 'The form was not signed');
    await coordinator.openSubject(nameOf(12), 'Status and visits');
    await coordinator.changeGroup('Intervention', 'Entered in the wrong group');
    await coordinator.complete();
    await coordinator.openStudy(STUDY);
    await coordinator.tab('Queries');
    await coordinator.queryStep('Reopen', 'Why only an hour?', 'For a whole week?', 'OPEN');
    await coordinator.queryStep('Answer', 'Is this the right thigh?', 'Yes.', 'ANSWERED');
  });

  await onDay(28, 'last visits and closing', async (coordinator) => {
    await month.send(nameOf(1), span(17, 27), 'Thank you.');
    await month.import(recordingsOf(span(17, 27)).filter(({ subject }) => ![nameOf(5), nameOf(8)].includes(subject)));
    await visits(coordinator, 'Week 4', [1, 2, 3], () => coordinator.visitDone('Week 4', month.date(27)));
    await visits(coordinator, 'Week 4', [7], () => coordinator.visitMissed('Week 4', 'Did not come'));
    for (const number of [1, 2, 3]) {
      await coordinator.openSubject(nameOf(number), 'Status and visits');
      await coordinator.complete();
    }
    await month.analysed();
    await closeStudy(coordinator);
    await compareBoards(coordinator, 28, { subjects: [nameOf(1), nameOf(12), nameOf(9)], isOver: true });
  });
});
