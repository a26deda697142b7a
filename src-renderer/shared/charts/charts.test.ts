import { describe, expect, it } from 'vitest';
import { bandAt, durations, holes, layoutBands, MIN_BAND_PX, mergeBands, unionSpans } from './bands.ts';
import { niceRange, toMs, toPx } from './scale.ts';
import { envelope, extent, runs, sumBins, valueAt } from './series.ts';
import { inside, zoomed } from './timeline/view.ts';

const MINUTE = 60_000;
const grid = (count: number, startMs = 0) => Array.from({ length: count }, (_, i) => startMs + i * MINUTE);

describe('bands', () => {
  it('merges equal neighbours and splits at nulls and holes', () => {
    const times = [...grid(5), ...grid(2, 10 * MINUTE)];
    const bands = mergeBands(times, ['a', 'a', 'b', null, 'b', 'b', 'b'], MINUTE);
    expect(bands).toEqual([
      { startMs: 0, stopMs: 2 * MINUTE, value: 'a' },
      { startMs: 2 * MINUTE, stopMs: 3 * MINUTE, value: 'b' },
      { startMs: 4 * MINUTE, stopMs: 5 * MINUTE, value: 'b' },
      { startMs: 10 * MINUTE, stopMs: 12 * MINUTE, value: 'b' },
    ]);
    expect(durations(bands)).toEqual([
      { value: 'b', durationMs: 4 * MINUTE },
      { value: 'a', durationMs: 2 * MINUTE },
    ]);
  });

  it('keeps a one-minute walk visible in a day and draws it over its neighbours', () => {
    const times = grid(1440);
    const bands = mergeBands(
      times,
      times.map((_, i) => (i === 700 ? 'walk' : 'sit')),
      MINUTE,
    );
    const boxes = layoutBands(bands, { startMs: 0, stopMs: 1440 * MINUTE, widthPx: 700 });
    expect(boxes.at(-1)).toMatchObject({ value: 'walk', widthPx: MIN_BAND_PX });
    expect(boxes).toHaveLength(3);
  });

  it('keeps the last short band inside the plot and drops bands outside it', () => {
    const boxes = layoutBands(
      [
        { startMs: -10, stopMs: 0, value: 1 },
        { startMs: 999.9, stopMs: 1000, value: 2 },
        { startMs: 1000, stopMs: 2000, value: 3 },
      ],
      { startMs: 0, stopMs: 1000, widthPx: 100 },
    );
    expect(boxes).toEqual([{ startMs: 999.9, stopMs: 1000, value: 2, leftPx: 98, widthPx: 2 }]);
  });

  it('joins spans and finds the holes between them', () => {
    const spans = [
      { startMs: 50, stopMs: 60 },
      { startMs: 10, stopMs: 20 },
      { startMs: 15, stopMs: 30 },
    ];
    expect(unionSpans(spans, 0, 55)).toEqual([
      { startMs: 10, stopMs: 30 },
      { startMs: 50, stopMs: 55 },
    ]);
    expect(holes(spans, 0, 100)).toEqual([
      { startMs: 0, stopMs: 10 },
      { startMs: 30, stopMs: 50 },
      { startMs: 60, stopMs: 100 },
    ]);
    expect(holes([], 0, 5)).toEqual([{ startMs: 0, stopMs: 5 }]);
  });

  it('finds the band at an instant; a band excludes its end', () => {
    const bands = mergeBands(grid(4), ['a', 'a', 'b', 'b'], MINUTE);
    expect(bandAt(bands, 2 * MINUTE - 1)?.value).toBe('a');
    expect(bandAt(bands, 2 * MINUTE)?.value).toBe('b');
    expect(bandAt(bands, 4 * MINUTE)).toBeUndefined();
  });
});

describe('series', () => {
  const series = { times: [0, 10, 20, 40, 50], values: [1, 2, null, 4, 5], intervalMs: 10 };

  it('never bridges a null or a hole', () => {
    expect(runs(series)).toEqual([
      [0, 1],
      [3, 4],
    ]);
    expect(runs({ times: [0, 10, 30], values: [1, 2, 3], intervalMs: 10 })).toEqual([
      [0, 1],
      [2, 2],
    ]);
  });

  it('keeps both extremes of a pixel column and leaves gap columns empty', () => {
    const { low, high } = envelope({ ...series, values: [1, 9, null, 4, 5] }, { startMs: 0, stopMs: 60, widthPx: 3 });
    expect([low[0], high[0]]).toEqual([1, 9]);
    expect(low[1]).toBeNaN();
    expect([low[2], high[2]]).toEqual([4, 5]);
  });

  it('sums bins exactly and leaves empty ones out', () => {
    expect(sumBins(series, 0, 20)).toEqual({ times: [0, 40], values: [3, 9], intervalMs: 20 });
  });

  it('reads the bin under the cursor', () => {
    expect(valueAt(series, 19)).toBe(2);
    expect(valueAt(series, 25)).toBeNull();
    expect(valueAt(series, 35)).toBeNull();
    expect(valueAt(series, 59)).toBe(5);
    expect(valueAt(series, 60)).toBeNull();
    expect(valueAt({ times: [], values: [], intervalMs: 10 }, 5)).toBeNull();
  });

  it('computes the extent of the visible part only', () => {
    expect(extent(series, { startMs: 0, stopMs: 20, widthPx: 10 })).toEqual({ low: 1, high: 2 });
    expect(extent(series, { startMs: 20, stopMs: 40, widthPx: 10 })).toBeUndefined();
  });
});

describe('scales', () => {
  it('converts instants to pixels and back', () => {
    const scale = { startMs: 1000, stopMs: 3000, widthPx: 400 };
    expect(toPx(scale, 2000)).toBe(200);
    expect(toMs(scale, 200)).toBe(2000);
  });

  it('rounds a value axis to 1-2-5 steps and never to an empty range', () => {
    expect(niceRange(52, 148, 3)).toEqual({ low: 50, high: 150, step: 50 });
    expect(niceRange(0, 37, 2)).toEqual({ low: 0, high: 40, step: 20 });
    const flat = niceRange(60, 60, 3);
    expect(flat.low).toBeLessThan(60);
    expect(flat.high).toBeGreaterThan(60);
  });
});

describe('views', () => {
  const whole = { startMs: 0, stopMs: 24 * 60 * MINUTE };

  it('zooms around an instant, which keeps its position', () => {
    const view = zoomed(whole, whole, 6 * 60 * MINUTE, 0.5);
    expect(view).toEqual({ startMs: 3 * 60 * MINUTE, stopMs: 15 * 60 * MINUTE });
  });

  it('limits the zoom to the whole and to ten minutes', () => {
    expect(zoomed({ startMs: 0, stopMs: 20 * 60 * MINUTE }, whole, 0, 4)).toEqual(whole);
    const narrow = zoomed(whole, whole, 700 * MINUTE, 1e-6);
    expect(narrow.stopMs - narrow.startMs).toBe(10 * MINUTE);
  });

  it('moves a view back inside the whole without changing its length', () => {
    expect(inside({ startMs: -50, stopMs: 50 }, whole)).toEqual({ startMs: 0, stopMs: 100 });
    expect(inside({ startMs: whole.stopMs - 10, stopMs: whole.stopMs + 90 }, whole)).toEqual({
      startMs: whole.stopMs - 100,
      stopMs: whole.stopMs,
    });
  });
});
