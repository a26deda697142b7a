/**
 * Synthetic physiology for the demo and for tests: one subject's heart, breath, movement and nights over days, what
 * body-worn sensors record of them, and the ground truth beside it. Everything follows from the seed; nothing reads a
 * clock. Pages are made while they are asked for, so days of signal need little memory.
 */
import { createHash } from 'node:crypto';
import type { Span } from '../../analytics/types.ts';
import { OutpostError } from '../../errors.ts';
import type { SignalChannel, SignalHeader, SignalPage } from '../../signals/types.ts';
import { type Beats, type BodyState, simulateBeats, simulateBodyState, simulateSteps } from './body-state.ts';
import { type DayPlan, planDays, type SecondsSpan } from './day-plan.ts';
import { ECG_SCALE_V, EcgRenderer } from './ecg-signal.ts';
import {
  ACCEL_SCALE_G,
  type BodyPart,
  MotionRenderer,
  type MotionSource,
  type Orientation,
  tilt,
} from './motion-signal.ts';
import { drawProfile, type SubjectProfile } from './profile.ts';
import { Random } from './random.ts';
import { SensorClock } from './sensor-clock.ts';

const ECG_RATE_HZ = 250;
const ACCEL_RATE_HZ = 31.25;

export interface SensorOptions {
  /** As on the wire: MEDIAL_CHEST, ECG_LEAD_II, ANTERIOR_THIGH ... */
  location: string;
  side: string;
  /** Which part of the body the place moves with. */
  part: BodyPart;
  ecg: boolean;
  /** Axes of the sensor; `random` is any way up. Default: x up, y right, z forward (right-handed, as real chips are), off by some degrees. */
  orientation?: Orientation | 'random';
  /** True sampling rate over nominal; drawn from 0.981 to 1.008 when absent. */
  rateRatio?: number;
  udid?: string;
}

export interface SimulationOptions {
  seed: number;
  /** IANA name; the day plan follows its local time. */
  timeZone: string;
  /** Epoch milliseconds, whole seconds. */
  startMs: number;
  stopMs: number;
  profile?: Partial<SubjectProfile>;
  /** Default: ECG and acceleration at the chest, acceleration at the right thigh. */
  sensors?: SensorOptions[];
  /** Once a day the sensors go into their charger, which ends a recording and begins the next. Default true. */
  dailyCharging?: boolean;
  /** Times in which no sensor records anything, such as a forgotten evening. */
  gaps?: Span[];
  /** Times in which the sensors are off the body but recording, beside those around charging. */
  offBody?: Span[];
  /** Short losses of samples inside recordings, 2 to 40 s each. Default 1 per day and sensor. */
  dropoutsPerDay?: number;
}

/** What was really so. Per-second rows start at `startMs`. */
export interface GroundTruth {
  seed: number;
  timeZone: string;
  startMs: number;
  stopMs: number;
  profile: SubjectProfile;
  /** Codes of ACTIVITIES in analytics/types.ts, also while no sensor is worn. */
  activity: Uint8Array;
  /** Codes of LYING_POSTURES while lying, else 0. */
  lyingPosture: Uint8Array;
  asleep: Uint8Array;
  /** 1 while the sensors are on the body and recording, gaps on request and charging left out. */
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

export interface SimulatedRecording {
  header: SignalHeader;
  /** Time of the first sample and of the end of the last one. */
  startUs: number;
  stopUs: number;
  /** Samples lost inside the recording, epoch microseconds. */
  dropouts: { startUs: number; stopUs: number }[];
  /** All channels, page by page in order of time. Each call starts anew and gives the same pages. */
  pages(): Generator<SignalPage, void, undefined>;
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

const ALIGNED: Orientation = [
  [1, 0, 0],
  [0, -1, 0],
  [0, 0, 1],
];

/** Seconds in which anything of `spans` holds, as ascending spans that do not touch. */
const merged = (spans: SecondsSpan[]): SecondsSpan[] => {
  const result: SecondsSpan[] = [];
  for (const span of [...spans].sort((a, b) => a.start - b.start)) {
    const last = result.at(-1);
    if (last && span.start <= last.stop) last.stop = Math.max(last.stop, span.stop);
    else if (span.stop > span.start) result.push({ ...span });
  }
  return result;
};

/** A UUIDv7 (RFC 9562) of a given time whose random bits come from the stream. */
const uuidV7 = (random: Random, epochMs: number): string => {
  const time = Math.floor(epochMs).toString(16).padStart(12, '0');
  const word = () => random.uint32().toString(16).padStart(8, '0');
  const variant = ((random.uint32() & 0x3f) | 0x80).toString(16);
  return `${time.slice(0, 8)}-${time.slice(8)}-7${word().slice(0, 3)}-${variant}${word().slice(0, 2)}-${word()}${word().slice(0, 4)}`;
};

const SERIAL_LETTERS = 'abcdefghijklmnopqrstuvwxyz0123456789';

const randomOrientation = (random: Random): Orientation =>
  tilt(
    tilt(ALIGNED, random.range(-Math.PI, Math.PI), random.range(-Math.PI, Math.PI), random.range(-Math.PI, Math.PI)),
    random.range(-Math.PI, Math.PI),
    0,
    0,
  );

/** A patch sits nearly straight; the breastbone leans back by about 15 degrees. */
const mountedOrientation = (random: Random, part: BodyPart): Orientation =>
  tilt(
    ALIGNED,
    random.range(-0.08, 0.08),
    (part === 'chest' ? 0.26 : 0) + random.range(-0.08, 0.08),
    random.range(-0.08, 0.08),
  );

const ACCEL_CHANNEL: SignalChannel = {
  type: 'ACCEL',
  dimensions: ['x', 'y', 'z'],
  unit: 'g',
  nominalRateHz: ACCEL_RATE_HZ,
  scale: [ACCEL_SCALE_G, ACCEL_SCALE_G, ACCEL_SCALE_G],
  offset: [0, 0, 0],
  sampleBits: 16,
};

const ECG_CHANNEL: SignalChannel = {
  type: 'ECG',
  dimensions: ['v'],
  unit: 'V',
  nominalRateHz: ECG_RATE_HZ,
  scale: [ECG_SCALE_V],
  offset: [0],
  sampleBits: 16,
};

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

interface Simulation {
  options: SimulationOptions;
  random: Random;
  profile: SubjectProfile;
  plan: DayPlan;
  state: BodyState;
  beats: Beats;
  motion: MotionSource;
  offBody: SecondsSpan[];
  /** Gaps on request. */
  gaps: SecondsSpan[];
}

/** The recordings of one sensor: one per stretch between two stays in the charger. */
const recordSensor = (simulation: Simulation, sensor: SensorOptions, index: number): SimulatedRecording[] => {
  const { options, plan, profile, state, beats, motion, offBody } = simulation;
  const startUs = options.startMs * 1000;
  const random = simulation.random.fork(`sensor ${index} ${sensor.location} ${sensor.side}`);
  const mount = random.fork('mount');
  const orientation =
    sensor.orientation === 'random'
      ? randomOrientation(mount)
      : (sensor.orientation ?? mountedOrientation(mount, sensor.part));
  const identity = random.fork('identity');
  const udid = sensor.udid ?? Array.from({ length: 8 }, () => SERIAL_LETTERS[identity.integer(0, 35)]).join('');
  const rateRatio = sensor.rateRatio ?? identity.range(0.981, 1.008);
  const channels = sensor.ecg ? [ECG_CHANNEL, ACCEL_CHANNEL] : [ACCEL_CHANNEL];

  const recordings: SimulatedRecording[] = [];
  const stretches: SecondsSpan[] = [];
  let from = 0;
  for (const charge of plan.charging) {
    stretches.push({ start: from, stop: Math.min(plan.durationSeconds, charge.start) });
    from = Math.max(0, charge.stop);
  }
  stretches.push({ start: from, stop: plan.durationSeconds });

  for (const [number, stretch] of stretches.entries()) {
    if (stretch.stop - stretch.start < 10) continue;
    const stream = random.fork(`recording ${number}`);
    const losses = stream.fork('dropouts');
    const dropouts: SecondsSpan[] = [];
    const dropoutsPerSecond = (options.dropoutsPerDay ?? 1) / 86_400;
    for (
      let at = stretch.start + 30 + losses.waitSeconds(dropoutsPerSecond);
      at < stretch.stop - 60;
      at += losses.waitSeconds(dropoutsPerSecond)
    ) {
      dropouts.push({ start: at, stop: at + losses.range(2, 40) });
    }
    const toUs = (seconds: number) => startUs + Math.round(seconds * 1e6);
    const holes = merged([...dropouts, ...simulation.gaps]).map(({ start, stop }) => ({
      start: toUs(start),
      stop: toUs(stop),
    }));
    // Sensors of one subject are started one after the other.
    const beginUs = toUs(stretch.start) + Math.round(stream.range(0, 2.5) * 1e6);
    const endUs = toUs(stretch.stop);
    const spansOf = (channel: SignalChannel) =>
      new SensorClock(stream.fork('clock'), rateRatio).pages(
        channel.type,
        beginUs,
        endUs,
        channel.nominalRateHz,
        holes,
      );

    let first = Number.POSITIVE_INFINITY;
    let last = Number.NEGATIVE_INFINITY;
    for (const channel of channels) {
      for (const span of spansOf(channel)) {
        first = Math.min(first, span.startUs);
        last = Math.max(last, Math.round(span.startUs + span.count * span.periodUs));
      }
    }
    // A stretch that lies whole inside a gap was never recorded.
    if (last < first) continue;

    const pages = function* (): Generator<SignalPage, void, undefined> {
      const renderers = channels.map((channel) => {
        const samples = stream.fork(`samples ${channel.type}`);
        if (channel === ECG_CHANNEL) {
          const renderer = new EcgRenderer(samples, profile, state, beats, offBody, startUs);
          return {
            spans: spansOf(channel),
            render: (span: Parameters<EcgRenderer['render']>[0]) => [renderer.render(span)],
          };
        }
        const renderer = new MotionRenderer(samples, motion, sensor.part, orientation, offBody, startUs);
        return {
          spans: spansOf(channel),
          render: (span: Parameters<MotionRenderer['render']>[0]) => renderer.render(span),
        };
      });
      const heads = renderers.map(({ spans }) => spans.next());
      for (;;) {
        let earliest = -1;
        for (let i = 0; i < heads.length; i++) {
          const head = heads[i]!;
          if (head.done) continue;
          const best = earliest < 0 ? undefined : heads[earliest]!.value;
          if (!best || head.value.startUs < best.startUs) earliest = i;
        }
        const head = heads[earliest];
        if (!head || head.done) return;
        yield { channel: earliest, ...head.value, columns: renderers[earliest]!.render(head.value) };
        heads[earliest] = renderers[earliest]!.spans.next();
      }
    };

    const recordingId = uuidV7(stream.fork('id'), first / 1000);
    const sourceName = `seed-${options.seed}-${sensor.location.toLowerCase()}-${number}`;
    recordings.push({
      header: {
        version: 1,
        recordingId,
        deviceRecordingId: number + 1,
        udid,
        hardwareId: 'simulated',
        firmwareId: '1.0.0',
        physicalConfig: { location: sensor.location, side: sensor.side, ...(sensor.ecg ? { signal: 'ECG' } : {}) },
        sensorConfig: {
          sensingType: sensor.ecg ? 'MPU_ANALOG' : 'MPU',
          ...(sensor.ecg ? { afe: { gain: 6, rate: ECG_RATE_HZ } } : {}),
          gyro: {
            accelLowPower: true,
            accelRange: 4,
            gyroAutoCalib: false,
            mode: 'ACCEL',
            periodMs: 1000 / ACCEL_RATE_HZ,
          },
        },
        channels,
        // Pages are stamped by the true time, so that is what the sensor's clock reads; only the sampling drifts.
        syncPoints: [first, last].map((hostUs) => ({ sensorUs: hostUs, hostUs })),
        source: {
          format: 'SIMULATION',
          fileName: sourceName,
          // The options are all that the samples depend on, so they stand for the source bytes.
          sha256: createHash('sha256')
            .update(JSON.stringify([options, sourceName]))
            .digest('hex'),
        },
      },
      startUs: first,
      stopUs: last,
      dropouts: dropouts.map(({ start, stop }) => ({ startUs: toUs(start), stopUs: toUs(stop) })),
      pages,
    });
  }
  return recordings;
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
  const offBody = merged([...plan.offBody, ...(options.offBody ?? []).map(toSeconds)]);
  const gaps = merged((options.gaps ?? []).map(toSeconds));

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
