/** The day view: gaps, patterns, units, a stable position while data arrives, and data status. */

import { readFile } from 'node:fs/promises';
import { test as base, expect, type Locator, type Page } from '@playwright/test';
import { DAY_MS, HOUR_MS } from '../../src-server/durations.ts';
import { CHEST, type DaySite, openDesk, startDaySite, THIGH } from '../support/day-site.ts';
import { expectAccessible, watchPage } from '../support/desk.ts';

const at = (text: string) => Date.parse(text);
const LONDON = { timeZone: 'Europe/London' };
/** No ECG between these times: the sensor stopped inside its recording. */
const BREAK = { startMs: at('2026-11-10T01:00:00Z'), stopMs: at('2026-11-10T03:00:00Z') };

interface Read extends DaySite {
  reader: string;
}

/** Nov 9 noon to Nov 12: thigh all the time, chest in the night to the 10th; what followed is on the hub and on the sensor. */
async function fill(days: DaySite): Promise<string> {
  const { client, place, clock } = days;
  await client.call('startStudy', { params: { studyId: place.studyId } });
  const reader = await days.addSubject('Reader', 'Europe/London');
  await days.handOut(
    reader,
    { id: 'SN-1', udid: 'AA:BB:CC:00:00:01', displayName: 'Chest 1' },
    at('2026-11-09T09:00:00Z'),
  );
  await days.handOut(
    reader,
    { id: 'SN-2', udid: 'AA:BB:CC:00:00:02', displayName: 'Thigh 2' },
    at('2026-11-09T09:00:00Z'),
  );
  const night = { startMs: at('2026-11-09T18:00:00Z'), stopMs: at('2026-11-10T08:00:00Z') };
  await days.record(reader, { ...night, ...LONDON, sensors: [...CHEST, ...THIGH], gaps: [BREAK] });
  await days.record(reader, { startMs: night.stopMs, stopMs: at('2026-11-11T20:00:00Z'), ...LONDON, sensors: THIGH });
  clock.aheadMs = at('2026-11-12T18:00:00Z') - Date.now();
  const hub = await days.pairDevice({}, reader);
  const held = (place: 'HUB' | 'SENSOR', sensor: string, startTs: number, hours: number) => ({
    ...{ recordingId: crypto.randomUUID(), place, sensor, sizeBytes: 4_000_000 },
    ...{ startTs, stopTs: startTs + hours * HOUR_MS },
  });
  await hub.call('/device/manifest', {
    recordings: [
      held('HUB', 'SN-2', at('2026-11-11T21:00:00Z'), 5),
      held('SENSOR', 'SN-1', at('2026-11-11T21:00:00Z'), 4),
    ],
  });
  await hub.call('/device/contact', {
    clockTs: at('2026-11-12T18:00:00Z'),
    sensors: [{ udid: 'AA:BB:CC:00:00:01' }, { udid: 'AA:BB:CC:00:00:02' }],
    faults: [
      {
        ...{ id: crypto.randomUUID(), faultTs: at('2026-11-11T20:00:00Z'), faultClass: 'LOST_CONTACT' },
        ...{ faultType: 'SENSOR', faultFlag: 'CONTACT_LOST', udid: 'AA:BB:CC:00:00:02' },
      },
    ],
  });
  await days.site.engine.jobs.whenIdle();
  return reader;
}

const test = base.extend<object, { days: Read }>({
  days: [
    // Playwright wants a pattern here, even when a fixture needs no other.
    // biome-ignore lint/correctness/noEmptyPattern: see above
    async ({}, use) => {
      const days = await startDaySite(at('2026-11-09T08:00:00Z'));
      await use(Object.assign(days, { reader: await fill(days) }));
      await days.close();
    },
    { scope: 'worker', timeout: 180_000 },
  ],
});

const cursorOf = (page: Page) => page.getByRole('slider', { name: 'Cursor' });
const lane = (page: Page, id: string) => page.locator(`[data-lane="${id}"] canvas`);

async function open(page: Page, days: Read, query: string): Promise<void> {
  await page.goto(`${days.days(days.reader)}?${query}`);
  // The first analysis is read from disk, which takes time on a busy machine.
  await expect(cursorOf(page)).toBeVisible({ timeout: 30_000 });
}

/** Puts the cursor at an instant of a view, by mouse. */
async function point(page: Page, ms: number, view: { startMs: number; stopMs: number }): Promise<void> {
  const box = await cursorOf(page).boundingBox();
  if (!box) throw new Error('The timeline has no place.');
  const share = (ms - view.startMs) / (view.stopMs - view.startMs);
  await page.mouse.move(box.x + share * box.width, box.y + 20);
}

/** For each column of a canvas, whether any pixel has about the colour of a token. */
function columnsOf(canvas: Locator, token: string): Promise<boolean[]> {
  return canvas.evaluate((element, name) => {
    const probe = document.createElement('span');
    probe.style.color = `var(--${name})`;
    document.body.append(probe);
    const wanted =
      getComputedStyle(probe)
        .color.match(/[\d.]+/g)
        ?.map(Number) ?? [];
    probe.remove();
    const { width, height } = element as HTMLCanvasElement;
    const { data } = (element as HTMLCanvasElement).getContext('2d')!.getImageData(0, 0, width, height);
    return Array.from({ length: width }, (_, x) => {
      for (let y = 0; y < height; y++) {
        const pixel = 4 * (y * width + x);
        if (data[pixel + 3]! > 128 && wanted.slice(0, 3).every((value, c) => Math.abs(data[pixel + c]! - value) < 40))
          return true;
      }
      return false;
    });
  }, token);
}

test.describe.configure({ timeout: 120_000 });
test.beforeEach(({ page, days }) => openDesk(page, days));

test('never bridges a gap, and does not call it unworn', async ({ page, days }) => {
  await open(page, days, 'date=2026-11-10&range=night');
  const night = { startMs: at('2026-11-09T12:00:00Z'), stopMs: at('2026-11-10T12:00:00Z') };
  await expect
    .poll(async () => {
      await point(page, BREAK.startMs + HOUR_MS, night);
      return cursorOf(page).getAttribute('aria-valuetext');
    })
    .toMatch(/^0[12]:\d\d \+00:00, Tue, Nov 10\. Wear: No recording\. Activity: No recording\./);
  for (const [id, token] of [
    ['heartRate', 'heart-rate'],
    ['variability', 'variability'],
  ] as const) {
    const columns = await columnsOf(lane(page, id), token);
    const column = (ms: number) => Math.round(((ms - night.startMs) / DAY_MS) * columns.length);
    const margin = Math.ceil((4 * 60_000 * columns.length) / DAY_MS);
    expect(columns.slice(column(BREAK.startMs) + margin, column(BREAK.stopMs) - margin).some(Boolean)).toBe(false);
    expect(columns.slice(column(BREAK.startMs - HOUR_MS), column(BREAK.startMs) - margin).some(Boolean)).toBe(true);
    expect(columns.slice(column(BREAK.stopMs) + margin, column(BREAK.stopMs + HOUR_MS)).some(Boolean)).toBe(true);
  }
  const why = page.getByRole('region', { name: 'Why there is no data' });
  await expect(why.getByText('01:00–03:00 (2 h 0 min)')).toBeVisible();
  await expect(why.getByText('The recording from Chest 1 continues but has no samples for this time.')).toBeVisible();
});

test('shows a unit with every value at the cursor', async ({ page, days }) => {
  await open(page, days, 'date=2026-11-10&range=night');
  const night = { startMs: at('2026-11-09T12:00:00Z'), stopMs: at('2026-11-10T12:00:00Z') };
  await point(page, at('2026-11-10T04:30:00Z'), night);
  // A number and its unit stay on one line.
  const text = (await cursorOf(page).getAttribute('aria-valuetext'))?.replaceAll('\u00a0', ' ');
  expect(text).toMatch(/Heart rate: \d+ bpm\./);
  expect(text).toMatch(/HRV \(RMSSD\): \d+ ms\./);
  expect(text).toMatch(/Steps: \d+ steps in \d+ min\./);
  expect(text).toMatch(/Respiration: [\d.]+ breaths\/min/);
  expect(text).toMatch(/Activity: [A-Z][a-z ]+\. Posture: [A-Z]/);
  await expect(page.getByRole('figure')).toContainText(/\d+\sbpm/);
});

test('distinguishes every category without colour', async ({ page, days }) => {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    await open(page, days, 'date=2026-11-11');
    const legends = page.getByRole('list', { name: /Legend/ });
    for (const index of [0, 1]) {
      const swatches = legends.nth(index).locator('li[data-category] canvas');
      await expect(swatches.first()).toBeVisible();
      const textures = await swatches.evaluateAll((canvases) =>
        canvases.map((canvas) => {
          const { width, height } = canvas as HTMLCanvasElement;
          const { data } = (canvas as HTMLCanvasElement).getContext('2d')!.getImageData(0, 0, width, height);
          // What is not painted shows the ground: white by day, black by night.
          const ground = matchMedia('(prefers-color-scheme: dark)').matches ? 0 : 255;
          const grey = Array.from({ length: width * height }, (_, i) => {
            const [red = 0, green = 0, blue = 0, alpha = 0] = data.subarray(4 * i, 4 * i + 4);
            const share = alpha / 255;
            return share * (0.2126 * red + 0.7152 * green + 0.0722 * blue) + (1 - share) * ground;
          });
          // Only the form of the pattern counts: lighter or darker than the middle of its own range, or plain.
          const inner = grey.filter((_, i) => {
            const [x, y] = [i % width, Math.floor(i / width)];
            return x > 1 && x < width - 2 && y > 1 && y < height - 2;
          });
          const [low, high] = [Math.min(...inner), Math.max(...inner)];
          return high - low < 8 ? 'plain' : inner.map((value) => (value > (low + high) / 2 ? '1' : '0')).join('');
        }),
      );
      expect(textures.length).toBeGreaterThan(3);
      expect(new Set(textures).size, `${colorScheme}, legend ${index}`).toBe(textures.length);
    }
  }
  await page.addStyleTag({ content: 'html { filter: grayscale(1) }' });
  await page.getByRole('radio', { name: 'Day', exact: true }).click();
  await point(page, at('2026-11-11T12:00:00Z'), {
    startMs: at('2026-11-11T00:00:00Z'),
    stopMs: at('2026-11-12T00:00:00Z'),
  });
  await expect(cursorOf(page)).toHaveAttribute('aria-valuetext', /Activity: [A-Z]/);
});

test('moves nothing under the cursor when data arrives', async ({ page, days }) => {
  await open(page, days, 'date=2026-11-11');
  const cursor = cursorOf(page);
  await cursor.focus();
  for (let i = 0; i < 14; i++) await cursor.press('Shift+ArrowRight');
  await cursor.press('+');
  const place = async () => ({
    says: (await cursor.getAttribute('aria-valuetext'))?.split('. ')[0],
    line: await page
      .locator('[class*="_cursorLine_"]')
      .boundingBox()
      .then((box) => [box?.x, box?.y]),
    figure: await page
      .getByRole('figure')
      .boundingBox()
      .then((box) => [box?.x, box?.y]),
    axis: await page.getByRole('figure').locator('[class*="_tick_"]').allTextContents(),
    lanes: (await page.getByRole('figure').locator('[class*="_name_"]').allTextContents()).slice(0, 7),
  });
  const before = await place();
  expect(before.axis.length).toBeGreaterThan(3);
  const params = { studyId: days.place.studyId, subjectId: days.reader };
  await days.client.call('createLabel', {
    params,
    body: { displayName: 'Dizzy', startTs: at('2026-11-11T10:00:00Z'), stopTs: at('2026-11-11T10:20:00Z') },
  });
  await days.record(days.reader, {
    ...{ startMs: at('2026-11-11T20:30:00Z'), stopMs: at('2026-11-11T20:50:00Z') },
    ...{ ...LONDON, sensors: THIGH },
  });
  await expect(page.getByRole('region', { name: 'Labels, tasks and faults' })).toContainText('Dizzy');
  await days.site.engine.jobs.whenIdle();
  await expect(page.getByRole('region', { name: /^Data status on Wed, Nov 11/ })).toContainText('20 h 20 min');
  await expect(page.getByText('is pending')).toHaveCount(0);
  expect(await place()).toEqual(before);
});

test('explains a gap with the location of its data, its causes and one action for each', async ({ page, days }) => {
  const expectNoProblems = watchPage(page);
  await open(page, days, 'date=2026-11-11');
  const evening = { startMs: at('2026-11-10T12:00:00Z'), stopMs: at('2026-11-12T00:00:00Z') };
  await point(page, at('2026-11-11T22:30:00Z'), evening);
  await expect(cursorOf(page)).toHaveAttribute(
    'aria-valuetext',
    /Wear: No recording\..*Data of Chest 1: On the sensor\. Data of Thigh 2: On the hub/,
  );
  await expect(page.getByRole('figure')).toContainText('Faults');
  await expect(page.getByRole('region', { name: 'Labels, tasks and faults' })).toContainText('Contact lost');
  const path = page.getByRole('table', { name: 'Data status on Wed, Nov 11, 2026' });
  const cells = (name: string) => path.getByRole('row', { name: new RegExp(name) }).getByRole('cell');
  await expect(cells('Chest 1').nth(0)).toContainText('3 h 0 min');
  await expect(cells('Thigh 2').nth(1)).toContainText('3 h 0 min');
  await expect(cells('Thigh 2').nth(4)).toContainText(/20 h/);
  const causes = page.getByRole('list', { name: 'Causes, most decisive first' }).getByRole('listitem');
  await expect(causes.first()).toContainText('has a recording from Thigh 2');
  for (const cause of await causes.all()) expect(await cause.getByRole('link').count()).toBeLessThanOrEqual(1);
  await expect(causes.first().getByRole('link')).toHaveText('Check device');
  await expectAccessible(page);
  expectNoProblems();
});

test('shows a week on one scale and opens any of its days, by mouse and by keyboard', async ({ page, days }) => {
  const expectNoProblems = watchPage(page);
  await open(page, days, 'date=2026-11-11');
  await page.keyboard.press('w');
  const week = page.getByRole('table', { name: 'Mon, Nov 9 – Sun, Nov 15, 2026' });
  await expect(week.locator('tbody tr')).toHaveCount(7);
  await expect(week.getByRole('row', { name: /Open Tue, Nov 10/ })).toContainText(/Heart rate \d+–\d+ bpm/);
  await expect(week.getByRole('row', { name: /Open Tue, Nov 10/ })).toContainText(/22 h 0 min|24 h 0 min/);
  await expect(week.getByRole('row', { name: /Median and range appear after 5 days/ })).toBeVisible();
  const strips = await week.locator('[class*="_strip_"]').evaluateAll((all) => all.map((one) => one.clientWidth));
  expect(new Set(strips).size).toBe(1);
  await expectAccessible(page);

  const monday = week.getByRole('link', { name: 'Open Mon, Nov 9, 2026' });
  await monday.focus();
  await page.keyboard.press('ArrowDown');
  await expect(week.getByRole('link', { name: 'Open Tue, Nov 10, 2026' })).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/date=2026-11-10/);
  await expect(cursorOf(page)).toBeVisible();
  await page.keyboard.press('.');
  await expect(page).toHaveURL(/date=2026-11-11/);
  await page.keyboard.press(',');
  await expect(page).toHaveURL(/date=2026-11-10/);

  await page.getByRole('radio', { name: 'Week' }).click();
  await week
    .getByRole('row', { name: /Open Wed, Nov 11/ })
    .locator('canvas')
    .click();
  await expect(page).toHaveURL(/date=2026-11-11/);
  await expect(cursorOf(page)).toBeVisible();

  await page.keyboard.press('w');
  await page.keyboard.press('t');
  const rows = page.getByRole('table', { name: 'Mon, Nov 9 – Sun, Nov 15, 2026' });
  await expect(rows.getByRole('row', { name: /^Tue, Nov 10/ })).toContainText(/\d+ \(\d+–\d+\)/);
  await expect(rows.getByRole('row', { name: /^Sun, Nov 15/ })).toContainText('Future');
  await expectAccessible(page);
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download week (CSV)' }).click(),
  ]);
  expect(file.suggestedFilename()).toBe('Reader_2026-11-09_week.csv');
  const csv = await readFile(await file.path(), 'utf8');
  expect(csv.split('\n')[0]).toContain('"HEART_RATE_MEAN (bpm)"');
  expect(csv).toMatch(/^"2026-11-10","86400","\d+"/m);
  expectNoProblems();
});

test('reports a day whose analysis was killed, and analyses it on retry', async ({ page, days }) => {
  const expectNoProblems = watchPage(page);
  const { jobs, analytics } = days.site.engine;
  const subjectId = await days.addSubject('Interrupted', 'Europe/London');
  const span = { startMs: at('2026-11-10T09:00:00Z'), stopMs: at('2026-11-10T12:00:00Z') };
  let isRunning = false;
  const follow = (job: { kind: string; state: string }) => {
    if (job.kind === 'analyse') isRunning = job.state === 'running';
  };
  const killed = new Set<number>();
  jobs.on('changed', follow);
  const killer = setInterval(() => {
    if (!isRunning) return;
    for (const pid of analytics.pids) {
      if (killed.has(pid)) continue;
      killed.add(pid);
      process.kill(pid, 'SIGKILL');
    }
  }, 5);
  try {
    const jobId = await days.record(subjectId, { ...span, ...LONDON, sensors: [...CHEST, ...THIGH] });
    expect((await jobs.whenEnded(jobId)).state).toBe('parked');
  } finally {
    clearInterval(killer);
    jobs.off('changed', follow);
  }
  expect(killed.size).toBe(3);
  await page.goto(`${days.days(subjectId)}?date=2026-11-10`);
  await expect(page.getByText('Analysis of Tue, Nov 10, 2026 was interrupted')).toBeVisible();
  await expect(page.getByText(/The analysis failed three times and was stopped/)).toBeVisible();
  await expectAccessible(page);
  const again = page.getByRole('button', { name: 'Try again: Analysis of Tue, Nov 10, 2026 was interrupted' });
  await again.press('Enter');
  await expect(page.getByText('Analysis of Tue, Nov 10, 2026 is complete')).toBeVisible({ timeout: 30_000 });
  await expect(page.getByRole('region', { name: 'Totals in view' })).toContainText(/Worn 3 h 0 min|Worn 2 h 5\d min/);
  await expect(page.getByRole('link', { name: /Open jobs/ })).toHaveCount(0);
  expectNoProblems();
});
