import { describe, expect, it } from 'vitest';
import type { SignalGap } from '../../../../src-server/api/contract/index.ts';
import { causeOfBreak } from './gaps.ts';
import { lostStretches } from './overlap.ts';
import { type LaneData, rowMs, signalCsv, signalRows } from './table.ts';

const part = (startMs: number, values: number[]) => ({
  timesMs: Float64Array.from(values, (_, i) => startMs + i * 250),
  values: [Float32Array.from(values)],
  periodMs: 250,
});
const lane = (more: Partial<LaneData>): LaneData => ({
  ...{ dimensions: 1, parts: [], envelopes: [], factor: 1, gaps: [], lost: [], beats: undefined },
  ...more,
});
const beat = (ms: number) => ({ timeUs: ms * 1000, use: 'USED' as const, isAfterBreak: false });

describe('the signals as a table', () => {
  it('has rows of a second for what is read, and never more than sixty', () => {
    expect([500, 10_000, 60_000, 600_000, 43_200_000].map((length) => rowMs({ startMs: 0, stopMs: length }))).toEqual([
      100, 1000, 1000, 10_000, 1_800_000,
    ]);
  });

  it('gives lowest, mean, highest and beats of each row, and gaps as rows that nothing stands for', () => {
    const rows = signalRows(
      lane({
        parts: [part(0, [1, 2, 3, 6]), part(5000, [4])],
        gaps: [{ startTs: 1000, stopTs: 5000 }],
        beats: [beat(100), beat(900), beat(1000)],
      }),
      { startMs: 0, stopMs: 10_000 },
    );
    expect(rows).toEqual([
      {
        ...{ kind: 'values', startMs: 0, stopMs: 1000, samples: 4, beats: 2 },
        figures: [{ minimum: 1, maximum: 6, mean: 3 }],
      },
      { kind: 'gap', startMs: 1000, stopMs: 5000, isLost: false },
      {
        ...{ kind: 'values', startMs: 5000, stopMs: 6000, samples: 1, beats: 0 },
        figures: [{ minimum: 4, maximum: 4, mean: 4 }],
      },
    ]);
  });

  it('has no mean where only the envelope is there, and passes over bins without samples', () => {
    const envelope = {
      ...{ type: 'ECG', dimensions: ['v'], unit: 'V', nominalRateHz: 250, startTs: 0, binMs: 1000, gaps: [] },
      ...{ sampleCounts: [250, 0, 250], minima: { v: [-0.001, null, -0.002] }, maxima: { v: [0.001, null, 0.003] } },
    };
    const rows = signalRows(lane({ parts: undefined, envelopes: [envelope], factor: 1000 }), {
      startMs: 0,
      stopMs: 3000,
    });
    expect(rows).toMatchObject([
      { startMs: 0, samples: 250, figures: [{ minimum: -1, maximum: 1 }] },
      { startMs: 2000, samples: 250, figures: [{ minimum: -2, maximum: 3 }] },
    ]);
  });

  it('is saved with the reason of a gap in the place of numbers', () => {
    const rows = signalRows(lane({ parts: [part(0, [0.5])], gaps: [{ startTs: 1000, stopTs: 2000 }] }), {
      startMs: 0,
      stopMs: 3000,
    });
    const common = { name: 'Chest, "ECG"', sensor: 'AA', unit: 'mV', dimensions: ['v'], rows };
    const lines = signalCsv([{ ...common, reasonOf: () => 'on charger' }]).split('\n');
    expect(lines[1]).toBe(
      '"Chest, ""ECG""","AA","v","mV","0","1000","1970-01-01T00:00:00.000Z","1","0.5","0.5","0.5","",""',
    );
    expect(lines[2]).toBe(
      '"Chest, ""ECG""","AA","","","1000","2000","1970-01-01T00:00:01.000Z","0","","","","","on charger"',
    );
  });
});

describe('what is missing', () => {
  it('is lost where samples were promised and none came, not where they are away or on their way', () => {
    const window = { startMs: 0, stopMs: 10_000 };
    const parts = [part(0, [1, 1, 1, 1]), part(6000, Array(16).fill(1))];
    expect(lostStretches(parts, [], window)).toEqual([{ startMs: 750, stopMs: 6000 }]);
    expect(lostStretches(parts, [{ startMs: 800, stopMs: 6000 }], window)).toEqual([]);
    expect(lostStretches(parts, [{ startMs: 3000, stopMs: 6000 }], window)).toEqual([{ startMs: 750, stopMs: 3000 }]);
    expect(lostStretches([], [], window)).toEqual([window]);
  });

  it('has the reason of the gap that it shares most time with, of the same sensor', () => {
    const gap = (udid: string, startTs: number, stopTs: number, code: string): SignalGap =>
      ({ udid, startTs, stopTs, location: 'MEDIAL_CHEST', causes: [{ code }] }) as SignalGap;
    const gaps = [gap('A', 0, 1000, 'FULL_MEMORY'), gap('A', 900, 5000, 'ON_CHARGER'), gap('B', 0, 9000, 'HUB_HOLDS')];
    expect(causeOfBreak(gaps, 'A', 890, 5000)?.code).toBe('ON_CHARGER');
    expect(causeOfBreak(gaps, 'B', 890, 5000)?.code).toBe('HUB_HOLDS');
    expect(causeOfBreak(gaps, 'A', 6000, 7000)).toBeUndefined();
  });
});
