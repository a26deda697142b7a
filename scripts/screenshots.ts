/**
 * Takes screenshots of every screen of the desk and the phone in both themes, both languages and their sizes, and writes them to `screenshots/`
 * (ignored by git). With `--readme`, updates the screenshot of the README instead. Exits with code 1 when a route of the
 * desk has no screenshot, when an element overflows the window, or when a text is cut off.
 *
 *   npm run screenshots [-- --only days] [-- --look ja-dark-1024] [-- --readme] [-- --keep DIR]
 *
 * `--keep` keeps the sites in a folder and reuses them in the next run.
 */
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { type Browser, chromium, type Page } from '@playwright/test';
import { CHROMIUM_FLAGS, findChromium } from '../e2e/support/chromium.ts';
import { type FilledSite, fillSite, sessionText } from '../e2e/support/full-site.ts';
import { overflowsOf } from '../e2e/support/overflow.ts';
import { changeAnswers, holdAnswers } from '../e2e/support/screen-answers.ts';
import {
  MORE_PICTURES,
  routesWithoutScreen,
  SCREENS,
  type Screen,
  type ScreenIds,
  screenPath,
} from '../e2e/support/screens.ts';
import { type DemoSite, EMPTY_SITE_ADMIN, makeDemoSite, makeEmptySite, serveSite } from '../e2e/support/sites.ts';
import { openStartPages, type StartPages } from '../e2e/support/start-pages.ts';
import { keepTypeface } from '../e2e/support/typeface.ts';
import { PHONE_LOOKS, PHONE_PICTURES, takePhonePictures } from './phone-screenshots.ts';

const root = fileURLToPath(new URL('../', import.meta.url));

/** Any screen of the desk: the list of routes comes from its router. */
const DESK: Screen = { name: 'desk', route: '/sign-in', as: 'nobody' };

const LANGUAGES = [
  ['en', 'en-US'],
  ['ja', 'ja-JP'],
] as const;
const THEMES = ['light', 'dark'] as const;
const SIZES = [
  { width: 1440, height: 900 },
  { width: 1024, height: 640 },
] as const;

interface Look {
  name: string;
  locale: string;
  theme: (typeof THEMES)[number];
  size: { width: number; height: number };
}

const LOOKS: Look[] = LANGUAGES.flatMap(([language, locale]) =>
  THEMES.flatMap((theme) => SIZES.map((size) => ({ name: `${language}-${theme}-${size.width}`, locale, theme, size }))),
);

/** Addresses and sessions of the running sites. */
interface Studio {
  ids: ScreenIds;
  url: string;
  emptyUrl: string;
  sessions: Record<'administrator' | 'monitor' | 'onEmptySite', string>;
  start: StartPages;
}

interface KeptSites {
  demo: DemoSite;
  filled: FilledSite;
}

/** Starts a demo site that fills every screen, and an empty site; creates them unless the folder already holds them. */
async function openSites(folder: string): Promise<{ studio: Studio; close: () => Promise<void> }> {
  const sitesFile = join(folder, 'sites.json');
  const kept: KeptSites | undefined = existsSync(sitesFile) ? JSON.parse(await readFile(sitesFile, 'utf8')) : undefined;
  const demo = kept?.demo ?? (await makeDemoSite(join(folder, 'site'), 2));
  if (!kept) await makeEmptySite(join(folder, 'empty'));
  const [served, empty] = await Promise.all([serveSite(demo.dir, { lan: true }), serveSite(join(folder, 'empty'))]);
  const filled = kept?.filled ?? (await fillSite({ ...demo, url: served.url }));
  await writeFile(sitesFile, JSON.stringify({ demo, filled } satisfies KeptSites));
  const { monitor, ...ids } = filled;
  const start = await openStartPages(folder);
  return {
    studio: {
      ids,
      url: served.url,
      emptyUrl: empty.url,
      sessions: {
        administrator: await sessionText(served.url, demo),
        monitor: await sessionText(served.url, monitor),
        onEmptySite: await sessionText(empty.url, EMPTY_SITE_ADMIN),
      },
      start,
    },
    close: async () => {
      await Promise.all([served.stop(), empty.stop(), start.close()]);
    },
  };
}

const QUIET_MS = 400;

/** Waits until the page has finished loading. The live connection stays open, so the network never becomes idle. */
async function settled(page: Page): Promise<void> {
  await page.locator('h1:visible').first().waitFor();
  await page.evaluate(async (quietMs) => {
    const isLoading = () => document.querySelector('[aria-busy="true"], [class*=skeleton]') !== null;
    const count = () => performance.getEntriesByType('resource').length;
    await document.fonts.ready;
    for (let seen = -1; isLoading() || count() !== seen; ) {
      seen = count();
      await new Promise((resolve) => setTimeout(resolve, quietMs));
    }
  }, QUIET_MS);
}

async function openScreen(browser: Browser, studio: Studio, screen: Screen, look: Look): Promise<Page> {
  const context = await browser.newContext({
    baseURL: screen.onEmptySite ? studio.emptyUrl : studio.url,
    locale: look.locale,
    colorScheme: look.theme,
    viewport: look.size,
    reducedMotion: 'reduce',
  });
  await keepTypeface(context);
  if (screen.as !== 'nobody') {
    const { sessions } = studio;
    const session = screen.onEmptySite ? sessions.onEmptySite : sessions[screen.as ?? 'administrator'];
    await context.addInitScript((value) => localStorage.setItem('outpost.session', value), session);
  }
  const page = await context.newPage();
  const { failing } = screen;
  if (failing) {
    await page.route(
      (url) => url.pathname.startsWith('/api/') && failing.test(url.pathname),
      (route) =>
        route.fulfill({ status: 500, json: { code: 'INTERNAL', message: 'Something went wrong.', errors: [] } }),
    );
  }
  await changeAnswers(page, screen.answers);
  await holdAnswers(page, screen.waiting);
  if (screen.beforeSite) await studio.start.open(page, screen.beforeSite, look.locale === 'ja-JP' ? 'ja' : 'en');
  else await page.goto(screenPath(screen, studio.ids));
  if (screen.waiting) await page.locator('[aria-busy="true"]').first().waitFor();
  else await settled(page);
  if (screen.act) {
    await screen.act(page);
    await settled(page);
  }
  return page;
}

async function takeAll(browser: Browser, studio: Studio, screens: Screen[], looks: Look[]): Promise<string[]> {
  const target = join(root, 'screenshots');
  await mkdir(target, { recursive: true });
  const problems: string[] = [];
  for (const look of looks) {
    for (const screen of screens) {
      const name = `${screen.name}-${look.name}`;
      const page = await openScreen(browser, studio, screen, look);
      await page.screenshot({ path: join(target, `${name}.png`) });
      problems.push(...(await overflowsOf(page)).map((found) => `${name}: ${found}`));
      await page.context().close();
    }
  }
  return problems;
}

async function takeReadmeScreenshot(browser: Browser, studio: Studio): Promise<void> {
  const target = join(root, 'resources/pictures');
  await mkdir(target, { recursive: true });
  const days = SCREENS.find(({ name }) => name === 'days');
  const look = LOOKS.find(({ name }) => name === 'en-light-1440');
  if (!days || !look) throw new Error('The screen "days" or the look "en-light-1440" does not exist.');
  const page = await openScreen(browser, studio, days, look);
  await page.screenshot({ path: join(target, 'subject-day.png') });
  await page.context().close();
}

const { values } = parseArgs({
  options: {
    only: { type: 'string', multiple: true },
    look: { type: 'string', multiple: true },
    readme: { type: 'boolean', default: false },
    keep: { type: 'string' },
  },
});

/** Returns the items with the given names, or all; exits with code 2 on an unknown name. */
function chosen<T extends { name: string }>(all: readonly T[], names: string[] | undefined): T[] {
  const unknown = (names ?? []).filter((name) => !all.some((item) => item.name === name));
  if (unknown.length > 0) {
    process.stderr.write(`Unknown: ${unknown.join(', ')}. Available: ${all.map(({ name }) => name).join(', ')}.\n`);
    process.exit(2);
  }
  return all.filter(({ name }) => !names || names.includes(name));
}

const names = new Set(chosen([...SCREENS, ...MORE_PICTURES, ...PHONE_PICTURES], values.only).map(({ name }) => name));
const lookNames = new Set(chosen([...LOOKS, ...PHONE_LOOKS], values.look).map(({ name }) => name));
const screens = [...SCREENS, ...MORE_PICTURES].filter(({ name }) => names.has(name));
const looks = LOOKS.filter(({ name }) => lookNames.has(name));
const phoneScreens = PHONE_PICTURES.filter(({ name }) => names.has(name));
const phoneLooks = PHONE_LOOKS.filter(({ name }) => lookNames.has(name));

async function takePhone(): Promise<string[]> {
  const target = join(root, 'screenshots');
  await mkdir(target, { recursive: true });
  const browser = await chromium.launch({ executablePath: findChromium(), args: CHROMIUM_FLAGS });
  try {
    return await takePhonePictures(browser, target, phoneScreens, phoneLooks);
  } finally {
    await browser.close();
  }
}

function report(count: number, problems: readonly string[]): void {
  process.stderr.write(`${count} screenshots taken.\n`);
  for (const problem of problems) process.stderr.write(`${problem}\n`);
  if (problems.length > 0) process.exitCode = 1;
}

if (!values.readme && phoneScreens.length * phoneLooks.length > 0)
  report(phoneScreens.length * phoneLooks.length, await takePhone());
// The phone's screens need no site.
if (screens.length * looks.length === 0 && !values.readme) process.exit();
const folder = values.keep ?? (await mkdtemp(join(tmpdir(), 'outpost-screenshots-')));
try {
  await mkdir(folder, { recursive: true });
  const sites = await openSites(folder);
  const browser = await chromium.launch({ executablePath: findChromium(), args: CHROMIUM_FLAGS });
  try {
    if (values.readme) {
      await takeReadmeScreenshot(browser, sites.studio);
      process.stderr.write('README screenshot updated.\n');
    } else {
      const problems = await takeAll(browser, sites.studio, screens, looks);
      const page = await openScreen(browser, sites.studio, DESK, LOOKS[0]!);
      problems.push(...(await routesWithoutScreen(page)).map((route) => `${route}: no screenshot of this route`));
      report(screens.length * looks.length, problems);
    }
  } finally {
    await browser.close();
    await sites.close();
  }
} finally {
  if (!values.keep) await rm(folder, { recursive: true, force: true });
}
