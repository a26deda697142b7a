/**
 * ECG-derived respiration: breathing rotates the heart's axis (R amplitude) and modulates the sinus node (intervals). The
 * spectra of both series over a minute, at the beat times, are fused by the geometric mean, since breathing shows in both; the
 * common peak is the breathing rate (Moody 1985; Charlton 2016 and 2018 compare such methods). A still chest accelerometer adds
 * the tipping of the chest wall. NaN when no peak dominates.
 */
import type { IntervalSeries } from '../hrv/intervals.ts';
import type { MotionFeatures } from '../types.ts';
import {
  clearPeak,
  FROM_HZ,
  MAX_FREQUENCIES,
  MIN_SHARE,
  PEAK_HALF_WIDTH,
  STEP_HZ,
  TO_HZ,
  WINDOW_SECONDS,
} from './band.ts';
import { chestSpectrum } from './chest.ts';

export const RESPIRATION_STEP_SECONDS = 30;
const MIN_BEATS = 30;
const MIN_COVERAGE = 0.75;

/** Spectra of one window; the buffers are reused from step to step. */
interface Spectra {
  amplitude: Float64Array;
  interval: Float64Array;
  chest: Float64Array;
  fused: Float64Array;
}

/**
 * Returns breaths per minute at every 30 s of a span (value i covers the 64 s around second 30 i + 15); NaN when unsure.
 *
 * @param motion accelerometers; those at the chest are used
 * @param wanted per second of the span, 1 where a rate is needed (asleep); everywhere when absent
 * @param minShare part of the power that the peak must hold; benches vary it
 */
export function respirationRates(
  series: IntervalSeries,
  motion: readonly MotionFeatures[],
  startSecond: number,
  count: number,
  wanted?: Uint8Array,
  minShare = MIN_SHARE,
): Float32Array {
  const steps = Math.ceil(count / RESPIRATION_STEP_SECONDS);
  const rates = new Float32Array(steps).fill(Number.NaN);
  const chestSensors = motion.filter(({ slow }) => slow !== undefined);
  const spectra: Spectra = {
    amplitude: new Float64Array(MAX_FREQUENCIES),
    interval: new Float64Array(MAX_FREQUENCIES),
    chest: new Float64Array(MAX_FREQUENCIES),
    fused: new Float64Array(MAX_FREQUENCIES),
  };
  let low = 0;
  for (let step = 0; step < steps; step++) {
    const firstRow = step * RESPIRATION_STEP_SECONDS;
    if (wanted && !wanted.subarray(firstRow, firstRow + RESPIRATION_STEP_SECONDS).includes(1)) continue;
    const centreSecond = startSecond + (step + 0.5) * RESPIRATION_STEP_SECONDS;
    const centreUs = centreSecond * 1e6;
    const fromUs = centreUs - WINDOW_SECONDS * 5e5;
    const toUs = centreUs + WINDOW_SECONDS * 5e5;
    while (low < series.endUs.length && series.endUs[low]! < fromUs) low++;
    let high = low;
    while (high < series.endUs.length && series.endUs[high]! < toUs) high++;
    const frequencies = heartSpectrum(series, low, high, centreUs, spectra);
    const hasChest = chestSensors.length > 0 && chestSpectrum(chestSensors, centreSecond, spectra.chest);
    rates[step] = 60 * fusedPeak(spectra, frequencies, hasChest, minShare);
  }
  return rates;
}

/**
 * The breathing rate on which heart and chest agree, Hz; NaN when both show clear but different rates. Above half the heart rate
 * (the Nyquist limit of one value per beat) breathing aliases in the heart's series, so the chest is used alone. A chest
 * without a clear peak (it rests on the mattress, or tips about the axis of gravity) is ignored.
 */
function fusedPeak({ chest, fused }: Spectra, frequencies: number, hasChest: boolean, minShare: number): number {
  const chestHz = hasChest ? clearPeak(chest, MAX_FREQUENCIES, minShare) : Number.NaN;
  if (frequencies === 0 || chestHz > FROM_HZ + (frequencies - 1) * STEP_HZ) return chestHz;
  if (!Number.isNaN(chestHz)) {
    if (Math.abs(clearPeak(fused, frequencies, minShare) - chestHz) > PEAK_HALF_WIDTH * STEP_HZ) return Number.NaN;
    for (let f = 0; f < frequencies; f++) fused[f] = Math.cbrt(fused[f]! * fused[f]! * chest[f]!);
  }
  return clearPeak(fused, frequencies, minShare);
}

/** Fills `fused` with the spectrum of the heart; returns the number of frequencies below its Nyquist limit, 0 without one. */
function heartSpectrum(
  series: IntervalSeries,
  low: number,
  high: number,
  centreUs: number,
  { amplitude, interval, fused }: Spectra,
): number {
  if (beats.times.length < high - low) beats = beatRow(2 * (high - low));
  const { times, heights, intervals } = beats;
  let n = 0;
  let covered = 0;
  for (let i = low; i < high; i++) {
    // Reported intervals show the sinus node alone, which was not accurate enough: see the dictionary.
    if (!series.normal[i] || Number.isNaN(series.amplitudeV[i]!)) continue;
    times[n] = (series.endUs[i]! - centreUs) / 1e6;
    heights[n] = series.amplitudeV[i]!;
    intervals[n] = series.intervalMs[i]!;
    covered += series.intervalMs[i]!;
    n++;
  }
  if (n < MIN_BEATS || covered < MIN_COVERAGE * WINDOW_SECONDS * 1000) return 0;
  // Nyquist limit of one value per beat.
  const highestHz = Math.min(TO_HZ, (0.5 * 1000 * n) / covered);
  const frequencies = Math.floor((highestHz - FROM_HZ) / STEP_HZ) + 1;
  if (frequencies < 3 * PEAK_HALF_WIDTH) return 0;
  taper(beats, heights, n);
  taper(beats, intervals, n);
  addBeats(beats, n, frequencies);
  const heightTotal = powers(0, frequencies, amplitude);
  const intervalTotal = powers(2, frequencies, interval);
  if (heightTotal <= 0 && intervalTotal <= 0) return 0;
  for (let f = 0; f < frequencies; f++) {
    fused[f] =
      heightTotal > 0 && intervalTotal > 0
        ? Math.sqrt(amplitude[f]! * interval[f]!)
        : Math.max(amplitude[f]!, interval[f]!);
  }
  return frequencies;
}

/** The normal beats of a window: times in seconds from its middle, R heights, intervals, and a buffer for sorting. */
interface BeatRow {
  times: Float64Array;
  heights: Float64Array;
  intervals: Float64Array;
  sorted: Float64Array;
}

const beatRow = (room: number): BeatRow => ({
  times: new Float64Array(room),
  heights: new Float64Array(room),
  intervals: new Float64Array(room),
  sorted: new Float64Array(room),
});

/** Buffers of one window, reused from step to step. */
let beats = beatRow(256);

/** Clips outliers of the first `n` values at 3 robust SDs, removes the linear trend and applies a Hann taper. */
function taper({ times, sorted }: BeatRow, values: Float64Array, n: number): void {
  const row = sorted.subarray(0, n);
  for (let i = 0; i < n; i++) row[i] = values[i]!;
  const median = row.sort()[n >> 1]!;
  for (let i = 0; i < n; i++) row[i] = Math.abs(values[i]! - median);
  const spread = 1.4826 * row.sort()[n >> 1]!;
  const y = row;
  for (let i = 0; i < n; i++) y[i] = Math.max(median - 3 * spread, Math.min(median + 3 * spread, values[i]!));
  let sumT = 0;
  let sumY = 0;
  let sumTT = 0;
  let sumTY = 0;
  for (let i = 0; i < n; i++) {
    sumT += times[i]!;
    sumY += y[i]!;
    sumTT += times[i]! * times[i]!;
    sumTY += times[i]! * y[i]!;
  }
  const slope = (n * sumTY - sumT * sumY) / (n * sumTT - sumT * sumT);
  const level = (sumY - slope * sumT) / n;
  for (let i = 0; i < n; i++) {
    const weight = 0.5 + 0.5 * Math.cos((2 * Math.PI * times[i]!) / WINDOW_SECONDS);
    values[i] = (y[i]! - level - slope * times[i]!) * weight;
  }
}

/** Cosine and sine sums of the heights, then of the intervals, per frequency. */
const sums = new Float64Array(4 * MAX_FREQUENCIES);

/** Fills `sums` with both series at once, since they share their uneven times. */
function addBeats({ times, heights, intervals }: BeatRow, n: number, frequencies: number): void {
  sums.fill(0);
  for (let i = 0; i < n; i++) {
    const t = times[i]!;
    const height = heights[i]!;
    const interval = intervals[i]!;
    let cos = Math.cos(2 * Math.PI * FROM_HZ * t);
    let sin = Math.sin(2 * Math.PI * FROM_HZ * t);
    const stepCos = Math.cos(2 * Math.PI * STEP_HZ * t);
    const stepSin = Math.sin(2 * Math.PI * STEP_HZ * t);
    for (let at = 0; at < 4 * frequencies; at += 4) {
      sums[at]! += height * cos;
      sums[at + 1]! += height * sin;
      sums[at + 2]! += interval * cos;
      sums[at + 3]! += interval * sin;
      const turned = cos * stepCos - sin * stepSin;
      sin = sin * stepCos + cos * stepSin;
      cos = turned;
    }
  }
}

/** Writes the power of the series that begins at `first` in `sums`; returns the total. */
function powers(first: number, frequencies: number, into: Float64Array): number {
  let total = 0;
  for (let f = 0, at = first; f < frequencies; f++, at += 4) {
    // Both series drift as 1/f noise; weighting by frequency keeps the drift from appearing as slow breathing.
    into[f] = (sums[at]! * sums[at]! + sums[at + 1]! * sums[at + 1]!) * (FROM_HZ + f * STEP_HZ);
    total += into[f]!;
  }
  return total;
}
