/** A store on disk in a temporary folder, with a clock that tests move, and one study to work in. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Change, newId, SYSTEM } from '../db/index.ts';
import { openStore, type Store } from '../services/index.ts';

export interface TestStore {
  folder: string;
  path: string;
  store: Store;
  /** Sets or moves the clock, epoch ms. */
  clock: { now: number };
  close(): Promise<void>;
}

/** 2026-03-02 09:00 UTC, a Monday. */
export const TEST_NOW = Date.UTC(2026, 2, 2, 9);

export function openTestStore(): TestStore {
  const folder = mkdtempSync(join(tmpdir(), 'outpost-store-'));
  const path = join(folder, 'site.db');
  const clock = { now: TEST_NOW };
  const store = openStore(path, { mode: 'create', clock: () => clock.now });
  return {
    folder,
    path,
    store,
    clock,
    async close() {
      await store.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

export interface TestStudy {
  accountId: string;
  userId: string;
  studyId: string;
  subjectId: string;
  deviceConfigId: string;
  activityId: string;
  diaryId: string;
  byUser: Change;
}

/** An account with its ADMIN, a study with one activity, one diary and one device config, and a subject in New York. */
export async function addTestStudy(store: Store): Promise<TestStudy> {
  const account = await store.accounts.create({ displayName: 'Clinic' }, SYSTEM);
  const user = await store.users.create(
    {
      accountId: account.id,
      email: `${newId()}@example.org`,
      firstName: 'Ada',
      lastName: 'Byron',
      locale: 'en_US',
      timezone: 'US/Eastern',
      role: 'ADMIN',
    },
    SYSTEM,
  );
  const byUser: Change = { actor: { type: 'USER', id: user.id } };
  const study = await store.studies.create(
    { accountId: account.id, displayName: 'Sleep at home', title: 'A study' },
    byUser,
  );
  const activityId = newId();
  const diaryId = newId();
  const deviceConfigId = newId();
  await store.studies.putDefinition(
    study.id,
    {
      activities: [
        {
          id: activityId,
          displayName: 'Six-minute walk',
          mode: 'UNSUPERVISED',
          durationSec: 360,
          instructions: 'Walk.',
          questions: [{ text: 'How hard was it?', type: 'RANGE', values: ['0', '10'] }],
        },
      ],
      diaries: [
        {
          id: diaryId,
          displayName: 'Evening diary',
          mode: 'UNSUPERVISED',
          questions: [{ text: 'Any pain?', type: 'BOOLEAN', values: ['YES', 'NO'] }],
        },
      ],
      deviceConfigs: [
        {
          id: deviceConfigId,
          mode: 'UNSUPERVISED',
          physicalConfig: { location: 'MEDIAL_CHEST', side: 'NONE', signal: 'ECG' },
          sensorConfig: { sensingType: 'MPU_ANALOG' },
        },
      ],
      program: { days: 3, tasks: [{ taskId: activityId, type: 'activity', days: 'daily' }] },
      metadataFields: [{ displayName: 'Arm', type: 'MULTIPLECHOICE', values: ['A', 'B'] }],
    },
    byUser,
  );
  const subject = await store.subjects.create(
    study.id,
    { displayName: 'S-001', timezone: 'US/Eastern', age: 34 },
    byUser,
  );
  return {
    accountId: account.id,
    userId: user.id,
    studyId: study.id,
    subjectId: subject.id,
    deviceConfigId,
    activityId,
    diaryId,
    byUser,
  };
}

/** The columns of a recording; give what matters. */
export function testRecording(study: TestStudy, overrides: Record<string, unknown> = {}) {
  return {
    id: newId(),
    studyId: study.studyId,
    subjectId: study.subjectId,
    deviceConfigId: study.deviceConfigId,
    recordingId: 7,
    startUs: TEST_NOW * 1000,
    stopUs: TEST_NOW * 1000 + 3_600_000_123,
    udid: 'AA:BB:CC:00:11:22',
    hardwareId: '3',
    firmwareId: '1.2.3',
    physicalConfig: { location: 'MEDIAL_CHEST', side: 'NONE', signal: 'ECG' },
    sensorConfig: { sensingType: 'MPU_ANALOG' },
    sizeBytes: 1000,
    sha256: 'a'.repeat(64),
    channels: [],
    sampleCounts: [900_000],
    syncPoints: [],
    contentSha256: newId().replaceAll('-', '').padEnd(64, '0'),
    sourceFormat: 'EDF',
    sourceFileName: 'night.edf',
    ...overrides,
  };
}
