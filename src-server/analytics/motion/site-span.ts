/** Joins the sensors of one body site over a span and orients them. */
import type { NonWearId } from '../../vocabulary/analysis-parameters.ts';
import type { BodySite, CalibrationLabel, EcgFeatures, MotionColumn, MotionFeatures, MotionSegment } from '../types.ts';
import { type Orientation, orient } from './orientation.ts';
import { wearOfSensor } from './wear.ts';

const COPIED = [
  'deviation',
  'magnitudeSd',
  'jerk',
  'stepPeriod',
  'stepRhythm',
  'strideRhythm',
] as const satisfies readonly MotionColumn[];
const TO_DEGREES = 180 / Math.PI;

/** All sensors of one body site over a span of seconds, joined and oriented. NaN where nothing is known. */
export interface SiteSpan {
  site: BodySite;
  /** 1 when a sensor of this site covers at least half of the second. */
  present: Uint8Array;
  /** Which of the sensors the second is taken from, counted from 1; 0 none. */
  source: Uint16Array;
  /** Wear state, see wear.ts; meaningful where present. */
  wear: Uint8Array;
  columns: Record<(typeof COPIED)[number], Float32Array>;
  /** Vector magnitude of the activity counts. */
  counts: Float32Array;
  /** Unit gravity in the upright wearer's axes. */
  up: Float32Array;
  front: Float32Array;
  left: Float32Array;
  /** Degrees between the body segment and the vertical. */
  tilt: Float32Array;
  /** Degrees leaned forward, and to the right, of the upright position; -180..180. */
  forward: Float32Array;
  right: Float32Array;
  /** Degrees of roll while lying: 0 front up, 90 left side down, 180 front down, -90 right side down. */
  roll: Float32Array;
  /** Degrees by which gravity turned since the second before. */
  turn: Float32Array;
  /** Of each sensor; they count in the seconds that are taken from it. */
  stepsUs: Float64Array[];
}

/** Joins the sensors of one site; where several overlap, the first of the list is used. Null without a sensor. */
export function joinSite(
  site: BodySite,
  startSecond: number,
  count: number,
  motion: MotionFeatures[],
  ecg: EcgFeatures[],
  labels: CalibrationLabel[],
  nonWear?: NonWearId,
): SiteSpan | null {
  const sensors = motion.filter((features) => features.site === site);
  if (sensors.length === 0) return null;
  const missing = (): Float32Array => new Float32Array(count).fill(Number.NaN);
  const span: SiteSpan = {
    site,
    present: new Uint8Array(count),
    source: new Uint16Array(count),
    wear: new Uint8Array(count),
    columns: Object.fromEntries(COPIED.map((name) => [name, missing()])) as SiteSpan['columns'],
    counts: missing(),
    up: missing(),
    front: missing(),
    left: missing(),
    tilt: missing(),
    forward: missing(),
    right: missing(),
    roll: missing(),
    turn: missing(),
    stepsUs: sensors.map((features) => features.stepsUs),
  };
  for (const [index, features] of sensors.entries()) {
    addSensor(span, startSecond, count, features, ecg, labels, nonWear);
    for (let i = 0; i < count; i++) if (span.present[i] === 1 && span.source[i] === 0) span.source[i] = index + 1;
  }
  describeAngles(span);
  return span;
}

function addSensor(
  span: SiteSpan,
  startSecond: number,
  count: number,
  features: MotionFeatures,
  ecg: EcgFeatures[],
  labels: CalibrationLabel[],
  nonWear: NonWearId | undefined,
): void {
  const touching = features.segments.some(
    (s) => s.startSecond < startSecond + count && s.startSecond + s.count > startSecond,
  );
  if (!touching) return;
  const orientation = orient(features, span.site, labels);
  const wear = wearOfSensor(features, ecg, nonWear);
  for (const [index, segment] of features.segments.entries()) {
    addSegment(span, startSecond, count, segment, wear[index]!, orientation);
  }
}

function addSegment(
  span: SiteSpan,
  startSecond: number,
  count: number,
  segment: MotionSegment,
  wear: Uint8Array,
  orientation: Orientation | null,
): void {
  const { coverage, meanX, meanY, meanZ, countsX, countsY, countsZ } = segment.columns;
  const from = Math.max(0, startSecond - segment.startSecond);
  const to = Math.min(segment.count, startSecond + count - segment.startSecond);
  const shift = segment.startSecond - startSecond;
  for (const name of COPIED) {
    const column = segment.columns[name];
    const target = span.columns[name];
    for (let row = from; row < to; row++) {
      if (coverage[row]! >= 50 && span.present[row + shift] === 0) target[row + shift] = column[row]!;
    }
  }
  for (let row = from; row < to; row++) {
    const i = row + shift;
    if (coverage[row]! < 50 || span.present[i] === 1) continue;
    span.present[i] = 1;
    span.wear[i] = wear[row]!;
    span.counts[i] = Math.hypot(countsX[row]!, countsY[row]!, countsZ[row]!);
    const x = meanX[row]!;
    const y = meanY[row]!;
    const z = meanZ[row]!;
    const length = Math.sqrt(x * x + y * y + z * z);
    if (!(length > 0.1)) continue;
    if (row > 0 && coverage[row - 1]! >= 50) {
      const bx = meanX[row - 1]!;
      const by = meanY[row - 1]!;
      const bz = meanZ[row - 1]!;
      const cosine = (x * bx + y * by + z * bz) / (length * Math.sqrt(bx * bx + by * by + bz * bz));
      span.turn[i] = Math.acos(Math.max(-1, Math.min(1, cosine))) * TO_DEGREES;
    }
    if (orientation === null) continue;
    const { up, front, left } = orientation;
    span.up[i] = (x * up[0] + y * up[1] + z * up[2]) / length;
    span.front[i] = (x * front[0] + y * front[1] + z * front[2]) / length;
    span.left[i] = (x * left[0] + y * left[1] + z * left[2]) / length;
  }
}

/** Computes the angles from the gravity columns. */
function describeAngles(span: SiteSpan): void {
  for (let i = 0; i < span.up.length; i++) {
    const up = span.up[i]!;
    if (Number.isNaN(up)) continue;
    const front = span.front[i]!;
    const left = span.left[i]!;
    span.tilt[i] = Math.acos(Math.max(-1, Math.min(1, up))) * TO_DEGREES;
    span.forward[i] = Math.atan2(-front, up) * TO_DEGREES;
    span.right[i] = Math.atan2(left, up) * TO_DEGREES;
    span.roll[i] = Math.atan2(-left, front) * TO_DEGREES;
  }
}

/** Cosine of the tilt from which trunk and thigh are level, as when lying. */
const LEVEL_UP = Math.cos((60 * Math.PI) / 180);
const LEAST_LYING_SECONDS = 600;
/** A body does not stay twisted by this much over hours of lying: the trunk's front was inferred wrongly. */
const WRONG_FRONT_DEGREES = 60;
const CLEAR_AGREEMENT = 0.6;

/**
 * Corrects the inferred front of the trunk by that of the thigh, which sitting shows reliably: in bed, hips and chest roll
 * together. No correction where the two agree within the twist of a body, or with too little lying.
 */
export function alignTrunkToThigh(trunk: SiteSpan, thigh: SiteSpan): void {
  let cosine = 0;
  let sine = 0;
  let seconds = 0;
  for (let i = 0; i < trunk.up.length; i++) {
    if (!(Math.abs(trunk.up[i]!) < LEVEL_UP && Math.abs(thigh.up[i]!) < LEVEL_UP)) continue;
    const twist = (trunk.roll[i]! - thigh.roll[i]!) / TO_DEGREES;
    cosine += Math.cos(twist);
    sine += Math.sin(twist);
    seconds++;
  }
  if (seconds < LEAST_LYING_SECONDS || Math.hypot(cosine, sine) < CLEAR_AGREEMENT * seconds) return;
  const twist = Math.atan2(sine, cosine);
  if (Math.abs(twist) * TO_DEGREES < WRONG_FRONT_DEGREES) return;
  for (let i = 0; i < trunk.up.length; i++) {
    const front = trunk.front[i]!;
    const left = trunk.left[i]!;
    trunk.front[i] = front * Math.cos(twist) - left * Math.sin(twist);
    trunk.left[i] = left * Math.cos(twist) + front * Math.sin(twist);
  }
  describeAngles(trunk);
}
