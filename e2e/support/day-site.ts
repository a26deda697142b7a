/** A site of a test's own whose subjects have simulated recordings at times that the test chooses, with the real analysis. */
import type { Page } from '@playwright/test';
import { pino } from 'pino';
import { simulateSubject } from '../../src-server/simulator/physiology/subject.ts';
import { storeSimulated } from '../../src-server/testing/test-engine.ts';
import { startTestLanSite, type TestLanSite } from '../../src-server/testing/test-lan-site.ts';
import { TEST_EMAIL, TEST_PASSWORD } from '../../src-server/testing/test-site.ts';
import { signIn } from './desk.ts';

type Simulation = Parameters<typeof simulateSubject>[0];
type Sensors = NonNullable<Simulation['sensors']>;

/** Acceleration alone: enough for activity and wear, and made in a moment. */
export const THIGH: Sensors = [
  { location: 'ANTERIOR_THIGH', side: 'RIGHT', part: 'thigh', ecg: false, udid: 'AA:BB:CC:00:00:02' },
];
export const CHEST: Sensors = [
  { location: 'MEDIAL_CHEST', side: 'NONE', part: 'chest', ecg: true, udid: 'AA:BB:CC:00:00:01' },
];

export interface DaySite extends TestLanSite {
  /** Address of a subject's days. */
  days(subjectId: string): string;
  addSubject(displayName: string, timezone: string): Promise<string>;
  /** The subject lives in another zone from an instant on. */
  moveZone(subjectId: string, timezone: string, fromTs: number): Promise<void>;
  /** Stores recordings of a span and queues their analysis; answers the id of the job. */
  record(subjectId: string, span: Omit<Simulation, 'seed'>): Promise<string>;
  /** A sensor that the subject holds from an instant on. */
  handOut(subjectId: string, sensor: { id: string; udid: string; displayName: string }, atTs: number): Promise<void>;
}

/** @param startMs the time of its clock, which runs on from there; default now */
export async function startDaySite(startMs = Date.now()): Promise<DaySite> {
  const aheadMs = startMs - Date.now();
  const lan = await startTestLanSite({}, [], undefined, { log: pino({ level: 'silent' }), aheadMs });
  const { place, site, client } = lan;
  const { store, signalsDir } = site.folder;
  const { studyId, accountId } = place;
  const by = { actor: { type: 'USER', id: place.userId } } as const;
  let seed = 1;
  return Object.assign(lan, {
    days: (subjectId: string) => `${site.url}/studies/${studyId}/subjects/${subjectId}/days`,
    addSubject: async (displayName: string, timezone: string) =>
      (await store.subjects.create(studyId, { displayName, timezone }, by)).id,
    moveZone: async (subjectId: string, timezone: string, fromTs: number) => {
      await store.subjects.update(subjectId, { timezone, timezoneFromTs: fromTs }, by);
    },
    record: async (subjectId: string, span: Omit<Simulation, 'seed'>) => {
      const { recordings } = simulateSubject({ seed: seed++, dailyCharging: false, dropoutsPerDay: 0, ...span });
      const rows = await storeSimulated(store, signalsDir, { studyId, subjectId }, recordings);
      const { id } = await site.engine.jobs.enqueue('analyse', {
        studyId,
        subjectId,
        fromMs: span.startMs,
        toMs: span.stopMs,
        recordingIds: rows.map((row) => row.id),
      });
      return id;
    },
    handOut: async (subjectId: string, sensor: { id: string; udid: string; displayName: string }, atTs: number) => {
      await client.call('registerEquipment', { params: { accountId }, body: { type: 'SENSOR', ...sensor } });
      await store.equipment.assign(sensor.id, { studyId, subjectId, atTs }, by);
    },
  });
}

/** Signs the administrator of the site in. */
export async function openDesk(page: Page, { site, clock }: DaySite): Promise<void> {
  // A session of a site whose clock is behind has ended by the computer's own.
  await page.clock.install({ time: Date.now() + clock.aheadMs });
  await page.goto(site.url);
  await signIn(page, { email: TEST_EMAIL, password: TEST_PASSWORD });
}
