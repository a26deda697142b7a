import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CHANNEL_UNITS } from '../../analytics/channels.ts';
import { FURTHER_CHANNEL_UNITS } from '../../analytics/further-channels.ts';
import { libraryConfigId } from '../../analytics/library-config.ts';
import { METRIC_NAMES } from '../../analytics/metric-names.ts';
import { createSecondColumns } from '../../analytics/seconds.ts';
import { SYSTEM } from '../../db/index.ts';
import { sha256Hex } from '../../files/content-hash.ts';
import { fixedZone, midnightWindow, noonWindow } from '../../study/day-windows.ts';
import { startTestApi, type TestApi } from '../../testing/test-api.ts';
import { addTestRecording } from '../../testing/test-recording.ts';
import { CHANNELS, FURTHER_CHANNELS } from '../contract/channels.ts';
import type { IntradayChannel } from '../contract/index.ts';

const PIPELINE = 'fdd051b8-d753-11e6-ab51-34363bc84032';
const MASTER = '4e8a80fd-4778-11e6-a313-34363bc3dbe2';
const ZONE = 'US/Eastern';
/** Clocks go forward on 2026-03-08 in US/Eastern. */
const DATES = ['2026-03-07', '2026-03-08', '2026-03-09'];
const RECORDED_SECONDS = 600;

let api: TestApi;
/** Recordings of ten minutes, one at 10:00 local on each date. */
const starts = DATES.map((date) => midnightWindow(date, fixedZone(ZONE)).stopMs - 14 * 3_600_000);

/** Columns of a window with heart beats, steps and counts in the recorded minutes. */
function columnsOf(date: string) {
  const window = noonWindow(date, fixedZone(ZONE));
  const seconds = createSecondColumns(window.startMs, (window.stopMs - window.startMs) / 1000);
  for (const start of starts) {
    for (let k = 0; k < RECORDED_SECONDS; k++) {
      const i = (start - window.startMs) / 1000 + k;
      if (i < 0 || i >= seconds.count) continue;
      seconds.recorded[i] = 1;
      seconds.worn[i] = 1;
      seconds.rrCount[i] = 1;
      seconds.rrSumMs[i] = 800 + (k % 50);
      seconds.steps[i] = k % 3;
      seconds.counts[i] = (k % 7) / 16;
      seconds.activity[i] = 1;
      seconds.leanSide[i] = 2;
      seconds.leanSideDegrees[i] = 12;
      seconds.leanForward[i] = 2;
      seconds.leanForwardDegrees[i] = 20;
      seconds.sleepingPosture[i] = 2 + 16 * 4;
    }
  }
  return { window, seconds };
}

beforeAll(async () => {
  api = await startTestApi({ timeZones: [ZONE, 'Asia/Tokyo'] });
  const place = { studyId: api.studyId, subjectId: api.subjectIds[0]! };
  for (const start of starts) {
    await addTestRecording(api.store, api.deps.signalsDir, place, {
      startUs: start * 1000,
      durationSeconds: RECORDED_SECONDS,
      ecgRateHz: 125,
    });
  }
  await api.store.analytics.store(
    {
      ...place,
      algorithmVersion: 'test',
      windows: DATES.map((date) => ({ ...columnsOf(date), timezone: ZONE, sleep: [], inputsHash: date })),
      days: DATES.map((date, i) => {
        const { startMs, stopMs } = midnightWindow(date, fixedZone(ZONE));
        const metrics = {
          date,
          dayStartMs: startMs,
          dayStopMs: stopMs,
          dataStartMs: starts[i]!,
          dataStopMs: starts[i]! + RECORDED_SECONDS * 1000,
          metrics: { SENSOR_WEAR_DURATION: 600, MOVING_STEPS: 599, MOVING_AVG_HR: 72.345 },
          validSeconds: { MOVING: 600 },
        };
        return { metrics, timezone: ZONE, inputsHash: date, ...(i === 2 && { algorithmVersion: 'older+test' }) };
      }),
    },
    SYSTEM,
  );
});
afterAll(() => api.close());

const subject = () => ({ studyId: api.studyId, subjectId: api.subjectIds[0]! });
async function channels(from: number, to: number, interval?: number): Promise<Record<string, IntradayChannel>> {
  const answer = await api.client.call('getChannels', {
    params: { ...subject(), pipelineId: PIPELINE },
    query: { masterId: MASTER, from, to, ...(interval ? { interval } : {}) },
  });
  expect(answer.channels.map(({ type, units }) => [type, units])).toEqual(Object.entries(CHANNEL_UNITS));
  return Object.fromEntries(answer.channels.map((channel) => [channel.type, channel]));
}

const sum = (channel: IntradayChannel) =>
  channel.values.reduce<number>((total, value) => total + ((value as number | null) ?? 0), 0);

it('lists in the contract the nine channels that analytics computes', () => {
  expect(CHANNELS.map(({ type, units }) => [type, units])).toEqual(Object.entries(CHANNEL_UNITS));
  expect(FURTHER_CHANNELS.map(({ type, units }) => [type, units])).toEqual(Object.entries(FURTHER_CHANNEL_UNITS));
});

describe('metrics', () => {
  it('contain one item per day with the zone and offset of that day', async () => {
    const { items } = await api.client.call('listMetrics', { params: subject() });
    const oneDay = { fromDate: DATES[1]!, toDate: DATES[1]! };
    expect((await api.client.call('listMetrics', { params: subject(), query: oneDay })).items).toEqual([items[1]]);
    const [name = ''] = Object.keys(items[1]!.metrics);
    const some = await api.client.call('listMetrics', {
      params: subject(),
      query: { ...oneDay, name: [name, 'NONE'] },
    });
    expect(some.items).toEqual([{ ...items[1], metrics: { [name]: items[1]!.metrics[name] } }]);
    expect(items.map((item) => item.dayStartMsUtc)).toEqual(
      DATES.map((date) => midnightWindow(date, fixedZone(ZONE)).startMs),
    );
    expect(items.map((item) => item.subjectTzOffset)).toEqual(['-05:00', '-05:00', '-04:00']);
    expect(items[0]).toMatchObject({ subjectTz: ZONE, errorTypes: [], metrics: { MOVING_STEPS: 599 } });
  });

  it('name the version that computed each day, and report mixed versions', async () => {
    const { items } = await api.client.call('listMetrics', { params: subject() });
    expect(items.map(({ algorithmVersion, libraryConfigId: id }) => [algorithmVersion, id])).toEqual([
      ['test', libraryConfigId('test')],
      ['test', libraryConfigId('test')],
      ['older+test', libraryConfigId('older+test')],
    ]);
    expect(libraryConfigId('test')).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(new Set(['8', '9', '8+9'].map((version) => libraryConfigId(version))).size).toBe(3);
    const csv = await api.client.fetch('downloadMetricsCsv', { params: subject() });
    expect(csv.headers.get('outpost-algorithm-version')).toBe('older+test');
    const params = { ...subject(), date: DATES[0]! };
    const day = await api.client.fetch('downloadChannelsCsv', { params });
    expect(day.headers.get('outpost-algorithm-version')).toBe('test');
    const answer = await api.client.call('getChannels', {
      params: { ...subject(), pipelineId: PIPELINE },
      query: { masterId: MASTER, from: starts[0]!, to: starts[0]! + 60_000 },
    });
    expect(answer).toMatchObject({ algorithmVersion: 'test', libraryConfigId: libraryConfigId('test') });
    for (const [hash, results] of [
      [answer.inputsHash, await api.store.analytics.windows(subject().subjectId, { toTs: starts[0]! + 120_000 })],
      [csv.headers.get('outpost-inputs-hash'), await api.store.analytics.days(subject().subjectId)],
    ] as const)
      expect(hash).toBe(sha256Hex(results.map(({ date, inputsHash }) => `${date} ${inputsHash}`).join('\n')));
    const ofRun = { params: { ...subject(), pipelineId: PIPELINE } };
    const query = { masterId: MASTER, from: starts[0]!, to: starts[0]! + 60_000, run: 'no-such-run' };
    await expect(api.client.call('getChannels', { ...ofRun, query })).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(
      api.client.fetch('downloadChannelsCsv', { params, query: { run: 'no-such-run' } }),
    ).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('export as CSV with a column for every metric, two decimals, and empty strings for missing values', async () => {
    const response = await api.client.fetch('downloadMetricsCsv', { params: subject() });
    expect(response.headers.get('content-type')).toMatch(/^text\/csv/);
    const lines = (await response.text()).split('\n');
    const header = lines[0]!.split(',');
    expect(header[0]).toBe('DATE');
    expect(header).toHaveLength(METRIC_NAMES.length + 1);
    expect(header.slice(1)).toEqual([...header.slice(1)].sort());
    expect(header).toContain('MOVING_AVG_GAIT_CADENCE (steps_per_minute)');
    expect(lines).toHaveLength(DATES.length + 2);
    const cells = lines[1]!.split(',');
    expect(cells[0]).toBe('2026-03-07');
    expect(cells[header.indexOf('MOVING_AVG_HR (bpm)')]).toBe('"72.34"');
    expect(cells[header.indexOf('SENSOR_WEAR_DURATION (seconds)')]).toBe('"600.00"');
    expect(cells[header.indexOf('RESTING_AVG_HR (bpm)')]).toBe('""');
  });
});

describe('channels', () => {
  it('lie on one regular grid, of a minute by default, within the requested bounds', async () => {
    const from = starts[0]! + 61_500;
    const answer = await channels(from, from + 240_000);
    const { times } = answer.heart_rate!;
    expect(times).toEqual([60_000, 120_000, 180_000, 240_000, 300_000].map((ms) => starts[0]! + ms));
    for (const channel of Object.values(answer)) expect(channel.times).toEqual(times);
    expect(answer.activity!.values[0]).toBe('MOVING:WALKING');
    expect(answer.resting_posture!.values[0]).toEqual({ c: 'LEAN_LEFT', ca: 12, s: 'SLOUCHING', sa: 20 });
    expect(answer.sleeping_posture!.values[0]).toBe('LYING_CHEST/LYING_RIGHT');
    expect(answer.sleep_respiration!.values[0]).toBeNull();
  });

  it('return the whole history at one second in one response, with equal sums at every bin size', async () => {
    const [from, to] = [Date.UTC(1970, 0, 1), Date.UTC(3000, 0, 1)];
    const finest = await channels(from, to, 1000);
    const { times } = finest.steps!;
    expect(times[0]).toBe(starts[0]);
    expect(times.at(-1)).toBe(starts[2]! + (RECORDED_SECONDS - 1) * 1000);
    expect(times.every((time, i) => i === 0 || time - times[i - 1]! === 1000)).toBe(true);
    expect(sum(finest.steps!)).toBe(DATES.length * RECORDED_SECONDS);
    for (const interval of [5000, 10000, 15000, 30000, 60000]) {
      const binned = await channels(from, to, interval);
      expect(sum(binned.steps!)).toBe(sum(finest.steps!));
      expect(sum(binned.combined_act_count!)).toBe(sum(finest.combined_act_count!));
    }
  });

  it('are those named, further ones among them, and the nine of the interface where none is named', async () => {
    const query = { masterId: MASTER, from: starts[0]!, to: starts[0]! + 120_000 };
    const call = async (type?: unknown) => {
      const params = { ...subject(), pipelineId: PIPELINE };
      return await api.client.call('getChannels', { params, query: { ...query, ...(type ? { type } : {}) } as never });
    };
    const some = await call(['sdnn', 'heart_rate']);
    expect(some.channels.map(({ type, units }) => [type, units])).toEqual([
      ['heart_rate', 'bpm'],
      ['sdnn', 'milliseconds'],
    ]);
    expect(some.channels[0]!.values).toEqual((await call()).channels[0]!.values);
    expect(some.channels[1]!.values).toEqual([null, null, null]);
    await expect(call('pulse')).rejects.toMatchObject({ status: 400, errors: [{ path: 'type' }] });
    const csv = await api.client.fetch('downloadChannelsCsv', {
      params: { ...subject(), date: DATES[0]! },
      query: { further: true } as never,
    });
    const [header = ''] = (await csv.text()).split('\n');
    expect(header.split(',').slice(10, 12)).toEqual(['STEPS (steps)', 'SDNN (milliseconds)']);
    expect(header.split(',')).toHaveLength(11 + FURTHER_CHANNELS.length);
  });

  it('are nine empty channels where nothing was recorded', async () => {
    const answer = await channels(0, 1000);
    for (const channel of Object.values(answer)) expect(channel).toMatchObject({ times: [], values: [] });
  });

  it('reject another pipeline, master or interval', async () => {
    const call = (pipelineId: string, query: Record<string, unknown>) =>
      api.client.call('getChannels', {
        params: { ...subject(), pipelineId },
        query: { masterId: MASTER, from: 0, to: 1, ...query } as never,
      });
    await expect(call(MASTER, {})).rejects.toMatchObject({ status: 404 });
    await expect(call(PIPELINE, { masterId: PIPELINE })).rejects.toMatchObject({
      status: 400,
      errors: [{ path: 'masterId' }],
    });
    await expect(call(PIPELINE, { interval: 2000 })).rejects.toMatchObject({
      status: 400,
      errors: [{ path: 'interval' }],
    });
    await expect(call(PIPELINE, { from: 2 })).rejects.toMatchObject({ status: 400, errors: [{ path: 'from' }] });
  });
});

describe('channels of a day as CSV', () => {
  const download = async (date: string) =>
    (await (await api.client.fetch('downloadChannelsCsv', { params: { ...subject(), date } })).text())
      .trimEnd()
      .split('\n');

  it('has a row per local minute, 1380 when the clock goes forward', async () => {
    const [header, ...rows] = await download('2026-03-07');
    expect(header).toBe(
      'TIME (hh:mm),UTC Timestamp (utc_milliseconds),ACTIVITY,COMBINED_ACT_COUNT (activity_counts),FREQUENCY_HRV_RATIO (lf_hf),HEART_RATE (bpm),HRV (milliseconds),RESTING_POSTURE,SLEEP_RESPIRATION (breaths_per_minute),SLEEPING_POSTURE,STEPS (steps)',
    );
    expect(rows).toHaveLength(1440);
    expect(rows[0]!.split(',').slice(0, 2)).toEqual([
      '00:00',
      String(midnightWindow('2026-03-07', fixedZone(ZONE)).startMs),
    ]);
    const cells = rows[600]!.split(',');
    expect(cells[0]).toBe('10:00');
    expect(cells[2]).toBe('MOVING:WALKING');
    expect(cells[7]).toBe('LEAN_LEFT/SLOUCHING');
    expect(cells[9]).toBe('LYING_CHEST/LYING_RIGHT');
    expect(rows[0]!.split(',').slice(2)).toEqual(['', '', '', '', '', '', '', '', '']);
    const spring = (await download('2026-03-08')).slice(1);
    expect(spring).toHaveLength(1380);
    expect(spring.map((row) => row.slice(0, 5)).filter((time) => time.startsWith('02:'))).toEqual([]);
  });

  it('answers 404 for a day without data and 400 for an invalid date', async () => {
    await expect(download('2026-03-10')).rejects.toMatchObject({ status: 404 });
    await expect(download('2026-02-30')).rejects.toMatchObject({ status: 400, errors: [{ path: 'date' }] });
    await expect(download('7.3.2026')).rejects.toMatchObject({ status: 400 });
  });
});
