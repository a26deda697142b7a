/** Numbers on a regular time grid, prepared for drawing. Gaps stay gaps, and nothing is smoothed. Pure. */
import { type TimeScale, toPx } from './scale.ts';

export interface Series {
  /** Bin starts, epoch ms, increasing. */
  times: readonly number[];
  values: readonly (number | null)[];
  intervalMs: number;
}

/** Returns index ranges [first, last] of values without a null or a hole in between. */
export function runs(series: Series): [number, number][] {
  const found: [number, number][] = [];
  let first = -1;
  for (let i = 0; i <= series.times.length; i++) {
    const present = i < series.times.length && series.values[i] !== null && series.values[i] !== undefined;
    const joined = present && first >= 0 && series.times[i]! - series.times[i - 1]! === series.intervalMs;
    if (first >= 0 && !joined) {
      found.push([first, i - 1]);
      first = -1;
    }
    if (present && first < 0) first = i;
  }
  return found;
}

/** Lowest and highest value by pixel column; NaN in both for a column without a value. */
export interface Envelope {
  low: Float32Array;
  high: Float32Array;
}

/** Returns the lowest and highest value of every pixel column. A bin wider than a column fills all columns it covers. */
export function envelope(series: Series, scale: TimeScale): Envelope {
  const columns = Math.max(1, Math.ceil(scale.widthPx));
  const low = new Float32Array(columns).fill(Number.NaN);
  const high = new Float32Array(columns).fill(Number.NaN);
  for (const [i, time] of series.times.entries()) {
    const value = series.values[i];
    if (value === null || value === undefined) continue;
    const from = Math.max(0, Math.floor(toPx(scale, time)));
    const to = Math.min(columns - 1, Math.ceil(toPx(scale, time + series.intervalMs)) - 1);
    for (let column = from; column <= to; column++) {
      if (!(low[column]! <= value)) low[column] = value;
      if (!(high[column]! >= value)) high[column] = value;
    }
  }
  return { low, high };
}

/** Returns the lowest and highest value within the scale; undefined without a value. */
export function extent(series: Series, scale: TimeScale): { low: number; high: number } | undefined {
  let low = Number.POSITIVE_INFINITY;
  let high = Number.NEGATIVE_INFINITY;
  for (const [i, time] of series.times.entries()) {
    const value = series.values[i];
    const isOutside = time + series.intervalMs <= scale.startMs || time >= scale.stopMs;
    if (value === null || value === undefined || isOutside) continue;
    if (value < low) low = value;
    if (value > high) high = value;
  }
  return low <= high ? { low, high } : undefined;
}

/** Sums values in bins of `binMs`, counted from `originMs`. Bins without a value are left out. */
export function sumBins(series: Series, originMs: number, binMs: number): Series {
  const sums = new Map<number, number>();
  for (const [i, time] of series.times.entries()) {
    const value = series.values[i];
    if (value === null || value === undefined) continue;
    const start = originMs + Math.floor((time - originMs) / binMs) * binMs;
    sums.set(start, (sums.get(start) ?? 0) + value);
  }
  const times = [...sums.keys()].sort((a, b) => a - b);
  return { times, values: times.map((time) => sums.get(time)!), intervalMs: binMs };
}

/** Returns the value of the bin that contains an instant; null without one. */
export function valueAt(series: Series, ms: number): number | null {
  let low = 0;
  let high = series.times.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (series.times[middle]! <= ms) low = middle;
    else high = middle - 1;
  }
  const start = series.times[low];
  return start !== undefined && start <= ms && ms < start + series.intervalMs ? (series.values[low] ?? null) : null;
}
