/**
 * Leave-one-out cross-validation of the tuned parameters: beats and RMSSD by record, respiration by volunteer, activity by
 * wearer, steps by walk. These figures are closer to what new recordings would get than those of the tuned settings.
 */
import { join } from 'node:path';
import { HEART_SETTINGS } from '../../src-server/analytics/heart/settings.ts';
import { extractMotionFeatures } from '../../src-server/analytics/motion/features.ts';
import { fuseMotion } from '../../src-server/analytics/motion/index.ts';
import { ACTIVITY_SETTINGS, STEP_SETTINGS } from '../../src-server/analytics/motion/settings.ts';
import { ACTIVITIES } from '../../src-server/analytics/types.ts';
import { realData } from '../../src-server/testing/real-data.ts';
import { ecgRecordings, hasEcgData } from './ecg-data.ts';
import { scoreRecording } from './heart-score.ts';
import { type Loss, leaveOneOut, neighbours } from './leave-one-out.ts';
import {
  EPOCH_SECOND,
  labelledSeconds,
  type MotionRecording,
  motionRecordings,
  secondOfSample,
  signalInput,
} from './motion-data.ts';
import { accuracyOf, barRow } from './rows.ts';
import type { BenchRow } from './types.ts';

/** One parameter at a time, changed by a fifth. */
const FACTORS = [0.8, 1.2];
const SHARES = [0.5, 0.4, 0.45, 0.55, 0.6];
const ALWAYS = 4e15;
const MITDB = '16 records of the MIT-BIH Arrhythmia Database';

const lossOf = (errors: readonly number[]): Loss => ({
  sum: errors.reduce((sum, error) => sum + error, 0),
  count: errors.length,
});

function heartRows(): BenchRow[] {
  const recordings = [...ecgRecordings()];
  const records = recordings.filter(({ recording }) => recording.name.startsWith('mitdb'));
  const scores = neighbours(HEART_SETTINGS, FACTORS).map((settings) =>
    records.map(({ recording, samples }) => scoreRecording(recording, samples, { heart: settings })),
  );
  // 1 - F1 = wrong / (2 x hits + wrong).
  const beats = leaveOneOut(
    scores.map((candidate) =>
      candidate.map(({ falseBeats, missed, reference }) => {
        const wrong = falseBeats.length + missed.length;
        return { sum: wrong, count: 2 * (reference - missed.length) + wrong };
      }),
    ),
  );
  const rmssd = leaveOneOut(scores.map((candidate) => candidate.map(({ rmssdErrors }) => lossOf(rmssdErrors))));
  const breathers = recordings.filter(({ recording }) => recording.respiration);
  const breaths = leaveOneOut(
    SHARES.map((respirationShare) =>
      breathers.map(({ recording, samples }) =>
        lossOf(scoreRecording(recording, samples, { respirationShare }).respirationErrors),
      ),
    ),
  );
  return [
    {
      ...barRow('beats, F1, leave one record out', 1 - beats.leaveOneOut, '', 0.998, true),
      accuracy: accuracyOf('heart_rate', MITDB),
    },
    {
      ...barRow('beats, F1, worst change of one parameter by a fifth', 1 - beats.worst, '', 0.997, true),
      accuracy: accuracyOf('heart_rate', MITDB),
    },
    {
      ...barRow('RMSSD per five minutes, MAE, leave one record out', rmssd.leaveOneOut, 'ms', 5),
      accuracy: accuracyOf('rmssd', MITDB),
    },
    {
      name: 'RMSSD per five minutes, MAE, worst change of one parameter by a fifth',
      value: rmssd.worst,
      unit: 'ms',
      pass: true,
      accuracy: accuracyOf('rmssd', MITDB),
    },
    {
      ...barRow('respiration per minute, MAE, leave one volunteer out', breaths.leaveOneOut, 'breaths/min', 1.3),
      accuracy: accuracyOf('respiration', '6 recordings of MARSH at rest'),
    },
  ];
}

const secondsOf = (recording: MotionRecording): number =>
  Math.ceil(secondOfSample(recording, recording.samples - 1)) + 2;

function activityRows(folder: string, title: string, bar: number): BenchRow[] {
  const candidates = neighbours(ACTIVITY_SETTINGS, FACTORS);
  const losses: Loss[][] = candidates.map(() => []);
  for (const recording of motionRecordings(folder)) {
    const sensors = Object.keys(recording.sites).map((site) =>
      extractMotionFeatures(signalInput(folder, recording, site), 0, ALWAYS),
    );
    const labelled = labelledSeconds(recording);
    for (const [c, settings] of candidates.entries()) {
      const { activity } = fuseMotion(EPOCH_SECOND, secondsOf(recording), sensors, [], [], settings);
      const wrong = labelled.filter(({ truth, row }) => ACTIVITIES[activity[row]!] !== truth).length;
      losses[c]!.push({ sum: wrong, count: labelled.length });
    }
  }
  const found = leaveOneOut(losses);
  const data = accuracyOf('activity', `${title}, thigh and back`);
  return [
    {
      ...barRow(`six-class accuracy, ${title}, leave one wearer out`, 1 - found.leaveOneOut, '', bar, true),
      accuracy: data,
    },
    {
      name: `six-class accuracy, ${title}, worst change of one parameter by a fifth`,
      value: 1 - found.worst,
      unit: '',
      pass: true,
      accuracy: data,
    },
  ];
}

function stepRows(folder: string): BenchRow[] {
  const walks = motionRecordings(folder).filter(({ sites }) => !('hip' in sites));
  const wearers = [...new Set(walks.map(({ subject }) => subject))];
  const losses = neighbours(STEP_SETTINGS, FACTORS).map((settings) => {
    const errors = walks.map((walk) => {
      const sensors = Object.keys(walk.sites).map((site) =>
        extractMotionFeatures(signalInput(folder, walk, site), 0, ALWAYS, settings),
      );
      const found = fuseMotion(EPOCH_SECOND, secondsOf(walk), sensors, [], []).stepsUs.length;
      return (100 * Math.abs(found - walk.steps!.length)) / walk.steps!.length;
    });
    return wearers.map((wearer) => lossOf(errors.filter((_error, i) => walks[i]!.subject === wearer)));
  });
  const found = leaveOneOut(losses);
  const data = accuracyOf('steps', 'Oxford step set, chest pouch and thigh pocket');
  return [
    {
      ...barRow('steps, mean absolute error, leave one wearer out', found.leaveOneOut, '%', 2.5),
      accuracy: data,
    },
    {
      name: 'steps, mean absolute error, worst change of one parameter by a fifth',
      value: found.worst,
      unit: '%',
      pass: true,
      accuracy: data,
    },
  ];
}

export async function run(): Promise<BenchRow[]> {
  const motion = realData('motion');
  return [
    ...(hasEcgData() ? heartRows() : []),
    ...(motion
      ? [
          ...activityRows(join(motion, 'harth'), 'HARTH', 0.93),
          ...activityRows(join(motion, 'har70'), 'HAR70+', 0.91),
          ...stepRows(join(motion, 'oxstep')),
        ]
      : []),
  ];
}
