import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId, SYSTEM } from '../../db/index.ts';
import { startTestApi, type TestApi } from '../../testing/test-api.ts';
import { addTestRecording } from '../../testing/test-recording.ts';

const HOUR = 3_600_000;
const UDID = 'AA:BB:CC:00:00:01';

let api: TestApi;
let params: { studyId: string; subjectId: string };
let hub: { id: string; authorization: string };

/** Noon in Tokyo, where the second subject lives, on a day whose UTC date begins the evening before. */
const DATE = '2026-01-28';
const MIDNIGHT = Date.UTC(2026, 0, 27, 15);

async function post(path: string, body: unknown): Promise<unknown> {
  const answer = await fetch(`${api.url}/api/v1${path}`, {
    method: 'POST',
    headers: { authorization: hub.authorization, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  expect(answer.status).toBe(200);
  return await answer.json();
}

const held = (recordingId: string, place: 'SENSOR' | 'HUB', startTs: number, hours: number) => ({
  ...{ recordingId, sensor: 'SN-1', place, sizeBytes: 1_000_000 },
  ...{ startTs, stopTs: startTs + hours * HOUR },
});
const manifest = (...recordings: ReturnType<typeof held>[]) => post('/device/manifest', { recordings });
const why = () => api.client.call('getWhyNoData', { params, query: { date: DATE } });
const codes = async () => (await why()).causes.map(({ code }) => code);

beforeAll(async () => {
  api = await startTestApi();
  const { client, accountId, studyId, store } = api;
  params = { studyId, subjectId: api.subjectIds[1] as string };
  await client.call('registerEquipment', {
    params: { accountId },
    body: { id: 'SN-1', type: 'SENSOR', udid: UDID, displayName: 'Chest 1' },
  });
  await client.call('startStudy', { params: { studyId } });
  const change = { actor: { type: 'USER', id: api.admin.userId } } as const;
  await store.equipment.assign('SN-1', { ...params, atTs: api.clock.now() }, change);
  hub = await api.addDevice('HUB', 'HUB-1');
});
afterAll(() => api.close());

describe('coverage and causes over HTTP', () => {
  it('follow a recording from the sensor to the metrics', async () => {
    // The study was started on the 29th, UTC: the day before has no causes.
    expect(await codes()).toEqual(['BEFORE_ENROLMENT']);
    const date = '2026-01-30';
    const midnight = MIDNIGHT + 48 * HOUR;
    api.clock.advance(midnight + 36 * HOUR - api.clock.now());
    const ask = async () =>
      (await api.client.call('getWhyNoData', { params, query: { date } })).causes.map(({ code, topic }) => [
        code,
        topic,
      ]);
    const states = async () => {
      const { items } = await api.client.call('listCoverage', { params, query: { from: date, to: date } });
      return items[0]?.sensors.map(({ sensorId, displayName, states }) => [
        `${sensorId} ${displayName}`,
        ...states.map(({ state, seconds, sizeBytes }) => [state, seconds, sizeBytes]),
      ]);
    };
    expect(await ask()).toEqual([['DEVICE_NOT_SEEN', 'transport']]);
    await post('/device/contact', { clockTs: api.clock.now() });
    expect(await ask()).toEqual([['SENSOR_NOT_SEEN', 'transport']]);
    await post('/device/contact', { clockTs: api.clock.now(), sensors: [{ udid: UDID }] });
    expect(await ask()).toEqual([['NEVER_RECORDED', 'wear']]);

    const recordingId = newId();
    await manifest(held(recordingId, 'SENSOR', midnight, 24));
    expect(await ask()).toEqual([['SENSOR_HOLDS', 'transport']]);
    expect(await states()).toEqual([['SN-1 Chest 1', ['ON_SENSOR', 86_400, 1_000_000]]]);
    await manifest(held(recordingId, 'HUB', midnight, 24));
    expect(await ask()).toEqual([['HUB_HOLDS', 'transport']]);

    const uploadId = newId();
    await api.store.uploads.add(
      {
        ...{ id: uploadId, accountId: api.accountId, credentialId: hub.id, deviceId: 'HUB-1', recordingId },
        ...{ sensorId: 'SN-1', sizeBytes: 1_000_000, sha256: '1'.repeat(64), formatVersion: 1 },
        ...{ startUs: midnight * 1000, syncPoints: [] },
      },
      SYSTEM,
    );
    await api.store.uploads.setProgress(uploadId, 250_000);
    expect(await ask()).toEqual([['UPLOAD_IN_PROGRESS', 'upload']]);
    const { items } = await api.client.call('listCoverage', { params, query: { from: date, to: date } });
    expect(items[0]?.sensors[0]?.states[0]).toMatchObject({ state: 'RECEIVING', receivedBytes: 250_000 });
    api.clock.advance(HOUR);
    expect(await ask()).toEqual([['UPLOAD_STALLED', 'upload']]);
    const facts = {
      ...{ startUs: midnight * 1000, stopUs: (midnight + 24 * HOUR) * 1000, sensorStartUs: midnight * 1000 },
      ...{ location: 'MEDIAL_CHEST', udid: UDID, samples: 1 },
    };
    const quarantined = {
      state: 'QUARANTINED',
      code: 'OVERLAP',
      message: 'Another recording is there.',
      facts,
    } as const;
    await api.store.uploads.move(uploadId, ['RECEIVING'], quarantined, SYSTEM);
    const [cause] = (await api.client.call('getWhyNoData', { params, query: { date } })).causes;
    expect(cause).toMatchObject({
      code: 'UPLOAD_QUARANTINED',
      evidence: { uploadId, code: 'OVERLAP', sensorName: 'Chest 1' },
      action: { kind: 'DECIDE_UPLOAD', target: { type: 'upload', id: uploadId } },
    });
    await api.store.uploads.move(uploadId, ['QUARANTINED'], { state: 'ENDED' }, SYSTEM);
    await manifest();
    await addTestRecording(api.store, api.deps.signalsDir, params, {
      startUs: midnight * 1000,
      durationSeconds: 600,
      udid: UDID,
    });
    expect(await ask()).toEqual([
      ['ANALYSIS_WAITING', 'analysis'],
      ['NOT_RECORDING', 'wear'],
    ]);
    expect((await states())?.[0]?.[1]).toEqual(['VERIFIED', 600, expect.any(Number)]);
  });

  it('report a break inside a recording like any other hole', async () => {
    const [date, midnight] = ['2026-02-03', MIDNIGHT + 6 * 24 * HOUR];
    api.clock.advance(midnight + 36 * HOUR - api.clock.now());
    const missingMinutes = Array.from({ length: 30 }, (_, i) => 20 + i);
    await addTestRecording(api.store, api.deps.signalsDir, params, {
      ...{ startUs: (midnight + 10 * HOUR) * 1000, durationSeconds: 3600, udid: UDID, ecgRateHz: 10, missingMinutes },
    });
    await post('/device/contact', { clockTs: api.clock.now(), sensors: [{ udid: UDID }] });
    const { holes, recordedSeconds } = await api.client.call('getWhyNoData', { params, query: { date } });
    const hours = holes.map((hole) => [(hole.startTs - midnight) / HOUR, (hole.stopTs - midnight) / HOUR]);
    expect(hours.map((pair) => pair.map((hour) => Math.round(hour * 100) / 100))).toEqual([
      [0, 10],
      [10.33, 10.83],
      [11, 24],
    ]);
    expect(holes[1]?.causes).toMatchObject([
      { code: 'SAMPLES_MISSING', topic: 'wear', evidence: { sensorName: 'Chest 1' } },
    ]);
    expect(Math.abs(recordedSeconds - 1800)).toBeLessThan(5);
    const { items } = await api.client.call('listCoverage', { params, query: { from: date, to: date } });
    expect(items[0]?.sensors[0]?.states[0]?.spans).toHaveLength(2);
  });

  it('reject invalid, reversed and too many dates', async () => {
    const bad = { from: '2026-02-30' };
    await expect(api.client.call('listCoverage', { params, query: bad })).rejects.toMatchObject({ status: 400 });
    const reversed = { from: '2026-02-02', to: '2026-02-01' };
    await expect(api.client.call('listCoverage', { params, query: reversed })).rejects.toMatchObject({ status: 400 });
    const endless = { from: '1970-01-01', to: '2100-01-01' };
    await expect(api.client.call('listCoverage', { params, query: endless })).rejects.toMatchObject({ status: 400 });
  });

  it('give the causes of each break in the signals', async () => {
    const start = Date.UTC(2026, 1, 20, 6);
    const minutes = (n: number) => start + n * 60_000;
    api.clock.advance(minutes(3) - api.clock.now());
    // Twenty minutes, of which the 3rd to the 6th and the 9th were never stored, and another ten after a pause.
    for (const [minute, batteryPercent] of [
      [3, 40],
      [5, 60],
    ] as const) {
      api.clock.advance(minutes(minute) + 5000 - api.clock.now());
      await post('/device/contact', { clockTs: api.clock.now(), sensors: [{ udid: UDID, batteryPercent }] });
    }
    api.clock.advance(HOUR);
    const missing = { durationSeconds: 1200, missingMinutes: [3, 4, 5, 9] };
    const { id: first } = await addTestRecording(api.store, api.deps.signalsDir, params, {
      ...{ startUs: start * 1000, udid: UDID, ...missing },
    });
    await addTestRecording(api.store, api.deps.signalsDir, params, {
      ...{ startUs: minutes(30) * 1000, durationSeconds: 600, udid: UDID },
    });
    await addTestRecording(api.store, api.deps.signalsDir, params, {
      ...{ startUs: minutes(20) * 1000, durationSeconds: 600, udid: 'AA:BB:CC:00:00:99' },
    });
    // The token of the first test has expired by now.
    const reader = await api.signIn();
    const query = { from: start, to: minutes(40) - 4 };
    const { items } = await reader.call('listGaps', { params, query });
    expect(
      items.map(({ startTs, stopTs, udid, recordingId, causes }) => [
        Math.round((startTs - start) / 60_000),
        Math.round((stopTs - start) / 60_000),
        udid === UDID,
        recordingId,
        causes[0]?.code,
      ]),
    ).toEqual([
      [0, 20, false, undefined, 'REASON_UNKNOWN'],
      [3, 6, true, first, 'ON_CHARGER'],
      [9, 10, true, first, 'SAMPLES_MISSING'],
      [20, 30, true, undefined, 'RECORDING_STOPPED'],
      [30, 40, false, undefined, 'REASON_UNKNOWN'],
    ]);
    expect(items[1]?.causes[0]?.evidence).toMatchObject({
      ...{ sensorName: 'Chest 1', atTs: minutes(3) + 5000, untilTs: minutes(5) + 5000 },
    });
    const none = await reader.call('listGaps', { params, query: { from: minutes(1), to: minutes(2) } });
    expect(none.items).toEqual([]);
    for (const wrong of [
      { from: minutes(2), to: minutes(1) },
      { from: start, to: start + 32 * 24 * HOUR },
    ])
      await expect(reader.call('listGaps', { params, query: wrong })).rejects.toMatchObject({ status: 400 });
  });
});
