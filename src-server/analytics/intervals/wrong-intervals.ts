/**
 * Intervals of a device that are not intervals between two heartbeats: a beat counted twice, a beat missed. A strap gives no
 * signal by which to tell, so the rule is that of the intervals alone (Lipponen and Tarvainen 2019: extra and missed beats).
 */
import { Rhythm } from '../heart/rhythm.ts';

/** Threshold of interval changes in medians of the local ones: 3.5 SD of normal values (Lipponen and Tarvainen). */
const OUTSTANDING = 5.2;
/** A sinus interval changes by this part of itself from beat to beat even where the local spread is small (Malik 1989: 20 %). */
const LEAST_CHANGE = 0.2;
/** Both parts of a split interval are shorter than this part of a whole one. */
const SPLIT_PART = 0.75;
/** An interval with a beat missing lasts at least this many times a whole one; two whole ones vary together by no more. */
const MISSED_PART = 1.75;
/** An interval shorter than this part of the usual one is premature: the pause after it is its compensation. */
const PREMATURE_PART = 0.8;

export interface WrongIntervals {
  /** 1 for a beat between the two parts of one interval. */
  extra: Uint8Array;
  /** 1 for a beat whose interval spans one that was missed. */
  missed: Uint8Array;
}

/**
 * @param interval length of the interval that ends at each beat, any unit; NaN where none does
 * @param premature 1 for beats known to be premature, which say nothing about the spread of the others
 */
export function wrongIntervals(interval: Float64Array, premature: Uint8Array): WrongIntervals {
  const n = interval.length;
  const extra = new Uint8Array(n);
  const missed = new Uint8Array(n);
  const { median, limits } = new Rhythm(interval, premature, OUTSTANDING);
  for (let i = 0; i < n; i++) {
    const usual = median[i]!;
    const own = interval[i]!;
    if (!(usual > 0) || !(own > 0)) continue;
    const limit = Math.max(limits[i]!, LEAST_CHANGE * usual);
    const next = i + 1 < n ? interval[i + 1]! : Number.NaN;
    const isSplit = own < SPLIT_PART * usual && next < SPLIT_PART * usual && usual - own > Math.min(limit, usual / 2);
    if (isSplit && Math.abs(own + next - usual) < limit && extra[i - 1] !== 1) {
      extra[i] = 1;
      continue;
    }
    const before = i > 0 ? interval[i - 1]! : Number.NaN;
    const isCompensation = before < PREMATURE_PART * usual && extra[i - 1] !== 1;
    if (own > MISSED_PART * usual && own - usual > limit && !isCompensation) missed[i] = 1;
  }
  return { extra, missed };
}
