/** A site of a test's own whose subjects have simulated recordings at times that the test chooses, with the real analysis. */

import type { Page } from '@playwright/test';
import { pino } from 'pino';
import { simulateSubject } from '../../src-server/simulator/physiology/subject.ts';
import { type RunningSite, startSite } from '../../src-server/site/server.ts';
import { storeSimulated } from '../../src-server/testing/test-engine.ts';
import { makeTestSite, TEST_EMAIL, TEST_PASSWORD, type TestSite } from '../../src-server/testing/test-site.ts';
import { signIn } from './desk.ts';

type Sensors = NonNullable<Parameters<typeof simulateSubject>[0]['sensors']>;

/** Acceleration alone: enough for activity and wear, and made in a moment. */
export const THIGH: Sensors = [{ location: 'ANTERIOR_THIGH', side: 'RIGHT', part: 'thigh', ecg: false }];
export const CHEST: Sensors = [{ location: 'MEDIAL_CHEST', side: 'NONE', part: 'chest', ecg: true }];

export interface DaySite {
  place: TestSite;
  site: RunningSite;
  url: string;
  /** Address of a subject's days. */
  days(subjectId: string): string;
  addSubject(name: string, timezone: string): Promise<string>;
  /** The subject lives in another zone from an instant on. */
  moveZone(subjectId: string, timezone: string, fromTs: number): Promise<void>;
  /** Stores recordings of a span and queues their analysis. */
  record(
    subjectId: string,
    span: {
      startMs: number;
      stopMs: number;
      timeZone: string;
      sensors: Sensors;
      gaps?: { startMs: number; stopMs: number }[];
    },
  ): Promise<void>;
  close(): Promise<void>;
}

export async function startDaySite(): Promise<DaySite> {
  const place = await makeTestSite({ timeZones: [] });
  const site = await startSite({ dir: place.dir, port: 0, log: pino({ level: 'silent' }) });
  const { store, signalsDir } = site.folder;
  const by = { actor: { type: 'USER', id: place.userId } } as const;
  let seed = 1;
  return {
    place,
    site,
    url: site.url,
    days: (subjectId) => `${site.url}/studies/${place.studyId}/subjects/${subjectId}/days`,
    addSubject: async (displayName, timezone) =>
      (await store.subjects.create(place.studyId, { displayName, timezone }, by)).id,
    moveZone: async (subjectId, timezone, fromTs) => {
      await store.subjects.update(subjectId, { timezone, timezoneFromTs: fromTs }, by);
    },
    record: async (subjectId, span) => {
      const { studyId } = place;
      const { recordings } = simulateSubject({ seed: seed++, dailyCharging: false, dropoutsPerDay: 0, ...span });
      const rows = await storeSimulated(store, signalsDir, { studyId, subjectId }, recordings);
      await site.engine.jobs.enqueue('analyse', {
        studyId,
        subjectId,
        fromMs: span.startMs,
        toMs: span.stopMs,
        recordingIds: rows.map(({ id }) => id),
      });
    },
    close: async () => {
      await site.close();
      await place.remove();
    },
  };
}

/** Signs the administrator of the site in. */
export async function openDesk(page: Page, { url }: DaySite): Promise<void> {
  await page.goto(url);
  await signIn(page, { email: TEST_EMAIL, password: TEST_PASSWORD });
}
