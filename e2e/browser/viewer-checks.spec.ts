/** What a reviewer holds against the raw viewer with a ruler: true paper, true measurements, honest gaps, lasting labels. */
import { readFile } from 'node:fs/promises';
import { type Browser, type BrowserContextOptions, test as base, expect, type Page } from '@playwright/test';
import { watchPage } from '../support/desk.ts';
import { MISSING_MINUTE, SIGNALS_START_MS, type SignalSite, startSignalSite } from '../support/signal-site.ts';

const test = base.extend<object, { signals: SignalSite }>({
  signals: [
    // Playwright wants a pattern here, even when a fixture needs no other.
    // biome-ignore lint/correctness/noEmptyPattern: see above
    async ({}, use) => {
      const site = await startSignalSite();
      await use(site);
      await site.close();
    },
    { scope: 'worker' },
  ],
});

const PULSE_MS = SIGNALS_START_MS + 12_500;
const PX_PER_MM = 96 / 25.4;

const detailOf = (page: Page) => page.getByRole('slider', { name: 'Detail', exact: true });
const measured = (page: Page) => page.getByTestId('measurement');

async function openAt(
  browser: Browser,
  site: SignalSite,
  atMs: number,
  options: BrowserContextOptions = {},
): Promise<Page> {
  const page = await site.open(browser, { viewport: { width: 1440, height: 900 }, colorScheme: 'light', ...options });
  await page.goto(site.signals(atMs));
  await expect(detailOf(page)).toHaveAttribute('aria-busy', 'false');
  await expect(page.getByTestId('scale')).toContainText('25 mm/s · 10 mm/mV');
  return page;
}

async function typeTime(page: Page, name: string, time: string): Promise<void> {
  const field = page.getByRole('textbox', { name, exact: true });
  await field.fill(time);
  await field.press('Enter');
}

/** From just before the pulse into it: 1,000 ms and 1 mV apart. */
async function measurePulse(page: Page): Promise<void> {
  await typeTime(page, 'Start caliper', '06:00:11.900');
  await typeTime(page, 'End caliper', '06:00:12.900');
  await expect(measured(page)).toContainText('1,000 ms');
}

interface Ruled {
  /** Middles of the bold lines along the paper and across it, in device pixels. */
  alongPx: number[];
  acrossPx: number[];
  /** Height of the drawn pulse, device pixels. */
  pulsePx: number;
}

/** Reads the drawn paper and pulse back from the picture of the detail. */
function ruled(page: Page): Promise<Ruled> {
  return detailOf(page).evaluate((surface) => {
    const canvas = surface.parentElement?.querySelector('canvas');
    const context = canvas?.getContext('2d');
    if (!canvas || !context) throw new Error('The detail has no picture.');
    const ratio = devicePixelRatio;
    const { width } = canvas;
    const [top, height] = [Math.round(34 * ratio), Math.round(250 * ratio)];
    const { data } = context.getImageData(0, top, width, height);
    const at = (x: number, y: number) => [0, 1, 2].map((c) => data[4 * (y * width + x) + c]!);
    const near = (x: number, y: number, color: number[]) =>
      at(x, y).every((value, c) => Math.abs(value - color[c]!) < 12);
    const probe = document.createElement('span');
    document.body.append(probe);
    const colorOf = (name: string) => {
      probe.style.color = `var(--${name})`;
      return (getComputedStyle(probe).color.match(/\d+/g) ?? []).map(Number);
    };
    const bold = colorOf('paper-bold');
    probe.remove();
    // The trace is by far the darkest thing on the paper; thin, it is mixed with what lies beneath.
    const isTrace = (x: number, y: number) => Math.max(...at(x, y)) < 150;
    const middles = (length: number, isBold: (i: number) => boolean) => {
      const found: number[] = [];
      for (let i = 0; i < length; i++) {
        if (!isBold(i)) continue;
        let end = i;
        while (end + 1 < length && isBold(end + 1)) end++;
        found.push((i + end + 1) / 2);
        i = end;
      }
      return found;
    };
    // Along a row, and down a column, that lie between the lines of the other direction.
    const fewest = (candidates: number[], count: (i: number) => number) =>
      candidates.reduce((best, one) => (count(one) < count(best) ? one : best));
    const range = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => from + i);
    const rowCount = (y: number) => range(0, width).filter((x) => near(x, y, bold)).length;
    const row = fewest(range(Math.round(28 * ratio), Math.round(60 * ratio)), rowCount);
    const columnCount = (x: number) => range(0, height).filter((y) => near(x, y, bold)).length;
    const column = fewest(range(Math.round(width * 0.7), Math.round(width * 0.7 + 30 * ratio)), columnCount);
    const alongPx = middles(Math.round(width * 0.85), (x) => near(x, row, bold));
    const acrossPx = middles(height, (y) => near(column, y, bold));
    const traceRow = (x: number) => middles(height, (y) => isTrace(x, y))[0] ?? 0;
    // The window is centred on the pulse; two seconds to its left lies the base line.
    const middle = Math.round(width / 2);
    const before = Math.round(middle - 2 * 25 * (96 / 25.4) * ratio);
    return { alongPx, acrossPx, pulsePx: traceRow(before) - traceRow(middle) };
  });
}

/** Lines stand evenly at a distance, each within a device pixel of its place; one may lie hidden under the trace. */
function expectEven(middles: number[], distancePx: number, least: number): void {
  expect(middles.length).toBeGreaterThan(least);
  for (const middle of middles) {
    const steps = Math.round((middle - middles[0]!) / distancePx);
    expect(Math.abs(middle - middles[0]! - steps * distancePx), `line at ${middle}`).toBeLessThanOrEqual(1);
  }
  expect(Math.round((middles[middles.length - 1]! - middles[0]!) / distancePx)).toBeLessThanOrEqual(middles.length);
}

for (const deviceScaleFactor of [1, 1.25, 2])
  test(`draws paper and pulse true to the millimetre at a device pixel ratio of ${deviceScaleFactor}`, async ({
    browser,
    signals,
  }) => {
    const page = await openAt(browser, signals, PULSE_MS, { deviceScaleFactor });
    const { alongPx, acrossPx, pulsePx } = await ruled(page);
    const fiveMm = 5 * PX_PER_MM * deviceScaleFactor;
    expectEven(alongPx, fiveMm, 40);
    expectEven(acrossPx, fiveMm, 8);
    expect(Math.abs(pulsePx - 10 * PX_PER_MM * deviceScaleFactor)).toBeLessThanOrEqual(1);
    await page.context().close();
  });

test('calibrates the paper with a bank card and keeps the paper speed', async ({ browser, signals }) => {
  const page = await openAt(browser, signals, PULSE_MS);
  await page.getByRole('button', { name: 'Calibrate screen size' }).click();
  const dialog = page.getByRole('dialog', { name: 'Calibrate screen size' });
  await dialog.getByRole('slider').fill('5');
  await expect(dialog).toContainText('428 px');
  await dialog.getByRole('button', { name: 'Save size' }).click();
  for (const again of [false, true]) {
    if (again) await page.reload();
    await expect(page.getByTestId('scale')).toContainText('25 mm/s · 10 mm/mV');
    await expect(detailOf(page)).toHaveAttribute('aria-busy', 'false');
    // It is drawn once per frame.
    await expect.poll(async () => Math.abs((await ruled(page)).pulsePx - 50)).toBeLessThanOrEqual(1);
    const { alongPx, acrossPx } = await ruled(page);
    expectEven(alongPx, 25, 25);
    expectEven(acrossPx, 25, 6);
  }
  await page.setViewportSize({ width: 1280, height: 800 });
  await expect(page.getByTestId('scale')).toContainText('25 mm/s · 10 mm/mV');
  await page.context().close();
});

/** Where the picture of the detail has a colour of the desk: columns with many rows of it, and the rows of some columns. */
function inked(page: Page, color: string, leastRows: number, toPx: number) {
  return detailOf(page).evaluate(
    (surface, { name, least, to }) => {
      const canvas = surface.parentElement?.querySelector('canvas');
      const context = canvas?.getContext('2d');
      if (!canvas || !context) throw new Error('The detail has no picture.');
      const probe = document.createElement('span');
      document.body.append(probe);
      probe.style.color = `var(--${name})`;
      const wanted = (getComputedStyle(probe).color.match(/\d+/g) ?? []).map(Number);
      probe.remove();
      const [top, height, width] = [34, 250, Math.min(canvas.width, to)];
      const { data } = context.getImageData(0, top, width, height);
      const isInk = (x: number, y: number) =>
        wanted.every((value, c) => Math.abs(data[4 * (y * width + x) + c]! - value) < 40);
      const rows = new Set<number>();
      const columns: number[] = [];
      for (let x = 0; x < width; x++) {
        const found = Array.from({ length: height }, (_, y) => y).filter((y) => isInk(x, y));
        if (found.length < least) continue;
        columns.push(x);
        for (const y of found) rows.add(y);
      }
      return { columns, heightPx: rows.size === 0 ? 0 : Math.max(...rows) - Math.min(...rows) + 1 };
    },
    { name: color, least: leastRows, to: toPx },
  );
}

test('draws a 1 mV pulse, repeats an interval, snaps calipers and fits the gain', async ({ browser, signals }) => {
  const page = await openAt(browser, signals, PULSE_MS);
  const mmPulse = async () => (await inked(page, 'accent', 15, 40)).heightPx / PX_PER_MM;
  await expect.poll(async () => Math.abs((await mmPulse()) - 10)).toBeLessThan(0.6);
  await page.getByRole('radio', { name: '5', exact: true }).press('Space');
  await expect.poll(async () => Math.abs((await mmPulse()) - 5)).toBeLessThan(0.6);

  await typeTime(page, 'Start caliper', '06:00:11.900');
  await typeTime(page, 'End caliper', '+0.8s');
  await detailOf(page).focus();
  await page.keyboard.press('r');
  const lines = async () => {
    const { columns } = await inked(page, 'caliper', 60, 2000);
    return columns.filter((x, i) => x - (columns[i - 1] ?? -9) > 2);
  };
  await expect.poll(async () => (await lines()).length).toBeGreaterThan(8);
  expectEven(await lines(), 0.8 * 25 * PX_PER_MM, 8);
  await page.keyboard.press('r');
  await expect.poll(lines).toEqual([]);

  await page.keyboard.press('s');
  await expect(page.getByRole('region', { name: 'Calipers' })).toContainText(/Snapped to a (beat|local extreme)\./);
  await page.getByRole('radio', { name: 'Auto' }).press('Space');
  await expect(page.getByText('Gain fitted to the window')).toBeVisible();
  await expect(page.getByTestId('scale')).not.toContainText('mm/mV');
  await page.context().close();
});

test('measures the pulse as 1.00 mV and 1,000 ms at every zoom, gain and size', async ({ browser, signals }) => {
  const page = await openAt(browser, signals, PULSE_MS);
  const expectNoProblems = watchPage(page);
  await measurePulse(page);
  await detailOf(page).focus();
  await page.keyboard.press('h');
  const height = measured(page).locator('div').filter({ hasText: 'Height' });
  for (const key of ['+', '+', '-', '-', '-', '0', 'ArrowUp', 'ArrowDown', 'ArrowDown']) {
    await page.keyboard.press(key);
    await expect(measured(page)).toContainText('1,000 ms');
    await expect(measured(page).locator('div').filter({ hasText: 'Difference' })).toContainText('1.00 mV');
    await expect(height).toContainText('1.00 mV');
    // On the strip too, even where the interval is narrower than its words.
    await expect(page.getByTestId('between-calipers')).toHaveText('1,000 ms · 60.0 /min');
    await expect(page.getByTestId('between-calipers')).toBeVisible();
  }
  await page.setViewportSize({ width: 1024, height: 640 });
  await expect(height).toContainText('1.00 mV');

  // A level moves by keyboard and by typing, and always says millivolts.
  await page.getByRole('slider', { name: 'Level 2 (mV)' }).focus();
  await page.keyboard.press('Shift+ArrowUp');
  await page.keyboard.press('ArrowDown');
  await expect(height).toContainText('1.09 mV');
  await typeTime(page, 'Level 2 (mV)', '０．５');
  await expect(height).toContainText('0.50 mV');
  expectNoProblems();
  await page.context().close();
});

test('opens at the first signal, around the time of an address, and says where nothing is readable', async ({
  browser,
}) => {
  const [rateHz, flatSeconds] = [250, 120];
  // No electrodes for two minutes, then a wave.
  const counts = Int16Array.from({ length: 600 * rateHz }, (_, i) =>
    i < flatSeconds * rateHz ? 0 : 1000 * Math.sin(i / 20),
  );
  const site = await startSignalSite(rateHz, counts);
  const page = await site.open(browser, { viewport: { width: 1440, height: 900 } });
  const from = page.getByRole('textbox', { name: 'From', exact: true });
  const sentence = page.getByText('No readable signal was found in this recording.');
  const asked: number[] = [];
  page.on('request', (request) => {
    const { pathname, searchParams } = new URL(request.url());
    if (pathname.endsWith('/data')) asked.push(Number(searchParams.get('from')) - SIGNALS_START_MS);
  });
  const start = site.signals(0).split('?')[0]!;
  await page.goto(start);
  await expect(from).toHaveValue('06:02:01.000');
  await expect(detailOf(page)).toHaveAttribute('aria-busy', 'false');
  await expect(sentence).toHaveCount(0);
  // Nothing of the two minutes was asked for but the neighbour of the window.
  expect(Math.min(...asked)).toBeGreaterThanOrEqual((flatSeconds - 20) * 1000);
  await page.goto(site.signals(SIGNALS_START_MS + 30_000));
  await expect(from).toHaveValue(/^06:00:24\./);

  // What the analysis found goes before what the samples look like.
  let found: number | null = SIGNALS_START_MS + 300_000;
  await page.route(/\/overview\?.*readable=true/, async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, json: { ...(await response.json()), readableFromTs: found } });
  });
  await page.goto(start);
  await expect(from).toHaveValue('06:05:00.000');
  found = null;
  await page.reload();
  await expect(from).toHaveValue('06:00:00.000');
  await expect(sentence).toBeVisible();
  await page.goto(site.signals(SIGNALS_START_MS + 30_000));
  await expect(from).toHaveValue(/^06:00:24\./);
  await expect(sentence).toHaveCount(0);
  await page.unrouteAll({ behavior: 'wait' });
  await page.context().close();
  await site.close();
});

test('opens the form of a label with its name focused, over a point as over an interval', async ({
  browser,
  signals,
}) => {
  const page = await openAt(browser, signals, PULSE_MS);
  const name = page.getByRole('textbox', { name: 'Name', exact: true });
  await detailOf(page).focus();
  for (const keys of [['['], ['[', 'ArrowRight', ']']]) {
    for (const key of keys) await page.keyboard.press(key);
    await page.keyboard.press('l');
    await expect(name).toBeFocused();
    // A letter in the field is a letter, not a command.
    await page.keyboard.type('ml');
    await expect(name).toHaveValue('ml');
    await expect(page.getByRole('button', { name: 'Measure', exact: true })).toHaveAttribute('aria-pressed', 'false');
    await detailOf(page).focus();
    await page.keyboard.press('l');
    await expect(name).toHaveCount(0);
  }
  await page.keyboard.press('m');
  await expect(page.getByRole('button', { name: 'Measuring' })).toHaveAttribute('aria-pressed', 'true');
  await page.context().close();
});

test('measures time and height at once by mouse', async ({ browser, signals }) => {
  const page = await openAt(browser, signals, PULSE_MS);
  await page.getByRole('button', { name: 'Measure', exact: true }).click();
  const box = await detailOf(page).boundingBox();
  if (!box) throw new Error('The detail has no place.');
  const pxPerS = 25 * PX_PER_MM;
  const [x, y] = [box.x + box.width / 2 - 2 * pxPerS, box.y + 34 + 60];
  await page.mouse.move(x, y);
  await page.mouse.down();
  await page.mouse.move(x + pxPerS, y + 10 * PX_PER_MM, { steps: 3 });
  await page.mouse.up();
  await expect(measured(page)).toContainText(/(99\d|1,00\d) ms/);
  await expect(measured(page).locator('div').filter({ hasText: 'Height' })).toContainText(/(0\.99|1\.0[01]) mV/);
  await page.context().close();
});

test('hatches and names a gap, and draws no line across it', async ({ browser, signals }) => {
  const gapStartMs = SIGNALS_START_MS + MISSING_MINUTE * 60_000;
  const page = await openAt(browser, signals, gapStartMs);
  await expect(page.getByTestId('in-view')).toContainText(/No samples for \d+ s/);
  const seen = await detailOf(page).evaluate((surface) => {
    const canvas = surface.parentElement?.querySelector('canvas');
    const context = canvas?.getContext('2d');
    if (!canvas || !context) throw new Error('The detail has no picture.');
    const ratio = devicePixelRatio;
    const lane = { top: Math.round(64 * ratio), height: Math.round(210 * ratio) };
    /** Share of the columns of a part of the lane that a dark line runs through, and how many colours there are. */
    const look = (from: number, to: number) => {
      const width = Math.round((to - from) * canvas.width);
      const { data } = context.getImageData(Math.round(from * canvas.width), lane.top, width, lane.height);
      const columns = new Set<number>();
      const colors = new Set<string>();
      for (let i = 0; i < data.length; i += 4) {
        if (Math.max(data[i]!, data[i + 1]!, data[i + 2]!) < 150) columns.add((i / 4) % width);
        colors.add(`${data[i]} ${data[i + 1]} ${data[i + 2]}`);
      }
      return { share: columns.size / width, colors: colors.size };
    };
    return { before: look(0.1, 0.48), hatched: look(0.52, 0.6), far: look(0.93, 0.98) };
  });
  expect(seen.before.share).toBeGreaterThan(0.9);
  expect(seen.hatched.share).toBe(0);
  expect(seen.far.share).toBe(0);
  expect(seen.hatched.colors).toBeGreaterThan(1);
  const reason = /No samples for 1 min.* The cause is unknown\./;
  await expect(page.getByTestId('in-view')).toContainText(reason);

  // The same as a table: a row per second up to the gap, the gap as one row, and nothing that stands for it.
  await page.keyboard.press('t');
  const table = page.getByRole('region', { name: 'Table', exact: true });
  await expect(table.getByRole('row').filter({ hasText: reason })).toHaveCount(1);
  await expect(table.getByRole('row').filter({ hasText: /06:04:5\d/ })).not.toHaveCount(0);
  await expect(table.getByRole('row').filter({ hasText: '06:05:01' })).toHaveCount(0);
  const saved = page.waitForEvent('download');
  await table.getByRole('button', { name: 'Download signals in view (CSV)' }).click();
  const lines = (await readFile(await (await saved).path(), 'utf8')).trim().split('\n');
  expect(lines[0]).toContain('"Lane","Sensor","Dimension","Unit","Start Timestamp (ms)","Stop Timestamp (ms)"');
  const gaps = lines.filter((line) => line.includes('The cause is unknown'));
  expect(gaps.length).toBeGreaterThanOrEqual(2);
  expect(gaps[0]).toContain(`"${gapStartMs}","${gapStartMs + 60_000}"`);
  const own = lines.slice(1).filter((line) => line.includes('AA:BB:CC:00:00:01') && !gaps.includes(line));
  expect(own.length).toBeGreaterThan(10);
  const startOf = (line: string) => Number(line.split(',')[3]!.replaceAll('"', ''));
  // Names contain commas, so the start is searched from the MAC address on.
  expect(own.filter((line) => startOf(line.slice(line.indexOf('"AA:'))) > gapStartMs)).toEqual([]);
  await page.context().close();
});

test('names the filter beside the scale, in the measurement and in the label, with undo, redo and history', async ({
  browser,
  signals,
}) => {
  const page = await openAt(browser, signals, PULSE_MS);
  const expectNoProblems = watchPage(page);
  const words = 'Filtered 0.5–40 Hz, 60 Hz notch';
  await page.getByRole('combobox', { name: 'Display filter' }).selectOption('band60');
  await measurePulse(page);
  const calipers = page.getByRole('region', { name: 'Calipers' });
  await expect(calipers.getByRole('status')).toContainText(words);
  await page.getByRole('combobox', { name: 'Label type' }).selectOption('qt');
  await page.getByRole('button', { name: 'Save as label' }).click();
  const list = page.getByRole('region', { name: 'On this recording' });
  const kept = list.getByRole('listitem').filter({ hasText: 'QT interval' });
  await expect(kept).toContainText('1,000 ms');
  await expect(kept).toContainText(words);
  await detailOf(page).focus();
  await page.keyboard.press('Control+z');
  await expect(kept).toHaveCount(0);
  await page.keyboard.press('Control+Shift+z');
  await expect(kept).toBeVisible();
  await page.reload();
  await expect(kept).toContainText('1,000 ms');
  await page.goto(signals.history);
  await expect(
    page
      .getByText(/label/i)
      .filter({ hasText: /delete/i })
      .first(),
  ).toBeVisible();
  await expect(
    page
      .getByText(/label/i)
      .filter({ hasText: /(created|made|added)/i })
      .first(),
  ).toBeVisible();
  expectNoProblems();
  await page.context().close();
});

test("shows other sensors' recordings in lanes that can be hidden", async ({ browser, signals }) => {
  const page = await openAt(browser, signals, PULSE_MS);
  const heightPx = async () => (await detailOf(page).boundingBox())?.height ?? 0;
  await expect.poll(heightPx).toBeGreaterThan(440);
  const before = await heightPx();
  await page.getByRole('button', { name: 'Lanes' }).click();
  const lanes = page.getByRole('dialog', { name: 'Lanes' });
  await expect(lanes.getByRole('checkbox')).toHaveCount(6);
  const range = lanes.getByRole('radiogroup', { name: 'Acceleration range (g)' });
  await range.getByRole('radio', { name: '±4' }).press('Space');
  await expect(range.getByRole('radio', { name: '±4' })).toBeChecked();
  await lanes.getByRole('checkbox', { name: 'Labels and tasks' }).press('Space');
  await expect.poll(heightPx).toBeLessThan(before);
  await page.context().close();
});

test('needs no horizontal scrolling at 200% zoom', async ({ browser, signals }) => {
  // A window of 1440 x 900 at 200 % has half as many pixels of twice the size.
  const page = await openAt(browser, signals, PULSE_MS, {
    viewport: { width: 720, height: 450 },
    deviceScaleFactor: 2,
  });
  expect(await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth)).toBe(true);
  const tools = page.getByRole('toolbar', { name: 'Scale and tools' }).getByRole('button');
  for (const tool of await tools.all()) {
    const box = await tool.boundingBox();
    expect((box?.x ?? -1) >= 0 && (box?.x ?? 0) + (box?.width ?? 0) <= 720).toBe(true);
  }
  await measurePulse(page);
  await page.context().close();
});

/** The last of the file: the study of the site ends. */
test('requires a reason to change labels of a complete study, and shows it in the history', async ({
  browser,
  signals,
}) => {
  await signals.endStudy();
  const page = await openAt(browser, signals, PULSE_MS);
  const expectNoProblems = watchPage(page);
  await page.getByRole('button', { name: 'Label', exact: true }).click();
  await detailOf(page).focus();
  await page.keyboard.press('[');
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Second reading');
  const save = page.getByRole('button', { name: 'Save label' });
  await expect(save).toBeDisabled();
  await page.getByRole('textbox', { name: /^Reason/ }).fill('Agreed with the sponsor');
  await save.click();
  const list = page.getByRole('region', { name: 'On this recording' });
  await list.getByRole('button', { name: 'Delete label Second reading' }).click();
  const dialog = page.getByRole('dialog', { name: 'Delete label “Second reading”?' });
  await dialog.getByRole('button', { name: 'Delete', exact: true }).click();
  await expect(dialog.getByText('Enter a reason: the study is complete.')).toBeVisible();
  await dialog.getByRole('textbox', { name: /^Reason/ }).fill('Marked twice');
  await dialog.getByRole('textbox', { name: /^Reason/ }).press('Enter');
  await expect(list.getByText('Second reading')).toHaveCount(0);
  await page.goto(signals.history);
  await expect(page.getByText('Marked twice')).toBeVisible();
  await expect(page.getByText('Agreed with the sponsor')).toBeVisible();
  expectNoProblems();
  await page.context().close();
});
