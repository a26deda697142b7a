/** Accuracy of beats, heart rate, RMSSD and respiration on the real recordings of the developer set; no beat is excluded. */
import { ecgRecordings, hasEcgData } from './ecg-data.ts';
import { NOISES, type Noise, withNoise } from './ecg-noise.ts';
import { type HeartScore, mean, scoreRecording } from './heart-score.ts';
import { accuracyOf, barRow, comparedTo } from './rows.ts';
import type { BenchRow } from './types.ts';

/** Signal-to-noise ratio of the robustness rows. */
const NOISE_RATIO_DB = 12;

const MITDB = '16 records of the MIT-BIH Arrhythmia Database';
const MARSH = '6 recordings of MARSH at rest';

interface Sum {
  hits: number;
  wrong: number;
}

const add = (sum: Sum, score: HeartScore): void => {
  sum.hits += score.reference - score.missed.length;
  sum.wrong += score.missed.length + score.falseBeats.length;
};

const f1 = ({ hits, wrong }: Sum): number => (2 * hits) / (2 * hits + wrong);

export async function run(): Promise<BenchRow[]> {
  if (!hasEcgData()) return [];
  const scores: HeartScore[] = [];
  const clean: Sum = { hits: 0, wrong: 0 };
  const others: Sum = { hits: 0, wrong: 0 };
  const noisy = new Map<Noise, Sum>(NOISES.map((kind) => [kind, { hits: 0, wrong: 0 }]));
  for (const { recording, samples } of ecgRecordings()) {
    scores.push(scoreRecording(recording, samples));
    if (!recording.name.startsWith('mitdb')) {
      add(others, scores[scores.length - 1]!);
      continue;
    }
    add(clean, scores[scores.length - 1]!);
    for (const [kind, sum] of noisy) {
      const noisySamples = withNoise(samples, recording.fs, recording.beats, kind, NOISE_RATIO_DB, scores.length);
      add(sum, scoreRecording(recording, noisySamples));
    }
  }
  const mitdb = scores.filter((score) => score.name.startsWith('mitdb'));
  const rate = mitdb.flatMap((score) => score.rateErrors);
  const rmssd = mitdb.flatMap((score) => score.rmssdErrors);
  const breaths = scores.flatMap((score) => score.respirationErrors);
  const timing = mean(mitdb.map((score) => score.timingSdMs));
  const windows = scores.reduce((sum, score) => sum + score.respirationWindows, 0);
  return [
    {
      ...barRow('beats, F1 within 150 ms, 16 MIT-BIH records', f1(clean), '', 0.998, true),
      ...comparedTo('gqrs', 0.998, f1(clean)),
      accuracy: accuracyOf('heart_rate', MITDB),
    },
    {
      ...barRow('beats, F1 within 150 ms, other ECGs', f1(others), '', 0.998, true),
      accuracy: accuracyOf('heart_rate', `${MARSH}; a Polar H10 chest strap`),
    },
    {
      ...barRow('beat timing, SD after removing a constant offset, mean of records', timing, 'ms', 5),
      ...comparedTo('gqrs', 2, timing),
      accuracy: accuracyOf('heart_rate', MITDB),
    },
    {
      ...barRow('heart rate per minute, MAE', mean(rate), 'bpm', 0.5),
      ...comparedTo('nPoint', 2, mean(rate)),
      accuracy: accuracyOf('heart_rate', MITDB),
    },
    {
      ...barRow('RMSSD per five minutes, MAE', mean(rmssd), 'ms', 5),
      ...comparedTo('nPoint', 5.1, mean(rmssd)),
      accuracy: accuracyOf('rmssd', MITDB),
    },
    {
      ...barRow('respiration per minute where reported, MAE', mean(breaths), 'breaths/min', 1.3),
      ...comparedTo('nPoint, asleep', 1.3, mean(breaths)),
      accuracy: accuracyOf('respiration', MARSH),
    },
    {
      ...barRow('respiration, share of the time reported', breaths.length / windows, '', 0.5, true),
      accuracy: accuracyOf('respiration', MARSH),
    },
    ...[...noisy].map(
      ([kind, sum]): BenchRow => ({
        ...barRow(`beats, F1 lost to ${kind} at ${NOISE_RATIO_DB} dB`, 100 * (f1(clean) - f1(sum)), 'points', 1),
        accuracy: accuracyOf('heart_rate', `${MITDB}, noise added`),
      }),
    ),
  ];
}
