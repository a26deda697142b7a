/** Opens the screens of the desk on a full and an empty site, one pair per worker, and records every problem. */
import { cp, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test as base, expect, type Page } from '@playwright/test';
import { type RunningSite, startSite } from '../../src-server/site/server.ts';
import { testSite } from './desk.ts';
import { fillSite, sessionText } from './full-site.ts';
import { removeFolder } from './remove-folder.ts';
import { changeAnswers } from './screen-answers.ts';
import { type Screen, type ScreenIds, screenPath } from './screens.ts';
import { EMPTY_SITE_ADMIN, makeEmptySite } from './sites.ts';
import { openStartPages, type StartPage, type StartPages } from './start-pages.ts';
import { typefaceUrl } from './typeface.ts';

export interface Stage {
  ids: ScreenIds;
  url: string;
  emptyUrl: string;
  /** What the desk keeps in the browser for somebody who is signed in. */
  sessions: Record<'administrator' | 'monitor' | 'onEmptySite', string>;
  start: StartPages;
}

export const test = base.extend<object, { stage: Stage }>({
  stage: [
    // Playwright wants a pattern here, even when a fixture needs no other.
    // biome-ignore lint/correctness/noEmptyPattern: see above
    async ({}, use) => {
      const demo = testSite();
      const folder = await mkdtemp(join(tmpdir(), 'outpost-stage-'));
      const running: RunningSite[] = [];
      const startPages = await openStartPages(folder);
      const serve = async (dir: string) => {
        const lan = { port: 0, host: '127.0.0.1', addresses: () => ['127.0.0.1'], discovery: false };
        const site = await startSite({ dir, port: 0, lan });
        running.push(site);
        return site.url;
      };
      try {
        await cp(demo.pristineDir, join(folder, 'full'), { recursive: true });
        await makeEmptySite(join(folder, 'empty'));
        const [url, emptyUrl] = [await serve(join(folder, 'full')), await serve(join(folder, 'empty'))];
        const { monitor, ...ids } = await fillSite({ ...demo, url });
        const sessions = {
          administrator: await sessionText(url, demo),
          monitor: await sessionText(url, monitor),
          onEmptySite: await sessionText(emptyUrl, EMPTY_SITE_ADMIN),
        };
        await use({ ids, url, emptyUrl, sessions, start: startPages });
      } finally {
        for (const site of running) await site.close();
        await startPages.close();
        await removeFolder(folder);
      }
    },
    { scope: 'worker', timeout: 600_000 },
  ],
});

/** Follows a page strictly: each line of the console, each refused, failed or broken-off request is a problem. */
export class ScreenWatch {
  readonly #page: Page;
  readonly #stage: Stage;
  readonly #pending = new Set<string>();
  #problems: string[] = [];
  #isLeaving = false;
  #failing: RegExp | undefined;
  readonly #prepare: (() => Promise<void>) | undefined;

  /** @param prepare changes the answers that every screen gets, before those of the screen itself. */
  constructor(page: Page, stage: Stage, prepare?: () => Promise<void>) {
    this.#prepare = prepare;
    this.#page = page;
    this.#stage = stage;
    const nameOf = (request: { method(): string; url(): string }) => `${request.method()} ${request.url()}`;
    page.on('console', (message) => {
      if (message.type() === 'error' || message.type() === 'warning')
        this.#problems.push(`console ${message.type()}: ${message.text()}`);
    });
    page.on('pageerror', (error) => this.#problems.push(`uncaught: ${error.message}`));
    page.on('request', (request) => {
      // The live connection never ends.
      if (!request.url().endsWith('/live')) this.#pending.add(nameOf(request));
    });
    page.on('requestfinished', (request) => this.#pending.delete(nameOf(request)));
    page.on('requestfailed', (request) => {
      this.#pending.delete(nameOf(request));
      const why = request.failure()?.errorText ?? '';
      if (!(this.#isLeaving && why === 'net::ERR_ABORTED')) this.#problems.push(`${why}: ${nameOf(request)}`);
    });
    page.on('response', (response) => {
      if (response.status() >= 400 && !this.#failing?.test(new URL(response.url()).pathname))
        this.#problems.push(`${response.status()}: ${nameOf(response.request())}`);
    });
  }

  /** Opens a screen as the one who is to see it, does what leads to its state, and waits until it shows that. */
  async open(screen: Screen): Promise<void> {
    const page = this.#page;
    // Background refreshes may be in flight: their handlers finish before the routes go.
    await page.unrouteAll({ behavior: 'wait' });
    await this.#prepare?.();
    this.#failing = screen.failing;
    const { failing } = screen;
    if (failing)
      await page.route(
        (address) => address.pathname.startsWith('/api/') && failing.test(address.pathname),
        (route) =>
          route.fulfill({ status: 500, json: { code: 'INTERNAL', message: 'Something went wrong.', errors: [] } }),
      );
    await changeAnswers(page, screen.answers);
    if (screen.beforeSite) return this.#openStart(screen, screen.beforeSite);
    const path = await this.goTo(screen);
    await this.settled();
    // A screen that leads elsewhere, to sign in for instance, has not been seen.
    const { pathname, search } = new URL(page.url());
    if (!`${pathname}${search}`.startsWith(path)) this.#problems.push(`leads to ${pathname}`);
    if (screen.act) {
      await screen.act(page);
      await this.settled();
    }
  }

  /** Goes to the address of a screen as the one who is to see it; answers the address. */
  async goTo(screen: Screen): Promise<string> {
    const page = this.#page;
    const { url, emptyUrl, ids, sessions } = this.#stage;
    const origin = screen.onEmptySite ? emptyUrl : url;
    this.#isLeaving = true;
    if (new URL(page.url()).origin === 'null') await page.goto('about:blank');
    if (new URL(page.url(), url).origin !== origin) await page.goto(`${origin}/icon.svg`);
    await page.evaluate(
      ([session, typeface]) => {
        localStorage.setItem('outpost.typeface', typeface);
        if (session === null) localStorage.removeItem('outpost.session');
        else localStorage.setItem('outpost.session', session);
      },
      [
        screen.as === 'nobody' ? null : sessions[screen.onEmptySite ? 'onEmptySite' : (screen.as ?? 'administrator')],
        typefaceUrl(),
      ] as const,
    );
    this.#pending.clear();
    const path = screenPath(screen, ids);
    await page.goto(`${origin}${path}`);
    this.#isLeaving = false;
    return path;
  }

  async #openStart(screen: Screen, startPage: StartPage): Promise<void> {
    this.#isLeaving = true;
    const language = await this.#page.evaluate(() => (navigator.language.startsWith('ja') ? 'ja' : 'en'));
    this.#pending.clear();
    await this.#stage.start.open(this.#page, startPage, language);
    this.#isLeaving = false;
    await this.settled();
    await screen.act?.(this.#page);
  }

  /** Waits until everything that the screen asked for has come and has been drawn. */
  async settled(): Promise<void> {
    await this.#page.getByRole('heading', { level: 1 }).first().waitFor();
    // A look costs little, and the intervals of Playwright grow to a second, with which a walk would mostly wait.
    const poll = { intervals: [50] };
    await expect
      .poll(async () => {
        const isBusy = await this.#page.evaluate(
          () =>
            new Promise<boolean>((resolve) => {
              const look = () => resolve(document.querySelector('[aria-busy="true"]') !== null);
              requestAnimationFrame(() => requestAnimationFrame(look));
            }),
        );
        return isBusy ? ['busy'] : [...this.#pending];
      }, poll)
      .toEqual([]);
  }

  /** What went wrong since the last time. */
  takeProblems(): string[] {
    const problems = this.#failing
      ? this.#problems.filter((problem) => !/^console error: Failed to load resource.* (400|401|500) /.test(problem))
      : this.#problems;
    this.#problems = [];
    return problems;
  }
}
