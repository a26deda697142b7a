/** Where ectopic beats arise, in the ventricles or above them, by shape and timing. */
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
 * More beats of another shape in a row than a salvo has (three to five), at the pace of the sinus beats around: the lead has changed, or
 * a bundle branch conducts late. A run of ventricular beats is faster.
 */
const LEAST_RUN = 6;
/** Beats on either side of a run among which its sinus intervals are looked for. */
const FAR = 4 * NEAR;

/** Where an ectopic beat arises, as far as its shape and timing show. */
export const ORIGIN_UNKNOWN = 0;
export const ORIGIN_VENTRICULAR = 1;
/** Of the shape alone: on time and without a pause. */
export const ORIGIN_VENTRICULAR_BY_SHAPE = 2;
export const ORIGIN_SUPRAVENTRICULAR = 3;

/**
 * Returns the origin of each ectopic beat. Ventricular: of another shape, and early, followed by a pause or quite unlike the prevailing
 * one. Supraventricular: of the prevailing shape, since the ventricles are excited on the usual path, and early. Others are of unknown
 * origin.
 *
 * @param ectopic 1 for ectopic beats by shape or timing
 * @param farShape 1 for those whose shape has little in common with the prevailing one
 */
export function originsOf(
  { timesUs, afterGap, ectopicShape }: BeatRow,
  ectopic: Uint8Array,
  farShape: Uint8Array,
): Uint8Array {
  const n = timesUs.length;
  const origins = new Uint8Array(n);
  const near = new Float64Array(2 * NEAR + 1);
  const intervalAt = (i: number): number =>
    i > 0 && i < n && !afterGap[i] ? timesUs[i]! - timesUs[i - 1]! : Number.NaN;
  /** NaN at an ectopic beat; such a beat and the pause after it take as long as two sinus intervals. */
  const sinusAt = (i: number): number => {
    if (ectopic[i]) return Number.NaN;
    if (!ectopic[i - 1]) return intervalAt(i);
    return i > 1 && !ectopic[i - 2] ? (intervalAt(i) + intervalAt(i - 1)) / 2 : Number.NaN;
  };
  const sinusAround = (at: number): number => {
    let used = 0;
    for (let i = Math.max(1, at - NEAR); i <= Math.min(n - 1, at + NEAR); i++) {
      const sinus = sinusAt(i);
      if (sinus > 0) near[used++] = sinus;
    }
    return used > 0 ? medianInPlace(near, used) : Number.NaN;
  };
  const sinusBeside = (first: number, stop: number): number => {
    let used = 0;
    for (let i = first - 1; i > Math.max(0, first - FAR) && used < NEAR; i--)
      if (sinusAt(i) > 0) near[used++] = sinusAt(i);
    const before = used;
    for (let i = stop; i < Math.min(n, stop + FAR) && used < before + NEAR; i++)
      if (sinusAt(i) > 0) near[used++] = sinusAt(i);
    return used > 0 ? medianInPlace(near, used) : Number.NaN;
  };
  const isPaced = new Uint8Array(n);
  for (let first = 0; first < n; ) {
    let stop = first;
    // A gap ends the run: with it inside, the fastest run would look slow.
    while (stop < n && ectopicShape[stop] && (stop === first || !afterGap[stop])) stop++;
    const last = stop - 1;
    if (last - first + 1 >= LEAST_RUN) {
      const pace = (timesUs[last]! - timesUs[first]!) / (last - first);
      if (pace >= EARLY_PART * sinusBeside(first, stop)) isPaced.fill(1, first, stop);
    }
    first = Math.max(stop, first + 1);
  }
  for (let i = 0; i < n; i++) {
    if (!ectopic[i]) continue;
    const own = intervalAt(i);
    const sinus = sinusAround(i);
    if (!ectopicShape[i]) {
      // In a long run, the sinus interval is that before and after it.
      if (own < EARLY_PART * (sinus > 0 ? sinus : sinusBeside(i, i + 1))) origins[i] = ORIGIN_SUPRAVENTRICULAR;
      continue;
    }
    if (isPaced[i]) continue;
    // Where no sinus interval is known, as in a run of them, the shape decides.
    const isOnTime = own >= EARLY_PART * sinus && intervalAt(i + 1) <= PAUSE_PART * sinus;
    if (!isOnTime) origins[i] = ORIGIN_VENTRICULAR;
    else if (farShape[i]) origins[i] = ORIGIN_VENTRICULAR_BY_SHAPE;
  }
  return origins;
}

/** Quality (see BlockBeats) of a beat, and on average of those on either side, from which its shape shows where it arises. */
const CLEAR_QUALITY = 50;
const CLEAR_REACH = 6;

/**
 * Whether a beat is clear, and those before and those after it on average: single peaks of noise may stand out, and are of any shape.
 *
 * @param kinds of all beats, artefacts included, which count as quality 0
 */
export function clearBeats(kinds: Uint8Array, quality: ArrayLike<number>): (beat: number) => boolean {
  const sums = new Float64Array(kinds.length + 1);
  for (let i = 0; i < kinds.length; i++)
    sums[i + 1] = sums[i]! + ((kinds[i]! & BEAT_KIND_MASK) === BEAT_ARTEFACT ? 0 : quality[i]!);
  const isClear = (from: number, to: number): boolean => sums[to]! - sums[from]! >= CLEAR_QUALITY * (to - from);
  return (i) =>
    quality[i]! >= CLEAR_QUALITY &&
    isClear(Math.max(0, i - CLEAR_REACH), i + 1) &&
    isClear(i, Math.min(kinds.length, i + CLEAR_REACH + 1));
}
