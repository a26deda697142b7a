/**
 * Every screen of the desk, full, empty and failing: axe finds nothing, the console stays empty, no request fails, no text is
 * cut off, and what is empty says why and what to do; in the colours of light and dark. In Japanese every route is seen in the
 * dark and with the cable pulled: the site is on this very computer; and none shows a sentence that the site wrote in English.
 */
import { expect, type Page } from '@playwright/test';
import { cutOff } from '../support/cut-off.ts';
import { violationsOf } from '../support/desk.ts';
import { overflowsOf } from '../support/overflow.ts';
import { ScreenWatch, type Stage, test } from '../support/screen-walk.ts';
import { routesWithoutScreen, SCREENS, type Screen } from '../support/screens.ts';
import { SiteSentences } from '../support/site-sentences.ts';

/** axe rules that depend on colours. The others run in the light theme only. */
const COLOUR_RULES = ['color-contrast', 'link-in-text-block'];

/** Screens without data that show no separate empty state. */
const SHOW_NOTHING = [
  ...['today-empty', 'days-of-new-subject', 'tasks-of-new-subject', 'study-definition-draft'],
  // A new subject has a status.
  'participation-of-new-subject',
];

/** Screens per test at most, for about 30 s each. */
const PART = 22;

const firstOfRoute = ({ route }: Screen, index: number) =>
  SCREENS.findIndex((screen) => screen.route === route) === index;

/** Lists empty states without a sentence or an action, and a missing empty state where one is expected. */
const emptyProblems = (page: Page, mustBeEmpty: boolean): Promise<string[]> =>
  page.evaluate((isExpected) => {
    const found: string[] = [];
    const places = [...document.querySelectorAll('[data-testid="empty"]')];
    if (isExpected && places.length === 0) found.push('nothing says that there is no data');
    const isShown = (element: Element) => element.checkVisibility({ visibilityProperty: true });
    const main = document.querySelector('main') ?? document.body;
    const primary = [...main.querySelectorAll('[class*="_primary_"]')].some(isShown);
    for (const place of places) {
      const title = place.querySelector('h1, h2')?.textContent ?? '';
      if (!/[.。]$/.test(place.querySelector('p')?.textContent?.trim() ?? '')) found.push(`no sentence: ${title}`);
      if (!primary && ![...place.querySelectorAll('a, button')].some(isShown)) found.push(`no action: ${title}`);
    }
    return found;
  }, mustBeEmpty);

const hasNoData = ({ name }: Screen) => /-(empty|draft|of-new-subject)$/.test(name) && !SHOW_NOTHING.includes(name);

async function lookAt(page: Page, stage: Stage, screens: readonly Screen[]): Promise<void> {
  const watch = new ScreenWatch(page, stage);
  for (const screen of screens)
    await test.step(screen.name, async () => {
      await watch.open(screen);
      expect.soft(await overflowsOf(page), `${screen.name}, cut off`).toEqual([]);
      expect.soft(await emptyProblems(page, hasNoData(screen)), `${screen.name}, empty`).toEqual([]);
      expect.soft(await violationsOf(page), `${screen.name}, light`).toEqual([]);
      await page.emulateMedia({ colorScheme: 'dark' });
      await watch.settled();
      expect.soft(await violationsOf(page, COLOUR_RULES), `${screen.name}, dark`).toEqual([]);
      await page.emulateMedia({ colorScheme: 'light' });
      expect.soft(watch.takeProblems(), screen.name).toEqual([]);
    });
}

/** Parts of about the same length. */
function partsOf(screens: readonly Screen[]): (readonly Screen[])[] {
  const count = Math.ceil(screens.length / PART);
  const length = Math.ceil(screens.length / count);
  return Array.from({ length: count }, (_, at) => screens.slice(at * length, (at + 1) * length));
}

test.use({ viewport: { width: 1280, height: 800 } });
test.describe.configure({ timeout: 600_000 });

test('covers every route of the desk', async ({ page, stage }) => {
  await page.goto(stage.url);
  await page.getByRole('heading', { level: 1 }).waitFor();
  expect(await routesWithoutScreen(page)).toEqual([]);
});

/** Screens that finish loading. every-state.spec.ts covers the others. */
const SETTLING = SCREENS.filter(({ waiting }) => !waiting);

for (const screens of partsOf(SETTLING))
  test(`English, light and dark: from ${screens[0]?.name} to ${screens.at(-1)?.name}`, ({ page, stage }) =>
    lookAt(page, stage, screens));

test('gives each day state a distinct shape in the legend and in the cells', async ({ page, stage }) => {
  const watch = new ScreenWatch(page, stage);
  await watch.open(SCREENS.find(({ name }) => name === 'study') as Screen);
  const legend = page.getByRole('list', { name: 'Legend' });
  const shapes = await legend
    .locator('svg')
    .evaluateAll((all) => all.map((shape) => [shape.getAttribute('data-state'), shape.innerHTML] as const));
  expect(shapes.length).toBeGreaterThan(4);
  expect(new Set(shapes.map(([, form]) => form)).size).toBe(shapes.length);
  const formOf = new Map(shapes);
  const grid = page.getByRole('region', { name: 'Subjects by day' });
  const cells = grid.locator('table svg[data-state]');
  const drawn = await cells.evaluateAll((all) =>
    all.map((shape) => ({
      state: shape.getAttribute('data-state'),
      form: shape.innerHTML,
      isSeen: getComputedStyle(shape).stroke !== 'none' && shape.getBoundingClientRect().width >= 8,
    })),
  );
  // A cell for each subject and day, and each with its shape.
  expect(drawn.length).toBeGreaterThan(4);
  expect(drawn.length).toBe(await grid.locator('tbody td a').count());
  for (const { state, form, isSeen } of drawn)
    expect({ form, isSeen }).toEqual({ form: formOf.get(state), isSeen: true });
});

/** Makes the browser report from the start that there is no network. */
const pullTheCable = (page: Page): Promise<unknown> =>
  page.addInitScript(() => {
    Object.defineProperty(navigator, 'onLine', { get: () => false });
    const { addEventListener: listen } = window;
    window.addEventListener = (...[type, listener, options]: Parameters<typeof listen>) => {
      listen.call(window, type, listener, options);
      if (type === 'offline' && typeof listener === 'function') listener(new Event('offline'));
    };
  });

test.describe('Japanese', () => {
  test.use({ locale: 'ja-JP', colorScheme: 'dark' });

  for (const screens of partsOf(SCREENS.filter(firstOfRoute)))
    test(`Japanese, dark, no network: from ${screens[0]?.name} to ${screens.at(-1)?.name}`, async ({ page, stage }) => {
      await pullTheCable(page);
      const watch = new ScreenWatch(page, stage);
      const said = new SiteSentences(page);
      for (const screen of screens)
        await test.step(screen.name, async () => {
          await watch.open(screen);
          expect.soft(await said.shown(), `${screen.name}, in English`).toEqual([]);
          const lost = [...(await overflowsOf(page)), ...(await cutOff(page))];
          expect.soft(lost, `${screen.name}, cut off`).toEqual([]);
          expect.soft(await violationsOf(page), `${screen.name}, dark`).toEqual([]);
          expect.soft(watch.takeProblems(), screen.name).toEqual([]);
        });
      // Guards against answers that nobody reads; the test below, against sentences that nobody finds.
      expect(said.countAnswers).toBeGreaterThan(0);
      await expect(page.locator('html')).toHaveAttribute('lang', 'ja');
      const isDark = () => matchMedia('(prefers-color-scheme: dark)').matches;
      expect([await page.evaluate(isDark), await page.evaluate(() => navigator.onLine)]).toEqual([true, false]);
    });
});

test('finds a sentence of the site on the screen, as text and in a title', async ({ page, stage }) => {
  const said = new SiteSentences(page);
  const watch = new ScreenWatch(page, stage);
  await watch.open(SCREENS.find(({ name }) => name === 'study-failed') as Screen);
  const sentence = 'Something went wrong.';
  expect(await said.heard()).toContain(sentence);
  const show = (where: 'text' | 'title') =>
    page.evaluate(
      ([at, words]) => {
        const element = document.body.appendChild(document.createElement('span'));
        if (at === 'text') element.textContent = words!;
        else element.title = words!;
      },
      [where, sentence],
    );
  await page.evaluate(() => document.body.replaceChildren());
  expect(await said.shown()).toEqual([]);
  await show('text');
  expect(await said.shown()).toEqual([sentence]);
  await page.evaluate(() => document.body.replaceChildren());
  await show('title');
  expect(await said.shown()).toEqual([sentence]);
});

test.describe('200% zoom in the smallest window', () => {
  test.use({ viewport: { width: 512, height: 320 }, deviceScaleFactor: 2 });

  test('keeps all texts and controls on every route', async ({ page, stage }) => {
    const watch = new ScreenWatch(page, stage);
    for (const screen of SCREENS.filter(firstOfRoute))
      await test.step(screen.name, async () => {
        await watch.open(screen);
        expect.soft(await cutOff(page), screen.name).toEqual([]);
      });
  });
});
