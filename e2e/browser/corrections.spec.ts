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

test('30 corrections a minute by keyboard, kept through a reload without the site', async ({ browser }) => {
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
