import { describe, expect, it } from 'vitest';
import { DAY_MS } from '../durations.ts';
import { binRuns } from './bin-reader.ts';

const windows = (...starts: number[]) => starts.map((day) => ({ startTs: day * DAY_MS, stopTs: (day + 1) * DAY_MS }));

describe('binRuns', () => {
  const request = { fromMs: 0, toMs: 4e13, intervalMs: 60_000 };

  it('fills short gaps with empty bins and omits gaps of a month and more', () => {
    const runs = binRuns(
      windows(10, 11, 20, 100),
      { startMs: 10 * DAY_MS + 90_000, stopMs: 100 * DAY_MS + 5000 },
      request,
    );
    expect(runs).toEqual([
      { firstMs: 10 * DAY_MS + 60_000, lastMs: 21 * DAY_MS - 60_000 },
      { firstMs: 100 * DAY_MS, lastMs: 100 * DAY_MS },
    ]);
  });

  it('begins at `from` rounded down to the grid and ends with the last bin start at or before `to`', () => {
    const extent = { startMs: 10 * DAY_MS, stopMs: 11 * DAY_MS };
    expect(
      binRuns(windows(10), extent, { ...request, fromMs: 10 * DAY_MS + 119_999, toMs: 10 * DAY_MS + 240_000 }),
    ).toEqual([{ firstMs: 10 * DAY_MS + 60_000, lastMs: 10 * DAY_MS + 240_000 }]);
  });

  it('returns no runs without recordings or outside them', () => {
    expect(binRuns([], undefined, request)).toEqual([]);
    expect(
      binRuns(windows(10), { startMs: 10 * DAY_MS, stopMs: 11 * DAY_MS }, { ...request, toMs: 5 * DAY_MS }),
    ).toEqual([]);
  });
});
