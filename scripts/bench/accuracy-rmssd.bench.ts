/**
 * RMSSD of each whole recording beside that of its reference normal beats, and the ectopic beats that still reach it. MARSH labels no
 * beats: normal are those whose intervals differ by less than 20 % from the one before (Malik 1989). The strap is in accuracy-rhythm.
 */
import { BEAT_KIND_MASK, BEAT_NORMAL, extractEcgFeatures } from '../../src-server/analytics/heart/index.ts';
import { intervalsOf } from '../../src-server/analytics/hrv/index.ts';
import { type EcgRecording, ecgInput, ecgRecordings, hasEcgData } from './ecg-data.ts';
import { ownRmssd, referenceRmssd, SINUS } from './heart-score.ts';
import { barRow } from './rows.ts';
import type { BenchRow } from './types.ts';

const MATCH_US = 150_000;
const ECTOPIC = 'VEAaJSF';
const MALIK_PART = 0.2;
/** Floors of each recording, and the least ectopic beats of one for their share to count. */
const MOST_ERROR_MS = 5;
const MOST_USED_PERCENT = 10;
const TEN = 10;
/** Recordings that miss a floor: the reason, and the floors that they have instead, so that they do not get worse unnoticed. */
const EXCEPTIONS: Readonly<Record<string, { errorMs?: number; usedPercent?: number; reason: string }>> = {
  'marsh-0018': { errorMs: 7, reason: 'its reference takes the deepest breaths for ectopic beats' },
  'marsh-3723': {
    errorMs: 9,
    reason: 'its reference takes deep breaths for ectopic beats: of all its beats it is what was found',
  },
  'mitdb-200': {
    errorMs: 8,
    reason: 'atrial ectopic beats of the usual shape on a varying rhythm, in noise that hides P waves',
  },
  'mitdb-208': { usedPercent: 15, reason: 'fusion beats, on time and of nearly the usual shape' },
  'mitdb-219': { usedPercent: 20, reason: 'in atrial fibrillation no beat is early' },
  'mitdb-222': {
    errorMs: 8,
    usedPercent: 35,
    reason: 'fibrillation, flutter and nodal rhythm: no sinus interval to compare with',
  },
};

/** Ectopic beats by label, and those of them that are taken for normal ones. */
function ectopicUsed(recording: EcgRecording, timesUs: Float64Array, kinds: Uint8Array): { all: number; used: number } {
  let [k, all, used] = [0, 0, 0];
  for (const [i, sample] of recording.beats.entries()) {
    if (!ECTOPIC.includes(recording.labels?.[i] ?? 'N')) continue;
    const us = (sample / recording.fs) * 1e6;
    while (k < timesUs.length && timesUs[k]! < us - MATCH_US) k++;
    all++;
    if (k < timesUs.length && timesUs[k]! <= us + MATCH_US && (kinds[k]! & BEAT_KIND_MASK) === BEAT_NORMAL) used++;
  }
  return { all, used };
}

/** Labels of the beats, of which a record without them has all those normal that do not change the interval by a fifth. */
function withLabels(recording: EcgRecording): EcgRecording {
  if (recording.labels) return recording;
  const { beats } = recording;
  const interval = (i: number): number => beats[i]! - beats[i - 1]!;
  const isSteady = (i: number): boolean =>
    i < 2 || Math.abs(interval(i) - interval(i - 1)) < MALIK_PART * interval(i - 1);
  // Both ends of a step are left out: which of them is ectopic is unknown.
  const labels = beats.map((_beat, i) => (isSteady(i) && (i === 0 || isSteady(i - 1)) ? 'N' : 'Q')).join('');
  return { ...recording, labels };
}

/** The strap's reference is good to 20 ms only, and accuracy-rhythm compares it by the strap's own intervals. */
const isTimed = ({ name }: EcgRecording): boolean => name !== 'polar-h10';

export async function run(): Promise<BenchRow[]> {
  if (!hasEcgData()) return [];
  const rows: BenchRow[] = [];
  const errors: number[] = [];
  for (const { recording, samples } of ecgRecordings()) {
    if (!isTimed(recording)) continue;
    const seconds = Math.ceil(samples.length / recording.fs);
    const features = extractEcgFeatures(ecgInput(recording, samples), -1, 1e16);
    const series = intervalsOf(features, 0, seconds);
    const beatsUs = recording.beats.map((sample) => (sample / recording.fs) * 1e6);
    const [own] = ownRmssd(series, 1, seconds);
    const [reference] = referenceRmssd(withLabels(recording), beatsUs, 1, seconds);
    const { timesUs, kinds } = features[0]!.beats;
    const { all, used } = ectopicUsed(recording, timesUs, kinds);
    const sinus = [...(recording.labels ?? '')].filter((label) => SINUS.includes(label)).length;
    const [ofAll] = referenceRmssd(recording, beatsUs, 1, seconds);
    const text = recording.labels
      ? `; ${used} of ${all} ectopic beats used beside ${sinus} normal ones`
      : ` (all its beats: ${ofAll!.toFixed(1)} ms)`;
    const error = Math.abs(own! - reference!);
    if (!Number.isNaN(error)) errors.push(error);
    const exception = EXCEPTIONS[recording.name];
    const name = `${recording.name}: RMSSD off its normal beats, ${own!.toFixed(1)} for ${Number.isNaN(reference!) ? 'too few' : `${reference!.toFixed(1)} ms`}${text}${exception ? ` (exception: ${exception.reason})` : ''}`;
    const mostError = exception?.errorMs ?? MOST_ERROR_MS;
    const mostUsed = exception?.usedPercent ?? MOST_USED_PERCENT;
    const value = Number.isNaN(error) ? 0 : error;
    rows.push({
      name,
      value,
      unit: 'ms',
      bar: `<= ${mostError} ms, ectopic used <= ${mostUsed} %`,
      pass: value <= mostError && (all < TEN || 100 * used <= mostUsed * all),
    });
  }
  const sorted = errors.toSorted((a, b) => a - b);
  return [...rows, barRow('RMSSD of a whole recording, median error', sorted[sorted.length >> 1]!, 'ms', 5)];
}
