/** Scores one ECG against its reference beats, matched one to one within 150 ms as in ANSI/AAMI EC57. */
import { BEAT_ARTEFACT, BEAT_KIND_MASK, extractEcgFeatures } from '../../src-server/analytics/heart/index.ts';
import type { HeartSettings } from '../../src-server/analytics/heart/settings.ts';
import { type IntervalSeries, intervalsOf } from '../../src-server/analytics/hrv/index.ts';
import { RESPIRATION_STEP_SECONDS, respirationRates } from '../../src-server/analytics/respiration/index.ts';
import type { EcgFeatures } from '../../src-server/analytics/types.ts';
import { type EcgRecording, ecgInput } from './ecg-data.ts';

const MATCH_US = 150_000;
/** Labels of beats that arise in the sinus node. */
export const SINUS = 'NLRej';
const RESPIRATION_HALF_SECONDS = 32;
const RMSSD_SECONDS = 300;
/** RMSSD of a span needs one difference per this many seconds: 60 in five minutes. */
const MAX_SECONDS_PER_DIFFERENCE = 5;

export const mean = (values: number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;

interface Matched {
  hits: number;
  falseBeats: number[];
  missed: number[];
  /** Found minus reference, ms. */
  offsets: number[];
}

export function match(reference: number[], found: Float64Array): Matched {
  const result: Matched = { hits: 0, falseBeats: [], missed: [], offsets: [] };
  let i = 0;
  let k = 0;
  while (i < reference.length || k < found.length) {
    const apart = (found[k] ?? Infinity) - (reference[i] ?? Infinity);
    if (Math.abs(apart) <= MATCH_US) {
      result.offsets.push(apart / 1000);
      i++;
      k++;
    } else if (i >= reference.length || apart < 0) result.falseBeats.push(found[k++]! / 1e6);
    else result.missed.push(reference[i++]! / 1e6);
  }
  result.hits = result.offsets.length;
  return result;
}

/** Returns the heart rate of each whole minute: 60 s over the mean of the intervals that end in it. */
export function ratePerMinute(endUs: ArrayLike<number>, intervalMs: ArrayLike<number>, minutes: number): number[] {
  const sums = new Float64Array(minutes);
  const counts = new Float64Array(minutes);
  for (let i = 0; i < endUs.length; i++) {
    const minute = Math.floor(endUs[i]! / 60e6);
    if (minute >= minutes) continue;
    sums[minute]! += intervalMs[i]!;
    counts[minute]!++;
  }
  return Array.from(sums, (sum, m) => (counts[m]! > 0 ? (60_000 * counts[m]!) / sum : Number.NaN));
}

/** Returns the reference RMSSD of each span, five minutes by default. Three consecutive sinus beats make one difference. */
export function referenceRmssd(
  recording: EcgRecording,
  beatsUs: number[],
  spans: number,
  spanSeconds = RMSSD_SECONDS,
): number[] {
  const squares = new Float64Array(spans);
  const counts = new Float64Array(spans);
  for (let i = 2; i < beatsUs.length; i++) {
    const labels = recording.labels;
    if (labels && ![i, i - 1, i - 2].every((k) => SINUS.includes(labels[k]!))) continue;
    const span = Math.floor(beatsUs[i]! / 1e6 / spanSeconds);
    if (span >= spans) continue;
    const difference = (beatsUs[i]! - 2 * beatsUs[i - 1]! + beatsUs[i - 2]!) / 1000;
    squares[span]! += difference * difference;
    counts[span]!++;
  }
  return Array.from(squares, (sum, s) =>
    counts[s]! >= spanSeconds / MAX_SECONDS_PER_DIFFERENCE ? Math.sqrt(sum / counts[s]!) : Number.NaN,
  );
}

export function ownRmssd(series: IntervalSeries, spans: number, spanSeconds = RMSSD_SECONDS): number[] {
  const squares = new Float64Array(spans);
  const counts = new Float64Array(spans);
  for (let i = 1; i < series.endUs.length; i++) {
    if (!series.follows[i] || !series.normal[i] || !series.normal[i - 1]) continue;
    const span = Math.floor(series.endUs[i]! / 1e6 / spanSeconds);
    if (span >= spans) continue;
    const difference = series.intervalMs[i]! - series.intervalMs[i - 1]!;
    squares[span]! += difference * difference;
    counts[span]!++;
  }
  return Array.from(squares, (sum, s) =>
    counts[s]! >= spanSeconds / MAX_SECONDS_PER_DIFFERENCE ? Math.sqrt(sum / counts[s]!) : Number.NaN,
  );
}

/** Returns the reference breaths per minute of the 64 s around a second, from the first to the last mark in them. */
export function breathRate(breathsUs: number[], centreSecond: number): number {
  const inside = breathsUs.filter((us) => Math.abs(us / 1e6 - centreSecond) <= RESPIRATION_HALF_SECONDS);
  if (inside.length < 3) return Number.NaN;
  return (60e6 * (inside.length - 1)) / (inside[inside.length - 1]! - inside[0]!);
}

export const differences = (own: number[], reference: number[]): number[] =>
  own.map((value, i) => Math.abs(value - reference[i]!)).filter((value) => !Number.isNaN(value));

export interface HeartScore {
  name: string;
  reference: number;
  falseBeats: number[];
  missed: number[];
  timingSdMs: number;
  rateErrors: number[];
  rmssdErrors: number[];
  respirationErrors: number[];
  /** Number of windows that have a reference respiration rate. */
  respirationWindows: number;
}

/** Settings that replace those in use. */
interface ScoreOptions {
  heart?: HeartSettings;
  respirationShare?: number;
}

/** Returns the times of the detected beats, without those marked as artefacts. */
export function realBeats(features: EcgFeatures[]): Float64Array {
  const { timesUs, kinds } = features[0]?.beats ?? { timesUs: new Float64Array(0), kinds: [] };
  return timesUs.filter((_us, i) => (kinds[i]! & BEAT_KIND_MASK) !== BEAT_ARTEFACT);
}

/** Scores one recording. */
export function scoreRecording(recording: EcgRecording, samples: Int16Array, options: ScoreOptions = {}): HeartScore {
  const seconds = samples.length / recording.fs;
  const input = ecgInput(recording, samples);
  const features = extractEcgFeatures(input, -1, seconds * 1e6 + 1, options.heart);
  const beatsUs = recording.beats.map((sample) => (sample / recording.fs) * 1e6);
  const found = realBeats(features);
  const matched = match(beatsUs, found);
  const offset = mean(matched.offsets);
  const series = intervalsOf(features, 0, Math.ceil(seconds));
  const minutes = Math.floor(seconds / 60);
  const spans = Math.floor(seconds / 300);
  const intervals = beatsUs.slice(1).map((us, i) => (us - beatsUs[i]!) / 1000);
  const timed = recording.name !== 'polar-h10';
  const respirationErrors: number[] = [];
  let respirationWindows = 0;
  if (recording.respiration) {
    const breaths = recording.respiration.impedanceBreaths.map((sample) => (sample / recording.fs) * 1e6);
    respirationRates(series, [], 0, Math.ceil(seconds), undefined, options.respirationShare).forEach((rate, i) => {
      const centre = (i + 0.5) * RESPIRATION_STEP_SECONDS;
      if (centre < RESPIRATION_HALF_SECONDS || centre > seconds - RESPIRATION_HALF_SECONDS) return;
      const reference = breathRate(breaths, centre);
      if (Number.isNaN(reference)) return;
      respirationWindows++;
      if (!Number.isNaN(rate)) respirationErrors.push(Math.abs(rate - reference));
    });
  }
  return {
    name: recording.name,
    reference: beatsUs.length,
    falseBeats: matched.falseBeats,
    missed: matched.missed,
    timingSdMs: Math.sqrt(mean(matched.offsets.map((value) => (value - offset) ** 2))),
    rateErrors: differences(
      ratePerMinute(series.endUs, series.intervalMs, minutes),
      ratePerMinute(beatsUs.slice(1), intervals, minutes),
    ),
    rmssdErrors: timed ? differences(ownRmssd(series, spans), referenceRmssd(recording, beatsUs, spans)) : [],
    respirationErrors,
    respirationWindows,
  };
}
