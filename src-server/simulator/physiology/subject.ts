/**
 * Synthetic physiology for the demo and for tests: one subject's heart, breathing, movement and sleep over days, the recordings
 * of body-worn sensors, and the ground truth. Everything follows from the seed; nothing reads a clock.
 */
import type { Span } from '../../analytics/types.ts';
import { OutpostError } from '../../errors.ts';
import { type Beats, simulateBeats, simulateBodyState, simulateSteps } from './body-state.ts';
import { planDays, type SecondsSpan } from './day-plan.ts';
import type { MotionSource } from './motion-signal.ts';
import type { SensorOptions, SimulationOptions } from './options.ts';
import { drawProfile, type SubjectProfile } from './profile.ts';
import { Random } from './random.ts';
import { mergeSpans, recordSensor, type SimulatedRecording, type Simulation } from './sensor-recordings.ts';

/** The ground truth of a simulation. Per-second rows start at `startMs`. */
export interface GroundTruth {
  seed: number;
  timeZone: string;
  startMs: number;
  stopMs: number;
  profile: SubjectProfile;
  /** Codes of ACTIVITIES in analytics/types.ts; known also while no sensor is worn. */
  activity: Uint8Array;
  /** Codes of LYING_POSTURES while lying, else 0. */
  lyingPosture: Uint8Array;
  asleep: Uint8Array;
  /** 1 while the sensors are on the body and recording: not during gaps and charging. */
  worn: Uint8Array;
  /** Breaths per minute. */
  respirationRate: Float32Array;
  /** 60 over the mean RR of the beats that end in the second; NaN in a second without one. */
  heartRate: Float32Array;
  steps: Uint8Array;
  /** Epoch microseconds. */
  beatTimesUs: Float64Array;
  /** BEAT_SINUS, BEAT_PREMATURE_VENTRICULAR or BEAT_PREMATURE_ATRIAL. */
  beatKinds: Uint8Array;
  stepTimesUs: Float64Array;
  /** From falling asleep to the final awakening. */
  sleep: Span[];
  offBody: Span[];
  charging: Span[];
  gaps: Span[];
}

export interface SimulatedSubject {
  truth: GroundTruth;
  /** In order of start; per sensor they never overlap. */
  recordings: SimulatedRecording[];
}

const DEFAULT_SENSORS: SensorOptions[] = [
  { location: 'MEDIAL_CHEST', side: 'NONE', part: 'chest', ecg: true },
  { location: 'ANTERIOR_THIGH', side: 'RIGHT', part: 'thigh', ecg: false },
];

const perSecond = (times: Float64Array, seconds: number): Uint8Array => {
  const counts = new Uint8Array(seconds);
  for (const time of times) if (time < seconds) counts[Math.floor(time)]!++;
  return counts;
};

const heartRatePerSecond = (beats: Beats, seconds: number): Float32Array => {
  const sums = new Float64Array(seconds);
  const counts = new Uint8Array(seconds);
  for (let i = 1; i < beats.count; i++) {
    const second = Math.floor(beats.times[i]!);
    if (second >= seconds) break;
    sums[second]! += beats.times[i]! - beats.times[i - 1]!;
    counts[second]!++;
  }
  return Float32Array.from(sums, (sum, i) => (counts[i]! > 0 ? (60 * counts[i]!) / sum : Number.NaN));
};

/**
 * Simulates one subject from `startMs` to `stopMs`.
 *
 * @throws OutpostError INVALID_INPUT when the span is empty or not on whole seconds
 */
export const simulateSubject = (options: SimulationOptions): SimulatedSubject => {
  const { seed, timeZone, startMs, stopMs } = options;
  if (!(stopMs > startMs) || startMs % 1000 !== 0 || stopMs % 1000 !== 0) {
    throw new OutpostError('INVALID_INPUT', 'A simulation needs a start and a later stop, both on whole seconds.');
  }
  const random = new Random(seed).fork('subject');
  const profile = drawProfile(random.fork('profile'), timeZone, options.profile);
  const plan = planDays(random.fork('plan'), profile, timeZone, startMs, stopMs, options.dailyCharging ?? true);
  const state = simulateBodyState(random.fork('state'), plan, profile);
  const beats = simulateBeats(random.fork('beats'), state, profile);
  const steps = simulateSteps(random.fork('steps'), plan);
  const seconds = state.activity.length;
  const toSeconds = (span: Span): SecondsSpan => ({
    start: (span.startMs - startMs) / 1000,
    stop: (span.stopMs - startMs) / 1000,
  });
  const toSpan = (span: SecondsSpan): Span => ({
    startMs: startMs + span.start * 1000,
    stopMs: startMs + span.stop * 1000,
  });
  const offBody = mergeSpans([...plan.offBody, ...(options.offBody ?? []).map(toSeconds)]);
  const gaps = mergeSpans((options.gaps ?? []).map(toSeconds));

  const worn = new Uint8Array(seconds).fill(1);
  for (const span of [...offBody, ...gaps, ...plan.charging]) {
    worn.fill(0, Math.max(0, Math.floor(span.start)), Math.max(0, Math.ceil(span.stop)));
  }
  const toEpochUs = (times: Float64Array) => Float64Array.from(times, (time) => startMs * 1000 + time * 1e6);
  const truth: GroundTruth = {
    seed,
    timeZone,
    startMs,
    stopMs,
    profile,
    activity: state.activity,
    lyingPosture: state.lying,
    asleep: state.asleep,
    worn,
    respirationRate: state.respiration,
    heartRate: heartRatePerSecond(beats, seconds),
    steps: perSecond(steps, seconds),
    beatTimesUs: toEpochUs(beats.times),
    beatKinds: beats.kinds,
    stepTimesUs: toEpochUs(steps),
    sleep: plan.sleep.map(toSpan),
    offBody: offBody.map(toSpan),
    charging: plan.charging.map(toSpan),
    gaps: gaps.map(toSpan),
  };
  const motion: MotionSource = { plan, state, steps, gaitRandom: random.fork('gait') };
  const simulation: Simulation = {
    options,
    random: random.fork('sensors'),
    profile,
    plan,
    state,
    beats,
    motion,
    offBody,
    gaps,
  };
  const recordings = (options.sensors ?? DEFAULT_SENSORS).flatMap((sensor, index) =>
    recordSensor(simulation, sensor, index),
  );
  return { truth, recordings: recordings.sort((a, b) => a.startUs - b.startUs) };
};
