/** Frequency-domain HRV by the Lomb-Scargle periodogram, which needs no resampling of the uneven beat intervals. */
import type { IntervalSeries } from './intervals.ts';

/**
 * Bands of the Task Force (Circulation 1996;93:1043): LF 0.04 to 0.15 Hz, HF 0.15 to 0.40 Hz; total power up to 0.40 Hz, from the
 * slowest oscillation that five minutes hold.
 */
const LF_FROM_HZ = 0.04;
const HF_FROM_HZ = 0.15;
const HF_TO_HZ = 0.4;
/** Five minutes, the Task Force's standard for short-term recordings, and the frequency resolution that they give. */
const WINDOW_MINUTES = 5;
const STEP_HZ = 1 / 300;
const FREQUENCIES = Math.floor(HF_TO_HZ / STEP_HZ + 1e-9);
/** Index of the first frequency of a band; index 0 is the frequency `STEP_HZ`. */
const firstFrom = (hz: number): number => Math.ceil((hz - 1e-9) / STEP_HZ) - 1;
const LF_FROM = firstFrom(LF_FROM_HZ);
const HF_FROM = firstFrom(HF_FROM_HZ);
/** Normal intervals must cover this part of the five minutes. */
export const MIN_COVERAGE = 0.8;
/** Sums per minute and frequency: x cos, x sin, cos, sin, cos of twice and sin of twice the phase. */
const SUMS = 6;

/** Powers per minute of a span, ms^2, each over the five minutes around its minute; NaN where normal intervals are too few. */
export interface BandPowers {
  low: Float32Array;
  high: Float32Array;
  total: Float32Array;
}

/**
 * Returns the powers of the five minutes around each minute of a span, by the Lomb-Scargle periodogram of the normal intervals at
 * their beat times (Lomb 1976, Scargle 1982; for heart rate Laguna 1998, without interpolation Clifford and Tarassenko 2005).
 * NaN where normal intervals cover less than 80 % of the five minutes.
 *
 * @returns one value per minute; minute m is the seconds 60 m to 60 m + 59 of the span
 */
export function bandPowersPerMinute(series: IntervalSeries, startSecond: number, minutes: number): BandPowers {
  const unknown = (): Float32Array => new Float32Array(minutes).fill(Number.NaN);
  const result: BandPowers = { low: unknown(), high: unknown(), total: unknown() };
  if (series.endUs.length === 0) return result;
  const sums = new Float64Array(minutes * FREQUENCIES * SUMS);
  const totals = new Float64Array(minutes * 2);
  addBeats(series, startSecond, minutes, sums, totals);
  const window = new Float64Array(FREQUENCIES * SUMS);
  const half = WINDOW_MINUTES >> 1;
  for (let m = half; m + half < minutes; m++) {
    let beats = 0;
    let sumMs = 0;
    for (let k = m - half; k <= m + half; k++) {
      beats += totals[2 * k]!;
      sumMs += totals[2 * k + 1]!;
    }
    if (sumMs < MIN_COVERAGE * WINDOW_MINUTES * 60_000) continue;
    addMinutes(sums, m - half, window);
    const mean = sumMs / beats;
    const lowest = powerOf(window, 0, LF_FROM, beats, mean);
    const low = powerOf(window, LF_FROM, HF_FROM, beats, mean);
    const high = powerOf(window, HF_FROM, FREQUENCIES, beats, mean);
    // A sine of amplitude A has the periodogram N A^2 / 4 at its frequency and the variance A^2 / 2.
    const ms2 = 2 / beats;
    result.low[m] = ms2 * low;
    result.high[m] = ms2 * high;
    result.total[m] = ms2 * (lowest + low + high);
  }
  return result;
}

/** Fills `window` with the sums of `WINDOW_MINUTES` from a minute on, added in order of time. */
function addMinutes(sums: Float64Array, firstMinute: number, window: Float64Array): void {
  const { length } = window;
  let a = firstMinute * length;
  let b = a + length;
  let c = b + length;
  let d = c + length;
  let e = d + length;
  for (let i = 0; i < length; i++) window[i] = 0 + sums[a++]! + sums[b++]! + sums[c++]! + sums[d++]! + sums[e++]!;
}

/** Power of the frequencies [from, to). */
function powerOf(window: Float64Array, from: number, to: number, beats: number, mean: number): number {
  let power = 0;
  for (let f = from; f < to; f++) power += lombPower(window, f * SUMS, beats, mean);
  return power;
}

/** LF/HF per minute; NaN where there are no powers. */
export const lfHfOf = ({ low, high }: BandPowers): Float32Array =>
  low.map((power, m) => (high[m]! > 0 ? power / high[m]! : Number.NaN));

/** Accumulates the periodogram sums per minute and frequency; being additive, they serve every window that holds the minute. */
function addBeats(
  series: IntervalSeries,
  startSecond: number,
  minutes: number,
  sums: Float64Array,
  totals: Float64Array,
): void {
  let pending = -1;
  let pendingMinute = -1;
  for (let i = 0; i < series.endUs.length; i++) {
    if (!series.normal[i]) continue;
    const minute = Math.floor((series.endUs[i]! / 1e6 - startSecond) / 60);
    if (minute < 0 || minute >= minutes) continue;
    totals[2 * minute]!++;
    totals[2 * minute + 1]! += series.intervalMs[i]!;
    if (minute === pendingMinute) {
      addPair(series, pending, i, startSecond, minute, sums);
      pendingMinute = -1;
      continue;
    }
    if (pendingMinute >= 0) addPair(series, pending, -1, startSecond, pendingMinute, sums);
    pending = i;
    pendingMinute = minute;
  }
  if (pendingMinute >= 0) addPair(series, pending, -1, startSecond, pendingMinute, sums);
}

/**
 * Adds two beats of a minute at once: their phase recurrences are independent, so the CPU overlaps them. A negative `second`
 * means a single beat.
 */
function addPair(
  series: IntervalSeries,
  first: number,
  second: number,
  startSecond: number,
  minute: number,
  sums: Float64Array,
): void {
  const hasSecond = second >= 0 ? 1 : 0;
  const s = series.endUs[first]! / 1e6 - startSecond;
  const t = hasSecond ? series.endUs[second]! / 1e6 - startSecond : 0;
  const x = series.intervalMs[first]!;
  const y = hasSecond ? series.intervalMs[second]! : 0;
  const stepCosS = Math.cos(2 * Math.PI * STEP_HZ * s);
  const stepSinS = Math.sin(2 * Math.PI * STEP_HZ * s);
  const stepCosT = Math.cos(2 * Math.PI * STEP_HZ * t);
  const stepSinT = Math.sin(2 * Math.PI * STEP_HZ * t);
  let cosS = stepCosS;
  let sinS = stepSinS;
  let cosT = hasSecond * stepCosT;
  let sinT = hasSecond * stepSinT;
  let at = minute * FREQUENCIES * SUMS;
  for (let f = 0; f < FREQUENCIES; f++) {
    sums[at]! += x * cosS + y * cosT;
    sums[at + 1]! += x * sinS + y * sinT;
    sums[at + 2]! += cosS + cosT;
    sums[at + 3]! += sinS + sinT;
    sums[at + 4]! += cosS * cosS - sinS * sinS + (cosT * cosT - sinT * sinT);
    sums[at + 5]! += 2 * (cosS * sinS + cosT * sinT);
    at += SUMS;
    const turnedS = cosS * stepCosS - sinS * stepSinS;
    sinS = sinS * stepCosS + cosS * stepSinS;
    cosS = turnedS;
    const turnedT = cosT * stepCosT - sinT * stepSinT;
    sinT = sinT * stepCosT + cosT * stepSinT;
    cosT = turnedT;
  }
}

/**
 * Lomb's power, not divided by the variance, from the sums of one frequency. The time offset tau
 * enters only as the cosine and sine of twice its phase, so no arctangent is needed.
 */
function lombPower(sums: Float64Array, at: number, beats: number, mean: number): number {
  const xc = sums[at]! - mean * sums[at + 2]!;
  const xs = sums[at + 1]! - mean * sums[at + 3]!;
  const length = Math.sqrt(sums[at + 4]! * sums[at + 4]! + sums[at + 5]! * sums[at + 5]!);
  const cosTwice = length > 0 ? sums[at + 4]! / length : 1;
  const sinTwice = length > 0 ? sums[at + 5]! / length : 0;
  const cosSquares = (beats + length) / 2;
  const sinSquares = (beats - length) / 2;
  const half = (xc * xc + xs * xs) / 2;
  const turned = ((xc * xc - xs * xs) * cosTwice) / 2 + xc * xs * sinTwice;
  const first = cosSquares > 1e-9 ? (half + turned) / cosSquares : 0;
  const second = sinSquares > 1e-9 ? (half - turned) / sinSquares : 0;
  return (first + second) / 2;
}
