import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ASKEW, syntheticMotion, UPRIGHT, UPSIDE_DOWN, WALKING_STEP_HZ } from '../../testing/synthetic-motion.ts';
import type { SignalChunk, SignalInput } from '../types.ts';
import { extractMotionFeatures } from './features.ts';

const START_US = 1_700_000_000_000_000;
const ALWAYS = 4e15;
const walk = (seconds: number) => [{ doing: 'walk' as const, seconds }];
const extract = (input: SignalInput) => extractMotionFeatures(input, 0, ALWAYS);

const constant = (value: number, count: number, rateHz: number, overrides: Partial<SignalInput> = {}): SignalInput => ({
  type: 'ACCEL',
  location: 'MEDIAL_CHEST',
  scale: [0.001, 0.001, 0.001],
  offset: [0, 0, 0],
  nominalRateHz: rateHz,
  chunks: [
    {
      startUs: START_US,
      periodUs: 1e6 / rateHz,
      count,
      columns: [0, 1, 2].map(() => new Int16Array(count).fill(value)),
    },
  ],
  ...overrides,
});

describe('steps', () => {
  const seconds = 120;
  const expected = seconds * WALKING_STEP_HZ;
  for (const site of ['chest', 'thigh'] as const) {
    for (const [name, mounting] of [
      ['upright', UPRIGHT],
      ['upside down', UPSIDE_DOWN],
      ['askew', ASKEW],
    ] as const) {
      it(`counts a walk at the ${site}, ${name}`, () => {
        const { stepsUs } = extract(syntheticMotion({ site, episodes: walk(seconds), mounting }));
        expect(Math.abs(stepsUs.length - expected) / expected).toBeLessThan(0.03);
      });
    }
  }

  for (const rateHz of [10, 12.5, 25, 31.25, 50, 62.5, 100, 250, 1000]) {
    it(`counts a walk at ${rateHz} Hz`, () => {
      const { stepsUs } = extract(syntheticMotion({ site: 'chest', episodes: walk(60), rateHz }));
      expect(Math.abs(stepsUs.length - 60 * WALKING_STEP_HZ)).toBeLessThanOrEqual(4);
      expect([...stepsUs].every((time, i) => i === 0 || time > stepsUs[i - 1]!)).toBe(true);
    });
  }

  it('finds none in rest', () => {
    const { stepsUs } = extract(
      syntheticMotion({
        site: 'chest',
        episodes: [
          { doing: 'sit', seconds: 300 },
          { doing: 'lieBack', seconds: 300 },
        ],
      }),
    );
    expect(stepsUs).toHaveLength(0);
  });

  it('counts by page times, not by the nominal rate', () => {
    const drifting = syntheticMotion({ site: 'chest', episodes: walk(60), rateHz: 30.6 });
    const { segments, stepsUs } = extract({ ...drifting, nominalRateHz: 31.25 });
    expect(segments[0]!.count).toBe(60);
    expect(Math.abs(stepsUs.length - 60 * WALKING_STEP_HZ)).toBeLessThanOrEqual(4);
  });
});

/** Both pages of an input of two minutes. */
function twoPages({ chunks }: SignalInput): [SignalChunk, SignalChunk] {
  const [first, second] = chunks;
  return [first!, second!];
}

describe('gaps', () => {
  it('never bridges a gap and keeps rows on whole seconds', () => {
    const input = syntheticMotion({ site: 'chest', episodes: [{ doing: 'stand', seconds: 120 }] });
    const [first, second] = twoPages(input);
    const late = { ...second, startUs: second.startUs + 5e6 };
    const { segments } = extract({ ...input, chunks: [first, late] });
    expect(segments).toHaveLength(1);
    const { coverage } = segments[0]!.columns;
    expect(segments[0]!.count).toBe(125);
    expect([...coverage.subarray(0, 59)].every((value) => value === 100)).toBe(true);
    expect([...coverage.subarray(61, 64)].every((value) => value === 0)).toBe(true);
  });

  it('takes no memory for ten years without data', () => {
    const input = syntheticMotion({ site: 'chest', episodes: [{ doing: 'stand', seconds: 120 }] });
    const [first, second] = twoPages(input);
    const later = { ...second, startUs: second.startUs + 10 * 365 * 86_400 * 1e6 };
    const { segments } = extract({ ...input, chunks: [first, later] });
    expect(segments.map((segment) => segment.count)).toEqual([60, 60]);
  });

  it('ignores pages whose time runs backwards', () => {
    const input = syntheticMotion({ site: 'chest', episodes: [{ doing: 'stand', seconds: 120 }] });
    const [first, second] = twoPages(input);
    const { segments } = extract({ ...input, chunks: [first, second, first] });
    expect(segments.map((segment) => segment.count)).toEqual([120]);
  });
});

describe('input that cannot carry motion', () => {
  it.each([
    ['a scale that is not a number', constant(1000, 1000, 31.25, { scale: [Number.NaN, 1, 1] })],
    ['a scale of zero', constant(1000, 1000, 31.25, { scale: [0.001, 0, 0.001] })],
    ['an offset that is not a number', constant(1000, 1000, 31.25, { offset: [0, Number.NaN, 0] })],
    ['one sample a second', constant(1000, 100, 1)],
    ['no page', constant(1000, 100, 50, { chunks: [] })],
    ['a page without samples', constant(1000, 0, 50)],
  ])('gives no segment for %s', (_, input) => {
    const features = extract(input);
    expect(features.segments).toHaveLength(0);
    expect(features.stepsUs).toHaveLength(0);
  });

  it('reports two samples as hardly any coverage', () => {
    const { segments, stepsUs } = extract(constant(577, 2, 31.25));
    expect(segments).toHaveLength(1);
    expect(segments[0]!.columns.coverage[0]).toBeLessThan(50);
    expect(stepsUs).toHaveLength(0);
  });

  it('reads a constant signal as stillness at any rate', () => {
    for (const rateHz of [10, 31.25, 1000, 10_000]) {
      const { segments, stepsUs } = extract(constant(577, 20 * rateHz, rateHz));
      expect(segments[0]!.count).toBe(20);
      expect(segments[0]!.columns.meanX[10]).toBeCloseTo(0.577, 4);
      expect(segments[0]!.columns.deviation[10]).toBeLessThan(1e-3);
      expect(segments[0]!.columns.countsX[10]).toBe(0);
      expect(stepsUs).toHaveLength(0);
    }
  });

  it('reports a sensor at its rail', () => {
    const { segments } = extract(constant(32767, 310, 31.25));
    expect(segments[0]!.columns.saturated[5]).toBe(100);
  });
});

it('yields the same bytes for the same input, regardless of its pages', () => {
  const episodes = [...walk(90), { doing: 'sit' as const, seconds: 60 }];
  const whole = extract(syntheticMotion({ site: 'thigh', episodes, pageSeconds: 60 }));
  const again = extract(syntheticMotion({ site: 'thigh', episodes, pageSeconds: 60 }));
  expect(again).toEqual(whole);
  const cut = extract(syntheticMotion({ site: 'thigh', episodes, pageSeconds: 7 }));
  expect(cut.segments[0]!.count).toBe(whole.segments[0]!.count);
  expect(Math.abs(cut.stepsUs.length - whole.stepsUs.length)).toBeLessThanOrEqual(1);
});

it('stays finite and in order for arbitrary pages', () => {
  const page = fc.record({
    skipUs: fc.integer({ min: -2_000_000, max: 40_000_000 }),
    periodUs: fc.oneof(fc.constantFrom(0, Number.NaN, 32_000, 1_000_000), fc.integer({ min: 100, max: 130_000 })),
    values: fc.array(fc.integer({ min: -32768, max: 32767 }), { maxLength: 300 }),
  });
  fc.assert(
    fc.property(fc.array(page, { maxLength: 12 }), (pages) => {
      let timeUs = START_US;
      const chunks = pages.map(({ skipUs, periodUs, values }) => {
        const startUs = timeUs + skipUs;
        timeUs = startUs + values.length * Math.max(periodUs, 0);
        const columns = [0, 1, 2].map((axis) => Int16Array.from(values, (value) => value >> axis));
        return { startUs, periodUs, count: values.length, columns };
      });
      const { segments, stepsUs } = extract({ ...constant(0, 0, 50), chunks });
      let end = 0;
      for (const { startSecond, count, columns } of segments) {
        expect(startSecond).toBeGreaterThanOrEqual(end);
        end = startSecond + count;
        for (const column of Object.values(columns)) {
          expect(column).toHaveLength(count);
          expect(column.every((value) => Number.isFinite(value))).toBe(true);
        }
        expect(columns.coverage.every((value) => value <= 100)).toBe(true);
      }
      expect([...stepsUs].every((time, i) => i === 0 || time > stepsUs[i - 1]!)).toBe(true);
    }),
    { numRuns: 200 },
  );
});
