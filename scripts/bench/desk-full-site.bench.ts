/**
 * The desk in a real Chromium on a site that has been used for a year: first views of a day and of raw signals in a warm browser,
 * with the processor time and the longest task of the page's main thread, and panning.
 *
 * The site is made once and kept (see `npm run bench:scale`). OUTPOST_BENCH_SIZE names another size than 10x365, and
 * OUTPOST_BENCH_FOLDER another folder than the cache folder of the operating system.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Browser, type BrowserContext, chromium } from '@playwright/test';
import { CHROMIUM_FLAGS, findChromium } from '../../e2e/support/chromium.ts';
import { createClient } from '../../src-server/api/contract/client.ts';
import {
  cacheFolder,
  copyOfSite,
  type FullSite,
  keptSite,
  parseSize,
} from '../../src-server/testing/full-site/site-folder.ts';
import { startServerProcess, TEST_EMAIL, TEST_PASSWORD } from '../../src-server/testing/test-site.ts';
import { buildIfStale } from '../build-ui.ts';
import { pan, VIEWPORT } from './desk.bench.ts';
import { type FirstView, firstView } from './desk-views.ts';
import { barRow, median } from './rows.ts';
import type { BenchRow } from './types.ts';

const CLOCK_HOOK = join(import.meta.dirname, '..', '..', 'src-server', 'testing', 'clock-hook.ts');
const VISITS = 5;
const LONGEST_TASK_MS = 50;
const PICTURE_MS = 1000;
const DETAIL = '[role="slider"][aria-label="Detail"][aria-busy="false"]';
const CURSOR = '[role="slider"][aria-label="Cursor"]';

/** Opens a signed-in context whose clock is that of the site. */
async function contextOf(browser: Browser, url: string, { nowTs }: FullSite): Promise<BrowserContext> {
  const session = await createClient({ baseUrl: url }).call('login', {
    body: { email: TEST_EMAIL, password: TEST_PASSWORD },
  });
  const context = await browser.newContext({ baseURL: url, viewport: VIEWPORT, locale: 'en-US' });
  await context.addInitScript(
    ({ session, aheadMs }) => {
      localStorage.setItem('outpost.session', session);
      const Real = Date;
      globalThis.Date = new Proxy(Real, {
        construct: (target, values) => Reflect.construct(target, values.length > 0 ? values : [Real.now() + aheadMs]),
        get: (target, key) => (key === 'now' ? () => Real.now() + aheadMs : Reflect.get(target, key)),
      });
    },
    { session: JSON.stringify(session), aheadMs: nowTs - Date.now() },
  );
  return context;
}

/** The median of several first views, each of another subject or of the same recording; the first only warms up. */
async function views(browser: Browser, context: BrowserContext, paths: readonly string[], selector: string) {
  const measured: FirstView[] = [];
  for (const path of paths) measured.push(await firstView(browser, context, path, selector));
  const of = (member: keyof FirstView) => median(measured.slice(1).map((view) => view[member]));
  return { pictureMs: of('pictureMs'), cpuMs: of('cpuMs'), longestTaskMs: of('longestTaskMs') };
}

async function measure(browser: Browser, url: string, site: FullSite): Promise<BenchRow[]> {
  const context = await contextOf(browser, url, site);
  const subject = (id: string) => `/studies/${site.studyId}/subjects/${id}`;
  const days = site.subjectIds.slice(0, VISITS + 1).map((id) => `${subject(id)}/days`);
  const recording = `${subject(site.nightSubjectId)}/recordings/${site.nightRecordingId}`;
  const day = await views(browser, context, days, CURSOR);
  const viewer = await views(browser, context, Array<string>(VISITS + 1).fill(recording), DETAIL);
  const page = await context.newPage();
  await page.goto(recording);
  await page.waitForSelector(DETAIL);
  await page.waitForTimeout(2_000);
  const frames = await pan(page, await context.newPage());
  const size = `${site.subjects}x${site.days}`;
  return [
    barRow(`${size}: first view of a day, warm browser`, day.pictureMs, 'ms', PICTURE_MS),
    barRow(`${size}: longest task of that view, processor time`, day.longestTaskMs, 'ms', LONGEST_TASK_MS),
    { name: `${size}: main thread of that view, processor time`, value: day.cpuMs, unit: 'ms', pass: true },
    barRow(`${size}: first view of raw signals, warm browser`, viewer.pictureMs, 'ms', PICTURE_MS),
    { name: `${size}: longest task of that view, processor time`, value: viewer.longestTaskMs, unit: 'ms', pass: true },
    { name: `${size}: main thread of that view, processor time`, value: viewer.cpuMs, unit: 'ms', pass: true },
    ...frames.map((row) => ({ ...row, name: `${size}: ${row.name}` })),
  ];
}

export async function run(): Promise<BenchRow[]> {
  // Measure the current sources, not an old build.
  buildIfStale(['desk']);
  const cache = process.env.OUTPOST_BENCH_FOLDER ?? cacheFolder();
  const kept = await keptSite(parseSize(process.env.OUTPOST_BENCH_SIZE ?? '10x365'), cache, (text) =>
    process.stderr.write(`${text}\n`),
  );
  // On the disk of the site, whose files are linked.
  const folder = await mkdtemp(join(cache, 'run-desk-'));
  const browser = await chromium.launch({ executablePath: findChromium(), args: CHROMIUM_FLAGS });
  try {
    const site = await copyOfSite(kept, folder);
    const clockFile = join(folder, 'clock');
    await writeFile(clockFile, String(site.nowTs - Date.now()));
    const server = await startServerProcess(site.dir, {
      nodeArguments: ['--import', CLOCK_HOOK],
      environment: { CLOCK_FILE: clockFile },
    });
    try {
      return await measure(browser, server.url, site);
    } finally {
      await server.stop();
    }
  } finally {
    await browser.close();
    await rm(folder, { recursive: true, force: true });
  }
}
