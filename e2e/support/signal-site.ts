/** A site of a test's own with ten minutes of known signals: a pulse of 1 mV for 1 s in every ten seconds, and a minute missing. */
import type { Browser, BrowserContextOptions, Page } from '@playwright/test';
import { pino } from 'pino';
import { createClient } from '../../src-server/api/contract/client.ts';
import { startSite } from '../../src-server/site/server.ts';
import { addTestRecording, TEST_SCALE } from '../../src-server/testing/test-recording.ts';
import { makeTestSite, TEST_EMAIL, TEST_PASSWORD } from '../../src-server/testing/test-site.ts';

/** 06:00:00 on the clock of US/Eastern. */
export const SIGNALS_START_MS = Date.UTC(2026, 0, 15, 11);
export const MISSING_MINUTE = 5;
const PULSE_SECOND = 2;
const PULSE_COUNTS = Math.round(0.001 / TEST_SCALE.ECG);

export interface SignalSite {
  url: string;
  /** Address of the signals, with the window around an instant. */
  signals(atMs: number): string;
  history: string;
  /** The study is over. */
  endStudy(): Promise<void>;
  /** A page of a new context whose administrator is signed in. */
  open(browser: Browser, options?: BrowserContextOptions): Promise<Page>;
  close(): Promise<void>;
}

/**
 * @param rateHz of the ECG, whole
 * @param counts the ECG itself, in place of the pulses
 */
export async function startSignalSite(rateHz = 250, counts?: ArrayLike<number>): Promise<SignalSite> {
  const place = await makeTestSite({ timeZones: ['US/Eastern'] });
  const site = await startSite({ dir: place.dir, port: 0, log: pino({ level: 'silent' }) });
  const { store, signalsDir } = site.folder;
  const subject = { studyId: place.studyId, subjectId: place.subjectIds[0]! };
  const common = { startUs: SIGNALS_START_MS * 1000, durationSeconds: 600 };
  const { id } = await addTestRecording(store, signalsDir, subject, {
    ...common,
    ecgRateHz: rateHz,
    ecgCount: (i) => counts?.[i] ?? (Math.floor(i / rateHz) % 10 === PULSE_SECOND ? PULSE_COUNTS : 0),
    missingMinutes: [MISSING_MINUTE],
  });
  await addTestRecording(store, signalsDir, subject, { ...common, udid: 'AA:BB:CC:00:00:02' });
  const client = createClient({ baseUrl: site.url });
  const session = await client.call('login', { body: { email: TEST_EMAIL, password: TEST_PASSWORD } });
  client.credentials = { userId: session.user.id, accessToken: session.accessToken };
  const path = `/studies/${subject.studyId}/subjects/${subject.subjectId}`;
  return {
    url: site.url,
    signals: (atMs) => `${path}/recordings/${id}?at=${atMs}`,
    history: `${path}/history`,
    endStudy: async () => {
      const params = { studyId: subject.studyId };
      const { lifecycleState } = await client.call('getStudy', { params });
      if (lifecycleState === 'INITIALIZED') await client.call('startStudy', { params });
      if (lifecycleState !== 'COMPLETE') await client.call('stopStudy', { params });
    },
    open: async (browser, options) => {
      const context = await browser.newContext({ baseURL: site.url, locale: 'en-US', ...options });
      await context.addInitScript((value) => localStorage.setItem('outpost.session', value), JSON.stringify(session));
      return await context.newPage();
    },
    close: async () => {
      await site.close();
      await place.remove();
    },
  };
}
