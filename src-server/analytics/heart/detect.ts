/**
 * QRS detection: band-pass and energy (Pan and Tompkins 1985, Elgendi 2010), an adaptive threshold against the complexes on both
 * sides (the recording is complete, so the future is known), search-back over long intervals (Hamilton 2002) and T-wave
 * rejection. Independent of gain, offset and polarity.
 */
import { medianInPlace } from '../median.ts';
import { qrsEnergy, windowWidth } from './energy.ts';
import type { EcgBlock } from './segments.ts';
import { HEART_SETTINGS, type HeartSettings } from './settings.ts';

/** QRS complexes of one block. */
export interface Detections {
  /** Energy peaks in samples, ascending. */
  positions: Int32Array;
  /** Energy of the complex, in the units of the band-passed signal. */
  energies: Float32Array;
  /** Mean energy between this complex and its neighbours: noise, P waves and T waves. */
  noise: Float32Array;
}

/** Refractory period: a ventricle cannot be excited again within 200 ms (Pan and Tompkins 1985). */
const REFRACTORY_SECONDS = 0.2;
/** A T wave peaks at most this long after its R wave (Pan and Tompkins 1985). */
const T_WAVE_SECONDS = 0.36;
/** Windows on either side for the local QRS level, 15 in all: each holds a beat at 30 beats/min, and most are free of noise. */
const LEVEL_WINDOWS = 7;
/** Beats on either side whose median interval is the reference of the search-back. */
const SEARCH_BACK_REACH = 6;
/**
 * Midway in an interval of twice the median, to within this part of it, a beat is expected: half of the search-back level
 * suffices there.
 */
const EXPECTED_PART = 0.1;
/** A weak peak is spurious if the interval without it is below this many median intervals. */
const INTERPOLATED_RR = 1.3;

/** The QRS level around each window: the median of the energy maxima of the half minute around it. */
function qrsLevels(tops: Float32Array): Float32Array {
  const windows = tops.length;
  const levels = new Float32Array(windows);
  const near = new Float64Array(2 * LEVEL_WINDOWS + 1);
  for (let w = 0; w < windows; w++) {
    const from = Math.max(0, Math.min(w - LEVEL_WINDOWS, windows - 2 * LEVEL_WINDOWS - 1));
    const to = Math.min(windows, Math.max(w + LEVEL_WINDOWS + 1, 2 * LEVEL_WINDOWS + 1));
    let used = 0;
    for (let k = from; k < to; k++) if (tops[k]! > 0) near[used++] = tops[k]!;
    levels[w] = medianInPlace(near, used);
  }
  return levels;
}

/** Local energy maxima above the noise, at least a refractory period apart; of two that are nearer, the higher one is kept. */
function candidates(energy: Float32Array, rateHz: number, levels: Float32Array, searchBack: number): number[] {
  const width = windowWidth(rateHz);
  const apart = Math.round(REFRACTORY_SECONDS * rateHz);
  const peaks: number[] = [];
  for (let w = 0; w < levels.length; w++) {
    const least = 0.5 * searchBack * levels[w]!;
    const stop = Math.min(energy.length - 1, w + 1 < levels.length ? (w + 1) * width : energy.length);
    addPeaks(energy, Math.max(1, w * width), stop, least, apart, peaks);
  }
  return peaks;
}

/** Appends the local maxima of [from, to) above `least` to the peaks. */
function addPeaks(energy: Float32Array, from: number, to: number, least: number, apart: number, peaks: number[]): void {
  let last = peaks.length > 0 ? peaks[peaks.length - 1]! : -apart;
  for (let i = from; i < to; i++) {
    const e = energy[i]!;
    if (e <= least || e <= energy[i - 1]! || e < energy[i + 1]!) continue;
    if (i - last >= apart) peaks.push(i);
    else if (e > energy[last]!) peaks[peaks.length - 1] = i;
    else continue;
    last = i;
  }
}

/** Finds the QRS complexes of one block. */
export function detectQrs(block: EcgBlock, settings: HeartSettings = HEART_SETTINGS): Detections {
  const { rateHz, stuck } = block;
  const { energy, tops } = qrsEnergy(block);
  const levels = qrsLevels(tops);
  const width = windowWidth(rateHz);
  const levelAt = (position: number): number => levels[Math.min(levels.length - 1, Math.floor(position / width))]!;
  const peaks = candidates(energy, rateHz, levels, settings.searchBack).filter((at) => !stuck[at]);
  let accepted = peaks.filter((at) => energy[at]! >= settings.accept * levelAt(at));
  accepted = rejectTWaves(accepted, energy, rateHz, settings);
  accepted = rejectInterpolated(accepted, energy, settings);
  accepted = searchBack(accepted, peaks, energy, rateHz, levelAt, settings);
  return measure(accepted, energy, rateHz);
}

/** Drops T waves: peaks soon after a complex and much weaker than it. */
function rejectTWaves(
  accepted: number[],
  energy: Float32Array,
  rateHz: number,
  { tWavePart }: HeartSettings,
): number[] {
  const kept: number[] = [];
  for (const at of accepted) {
    const before = kept[kept.length - 1]!;
    if (kept.length > 0 && at - before < T_WAVE_SECONDS * rateHz && energy[at]! < tWavePart * energy[before]!) continue;
    kept.push(at);
  }
  return kept;
}

/** Drops weak peaks between two beats that are one median interval apart. */
function rejectInterpolated(accepted: number[], energy: Float32Array, { interpolatedPart }: HeartSettings): number[] {
  const kept = accepted.slice(0, 1);
  for (let i = 1; i < accepted.length; i++) {
    const before = kept[kept.length - 1]!;
    const after = accepted[i + 1];
    const at = accepted[i]!;
    if (after !== undefined) {
      const weak = energy[at]! < interpolatedPart * Math.min(energy[before]!, energy[after]!);
      if (weak && after - before < INTERPOLATED_RR * medianInterval(accepted, i, 8)) continue;
    }
    kept.push(at);
  }
  return kept;
}

/** Median of the `reach` intervals on either side of one, that one excluded. */
function medianInterval(accepted: number[], index: number, reach: number): number {
  const near = new Float64Array(2 * reach + 1);
  let used = 0;
  for (let k = Math.max(0, index - reach); k < Math.min(accepted.length - 1, index + reach + 1); k++) {
    if (k !== index) near[used++] = accepted[k + 1]! - accepted[k]!;
  }
  return medianInPlace(near, used);
}

/** Whether the interval after a beat exceeds `searchBackIntervals` median intervals; counts instead of sorting. */
function isLong(accepted: number[], index: number, { searchBackIntervals }: HeartSettings): boolean {
  const limit = (accepted[index + 1]! - accepted[index]!) / searchBackIntervals;
  let used = 0;
  let shorter = 0;
  for (
    let k = Math.max(0, index - SEARCH_BACK_REACH);
    k < Math.min(accepted.length - 1, index + SEARCH_BACK_REACH + 1);
    k++
  ) {
    if (k === index) continue;
    used++;
    if (accepted[k + 1]! - accepted[k]! < limit) shorter++;
  }
  return shorter > used >> 1;
}

/** Adds the strongest peaks inside intervals that are too long, at a lower threshold. */
function searchBack(
  accepted: number[],
  peaks: number[],
  energy: Float32Array,
  rateHz: number,
  levelAt: (position: number) => number,
  settings: HeartSettings,
): number[] {
  if (accepted.length < 4) return accepted;
  const found: number[] = [];
  let p = 0;
  for (let i = 0; i + 1 < accepted.length; i++) {
    const from = accepted[i]!;
    const to = accepted[i + 1]!;
    if (!isLong(accepted, i, settings)) continue;
    const median = medianInterval(accepted, i, SEARCH_BACK_REACH);
    while (p < peaks.length && peaks[p]! <= from) p++;
    let left = from;
    for (let guard = 0; guard < 8; guard++) {
      let best = -1;
      const expected = (left + to) / 2;
      const isDoubled = Math.abs(to - left - 2 * median) < EXPECTED_PART * median;
      for (let k = p; k < peaks.length && peaks[k]! < to; k++) {
        const at = peaks[k]!;
        if (at - left < T_WAVE_SECONDS * rateHz || to - at < REFRACTORY_SECONDS * 1.25 * rateHz) continue;
        const isExpected = isDoubled && Math.abs(at - expected) < EXPECTED_PART * median;
        if (energy[at]! < (isExpected ? 0.5 : 1) * settings.searchBack * levelAt(at)) continue;
        if (best < 0 || energy[at]! > energy[best]!) best = at;
      }
      if (best < 0) break;
      found.push(best);
      if (to - best <= settings.searchBackIntervals * median) break;
      left = best;
    }
  }
  if (found.length === 0) return accepted;
  return [...accepted, ...found].sort((a, b) => a - b);
}

/** Energy of each complex, and of the signal between it and its neighbours. */
function measure(accepted: number[], energy: Float32Array, rateHz: number): Detections {
  const n = accepted.length;
  const result: Detections = {
    positions: Int32Array.from(accepted),
    energies: new Float32Array(n),
    noise: new Float32Array(n),
  };
  const margin = Math.round(0.15 * rateHz);
  const between = new Float32Array(n + 1);
  for (let i = 0; i <= n; i++) {
    const from = i === 0 ? Math.max(0, (accepted[0] ?? 0) - Math.round(rateHz)) : accepted[i - 1]! + margin;
    const to = i === n ? Math.min(energy.length, (accepted[n - 1] ?? 0) + Math.round(rateHz)) : accepted[i]! - margin;
    between[i] = to > from ? sumOf(energy, from, to) / (to - from) : Number.NaN;
  }
  for (let i = 0; i < n; i++) {
    result.energies[i] = energy[accepted[i]!]!;
    const left = between[i]!;
    const right = between[i + 1]!;
    result.noise[i] = Number.isNaN(left)
      ? Number.isNaN(right)
        ? 0
        : right
      : Number.isNaN(right)
        ? left
        : (left + right) / 2;
  }
  return result;
}

function sumOf(values: Float32Array, from: number, to: number): number {
  let sum = 0;
  for (let k = from; k < to; k++) sum += values[k]!;
  return sum;
}
