/** The binary form of the intraday channels, compared with the JSON answer for the same window. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSecondColumns } from '../../analytics/seconds.ts';
import { SYSTEM } from '../../db/index.ts';
import { fixedZone, noonWindow } from '../../study/day-windows.ts';
import { seededRandom } from '../../testing/signal-fixtures.ts';
import { startTestApi, type TestApi } from '../../testing/test-api.ts';
import { addTestRecording } from '../../testing/test-recording.ts';
import { channelsOfTable, decodeChannelTable, fetchChannelTable } from '../contract/channel-table.ts';
import { CHANNEL_TABLE, MASTER_ID, PIPELINE_ID } from '../contract/channels.ts';

const ZONE = 'Etc/GMT';
/** The second gap is longer than a month, so the answer has two runs. */
const DATES = ['2026-01-15', '2026-01-16', '2026-03-20'];
const RECORDED_SECONDS = 5 * 3600;

let api: TestApi;
const startOf = (date: string) => noonWindow(date, fixedZone(ZONE)).startMs + 3_600_000;
const random = seededRandom(14);
const chance = (share: number) => random() < share;
const below = (limit: number) => Math.floor(random() * limit);

/** Columns with every code, with missing seconds, and with values at the ends of their ranges. */
function columnsOf(date: string) {
  const window = noonWindow(date, fixedZone(ZONE));
  const seconds = createSecondColumns(window.startMs, (window.stopMs - window.startMs) / 1000);
  for (let i = 3600; i < 3600 + RECORDED_SECONDS; i++) {
    seconds.recorded[i] = 1;
    if (chance(0.2)) continue;
    seconds.worn[i] = 1;
    seconds.rrCount[i] = 1 + below(3);
    seconds.rrSumMs[i] = 300 + below(900);
    seconds.rrDiffCount[i] = 1;
    seconds.rrDiffSquaredMs2[i] = chance(0.01) ? 4e6 : below(5000);
    seconds.lfHf[i] = chance(0.01) ? 3e9 : random() * 8;
    seconds.respiration[i] = 8 + random() * 20;
    seconds.steps[i] = below(4);
    seconds.counts[i] = below(900) / 16;
    seconds.activity[i] = below(10);
    seconds.leanSide[i] = below(4);
    seconds.leanSideDegrees[i] = below(180) - 90;
    seconds.leanForward[i] = below(5);
    seconds.leanForwardDegrees[i] = below(180) - 90;
    seconds.sleepingPosture[i] = chance(0.5) ? 1 + below(4) : 2 + 16 * 4;
  }
  return { window, seconds };
}

beforeAll(async () => {
  api = await startTestApi({ timeZones: [ZONE, 'Asia/Tokyo'] });
  const place = { studyId: api.studyId, subjectId: api.subjectIds[0]! };
  for (const date of DATES) {
    await addTestRecording(api.store, api.deps.signalsDir, place, {
      startUs: startOf(date) * 1000,
      durationSeconds: RECORDED_SECONDS,
      ecgRateHz: 25,
    });
  }
  const windows = DATES.map((date) => ({ ...columnsOf(date), timezone: ZONE, sleep: [], inputsHash: date }));
  await api.store.analytics.store({ ...place, algorithmVersion: 'test', windows, days: [] }, SYSTEM);
});
afterAll(() => api.close());

const options = (from: number, to: number, interval?: number, subject = 0) => ({
  params: { studyId: api.studyId, subjectId: api.subjectIds[subject]!, pipelineId: PIPELINE_ID },
  query: { masterId: MASTER_ID, from, to, ...(interval ? { interval } : {}) },
});

async function binary(call: ReturnType<typeof options>) {
  const response = await api.client.fetch('getChannels', { ...call, accept: CHANNEL_TABLE });
  expect(response.headers.get('content-type')).toBe(CHANNEL_TABLE);
  expect(response.headers.get('vary')).toContain('Accept');
  return await response.arrayBuffer();
}

describe('channels in binary form', () => {
  it.each([
    ['one second over several pieces', 0, 1, 1000],
    ['ten seconds', 0, 1, 10_000],
    ['a minute over a gap and two runs', 0, 2, 60_000],
  ])('has exactly the values of the JSON answer: %s', async (_, first, last, interval) => {
    const call = options(startOf(DATES[first]!), startOf(DATES[last]!) + 2 * 3_600_000, interval);
    const json = await api.client.call('getChannels', call);
    const bytes = await binary(call);
    const table = decodeChannelTable(bytes);
    expect(channelsOfTable(table)).toEqual(json.channels);
    expect(table.inputsHash).toBe(json.inputsHash);
    expect(table).toMatchObject({
      intervalMs: interval,
      algorithmVersion: json.algorithmVersion,
      libraryConfigId: json.libraryConfigId,
      inputsHash: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    const values = json.channels.flatMap((channel) => channel.values);
    expect(values.filter((value) => value === null).length).toBeGreaterThan(100);
    expect(values.filter((value) => value !== null).length).toBeGreaterThan(100);
    expect(bytes.byteLength).toBeLessThan(JSON.stringify(json).length / 5);
  });

  it('uses one minute by default, as the JSON answer does', async () => {
    const table = await fetchChannelTable(api.client, options(startOf(DATES[0]!), startOf(DATES[0]!) + 600_000));
    expect(table.intervalMs).toBe(60_000);
    expect(table.times.length).toBe(11);
  });

  it('is empty for a subject without data', async () => {
    const table = await fetchChannelTable(api.client, options(0, 4e12, 1000, 1));
    expect(table.times.length).toBe(0);
    expect(table.algorithmVersion).toBeUndefined();
    expect(channelsOfTable(table).map(({ values }) => values)).toEqual(Array.from({ length: 9 }, () => []));
  });

  it('rejects an answer that was cut off anywhere', async () => {
    const bytes = await binary(options(startOf(DATES[0]!), startOf(DATES[0]!) + 3_600_000, 1000));
    for (let length = 0; length < bytes.byteLength; length += 997)
      expect(() => decodeChannelTable(bytes.slice(0, length))).toThrow();
    expect(() => decodeChannelTable(bytes.slice(0, -1))).toThrow('incomplete');
  });
});
