/**
 * Every screen while its data is on the way, when the site does not give it, and when it stops giving it: never a blank page,
 * always one notice with a code and a way to try again, however many reads failed, and what was there stays with its age.
 */
import { expect, type Locator, type Page, type Route } from '@playwright/test';
import { ScreenWatch, type Stage, test } from '../support/screen-walk.ts';
import { SCREENS, type Screen } from '../support/screens.ts';

/** Screens without read requests, and pairing, which starts a pairing when opened and has its own tests. */
const LEFT_OUT = ['account', 'manual', 'page-missing', 'pairing'];

const screens = SCREENS.filter(
  (screen, index) =>
    SCREENS.findIndex(({ route }) => route === screen.route) === index &&
    screen.as === undefined &&
    screen.beforeSite === undefined &&
    !screen.onEmptySite &&
    !LEFT_OUT.includes(screen.name),
);

/** How the site answers read requests: held back, failing, or normally. */
type Answering = 'waits' | 'fails' | 'works';

class Answers {
  #mode: Answering = 'works';
  readonly #held: Route[] = [];
  static async of(page: Page): Promise<Answers> {
    const answers = new Answers();
    await page.route(
      ({ pathname }) => pathname.startsWith('/api/') && !pathname.endsWith('/live'),
      (route) => answers.#take(route),
    );
    return answers;
  }

  #take(route: Route): Promise<void> | void {
    if (this.#mode === 'waits') {
      this.#held.push(route);
      return;
    }
    return this.#mode === 'works' ? route.fallback() : Answers.#fail(route);
  }

  /** A 400 response, which the desk does not retry automatically. */
  static #fail(route: Route): Promise<void> {
    return route.fulfill({ status: 400, json: { code: 'INTERNAL', message: 'The disk did not answer.', errors: [] } });
  }

  async set(mode: Answering): Promise<void> {
    this.#mode = mode;
    for (const route of this.#held.splice(0)) await this.#take(route);
  }
}

const contentOf = (page: Page): Locator => page.getByRole('main');
const busyIn = (page: Page): Locator => contentOf(page).locator('[aria-busy="true"]').first();
const noticesIn = (page: Page): Locator => contentOf(page).locator('[data-testid="error-notice"]');

/** Lists what error notices lack: the notice itself, its code or a button. */
const wrongNotices = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const notices = [...document.querySelectorAll('main [data-testid="error-notice"]')];
    if (notices.length === 0) return ['no notice'];
    const parts = ['Code INTERNAL', 'Try again', 'Copy details'];
    return notices.flatMap(({ textContent }) => parts.filter((part) => !textContent?.includes(part)));
  });

/** Tracks the highest number of error notices shown at once. */
const countNotices = (page: Page) =>
  page.addInitScript(() => {
    const counted = window as unknown as { mostNotices: number };
    counted.mostNotices = 0;
    new MutationObserver(() => {
      const now = document.querySelectorAll('main [data-testid="error-notice"]').length;
      counted.mostNotices = Math.max(counted.mostNotices, now);
    }).observe(document, { subtree: true, childList: true });
  });
const mostNotices = (page: Page): Promise<number> =>
  page.evaluate(() => (window as unknown as { mostNotices: number }).mostNotices);

/** Returns the texts of the screen but for ages, which change: those with digits, and “this minute”. */
const wordsIn = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const walker = document.createTreeWalker(document.querySelector('main') ?? document.body, NodeFilter.SHOW_TEXT);
    const texts: string[] = [];
    for (let node = walker.nextNode(); node; node = walker.nextNode()) texts.push(node.textContent?.trim() ?? '');
    return texts.filter((text) => text !== '' && !/\d|^this minute$/.test(text));
  });

/**
 * Waits until no query of the desk is under way. What it asks for counts from the moment it asks: a busy browser reports a request
 * later, and a skeleton only shows after a while, so a screen could pass for loaded before its first answer.
 */
const answered = (page: Page, name: string): Promise<void> =>
  expect
    .poll(
      () =>
        page.evaluate(() => {
          const { __TSR_ROUTER__: router } = window as unknown as {
            __TSR_ROUTER__: { options: { context: { queries: { isFetching(): number } } } };
          };
          return router.options.context.queries.isFetching();
        }),
      `${name}, under way`,
    )
    .toBe(0);

/** Invalidates all queries, as after the live connection is restored. */
const askAgain = (page: Page): Promise<void> =>
  page.evaluate(() => {
    const { __TSR_ROUTER__: router } = window as unknown as {
      __TSR_ROUTER__: { options: { context: { queries: { invalidateQueries(): Promise<void> } } } };
    };
    void router.options.context.queries.invalidateQueries();
  });

async function lookAt(page: Page, stage: Stage, screen: Screen, answers: Answers): Promise<void> {
  const { name } = screen;
  const watch = new ScreenWatch(page, stage);
  await page.goto('about:blank');
  await answers.set('waits');
  await watch.goTo(screen);
  await expect.soft(busyIn(page), `${name}, waiting`).toBeVisible();

  await answers.set('fails');
  await expect.poll(() => wrongNotices(page), `${name}, failing`).toEqual([]);
  await expect.soft(busyIn(page), `${name}, failing`).toHaveCount(0);
  await expect.soft(noticesIn(page), `${name}, failing`).toHaveCount(1);

  // A read that a live change began while answers failed would show its error after the next press.
  await answered(page, name);
  await answers.set('works');
  await noticesIn(page).first().getByRole('button', { name: 'Try again' }).press('Enter');
  await expect.soft(noticesIn(page), `${name}, tried again`).toHaveCount(0);
  await answered(page, name);
  await watch.settled();
  await expect(noticesIn(page), `${name}, answered`).toHaveCount(0);

  const before = await wordsIn(page);
  await answers.set('fails');
  await askAgain(page);
  const stale = noticesIn(page).filter({ hasText: /Last updated \d\d:\d\d\./ });
  await expect.soft(stale.first(), `${name}, stale`).toBeVisible();
  await expect.poll(() => wrongNotices(page), `${name}, stale`).toEqual([]);
  const after = new Set(await wordsIn(page));
  const lost = before.filter((text) => !after.has(text));
  expect.soft(lost, `${name}, lost`).toEqual([]);
  expect.soft(await mostNotices(page), `${name}, notices of one failure`).toBe(1);
  await answers.set('works');
}

test.use({ viewport: { width: 1280, height: 800 } });
test.describe.configure({ timeout: 600_000 });

test('shows loading, failure and retry on every screen, and keeps data that was already loaded', async ({
  page,
  stage,
}) => {
  const answers = await Answers.of(page);
  await countNotices(page);
  for (const screen of screens) await test.step(screen.name, () => lookAt(page, stage, screen, answers));
});
