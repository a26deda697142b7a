/** Which ectopic beats arise in the ventricles, by shape and timing. */
import { medianInPlace } from '../median.ts';
import { BEAT_ARTEFACT, BEAT_KIND_MASK } from './beats.ts';
import type { BeatRow } from './rhythm.ts';

/** Beats on either side whose sinus intervals give the local one. */
const NEAR = 8;
/**
 * A beat of a somewhat other shape that comes on time and without a pause is as likely noise in the lead, or a complex that a
 * bundle branch conducts late. Early, or with a pause, is a tenth from the sinus interval: most of what breathing does to it.
 */
const EARLY_PART = 0.9;
const PAUSE_PART = 1.1;

/**
 * Returns 1 for ectopic beats that arise in the ventricles: of another shape, and early, followed by a pause or quite unlike the
 * prevailing one. Others of another shape are of unknown origin.
 *
 * @param ectopic 1 for ectopic beats by shape or timing
 * @param farShape 1 for those whose shape has little in common with the prevailing one
 */
export function ventricularBeats(
  { timesUs, afterGap, ectopicShape }: BeatRow,
  ectopic: Uint8Array,
  farShape: Uint8Array,
): Uint8Array {
  const n = timesUs.length;
  const ventricular = new Uint8Array(n);
  const near = new Float64Array(2 * NEAR + 1);
  const intervalAt = (i: number): number =>
    i > 0 && i < n && !afterGap[i] ? timesUs[i]! - timesUs[i - 1]! : Number.NaN;
  const sinusAround = (at: number): number => {
    let used = 0;
    for (let i = Math.max(1, at - NEAR); i <= Math.min(n - 1, at + NEAR); i++) {
      if (ectopic[i]) continue;
      // An ectopic beat and the pause after it take as long as two sinus intervals.
      const pair = ectopic[i - 1]
        ? i > 1 && !ectopic[i - 2]
          ? (intervalAt(i) + intervalAt(i - 1)) / 2
          : Number.NaN
        : intervalAt(i);
      if (pair > 0) near[used++] = pair;
    }
    return medianInPlace(near, used);
  };
  for (let i = 0; i < n; i++) {
    if (!ectopicShape[i]) continue;
    if (farShape[i]) {
      ventricular[i] = 1;
      continue;
    }
    const sinus = sinusAround(i);
    // Where no sinus interval is known, as in a run of them, the shape decides.
    const isOnTime = intervalAt(i) >= EARLY_PART * sinus && intervalAt(i + 1) <= PAUSE_PART * sinus;
    if (!isOnTime) ventricular[i] = 1;
  }
  return ventricular;
}

/** Mean quality (see BlockBeats) of the beats on either side from which the shape of one shows where it arises. */
const CLEAR_QUALITY = 50;
const CLEAR_REACH = 6;

/**
 * Whether the beats before and those after one are clear on average: single peaks of noise may stand out, and are of any shape.
 *
 * @param kinds of all beats, artefacts included, which count as quality 0
 */
export function clearBeats(kinds: Uint8Array, quality: ArrayLike<number>): (beat: number) => boolean {
  const sums = new Float64Array(kinds.length + 1);
  for (let i = 0; i < kinds.length; i++)
    sums[i + 1] = sums[i]! + ((kinds[i]! & BEAT_KIND_MASK) === BEAT_ARTEFACT ? 0 : quality[i]!);
  const isClear = (from: number, to: number): boolean => sums[to]! - sums[from]! >= CLEAR_QUALITY * (to - from);
  return (i) => isClear(Math.max(0, i - CLEAR_REACH), i + 1) && isClear(i, Math.min(kinds.length, i + CLEAR_REACH + 1));
}
