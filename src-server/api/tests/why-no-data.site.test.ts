/** Causes of missing data over HTTP: each site has one cause, which a second fact must not hide. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createSecondColumns } from '../../analytics/seconds.ts';
import { SYSTEM } from '../../db/index.ts';
import { fixedZone, midnightWindow, noonWindow } from '../../study/day-windows.ts';
import { startTestApi, type TestApi } from '../../testing/test-api.ts';
import { addTestRecording, type TestRecordingOptions } from '../../testing/test-recording.ts';

const HOUR = 3_600_000;
const UDID = 'AA:BB:CC:00:00:01';
const BY = { actor: { type: 'USER', id: 'test' } } as const;
const ZONE = 'Asia/Tokyo';

let api: TestApi;
let params: { studyId: string; subjectId: string };
/** The second local day of the subject in the running study; it lies in the past at the start of each test. */
let date: string;
let midnight: number;

beforeEach(async () => {
  api = await startTestApi();
  params = { studyId: api.studyId, subjectId: api.subjectIds[1] as string };
  await api.client.call('startStudy', { params: { studyId: api.studyId } });
  const today = new Date(api.clock.now()).toISOString().slice(0, 10);
  date = new Date(Date.parse(today) + 48 * HOUR).toISOString().slice(0, 10);
  midnight = midnightWindow(date, fixedZone(ZONE)).startMs;
});
afterEach(() => api.close());

async function handOut(id: string, type: 'SENSOR' | 'LINK_HUB', udid?: string): Promise<void> {
  const body = { id, type, ...(udid && { udid }) };
  await api.client.call('registerEquipment', { params: { accountId: api.accountId }, body });
  await api.store.equipment.assign(id, { ...params, atTs: midnight - 30 * HOUR }, BY);
}

const advanceTo = (ms: number) => api.clock.advance(ms - api.clock.now());
const why = async (day = date) => {
  const reader = await api.signIn();
  return await reader.call('getWhyNoData', { params, query: { date: day } });
};
const codesOf = async (day = date) => (await why(day)).causes.map(({ code }) => code);

async function record(fromHour: number, toHour: number, more: TestRecordingOptions = {}): Promise<string> {
  const span = { startUs: (midnight + fromHour * HOUR) * 1000, durationSeconds: (toHour - fromHour) * 3600 };
  const { id } = await addTestRecording(api.store, api.deps.signalsDir, params, {
    ...span,
    udid: UDID,
    ecgRateHz: 10,
    ...more,
  });
  return id;
}

/** Stores the results of an analysis: worn from the first hour to the last, with beats in some spans and no movement. */
async function analyse(ids: readonly string[], worn: [number, number], beats: readonly [number, number][]) {
  const clock = fixedZone(ZONE);
  const at = (hour: number) => midnight + hour * HOUR;
  const next = new Date(Date.parse(date) + 24 * HOUR).toISOString().slice(0, 10);
  const windows = [date, next].map((one) => {
    const window = noonWindow(one, clock);
    const seconds = createSecondColumns(window.startMs, (window.stopMs - window.startMs) / 1000);
    for (let i = 0; i < seconds.count; i++) {
      const ms = window.startMs + i * 1000;
      if (ms < at(worn[0]) || ms >= at(worn[1])) continue;
      seconds.recorded[i] = 1;
      seconds.worn[i] = 1;
      if (!beats.some(([from, to]) => ms >= at(from) && ms < at(to))) continue;
      seconds.rrCount[i] = 1;
      seconds.rrSumMs[i] = 900;
    }
    return { window, seconds, timezone: ZONE, sleep: [], inputsHash: one };
  });
  const wear = (worn[1] - worn[0]) * 3600;
  const { startMs, stopMs } = midnightWindow(date, clock);
  const span = { date, dayStartMs: startMs, dayStopMs: stopMs, dataStartMs: startMs, dataStopMs: stopMs };
  const metrics = { ...span, metrics: { SENSOR_WEAR_DURATION: wear }, validSeconds: { WEAR: wear } };
  const days = [{ metrics, timezone: ZONE, inputsHash: date }];
  await api.store.analytics.store({ ...params, algorithmVersion: 'test', windows, days }, SYSTEM);
  for (const id of ids) await api.store.recordings.setDataState(id, 'ANALYSED', SYSTEM);
}

describe('electrodes', () => {
  it('are not blamed when every recorded minute has a heart rate, and the real gap is named', async () => {
    await handOut('SN-1', 'SENSOR', UDID);
    const ids = [await record(0, 10), await record(14, 24)];
    // Chest only: movement is unknown, so no metric of a state has a heart rate.
    await analyse(ids, [0, 24], [[0, 24]]);
    const hub = await api.addDevice('HUB', 'HUB-1');
    advanceTo(midnight + 30 * HOUR);
    await fetch(`${api.url}/api/v1/device/contact`, {
      method: 'POST',
      headers: { authorization: hub.authorization, 'content-type': 'application/json' },
      body: JSON.stringify({ clockTs: api.clock.now(), sensors: [{ udid: UDID }] }),
    });
    const { holes, causes } = await why();
    expect(causes.map(({ code }) => code)).toEqual(['NOT_RECORDING']);
    expect(
      holes.map(({ startTs, stopTs }) => [startTs, stopTs].map((ms) => Math.round((ms - midnight) / HOUR))),
    ).toEqual([[10, 14]]);
  });

  it('are blamed for the hours without a heart rate', async () => {
    const id = await record(0, 24);
    advanceTo(midnight + 48 * HOUR);
    await analyse(
      [id],
      [0, 24],
      [
        [0, 8],
        [11, 24],
      ],
    );
    const [cause] = (await why()).causes;
    expect(cause).toMatchObject({ code: 'SIGNAL_UNREADABLE', action: { kind: 'CHECK_ELECTRODES' } });
    expect(cause?.evidence).toMatchObject({
      seconds: 3 * 3600,
      atTs: midnight + 8 * HOUR,
      untilTs: midnight + 11 * HOUR,
    });
  });
});

describe('analyses that failed', () => {
  it('explain a day, but not those of a run beside it, and what waits for another version has not failed', async () => {
    await record(0, 24);
    advanceTo(midnight + 48 * HOUR);
    const codeAfter = async (code: 'INTERNAL' | 'VERSION_NOT_AVAILABLE', more: object) => {
      const span = { fromMs: midnight, toMs: midnight + HOUR, recordingIds: [] };
      const { id } = await api.jobs.enqueue('analyse', { ...params, ...span, ...more });
      const job = (await api.jobs.get(id))!;
      Object.assign(job, { state: 'failed', error: { code, message: 'It failed.' } });
      const { causes } = await why();
      Object.assign(job, { state: 'done' });
      return causes[0]?.code;
    };
    expect(await codeAfter('INTERNAL', {})).toBe('ANALYSIS_FAILED');
    expect(await codeAfter('INTERNAL', { runId: 'run' })).toBe('ANALYSIS_WAITING');
    expect(await codeAfter('VERSION_NOT_AVAILABLE', {})).toBe('ANALYSIS_WAITING');
  });
});

describe('future time', () => {
  it('is not reported as missing today', async () => {
    await record(0, 10);
    advanceTo(midnight + 10 * HOUR);
    const { holes, causes, untilTs, stopTs } = await why();
    expect(causes.map(({ code }) => code)).toEqual(['ANALYSIS_WAITING']);
    expect(holes).toEqual([]);
    expect([untilTs, stopTs]).toEqual([midnight + 10 * HOUR, midnight + 24 * HOUR]);
    const reader = await api.signIn();
    const query = { from: midnight, to: midnight + 24 * HOUR };
    expect((await reader.call('listGaps', { params, query })).items).toEqual([]);
    const later = { from: midnight + 12 * HOUR, to: midnight + 24 * HOUR };
    expect((await reader.call('listGaps', { params, query: later })).items).toEqual([]);
  });

  it('is all of tomorrow', async () => {
    const { holes, causes, untilTs } = await why();
    expect({ holes, codes: causes.map(({ code }) => code), untilTs }).toEqual({
      holes: [],
      codes: ['DAY_TO_COME'],
      untilTs: midnight,
    });
  });
});

describe('a silent hub', () => {
  const contactOf = async ({ authorization }: { authorization: string }, sensors: object[] = []) => {
    const answer = await fetch(`${api.url}/api/v1/device/contact`, {
      method: 'POST',
      headers: { authorization, 'content-type': 'application/json' },
      body: JSON.stringify({ clockTs: api.clock.now(), sensors }),
    });
    expect(answer.status).toBe(200);
  };

  it('of the subject is named although a clinic hub is in contact and has reached a sensor', async () => {
    await handOut('SN-1', 'SENSOR', UDID);
    const own = await api.addDevice('HUB', 'HUB-OWN');
    await api.store.equipment.assign('HUB-OWN', { ...params, atTs: midnight - 30 * HOUR }, BY);
    const clinic = await api.addDevice('HUB', 'HUB-CLINIC');
    await contactOf(own);
    api.clock.advance(HOUR);
    await contactOf(clinic, [{ udid: UDID }]);
    advanceTo(midnight + 30 * HOUR);
    await contactOf(clinic);
    const { causes } = await why();
    expect(causes[0]).toMatchObject({ code: 'DEVICE_NOT_SEEN', evidence: { deviceId: 'HUB-OWN' } });
  });

  it('is named when it was assigned to the subject but never paired', async () => {
    await handOut('SN-1', 'SENSOR', UDID);
    await handOut('HUB-NEW', 'LINK_HUB');
    const clinic = await api.addDevice('HUB', 'HUB-CLINIC');
    advanceTo(midnight + 30 * HOUR);
    await contactOf(clinic, [{ udid: UDID }]);
    expect((await why()).causes[0]).toMatchObject({ code: 'DEVICE_NOT_SEEN', evidence: { deviceId: 'HUB-NEW' } });
  });
});

describe('an unregistered sensor', () => {
  it('is named for the gap between its recordings', async () => {
    await record(0, 10, { udid: 'EE:EE' });
    await record(14, 24, { udid: 'EE:EE' });
    advanceTo(midnight + 48 * HOUR);
    const { holes } = await why();
    expect(holes.map(({ causes }) => causes.map(({ code }) => code))).toEqual([['RECORDING_STOPPED']]);
  });
});

describe('times without intended data', () => {
  it('include the time before the enrolment', async () => {
    const before = new Date(Date.parse(date) - 10 * 24 * HOUR).toISOString().slice(0, 10);
    expect(await codesOf(before)).toEqual(['BEFORE_ENROLMENT']);
  });

  it('include the time without a sensor', async () => {
    advanceTo(midnight + 30 * HOUR);
    expect(await codesOf()).toEqual(['NOTHING_ASSIGNED']);
  });
});
