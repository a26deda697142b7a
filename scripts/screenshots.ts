/**
 * Takes a picture of every screen: light and dark, English and Japanese, small and usual window. They go to
 * `screenshots/`, which git ignores; `--readme` renews the picture of the README instead.
 *
 *   npm run screenshots [-- --only days] [-- --readme]
 */
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { type Browser, chromium, type Page } from '@playwright/test';
import { CHROMIUM_FLAGS, findChromium } from '../e2e/support/chromium.ts';
import type { TestSite } from '../e2e/support/desk.ts';
import { makeDemoSite, serveSite } from '../e2e/support/sites.ts';
import { createClient } from '../src-server/api/contract/client.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

interface Screen {
  name: string;
  path: (site: Omit<TestSite, 'desktopDir'>) => string;
  /** Shown to someone who is not signed in. */
  signedOut?: boolean;
  /** Name of a link to follow from there, for screens whose address holds an id. */
  click?: RegExp;
}

const subject = ({ studyId, subjects }: Omit<TestSite, 'desktopDir'>) =>
  `/studies/${studyId}/subjects/${subjects[0].id}`;

const SCREENS: Screen[] = [
  { name: 'sign-in', path: () => '/sign-in', signedOut: true },
  { name: 'today', path: () => '/' },
  { name: 'studies', path: () => '/studies' },
  { name: 'study', path: ({ studyId }) => `/studies/${studyId}` },
  { name: 'study-subjects', path: ({ studyId }) => `/studies/${studyId}/subjects` },
  { name: 'study-definition', path: ({ studyId }) => `/studies/${studyId}/definition` },
  { name: 'subjects', path: () => '/subjects' },
  { name: 'tasks', path: (site) => `${subject(site)}/tasks` },
  { name: 'days', path: (site) => `${subject(site)}/days` },
  { name: 'days-table', path: (site) => `${subject(site)}/days?view=table` },
  { name: 'coverage', path: (site) => `${subject(site)}/coverage` },
  { name: 'metrics', path: (site) => `${subject(site)}/metrics` },
  { name: 'recordings', path: (site) => `${subject(site)}/recordings` },
  { name: 'viewer', path: (site) => `${subject(site)}/recordings`, click: /signals of the recording|波形/ },
  { name: 'exports', path: () => '/exports' },
  { name: 'site', path: () => '/site' },
  { name: 'jobs', path: () => '/site/jobs' },
  { name: 'users', path: () => '/site/users' },
  { name: 'backups', path: () => '/site/backups' },
  { name: 'mail', path: () => '/site/mail' },
  { name: 'webhooks', path: () => '/site/webhooks' },
  { name: 'network', path: () => '/site/network' },
  { name: 'audit', path: () => '/site/audit' },
  { name: 'account', path: () => '/account' },
  { name: 'set-password', path: () => '/set-password', signedOut: true },
  { name: 'equipment', path: () => '/equipment' },
  { name: 'equipment-piece', path: () => '/equipment', click: /^Chest/ },
  { name: 'equipment-devices', path: () => '/equipment/devices' },
  { name: 'equipment-subject', path: (site) => `${subject(site)}/equipment` },
  { name: 'pairing', path: () => '/equipment/pair' },
  { name: 'page-missing', path: () => '/no-such-page' },
];

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
  locale: string;
  theme: (typeof THEMES)[number];
  size: { width: number; height: number };
}

/** Waits until nothing loads any more: the live connection never ends, so the network itself is never idle. */
const settled = async (page: Page): Promise<void> => {
  await page.locator('h1').first().waitFor();
  await page.waitForFunction(() => document.querySelectorAll('[aria-busy="true"]').length === 0);
  await page.evaluate(() => document.fonts.ready);
  await page.waitForTimeout(250);
};

const openPage = async (
  browser: Browser,
  site: Omit<TestSite, 'desktopDir'>,
  look: Look,
  session: string | null,
): Promise<Page> => {
  const context = await browser.newContext({
    baseURL: site.url,
    locale: look.locale,
    colorScheme: look.theme,
    viewport: look.size,
    reducedMotion: 'reduce',
  });
  if (session !== null) await context.addInitScript((value) => localStorage.setItem('outpost.session', value), session);
  return context.newPage();
};

/** Signs in once; the session is what the desk itself keeps in the browser. */
const signedIn = async ({ url, email, password }: Omit<TestSite, 'desktopDir'>): Promise<string> =>
  JSON.stringify(await createClient({ baseUrl: url }).call('login', { body: { email, password } }));

const takeAll = async (browser: Browser, site: Omit<TestSite, 'desktopDir'>, screens: Screen[]): Promise<number> => {
  const target = join(root, 'screenshots');
  await mkdir(target, { recursive: true });
  const session = await signedIn(site);
  let taken = 0;
  for (const [language, locale] of LANGUAGES) {
    for (const theme of THEMES) {
      for (const size of SIZES) {
        for (const screen of screens) {
          const page = await openPage(browser, site, { locale, theme, size }, screen.signedOut ? null : session);
          await page.goto(screen.path(site));
          await settled(page);
          if (screen.click) {
            await page.getByRole('link', { name: screen.click }).first().click();
            await settled(page);
            await page.waitForTimeout(1000);
          }
          await page.screenshot({ path: join(target, `${screen.name}-${language}-${theme}-${size.width}.png`) });
          await page.context().close();
          taken++;
        }
      }
    }
  }
  return taken;
};

const takeForReadme = async (browser: Browser, site: Omit<TestSite, 'desktopDir'>): Promise<number> => {
  const target = join(root, 'resources/pictures');
  await mkdir(target, { recursive: true });
  const page = await openPage(browser, site, { locale: 'en-US', theme: 'light', size: SIZES[0] }, await signedIn(site));
  await page.goto(`${subject(site)}/days`);
  await settled(page);
  await page.screenshot({ path: join(target, 'subject-day.png') });
  await page.context().close();
  return 1;
};

const { values } = parseArgs({
  options: { only: { type: 'string', multiple: true }, readme: { type: 'boolean', default: false } },
});
const unknown = (values.only ?? []).filter((name) => !SCREENS.some((screen) => screen.name === name));
if (unknown.length > 0) {
  process.stderr.write(
    `No screen is named ${unknown.join(', ')}. There are: ${SCREENS.map(({ name }) => name).join(', ')}.\n`,
  );
  process.exit(2);
}
const folder = await mkdtemp(join(tmpdir(), 'outpost-screenshots-'));
try {
  const demo = await makeDemoSite(join(folder, 'site'), 2);
  const served = await serveSite(demo.dir, { lan: true });
  const browser = await chromium.launch({ executablePath: findChromium(), args: CHROMIUM_FLAGS });
  try {
    const site = { ...demo, url: served.url };
    const screens = SCREENS.filter(({ name }) => !values.only || values.only.includes(name));
    const taken = values.readme ? await takeForReadme(browser, site) : await takeAll(browser, site, screens);
    process.stderr.write(`${taken} pictures taken.\n`);
  } finally {
    await browser.close();
    await served.stop();
  }
} finally {
  await rm(folder, { recursive: true, force: true });
}
