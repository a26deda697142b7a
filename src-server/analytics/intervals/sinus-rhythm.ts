/**
 * Which beats are of the sinus node by their intervals alone. An ECG shows an ectopic beat by its shape; here a premature beat
 * with its pause must show it, and where even the other intervals vary as in atrial fibrillation, none is taken as normal.
 */
import { Rhythm } from '../heart/rhythm.ts';
import { medianInPlace } from '../median.ts';

/** Beats on either side whose pairs of intervals give the local sinus interval. */
const NEAR = 8;
const LEAST_PAIRS = 4;
/**
 * A premature beat comes this part of the sinus interval early, its pause lasts longer than one, and the two differ by more than
 * breathing makes successive intervals differ.
 */
const EARLY_PART = 0.85;
const PAUSE_PART = 1.1;
const APART_PART = 0.3;
/**
 * Median change of successive intervals, as a part of the interval, from which the rhythm is not sinus: 0.1 is an RMSSD of 0.15
 * intervals. Atrial fibrillation lies above (Dash et al. 2009 separate it at 0.1 to 0.12), respiratory arrhythmia below.
 */
const IRREGULAR_PART = 0.1;

/**
 * A change between two intervals of over 5.2 medians of the changes around (3.5 SD) is none of the sinus node (Lipponen and
 * Tarvainen 2019), unless it is small in itself, or a pause without a beat that came early: the sinus node does pause. Those found
 * in one pass no longer widen the spread for the next.
 */
const OUTSTANDING = 5.2;
const LEAST_CHANGE = 0.1;
const LEAST_EARLY_PART = 0.9;
const PASSES = 3;
/** Beats on either side, two to five minutes in all, and the part of their intervals that may be left out. */
const AROUND = 150;
const MOST_LEFT_OUT = 1 / 3;

/**
 * Marks premature beats: a short interval and a long one around the local sinus interval. That interval is the median of half the
 * sums of two successive ones, which is the same in sinus rhythm, bigeminy and trigeminy.
 *
 * @param interval of each beat, any unit; NaN where none ends
 */
export function prematureByPause(interval: ArrayLike<number>): Uint8Array {
  const n = interval.length;
  const premature = new Uint8Array(n);
  const pairs = new Float64Array(2 * NEAR + 1);
  for (let i = 0; i + 1 < n; i++) {
    const own = interval[i]!;
    const next = interval[i + 1]!;
    if (!(next - own > 0)) continue;
    let used = 0;
    for (let k = Math.max(0, i - NEAR); k <= Math.min(n - 2, i + NEAR); k++) {
      const sum = interval[k]! + interval[k + 1]!;
      if (sum > 0) pairs[used++] = sum / 2;
    }
    if (used < LEAST_PAIRS) continue;
    const sinus = medianInPlace(pairs, used);
    if (own < EARLY_PART * sinus && next > PAUSE_PART * sinus && next - own > APART_PART * sinus) premature[i] = 1;
  }
  return premature;
}

/**
 * Marks the beats that variability must leave out: ectopic ones, those among intervals that vary too much for a sinus rhythm, and
 * all where most of the intervals around are left out already.
 */
export function unfitBeats(interval: Float64Array, ectopic: Uint8Array): Uint8Array {
  const n = interval.length;
  const found = Uint8Array.from(ectopic);
  for (let pass = 0; pass < PASSES; pass++) {
    const { median, limits } = new Rhythm(interval, found, OUTSTANDING);
    for (let i = 2; i < n; i++) {
      if (found[i] || found[i - 1] || found[i - 2]) continue;
      const change = Math.abs(interval[i]! - interval[i - 1]!);
      const isEarly = Math.min(interval[i]!, interval[i - 1]!) < LEAST_EARLY_PART * median[i]!;
      if (isEarly && change > Math.max(limits[i]!, LEAST_CHANGE * median[i]!)) found[i - 1] = 1;
    }
  }
  const { median, limits } = new Rhythm(interval, found, 1, 0);
  const unfit = Uint8Array.from(found, (one, i) => (one || limits[i]! > IRREGULAR_PART * median[i]! ? 1 : 0));
  // Left out of the first `i` beats.
  const leftOut = new Uint32Array(n + 1);
  for (let i = 0; i < n; i++) leftOut[i + 1] = leftOut[i]! + (unfit[i] || unfit[i - 1] ? 1 : 0);
  return unfit.map((one, i) => {
    const from = Math.max(0, i - AROUND);
    const to = Math.min(n, i + AROUND + 1);
    return one || leftOut[to]! - leftOut[from]! > MOST_LEFT_OUT * (to - from) ? 1 : 0;
  });
}
