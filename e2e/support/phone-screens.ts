/**
 * The screens of the phone app on its model in memory: every screen in every state that changes what it shows, for tests and
 * pictures. They are built apart from the app, because the model must not be in it.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Page } from '@playwright/test';
import react from '@vitejs/plugin-react';
import { build, preview } from 'vite';
import { RECORDED_SERIAL, type RecorderName } from '../../src-renderer/phone/testing/fake-host.ts';
import type {} from '../../src-renderer/phone/testing/main.tsx';
import { NOW_MS, TIME_ZONE } from '../../src-renderer/phone/testing/seed.ts';
import type { StateName } from '../../src-renderer/phone/testing/states.ts';

export interface PhoneScreen {
  name: string;
  state: StateName;
  /** Address of the screen, after `#`. */
  path: string;
  /** What the phone records. */
  recorder?: RecorderName;
  /** What the subject does first. */
  act?: (page: Page) => Promise<void>;
}

const question = (number: number) => `/draft/draft-morning/${number}`;
const RECORD = `/record/${RECORDED_SERIAL}`;
const SIGN_IN_LINK = '1&s=site&n=Lakeside%20Heart%20Clinic&t=ABCDEFGHJKLMNPQRST23&e=1795000000';

/** Taps the button with this icon-free name in either language. */
const tap = (name: RegExp) => async (page: Page) => await page.getByRole('button', { name }).first().click();

const connect = tap(/^(Connect sensor|センサーに接続)$/);
const stop = async (page: Page) => {
  await tap(/^(Stop recording|記録を終了)$/)(page);
  await page.getByRole('button', { name: /^(Connect sensor|センサーに接続)$/ }).waitFor();
};

export const PHONE_SCREENS: readonly PhoneScreen[] = [
  { name: 'welcome', state: 'signedOut', path: '/' },
  { name: 'welcome-limited', state: 'signedOutLimited', path: '/' },
  { name: 'sign-in-link', state: 'signedOut', path: SIGN_IN_LINK },
  { name: 'sign-in-untrusted', state: 'signedOutLimited', path: SIGN_IN_LINK },
  { name: 'sign-in-typed', state: 'signedOut', path: '/type' },
  { name: 'sign-in-short', state: 'signedOut', path: '/type', act: tap(/^(Sign in|サインイン)$/) },
  {
    name: 'scan-refused',
    state: 'signedOut',
    path: '/scan',
    // No camera here.
    act: async (page) => await page.getByRole('alert').filter({ hasText: /./ }).waitFor(),
  },
  { name: 'confirm', state: 'due', path: '/confirm' },
  { name: 'confirm-no', state: 'due', path: '/confirm', act: tap(/No, something|内容が違う/) },
  { name: 'confirm-away', state: 'confirmAway', path: '/confirm' },
  { name: 'signed-in-already', state: 'due', path: SIGN_IN_LINK },
  { name: 'locked', state: 'locked', path: '/today' },
  { name: 'locked-short', state: 'locked', path: '/today', act: tap(/^(Unlock|ロックを解除)$/) },
  { name: 'wiped-signed-out', state: 'wipedSignedOut', path: '/' },
  { name: 'wiped-signed-out-away', state: 'wipedSignedOutAway', path: '/' },
  { name: 'wiped-revoked', state: 'wipedRevoked', path: '/' },
  { name: 'wiped-again', state: 'wipedAgain', path: '/' },
  { name: 'wiped-erased', state: 'wipedErased', path: '/' },
  { name: 'wiped-evicted', state: 'wipedEvicted', path: '/' },
  { name: 'today', state: 'due', path: '/today' },
  { name: 'today-started', state: 'started', path: '/today' },
  { name: 'today-discard', state: 'started', path: '/today', act: tap(/Delete answers|回答を消す/) },
  { name: 'today-old-draft', state: 'oldDraft', path: '/today' },
  { name: 'today-all-done', state: 'allDone', path: '/today' },
  { name: 'today-nothing-now', state: 'nothingNow', path: '/today' },
  { name: 'today-missed', state: 'missed', path: '/today' },
  { name: 'today-none', state: 'noneDue', path: '/today' },
  { name: 'today-not-started', state: 'notStarted', path: '/today' },
  { name: 'today-ended', state: 'ended', path: '/today' },
  { name: 'today-offline', state: 'offline', path: '/today' },
  { name: 'today-kept', state: 'keptTask', path: '/today' },
  { name: 'today-refused', state: 'siteRefuses', path: '/today' },
  { name: 'today-update', state: 'update', path: '/today' },
  { name: 'today-full', state: 'full', path: '/today' },
  { name: 'today-private', state: 'privateMode', path: '/today' },
  { name: 'week', state: 'due', path: '/week' },
  { name: 'task-later', state: 'due', path: '/task/2026-11-20/evening' },
  { name: 'task-missed', state: 'missed', path: '/task/2026-11-20/morning' },
  { name: 'task-gone', state: 'due', path: '/draft/none' },
  { name: 'question-choice', state: 'started', path: question(1) },
  { name: 'question-yes-no', state: 'started', path: question(2) },
  { name: 'question-numbers', state: 'started', path: question(3) },
  { name: 'question-slider', state: 'started', path: question(4) },
  { name: 'question-number', state: 'started', path: question(5) },
  { name: 'question-time', state: 'started', path: question(6) },
  { name: 'question-several', state: 'started', path: question(7) },
  { name: 'question-text', state: 'started', path: question(8) },
  { name: 'question-date', state: 'started', path: question(9) },
  { name: 'question-requested', state: 'started', path: question(9), act: tap(/^(Skip|答えない)$/) },
  { name: 'question-empty', state: 'started', path: question(6), act: tap(/^(Next|次へ)$/) },
  { name: 'overview', state: 'long', path: '/draft/draft-long/all' },
  { name: 'summary', state: 'filled', path: '/draft/draft-morning/check' },
  { name: 'sent', state: 'allDone', path: '/done/2026-11-20/morning' },
  { name: 'kept', state: 'keptTask', path: '/done/2026-11-20/morning' },
  { name: 'not-accepted', state: 'refused', path: '/done/2026-11-18/evening/w4' },
  { name: 'activity', state: 'opened', path: '/draft/draft-walk/timer' },
  { name: 'timer', state: 'timer', path: '/draft/draft-walk/timer' },
  { name: 'timer-paused', state: 'paused', path: '/draft/draft-walk/timer' },
  { name: 'timer-over', state: 'timeOver', path: '/draft/draft-walk/timer' },
  { name: 'timer-end-early', state: 'timer', path: '/draft/draft-walk/timer', act: tap(/End now|ここで終わる/) },
  { name: 'calibration', state: 'calibration', path: '/draft/draft-stand/timer' },
  { name: 'calibration-count', state: 'calibration', path: '/draft/draft-stand/timer', act: tap(/countdown|秒読み/) },
  { name: 'calibration-done', state: 'calibrated', path: '/draft/draft-stand/timer' },
  { name: 'messages', state: 'due', path: '/messages' },
  { name: 'messages-unsent', state: 'unsent', path: '/messages' },
  { name: 'messages-empty', state: 'noMessages', path: '/messages' },
  { name: 'sensors', state: 'due', path: '/sensors' },
  { name: 'sensors-none', state: 'noSensors', path: '/sensors' },
  { name: 'sensors-limited', state: 'limited', path: '/sensors' },
  { name: 'record', state: 'due', path: RECORD },
  { name: 'record-nothing-picked', state: 'due', path: RECORD, act: connect },
  { name: 'record-other', state: 'due', path: RECORD, recorder: 'other', act: connect },
  {
    name: 'record-other-used',
    state: 'due',
    path: RECORD,
    recorder: 'other',
    act: async (page) => {
      await connect(page);
      await tap(/^(Use it anyway|このまま使う)$/)(page);
      await page.getByRole('img').waitFor();
    },
  },
  { name: 'record-recording', state: 'recording', path: RECORD, recorder: 'recording' },
  { name: 'record-poor', state: 'recording', path: RECORD, recorder: 'poor' },
  { name: 'record-lost', state: 'recording', path: RECORD, recorder: 'lost' },
  { name: 'record-failed', state: 'recording', path: RECORD, recorder: 'failed' },
  { name: 'record-stopped', state: 'recording', path: RECORD, recorder: 'kept', act: stop },
  { name: 'record-sending', state: 'recording', path: RECORD, recorder: 'sending', act: stop },
  { name: 'record-sent', state: 'recording', path: RECORD, recorder: 'recording', act: stop },
  { name: 'record-empty', state: 'recording', path: RECORD, recorder: 'poor', act: stop },
  { name: 'record-refused', state: 'recordingRefused', path: RECORD },
  { name: 'record-no-bluetooth', state: 'noBluetooth', path: RECORD },
  { name: 'record-untrusted', state: 'limited', path: RECORD },
  { name: 'more', state: 'offline', path: '/more' },
  { name: 'waiting', state: 'offline', path: '/waiting' },
  { name: 'waiting-refused', state: 'refused', path: '/waiting' },
  { name: 'waiting-recordings', state: 'recordingRefused', path: '/waiting' },
  {
    name: 'waiting-remove',
    state: 'recordingRefused',
    path: '/waiting',
    act: tap(/^(Remove|消す)/),
  },
  { name: 'waiting-nearly-full', state: 'nearlyFull', path: '/waiting' },
  {
    name: 'problem',
    state: 'due',
    path: '/problem/BS-20417',
    act: async (page) => await page.getByRole('radio').nth(2).check(),
  },
  { name: 'about', state: 'due', path: '/about' },
  { name: 'about-limited', state: 'limited', path: '/about' },
  { name: 'lock', state: 'due', path: '/lock' },
  { name: 'lock-on', state: 'locking', path: '/lock' },
  { name: 'leave', state: 'offline', path: '/leave' },
  { name: 'leave-sure', state: 'offline', path: '/leave', act: tap(/^(Sign out|サインアウト)$/) },
];

/** Options of a browser context in which the seed is now. */
export const PHONE_CONTEXT = {
  timezoneId: TIME_ZONE,
  reducedMotion: 'reduce',
  hasTouch: true,
  isMobile: true,
} as const;

/** Shows a screen on a page of the site of {@link servePhoneScreens}; the page is loaded once. */
export async function openPhoneScreen(
  page: Page,
  url: string,
  { state, path, recorder, act }: PhoneScreen,
): Promise<void> {
  if (!page.url().startsWith(url)) {
    await page.clock.setFixedTime(NOW_MS);
    await page.goto(url);
    await page.locator('h1').waitFor();
  }
  await page.evaluate(([name, at, records]) => window.showPhone?.(name, at, records), [state, path, recorder] as const);
  await page.locator('h1').waitFor();
  // Screens move the focus, and some scroll, after their first frame.
  await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
  await act?.(page);
}

/** Builds the screens into a temporary folder and serves them. */
export async function servePhoneScreens(): Promise<{ url: string; close: () => Promise<void> }> {
  const outDir = await mkdtemp(join(tmpdir(), 'outpost-phone-screens-'));
  const root = fileURLToPath(new URL('../../src-renderer/phone/testing/', import.meta.url));
  const shared = { configFile: false, root, base: './', logLevel: 'error' } as const;
  await build({ ...shared, plugins: [react()], build: { outDir, emptyOutDir: true, target: 'es2023', minify: true } });
  const server = await preview({ ...shared, build: { outDir }, preview: { port: 0, host: '127.0.0.1' } });
  return {
    url: server.resolvedUrls!.local[0]!,
    close: async () => {
      await server.close();
      await rm(outDir, { recursive: true, force: true });
    },
  };
}
