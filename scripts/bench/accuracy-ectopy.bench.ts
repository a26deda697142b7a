/**
 * Ventricular ectopic beats against the annotations of the records: sensitivity and positive predictive value (PPV) of each record
 * and of all. Beats are matched within 150 ms; as in ANSI/AAMI EC57 a fusion or unclassifiable beat counts neither for nor against.
 */
import { BEAT_VENTRICULAR, extractEcgFeatures } from '../../src-server/analytics/heart/index.ts';
import { type EcgRecording, ecgInput, ecgRecordings, hasEcgData } from './ecg-data.ts';
import { accuracyOf, barRow } from './rows.ts';
import type { BenchRow } from './types.ts';

const MITDB = '16 records of the MIT-BIH Arrhythmia Database';
const MATCH_US = 150_000;
const VENTRICULAR = 'VE';
const NEITHER = 'FQ';

interface Score {
  hits: number;
  missed: number;
  wrong: number;
}

const none = (): Score => ({ hits: 0, missed: 0, wrong: 0 });
const sensitivity = ({ hits, missed }: Score): number => (100 * hits) / (hits + missed);
const ppv = ({ hits, wrong }: Score): number => (100 * hits) / (hits + wrong);
const add = (sum: Score, { hits, missed, wrong }: Score): void => {
  sum.hits += hits;
  sum.missed += missed;
  sum.wrong += wrong;
};
const percent = (value: number): string => (Number.isNaN(value) ? 'none' : `${value.toFixed(1)} %`);
const texts = (score: Score): string =>
  `sensitivity ${percent(sensitivity(score))} of ${score.hits + score.missed}, PPV ${percent(ppv(score))} of ${score.hits + score.wrong}`;

/** Scores the beats that are counted; each that matches no reference beat is wrong. */
function scoreVentricular(recording: EcgRecording, samples: Int16Array): Score {
  const features = extractEcgFeatures(ecgInput(recording, samples), -1, 1e16);
  const { timesUs, kinds } = features[0]!.beats;
  const isCounted = (beat: number): boolean => (kinds[beat]! & BEAT_VENTRICULAR) !== 0;
  const score = none();
  let k = 0;
  for (const [i, sample] of recording.beats.entries()) {
    const us = (sample / recording.fs) * 1e6;
    for (; k < timesUs.length && timesUs[k]! < us - MATCH_US; k++) if (isCounted(k)) score.wrong++;
    const isFound = k < timesUs.length && timesUs[k]! <= us + MATCH_US;
    const isClass = isFound && isCounted(k);
    const label = recording.labels![i]!;
    if (VENTRICULAR.includes(label)) score[isClass ? 'hits' : 'missed']++;
    else if (isClass && !NEITHER.includes(label)) score.wrong++;
    if (isFound) k++;
  }
  for (; k < timesUs.length; k++) if (isCounted(k)) score.wrong++;
  return score;
}

export async function run(): Promise<BenchRow[]> {
  if (!hasEcgData()) return [];
  const rows: BenchRow[] = [];
  const ventricular = none();
  for (const { recording, samples } of ecgRecordings()) {
    if (!recording.labels) continue;
    const score = scoreVentricular(recording, samples);
    add(ventricular, score);
    const value = sensitivity(score);
    const name = `${recording.name}: ventricular, ${texts(score)}`;
    rows.push({ name, value: Number.isNaN(value) ? 0 : value, unit: '%', pass: true });
  }
  const pooled = (what: string, value: number, bar: number): BenchRow => ({
    ...barRow(what, value, '%', bar, true),
    accuracy: accuracyOf('ectopy', MITDB),
  });
  return [
    ...rows,
    pooled('ventricular beats, sensitivity, all records together', sensitivity(ventricular), 95),
    pooled('ventricular beats, PPV, all records together', ppv(ventricular), 88),
  ];
}
