/**
 * The desk in a real Chromium on the demo site: time until a subject's day and the raw signals of a night are shown, and
 * frame times of the raw viewer while panning a day at 250 Hz, compared to an empty canvas of the same size in the same
 * browser. On a machine without a graphics card, the empty canvas is the limit.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, type BrowserContext, chromium, type Page } from '@playwright/test';
import { CHROMIUM_FLAGS, findChromium } from '../../e2e/support/chromium.ts';
import { type DemoSite, makeDemoSite, serveSite } from '../../e2e/support/sites.ts';
import { createClient } from '../../src-server/api/contract/client.ts';
import type { Recording } from '../../src-server/api/contract/index.ts';
import { buildIfStale } from '../build-ui.ts';
import { emptyCanvas, type Frames, panning } from './desk-frames.ts';
import { firstPictureMs } from './desk-views.ts';
import { barRow, comparedTo, median } from './rows.ts';
import type { BenchRow } from './types.ts';

const LIMIT_MS = 1000;
/** Of the main thread in a frame of panning, without a graphics card. */
const WORK_MS = 8;
const VISITS = 5;
const ROUNDS = 3;
const FRAMES = 300;
/** Pixels per frame: one second of ECG paper in three frames, faster than anyone reads. */
const STEP_PX = 30;
export const VIEWPORT = { width: 1440, height: 900 };

interface Served extends DemoSite {
  url: string;
}

async function longestEcg({
  url,
  email,
  password,
  studyId,
  subjects,
}: Served): Promise<{ session: string; recording: Recording }> {
  const client = createClient({ baseUrl: url });
  const session = await client.call('login', { body: { email, password } });
  client.credentials = { userId: session.user.id, accessToken: session.accessToken };
  const { items } = await client.call('listSubjectRecordings', { params: { studyId, subjectId: subjects[0]!.id } });
  const lengthMs = ({ recordingStartTs, recordingStopTs }: Recording) => recordingStopTs - recordingStartTs;
  const [recording] = items
    .filter(({ physicalConfig }) => physicalConfig.signal === 'ECG')
    .sort((a, b) => lengthMs(b) - lengthMs(a));
  if (!recording) throw new Error('The demo site has no ECG recording.');
  return { session: JSON.stringify(session), recording };
}

/** Opens a signed-in browser context with an empty cache. */
async function freshContext(browser: Browser, url: string, session: string): Promise<BrowserContext> {
  const context = await browser.newContext({ baseURL: url, viewport: VIEWPORT, locale: 'en-US' });
  await context.addInitScript((value) => localStorage.setItem('outpost.session', value), session);
  return context;
}

/** Returns the time from navigation to the frame after the selector appears: the median over fresh browsers. */
async function timeTo(browser: Browser, site: { url: string; session: string }, path: string, selector: string) {
  const times: number[] = [];
  for (let visit = 0; visit < VISITS; visit++) {
    const context = await freshContext(browser, site.url, site.session);
    const page = await context.newPage();
    times.push(await firstPictureMs(page, path, selector));
    await context.close();
  }
  return median(times);
}

const percentile = (frames: readonly Frames[], share: number): number => {
  const all = frames.flatMap(({ intervalsMs }) => intervalsMs).sort((a, b) => a - b);
  return all[Math.floor(share * all.length)]!;
};
const mean = (frames: readonly Frames[], value: (one: Frames) => number): number =>
  frames.reduce((sum, one) => sum + value(one), 0) / frames.length;

export async function pan(page: Page, empty: Page): Promise<BenchRow[]> {
  const detail = page.getByRole('slider', { name: 'Detail', exact: true });
  const box = await detail.boundingBox();
  if (!box) throw new Error('The detail strip is not visible.');
  const size = { widthPx: Math.round(box.width), heightPx: Math.round(box.height) };
  const ours: Frames[] = [];
  const peers: Frames[] = [];
  for (let round = 0; round <= ROUNDS; round++) {
    await page.bringToFront();
    const mine = await panning(detail, FRAMES, STEP_PX);
    await empty.bringToFront();
    const theirs = await emptyCanvas(empty, FRAMES, size);
    // The first round warms up both.
    if (round === 0) continue;
    ours.push(mine);
    peers.push(theirs);
  }
  const peer = 'empty canvas of that size';
  const p95 = percentile(ours, 0.95);
  const limit = Math.max(16.7, percentile(peers, 0.95));
  const complete = mean(ours, (one) => one.complete) / FRAMES;
  return [
    {
      name: `frame time while panning 250 Hz, p95 (${size.widthPx} x ${size.heightPx} px)`,
      value: p95,
      unit: 'ms',
      ...comparedTo(peer, percentile(peers, 0.95), p95),
      bar: '<= 16.7 ms, or 1.1 x the empty canvas where that is slower',
      pass: p95 <= 1.1 * limit,
    },
    {
      name: 'frame time while panning, median',
      value: percentile(ours, 0.5),
      unit: 'ms',
      ...comparedTo(peer, percentile(peers, 0.5), percentile(ours, 0.5)),
      pass: true,
    },
    {
      ...barRow(
        'main-thread work per frame, mean of processor time',
        mean(ours, (one) => one.busyMs),
        'ms',
        WORK_MS,
      ),
      ...comparedTo(
        peer,
        mean(peers, (one) => one.busyMs),
        mean(ours, (one) => one.busyMs),
      ),
    },
    {
      name: 'frames of the pan with every sample in view',
      value: 100 * complete,
      unit: '%',
      bar: '>= 95 %',
      pass: complete >= 0.95,
    },
  ];
}

export async function run(): Promise<BenchRow[]> {
  // Measure the current sources, not an old build.
  buildIfStale(['desk']);
  const folder = await mkdtemp(join(tmpdir(), 'outpost-bench-desk-'));
  const browser = await chromium.launch({ executablePath: findChromium(), args: CHROMIUM_FLAGS });
  try {
    const demo: DemoSite = await makeDemoSite(join(folder, 'site'), 2);
    const served = await serveSite(demo.dir);
    try {
      const { session, recording } = await longestEcg({ ...demo, url: served.url });
      const subject = `/studies/${demo.studyId}/subjects/${demo.subjects[0]!.id}`;
      const viewer = `${subject}/recordings/${recording.id}`;
      const hours = (recording.recordingStopTs - recording.recordingStartTs) / 3_600_000;
      const place = { url: served.url, session };
      const day = await timeTo(browser, place, `${subject}/days`, '[role="slider"][aria-label="Cursor"]');
      const raw = await timeTo(browser, place, viewer, '[role="slider"][aria-label="Detail"][aria-busy="false"]');
      const signIn = await timeTo(browser, { ...place, session: '' }, '/sign-in', 'input');
      const context = await freshContext(browser, served.url, session);
      const page = await context.newPage();
      await page.goto(viewer);
      await page.waitForSelector('[role="slider"][aria-label="Detail"][aria-busy="false"]');
      const frames = await pan(page, await context.newPage());
      return [
        {
          ...barRow("first view of a subject's day, empty cache", day, 'ms', LIMIT_MS),
          ...comparedTo("the desk's sign-in screen", signIn, day),
        },
        {
          ...barRow(`raw overview and detail of ${hours.toFixed(1)} h at 250 Hz, empty cache`, raw, 'ms', LIMIT_MS),
          ...comparedTo("the desk's sign-in screen", signIn, raw),
        },
        ...frames,
      ];
    } finally {
      await served.stop();
    }
  } finally {
    await browser.close();
    await rm(folder, { recursive: true, force: true });
  }
}
