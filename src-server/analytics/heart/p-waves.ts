/**
 * Whether beats follow a P wave. The atria of a sinus beat contract a nearly constant time before the ventricles, so the signal before
 * the QRS complex is alike from beat to beat; in atrial fibrillation it holds f waves, which bear no relation to the beats (Slocum,
 * Sahakian and Swiryn 1992; Hindricks et al. 2021: irregular intervals and no P waves that repeat). Only likeness is measured: neither
 * the form nor the height of a P wave, so polarity, gain and lead do not matter.
 */
import { BEAT_KIND_MASK, BEAT_NORMAL, BEAT_P_ABSENT, BEAT_P_PRESENT, BEAT_P_UNSURE } from './beats.ts';
import type { EcgBlock } from './segments.ts';

/** The signal compared: from 290 to 60 ms before the R peak, beyond the longest usual PR interval and up to the QRS complex. */
const FROM_SECONDS = 0.29;
const TO_SECONDS = 0.06;
/** P and f waves lie below 15 Hz (Stridh and Sornmo 2001), so points of 20 ms hold them. */
const POINT_SECONDS = 0.02;
const POINTS = Math.floor((FROM_SECONDS - TO_SECONDS) / POINT_SECONDS + 0.5);
/** Beats on either side that are compared with each other, and the least of them: as many as atrial fibrillation is judged by. */
const REACH = 15;
const LEAST_BEATS = 12;
/** All of them lie within so many beats: in trigeminy or between couplets, a third are normal. */
const REACH_OF_ALL = 3 * REACH;
/** Quality (see BlockBeats) from which a P wave would show: below it noise hides one. */
const CLEAR_QUALITY = 50;
/**
 * Mean correlation between the beats: the part of the signal that they share. Half of it is a wave that repeats; a quarter is what
 * the slope of a T wave or the beginning of the QRS complex leaves without one.
 */
const PRESENT_PART = 0.5;
const ABSENT_PART = 0.25;

/** Marks each beat of a block by the P waves of the normal beats around it; with too few of them it stays unmarked. */
export function markPWaves(
  block: EcgBlock,
  { positions, kinds, quality }: { positions: Float64Array; kinds: Uint8Array; quality: Float32Array },
): void {
  const usable = new Int32Array(positions.length);
  const waves = new Float32Array(positions.length * POINTS);
  let n = 0;
  for (let i = 0; i < positions.length; i++) {
    if ((kinds[i]! & BEAT_KIND_MASK) !== BEAT_NORMAL || quality[i]! < CLEAR_QUALITY) continue;
    if (waveBefore(block, positions[i]!, waves, n * POINTS)) usable[n++] = i;
  }
  const sum = new Float64Array(POINTS);
  let from = 0;
  let to = 0;
  for (let u = 0; u < n; u++) {
    const beat = usable[u]!;
    for (; to < n && to <= u + REACH && usable[to]! <= beat + REACH_OF_ALL; to++)
      for (let p = 0; p < POINTS; p++) sum[p]! += waves[to * POINTS + p]!;
    for (; from < u - REACH || usable[from]! < beat - REACH_OF_ALL; from++)
      for (let p = 0; p < POINTS; p++) sum[p]! -= waves[from * POINTS + p]!;
    const beats = to - from;
    if (beats < LEAST_BEATS) continue;
    let squares = 0;
    for (let p = 0; p < POINTS; p++) squares += sum[p]! * sum[p]!;
    // Of unit vectors the squared sum is their number, and twice the correlation of each pair.
    const likeness = (squares - beats) / (beats * (beats - 1));
    const mark = likeness >= PRESENT_PART ? BEAT_P_PRESENT : likeness < ABSENT_PART ? BEAT_P_ABSENT : BEAT_P_UNSURE;
    // Other beats take the mark of the usable one before.
    const stop = Math.min(beat + REACH, u + 1 < n ? usable[u + 1]! : positions.length, positions.length);
    for (let i = beat; i < stop; i++) kinds[i]! |= mark;
  }
}

/** Writes the signal before a beat, without its mean and slope and of norm 1; false where it is not all there, or flat. */
function waveBefore(
  { samples, stuck, count, rateHz }: EcgBlock,
  position: number,
  into: Float32Array,
  at: number,
): boolean {
  const width = Math.max(1, Math.round(POINT_SECONDS * rateHz));
  const first = Math.round(position - FROM_SECONDS * rateHz);
  if (first < 0 || first + POINTS * width > count || stuck[first] || stuck[first + POINTS * width - 1]) return false;
  const centre = (POINTS - 1) / 2;
  let mean = 0;
  let slope = 0;
  for (let p = 0, k = first; p < POINTS; p++) {
    let sum = 0;
    for (const stop = k + width; k < stop; k++) sum += samples[k]!;
    into[at + p] = sum / width;
    mean += sum / width / POINTS;
    slope += (p - centre) * (sum / width);
  }
  slope /= (POINTS * (POINTS * POINTS - 1)) / 12;
  let squares = 0;
  for (let p = 0; p < POINTS; p++) {
    into[at + p]! -= mean + slope * (p - centre);
    squares += into[at + p]! * into[at + p]!;
  }
  if (!(squares > 0)) return false;
  const scale = 1 / Math.sqrt(squares);
  for (let p = 0; p < POINTS; p++) into[at + p]! *= scale;
  return true;
}
