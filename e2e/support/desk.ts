/** Helpers for all desk tests: sign in, watch for errors, run axe. */
import { AxeBuilder } from '@axe-core/playwright';
import { test as base, expect, type Locator, type Page } from '@playwright/test';
import type { ServedDemo } from './sites.ts';

export interface TestSite extends ServedDemo {
  /** A copy of the site that is not served, for the desktop program. */
  desktopDir: string;
  /** An unchanged copy, for tests that make their own copy. */
  pristineDir: string;
}

export const testSite = (): TestSite => {
  const text = process.env.OUTPOST_E2E_SITE;
  if (!text) throw new Error('The global setup has not made the demo site.');
  return JSON.parse(text);
};

/** Tests against the served demo site: paths are relative to it. */
export const test = base.extend<object, { site: TestSite }>({
  // Playwright wants a pattern here, even when a fixture needs no other.
  // biome-ignore lint/correctness/noEmptyPattern: see above
  site: [({}, use) => use(testSite()), { scope: 'worker' }],
  baseURL: ({ site }, use) => use(site.url),
});

/** Collects errors of a page. Call the returned function at the end of the test. */
export const watchPage = (page: Page): (() => void) => {
  const problems: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning')
      problems.push(`console ${message.type()}: ${message.text()}`);
  });
  page.on('pageerror', (error) => problems.push(`uncaught: ${error.message}`));
  page.on('requestfailed', (request) => {
    // A page that is left, or a query that is no longer wanted, ends its requests itself.
    if (request.failure()?.errorText !== 'net::ERR_ABORTED')
      problems.push(`failed: ${request.url()} ${request.failure()?.errorText}`);
  });
  page.on('response', (response) => {
    if (response.status() >= 500) problems.push(`${response.status()}: ${response.url()}`);
  });
  return () => expect(problems).toEqual([]);
};

export const signIn = async (page: Page, site: Pick<TestSite, 'email' | 'password'>): Promise<void> => {
  await page.getByRole('textbox', { name: 'Email' }).fill(site.email);
  await page.getByLabel('Password', { exact: true }).fill(site.password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await expect(page.getByRole('heading', { name: 'Today', level: 1 })).toBeVisible();
};

/** Goes to an element with the Tab key, as a person without a mouse does. */
export const focusByTab = async (target: Locator): Promise<void> => {
  await expect(target).toBeVisible();
  for (let step = 0; step < 100; step++) {
    if (await target.evaluate((element) => element === document.activeElement)) return;
    await target.page().keyboard.press('Tab');
  }
  throw new Error(`Nobody reaches ${target} with the Tab key.`);
};

const STANDARDS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

/**
 * Ends the transitions of colours, as after a change of theme: text would stand on what nobody will read it on. They are ended
 * rather than awaited, because Chromium suspends those of elements out of sight: the page for pairing took 44 s.
 */
const endTransitions = (page: Page): Promise<void> =>
  page.evaluate(() => {
    for (const animation of document.getAnimations()) if (animation instanceof CSSTransition) animation.finish();
  });

/**
 * What axe says against a page, by WCAG 2.2 AA and its best practices, as far as it can see; with `rules` by those alone.
 */
export const violationsOf = async (page: Page, rules?: readonly string[]): Promise<string[]> => {
  await endTransitions(page);
  // Each document is given axe once, which takes longer than to look at a small screen.
  const isThere = await page.evaluate(() => 'axe' in window);
  const axe = new AxeBuilder(isThere ? { page, axeSource: '0' } : { page }).setLegacyMode(true);
  // Otherwise axe describes each element that passes, which on a long table takes most of its time.
  axe.options({ resultTypes: ['violations'] });
  const { violations } = await (rules ? axe.withRules([...rules]) : axe.withTags(STANDARDS)).analyze();
  return violations.map(
    ({ id, nodes }) => `${id}: ${nodes.map((node) => `${node.target.join(' ')} (${node.failureSummary})`).join('; ')}`,
  );
};

export const expectAccessible = async (page: Page): Promise<void> => expect(await violationsOf(page)).toEqual([]);
