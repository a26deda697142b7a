/** Correcting beats by keyboard: two keys for each, nothing lost while the site is away, all of it undone and redone. */
import { expect, type Page, test } from '@playwright/test';
import { evenBeats, syntheticEcgChunk } from '../../src-server/testing/synthetic-ecg.ts';
import { SIGNALS_START_MS, type SignalSite, startSignalSite } from '../support/signal-site.ts';

const RATE_HZ = 250;
const SECONDS = 600;
/** The figure asked for; a person presses a key a second without haste. */
const CORRECTIONS_PER_MINUTE = 30;
const KEYS_PER_MINUTE = 60;

let signals: SignalSite;
test.beforeAll(async () => {
  const { columns } = syntheticEcgChunk({ seconds: SECONDS, beats: evenBeats(SECONDS, 0.8), rateHz: RATE_HZ });
  signals = await startSignalSite(RATE_HZ, columns[0]);
});
test.afterAll(() => signals.close());

const ADDRESS = '**/corrections';
const list = (page: Page) => page.getByRole('region', { name: /^Corrections/ }).getByRole('listitem');
const status = (page: Page) => page.getByRole('region', { name: /^Corrections/ }).getByRole('status');

test('two keys a correction, kept through a reload without the site', async ({ browser }) => {
  const page = await signals.open(browser, { viewport: { width: 1440, height: 900 } });
  await page.goto(signals.signals(SIGNALS_START_MS + 5000));
  await page.getByRole('button', { name: 'Correct', exact: true }).click();
  await page.getByLabel('Reason').fill('Read by hand');
  await page.keyboard.press('Enter');
  await expect(status(page)).toHaveText('All corrections are saved.');
  await page.route(ADDRESS, (route) => (route.request().method() === 'POST' ? route.abort() : route.fallback()));
  let presses = 0;
  const press = async (...keys: string[]) => {
    for (const key of keys) {
      await page.keyboard.press(key);
      presses++;
    }
  };
  const corrections = [
    ['k', 'v'],
    ['k', 's'],
    ['k', 'x'],
    ['k', 'u'],
    ['k', 'v'],
    ['k', 'n'],
  ];
  // The beats have arrived once a step reaches one.
  await expect(async () => {
    await page.keyboard.press('k');
    await page.keyboard.press('v');
    await expect(status(page)).toContainText('1 correction is being saved');
  }).toPass();
  for (const keys of corrections) await press(...keys);
  expect(presses / corrections.length).toBeLessThanOrEqual(KEYS_PER_MINUTE / CORRECTIONS_PER_MINUTE);
  const made = corrections.length + 1;
  await expect(status(page)).toContainText(`${made} corrections are being saved`);

  // The page is gone before anything has reached the site.
  await page.reload();
  await page.unroute(ADDRESS);
  await page.getByRole('button', { name: 'Correct', exact: true }).click();
  await expect(list(page)).toHaveCount(made);
  await expect(list(page).first()).toContainText('Read by hand');

  await page.getByLabel('Reason').fill('A second look');
  await page.keyboard.press('Enter');
  await expect(async () => {
    await page.keyboard.press('k');
    await page.keyboard.press('f');
    await expect(list(page)).toHaveCount(made + 1);
  }).toPass();
  const newest = list(page).first();
  await page.keyboard.press('Control+z');
  await expect(newest).toContainText('Undone by');
  await page.keyboard.press('Control+Shift+z');
  await expect(newest).toContainText('Redone by');
  await expect(status(page)).toHaveText('All corrections are saved.');
  await page.context().close();
});

/** A person who corrects at this pace leaves the interface half of the time at most. */
const MOST_WORK_SECONDS = 30;

test('30 corrections in one go by keyboard: two keys each, none lost, within half a minute of work', async ({
  browser,
}) => {
  const page = await signals.open(browser, { viewport: { width: 1440, height: 900 } });
  await page.goto(signals.signals(SIGNALS_START_MS + 120_000));
  await page.getByRole('button', { name: 'Correct', exact: true }).click();
  await page.getByLabel('Reason').fill('Read by hand');
  await page.keyboard.press('Enter');
  await expect(status(page)).toHaveText('All corrections are saved.');
  const before = await list(page).count();
  // The beats have arrived once a step reaches one.
  await expect(async () => {
    await page.keyboard.press('k');
    await page.keyboard.press('v');
    await expect(list(page)).toHaveCount(before + 1, { timeout: 2000 });
  }).toPass();
  const session = await page.context().newCDPSession(page);
  // Processor time of the page's thread: what else runs on the computer does not count.
  await session.send('Performance.enable', { timeDomain: 'threadTicks' });
  const work = async (): Promise<number> => {
    const { metrics } = await session.send('Performance.getMetrics');
    return metrics.find(({ name }) => name === 'TaskDuration')!.value;
  };
  const workBefore = await work();
  const keys = ['v', 's', 'x', 'u', 'f', 'n'];
  const of = (code: string) => `Type of beat ${code}`;
  const names: Record<string, string> = {
    ...{ v: of('V'), s: of('S'), u: of('|'), f: of('F'), n: of('N') },
    x: 'Beat deleted',
  };
  const made: string[] = [];
  for (let i = 0; i < CORRECTIONS_PER_MINUTE; i++) {
    const key = keys[i % keys.length]!;
    let presses = 0;
    for (const one of ['k', key]) {
      await page.keyboard.press(one);
      presses++;
    }
    expect(presses).toBeLessThanOrEqual(KEYS_PER_MINUTE / CORRECTIONS_PER_MINUTE);
    made.push(names[key]!);
  }
  await expect(status(page)).toHaveText('All corrections are saved.');
  await expect(list(page)).toHaveCount(before + 1 + CORRECTIONS_PER_MINUTE);
  const seconds = (await work()) - workBefore;
  test.info().annotations.push({ type: 'processor time of 30 corrections', description: `${seconds.toFixed(1)} s` });
  expect(seconds).toBeLessThan(MOST_WORK_SECONDS);

  // The site has each of them, in their order; the newest stands first.
  await page.reload();
  await page.getByRole('button', { name: 'Correct', exact: true }).click();
  await expect(list(page)).toHaveCount(before + 1 + CORRECTIONS_PER_MINUTE);
  const shown = (await list(page).allInnerTexts()).slice(0, CORRECTIONS_PER_MINUTE).reverse();
  expect(shown.map((text) => text.split('\n')[0])).toEqual(made);
  await page.context().close();
});

test('wear and sleep that a person corrected are bands in the signals and marks on the day', async ({ browser }) => {
  const page = await signals.open(browser, { viewport: { width: 1440, height: 900 } });
  await page.goto(signals.signals(SIGNALS_START_MS + 420_000));
  const detail = page.locator('[data-mode] canvas').first();
  await expect(detail).toBeVisible();
  const heightOf = async () => (await detail.boundingBox())!.height;
  await page.getByRole('button', { name: 'Correct', exact: true }).click();
  await page.getByLabel('Reason').fill('As the subject says');
  await page.keyboard.press('Enter');
  const plain = await heightOf();
  const box = (await detail.boundingBox())!;
  const mark = async (name: string, from: number, to: number) => {
    await page.keyboard.down('Shift');
    await page.mouse.move(box.x + from * box.width, box.y + 120);
    await page.mouse.down();
    await page.mouse.move(box.x + to * box.width, box.y + 120, { steps: 4 });
    await page.mouse.up();
    await page.keyboard.up('Shift');
    await page.getByRole('button', { name, exact: true }).click();
  };
  await mark('Not worn', 0.2, 0.5);
  await expect.poll(heightOf).toBeCloseTo(plain + 18, 0);
  await mark('Asleep', 0.4, 0.8);
  await expect.poll(heightOf).toBeCloseTo(plain + 36, 0);
  await expect(status(page)).toHaveText('All corrections are saved.');
  if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/viewer.png` });
  await page.goto(signals.history.replace('history', 'days?date=2026-01-15'));
  const chart = page.getByRole('slider').first();
  await expect(chart).toBeVisible();
  // The cursor goes to the recording; the reading of the lane says whose edit it is.
  const plot = (await chart.boundingBox())!;
  const atMs = SIGNALS_START_MS + 420_000;
  const windowMs = Date.UTC(2026, 0, 14, 17);
  await page.mouse.move(plot.x + (plot.width * (atMs - windowMs)) / (36 * 3_600_000), plot.y + plot.height / 2);
  await expect(page.getByText(/Edit by Site Administrator/).first()).toBeVisible();
  if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/day.png` });
  await page.context().close();
});
