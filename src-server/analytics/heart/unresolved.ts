/**
 * Detects ventricular flutter and fibrillation, where the ECG oscillates without QRS complexes and its peaks are not beats.
 * Such spans yield no beats, hence no heart rate and no variability.
 *
 * The test is the VF-filter leakage of Kuo and Dillman 1978 (Comput Cardiol 347): half a mean period apart, the samples of
 * an oscillation cancel each other, while those of narrow complexes do not. It depends on neither gain, offset nor polarity.
 */
import { lowerBound } from '../lower-bound.ts';
import type { Detections } from './detect.ts';
import type { EcgBlock } from './segments.ts';

/** Kuo and Dillman test 4 s at a time; the windows overlap so that borders are found to the second. */
const WINDOW_SECONDS = 4;
const STEP_SECONDS = 1;
/** The QRS need not be resolved here, so the signal is decimated to about this rate. */
const LEAST_RATE_HZ = 60;
/** Baseline: mean over more than two periods of the slowest flutter. */
const BASELINE_SECONDS = 0.8;
/** Hysteresis: spans nearer than this are joined unless clear beats lie between them, because fibrillation waxes and wanes. */
const BRIDGED_SECONDS = 8;
/** Below this leakage the signal is an oscillation. */
const CLEAR_LEAKAGE = 0.406;
/** Below this one it probably is, and its slopes decide (both limits are those of Kuo and Dillman). */
const LIKELY_LEAKAGE = 0.625;
/** QRS complexes are steep for a short part of the time, even wide ones at 220/min; a wave without them is steep for most of it. */
const STEEP_PART = 0.25;
const STEEP_TIME = 0.5;
/** Oscillations per minute: below lies electrode motion, above lie muscle noise and mains. */
const SLOWEST_PER_MINUTE = 150;
const FASTEST_PER_MINUTE = 500;
/** Signal-to-noise ratio of a clear beat, and its least distance to the next one: windows of clear beats are not tested. */
const CLEAR_RATIO = 3.3;
const CLEAR_SECONDS = 0.45;
/** A window with more stuck samples than this part is not tested. */
const STUCK_PART = 0.25;

/** Samples [from, to) of a block. */
export interface SampleSpan {
  from: number;
  to: number;
}

/**
 * Returns the spans of a block whose rhythm cannot be resolved into beats, ascending and disjoint, each at least 4 s long.
 *
 * @param found the complexes of the block; windows of clear beats are not tested
 */
export function unresolvedSpans(block: EcgBlock, found: Detections): SampleSpan[] {
  const width = Math.round(WINDOW_SECONDS * block.rateHz);
  const step = Math.round(STEP_SECONDS * block.rateHz);
  const bridged = Math.round(BRIDGED_SECONDS * block.rateHz);
  const spans: SampleSpan[] = [];
  for (let from = 0; from + width <= block.count; from += step) {
    if (holdsClearBeats(block, found, from, from + width) || !isOscillation(block, from, width)) continue;
    const last = spans.at(-1);
    if (last && from <= last.to) last.to = from + width;
    else if (last && from <= last.to + bridged && !holdsClearBeats(block, found, last.to, from)) last.to = from + width;
    else spans.push({ from, to: from + width });
  }
  // At the ends of the block no beats contradict the span next to them, so it extends to the end.
  const first = spans.at(0);
  if (first && first.from <= bridged && !holdsClearBeats(block, found, 0, first.from)) first.from = 0;
  const last = spans.at(-1);
  if (last && block.count <= last.to + bridged && !holdsClearBeats(block, found, last.to, block.count))
    last.to = block.count;
  return spans;
}

/** Returns the complexes outside the spans. */
export function outsideOf(found: Detections, spans: readonly SampleSpan[]): Detections {
  if (spans.length === 0) return found;
  const kept: number[] = [];
  let s = 0;
  for (let i = 0; i < found.positions.length; i++) {
    while (s < spans.length && spans[s]!.to <= found.positions[i]!) s++;
    if (s === spans.length || found.positions[i]! < spans[s]!.from) kept.push(i);
  }
  return {
    positions: Int32Array.from(kept, (i) => found.positions[i]!),
    energies: Float32Array.from(kept, (i) => found.energies[i]!),
    noise: Float32Array.from(kept, (i) => found.noise[i]!),
  };
}

/** Whether the samples [from, stop) hold two or more beats, all of them clear. */
function holdsClearBeats({ rateHz }: EcgBlock, found: Detections, from: number, stop: number): boolean {
  const { positions, energies, noise } = found;
  const first = lowerBound(positions, from);
  let i = first;
  for (; i < positions.length && positions[i]! < stop; i++) {
    if (!(energies[i]! > CLEAR_RATIO * noise[i]!)) return false;
    if (i > first && positions[i]! - positions[i - 1]! < CLEAR_SECONDS * rateHz) return false;
  }
  return i - first >= 2;
}

/** The VF-filter leakage test of one window. */
function isOscillation(block: EcgBlock, from: number, width: number): boolean {
  let stuck = 0;
  for (let i = from; i < from + width; i++) stuck += block.stuck[i]!;
  if (stuck > STUCK_PART * width) return false;
  const factor = Math.max(1, Math.floor(block.rateHz / LEAST_RATE_HZ));
  const rateHz = block.rateHz / factor;
  const wave = withoutBaseline(averaged(block.samples, from, Math.floor(width / factor), factor), rateHz);
  const n = wave.length;
  const slopes = new Float64Array(n - 1);
  let size = 0;
  let travel = 0;
  for (let i = 1; i < n; i++) {
    slopes[i - 1] = Math.abs(wave[i]! - wave[i - 1]!);
    travel += slopes[i - 1]!;
    size += Math.abs(wave[i]!);
  }
  if (!(travel > 0)) return false;
  const half = Math.max(1, Math.round((Math.PI * size) / travel));
  const perMinute = (30 * rateHz) / half;
  if (perMinute < SLOWEST_PER_MINUTE || perMinute > FASTEST_PER_MINUTE) return false;
  let left = 0;
  let whole = 0;
  for (let i = half; i < n; i++) {
    left += Math.abs(wave[i]! + wave[i - half]!);
    whole += Math.abs(wave[i]!) + Math.abs(wave[i - half]!);
  }
  const leakage = left / whole;
  if (!(leakage < LIKELY_LEAKAGE)) return false;
  if (leakage < CLEAR_LEAKAGE) return true;
  slopes.sort();
  // The 98th percentile instead of the maximum, so that a single spike does not decide.
  const steepest = slopes[Math.floor(0.98 * slopes.length)]!;
  return slopes.filter((slope) => slope > STEEP_PART * steepest).length > STEEP_TIME * slopes.length;
}

/** Decimates by averaging. */
function averaged(samples: Float32Array, from: number, count: number, factor: number): Float64Array {
  const out = new Float64Array(count);
  for (let i = 0, at = from; i < count; i++) {
    let sum = 0;
    for (let k = 0; k < factor; k++) sum += samples[at++]!;
    out[i] = sum / factor;
  }
  return out;
}

/** Subtracts a moving average. */
function withoutBaseline(values: Float64Array, rateHz: number): Float64Array {
  const reach = Math.max(1, Math.round((BASELINE_SECONDS * rateHz) / 2));
  const out = new Float64Array(values.length);
  let sum = 0;
  let n = 0;
  for (let i = -reach; i < values.length; i++) {
    if (i + reach < values.length) {
      sum += values[i + reach]!;
      n++;
    }
    if (i - reach > 0) {
      sum -= values[i - reach - 1]!;
      n--;
    }
    if (i >= 0) out[i] = values[i]! - sum / n;
  }
  return out;
}
