import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ECG_STATES } from '../../analytics/rhythm/settings.ts';
import { createSecondColumns } from '../../analytics/seconds.ts';
import type { SecondColumns } from '../../analytics/types.ts';
import { ANALYTICS_VERSION } from '../../analytics/version.ts';
import { SYSTEM } from '../../db/index.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../durations.ts';
import { fixedZone, noonWindow } from '../../study/day-windows.ts';
import { evenBeats, syntheticEcgChunk } from '../../testing/synthetic-ecg.ts';
import { flutterWave, interruptedEcg } from '../../testing/synthetic-rhythm.ts';
import { startTestApi, type TestApi } from '../../testing/test-api.ts';
import { addTestRecording, TEST_SCALE, testCount } from '../../testing/test-recording.ts';

const START_MS = Date.UTC(2026, 0, 15, 11);
const MINUTES = 10;
const R_WAVE = 1000;

let api: TestApi;
let recordingId: string;
const beatSeconds = evenBeats(MINUTES * 60, 0.8);
beforeAll(async () => {
  api = await startTestApi();
  const { columns } = syntheticEcgChunk({ beats: beatSeconds, seconds: MINUTES * 60, rateHz: 250, gain: R_WAVE });
  const place = { studyId: api.studyId, subjectId: api.subjectIds[0]! };
  const recording = await addTestRecording(api.store, api.deps.signalsDir, place, {
    startUs: START_MS * 1000,
    durationSeconds: MINUTES * 60,
    ecgCount: (i) => columns[0]![i]!,
    missingMinutes: [4, 5],
  });
  recordingId = recording.id;
});
afterAll(() => api.close());

/** A recording of four minutes, the third of which is ventricular flutter. */
async function addFlutter(): Promise<string> {
  const span = { seconds: 240, rateHz: 250, fromSecond: 120, toSecond: 180 };
  const { columns } = interruptedEcg(flutterWave(260, 250), span).chunk;
  const place = { studyId: api.studyId, subjectId: api.subjectIds[0]! };
  const { id } = await addTestRecording(api.store, api.deps.signalsDir, place, {
    startUs: (START_MS + 24 * 60 * MINUTE_MS) * 1000,
    durationSeconds: 240,
    ecgCount: (i) => columns[0]![i]!,
  });
  return id;
}

const params = () => ({ studyId: api.studyId, recordingId });

describe('overview of a recording', () => {
  it("gives minimum and maximum per bin in the channel's unit, and null in a gap", async () => {
    const { startTs, stopTs, channels } = await api.client.call('getRecordingOverview', { params: params() });
    expect([startTs, stopTs]).toEqual([START_MS, START_MS + MINUTES * MINUTE_MS - 4]);
    const [accel, ecg] = channels;
    expect([accel!.type, ecg!.type, ecg!.unit, ecg!.binMs]).toEqual(['ACCEL', 'ECG', 'V', 1000]);
    expect(ecg!.gaps).toEqual([{ startTs: START_MS + 4 * MINUTE_MS, stopTs: START_MS + 6 * MINUTE_MS }]);
    const bin = (second: number) => (START_MS + second * 1000 - ecg!.startTs) / ecg!.binMs;
    expect(ecg!.sampleCounts[bin(30)]).toBe(250);
    expect(ecg!.sampleCounts[bin(250)]).toBe(0);
    expect([ecg!.minima.v![bin(250)], ecg!.maxima.v![bin(250)]]).toEqual([null, null]);
    expect(ecg!.maxima.v![bin(30)]! / TEST_SCALE.ECG).toBeGreaterThan(0.9 * R_WAVE);
    expect(ecg!.minima.v![bin(30)]! / TEST_SCALE.ECG).toBeLessThan(-0.1 * R_WAVE);
    const inSecond = Array.from({ length: 32 }, (_, i) => testCount(Math.ceil(30 * 31.25) + i, 1));
    expect(accel!.maxima.y![bin(30)]).toBeLessThanOrEqual(Math.max(...inSecond) * TEST_SCALE.ACCEL + 1e-9);
    expect(Object.keys(accel!.minima)).toEqual(['x', 'y', 'z']);
  });

  it('has at most the requested number of bins over the requested span', async () => {
    const query = { from: START_MS + MINUTE_MS, to: START_MS + 3 * MINUTE_MS, bins: 10 };
    const { startTs, stopTs, channels } = await api.client.call('getRecordingOverview', { params: params(), query });
    expect([startTs, stopTs]).toEqual([query.from, query.to]);
    for (const { sampleCounts, binMs, gaps } of channels) {
      expect(sampleCounts.length).toBeLessThanOrEqual(10);
      expect(sampleCounts.length * binMs).toBeGreaterThanOrEqual(2 * MINUTE_MS);
      expect(gaps).toEqual([]);
    }
  });

  it('accepts an open window and rejects one that ends before it starts', async () => {
    const endless = { from: 0, to: 32_503_680_000_000, bins: 100 };
    const { channels } = await api.client.call('getRecordingOverview', { params: params(), query: endless });
    expect(channels).toHaveLength(2);
    const turned = { from: START_MS + 1, to: START_MS };
    const refused = api.client.call('getRecordingOverview', { params: params(), query: turned });
    await expect(refused).rejects.toMatchObject({ status: 400, code: 'INVALID_INPUT' });
  });
});

describe('the first readable signal of a recording', () => {
  const ZONE = 'UTC';
  /** 23:00, an hour before the end of a date and 13 hours before that of its noon window. */
  const startMs = Date.UTC(2026, 1, 10, 23);
  const seconds = 600;

  /** What a second of a recording shows: an ECG's state and quality, a beat interval, or that it is worn. */
  interface Second {
    state?: (typeof ECG_STATES)[number];
    quality?: number;
    hasInterval?: boolean;
    isWorn?: boolean;
  }

  async function analyse(fromMs: number, at: (second: number) => Second, hasRhythm = true): Promise<void> {
    const window = noonWindow(new Date(fromMs + 12 * HOUR_MS).toISOString().slice(0, 10), fixedZone(ZONE));
    const columns: SecondColumns = createSecondColumns(window.startMs, DAY_MS / 1000);
    const empty = () => new Uint8Array(columns.count);
    const rhythm: NonNullable<SecondColumns['rhythm']> = {
      quality: empty().fill(255),
      ventricular: empty(),
      supraventricular: empty(),
      supraventricularRuns: empty(),
      pauseMs: new Float32Array(columns.count),
      rateEpisode: empty(),
      ecgState: empty(),
      afState: empty(),
    };
    for (let k = 0; k < seconds; k++) {
      const i = (fromMs - window.startMs) / 1000 + k;
      const { state = null, quality = 0, hasInterval, isWorn } = at(k);
      columns.recorded[i] = 1;
      columns.worn[i] = isWorn ? 1 : 0;
      columns.rrCount[i] = hasInterval ? 1 : 0;
      rhythm.ecgState[i] = ECG_STATES.indexOf(state);
      rhythm.quality[i] = quality;
    }
    if (hasRhythm) columns.rhythm = rhythm;
    const windows = [{ window, seconds: columns, timezone: ZONE, sleep: [], inputsHash: `${fromMs} ${at}` }];
    const place = { studyId: api.studyId, subjectId: api.subjectIds[0]! };
    await api.store.analytics.store({ ...place, algorithmVersion: 'test', windows, days: [] }, SYSTEM);
  }

  async function record(day: number, options: Partial<Parameters<typeof addTestRecording>[3]> = {}) {
    const fromMs = startMs + day * DAY_MS;
    const place = { studyId: api.studyId, subjectId: api.subjectIds[0]! };
    const common = { startUs: fromMs * 1000, durationSeconds: seconds };
    const { id } = await addTestRecording(api.store, api.deps.signalsDir, place, { ...common, ...options });
    const params = { studyId: api.studyId, recordingId: id };
    const read = async () =>
      (await api.client.call('getRecordingOverview', { params, query: { readable: true, bins: 10 } })).readableFromTs;
    const url = api.client.url('getRecordingOverview', { params, query: { readable: true, bins: 10 } });
    return { fromMs, read, params, url };
  }

  const readable = { state: 'READABLE', quality: 80 } as const;

  it('is the first of ten seconds in a row, once it is analysed; an answer without the question has none', async () => {
    const { fromMs, read, params, url } = await record(0, { ecgRateHz: 125 });
    expect(await read()).toBeUndefined();
    const tagOf = async () => (await fetch(url, { headers: { authorization: api.authorization } })).headers.get('etag');
    const before = await tagOf();
    await analyse(fromMs, (second) => (second === 20 || second >= 100 ? readable : { state: 'UNREADABLE' }));
    expect(await read()).toBe(fromMs + 100_000);
    expect(await tagOf()).not.toBe(before);
    const plain = await api.client.call('getRecordingOverview', { params, query: { bins: 10 } });
    expect(plain).not.toHaveProperty('readableFromTs');
  });

  it('is a single readable second, or a rhythm that cannot be resolved, where there is nothing better', async () => {
    const { fromMs, read } = await record(1, { ecgRateHz: 125 });
    // Quality below 10 is unreadable for the viewer too.
    await analyse(fromMs, (second) =>
      second === 300
        ? readable
        : second === 40
          ? { state: 'READABLE', quality: 9 }
          : second === 50
            ? { state: 'UNRESOLVED' }
            : {},
    );
    expect(await read()).toBe(fromMs + 300_000);
    await analyse(fromMs, (second) => (second === 50 ? { state: 'UNRESOLVED' } : {}));
    expect(await read()).toBe(fromMs + 50_000);
  });

  it('is null where the whole ECG was analysed and has none, and unknown where an older version analysed it', async () => {
    const { fromMs, read } = await record(2, { ecgRateHz: 125 });
    await analyse(fromMs, () => ({ state: 'UNREADABLE', isWorn: true, hasInterval: true }));
    expect(await read()).toBeNull();
    await analyse(fromMs, () => ({ isWorn: true }), false);
    expect(await read()).toBeUndefined();
  });

  it('lies outside the gaps of the recording', async () => {
    const { fromMs, read } = await record(3, { ecgRateHz: 125, missingMinutes: [1, 2] });
    // As if another recording of the subject showed an ECG in the gap.
    await analyse(fromMs, (second) => (second >= 60 ? readable : {}));
    expect(await read()).toBe(fromMs + 180_000);
  });

  it('is where a sensor without heartbeats is first worn, and unknown where it never is', async () => {
    const { fromMs, read } = await record(4, { ecgRateHz: 0 });
    await analyse(fromMs, (second) => ({ isWorn: second >= 200 }));
    expect(await read()).toBe(fromMs + 200_000);
    await analyse(fromMs, () => ({ isWorn: false }));
    expect(await read()).toBeUndefined();
  });
});

describe('beats of a recording', () => {
  it('are absent inside ventricular flutter, which the response locates', async () => {
    const flutterId = await addFlutter();
    const startTs = START_MS + 24 * 60 * MINUTE_MS;
    const query = { from: startTs, to: startTs + 4 * MINUTE_MS };
    const { beats, quality, unresolved } = await api.client.call('getRecordingBeats', {
      params: { studyId: api.studyId, recordingId: flutterId },
      query,
    });
    const inside = beats.filter(({ timeUs }) => {
      const second = timeUs / 1e6 - startTs / 1000;
      return second > 120.1 && second < 179.9;
    });
    expect(inside).toEqual([]);
    expect(beats.length).toBeGreaterThan(210);
    expect(unresolved).toHaveLength(1);
    expect(Math.abs(unresolved![0]!.startTs - startTs - 120_000)).toBeLessThanOrEqual(3000);
    expect(Math.abs(unresolved![0]!.stopTs - startTs - 180_000)).toBeLessThanOrEqual(3000);
    expect(Math.max(...quality!.values.slice(121, 179).map((value) => value ?? 0))).toBe(0);
  });

  it('are the beats of the signal, to the millisecond, with quality per second', async () => {
    const query = { from: START_MS + MINUTE_MS, to: START_MS + 2 * MINUTE_MS };
    const answer = await api.client.call('getRecordingBeats', { params: params(), query });
    expect(answer.inputsHash).toMatch(/^[0-9a-f]{64}$/);
    const detected = await api.client.call('getRecordingBeats', {
      params: params(),
      query: { ...query, detected: true },
    });
    expect(detected.inputsHash).toBe(answer.inputsHash);
    const { beats, quality, algorithmVersion } = answer;
    expect(algorithmVersion).toBe(ANALYTICS_VERSION);
    const expected = beatSeconds.filter((at) => at >= 60 && at <= 120);
    expect(beats).toHaveLength(expected.length);
    for (const [i, { timeUs, use }] of beats.entries()) {
      expect(Math.abs(timeUs / 1e6 - START_MS / 1000 - expected[i]!)).toBeLessThan(0.004);
      expect(use).toBe('USED');
    }
    expect(quality!.startTs).toBe(query.from);
    expect(quality!.values).toHaveLength(61);
    expect(Math.min(...quality!.values.map((value) => value ?? -2))).toBeGreaterThan(50);
  });

  it('mark spans without a signal, which no interval crosses', async () => {
    const query = { from: START_MS + 3.9 * MINUTE_MS, to: START_MS + 6.1 * MINUTE_MS };
    const { beats, quality } = await api.client.call('getRecordingBeats', { params: params(), query });
    expect(quality!.values[30]).toBeNull();
    const after = beats.find(({ timeUs }) => timeUs / 1000 >= START_MS + 6 * MINUTE_MS);
    expect(after?.isAfterBreak).toBe(true);
    expect(beats[1]!.isAfterBreak).toBe(false);
  });

  it('reject more than ten minutes', async () => {
    const query = { from: START_MS, to: START_MS + 10 * MINUTE_MS + 1 };
    const refused = api.client.call('getRecordingBeats', { params: params(), query });
    await expect(refused).rejects.toMatchObject({ status: 400, errors: [{ path: 'to' }] });
  });
});
