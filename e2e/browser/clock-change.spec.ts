/** Days of 25, 23 and 33 hours: axis labels, start and end of night and day, and totals. */

import { test as base, expect, type Locator, type Page } from '@playwright/test';
import { HOUR_MS } from '../../src-server/durations.ts';
import { type DaySite, openDesk, startDaySite, THIGH } from '../support/day-site.ts';
import { expectAccessible, watchPage } from '../support/desk.ts';
import { hasPoppler, RenderedPdf } from '../support/rendered-pdf.ts';

/** As long as names get, in wide letters. */
const LONG_NAME =
  '北部総合病院睡眠医療センター外来二〇二六年度第三群被験者山田太郎左衛門之助（再登録・右大腿部センサー併用）';

const at = (text: string) => Date.parse(text);

interface Subjects {
  /** Recorded on London's 25-hour day and the night before it. */
  back: string;
  /** The 23-hour one. */
  forward: string;
  /** Flew from Tokyo to London on November 10, and was recorded from 05:00 in Tokyo to 14:00 in London. */
  traveller: string;
}

const test = base.extend<object, { days: DaySite & { subjects: Subjects } }>({
  days: [
    // Playwright wants a pattern here, even when a fixture needs no other.
    // biome-ignore lint/correctness/noEmptyPattern: see above
    async ({}, use) => {
      const days = await startDaySite();
      const london = { timeZone: 'Europe/London', sensors: THIGH };
      const back = await days.addSubject('Back', 'Europe/London');
      await days.record(back, { startMs: at('2026-10-24T11:00:00Z'), stopMs: at('2026-10-26T00:00:00Z'), ...london });
      const forward = await days.addSubject(LONG_NAME, 'Europe/London');
      await days.record(forward, {
        startMs: at('2026-03-28T12:00:00Z'),
        stopMs: at('2026-03-29T23:00:00Z'),
        ...london,
      });
      const traveller = await days.addSubject('Traveller', 'Asia/Tokyo');
      await days.moveZone(traveller, 'Europe/London', at('2026-11-10T04:37:00Z'));
      await days.record(traveller, {
        ...{ startMs: at('2026-11-09T20:00:00Z'), stopMs: at('2026-11-10T14:00:00Z') },
        ...{ timeZone: 'Asia/Tokyo', sensors: THIGH },
      });
      await days.site.engine.jobs.whenIdle();
      await use({ ...days, subjects: { back, forward, traveller } });
      await days.close();
    },
    { scope: 'worker', timeout: 180_000 },
  ],
});

/** Minutes of `25 h 0 min`. */
const minutesOf = (text: string) =>
  60 * Number(/(\d+) h/.exec(text)?.[1] ?? 0) + Number(/(\d+) min/.exec(text)?.[1] ?? 0);
const timeline = (page: Page) => page.getByRole('figure');
const place = async (locator: Locator) => {
  const box = await locator.boundingBox();
  if (!box) throw new Error('It has no place on the page.');
  return box;
};

/** Hours from one line to another, by the width of the plot that shows `wholeHours`. */
async function hoursAcross(page: Page, locator: Locator, wholeHours: number): Promise<number> {
  const plot = await place(page.getByRole('slider', { name: 'Cursor' }));
  return ((await place(locator)).width / plot.width) * wholeHours;
}

/** Sum of the table of totals, in minutes: every class of activity, and time without a recording. */
async function totalMinutes(page: Page): Promise<number> {
  const cells = page.getByRole('region', { name: 'Totals in view' }).locator('tbody tr td:nth-child(2)');
  await expect(cells.first()).toBeVisible();
  return (await cells.allTextContents()).reduce((sum, text) => sum + minutesOf(text), 0);
}

/** Each of the rows is rounded to a minute. */
async function expectTotal(page: Page, hours: number): Promise<void> {
  await expect.poll(async () => Math.abs((await totalMinutes(page)) - hours * 60)).toBeLessThanOrEqual(4);
}

async function open(page: Page, days: DaySite, subjectId: string, query: string): Promise<void> {
  await page.goto(`${days.days(subjectId)}?${query}`);
  // The first analysis is read from disk, which takes time on a busy machine.
  await expect(page.getByRole('slider', { name: 'Cursor' })).toBeVisible({ timeout: 30_000 });
}

test.describe.configure({ timeout: 120_000 });
test.beforeEach(({ page, days }) => openDesk(page, days));

test('shows 25 hours on the day clocks go back, and distinguishes the repeated hour', async ({ page, days }) => {
  const expectNoProblems = watchPage(page);
  await open(page, days, days.subjects.back, 'date=2026-10-25');
  await expect(page.getByText('This day has 25 h 0 min: clocks went back.')).toBeVisible();
  await expect(timeline(page)).toContainText('Clocks back: 01:00–02:00 occurs twice (+01:00, then +00:00)');
  const jumps = timeline(page).locator('[class*="_jump_"]');
  await expect(jumps).toHaveText(['01:00 +01:00', '01:00 +00:00']);
  expect(await hoursAcross(page, timeline(page).locator('[class*="_twice_"]'), 37)).toBeCloseTo(2, 0.5);
  expect(await hoursAcross(page, timeline(page).locator('[data-bracket="day"]'), 37)).toBeCloseTo(25, 0.5);
  expect(await hoursAcross(page, timeline(page).locator('[data-bracket="night"]'), 37)).toBeCloseTo(25, 0.5);

  await page.getByRole('radio', { name: 'Day', exact: true }).click();
  await expectTotal(page, 25);
  await expect(page.getByRole('region', { name: 'Metrics of Sun, Oct 25, 2026' })).toContainText('Worn25 h 0 min');

  // The cursor reads 01:30 twice, an hour apart, each with its own offset.
  const cursor = page.getByRole('slider', { name: 'Cursor' });
  await cursor.press('Home');
  await cursor.press('Shift+ArrowRight');
  for (let i = 0; i < 6; i++) await cursor.press('ArrowRight');
  await expect(cursor).toHaveAttribute('aria-valuetext', /^01:30 \+01:00, Sun, Oct 25\. Wear: Worn\. Activity: /);
  await cursor.press('Shift+ArrowRight');
  await expect(cursor).toHaveAttribute('aria-valuetext', /^01:30 \+00:00, Sun, Oct 25\. Wear: Worn\. Activity: /);

  await page.getByRole('radio', { name: 'Table' }).click();
  await page.getByRole('radio', { name: '60 min' }).click();
  const rows = page
    .getByRole('table', { name: 'Values of Sun, Oct 25, 00:00 to 24:00 (25 h 0 min) every 60 minutes' })
    .locator('tbody tr');
  await expect(rows).toHaveCount(25);
  await expect(rows.filter({ hasText: /01:00 \+0[01]:00/ })).toHaveCount(2);
  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Download day (CSV)' }).click();
  const chunks: Buffer[] = [];
  for await (const chunk of await (await download).createReadStream()) chunks.push(chunk as Buffer);
  expect(Buffer.concat(chunks).toString().trim().split('\n')).toHaveLength(1 + 25 * 60);
  await expectAccessible(page);
  expectNoProblems();
});

test('shows 23 hours on the day clocks go forward, with a seam at the missing hour', async ({ page, days }) => {
  await open(page, days, days.subjects.forward, 'date=2026-03-29');
  await expect(page.getByText('This day has 23 h 0 min: clocks went forward.')).toBeVisible();
  await expect(timeline(page)).toContainText('Clocks forward, 01:00 → 02:00 (+00:00 → +01:00)');
  await expect(timeline(page).locator('[class*="_jump_"]')).toHaveText(['01:00 +00:00', '02:00 +01:00']);
  expect(await hoursAcross(page, timeline(page).locator('[data-bracket="day"]'), 35)).toBeCloseTo(23, 0.5);
  expect(await hoursAcross(page, timeline(page).locator('[data-bracket="night"]'), 35)).toBeCloseTo(23, 0.5);
  await page.getByRole('radio', { name: 'Day', exact: true }).click();
  await expectTotal(page, 23);
  await page.getByRole('radio', { name: 'Table' }).click();
  await page.getByRole('radio', { name: '60 min' }).click();
  await expect(page.getByRole('table', { name: /every 60 minutes/ }).locator('tbody tr')).toHaveCount(23);
});

test('shows the real length of a travel day and where the zone changes', async ({ page, days }) => {
  await open(page, days, days.subjects.traveller, 'date=2026-11-10');
  await expect(
    page.getByText(
      'This day has 33 h 0 min: the subject travelled from Asia/Tokyo (+09:00) to Europe/London (+00:00).',
    ),
  ).toBeVisible();
  await expect(timeline(page)).toContainText('Time zone change: Asia/Tokyo +09:00 → Europe/London +00:00');
  await expect(timeline(page)).toContainText('Asia/Tokyo → Europe/London');
  await expect(timeline(page).locator('[class*="_jump_"]')).toHaveText(['13:37 +09:00', '04:37 +00:00']);
  const seam = await place(timeline(page).locator('[data-kind="zone"]'));
  const plot = await place(page.getByRole('slider', { name: 'Cursor' }));
  const startMs = at('2026-11-09T03:00:00Z');
  expect(((seam.x - plot.x) / plot.width) * 45 * HOUR_MS + startMs).toBeCloseTo(at('2026-11-10T04:37:00Z'), -6.2);

  await page.getByRole('radio', { name: 'Day', exact: true }).click();
  await expectTotal(page, 33);
  const cursor = page.getByRole('slider', { name: 'Cursor' });
  await cursor.press('End');
  await expect(cursor).toHaveAttribute('aria-valuetext', /^23:59 \+00:00, Tue, Nov 10/);
  await cursor.press('Home');
  await expect(cursor).toHaveAttribute('aria-valuetext', /^00:00 \+09:00, Tue, Nov 10/);
  // The next day begins in London, where this one ended.
  await cursor.press('PageDown');
  await expect(page).toHaveURL(/date=2026-11-11/);
});

test('moves past days when a journey is entered afterwards', async ({ page, days }) => {
  const expectNoProblems = watchPage(page);
  await open(page, days, days.subjects.traveller, 'date=2026-11-10');
  await page.getByRole('button', { name: 'Subject', exact: true }).click();
  await page.getByRole('menuitem', { name: 'Edit subject' }).click();
  const dialog = page.getByRole('dialog');
  const since = dialog.getByRole('textbox', { name: /^In this zone since/ });
  await since.fill('2026-11-10');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect(since).toHaveAccessibleDescription(/Enter a past date and time/);
  await since.fill('2026-11-10 05:37');
  await expect(dialog.getByText(/From then on, days follow Europe\/London/)).toBeVisible();
  await expectAccessible(page);
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect(dialog).toHaveCount(0);
  await expect(timeline(page).locator('[class*="_jump_"]')).toHaveText(['14:37 +09:00', '05:37 +00:00']);
  expectNoProblems();
});

test.describe('on paper', () => {
  // What is printed can be read from the PDF alone.
  test.skip(!hasPoppler, 'pdftotext is not installed (Debian package poppler-utils): the PDF cannot be read.');

  for (const [who, date, sentence] of [
    [
      'back',
      '2026-10-25',
      'Sun, Oct 25, 2026 has 25 h 0 min: its clock went from 02:00 (UTC+01:00) to 01:00 (UTC+00:00)',
    ],
    [
      'forward',
      '2026-03-29',
      'Sun, Mar 29, 2026 has 23 h 0 min: its clock went from 01:00 (UTC+00:00) to 02:00 (UTC+01:00)',
    ],
  ] as const)
    test(`a week says that its clock went ${who}, and each sheet has the whole name`, async ({ page, days }) => {
      const week = days.days(days.subjects[who]).replace('/studies/', '/print/studies/').replace(/days$/, 'week');
      await page.goto(`${week}?date=${date}&paper=letter`);
      await expect(page.locator('[data-testid=sheets][data-ready=true]')).toBeVisible();
      const pdf = new RenderedPdf(await page.pdf({ preferCSSPageSize: true, printBackground: true }));
      try {
        const plain = (text: string) => text.replaceAll(/\s/g, '');
        const texts = pdf.texts().map(plain);
        expect(texts.join('')).toContain(plain(sentence));
        for (const text of texts) expect(text).toContain(who === 'forward' ? LONG_NAME : 'Back');
      } finally {
        pdf.remove();
      }
    });
});
