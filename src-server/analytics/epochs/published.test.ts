/** Against published test values of GGIR and the output of ActiLife. */

import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { realData } from '../../testing/real-data.ts';
import { OFF, wearOfSensor } from '../motion/wear.ts';
import { sleepPeriodWindow, sustainedInactivity, wristSleep } from '../sleep/hdcza.ts';
import { MOTION_COLUMNS, type MotionFeatures } from '../types.ts';
import { autocalibrate } from './autocalibration.ts';
import { EpochExtractor, QUARTER_VALUES } from './extract.ts';
import { choiNonWear, troianoNonWear, vanHeesOff } from './non-wear.ts';
import { regularityOf, rhythmOfHours } from './rest-activity.ts';
import type { EpochPiece } from './types.ts';

/** Normal deviates by the sum of twelve uniform ones, the same on every machine. */
function deviates(count: number, sd: number, seed = 1234): Float32Array {
  let state = seed;
  const random = (): number => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 4294967296;
  };
  return Float32Array.from({ length: count }, () => {
    let sum = -6;
    for (let i = 0; i < 12; i++) sum += random();
    return sum * sd;
  });
}

describe('sleep period (test_HASPT of GGIR)', () => {
  const angle = deviates(17_280, 20).map((value) => Math.max(-90, Math.min(90, value)));
  for (let i = 4999; i < 8000; i++) if (i < 6000 || i >= 6099) angle[i] = angle[4999]!;

  it('joins blocks over short gaps', () => {
    const found = sleepPeriodWindow(angle, new Uint8Array(angle.length).fill(1))!;
    // The window of five minutes reaches over both ends by half.
    expect(Math.abs(found.start - 5000)).toBeLessThanOrEqual(31);
    expect(Math.abs(found.stop - 8000)).toBeLessThanOrEqual(31);
  });

  it('takes time not worn for movement (HASPT.ignore.invalid)', () => {
    const worn = new Uint8Array(angle.length).fill(1).fill(0, 5399, 7800);
    const found = sleepPeriodWindow(angle, worn)!;
    expect(Math.abs(found.start - 5000)).toBeLessThanOrEqual(31);
    expect(found.stop).toBe(5399);
  });

  it('does not take the ends of a span for rest', () => {
    const restless = deviates(17_280, 20);
    // Still for 28.5 minutes, then moving for the last 2.5: less than a block, unless those were taken for stillness.
    restless.fill(restless[16_910]!, 16_910, 17_252);
    expect(sleepPeriodWindow(restless, new Uint8Array(restless.length).fill(1))).toBeNull();
    // Still for 35 minutes from the first epoch on: the block begins there.
    restless.fill(restless[0]!, 0, 420);
    const found = sleepPeriodWindow(restless, new Uint8Array(restless.length).fill(1))!;
    expect(found.start).toBe(0);
    expect(Math.abs(found.stop - 420)).toBeLessThanOrEqual(31);
  });

  it('keeps the whole of a stretch of inactivity that overlaps the sleep period window', () => {
    const drowsy = angle.slice();
    // A slow turn of the arm moves the angle by 4 degrees an epoch before the window: inactive, and yet not part of it.
    for (let i = 4899; i < 4999; i++) drowsy[i] = drowsy[4999]! + 4 * (i % 2);
    const worn = new Uint8Array(drowsy.length).fill(1);
    expect(sleepPeriodWindow(drowsy, worn)!.start).toBeGreaterThan(4960);
    expect(wristSleep(drowsy, worn)!.period.start).toBeLessThanOrEqual(4900);
  });

  it('finds sustained inactivity between changes of the angle', () => {
    const still = new Float32Array(400).fill(10).fill(20, 150).fill(40, 210);
    const bouts = sustainedInactivity(still, new Uint8Array(400).fill(1));
    expect(bouts).toEqual([
      { start: 0, stop: 150 },
      { start: 210, stop: 400 },
    ]);
  });
});

describe('rhythm (test_g.IVIS and test_SleepRegularityIndex of GGIR)', () => {
  it('is stable where every day is the same', () => {
    const day = deviates(24, 1);
    const same = rhythmOfHours(Float64Array.from({ length: 168 }, (_, i) => day[i % 24]!));
    expect(same.stability).toBeCloseTo(1, 6);
    const levels = rhythmOfHours(Float64Array.from({ length: 192 }, (_, i) => Math.floor(i / 24)));
    expect(levels.stability).toBeCloseTo(0, 6);
    expect(levels.variability).toBeLessThan(0.01);
  });

  it('stays within its bounds where hours are missing', () => {
    const day = deviates(24, 1);
    // The same days, of which the quiet hours were worn once in ten.
    const some = Float64Array.from({ length: 240 }, (_, i) =>
      Math.abs(day[i % 24]!) < 0.7 && i >= 24 ? Number.NaN : day[i % 24]!,
    );
    expect(some.filter((value) => !Number.isNaN(value)).length).toBeGreaterThan(72);
    expect(rhythmOfHours(some).stability).toBeCloseTo(1, 6);
  });

  it('is 2 for noise and absent with less than three days', () => {
    expect(rhythmOfHours(deviates(24 * 60, 1)).variability).toBeCloseTo(2, 0);
    expect(rhythmOfHours(deviates(71, 1))).toEqual({ stability: null, variability: null });
  });

  it('compares sleep 24 hours apart', () => {
    const n = 17_280;
    const spans = [
      [0.4, 0.8],
      [0.5, 0.8],
      [0.5, 0.9],
      [0.4, 0.9],
      [0.4, 0.8],
    ] as const;
    const nights = spans.map(([from, to]) => new Uint8Array(n).fill(1, Math.round(n * from), Math.round(n * to)));
    const known = new Uint8Array(n).fill(1);
    const each = nights.slice(1).map((night, i) => regularityOf(night, nights[i]!, known, known)!);
    expect(each.reduce((sum, value) => sum + value, 0) / each.length).toBeCloseTo(80, 6);
    expect(
      regularityOf(
        nights[0]!,
        nights[0]!.map((one) => 1 - one),
        known,
        known,
      ),
    ).toBe(-100);
    expect(regularityOf(nights[0]!, nights[1]!, known, new Uint8Array(n))).toBeNull();
  });
});

describe('metrics of an epoch', () => {
  it('are those of their definitions', () => {
    // A magnitude of 1.3 g for 2 s and of 0.9 g for 3 s.
    const x = Int16Array.from({ length: 500 }, (_, i) => (i < 200 ? 1300 : 900));
    const zero = new Int16Array(500);
    const pieces: EpochPiece[] = [];
    const source = {
      type: 'ACCEL' as const,
      location: 'WRIST',
      scale: [0.001, 0.001, 0.001],
      offset: [0, 0, 0],
      nominalRateHz: 100,
    };
    const extractor = new EpochExtractor(
      source,
      { offsetG: [0, 0, 0], gain: [1, 1, 1] },
      Number.NEGATIVE_INFINITY,
      Number.POSITIVE_INFINITY,
      (piece) => pieces.push(piece),
    );
    extractor.add({ startUs: 0, periodUs: 10_000, count: 500, columns: [x, zero, zero] });
    extractor.finish();
    const [piece] = pieces;
    expect(piece!.enmo[0]).toBeCloseTo(0.12, 6);
    expect(piece!.enmoa[0]).toBeCloseTo(0.18, 6);
    expect(piece!.mad[0]).toBeCloseTo(0.192, 6);
    expect(piece!.angle[0]).toBeCloseTo(0, 6);
    expect(piece!.coverage[0]).toBe(100);
    expect(piece!.enmo[1]).toBeNaN();
  });
});

describe('autocalibration', () => {
  it('recovers offset and gain from still means all around', () => {
    const gain = [1.03, 0.98, 1.01];
    const offset = [0.04, -0.03, 0.02];
    const count = 500;
    const noise = deviates(3 * count, 0.001);
    const means = Float64Array.from({ length: 3 * count }, (_, k) => {
      const i = Math.floor(k / 3);
      const z = 1 - (2 * (i + 0.5)) / count;
      const turn = i * 2.399963;
      const flat = Math.sqrt(1 - z * z);
      const g = [flat * Math.cos(turn), flat * Math.sin(turn), z][k % 3]!;
      return g / gain[k % 3]! - offset[k % 3]! + noise[k]!;
    });
    const found = autocalibrate({ means, count, isSpherePopulated: true });
    expect(found.fault).toBeNull();
    for (let axis = 0; axis < 3; axis++) {
      expect(found.gain[axis]).toBeCloseTo(gain[axis]!, 3);
      expect(found.offsetG[axis]).toBeCloseTo(offset[axis]!, 3);
    }
    expect(found.errorBeforeG).toBeGreaterThan(0.02);
    expect(found.errorAfterG).toBeLessThan(0.001);
    expect(autocalibrate({ means, count: 49, isSpherePopulated: true }).fault).toBe('TOO_FEW_WINDOWS');
    expect(autocalibrate({ means, count, isSpherePopulated: false }).fault).toBe('SPHERE_NOT_COVERED');
  });
});

const actilife = realData('motion/sleep/actigraph-gt3xplus-day01.json');

describe.runIf(actilife !== null)('non-wear of ActiLife on one day of counts', () => {
  it('is found to the minute', () => {
    const { axis1, nonWear } = JSON.parse(readFileSync(actilife!, 'utf8')) as {
      axis1: number[];
      nonWear: Record<string, [number, number][]>;
    };
    expect(choiNonWear(axis1)).toEqual(nonWear['Choi Default']);
    // ActiLife lists the axis first, then the vector magnitude with other settings.
    expect(troianoNonWear(axis1)).toEqual(nonWear['Troiano Default']!.slice(0, 3));
  });
});

describe('non-wear of a sensor', () => {
  const MINUTES = 180;
  /** Upright along y and still, but for a minute in which the axes have these counts. */
  const sensor = (counts: readonly [number, number, number]): MotionFeatures => {
    const rows = MINUTES * 60;
    const columns = Object.fromEntries(
      MOTION_COLUMNS.map((name) => [name, new Float32Array(rows)]),
    ) as unknown as MotionFeatures['segments'][number]['columns'];
    columns.coverage.fill(100);
    columns.meanY.fill(1);
    for (const [i, name] of (['countsX', 'countsY', 'countsZ'] as const).entries())
      columns[name].fill(counts[i]! / 60, 90 * 60, 91 * 60);
    const segments = [{ startSecond: 0, count: rows, columns }];
    const epochs = {} as NonNullable<MotionFeatures['epochs']>;
    return { kind: 'motion', site: 'waist', segments, stepsUs: new Float64Array(0), epochs };
  };
  const offMinutes = (counts: readonly [number, number, number], rule: 'choi-2011' | 'troiano-2008'): number =>
    wearOfSensor(sensor(counts), [], rule)[0]!.filter((state) => state === OFF).length / 60;

  it('is decided on the vertical axis by the rule of Troiano, whose limit is of one axis', () => {
    expect(offMinutes([150, 90, 150], 'troiano-2008')).toBe(MINUTES);
    expect(offMinutes([0, 120, 0], 'troiano-2008')).toBe(MINUTES - 1);
  });

  it('is decided on the vector magnitude by the rule of Choi', () => {
    expect(offMinutes([150, 0, 0], 'choi-2011')).toBe(MINUTES);
    expect(troianoNonWear(Array.from({ length: 60 }, () => 0))).toEqual([[0, 60]]);
  });

  it('is the whole hour that van Hees finds still, not its middle alone (GGIR, approach of 2023)', () => {
    const quarters = new Float32Array(12 * QUARTER_VALUES);
    for (let q = 0; q < 12; q++) {
      const isStill = q >= 4 && q < 8;
      quarters.set(
        [9000, ...[0, 0, 1].flatMap((mean) => [mean, isStill ? 0.002 : 0.2, mean - 0.01, mean + 0.01])],
        q * QUARTER_VALUES,
      );
    }
    expect([...vanHeesOff(quarters)]).toEqual([0, 0, 0, 0, 1, 1, 1, 1, 0, 0, 0, 0]);
  });
});
