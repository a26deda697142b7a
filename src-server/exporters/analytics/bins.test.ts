import { describe, expect, it } from 'vitest';
import { binRuns } from './bins.ts';

const DAY = 86_400_000;
const windows = (...starts: number[]) => starts.map((day) => ({ startTs: day * DAY, stopTs: (day + 1) * DAY }));

describe('binRuns', () => {
  const request = { fromMs: 0, toMs: 4e13, intervalMs: 60_000 };

  it('fills short gaps and leaves out those of a month and more', () => {
    const runs = binRuns(windows(10, 11, 20, 100), { startMs: 10 * DAY + 90_000, stopMs: 100 * DAY + 5000 }, request);
    expect(runs).toEqual([
      { firstMs: 10 * DAY + 60_000, lastMs: 21 * DAY - 60_000 },
      { firstMs: 100 * DAY, lastMs: 100 * DAY },
    ]);
  });

  it('begins at `from` rounded down to the grid and ends with the last start at or before `to`', () => {
    const extent = { startMs: 10 * DAY, stopMs: 11 * DAY };
    expect(binRuns(windows(10), extent, { ...request, fromMs: 10 * DAY + 119_999, toMs: 10 * DAY + 240_000 })).toEqual([
      { firstMs: 10 * DAY + 60_000, lastMs: 10 * DAY + 240_000 },
    ]);
  });

  it('gives nothing without recordings or outside them', () => {
    expect(binRuns([], undefined, request)).toEqual([]);
    expect(binRuns(windows(10), { startMs: 10 * DAY, stopMs: 11 * DAY }, { ...request, toMs: 5 * DAY })).toEqual([]);
  });
});
