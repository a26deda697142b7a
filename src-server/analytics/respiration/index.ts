/**
 * Respiration from the ECG: breathing turns the heart's axis (R amplitude) and modulates the sinus node (intervals). Both
 * series are taken at the beats' own times, their spectra over a minute are fused by the geometric mean (what only one of them shows is no breath), and the common
 * peak is the breathing rate (Moody 1985; Charlton 2016 and 2018 for the comparison of such methods). Silent when no peak stands out.
 */
import type { IntervalSeries } from '../hrv/intervals.ts';

const WINDOW_SECONDS = 64;
export const RESPIRATION_STEP_SECONDS = 30;
/** From 7 breaths/min: below it lie the slow waves of blood pressure (Mayer waves, 0.1 Hz), which move the heart rate too. */
const FROM_HZ = 0.12;
const TO_HZ = 0.55;
const STEP_HZ = 1 / 160;
const MAX_FREQUENCIES = Math.floor((TO_HZ - FROM_HZ) / STEP_HZ) + 1;
const MIN_BEATS = 30;
const MIN_COVERAGE = 0.75;
/** Share of the fused power that must lie within 1.5 breaths/min of the peak. */
const MIN_SHARE = 0.5;
const PEAK_HALF_WIDTH = 4;

/**
 * Breaths per minute at every 30 s of a span (value i is for the 64 s around second 30 i + 15); NaN when unsure.
 *
 * @param wanted per second of the span, 1 where a rate is wanted (asleep); everywhere when absent
 */
export function respirationRates(
  series: IntervalSeries,
  startSecond: number,
  count: number,
  wanted?: Uint8Array,
): Float32Array {
  const steps = Math.ceil(count / RESPIRATION_STEP_SECONDS);
  const rates = new Float32Array(steps).fill(Number.NaN);
  const amplitude = new Float64Array(MAX_FREQUENCIES);
  const interval = new Float64Array(MAX_FREQUENCIES);
  let low = 0;
  for (let step = 0; step < steps; step++) {
    const firstRow = step * RESPIRATION_STEP_SECONDS;
    if (wanted && !wanted.subarray(firstRow, firstRow + RESPIRATION_STEP_SECONDS).includes(1)) continue;
    const centreUs = (startSecond + (step + 0.5) * RESPIRATION_STEP_SECONDS) * 1e6;
    const fromUs = centreUs - WINDOW_SECONDS * 5e5;
    const toUs = centreUs + WINDOW_SECONDS * 5e5;
    while (low < series.endUs.length && series.endUs[low] < fromUs) low++;
    let high = low;
    while (high < series.endUs.length && series.endUs[high] < toUs) high++;
    rates[step] = rateOf(series, low, high, centreUs, amplitude, interval);
  }
  return rates;
}

function rateOf(
  series: IntervalSeries,
  low: number,
  high: number,
  centreUs: number,
  amplitude: Float64Array,
  interval: Float64Array,
): number {
  const times: number[] = [];
  const heights: number[] = [];
  const intervals: number[] = [];
  let covered = 0;
  for (let i = low; i < high; i++) {
    if (!series.normal[i]) continue;
    times.push((series.endUs[i] - centreUs) / 1e6);
    heights.push(series.amplitudeV[i]);
    intervals.push(series.intervalMs[i]);
    covered += series.intervalMs[i];
  }
  if (times.length < MIN_BEATS || covered < MIN_COVERAGE * WINDOW_SECONDS * 1000) return Number.NaN;
  // One value per beat cannot show a rhythm faster than half the beat rate.
  const highestHz = Math.min(TO_HZ, (0.5 * 1000 * times.length) / covered);
  const frequencies = Math.floor((highestHz - FROM_HZ) / STEP_HZ) + 1;
  if (frequencies < 3 * PEAK_HALF_WIDTH) return Number.NaN;
  const heightTotal = spectrum(times, heights, frequencies, amplitude);
  const intervalTotal = spectrum(times, intervals, frequencies, interval);
  if (heightTotal <= 0 && intervalTotal <= 0) return Number.NaN;
  const fused = new Float64Array(frequencies);
  let total = 0;
  for (let f = 0; f < frequencies; f++) {
    fused[f] =
      heightTotal > 0 && intervalTotal > 0
        ? Math.sqrt(amplitude[f] * interval[f])
        : Math.max(amplitude[f], interval[f]);
    total += fused[f];
  }
  let peak = 1;
  for (let f = 1; f + 1 < frequencies; f++) {
    if (fused[f] > fused[peak] && fused[f] >= fused[f - 1] && fused[f] >= fused[f + 1]) peak = f;
  }
  let share = 0;
  for (let f = Math.max(0, peak - PEAK_HALF_WIDTH); f <= Math.min(frequencies - 1, peak + PEAK_HALF_WIDTH); f++) {
    share += fused[f];
  }
  if (share / total < MIN_SHARE) return Number.NaN;
  const left = fused[peak - 1];
  const right = fused[peak + 1];
  const curve = left - 2 * fused[peak] + right;
  const shift = curve < 0 ? Math.max(-0.5, Math.min(0.5, (0.5 * (left - right)) / curve)) : 0;
  return 60 * (FROM_HZ + (peak + shift) * STEP_HZ);
}

/** Power of a series at uneven times under a Hann taper, its line removed and outliers clipped; returns the sum. */
function spectrum(times: number[], values: number[], frequencies: number, into: Float64Array): number {
  const n = times.length;
  const median = Float64Array.from(values).sort()[n >> 1];
  const spread = 1.4826 * Float64Array.from(values, (value) => Math.abs(value - median)).sort()[n >> 1];
  const y = values.map((value) => Math.max(median - 3 * spread, Math.min(median + 3 * spread, value)));
  let sumT = 0;
  let sumY = 0;
  let sumTT = 0;
  let sumTY = 0;
  for (let i = 0; i < n; i++) {
    sumT += times[i];
    sumY += y[i];
    sumTT += times[i] * times[i];
    sumTY += times[i] * y[i];
  }
  const slope = (n * sumTY - sumT * sumY) / (n * sumTT - sumT * sumT);
  const level = (sumY - slope * sumT) / n;
  const cosSum = new Float64Array(frequencies);
  const sinSum = new Float64Array(frequencies);
  for (let i = 0; i < n; i++) {
    const t = times[i];
    const taper = 0.5 + 0.5 * Math.cos((2 * Math.PI * t) / WINDOW_SECONDS);
    const value = (y[i] - level - slope * t) * taper;
    let cos = Math.cos(2 * Math.PI * FROM_HZ * t);
    let sin = Math.sin(2 * Math.PI * FROM_HZ * t);
    const stepCos = Math.cos(2 * Math.PI * STEP_HZ * t);
    const stepSin = Math.sin(2 * Math.PI * STEP_HZ * t);
    for (let f = 0; f < frequencies; f++) {
      cosSum[f] += value * cos;
      sinSum[f] += value * sin;
      const turned = cos * stepCos - sin * stepSin;
      sin = sin * stepCos + cos * stepSin;
      cos = turned;
    }
  }
  let total = 0;
  for (let f = 0; f < frequencies; f++) {
    // Both series wander as 1/f; weighing by the frequency keeps that from passing for slow breaths.
    into[f] = (cosSum[f] * cosSum[f] + sinSum[f] * sinSum[f]) * (FROM_HZ + f * STEP_HZ);
    total += into[f];
  }
  return total;
}
