import { describe, expect, it } from 'vitest';
import { seededRandom } from '../../testing/signal-fixtures.ts';
import { strapIntervals } from '../../testing/strap-intervals.ts';
import { memoryStore } from '../array-store.ts';
import { type IntervalSeries, intervalsOf } from '../hrv/index.ts';
import { StoredRecording } from '../stored-features.ts';
import type { EcgFeatures, NoonWindow, RecordingFeatures } from '../types.ts';
import { HEART_SOURCES } from '../types.ts';
import { analyseWindow, featuresFrom } from '../window.ts';
import { extractIntervalFeatures } from './extract.ts';

const ALWAYS = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY] as const;
/** A whole second, so that ticks and seconds agree. */
const START_S = 1_700_000_000;

/** Times of beats with the given intervals, ms. */
function beatsOf(intervalsMs: readonly number[], startS = START_S): number[] {
  const beats = [startS * 1e6];
  for (const ms of intervalsMs) beats.push(beats.at(-1)! + 1000 * ms);
  return beats;
}

/** Intervals around 800 ms with the sinus arrhythmia of breathing. */
const breathing = (count: number): number[] =>
  Array.from({ length: count }, (_, i) =>
    Math.round(800 + 30 * Math.sin((2 * Math.PI * i) / 5) + 7 * Math.sin(i * 1.7)),
  );

function seriesOf(intervalsMs: readonly number[], options: Parameters<typeof strapIntervals>[1] = {}): IntervalSeries {
  const input = strapIntervals(beatsOf(intervalsMs), { stepSeconds: 0.001, ...options });
  return intervalsOf(extractIntervalFeatures(input, options.type ?? 'RR', ...ALWAYS), START_S, 3600);
}

function rmssdOf(series: IntervalSeries): number {
  let sum = 0;
  let n = 0;
  for (let i = 1; i < series.endUs.length; i++) {
    if (!series.follows[i] || !series.normal[i] || !series.normal[i - 1]) continue;
    sum += (series.intervalMs[i]! - series.intervalMs[i - 1]!) ** 2;
    n++;
  }
  return Math.sqrt(sum / n);
}

const trueRmssd = (intervals: readonly number[]): number =>
  Math.sqrt(intervals.slice(1).reduce((sum, ms, i) => sum + (ms - intervals[i]!) ** 2, 0) / (intervals.length - 1));

describe('intervals of a strap', () => {
  it('take no memory for the years that a hostile scale makes of them', () => {
    const input = strapIntervals(beatsOf(breathing(20)));
    for (const scale of [1e4, 1e7, 1e300]) {
      expect(extractIntervalFeatures({ ...input, scale: [scale] }, 'RR', ...ALWAYS)).toEqual([]);
    }
  });

  // Two examples published with their results (systole's documentation, calculatorlib.com), others worked from the definition
  // (Task Force 1996): the root of the mean of the squared successive differences.
  it.each([
    ['systole', [800, 850, 810, 720], 63.77042156569664],
    ['calculatorlib', [800, 810, 790, 805], Math.sqrt(725 / 3)],
    ['8, 12, 4, 16, 10 ms apart', [800, 808, 796, 800, 784, 794], Math.sqrt((64 + 144 + 16 + 256 + 100) / 5)],
    ['alternating by 20 ms', [700, 720, 700, 720, 700, 720], 20],
    ['equal', [1000, 1000, 1000, 1000, 1000, 1000], 0],
    ['a steady rise of 5 ms', [800, 805, 810, 815, 820, 825], 5],
  ])('have the RMSSD of the definition: %s', (_name, intervals, expected) => {
    const series = seriesOf(intervals);
    expect([...series.intervalMs]).toEqual(intervals.map((ms) => expect.closeTo(ms, 9)));
    expect(rmssdOf(series)).toBeCloseTo(expected, 9);
  });

  it('keep the RMSSD within the resolution of 1/1024 s', () => {
    const intervals = breathing(600);
    const input = strapIntervals(beatsOf(intervals));
    const series = intervalsOf(extractIntervalFeatures(input, 'RR', ...ALWAYS), START_S, 3600);
    expect(series.normal.every((one) => one === 1)).toBe(true);
    expect(Math.abs(rmssdOf(series) - trueRmssd(intervals))).toBeLessThan(0.2);
    // Rounding adds variance: steps of 1/1024 s make 0.7 ms of nothing.
    const still = strapIntervals(beatsOf(Array.from({ length: 600 }, (_, i) => 800 + (i % 7) / 10)));
    expect(rmssdOf(intervalsOf(extractIntervalFeatures(still, 'RR', ...ALWAYS), START_S, 3600))).toBeLessThan(0.9);
  });

  it('never count a difference over a gap, and use the interval that arrives after it', () => {
    const intervals = breathing(60);
    const series = seriesOf(intervals, { isLost: (second) => second === START_S + 20 });
    const gaps = [...series.follows].flatMap((follows, i) => (i > 0 && !follows ? [i] : []));
    expect(gaps).toHaveLength(1);
    expect(series.endUs.length).toBeLessThan(60);
    for (const [i, ms] of series.intervalMs.entries()) expect(ms, String(i)).toBeLessThan(900);
    expect(series.endUs[gaps[0]!]! - series.endUs[gaps[0]! - 1]!).toBeGreaterThan(1_500_000);
  });

  it('bridges a page that ends without a gap', () => {
    const series = seriesOf(breathing(200), { pageBeats: 10 });
    expect(series.endUs.length).toBe(200);
    expect([...series.follows].filter((follows) => !follows)).toHaveLength(1);
  });

  it.each([
    ['counted twice', { isDouble: (beat: number) => beat === 100 }, 199],
    ['missed', { isMissed: (beat: number) => beat === 100 }, 198],
  ])('leave out a beat that is %s, and nothing else', (_name, options, left) => {
    const intervals = breathing(200);
    const series = seriesOf(intervals, options);
    expect([...series.normal].filter((one) => one === 1)).toHaveLength(left);
    expect(series.rejectedUs.length).toBeGreaterThan(0);
    expect(Math.abs(rmssdOf(series) - trueRmssd(intervals))).toBeLessThan(1);
    for (const ms of series.intervalMs) expect(ms).toBeGreaterThan(700);
  });

  it('count a premature beat for the rate and not for variability', () => {
    const intervals = breathing(200);
    intervals[100] = 500;
    intervals[101] = 1100;
    const series = seriesOf(intervals);
    expect(series.endUs.length).toBe(200);
    expect([series.normal[100], series.normal[101], series.normal[103]]).toEqual([0, 0, 1]);
    expect(rmssdOf(series)).toBeLessThan(40);
  });

  it('have no variability in a rhythm that is not sinus', () => {
    const random = seededRandom(3);
    const series = seriesOf(Array.from({ length: 300 }, () => Math.round(450 + 600 * random())));
    expect(series.endUs.length).toBeGreaterThan(270);
    expect([...series.normal].filter((one) => one === 1)).toHaveLength(0);
  });
});

describe('pulse intervals', () => {
  it('give a rate and no variability, and leave out what the sensor doubts', () => {
    const input = strapIntervals(beatsOf(breathing(100)), { type: 'PPI', stepSeconds: 0.001 });
    input.chunks[Symbol.iterator]().next().value?.columns[1]?.fill(40, 10, 11);
    const series = intervalsOf(extractIntervalFeatures(input, 'PPI', ...ALWAYS), START_S, 3600);
    expect(series.endUs.length).toBe(98);
    expect(series.normal.every((one) => one === 0)).toBe(true);
    expect(series.source.every((one) => HEART_SOURCES[one] === 'PPI')).toBe(true);
  });
});

describe('several sensors of one heart', () => {
  const rr = extractIntervalFeatures(strapIntervals(beatsOf(breathing(1200))), 'RR', ...ALWAYS);
  const timesUs = Float64Array.from(beatsOf(breathing(1200).map((ms) => ms)));
  const ecg = (quality: (second: number) => number): EcgFeatures => ({
    kind: 'ecg',
    site: 'chest',
    beats: { timesUs, kinds: new Uint8Array(timesUs.length), amplitudesV: new Float32Array(timesUs.length).fill(1e-3) },
    seconds: {
      startSecond: START_S,
      count: 960,
      columns: {
        quality: Uint8Array.from({ length: 960 }, (_, i) => quality(i)),
        contact: new Uint8Array(960).fill(1),
        unresolved: new Uint8Array(960),
      },
    },
  });
  const sourcesOf = (sensors: Parameters<typeof intervalsOf>[0]) => {
    const series = intervalsOf(sensors, START_S, 960);
    return [2, 6].map((minute) => {
      const at = series.endUs.findIndex((us) => us > (START_S + 60 * minute + 30) * 1e6);
      return HEART_SOURCES[series.source[at]!];
    });
  };

  it('are used by minute: an ECG that shows the heart, else RR intervals, else pulse intervals', () => {
    const ppi = extractIntervalFeatures(strapIntervals(beatsOf(breathing(1200)), { type: 'PPI' }), 'PPI', ...ALWAYS);
    expect(sourcesOf([...ppi, ...rr, ecg(() => 90)])).toEqual(['ECG', 'ECG']);
    expect(sourcesOf([ecg((second) => (second < 240 ? 90 : 0)), ...rr])).toEqual(['ECG', 'RR']);
    expect(sourcesOf([...ppi, ...rr])).toEqual(['RR', 'RR']);
    expect(sourcesOf(ppi)).toEqual(['PPI', 'PPI']);
  });
});

describe('a recording of RR intervals alone', () => {
  const startMs = Date.UTC(2026, 2, 3, 12);
  const window: NoonWindow = { date: '2026-03-04', startMs, stopMs: startMs + 24 * 3_600_000 };
  // Four hours: as long a rest as would be taken for sleep.
  const beats = beatsOf(breathing(18_000), startMs / 1000 + 3600);
  const input = strapIntervals(beats, { isLost: (second) => second % 3600 < 120 && second % 3600 >= 60 });
  const stored = (pieceBeats: number): RecordingFeatures => {
    const recording = new StoredRecording('one', 'MEDIAL_CHEST', [input], memoryStore, {
      ecgBeats: pieceBeats,
      motionSeconds: 3600,
    });
    for (const chunk of input.chunks) recording.add(0, chunk);
    recording.finish(beats[0]!, beats.at(-1)! + 1);
    return recording.around(window.startMs, window.stopMs);
  };
  const { seconds } = analyseWindow(window, featuresFrom([stored(1 << 16)]), []);
  const total = (column: ArrayLike<number>) => Array.from(column).reduce((sum, one) => sum + one, 0);

  it('gives rate, variability and wear where intervals arrive, and neither posture nor activity', () => {
    expect(total(seconds.rrCount)).toBeGreaterThan(17_500);
    expect(total(seconds.rrDiffCount)).toBeGreaterThan(17_400);
    expect(total(seconds.activity)).toBe(0);
    expect(total(seconds.asleep)).toBe(0);
    expect(seconds.respiration.every(Number.isNaN)).toBe(true);
    expect(seconds.lfHf.some((value) => value > 0)).toBe(true);
    // The minute without notifications is neither recorded nor worn.
    expect([...seconds.recorded.subarray(3665, 3715)].some((one) => one === 1)).toBe(false);
    expect([...seconds.worn.subarray(3665, 3715)].some((one) => one === 1)).toBe(false);
    expect([...seconds.recorded.subarray(3800, 4000)].every((one) => one === 1)).toBe(true);
    expect([...seconds.worn.subarray(3800, 4000)].every((one) => one === 1)).toBe(true);
  });

  it('does not depend on the lengths of the pieces in which it is read', () => {
    const [whole] = stored(1 << 16).sensors;
    const [parts] = stored(500).sensors;
    expect(parts).toEqual(whole);
  });
});
