import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SYSTEM } from '../../db/index.ts';
import { HOUR_MS } from '../../durations.ts';
import { startTestApi, type TestApi } from '../../testing/test-api.ts';
import { addTestRecording } from '../../testing/test-recording.ts';

/** 20:00 UTC: the 14th in New York, the 15th in Tokyo. */
const EVENING_MS = Date.UTC(2026, 0, 14, 20);

let api: TestApi;
let newYork: string;
let tokyo: string;
let test: string;

async function record(subjectId: string, startMs: number, durationSeconds: number, udid = 'AA:BB:CC:00:00:01') {
  const place = { studyId: api.studyId, subjectId };
  const options = { startUs: startMs * 1000 + 700, durationSeconds, udid };
  return await addTestRecording(api.store, api.deps.signalsDir, place, options);
}

beforeAll(async () => {
  api = await startTestApi({ timeZones: ['US/Eastern', 'Asia/Tokyo', 'US/Eastern'] });
  [newYork, tokyo] = api.subjectIds as [string, string];
  const created = await api.client.call('createSubject', {
    params: { studyId: api.studyId },
    body: { displayName: 'Try-out', timezone: 'US/Eastern', isTest: true },
  });
  test = created.id;
  await record(tokyo, EVENING_MS, 60);
  // Crosses local midnight and counts on the day it began.
  await record(newYork, EVENING_MS + 8.99 * HOUR_MS, 120);
  api.clock.advance(HOUR_MS);
  await record(newYork, EVENING_MS, 60, 'AA:BB:CC:00:00:02');
  api.clock.advance(HOUR_MS);
  await record(newYork, EVENING_MS + 10 * HOUR_MS, 60);
  await record(test, EVENING_MS, 60);
  const admin = { actor: { type: 'USER', id: api.admin.userId } } as const;
  for (const [id, type] of [
    ['sensor-1', 'SENSOR'],
    ['sensor-2', 'SENSOR'],
    ['hub-1', 'LINK_HUB'],
  ] as const) {
    await api.store.equipment.register({ accountId: api.accountId, id, type }, admin);
    await api.store.equipment.assign(id, { studyId: api.studyId, subjectId: newYork }, admin);
  }
  await api.store.equipment.unassign('sensor-1', { subjectId: newYork }, SYSTEM);
});
afterAll(() => api.close());

const lists = async () => {
  const params = { studyId: api.studyId };
  return {
    stats: await api.client.call('listRecordingStats', { params }),
    daily: await api.client.call('listDailyRecordingStats', { params }),
    recordings: (await api.client.call('listStudyRecordings', { params })).items,
  };
};

describe('recording statistics', () => {
  it('give local start dates, sensors ever held and sums over all sensors per subject', async () => {
    const { stats, recordings } = await lists();
    expect(stats.size).toBe(2);
    expect(stats.items.map((item) => item.subjectId)).toEqual([newYork, tokyo]);
    const own = recordings.filter((recording) => recording.subjectId === newYork);
    expect(stats.items[0]).toEqual({
      subjectId: newYork,
      countDays: 2,
      countRecordings: 3,
      countSensors: 2,
      durationMs: own.reduce((sum, one) => sum + one.recordingStopTs - one.recordingStartTs, 0),
      firstStartTs: EVENING_MS,
      lastStartTs: EVENING_MS + 10 * HOUR_MS,
      lastUploadTs: own.at(-1)!.uploadStartTs,
    });
    expect(own.at(-1)!.uploadStartTs).toBe(api.clock.now());
    expect(stats.items[1]).toMatchObject({ countDays: 1, countRecordings: 1, countSensors: 0 });
  });

  it("count each recording per day with its whole length on its subject's date, without test subjects", async () => {
    const { daily, recordings } = await lists();
    const sum = (...starts: number[]) =>
      recordings
        .filter((one) => one.subjectId !== test && starts.includes(one.recordingStartTs))
        .reduce((total, one) => total + one.recordingStopTs - one.recordingStartTs, 0);
    const beforeMidnight = EVENING_MS + 8.99 * HOUR_MS;
    const tokyoLength = recordings.find((one) => one.subjectId === tokyo)!;
    const ofTokyo = tokyoLength.recordingStopTs - tokyoLength.recordingStartTs;
    expect(daily.items).toEqual([
      {
        studyId: api.studyId,
        date: '2026-01-14',
        countRecordings: 2,
        countSubjects: 1,
        firstRecStartTs: EVENING_MS,
        lastRecStartTs: beforeMidnight,
        sumDurationMs: sum(EVENING_MS, beforeMidnight) - ofTokyo,
      },
      {
        studyId: api.studyId,
        date: '2026-01-15',
        countRecordings: 2,
        countSubjects: 2,
        firstRecStartTs: EVENING_MS,
        lastRecStartTs: EVENING_MS + 10 * HOUR_MS,
        sumDurationMs: sum(EVENING_MS + 10 * HOUR_MS) + ofTokyo,
      },
    ]);
  });

  it('agree with each other, also after a subject moves', async () => {
    const before = await lists();
    await api.client.call('updateSubject', {
      params: { studyId: api.studyId, subjectId: tokyo },
      body: { timezone: 'US/Eastern' },
    });
    const after = await lists();
    expect(after.daily).toEqual(before.daily);
    expect(after.stats).toEqual(before.stats);
    const total = (values: number[]) => values.reduce((sum, value) => sum + value, 0);
    expect(total(after.daily.items.map((day) => day.sumDurationMs))).toBe(
      total(after.stats.items.map((item) => item.durationMs)),
    );
  });

  it('are empty lists for a study without recordings', async () => {
    const { id } = await api.client.call('createStudy', {
      params: { accountId: api.accountId },
      body: { displayName: 'Empty' },
    });
    const params = { studyId: id };
    expect(await api.client.call('listRecordingStats', { params })).toEqual({ items: [], size: 0 });
    expect(await api.client.call('listDailyRecordingStats', { params })).toEqual({ items: [], size: 0 });
  });
});
