import { describe, expect, it } from 'vitest';
import { seededRandom } from '../../testing/synthetic-ecg.ts';
import { BEAT_P_ABSENT, BEAT_P_PRESENT, BEAT_P_UNSURE } from '../heart/beats.ts';
import type { IntervalSeries } from '../hrv/index.ts';
import { HEART_SOURCES } from '../types.ts';
import { atrialFibrillationSeconds, coefficientOfSampleEntropy } from './atrial-fibrillation.ts';
import { countedBeats } from './seconds.ts';
import { AF_STATES } from './settings.ts';

const BEATS = 400;
const random = seededRandom(3);
const normal = (): number => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());

const RHYTHMS = {
  fibrillation: () => 450 + 600 * random(),
  sinus: () => 800 + 20 * normal(),
  // Six beats per breath, by up to a fifth, as in an athlete.
  breathing: (i: number) => 1000 + 200 * Math.sin((2 * Math.PI * i) / 6) + 15 * normal(),
  'slow breathing': (i: number) => 1000 + 250 * Math.sin((2 * Math.PI * i) / 11) + 15 * normal(),
  bigeminy: (i: number) => (i % 2 ? 560 : 1040) + 15 * normal(),
  trigeminy: (i: number) => ([800, 560, 1040][i % 3] ?? 800) + 15 * normal(),
  'flutter, conducted 2:1': () => 400 + 4 * normal(),
  'flutter, conducted 4:1 or 2:1 by turns': (i: number) => (i % 2 ? 400 : 800) + 4 * normal(),
  acceleration: (i: number) => 1100 - i + 20 * normal(),
} as const;

interface Options {
  source?: 'ECG' | 'RR' | 'PPI';
  pWave?: number;
  startUs?: number;
  isNormal?: (i: number) => boolean;
}

function seriesOf(intervals: readonly number[], options: Options = {}): IntervalSeries {
  const { source = 'RR', pWave = 0, startUs = 0, isNormal = () => true } = options;
  let us = startUs;
  const none = new Float64Array(0);
  return {
    endUs: Float64Array.from(intervals, (ms) => (us += 1000 * ms)),
    intervalMs: Float64Array.from(intervals),
    normal: Uint8Array.from(intervals, (_ms, i) => (isNormal(i) ? 1 : 0)),
    follows: Uint8Array.from(intervals, (_ms, i) => (i > 0 ? 1 : 0)),
    amplitudeV: new Float32Array(intervals.length),
    source: new Uint8Array(intervals.length).fill(HEART_SOURCES.indexOf(source)),
    rejectedUs: none,
    pWave: new Uint8Array(intervals.length).fill(pWave),
    ventricularUs: none,
    ventricularByShapeUs: none,
    supraventricularUs: none,
    supraventricularNext: new Uint8Array(0),
    pauseUs: none,
    pauseMs: none,
  };
}

const made = (rhythm: keyof typeof RHYTHMS, beats = BEATS): number[] =>
  Array.from({ length: beats }, (_beat, i) => RHYTHMS[rhythm](i));

/** Seconds of each state. */
function statesOf(series: IntervalSeries): Record<string, number> {
  const seconds = Math.ceil((series.endUs.at(-1) ?? 0) / 1e6);
  const counts: Record<string, number> = { unknown: 0, NONE: 0, AF: 0, UNDECIDED: 0 };
  for (const code of atrialFibrillationSeconds(series, 0, seconds)) counts[AF_STATES[code] ?? 'unknown']!++;
  return counts;
}

describe('COSEn', () => {
  const next = (n: number): Uint8Array => new Uint8Array(n).fill(1);

  it('is the logarithm of the density of normal intervals: ln(2 sqrt(pi) SD / mean)', () => {
    const values = Array.from({ length: 1500 }, () => 800 + 160 * normal());
    expect(coefficientOfSampleEntropy(values, next(1500))).toBeCloseTo(Math.log(2 * Math.sqrt(Math.PI) * 0.2), 1);
  });

  it('is that of the tolerance where all intervals are alike: ln(2 x 30 / 800)', () => {
    expect(coefficientOfSampleEntropy(new Array<number>(30).fill(800), next(30))).toBeCloseTo(Math.log(60 / 800), 9);
  });

  it('is NaN where fewer than five pairs can match', () => {
    expect(coefficientOfSampleEntropy([800, 700, 900, 600], next(4))).toBeNaN();
  });
});

describe('atrial fibrillation from intervals alone', () => {
  it('is found in random intervals', () => {
    const { AF, NONE } = statesOf(seriesOf(made('fibrillation')));
    expect(AF).toBeGreaterThan(0.9 * ((BEATS * 750) / 1000));
    expect(NONE).toBe(0);
  });

  it.each(Object.keys(RHYTHMS).filter((name) => name !== 'fibrillation') as (keyof typeof RHYTHMS)[])(
    'is not found in %s',
    (rhythm) => {
      const { AF, NONE, UNDECIDED } = statesOf(seriesOf(made(rhythm)));
      expect(AF).toBe(0);
      expect(NONE).toBeGreaterThan(0.9 * (NONE! + UNDECIDED!));
    },
  );

  it('is not found in sinus rhythm with early beats at random', () => {
    const intervals = made('sinus');
    for (let i = 5; i + 1 < BEATS; i += 3 + Math.floor(5 * random())) {
      intervals[i] = 450 + 150 * random();
      intervals[i + 1] = 1600 - intervals[i]!;
    }
    expect(statesOf(seriesOf(intervals)).AF).toBe(0);
  });

  it('is undecided in an episode of less than 30 s, and where intervals are fewer than 30', () => {
    const short = [...made('sinus', 100), ...made('fibrillation', 25), ...made('sinus', 100)];
    expect(statesOf(seriesOf(short)).AF).toBe(0);
    const few = statesOf(seriesOf(made('fibrillation', 20)));
    expect(few.AF! + few.NONE!).toBe(0);
    expect(few.UNDECIDED).toBeGreaterThan(10);
  });

  it('is not judged by pulse intervals', () => {
    const { unknown, ...others } = statesOf(seriesOf(made('fibrillation'), { source: 'PPI' }));
    expect(unknown).toBeGreaterThan(200);
    expect(others).toEqual({ NONE: 0, AF: 0, UNDECIDED: 0 });
  });
});

describe('atrial fibrillation from an ECG', () => {
  const irregular = made('fibrillation');
  const share = (options: Options): Record<string, number> => {
    const states = statesOf(seriesOf(irregular, { source: 'ECG', ...options }));
    const all = states.NONE! + states.AF! + states.UNDECIDED!;
    return Object.fromEntries(Object.entries(states).map(([name, seconds]) => [name, seconds / all]));
  };

  it('needs both irregular intervals and no P waves that repeat', () => {
    expect(share({ pWave: BEAT_P_ABSENT }).AF).toBeGreaterThan(0.95);
    expect(share({ pWave: BEAT_P_PRESENT }).NONE).toBe(1);
    expect(statesOf(seriesOf(made('sinus'), { source: 'ECG', pWave: BEAT_P_ABSENT })).NONE).toBeGreaterThan(300);
  });

  it('is undecided where P waves are unsure or hidden by noise', () => {
    expect(share({ pWave: BEAT_P_UNSURE }).UNDECIDED).toBe(1);
    expect(share({ pWave: 0 }).UNDECIDED).toBe(1);
  });

  it('is undecided where normal beats are too few, unless P waves repeat', () => {
    const isNormal = (i: number): boolean => i % 5 === 0;
    expect(share({ pWave: BEAT_P_ABSENT, isNormal }).UNDECIDED).toBe(1);
    expect(share({ pWave: BEAT_P_PRESENT, isNormal }).NONE).toBe(1);
  });

  it('does not reach over a break', () => {
    const series = seriesOf(irregular, { source: 'ECG', pWave: BEAT_P_ABSENT });
    for (let i = 200; i < BEATS; i++) series.endUs[i]! += 600e6;
    series.follows[200] = 0;
    const breakFrom = Math.ceil(series.endUs[199]! / 1e6) + 1;
    const states = atrialFibrillationSeconds(series, 0, breakFrom + 700);
    expect(new Set(states.subarray(breakFrom, breakFrom + 590))).toEqual(new Set([0]));
    expect(states[breakFrom - 20]).toBe(AF_STATES.indexOf('AF'));
    expect(states[breakFrom + 620]).toBe(AF_STATES.indexOf('AF'));
  });
});

it('counts no supraventricular beats in atrial fibrillation, nor ventricular ones by their shape alone', () => {
  const at = (...seconds: number[]): Float64Array => Float64Array.from(seconds, (second) => second * 1e6);
  const afState = new Uint8Array(20).fill(AF_STATES.indexOf('NONE'));
  afState.fill(AF_STATES.indexOf('AF'), 10);
  const counted = countedBeats(
    {
      ...seriesOf([]),
      ventricularUs: at(1, 2, 11, 12),
      ventricularByShapeUs: at(2, 12),
      supraventricularUs: at(3, 4, 5, 6, 8, 13),
      supraventricularNext: Uint8Array.from([0, 1, 1, 1, 0, 0]),
    },
    0,
    afState,
  );
  expect(counted.ventricular).toEqual([1e6, 2e6, 11e6]);
  expect(counted.supraventricular).toEqual([3e6, 4e6, 5e6, 6e6, 8e6]);
  expect(counted.supraventricularRuns).toEqual([3e6]);
});
