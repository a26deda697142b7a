/** The desk has its own typeface from the start of a page or not at all, never at the cost of the first load, and the phone does without. */
import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, type Page } from '@playwright/test';
import { signIn, test } from '../support/desk.ts';
import { keepTypeface, typefaceUrl } from '../support/typeface.ts';

const PHONE = fileURLToPath(new URL('../../out/phone/', import.meta.url));
const FACE = '13px "Outpost Sans"';

/** The typefaces that the page has defined and loaded. */
const loaded = (page: Page) =>
  page.evaluate(() =>
    [...document.fonts].filter(({ status }) => status === 'loaded').map(({ family }) => family.replaceAll('"', '')),
  );

const today = (page: Page) => page.getByRole('region', { name: 'Last 24 hours' });

/** Widths of texts in the face of the desk, as the page's own rules show them. */
const widths = (page: Page, texts: string[]) =>
  page.evaluate((all) => {
    const span = document.createElement('span');
    span.style.cssText = 'position: absolute; white-space: pre; font-variant-numeric: tabular-nums';
    document.body.append(span);
    const found = all.map((text) => {
      span.textContent = text;
      return span.getBoundingClientRect().width;
    });
    span.remove();
    return found;
  }, texts);

test('is fetched after the first screens, from the site alone, and used by the next page', async ({ page, site }) => {
  const asked: string[] = [];
  page.on('request', (request) => asked.push(request.url()));
  const fonts = () => asked.filter((url) => /\.woff2?$/.test(url));
  await page.goto('/');
  await signIn(page, site);
  await expect(today(page)).toBeVisible();
  expect(fonts()).toEqual([]);
  await expect
    .poll(() => page.evaluate(() => localStorage.getItem('outpost.typeface')), { timeout: 30_000 })
    .not.toBeNull();
  // Nothing moved on the page that is open.
  expect(await loaded(page)).toEqual([]);
  await page.reload();
  await expect(today(page)).toBeVisible();
  expect(await loaded(page)).toEqual(['Outpost Sans']);
  expect(new Set(asked.map((url) => new URL(url).host)).size).toBe(1);
  expect(fonts().every((url) => url.endsWith(typefaceUrl()))).toBe(true);
});

test('has figures of one width, and leaves Japanese to the system', async ({ page, site }) => {
  await keepTypeface(page);
  await page.goto('/');
  await signIn(page, site);
  await expect(today(page)).toBeVisible();
  expect(await page.evaluate((face) => document.fonts.check(face, 'Night and day 0123'), FACE)).toBe(true);
  const digits = await widths(
    page,
    [...'0123456789'].map((digit) => digit.repeat(20)),
  );
  expect(Math.max(...digits) - Math.min(...digits)).toBeLessThan(0.01);
  const range = await page.evaluate(() => [...document.fonts].map(({ unicodeRange }) => unicodeRange).join());
  const isInRange = (character: string) =>
    range.split(',').some((part) => {
      const [from, to = from] = part.trim().replace(/^U\+/i, '').split('-');
      const code = character.codePointAt(0)!;
      return code >= Number.parseInt(from!, 16) && code <= Number.parseInt(to!, 16);
    });
  expect([...'Aaé–…'].filter((character) => !isInRange(character))).toEqual([]);
  expect([...'日本語かナ、。（'].filter(isInRange)).toEqual([]);
});

test('is left out where its file does not come in time', async ({ page, site }) => {
  await keepTypeface(page);
  await page.route(/\.woff2$/, async (route) => {
    await new Promise((resolve) => setTimeout(resolve, 3_000));
    await route.continue();
  });
  await page.goto('/');
  await signIn(page, site);
  await expect(today(page)).toBeVisible();
  await page.waitForTimeout(3_000);
  expect(await page.evaluate(() => document.fonts.size)).toBe(0);
  await page.unrouteAll({ behavior: 'ignoreErrors' });
});

test('is no part of the phone', () => {
  const files = readdirSync(PHONE, { recursive: true, encoding: 'utf8' });
  expect(files.length).toBeGreaterThan(5);
  expect(files.filter((name) => /\.(woff2?|ttf|otf)$/.test(name))).toEqual([]);
});
