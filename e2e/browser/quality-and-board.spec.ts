/** The data-quality report and the study board, by clicking: every number equals a plain count over the store. */
import { readFile } from 'node:fs/promises';
import { expect, type Page, test } from '@playwright/test';
import BetterSqlite3 from 'better-sqlite3';
import { SYSTEM } from '../../src-server/db/index.ts';
import { HOUR_MS } from '../../src-server/durations.ts';
import { addDays, fixedZone, localDateIn, midnightWindow } from '../../src-server/study/day-windows.ts';
import { type DaySite, openDesk, startDaySite } from '../support/day-site.ts';
import { expectAccessible, watchPage } from '../support/desk.ts';

const SUBJECTS = 40;
const DAYS = 28;
const ZONE = 'UTC';

let site: DaySite;
let studyId: string;
let sqlite: BetterSqlite3.Database;
let firstDate: string;
let lastDate: string;

const count = (sql: string, ...values: unknown[]) =>
  sqlite
    .prepare(sql)
    .pluck()
    .get(...values) as number;
const nameOf = (i: number) => `Q-${String(i).padStart(2, '0')}`;

/** Every fifth subject wears little, every seventh stops early; each has gaps and short days. */
function wearOf(i: number, day: number): number | undefined {
  if (i % 7 === 6 && day > DAYS - 6) return undefined;
  if ((day * 3 + i) % 11 === 0) return undefined;
  if (i % 5 === 0) return (3 + (day % 4)) * 3600;
  return (day + i) % 6 === 0 ? 8 * 3600 : 21 * 3600 + i;
}

test.beforeAll(async () => {
  site = await startDaySite();
  studyId = site.place.studyId;
  const { store } = site.site.folder;
  const by = { actor: { type: 'USER', id: site.place.userId } } as const;
  const field = { displayName: 'Arm', type: 'MULTIPLECHOICE' as const, values: ['Drug', 'Placebo'] };
  await store.studies.putDefinition(studyId, { metadataFields: [field] }, by);
  const today = localDateIn(Date.now(), ZONE);
  firstDate = addDays(today, -DAYS);
  lastDate = addDays(today, -1);
  const zone = fixedZone(ZONE);
  for (let i = 0; i < SUBJECTS; i++) {
    const metadataFields = i % 9 === 8 ? [] : [{ displayName: 'Arm', value: i % 2 === 0 ? 'Drug' : 'Placebo' }];
    const { id: subjectId } = await store.subjects.create(
      studyId,
      { displayName: nameOf(i), timezone: ZONE, metadataFields },
      by,
    );
    const days = Array.from({ length: DAYS }, (_, day) => day).flatMap((day) => {
      const wear = wearOf(i, day);
      if (wear === undefined) return [];
      const { startMs, stopMs } = midnightWindow(addDays(firstDate, day), zone);
      const metrics = {
        ...{ date: addDays(firstDate, day), dayStartMs: startMs, dayStopMs: stopMs },
        ...{ dataStartMs: startMs, dataStopMs: startMs + wear * 1000 },
        metrics: {
          ...{ SENSOR_WEAR_DURATION: wear, MOVING_STEPS: 2000 + 150 * i + 10 * day },
          ...(day % 4 !== 1 && { RESTING_AVG_HR: 58 + (i % 12) + day / 10 }),
        },
        validSeconds: { MOVING: 600, HEART_SIGNAL: wear, HEART_READABLE: wear * (i % 8 === 3 ? 0.6 : 0.93) },
      };
      return [{ metrics, timezone: ZONE, inputsHash: metrics.date }];
    });
    await store.analytics.store({ studyId, subjectId, algorithmVersion: 'test', windows: [], days }, SYSTEM);
    if (i < 3) {
      const at = { studyId, subjectId, faultTs: Date.now() - (i + 1) * HOUR_MS, faultFlag: 'LOW_BATTERY' };
      const sensor = { mobileAppVersion: '', sensorFirmwareId: '', sensorId: 'AA:BB:CC:DD:EE:FF' };
      await store.faults.add([{ ...at, ...sensor, faultType: 'LINK_HUB_SENSOR_FAULT' }], SYSTEM);
    }
  }
  const { lifecycleState } = await store.studies.require(studyId);
  if (lifecycleState === 'INITIALIZED') await store.studies.move(studyId, 'start', by);
  const writer = new BetterSqlite3(store.path);
  // The program of every subject began with its first day.
  writer
    .prepare('UPDATE subject SET programStartTs = ? WHERE studyId = ?')
    .run(midnightWindow(firstDate, zone).startMs + HOUR_MS, studyId);
  // Subjects of the site that this test does not look at.
  writer.prepare("UPDATE subject SET isTest = 1 WHERE studyId = ? AND displayName NOT LIKE 'Q-%'").run(studyId);
  writer.close();
  sqlite = new BetterSqlite3(store.path, { readonly: true });
});
test.afterAll(async () => {
  sqlite.close();
  await site.close();
});

/** Counts the dates that the page writes: one for each day of a chart that is rendered. */
const countDates = () => {
  const { get } = Object.getOwnPropertyDescriptor(Intl.DateTimeFormat.prototype, 'format') ?? {};
  const counted = window as { dates?: number };
  Object.defineProperty(Intl.DateTimeFormat.prototype, 'format', {
    configurable: true,
    get() {
      const format = get?.call(this) as Intl.DateTimeFormat['format'];
      return (date: Date) => {
        counted.dates = (counted.dates ?? 0) + 1;
        return format(date);
      };
    },
  });
};
const datesWritten = () => (window as { dates?: number }).dates ?? 0;

/** Text of a cell of the row that begins with a name. */
async function cellsOf(page: Page, table: string, name: string): Promise<string[]> {
  const row = page.getByRole('region', { name: table }).getByRole('row').filter({ hasText: name }).first();
  return (await row.locator('td, th').allTextContents()).map((text) => text.trim());
}

const VALID = (seconds: number) =>
  `SELECT count(*) FROM analyticsDay JOIN subject ON subject.id = subjectId
   WHERE subject.studyId = ? AND displayName LIKE ? AND date BETWEEN ? AND ? AND wearSeconds >= ${seconds}`;

test('reads who is at risk and why, the weeks and the faults, and follows changed targets', async ({ page }) => {
  test.setTimeout(120_000);
  const expectNoProblems = watchPage(page);
  await openDesk(page, site);
  await page.goto(`${site.site.url}/studies/${studyId}`);
  await page.getByRole('link', { name: 'Data quality', exact: true }).click();
  // At risk: fewer than four valid days of seven, ECG under 75 %, or nothing on the last two days.
  const from = addDays(lastDate, -6);
  const atRisk = count(
    `SELECT count(*) FROM subject WHERE studyId = ? AND isTest = 0 AND (
       (SELECT count(*) FROM analyticsDay WHERE subjectId = subject.id AND date BETWEEN ? AND ? AND wearSeconds >= 36000) < 4
       OR (SELECT coalesce(max(date), '') FROM analyticsDay WHERE subjectId = subject.id AND wearSeconds > 0) <= ?
       OR CAST(substr(displayName, 3) AS INTEGER) % 8 = 3)`,
    studyId,
    from,
    lastDate,
    addDays(lastDate, -2),
  );
  expect(atRisk).toBeGreaterThan(8);
  await expect(page.getByText(`${atRisk} subjects at risk of ${SUBJECTS}`)).toBeVisible();
  const cells = await cellsOf(page, 'Subjects', nameOf(5));
  const valid = count(VALID(36_000), studyId, nameOf(5), firstDate, lastDate);
  const withData = count(VALID(1), studyId, nameOf(5), firstDate, lastDate);
  expect(cells).toContain(`${withData} of ${DAYS}`);
  expect(cells.find((text) => text.startsWith(`${valid} of ${DAYS} (`))).toBeDefined();
  await expect(
    page
      .getByRole('row')
      .filter({ hasText: nameOf(3) })
      .first(),
  ).toContainText('Readable ECG: 60.0 % (target 75 %)');
  await expectAccessible(page);

  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Save report as CSV' }).click(),
  ]);
  const rows = (await readFile(await file.path(), 'utf8')).trim().split('\n').slice(1);
  const validInFile = rows.reduce((sum, row) => sum + Number(row.split(',')[5]!.replaceAll('"', '')), 0);
  expect(validInFile).toBe(count(VALID(36_000), studyId, 'Q-%', firstDate, lastDate));

  await page.getByRole('radio', { name: 'Per week' }).click();
  const weeks = page.getByRole('region', { name: 'Per week' }).getByRole('row');
  await expect(weeks.nth(1)).toBeVisible();
  const monday = (date: string) => addDays(date, -((new Date(`${date}T00:00:00Z`).getUTCDay() + 6) % 7));
  let week = monday(lastDate);
  for (let index = 1; week >= monday(firstDate); index++, week = addDays(week, -7)) {
    const inWeek = count(VALID(36_000), studyId, 'Q-%', week, addDays(week, 6));
    await expect(weeks.nth(index).locator('td').nth(3)).toContainText(new RegExp(`^${inWeek} of `));
  }
  await expectAccessible(page);
  await page.getByRole('radio', { name: 'Faults' }).click();
  await expect(page.getByRole('region', { name: 'Faults' }).locator('tbody tr')).toHaveCount(
    count('SELECT count(*) FROM fault WHERE studyId = ?', studyId),
  );
  await expectAccessible(page);

  await page.getByRole('radio', { name: 'Subjects' }).click();
  await page.getByRole('link', { name: 'Edit targets' }).click();
  await page.getByRole('textbox', { name: 'Wear from which a day is valid (h)' }).fill('5');
  await page.getByRole('checkbox', { name: 'Target for signal quality' }).uncheck();
  await page.getByRole('button', { name: 'Save definition' }).click();
  await expect(page.getByText('All changes saved')).toBeVisible();
  await page.getByRole('link', { name: 'Data quality', exact: true }).click();
  await expect(page.getByText('valid day from 5 h worn')).toBeVisible();
  const lower = count(VALID(18_000), studyId, nameOf(5), firstDate, lastDate);
  expect(lower).toBeGreaterThan(valid);
  await expect(
    page
      .getByRole('row')
      .filter({ hasText: nameOf(5) })
      .first(),
  ).toContainText(`${lower} of ${DAYS} (`);
  await expect(
    page
      .getByRole('row')
      .filter({ hasText: nameOf(3) })
      .first(),
  ).not.toContainText('Readable ECG:');
  expectNoProblems();
});

test('chooses a board, compares groups, opens a day by keyboard, and saves it with its files', async ({ page }) => {
  test.setTimeout(120_000);
  const expectNoProblems = watchPage(page);
  await page.addInitScript(countDates);
  await openDesk(page, site);
  await page.goto(`${site.site.url}/studies/${studyId}`);
  await page.getByRole('link', { name: 'Board', exact: true }).click();
  await page.getByRole('button', { name: 'Remove Worn' }).click();
  // No tooltip in the way.
  await page.mouse.move(0, 0);
  await page.getByRole('combobox', { name: 'Compare by' }).selectOption('Arm');
  const comparison = page.getByRole('region', { name: 'Comparison' }).locator('tbody tr');
  await expect(comparison).toHaveCount(6);
  // Whole days: 16 h worn or more.
  const steps = (arm: string) =>
    sqlite
      .prepare(
        `SELECT count(*) AS subjects, sum(days) AS days, avg(mean) AS mean FROM (
           SELECT subjectId, count(*) AS days, avg(json_extract(analyticsDay.metrics, '$[' || name.key || ']')) AS mean
           FROM analyticsDay
           JOIN metricNames ON metricNames.id = namesId, json_each(names, '$.metrics') AS name
           JOIN subject ON subject.id = subjectId
           WHERE subject.studyId = ? AND isTest = 0 AND name.value = 'MOVING_STEPS' AND wearSeconds >= 57600
             AND json_extract(metadataFields, '$[0].value') = ? AND date >= ?
           GROUP BY subjectId)`,
      )
      .get(studyId, arm, addDays(lastDate, -26)) as { subjects: number; days: number; mean: number };
  for (const arm of ['Drug', 'Placebo']) {
    const found = steps(arm);
    const row = comparison.filter({ hasText: 'Steps' }).filter({ hasText: arm });
    const cells = row.locator('td');
    await expect(cells.nth(2)).toHaveText(String(found.subjects));
    await expect(cells.nth(4)).toHaveText(found.days.toLocaleString('en'));
    await expect(cells.nth(7)).toContainText(Math.round(found.mean).toLocaleString('en'));
  }
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Save board' }).click();
  await expect(page.getByText(/^Saved by /)).toBeVisible();
  await page.reload();
  await expect(page.getByRole('combobox', { name: 'Compare by' })).toHaveValue('FIELD Arm');
  await expect(comparison).toHaveCount(6);

  const save = async (name: string) => {
    const [file] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name }).click()]);
    return await readFile(await file.path(), 'utf8');
  };
  const values = (await save('Save values as CSV')).trim().split('\n').slice(1);
  const stored = (metric: string) =>
    count(
      `SELECT count(*) FROM analyticsDay JOIN metricNames ON metricNames.id = namesId,
         json_each(names, '$.metrics') AS name JOIN subject ON subject.id = subjectId
       WHERE subject.studyId = ? AND isTest = 0 AND name.value = ? AND date >= ?`,
      studyId,
      metric,
      addDays(lastDate, -26),
    );
  const shown = stored('MOVING_STEPS') + stored('RESTING_AVG_HR');
  expect(values).toHaveLength(shown);
  const svg = await save('Save charts as SVG');
  expect(svg.match(/<circle/g)).toHaveLength(shown);
  expect(svg).toContain('Made ');

  // Arrows move between charts without rendering them, Enter opens the days, and a day is a link.
  await page.locator('[data-cell="0.0"]').focus();
  const written = await page.evaluate(datesWritten);
  expect(written).toBeGreaterThan(DAYS);
  await page.keyboard.press('ArrowRight');
  await expect(page.locator('[data-cell="0.1"]')).toBeFocused();
  await expect(page.locator('[data-cell="0.1"]')).toHaveAttribute('tabindex', '0');
  expect((await page.evaluate(datesWritten)) - written).toBeLessThan(DAYS);
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog');
  await expect(dialog.getByRole('heading')).toContainText(nameOf(0));
  await expectAccessible(page);
  await dialog.getByRole('link').first().click();
  await expect(page).toHaveURL(/\/days\?date=/);
  expectNoProblems();
});

test('shows the last recorded days of a completed study, and reads no others first', async ({ page }) => {
  const end = addDays(lastDate, -8);
  await page.route(new RegExp(`/api/v1/studies/${studyId}$`), async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, json: { ...(await response.json()), lifecycleState: 'COMPLETE' } });
  });
  let isBroken = true;
  await page.route(/daily_recording_stats/, (route) =>
    isBroken
      ? route.fulfill({ status: 400, json: { error: { code: 'INVALID_INPUT', message: 'Not now.' } } })
      : route.fulfill({ json: { items: [{ studyId, date: end, countRecordings: 1, sumDurationMs: 1 }], size: 1 } }),
  );
  const read: (string | null)[] = [];
  page.on('request', (request) => {
    const { pathname, searchParams } = new URL(request.url());
    if (pathname.endsWith('/daily_values')) read.push(searchParams.get('toDate'));
  });
  await openDesk(page, site);
  await page.goto(`${site.site.url}/studies/${studyId}/board`);
  const retry = page.getByRole('button', { name: 'Try again' });
  await expect(retry).toBeVisible();
  expect(read).toEqual([]);
  isBroken = false;
  await retry.click();
  await expect(page.getByRole('region', { name: 'Comparison' })).toBeVisible();
  expect(read).toEqual([end]);
});
