import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { realData } from '../../testing/real-data.ts';
import { seededRandom } from '../../testing/signal-fixtures.ts';
import { BEAT_ECTOPIC, BEAT_NORMAL } from '../heart/beats.ts';
import type { EcgFeatures, FiveMinuteColumn, FiveMinutes } from '../types.ts';
import { bandPowersPerMinute, fiveMinutesOf, intervalsOf } from './index.ts';
import { sampleEntropy } from './sample-entropy.ts';

const SPAN_SECONDS = 1800;

function ecgOf(timesS: readonly number[], kinds: readonly number[] = []): EcgFeatures {
  const column = () => new Uint8Array(SPAN_SECONDS).fill(100);
  return {
    kind: 'ecg',
    site: 'chest',
    beats: {
      timesUs: Float64Array.from(timesS, (s) => s * 1e6),
      kinds: Uint8Array.from(timesS, (_s, i) => kinds[i] ?? BEAT_NORMAL),
      amplitudesV: new Float32Array(timesS.length),
    },
    seconds: {
      startSecond: 0,
      count: SPAN_SECONDS,
      columns: { quality: column(), contact: column(), unresolved: new Uint8Array(SPAN_SECONDS) },
    },
  };
}

/** The five minutes of a window from 5 to 20 min, in a span of half an hour. */
function fiveMinutes(timesS: readonly number[], kinds?: readonly number[]): FiveMinutes {
  const series = intervalsOf([ecgOf(timesS, kinds)], 0, SPAN_SECONDS);
  return fiveMinutesOf(series, bandPowersPerMinute(series, 0, SPAN_SECONDS / 60), 0, 300_000, 1_200_000);
}

/** Beats with the intervals of a function of time, ms. */
function beats(intervalMs: (atSeconds: number, index: number) => number): number[] {
  const times = [0.5];
  while (times.at(-1)! < SPAN_SECONDS) times.push(times.at(-1)! + intervalMs(times.at(-1)!, times.length) / 1000);
  return times;
}

const sine = (t: number, hz: number) => Math.sin(2 * Math.PI * hz * t);

describe('five minutes', () => {
  it('begin in the window, one row each, and say how many intervals they hold', () => {
    const { startMs, nnCount, differences } = fiveMinutes(beats(() => 1000));
    expect([startMs, ...nnCount, ...differences]).toEqual([300_000, 300, 300, 300, 300, 300, 300]);
  });

  it.each([
    ['lfMs2', 0.1, 40, 800],
    ['hfMs2', 0.25, 30, 450],
    ['totalMs2', 0.02, 50, 1250],
  ] as const)('have the power A²/2 of a sine in %s', (column, hz, amplitudeMs, ms2) => {
    const found = fiveMinutes(beats((t) => 800 + amplitudeMs * sine(t, hz)));
    expect(found[column][1]! / ms2).toBeGreaterThan(0.97);
    expect(found[column][1]! / ms2).toBeLessThan(1.03);
    const others = (['lfMs2', 'hfMs2'] as const).filter((other) => other !== column);
    for (const other of others) expect(found[other][1]! / ms2).toBeLessThan(0.04);
  });

  it('follow their definitions where intervals alternate: all variability is across the diagonal', () => {
    const found = fiveMinutes(beats((_t, i) => (i % 2 ? 770 : 830)));
    expect(found.sdnnMs[1]).toBeCloseTo(30, 0);
    expect(found.pnn50Percent[1]).toBe(100);
    expect(found.sd1Ms[1]! / found.sdnnMs[1]!).toBeCloseTo(Math.SQRT2, 2);
    expect(found.sd2Ms[1]).toBeLessThan(3);
  });

  it('have no value where ectopic beats leave less than 80 % normal intervals, nor without beats', () => {
    const times = beats((t) => 800 + 40 * sine(t, 0.1));
    const kinds = times.map((t, i) => (t < 600 && i % 5 === 0 ? BEAT_ECTOPIC : BEAT_NORMAL));
    const found = fiveMinutes(
      times.filter((t) => t < 900),
      kinds,
    );
    const isKnown = (column: FiveMinuteColumn) => Array.from(found[column], (value) => !Number.isNaN(value));
    expect(isKnown('sdnnMs')).toEqual([false, true, false]);
    expect(isKnown('lfMs2')).toEqual([false, true, false]);
    expect(isKnown('sampleEntropy')).toEqual([false, true, false]);
    expect(found.nnCount[0]).toBeGreaterThan(200);
    expect(found.nnCount[2]).toBe(0);
  });

  it('leave out stretches over an ectopic beat', () => {
    const times = beats((t) => 800 + 40 * sine(t, 0.1));
    const kinds = times.map((_t, i) => (i % 40 === 0 ? BEAT_ECTOPIC : BEAT_NORMAL));
    const early = times.map((t, i) => (i % 40 === 0 ? t - 0.3 : t));
    const clean = fiveMinutes(times);
    const found = fiveMinutes(early, kinds);
    for (const column of ['sdnnMs', 'sd1Ms', 'sd2Ms', 'sampleEntropy'] as const)
      expect(Math.abs(found[column][1]! / clean[column][1]! - 1)).toBeLessThan(0.06);
  });
});

describe('sample entropy', () => {
  const allNext = (n: number) => new Uint8Array(n).fill(1);

  it('of independent values is that of theory (Richman and Moorman 2000): -ln of the chance to agree', () => {
    const random = seededRandom(7);
    const uniform = Float64Array.from({ length: 4000 }, random);
    // Two uniform values lie within r with the chance 2r - r², r = 0.2 / sqrt(12).
    const r = 0.2 / Math.sqrt(12);
    expect(sampleEntropy(uniform, allNext(4000), 1 / Math.sqrt(12))).toBeCloseTo(-Math.log(2 * r - r * r), 1);
    const normal = Float64Array.from(
      { length: 4000 },
      () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random()),
    );
    // Two normal values lie within 0.2 SD with the chance erf(0.1) = 0.11246.
    expect(sampleEntropy(normal, allNext(4000), 1)).toBeCloseTo(-Math.log(0.112463), 1);
  });

  it('counts the same pairs as the definition, ties, outliers and breaks included', () => {
    const seed = 20_240_514;
    const random = seededRandom(seed);
    for (const [outlier, sd] of [
      [1000, 40],
      [4000, 40],
      [1e6, 3],
    ] as const) {
      // Steps of a sample at 250 Hz: many differences are exactly the tolerance.
      const values = Float64Array.from({ length: 400 }, () => 800 + 4 * Math.floor(30 * random()));
      values[200] = outlier;
      const isNext = Uint8Array.from(values, () => (random() < 0.97 ? 1 : 0));
      const alike = (i: number, k: number): boolean => Math.abs(values[i]! - values[k]!) <= 0.2 * sd;
      const isStretch = (i: number): boolean => isNext[i + 1] === 1 && isNext[i + 2] === 1;
      let two = 0;
      let three = 0;
      for (let i = 0; i + 2 < values.length; i++) {
        for (let k = i + 1; k + 2 < values.length; k++) {
          if (!isStretch(i) || !isStretch(k) || !alike(i, k) || !alike(i + 1, k + 1)) continue;
          two++;
          if (alike(i + 2, k + 2)) three++;
        }
      }
      expect(sampleEntropy(values, isNext, sd), `seed ${seed}`).toBe(Math.log(two / three));
    }
  });

  it('of a series that repeats is zero, and needs 100 stretches', () => {
    const repeated = Float64Array.from({ length: 200 }, (_value, i) => [800, 850, 900, 840][i % 4]!);
    expect(sampleEntropy(repeated, allNext(200), 35)).toBe(0);
    expect(sampleEntropy(repeated.subarray(0, 101), allNext(101), 35)).toBeNaN();
    expect(sampleEntropy(repeated, allNext(200), 0)).toBeNaN();
  });
});

/**
 * Of the reference beats of real recordings, second and third five minutes: an implementation in Python from the definitions,
 * spectra by SciPy's `lombscargle` (1.x), entropy by comparing all pairs.
 */
const REAL = [
  ['mitdb-100', 0, 385, 38.638, 4.178, 122.9, 489.5, 1452.8, 17.941, 51.614, 1.8017],
  ['mitdb-100', 1, 369, 33.39, 4.959, 104.5, 574.6, 1094.9, 19.756, 42.889, 1.8228],
  ['mitdb-115', 0, 319, 67.316, 50.784, 1417.8, 2150.2, 4281.6, 53.801, 78.539, 1.9382],
  ['mitdb-115', 1, 326, 69.381, 54.294, 1117.9, 2203.6, 4457.1, 54.125, 81.84, 2.0305],
  ['marsh-3723', 0, 363, 77.941, 46.832, 3066.4, 2568.4, 5876.4, 46.02, 100.158, 1.3149],
  ['mitdb-112', 0, 426, 17.03, 0.235, 29.6, 22.7, 207.5, 12.376, 20.661, 1.7697],
] as const satisfies [string, number, ...number[]][];
const DATA = realData('ecg');

describe.skipIf(DATA === null)('variability of real beats', () => {
  it.each([...REAL])('of %s, row %i, equals an independent implementation', (name, row, nn, ...expected: number[]) => {
    const {
      beats: at,
      fs,
      labels,
    } = JSON.parse(readFileSync(join(DATA!, `${name}.json`), 'utf8')) as {
      beats: number[];
      fs: number;
      labels?: string;
    };
    const kinds = at.map((_beat, i) => (!labels || 'NLRej'.includes(labels[i]!) ? BEAT_NORMAL : BEAT_ECTOPIC));
    const found = fiveMinutes(
      at.map((beat) => beat / fs),
      kinds,
    );
    expect(found.nnCount[row]).toBe(nn);
    const columns = [
      'sdnnMs',
      'pnn50Percent',
      'lfMs2',
      'hfMs2',
      'totalMs2',
      'sd1Ms',
      'sd2Ms',
      'sampleEntropy',
    ] as const;
    for (const [i, column] of columns.entries())
      expect(Math.abs(found[column][row]! / expected[i]! - 1), column).toBeLessThan(name === 'mitdb-112' ? 3e-3 : 1e-3);
  });
});
