/**
 * Accuracy of motion and sleep on the real recordings of the developer set. A few thresholds of the activity and step rules
 * were tuned on these recordings; the fitted sleep rule is scored with leave-one-subject-out cross-validation.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { extractMotionFeatures } from '../../src-server/analytics/motion/features.ts';
import { fuseMotion, type MotionSpan } from '../../src-server/analytics/motion/index.ts';
import { ACTIVITIES } from '../../src-server/analytics/types.ts';
import { realData } from '../../src-server/testing/real-data.ts';
import { crossValidatedKappa, readNights } from '../models/sleep-epochs.ts';
import {
  EPOCH_SECOND,
  labelledSeconds,
  type MotionRecording,
  motionRecordings,
  secondOfSample,
  signalInput,
} from './motion-data.ts';
import { scoreNights } from './night-score.ts';
import { accuracyOf, barRow, comparedTo } from './rows.ts';
import type { BenchRow } from './types.ts';

const ALWAYS = 4e15;

function fused(folder: string, recording: MotionRecording): MotionSpan {
  const sensors = Object.keys(recording.sites).map((site) =>
    extractMotionFeatures(signalInput(folder, recording, site), 0, ALWAYS),
  );
  const seconds = Math.ceil(secondOfSample(recording, recording.samples - 1)) + 2;
  return fuseMotion(EPOCH_SECOND, seconds, sensors, [], []);
}

function activityRows(folder: string, title: string, bar: number, peerValue: number): BenchRow[] {
  let right = 0;
  let total = 0;
  const falseSteps = new Map<string, { steps: number; seconds: number }>();
  for (const recording of motionRecordings(folder)) {
    const span = fused(folder, recording);
    for (const { truth, row } of labelledSeconds(recording)) {
      total++;
      if (ACTIVITIES[span.activity[row]!] === truth) right++;
      if (truth === 'MOVING:CYCLING' || truth === 'RESTING:SITTING' || truth === 'RESTING:LYING') {
        const sum = falseSteps.get(truth) ?? { steps: 0, seconds: 0 };
        sum.steps += span.steps[row]!;
        sum.seconds++;
        falseSteps.set(truth, sum);
      }
    }
  }
  const accuracy = right / total;
  const rows: BenchRow[] = [
    {
      ...barRow(`six-class accuracy per second, ${title}`, accuracy, '', bar, true),
      ...comparedTo('ActiMotus', peerValue, accuracy),
      accuracy: accuracyOf('activity', `${title}, thigh and back`),
    },
  ];
  const all = [...falseSteps.values()].reduce((a, b) => ({ steps: a.steps + b.steps, seconds: a.seconds + b.seconds }));
  for (const [truth, { steps, seconds }] of falseSteps) {
    rows.push({ name: `false steps, ${title}, ${truth}`, value: (60 * steps) / seconds, unit: '/min', pass: true });
  }
  const perMinute = (60 * all.steps) / all.seconds;
  rows.push({
    name: `false steps, ${title}, cycling + sitting + lying`,
    value: perMinute,
    unit: '/min',
    bar: '<= 1/min',
    pass: perMinute <= 1,
    accuracy: accuracyOf('steps', `${title}, thigh and back`),
  });
  return rows;
}

function stepRow(folder: string): BenchRow {
  const recordings = motionRecordings(folder).filter((recording) => !('hip' in recording.sites));
  let sum = 0;
  for (const recording of recordings) {
    const found = fused(folder, recording).stepsUs.length;
    sum += Math.abs(found - recording.steps!.length) / recording.steps!.length;
  }
  const percent = (100 * sum) / recordings.length;
  return {
    ...barRow('steps, mean absolute error of a walk', percent, '%', 2.5),
    ...comparedTo('ActiMotus', 4, percent),
    accuracy: accuracyOf('steps', 'Oxford step set, chest pouch and thigh pocket'),
  };
}

function sleepRow(folder: string): BenchRow {
  const value = crossValidatedKappa(readNights(folder));
  return {
    ...barRow('sleep/wake kappa of the wrist rule, leave one night out', value, '', 0.45, true),
    ...comparedTo('one threshold', 0.35, value),
    accuracy: accuracyOf('sleep', '16 nights of sleep-accel with polysomnography'),
  };
}

/** Scores the sleep detector on the same nights, with wrist counts in place of a trunk sensor. */
function nightRows(folder: string): BenchRow[] {
  const { kappa, onsetMinutes, asleepMinutes } = scoreNights(folder);
  const accuracy = accuracyOf('sleep', '16 nights of sleep-accel, wrist counts in place of a trunk sensor');
  return [
    {
      ...barRow('sleep/wake kappa in bed, sleep periods', kappa, '', 0.35, true),
      ...comparedTo('one threshold', 0.35, kappa),
      accuracy,
    },
    { ...barRow('sleep onset, mean absolute error', onsetMinutes, 'min', 15), accuracy },
    { name: 'time asleep, mean absolute error', value: asleepMinutes, unit: 'min', pass: true, accuracy },
  ];
}

function countRow(folder: string): BenchRow {
  let difference = 0;
  let reference = 0;
  for (const name of ['har70-501', 'har70-503', 'harth-S033', 'harth-S035']) {
    const source = join(folder, name.split('-')[0]!);
    const recording = motionRecordings(source).find((candidate) => candidate.name === name)!;
    const file = JSON.parse(readFileSync(join(folder, 'agcounts', `${name}.json`), 'utf8')) as {
      sites: Record<string, number[][]>;
    };
    for (const [site, epochs] of Object.entries(file.sites)) {
      const { columns } = extractMotionFeatures(signalInput(source, recording, site, true), 0, ALWAYS).segments[0]!;
      epochs.forEach((epoch, minute) => {
        (['countsX', 'countsY', 'countsZ'] as const).forEach((name, axis) => {
          let sum = 0;
          for (let row = 60 * minute; row < 60 * (minute + 1); row++) sum += columns[name]![row]!;
          difference += Math.abs(sum - epoch[axis]!);
          reference += epoch[axis]!;
        });
      });
    }
  }
  const percent = (100 * difference) / reference;
  return {
    ...barRow('counts per minute and axis, mean absolute difference to ActiGraph', percent, '%', 1),
    accuracy: accuracyOf('counts', '2 recordings each of HARTH and HAR70+ through the published ActiGraph package'),
  };
}

export async function run(): Promise<BenchRow[]> {
  const folder = realData('motion');
  if (folder === null) return [];
  return [
    ...activityRows(join(folder, 'harth'), 'HARTH', 0.93, 0.914),
    ...activityRows(join(folder, 'har70'), 'HAR70+', 0.91, 0.867),
    stepRow(join(folder, 'oxstep')),
    sleepRow(join(folder, 'sleep')),
    ...nightRows(join(folder, 'sleep')),
    countRow(folder),
  ];
}
