/** Caliper measurements and snapping, computed from samples and beats, never from pixels. Pure. */
import type { Beat } from '../../../../src-server/api/contract/index.ts';
import type { ChannelSamples } from './samples.ts';

export interface Calipers {
  startMs: number | null;
  stopMs: number | null;
}

/** The horizontal pair of calipers, in millivolts of the lead. */
export interface Levels {
  fromMv: number | null;
  toMv: number | null;
}

/** Returns the difference between two levels, mV; null unless both are set. */
export const heightOf = ({ fromMv, toMv }: Levels): number | null =>
  fromMv === null || toMv === null ? null : Math.abs(toMv - fromMv);

export interface Interval {
  startMs: number;
  stopMs: number;
  durationMs: number;
  /** Beats per minute at this interval. */
  perMinute: number;
  /** Value at the later instant minus value at the earlier one, mV; undefined where a sample is missing. */
  differenceMv: number | undefined;
}

/** Returns the index of the first time at or after `ms` (binary search). */
export function firstAtOrAfter(timesMs: Float64Array, ms: number): number {
  let low = 0;
  let high = timesMs.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (timesMs[middle]! < ms) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Returns the value of the nearest sample within two sampling periods; undefined in a gap. */
export function valueAt(runs: readonly ChannelSamples[], dimension: number, ms: number): number | undefined {
  let best: number | undefined;
  let distance = Number.POSITIVE_INFINITY;
  for (const { timesMs, values, periodMs } of runs) {
    const after = firstAtOrAfter(timesMs, ms);
    for (const i of [after - 1, after]) {
      if (i < 0 || i >= timesMs.length) continue;
      const gap = Math.abs(timesMs[i]! - ms);
      if (gap < distance && gap <= 2 * periodMs) {
        distance = gap;
        best = values[dimension]![i];
      }
    }
  }
  return best;
}

/** Returns the span between two calipers in time order; null unless both are set at different instants. */
export function spanOf({ startMs, stopMs }: Calipers): { startMs: number; stopMs: number; durationMs: number } | null {
  if (startMs === null || stopMs === null || startMs === stopMs) return null;
  const [from, to] = startMs < stopMs ? [startMs, stopMs] : [stopMs, startMs];
  return { startMs: from, stopMs: to, durationMs: to - from };
}

/** Measures the span between two calipers; null unless both are set at different instants. */
export function intervalOf(calipers: Calipers, valueMvAt: (ms: number) => number | undefined): Interval | null {
  const span = spanOf(calipers);
  if (!span) return null;
  const [from, to] = [valueMvAt(span.startMs), valueMvAt(span.stopMs)];
  return {
    ...span,
    perMinute: 60_000 / span.durationMs,
    differenceMv: from === undefined || to === undefined ? undefined : to - from,
  };
}

/** Instants at which an interval repeats between `fromMs` and `toMs`; none at all where there would be more than `limit`. */
export function marchTimes(
  interval: Pick<Interval, 'startMs' | 'durationMs'>,
  fromMs: number,
  toMs: number,
  limit = 400,
): number[] {
  const first = Math.ceil((fromMs - interval.startMs) / interval.durationMs);
  const last = Math.floor((toMs - interval.startMs) / interval.durationMs);
  if (last - first >= limit) return [];
  return Array.from(
    { length: Math.max(0, last - first + 1) },
    (_, i) => interval.startMs + (first + i) * interval.durationMs,
  );
}

/**
 * Returns the R peak nearest to an instant within reach, or else the sample within reach that differs most from the local
 * mean; null when there is neither.
 */
export function snapPoint(
  ms: number,
  reachMs: number,
  beats: readonly Beat[],
  runs: readonly ChannelSamples[],
): { ms: number; to: 'beat' | 'extreme' } | null {
  let nearest: number | null = null;
  for (const { timeUs } of beats) {
    const at = timeUs / 1000;
    if (Math.abs(at - ms) <= reachMs && (nearest === null || Math.abs(at - ms) < Math.abs(nearest - ms))) nearest = at;
  }
  if (nearest !== null) return { ms: nearest, to: 'beat' };
  let sum = 0;
  const inReach: [number, number][] = [];
  for (const { timesMs, values } of runs) {
    for (let i = firstAtOrAfter(timesMs, ms - reachMs); i < timesMs.length && timesMs[i]! <= ms + reachMs; i++) {
      inReach.push([timesMs[i]!, values[0]![i]!]);
      sum += values[0]![i]!;
    }
  }
  if (inReach.length === 0) return null;
  const mean = sum / inReach.length;
  const [at] = inReach.reduce((best, sample) =>
    Math.abs(sample[1] - mean) > Math.abs(best[1] - mean) ? sample : best,
  );
  return { ms: at, to: 'extreme' };
}

/** Heart rate between the two beats around an instant, per minute; undefined without two beats, or across a gap. */
export function rateAround(beats: readonly Beat[], ms: number): number | undefined {
  const after = beats.findIndex(({ timeUs }) => timeUs / 1000 > ms);
  const [previous, next] = [beats[after - 1], beats[after]];
  if (!previous || !next || next.isAfterBreak) return undefined;
  return 60e6 / (next.timeUs - previous.timeUs);
}
