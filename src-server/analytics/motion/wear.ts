/** Wear detection per second of one sensor. */

import { DEFAULT_ANALYSIS_PARAMETERS, type NonWearId } from '../../vocabulary/analysis-parameters.ts';
import { QUARTER_EPOCHS } from '../epochs/extract.ts';
import { choiNonWear, troianoNonWear, vanHeesOff } from '../epochs/non-wear.ts';
import type { EpochSource } from '../epochs/types.ts';
import type { BodySite, EcgFeatures, MotionFeatures, MotionSegment } from '../types.ts';
import { verticalAxis } from './vertical-axis.ts';

/**
 * Wear after van Hees et al. 2013 (PLoS ONE 8:e61691): in sliding windows of 60 minutes, moved by 15, a sensor is off when two of
 * three axes have an SD below 13 mg or a range below 50 mg. Adapted to patches: an ECG that shows a heartbeat and a trunk
 * that shows breathing are worn, however still; a thigh can be still for an hour in deep sleep, so alone it needs three.
 */
const WINDOW_SECONDS = 3600;
export const MOVE_SECONDS = 900;
const STILL_SD_G = 0.013;
const STILL_RANGE_G = 0.05;
/**
 * Breathing tips a trunk by half a degree or more, so the mean of a second changes by 3 mg (RMS) or more from second to second;
 * the 6 mg noise of a sensor on a table changes it by 1.5 mg.
 */
const BREATHING_CHANGE_G = 0.003;
export const LIMB_ALONE_SECONDS = 3 * 3600;
/** Part of a still window that must show a heartbeat for the patch to count as worn, and the quality that shows one. */
const HEART_SHARE = 0.2;
const HEART_QUALITY = 30;
/** Shorter windows for a patch whose ECG records but shows no heartbeat, and which shows neither movement nor breathing. */
const PATCH_WINDOW_SECONDS = 300;
const PATCH_MOVE_SECONDS = 60;

const ON = 1;
export const OFF = 0;
/** A limb sensor that is still for an hour: off if the trunk sensor is off too, else worn in deep sleep. */
export const DOUBTFUL = 2;

/** Wear state per second of each segment of one sensor: ON, OFF or DOUBTFUL. */
export function wearOfSensor(
  features: MotionFeatures,
  ecg: EcgFeatures[],
  nonWear: NonWearId = DEFAULT_ANALYSIS_PARAMETERS.nonWear,
): Uint8Array[] {
  const { site, epochs } = features;
  if ((site === 'wrist' || site === 'waist') && epochs)
    return nonWear === 'van-hees-2013' ? wearByAcceleration(features, epochs) : wearByCounts(features, nonWear);
  return features.segments.map((segment) => wearOfSegment(segment, features.site, ecg));
}

/** Wear by the published rule on the samples themselves, in quarters of an hour of UTC: for sites without further signs of a body. */
function wearByAcceleration({ segments }: MotionFeatures, epochs: EpochSource): Uint8Array[] {
  const first = segments[0];
  const last = segments.at(-1);
  if (!first || !last) return [];
  // An hour on both sides, so that the windows over the ends are whole.
  const firstQuarter = Math.floor(first.startSecond / MOVE_SECONDS) - WINDOW_SECONDS / MOVE_SECONDS;
  const stopQuarter = Math.ceil((last.startSecond + last.count + WINDOW_SECONDS) / MOVE_SECONDS);
  const off = vanHeesOff(epochs.read(firstQuarter * QUARTER_EPOCHS, stopQuarter * QUARTER_EPOCHS).quarters);
  return segments.map(({ startSecond, count }) =>
    Uint8Array.from({ length: count }, (_, row) =>
      off[Math.floor((startSecond + row) / MOVE_SECONDS) - firstQuarter] === 1 ? OFF : ON,
    ),
  );
}

/** A minute with fewer seconds of samples has no count. */
const LEAST_MINUTE_SECONDS = 54;

/**
 * Wear by counts per minute: Choi's rule on the vector magnitude of the axes (Choi et al. 2012, Med Sci Sports Exerc 44:2009), that of
 * Troiano, whose limit of 100 counts is of a device with one axis, on the vertical one.
 */
function wearByCounts({ segments }: MotionFeatures, nonWear: Exclude<NonWearId, 'van-hees-2013'>): Uint8Array[] {
  const first = segments[0];
  const last = segments.at(-1);
  if (!first || !last) return [];
  const firstMinute = Math.floor(first.startSecond / 60);
  const minutes = Math.ceil((last.startSecond + last.count) / 60) - firstMinute;
  const vertical = nonWear === 'troiano-2008' ? verticalAxis({ segments }) : null;
  const sums = new Float64Array(3 * minutes);
  const seconds = new Uint8Array(minutes);
  for (const { startSecond, count, columns } of segments) {
    for (let row = 0; row < count; row++) {
      if (columns.coverage[row]! < 50) continue;
      const minute = Math.floor((startSecond + row) / 60) - firstMinute;
      if (vertical) sums[3 * minute]! += columns[vertical][row]!;
      else {
        sums[3 * minute]! += columns.countsX[row]!;
        sums[3 * minute + 1]! += columns.countsY[row]!;
        sums[3 * minute + 2]! += columns.countsZ[row]!;
      }
      seconds[minute]!++;
    }
  }
  const counts = Float64Array.from(seconds, (n, i) =>
    n < LEAST_MINUTE_SECONDS ? Number.NaN : Math.hypot(sums[3 * i]!, sums[3 * i + 1]!, sums[3 * i + 2]!),
  );
  const off = new Uint8Array(minutes);
  const found = nonWear === 'choi-2011' ? choiNonWear(counts) : troianoNonWear(counts);
  for (const [start, stop] of found) off.fill(1, start, stop);
  return segments.map(({ startSecond, count }) =>
    Uint8Array.from({ length: count }, (_, row) =>
      off[Math.floor((startSecond + row) / 60) - firstMinute] === 1 ? OFF : ON,
    ),
  );
}

function wearOfSegment(segment: MotionSegment, site: BodySite, ecg: EcgFeatures[]): Uint8Array {
  const { count, startSecond } = segment;
  const wear = new Uint8Array(count).fill(ON);
  const spans = describeSpans(segment);
  const trunk = site === 'chest' || site === 'back';
  for (let start = 0; start + WINDOW_SECONDS <= count; start += MOVE_SECONDS) {
    if (!isStill(spans, start, start + WINDOW_SECONDS)) continue;
    if (trunk && breathes(segment, start, start + WINDOW_SECONDS)) continue;
    if (site === 'chest' && heartSeen(ecg, startSecond + start, WINDOW_SECONDS).share >= HEART_SHARE) continue;
    wear.fill(trunk ? OFF : DOUBTFUL, start, start + WINDOW_SECONDS);
  }
  if (site === 'chest' && ecg.length > 0) markPatchOff(segment, ecg, wear);
  if (trunk) return wear;
  for (let start = 0; start + LIMB_ALONE_SECONDS <= count; start += MOVE_SECONDS) {
    const stop = start + LIMB_ALONE_SECONDS;
    if (isStill(spans, start, stop)) wear.fill(OFF, start, stop);
  }
  return wear;
}

/** Marks a chest patch off where none of its signals shows a body. */
function markPatchOff(segment: MotionSegment, ecg: EcgFeatures[], wear: Uint8Array): void {
  const { count, startSecond } = segment;
  for (let start = 0; start + PATCH_WINDOW_SECONDS <= count; start += PATCH_MOVE_SECONDS) {
    const heart = heartSeen(ecg, startSecond + start, PATCH_WINDOW_SECONDS);
    if (heart.covered < PATCH_WINDOW_SECONDS / 2 || heart.share >= HEART_SHARE) continue;
    const stop = start + PATCH_WINDOW_SECONDS;
    if (isMotionless(segment, start, stop) && !breathes(segment, start, stop)) wear.fill(OFF, start, stop);
  }
}

/** Whether every axis has an SD below 13 mg in [start, stop), as on a table. */
function isMotionless({ columns }: MotionSegment, start: number, stop: number): boolean {
  return (['X', 'Y', 'Z'] as const).every((axis) => {
    const mean = columns[`mean${axis}` as const];
    const sd = columns[`sd${axis}` as const];
    let sum = 0;
    let squares = 0;
    let n = 0;
    for (let row = start; row < stop; row++) {
      if (columns.coverage[row] === 0) continue;
      sum += mean[row]!;
      squares += mean[row]! * mean[row]! + sd[row]! * sd[row]!;
      n++;
    }
    return n * 2 >= stop - start && squares / n - (sum / n) ** 2 < STILL_SD_G * STILL_SD_G;
  });
}

/** Sums of one axis per `MOVE_SECONDS` of a segment, from which the windows are assembled. */
interface AxisSpans {
  sum: Float64Array;
  sumSquares: Float64Array;
  low: Float64Array;
  high: Float64Array;
  seconds: Int32Array;
}

function describeSpans({ columns, count }: MotionSegment): AxisSpans[] {
  const { coverage, meanX, meanY, meanZ, sdX, sdY, sdZ } = columns;
  const n = Math.floor(count / MOVE_SECONDS);
  return [
    describeAxis(n, coverage, meanX, sdX),
    describeAxis(n, coverage, meanY, sdY),
    describeAxis(n, coverage, meanZ, sdZ),
  ];
}

function describeAxis(
  n: number,
  covered: ArrayLike<number>,
  mean: ArrayLike<number>,
  sd: ArrayLike<number>,
): AxisSpans {
  const spans: AxisSpans = {
    sum: new Float64Array(n),
    sumSquares: new Float64Array(n),
    low: new Float64Array(n),
    high: new Float64Array(n),
    seconds: new Int32Array(n),
  };
  for (let k = 0; k < n; k++) describeSpan(k, covered, mean, sd, spans);
  return spans;
}

function describeSpan(
  k: number,
  covered: ArrayLike<number>,
  mean: ArrayLike<number>,
  sd: ArrayLike<number>,
  into: AxisSpans,
): void {
  let sum = 0;
  let sumSquares = 0;
  let low = Number.POSITIVE_INFINITY;
  let high = Number.NEGATIVE_INFINITY;
  let seconds = 0;
  for (let row = k * MOVE_SECONDS; row < (k + 1) * MOVE_SECONDS; row++) {
    if (covered[row] === 0) continue;
    const level = mean[row]!;
    sum += level;
    sumSquares += level * level + sd[row]! * sd[row]!;
    if (level < low) low = level;
    if (level > high) high = level;
    seconds++;
  }
  into.sum[k] = sum;
  into.sumSquares[k] = sumSquares;
  into.low[k] = low;
  into.high[k] = high;
  into.seconds[k] = seconds;
}

/** Whether two axes are still in [start, stop), both whole spans of `MOVE_SECONDS`. */
function isStill(axes: AxisSpans[], start: number, stop: number): boolean {
  let still = 0;
  for (const spans of axes) {
    let sum = 0;
    let sumSquares = 0;
    let low = Number.POSITIVE_INFINITY;
    let high = Number.NEGATIVE_INFINITY;
    let n = 0;
    for (let k = start / MOVE_SECONDS; k < stop / MOVE_SECONDS; k++) {
      sum += spans.sum[k]!;
      sumSquares += spans.sumSquares[k]!;
      low = Math.min(low, spans.low[k]!);
      high = Math.max(high, spans.high[k]!);
      n += spans.seconds[k]!;
    }
    if (n < (stop - start) / 2) return false;
    const variance = sumSquares / n - (sum / n) * (sum / n);
    if (variance < STILL_SD_G * STILL_SD_G || high - low < STILL_RANGE_G) still++;
  }
  return still >= 2;
}

/** Whether most minutes of the window show breathing: means per second that oscillate on some axis. */
function breathes({ columns }: MotionSegment, start: number, stop: number): boolean {
  let minutes = 0;
  let breathing = 0;
  for (let minute = start; minute + 60 <= stop; minute += 60) {
    minutes++;
    for (const name of ['meanX', 'meanY', 'meanZ'] as const) {
      const mean = columns[name];
      let swing = 0;
      let n = 0;
      for (let row = minute + 1; row < minute + 60; row++) {
        if (columns.coverage[row] === 0 || columns.coverage[row - 1] === 0) continue;
        const change = mean[row]! - mean[row - 1]!;
        swing += change * change;
        n++;
      }
      if (n > 30 && swing / n > BREATHING_CHANGE_G * BREATHING_CHANGE_G) {
        breathing++;
        break;
      }
    }
  }
  return breathing * 2 > minutes;
}

/** Seconds of [fromSecond, fromSecond + count) that an ECG covers, and the part of them with a heartbeat. */
function heartSeen(ecg: EcgFeatures[], fromSecond: number, count: number): { covered: number; share: number } {
  let covered = 0;
  let seen = 0;
  for (const { seconds } of ecg) {
    const { quality } = seconds.columns;
    const from = Math.max(0, fromSecond - seconds.startSecond);
    const to = Math.min(seconds.count, fromSecond + count - seconds.startSecond);
    covered += Math.max(0, to - from);
    for (let row = from; row < to; row++) if (quality[row]! >= HEART_QUALITY) seen++;
  }
  return { covered, share: covered > 0 ? seen / covered : 0 };
}
