/** Scores the analytics of one window of a simulated subject against its ground truth. */
import { analyseRecording, analyseWindow, featuresFrom } from '../analytics/index.ts';
import { ACTIVITIES, LYING_POSTURES, type RecordingFeatures, type WindowResult } from '../analytics/types.ts';
import type { GroundTruth, SimulatedSubject } from '../simulator/physiology/subject.ts';

export interface SimulationScore {
  /** Share of worn seconds with the true activity; lying awake and asleep count as one. */
  activity: number;
  /** (found - true) / true over the window. */
  steps: number;
  /** Mean absolute error of the heart rate per minute, beats/min, over minutes with half of their time in intervals. */
  heartRate: number;
  /** Mean absolute error of the breathing rate per minute asleep where reported, and the share of minutes reported. */
  respiration: number;
  respirationShare: number;
  /** Share of seconds truly asleep that have the true lying posture (either half of a pair counts). */
  sleepingPosture: number;
  /** Cohen's kappa of asleep per second while worn. */
  asleep: number;
  /** Share of seconds whose wear is right, of those recorded. */
  wear: number;
}

export function featuresOf({ recordings }: SimulatedSubject): RecordingFeatures[] {
  return recordings.map((recording) => {
    const { header, startUs, stopUs } = recording;
    const pages = [...recording.pages()];
    const { location } = header.physicalConfig;
    const inputs = header.channels.map(({ type, scale, offset, nominalRateHz }, channel) => ({
      type: type as 'ECG' | 'ACCEL',
      location,
      scale,
      offset,
      nominalRateHz,
      chunks: pages.filter((page) => page.channel === channel),
    }));
    return analyseRecording(header.recordingId, location, inputs, startUs, stopUs);
  });
}

/** The whole simulation as one window; it should be a day from noon to noon, or less. */
export function analyseSimulation(subject: SimulatedSubject): WindowResult {
  const { startMs, stopMs } = subject.truth;
  return analyseWindow({ date: '2000-01-01', startMs, stopMs }, featuresFrom(featuresOf(subject)), []);
}

const isLying = (code: number): boolean => ACTIVITIES[code]?.endsWith(':LYING') ?? false;
const mean = (values: number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;

export function scoreSimulation(truth: GroundTruth, { seconds }: WindowResult): SimulationScore {
  let worn = 0;
  let agreed = 0;
  let trueSteps = 0;
  let foundSteps = 0;
  let recorded = 0;
  let wearRight = 0;
  let postureSeconds = 0;
  let postureRight = 0;
  const sleep = [0, 0, 0, 0];
  for (let i = 0; i < seconds.count; i++) {
    if (seconds.recorded[i] === 1) {
      recorded++;
      if (seconds.worn[i] === truth.worn[i]) wearRight++;
    }
    if (truth.worn[i] === 0) continue;
    worn++;
    const was = truth.activity[i]!;
    const found = seconds.activity[i]!;
    if (was === found || (isLying(was) && isLying(found))) agreed++;
    trueSteps += truth.steps[i]!;
    foundSteps += seconds.steps[i]!;
    sleep[2 * truth.asleep[i]! + seconds.asleep[i]!]!++;
    if (truth.asleep[i] === 1 && seconds.asleep[i] === 1 && truth.lyingPosture[i]! > 0) {
      postureSeconds++;
      const code = seconds.sleepingPosture[i]!;
      const names = [LYING_POSTURES[code & 15], LYING_POSTURES[code >> 4]];
      if (names.includes(LYING_POSTURES[truth.lyingPosture[i]!])) postureRight++;
    }
  }
  const asleepTruly = sleep[2]! + sleep[3]!;
  const asleepFound = sleep[1]! + sleep[3]!;
  const chance = (asleepTruly * asleepFound + (worn - asleepTruly) * (worn - asleepFound)) / (worn * worn);
  return {
    activity: agreed / worn,
    steps: (foundSteps - trueSteps) / trueSteps,
    heartRate: mean(heartRateErrors(truth, seconds)),
    ...respirationOf(truth, seconds),
    sleepingPosture: postureRight / postureSeconds,
    asleep: ((sleep[0]! + sleep[3]!) / worn - chance) / (1 - chance),
    wear: wearRight / recorded,
  };
}

function heartRateErrors(truth: GroundTruth, seconds: WindowResult['seconds']): number[] {
  const minutes = Math.floor(seconds.count / 60);
  const sums = new Float64Array(minutes);
  const counts = new Uint32Array(minutes);
  for (let i = 1; i < truth.beatTimesUs.length; i++) {
    const minute = Math.floor((truth.beatTimesUs[i]! / 1000 - truth.startMs) / 60_000);
    if (minute < 0 || minute >= minutes) continue;
    sums[minute]! += (truth.beatTimesUs[i]! - truth.beatTimesUs[i - 1]!) / 1000;
    counts[minute]!++;
  }
  const errors: number[] = [];
  for (let m = 0; m < minutes; m++) {
    let sum = 0;
    let count = 0;
    for (let i = 60 * m; i < 60 * (m + 1); i++) {
      sum += seconds.rrSumMs[i]!;
      count += seconds.rrCount[i]!;
    }
    if (sum >= 30_000) errors.push(Math.abs((60_000 * count) / sum - (60_000 * counts[m]!) / sums[m]!));
  }
  return errors;
}

function respirationOf(
  truth: GroundTruth,
  seconds: WindowResult['seconds'],
): Pick<SimulationScore, 'respiration' | 'respirationShare'> {
  const errors: number[] = [];
  let asked = 0;
  for (let from = 0; from + 60 <= seconds.count; from += 60) {
    let known = 0;
    let found = 0;
    let really = 0;
    let asleep = 0;
    for (let i = from; i < from + 60; i++) {
      asleep += truth.asleep[i]! & truth.worn[i]! & seconds.asleep[i]!;
      really += truth.respirationRate[i]! / 60;
      if (Number.isNaN(seconds.respiration[i])) continue;
      known++;
      found += seconds.respiration[i]!;
    }
    if (asleep < 60) continue;
    asked++;
    if (known >= 30) errors.push(Math.abs(found / known - really));
  }
  return { respiration: mean(errors), respirationShare: errors.length / asked };
}
