/**
 * Ectopic beats against the annotations of the records, as the metrics count them: sensitivity and positive predictive value (PPV) of each
 * record and of all, of ventricular and of supraventricular ones. Beats are matched within 150 ms; as in ANSI/AAMI EC57 a fusion or
 * unclassifiable beat counts neither for nor against. The share of ectopic beats among all is compared too: PPV alone is harsh where a
 * record has hardly any.
 */
import { extractEcgFeatures } from '../../src-server/analytics/heart/index.ts';
import { intervalsOf } from '../../src-server/analytics/hrv/index.ts';
import { atrialFibrillationSeconds } from '../../src-server/analytics/rhythm/atrial-fibrillation.ts';
import { countedBeats } from '../../src-server/analytics/rhythm/seconds.ts';
import { type EcgRecording, ecgInput, ecgRecordings, hasEcgData } from './ecg-data.ts';
import { accuracyOf, barRow } from './rows.ts';
import type { BenchRow } from './types.ts';

const MITDB = '16 records of the MIT-BIH Arrhythmia Database';
const MATCH_US = 150_000;
const NEITHER = 'FQ';

/** Classes of AAMI with their labels, and the bars: pooled, and the floors of each record. */
interface BeatClass {
  name: 'ventricular' | 'supraventricular';
  labels: string;
  leastSensitivity: number;
  leastPpv: number;
  /** Of a record with ten or more such beats. */
  recordSensitivity: number;
  recordPpv: number;
  /** Wrong ones per hundred beats of a record with fewer. */
  mostWrongPercent: number;
  /** Records that miss a floor: the reason, and the floors that they have instead. */
  exceptions: Readonly<Record<string, { sensitivity?: number; ppv?: number; wrongPercent?: number; reason: string }>>;
}

const TEN = 10;
const CLASSES: readonly BeatClass[] = [
  {
    name: 'ventricular',
    labels: 'VE',
    leastSensitivity: 97,
    leastPpv: 95,
    recordSensitivity: 85,
    recordPpv: 80,
    mostWrongPercent: 0.5,
    exceptions: {
      'mitdb-108': { sensitivity: 65, ppv: 20, reason: 'its complexes change shape with noise, for beats at a time' },
      'mitdb-222': { wrongPercent: 3, reason: 'beats that are conducted late in atrial fibrillation and flutter' },
    },
  },
  {
    name: 'supraventricular',
    labels: 'AaJS',
    leastSensitivity: 60,
    leastPpv: 80,
    recordSensitivity: 60,
    recordPpv: 60,
    mostWrongPercent: 0.5,
    exceptions: {
      'mitdb-200': { sensitivity: 15, ppv: 25, reason: 'noise hides its P waves, without which none counts' },
      'mitdb-202': { sensitivity: 35, reason: 'half of them stand beside atrial fibrillation and flutter' },
      'mitdb-208': { wrongPercent: 0.8, reason: 'fusion beats amid couplets, early and of nearly the usual shape' },
      'mitdb-222': {
        sensitivity: 8,
        reason: 'nodal rhythm, atrial bigeminy and flutter have no P waves before the beats',
      },
    },
  },
];

interface Score {
  hits: number;
  missed: number;
  wrong: number;
}

const sensitivity = ({ hits, missed }: Score): number => (100 * hits) / (hits + missed);
const ppv = ({ hits, wrong }: Score): number => (100 * hits) / (hits + wrong);
const percent = (value: number): string => (Number.isNaN(value) ? 'none' : `${value.toFixed(1)} %`);
const textOf = (score: Score): string =>
  `sensitivity ${percent(sensitivity(score))} of ${score.hits + score.missed}, PPV ${percent(ppv(score))} of ${score.hits + score.wrong}`;

/** Scores the beats that are counted, ascending; each that matches no reference beat is wrong. */
function scoreOf(recording: EcgRecording, countedUs: ArrayLike<number>, labels: string): Score {
  const score: Score = { hits: 0, missed: 0, wrong: 0 };
  let k = 0;
  for (const [i, sample] of recording.beats.entries()) {
    const us = (sample / recording.fs) * 1e6;
    for (; k < countedUs.length && countedUs[k]! < us - MATCH_US; k++) score.wrong++;
    const isCounted = k < countedUs.length && countedUs[k]! <= us + MATCH_US;
    // One nearer to the next reference beat is that one's.
    const nextUs = ((recording.beats[i + 1] ?? Number.POSITIVE_INFINITY) / recording.fs) * 1e6;
    const isOwn = isCounted && Math.abs(countedUs[k]! - us) <= Math.abs(countedUs[k]! - nextUs);
    const label = recording.labels![i]!;
    if (labels.includes(label)) score[isOwn ? 'hits' : 'missed']++;
    else if (isOwn && !NEITHER.includes(label)) score.wrong++;
    if (isOwn) k++;
  }
  score.wrong += countedUs.length - k;
  return score;
}

function rowOf({ recording, score }: { recording: EcgRecording; score: Score }, of: BeatClass): BenchRow {
  const exception = of.exceptions[recording.name];
  const name = `${recording.name}: ${of.name}, ${textOf(score)}${exception ? ` (exception: ${exception.reason})` : ''}`;
  if (score.hits + score.missed < TEN) {
    const wrong = (100 * score.wrong) / recording.beats.length;
    return barRow(`${name}; wrong per hundred beats`, wrong, '%', exception?.wrongPercent ?? of.mostWrongPercent);
  }
  const least = exception?.sensitivity ?? of.recordSensitivity;
  const leastPpv = exception?.ppv ?? of.recordPpv;
  return {
    name,
    value: sensitivity(score),
    unit: '%',
    bar: `>= ${least} %, PPV >= ${leastPpv} %`,
    pass: sensitivity(score) >= least && ppv(score) >= leastPpv,
  };
}

export async function run(): Promise<BenchRow[]> {
  if (!hasEcgData()) return [];
  const records = [...ecgRecordings()]
    .filter(({ recording }) => recording.labels)
    .map(({ recording, samples }) => {
      const seconds = Math.ceil(samples.length / recording.fs);
      const series = intervalsOf(extractEcgFeatures(ecgInput(recording, samples), -1, 1e16), 0, seconds);
      return { recording, counted: countedBeats(series, 0, atrialFibrillationSeconds(series, 0, seconds)) };
    });
  return CLASSES.flatMap((of) => {
    const scores = records.map(({ recording, counted }) => ({
      recording,
      score: scoreOf(recording, counted[of.name], of.labels),
    }));
    const all: Score = { hits: 0, missed: 0, wrong: 0 };
    for (const { score } of scores) for (const key of ['hits', 'missed', 'wrong'] as const) all[key] += score[key];
    const pooled = (what: string, value: number, bar: number): BenchRow => ({
      ...barRow(`${of.name} beats, ${what}, all records together`, value, '%', bar, true),
      accuracy: accuracyOf('ectopy', MITDB),
    });
    return [
      ...scores.map((one) => rowOf(one, of)),
      pooled('sensitivity', sensitivity(all), of.leastSensitivity),
      pooled('PPV', ppv(all), of.leastPpv),
    ];
  });
}
