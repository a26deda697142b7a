import { describe, expect, it } from 'vitest';
import type { SignalGap } from '../../../../src-server/api/contract/index.ts';
import { causeOfGap } from './gaps.ts';
import { lostSpans } from './overlap.ts';
import { type LaneData, rowMs, signalCsv, signalRows } from './table.ts';

const run = (startMs: number, values: number[]) => ({
  timesMs: Float64Array.from(values, (_, i) => startMs + i * 250),
  values: [Float32Array.from(values)],
  periodMs: 250,
});
const lane = (more: Partial<LaneData>): LaneData => ({
  ...{ dimensions: 1, runs: [], envelopes: [], factor: 1, gaps: [], lost: [], beats: undefined },
  ...more,
});
const beat = (ms: number) => ({ timeUs: ms * 1000, use: 'USED' as const, isAfterBreak: false });

describe('the signals as a table', () => {
  it('has rows of a second or longer, and at most sixty', () => {
    expect([500, 10_000, 60_000, 600_000, 43_200_000].map((length) => rowMs({ startMs: 0, stopMs: length }))).toEqual([
      100, 1000, 1000, 10_000, 1_800_000,
    ]);
  });

  it('gives minimum, mean, maximum and beats of each row, and gaps as rows without numbers', () => {
    const rows = signalRows(
      lane({
        runs: [run(0, [1, 2, 3, 6]), run(5000, [4])],
        gaps: [{ startTs: 1000, stopTs: 5000 }],
        beats: [beat(100), beat(900), beat(1000)],
      }),
      { startMs: 0, stopMs: 10_000 },
    );
    expect(rows).toEqual([
      {
        ...{ kind: 'values', startMs: 0, stopMs: 1000, samples: 4, beats: 2 },
        statistics: [{ minimum: 1, maximum: 6, mean: 3 }],
      },
      { kind: 'gap', startMs: 1000, stopMs: 5000, isLost: false },
      {
        ...{ kind: 'values', startMs: 5000, stopMs: 6000, samples: 1, beats: 0 },
        statistics: [{ minimum: 4, maximum: 4, mean: 4 }],
      },
    ]);
  });

  it('has no mean where only the envelope is known, and skips bins without samples', () => {
    const envelope = {
      ...{ type: 'ECG', dimensions: ['v'], unit: 'V', nominalRateHz: 250, startTs: 0, binMs: 1000, gaps: [] },
      ...{ sampleCounts: [250, 0, 250], minima: { v: [-0.001, null, -0.002] }, maxima: { v: [0.001, null, 0.003] } },
    };
    const rows = signalRows(lane({ runs: undefined, envelopes: [envelope], factor: 1000 }), {
      startMs: 0,
      stopMs: 3000,
    });
    expect(rows).toMatchObject([
      { startMs: 0, samples: 250, statistics: [{ minimum: -1, maximum: 1 }] },
      { startMs: 2000, samples: 250, statistics: [{ minimum: -2, maximum: 3 }] },
    ]);
  });

  it('writes the reason of a gap instead of numbers to the CSV file', () => {
    const rows = signalRows(lane({ runs: [run(0, [0.5])], gaps: [{ startTs: 1000, stopTs: 2000 }] }), {
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

describe('missing samples', () => {
  it('are lost where the index promises samples, but not in gaps or while they are being fetched', () => {
    const window = { startMs: 0, stopMs: 10_000 };
    const runs = [run(0, [1, 1, 1, 1]), run(6000, Array(16).fill(1))];
    expect(lostSpans(runs, [], window)).toEqual([{ startMs: 750, stopMs: 6000 }]);
    expect(lostSpans(runs, [{ startMs: 800, stopMs: 6000 }], window)).toEqual([]);
    expect(lostSpans(runs, [{ startMs: 3000, stopMs: 6000 }], window)).toEqual([{ startMs: 750, stopMs: 3000 }]);
    expect(lostSpans([], [], window)).toEqual([window]);
  });

  it('take the cause of the gap of the same sensor that overlaps them most', () => {
    const gap = (udid: string, startTs: number, stopTs: number, code: string): SignalGap =>
      ({ udid, startTs, stopTs, location: 'MEDIAL_CHEST', causes: [{ code }] }) as SignalGap;
    const gaps = [gap('A', 0, 1000, 'FULL_MEMORY'), gap('A', 900, 5000, 'ON_CHARGER'), gap('B', 0, 9000, 'HUB_HOLDS')];
    expect(causeOfGap(gaps, 'A', 890, 5000)?.code).toBe('ON_CHARGER');
    expect(causeOfGap(gaps, 'B', 890, 5000)?.code).toBe('HUB_HOLDS');
    expect(causeOfGap(gaps, 'A', 6000, 7000)).toBeUndefined();
  });
});
