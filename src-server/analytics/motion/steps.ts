import { GRID_HZ } from './resample.ts';
import type { RhythmColumns } from './rhythm.ts';

/**
 * Steps: within stretches of gait rhythm each step is the strongest peak of the magnitude about one step period after the
 * last one. The rhythm decides how many there are (the windowed-autocorrelation family, which leads the comparison of
 * Brajdic and Harle 2013, UbiComp, for every phone placement), the peaks decide when.
 */
const LEAST_STRIDE_RHYTHM = 0.35;
/** A rhythm without movement at the step rate is no walk: a shuffle of the very old reaches 0.04 g. */
const LEAST_DEVIATION_G = 0.04;
/** A step may come this fraction of a period early or late. */
const TOLERANCE = 0.35;
/** A lone second or two of rhythm is chance, not gait: a bout of walking has at least three steps. */
const SHORTEST_BOUT_SECONDS = 3;

/** True when the second carries gait rhythm. */
export function isRhythmic(rhythm: RhythmColumns, deviation: Float32Array, second: number): boolean {
  return (
    rhythm.stepPeriod[second] > 0 &&
    rhythm.strideRhythm[second] >= LEAST_STRIDE_RHYTHM &&
    deviation[second] >= LEAST_DEVIATION_G
  );
}

/** Appends the step times (seconds from the start of the grid) of the gapless run [start, stop). */
export function findSteps(
  magnitude: Float32Array,
  start: number,
  stop: number,
  rhythm: RhythmColumns,
  deviation: Float32Array,
  into: number[],
): void {
  const firstSecond = Math.floor(start / GRID_HZ);
  const lastSecond = Math.ceil(stop / GRID_HZ);
  let second = firstSecond;
  while (second < lastSecond) {
    if (!isRhythmic(rhythm, deviation, second)) {
      second++;
      continue;
    }
    let end = second + 1;
    while (end < lastSecond && isRhythmic(rhythm, deviation, end)) end++;
    if (end - second >= SHORTEST_BOUT_SECONDS) {
      followPeaks(magnitude, Math.max(start, second * GRID_HZ), Math.min(stop, end * GRID_HZ), rhythm, into);
    }
    second = end;
  }
}

function followPeaks(
  magnitude: Float32Array,
  start: number,
  stop: number,
  rhythm: RhythmColumns,
  into: number[],
): void {
  const smooth = smoothed(magnitude, start, stop);
  const n = stop - start;
  const periodAt = (cell: number): number => rhythm.stepPeriod[Math.floor((start + cell) / GRID_HZ)] * GRID_HZ;
  let period = periodAt(0);
  let at = peakIn(smooth, 0, Math.min(n, Math.round(period)), -1, period);
  into.push((start + at) / GRID_HZ);
  for (;;) {
    period = periodAt(Math.min(n - 1, Math.round(at + period)));
    const from = Math.round(at + (1 - TOLERANCE) * period);
    const to = Math.round(at + (1 + TOLERANCE) * period) + 1;
    if (at + period > n) break;
    at = peakIn(smooth, from, Math.min(n, to), at + period, period);
    into.push((start + at) / GRID_HZ);
  }
}

/** Index of the best peak in [from, to): height less a cost for being off the expected place (none when -1). */
function peakIn(smooth: Float32Array, from: number, to: number, expected: number, period: number): number {
  let best = from;
  let bestValue = Number.NEGATIVE_INFINITY;
  for (let i = from; i < to; i++) {
    const off = expected < 0 ? 0 : (i - expected) / period;
    const value = smooth[i] - OFF_BEAT_COST_G * off * off;
    if (value > bestValue) {
      bestValue = value;
      best = i;
    }
  }
  return best;
}

/** Cost in g of a step a whole period off its beat: the size of a clear step peak. */
const OFF_BEAT_COST_G = 1;

/** Moving mean over 0.17 s, which leaves one hump per step. */
function smoothed(values: Float32Array, start: number, stop: number): Float32Array {
  const out = new Float32Array(stop - start);
  for (let i = 0; i < out.length; i++) {
    let sum = 0;
    let n = 0;
    for (let j = Math.max(0, i - 2); j <= Math.min(out.length - 1, i + 2); j++) {
      sum += values[start + j];
      n++;
    }
    out[i] = sum / n;
  }
  return out;
}
