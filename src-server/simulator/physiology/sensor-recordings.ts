/**
 * The recordings of one simulated sensor: how it is mounted, when its recordings begin and end, where samples are lost, and
 * their pages. Pages are rendered while they are read, so days of signal need little memory.
 */
import { createHash } from 'node:crypto';
import { DAY_MS } from '../../durations.ts';
import type { SignalChannel, SignalHeader, SignalPage } from '../../signals/types.ts';
import type { Beats, BodyState } from './body-state.ts';
import type { DayPlan, SecondsSpan } from './day-plan.ts';
import { ECG_SCALE_V, EcgRenderer } from './ecg-signal.ts';
import {
  ACCEL_SCALE_G,
  type BodyPart,
  MotionRenderer,
  type MotionSource,
  type Orientation,
  tilt,
} from './motion-signal.ts';
import type { SensorOptions, SimulationOptions } from './options.ts';
import type { SubjectProfile } from './profile.ts';
import type { Random } from './random.ts';
import { type PageSpan, SensorClock } from './sensor-clock.ts';

const ECG_RATE_HZ = 250;
const ACCEL_RATE_HZ = 31.25;
/** Shorter segments between two charges are not recorded. */
const SHORTEST_RECORDING_SECONDS = 10;

export interface SimulatedRecording {
  header: SignalHeader;
  /** Time of the first sample and of the end of the last one. */
  startUs: number;
  stopUs: number;
  /** Spans of samples lost inside the recording, epoch microseconds. */
  dropouts: { startUs: number; stopUs: number }[];
  /** Yields the pages of all channels in order of time. Each call restarts and yields the same pages. */
  pages(): Generator<SignalPage, void, undefined>;
}

export interface Simulation {
  options: SimulationOptions;
  random: Random;
  profile: SubjectProfile;
  plan: DayPlan;
  state: BodyState;
  beats: Beats;
  motion: MotionSource;
  offBody: SecondsSpan[];
  /** Gaps that the options ask for. */
  gaps: SecondsSpan[];
}

const ALIGNED: Orientation = [
  [1, 0, 0],
  [0, -1, 0],
  [0, 0, 1],
];

/** The union of spans, as ascending spans that do not touch. */
export const mergeSpans = (spans: SecondsSpan[]): SecondsSpan[] => {
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

/** How one sensor sits and ticks, the same in all its recordings. */
interface SimulatedSensor {
  options: SensorOptions;
  random: Random;
  orientation: Orientation;
  udid: string;
  rateRatio: number;
  channels: SignalChannel[];
}

function createSensor(simulation: Simulation, options: SensorOptions, index: number): SimulatedSensor {
  const random = simulation.random.fork(`sensor ${index} ${options.location} ${options.side}`);
  const mount = random.fork('mount');
  const orientation =
    options.orientation === 'random'
      ? randomOrientation(mount)
      : (options.orientation ?? mountedOrientation(mount, options.part));
  const identity = random.fork('identity');
  const udid = options.udid ?? Array.from({ length: 8 }, () => SERIAL_LETTERS[identity.integer(0, 35)]).join('');
  const rateRatio = options.rateRatio ?? identity.range(0.981, 1.008);
  return {
    options,
    random,
    orientation,
    udid,
    rateRatio,
    channels: options.ecg ? [ECG_CHANNEL, ACCEL_CHANNEL] : [ACCEL_CHANNEL],
  };
}

/** The times between two stays in the charger, seconds. */
function segmentsBetweenCharges({ charging, durationSeconds }: DayPlan): SecondsSpan[] {
  const segments: SecondsSpan[] = [];
  let from = 0;
  for (const charge of charging) {
    segments.push({ start: from, stop: Math.min(durationSeconds, charge.start) });
    from = Math.max(0, charge.stop);
  }
  segments.push({ start: from, stop: durationSeconds });
  return segments;
}

/** Losses of 2 to 40 s inside a segment, as a Poisson process. */
function drawDropouts(random: Random, segment: SecondsSpan, perDay: number): SecondsSpan[] {
  const dropouts: SecondsSpan[] = [];
  const perSecond = perDay / (DAY_MS / 1000);
  let at = segment.start + 30 + random.waitSeconds(perSecond);
  while (at < segment.stop - 60) {
    dropouts.push({ start: at, stop: at + random.range(2, 40) });
    at += random.waitSeconds(perSecond);
  }
  return dropouts;
}

/** Simulates the recordings of one sensor: one per segment between two stays in the charger. */
export function recordSensor(simulation: Simulation, options: SensorOptions, index: number): SimulatedRecording[] {
  const sensor = createSensor(simulation, options, index);
  return segmentsBetweenCharges(simulation.plan).flatMap((segment, number) => {
    const recording =
      segment.stop - segment.start < SHORTEST_RECORDING_SECONDS
        ? null
        : recordSegment(simulation, sensor, segment, number);
    return recording ?? [];
  });
}

/** Null for a segment that lies wholly inside a gap. */
function recordSegment(
  simulation: Simulation,
  sensor: SimulatedSensor,
  segment: SecondsSpan,
  number: number,
): SimulatedRecording | null {
  const { options } = simulation;
  const startUs = options.startMs * 1000;
  const toUs = (seconds: number): number => startUs + Math.round(seconds * 1e6);
  const random = sensor.random.fork(`recording ${number}`);
  const dropouts = drawDropouts(random.fork('dropouts'), segment, options.dropoutsPerDay ?? 1);
  const gaps = mergeSpans([...dropouts, ...simulation.gaps]).map(({ start, stop }) => ({
    start: toUs(start),
    stop: toUs(stop),
  }));
  // Sensors of one subject are started one after the other.
  const beginUs = toUs(segment.start) + Math.round(random.range(0, 2.5) * 1e6);
  const endUs = toUs(segment.stop);
  const spansOf = ({ type, nominalRateHz }: SignalChannel): Generator<PageSpan> =>
    new SensorClock(random.fork('clock'), sensor.rateRatio).pages(type, beginUs, endUs, nominalRateHz, gaps);

  let firstUs = Number.POSITIVE_INFINITY;
  let lastUs = Number.NEGATIVE_INFINITY;
  for (const span of sensor.channels.flatMap((channel) => [...spansOf(channel)])) {
    firstUs = Math.min(firstUs, span.startUs);
    lastUs = Math.max(lastUs, Math.round(span.startUs + span.count * span.periodUs));
  }
  if (lastUs < firstUs) return null;
  const recordingId = uuidV7(random.fork('id'), firstUs / 1000);
  return {
    header: headerOf(simulation, sensor, number, { recordingId, firstUs, lastUs }),
    startUs: firstUs,
    stopUs: lastUs,
    dropouts: dropouts.map(({ start, stop }) => ({ startUs: toUs(start), stopUs: toUs(stop) })),
    pages: () =>
      mergePages(sensor.channels.map((channel) => renderChannel(simulation, sensor, random, channel, spansOf))),
  };
}

type ChannelPage = PageSpan & { columns: Int16Array[] };

function* renderChannel(
  { options, profile, state, beats, motion, offBody }: Simulation,
  sensor: SimulatedSensor,
  random: Random,
  channel: SignalChannel,
  spansOf: (channel: SignalChannel) => Generator<PageSpan>,
): Generator<ChannelPage> {
  const startUs = options.startMs * 1000;
  const samples = random.fork(`samples ${channel.type}`);
  if (channel === ECG_CHANNEL) {
    const renderer = new EcgRenderer(samples, profile, state, beats, offBody, startUs);
    for (const span of spansOf(channel)) yield { ...span, columns: [renderer.render(span)] };
    return;
  }
  const renderer = new MotionRenderer(samples, motion, sensor.options.part, sensor.orientation, offBody, startUs);
  for (const span of spansOf(channel)) yield { ...span, columns: renderer.render(span) };
}

/** The pages of several channels in order of time; of two that start together, that of the first channel. */
function* mergePages(channels: readonly Generator<ChannelPage>[]): Generator<SignalPage, void, undefined> {
  const heads = channels.map((pages) => pages.next());
  for (;;) {
    let earliest = -1;
    let earliestUs = Number.POSITIVE_INFINITY;
    for (const [channel, head] of heads.entries()) {
      if (head.done || head.value.startUs >= earliestUs) continue;
      earliest = channel;
      earliestUs = head.value.startUs;
    }
    const head = heads[earliest];
    if (!head || head.done) return;
    yield { channel: earliest, ...head.value };
    heads[earliest] = channels[earliest]!.next();
  }
}

function headerOf(
  { options }: Simulation,
  { options: sensor, udid, channels }: SimulatedSensor,
  number: number,
  { recordingId, firstUs, lastUs }: { recordingId: string; firstUs: number; lastUs: number },
): SignalHeader {
  const sourceName = `seed-${options.seed}-${sensor.location.toLowerCase()}-${number}`;
  return {
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
    // Pages are stamped with true time, so the sensor clock reads true; only the sampling rate drifts.
    syncPoints: [firstUs, lastUs].map((hostUs) => ({ sensorUs: hostUs, hostUs })),
    source: {
      format: 'SIMULATION',
      fileName: sourceName,
      // The samples follow from the options alone, so their hash stands for that of a source file.
      sha256: createHash('sha256')
        .update(JSON.stringify([options, sourceName]))
        .digest('hex'),
    },
  };
}
