/** Numbers on a regular grid, made ready for drawing: gaps stay gaps, and nothing is smoothed. */
import { type TimeScale, toPx } from './scale.ts';

export interface Series {
  /** Bin starts, epoch ms, increasing. */
  times: readonly number[];
  values: readonly (number | null)[];
  intervalMs: number;
}

/** Index ranges [first, last] of values without a null or a hole between them. */
export function runs(series: Series): [number, number][] {
  const found: [number, number][] = [];
  let first = -1;
  for (let i = 0; i <= series.times.length; i++) {
    const present = i < series.times.length && series.values[i] !== null && series.values[i] !== undefined;
    const joined = present && first >= 0 && series.times[i] - series.times[i - 1] === series.intervalMs;
    if (first >= 0 && !joined) {
      found.push([first, i - 1]);
      first = -1;
    }
    if (present && first < 0) first = i;
  }
  return found;
}

/** One pixel column of an envelope; `low` is NaN where the column has no value. */
export interface Envelope {
  low: Float32Array;
  high: Float32Array;
}

/** Smallest and largest value of every pixel column. A bin wider than a column fills every column it covers. */
export function envelope(series: Series, scale: TimeScale): Envelope {
  const columns = Math.max(1, Math.ceil(scale.widthPx));
  const low = new Float32Array(columns).fill(Number.NaN);
  const high = new Float32Array(columns).fill(Number.NaN);
  for (let i = 0; i < series.times.length; i++) {
    const value = series.values[i];
    if (value === null || value === undefined) continue;
    const from = Math.max(0, Math.floor(toPx(scale, series.times[i])));
    const to = Math.min(columns - 1, Math.ceil(toPx(scale, series.times[i] + series.intervalMs)) - 1);
    for (let column = from; column <= to; column++) {
      if (!(low[column]! <= value)) low[column] = value;
      if (!(high[column]! >= value)) high[column] = value;
    }
  }
  return { low, high };
}

/** Smallest and largest value inside the scale, or undefined when there is none. */
export function extent(series: Series, scale: TimeScale): { low: number; high: number } | undefined {
  let low = Number.POSITIVE_INFINITY;
  let high = Number.NEGATIVE_INFINITY;
  for (let i = 0; i < series.times.length; i++) {
    const value = series.values[i];
    if (
      value === null ||
      value === undefined ||
      series.times[i] + series.intervalMs <= scale.startMs ||
      series.times[i] >= scale.stopMs
    )
      continue;
    if (value < low) low = value;
    if (value > high) high = value;
  }
  return low <= high ? { low, high } : undefined;
}

/** Sums over bins of `binMs` that start at multiples of it after `originMs`; a bin without any value is null. */
export function sumBins(series: Series, originMs: number, binMs: number): Series {
  const sums = new Map<number, number>();
  for (let i = 0; i < series.times.length; i++) {
    const value = series.values[i];
    if (value === null || value === undefined) continue;
    const start = originMs + Math.floor((series.times[i] - originMs) / binMs) * binMs;
    sums.set(start, (sums.get(start) ?? 0) + value);
  }
  const times = [...sums.keys()].sort((a, b) => a - b);
  return { times, values: times.map((time) => sums.get(time)!), intervalMs: binMs };
}

/** The value of the bin that holds an instant; null where there is none. */
export function valueAt(series: Series, ms: number): number | null {
  let low = 0;
  let high = series.times.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (series.times[middle] <= ms) low = middle;
    else high = middle - 1;
  }
  const start = series.times[low];
  return start !== undefined && start <= ms && ms < start + series.intervalMs ? (series.values[low] ?? null) : null;
}
