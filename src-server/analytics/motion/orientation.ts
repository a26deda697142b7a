/** Finds how a sensor is mounted on the body: from calibration labels, else from walking and from habitual postures. */
import type { BodySite, CalibrationLabel, MotionColumn, MotionFeatures, SecondFeatures } from '../types.ts';

export type Vector = [number, number, number];

/** Unit vectors of the upright wearer's up, front and left in the sensor's axes. */
export interface Orientation {
  up: Vector;
  front: Vector;
  left: Vector;
}

/** Least walking from which the vertical is derived. */
const LEAST_WALKING_SECONDS = 15;
/** Spread of the sensor's mean direction while walking on level ground: swing and bends stay within this. */
const WALKING_SPREAD_COSINE = Math.cos((20 * Math.PI) / 180);
const LEAST_SECONDS = 20;
const MOST_CANDIDATES = 256;
/** Share of the movement that must agree for habit to override the z-axis convention. */
const CLEAR_HABIT = 0.55;

export const dot = (a: Vector, b: Vector): number => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const cross = (a: Vector, b: Vector): Vector => [
  a[1] * b[2] - a[2] * b[1],
  a[2] * b[0] - a[0] * b[2],
  a[0] * b[1] - a[1] * b[0],
];
const scaled = (a: Vector, factor: number): Vector => [a[0] * factor, a[1] * factor, a[2] * factor];
const minus = (a: Vector, b: Vector): Vector => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];

function unit(a: Vector): Vector | null {
  const length = Math.sqrt(dot(a, a));
  return length > 1e-6 ? scaled(a, 1 / length) : null;
}

/** Component of `a` perpendicular to the unit vector `axis`. */
const across = (a: Vector, axis: Vector): Vector => minus(a, scaled(axis, dot(a, axis)));

/** What an orientation depends on. */
const NEEDED = [
  'coverage',
  'meanX',
  'meanY',
  'meanZ',
  'deviation',
  'jerk',
  'magnitudeSd',
  'stepPeriod',
  'strideRhythm',
] as const satisfies readonly MotionColumn[];
type NeededColumns = SecondFeatures<(typeof NEEDED)[number]>['columns'];

/** Calls `visit` with the unit gravity of every covered second; the vector is reused from second to second. */
function eachSecond(
  features: MotionFeatures,
  visit: (gravity: Vector, columns: NeededColumns, row: number, second: number) => void,
): void {
  const gravity: Vector = [0, 0, 0];
  for (const { startSecond, count, columns } of features.whole?.pieces(NEEDED) ?? features.segments) {
    const { meanX, meanY, meanZ, coverage } = columns;
    for (let row = 0; row < count; row++) {
      if (coverage[row]! < 50) continue;
      const x = meanX[row]!;
      const y = meanY[row]!;
      const z = meanZ[row]!;
      const length = Math.sqrt(x * x + y * y + z * z);
      if (!(length > 1e-6)) continue;
      const factor = 1 / length;
      gravity[0] = x * factor;
      gravity[1] = y * factor;
      gravity[2] = z * factor;
      visit(gravity, columns, row, startSecond + row);
    }
  }
}

/** Quiet whole seconds that a posture needs: fewer may be a pause in a movement. */
const LEAST_LABELLED_SECONDS = 5;
/** SD of the acceleration, in g, up to which a second is quiet: sway and tremor stay below, a step does not. */
const QUIET_G = 0.1;

/** Mean direction of the quiet seconds inside the labels of one posture. */
function labelled(
  features: MotionFeatures,
  labels: CalibrationLabel[],
  posture: CalibrationLabel['posture'],
): Vector | null {
  const chosen = labels.filter((label) => label.posture === posture);
  if (chosen.length === 0) return null;
  const sum: Vector = [0, 0, 0];
  let seconds = 0;
  eachSecond(features, (gravity, columns, row, second) => {
    const ms = second * 1000;
    if (columns.deviation[row]! > QUIET_G || !chosen.some((label) => ms >= label.startMs && ms + 1000 <= label.stopMs))
      return;
    for (let axis = 0; axis < 3; axis++) sum[axis]! += gravity[axis]!;
    seconds++;
  });
  return seconds < LEAST_LABELLED_SECONDS ? null : unit(sum);
}

/**
 * Jerk over deviation: 2 sin(pi f / 30) for a sinusoidal movement of f Hz. Heel strikes raise walking to 0.6 to 1.2, while
 * pedalling stays near its 1.5 Hz (0.3 to 0.5). By the fourth power one minute on foot outweighs half an hour of cycling.
 */
const sharpness = (jerk: number, deviation: number): number => (deviation > 0 ? jerk / deviation : 0);

/**
 * The vertical from walking: the direction that most walking seconds share. Seconds are weighted by impact (SD of the vector
 * magnitude, sharpness), which is high in walking and low in pedalling, so that a cyclist's thigh does not tilt the vertical.
 */
function walkingUp(features: MotionFeatures): Vector | null {
  const walking = new WalkingSeconds();
  eachSecond(features, (gravity, columns, row) => {
    if (columns.stepPeriod[row] === 0 || columns.strideRhythm[row]! < 0.5 || columns.magnitudeSd[row]! < 0.05) return;
    walking.add(
      gravity,
      sharpness(columns.jerk[row]!, columns.deviation[row]!) ** 4 * Math.min(0.5, columns.magnitudeSd[row]!),
    );
  });
  return walking.count < LEAST_WALKING_SECONDS ? null : walking.commonDirection();
}

const NUMBERS_PER_SECOND = 4;

/** Directions and weights of seconds, as plain numbers: months of walking have a million. */
class WalkingSeconds {
  count = 0;
  #values = new Float64Array(1024 * NUMBERS_PER_SECOND);

  add([x, y, z]: Vector, weight: number): void {
    let at = this.count++ * NUMBERS_PER_SECOND;
    if (at === this.#values.length) {
      const larger = new Float64Array(2 * at);
      larger.set(this.#values);
      this.#values = larger;
    }
    this.#values[at++] = x;
    this.#values[at++] = y;
    this.#values[at++] = z;
    this.#values[at] = weight;
  }

  /** The direction with the greatest weight around it, then the weighted mean around that. */
  commonDirection(): Vector | null {
    const stride = Math.max(1, Math.floor(this.count / MOST_CANDIDATES));
    let best: Vector | null = null;
    let bestWeight = 0;
    for (let candidate = 0; candidate < this.count; candidate += stride) {
      const direction = this.#direction(candidate);
      let weight = 0;
      for (let i = 0; i < this.count; i += stride) if (this.#isNear(i, direction)) weight += this.#weight(i);
      if (weight > bestWeight) {
        bestWeight = weight;
        best = direction;
      }
    }
    for (let pass = 0; pass < 3 && best !== null; pass++) {
      const sum: Vector = [0, 0, 0];
      for (let i = 0; i < this.count; i++) {
        if (!this.#isNear(i, best)) continue;
        for (let axis = 0; axis < 3; axis++)
          sum[axis]! += this.#weight(i) * this.#values[i * NUMBERS_PER_SECOND + axis]!;
      }
      best = unit(sum);
    }
    return best;
  }

  #direction(i: number): Vector {
    const at = i * NUMBERS_PER_SECOND;
    return [this.#values[at]!, this.#values[at + 1]!, this.#values[at + 2]!];
  }

  #weight(i: number): number {
    return this.#values[i * NUMBERS_PER_SECOND + 3]!;
  }

  #isNear(i: number, [x, y, z]: Vector): boolean {
    const at = i * NUMBERS_PER_SECOND;
    const values = this.#values;
    return values[at]! * x + values[at + 1]! * y + values[at + 2]! * z >= WALKING_SPREAD_COSINE;
  }
}

/** The thigh's front: it points up while sitting and lying on the back, which make up most of a thigh's level time. */
function thighFront(features: MotionFeatures, up: Vector): Vector | null {
  const sum: Vector = [0, 0, 0];
  let seconds = 0;
  eachSecond(features, (gravity, columns, row) => {
    if (columns.deviation[row]! > QUIET_G) return;
    const height = dot(gravity, up);
    if (Math.abs(height) > 0.7) return;
    for (let axis = 0; axis < 3; axis++) sum[axis]! += gravity[axis]! - up[axis]! * height;
    seconds++;
  });
  return seconds >= LEAST_SECONDS ? unit(sum) : null;
}

/**
 * The trunk's front: while upright and moving, people bend forwards and hardly ever backwards, and a bend turns the front
 * downwards.
 */
function trunkFront(features: MotionFeatures, up: Vector): Vector | null {
  const sum: Vector = [0, 0, 0];
  let seconds = 0;
  eachSecond(features, (gravity, columns, row) => {
    const height = dot(gravity, up);
    if (height > 0.92 || height < 0.3 || columns.deviation[row]! < 0.05) return;
    for (let axis = 0; axis < 3; axis++) sum[axis]! -= gravity[axis]! - up[axis]! * height;
    seconds++;
  });
  if (seconds < LEAST_SECONDS) return null;
  return Math.sqrt(dot(sum, sum)) > CLEAR_HABIT * seconds ? unit(sum) : null;
}

/**
 * Returns the orientation of one sensor over one recording. The vertical comes from a STANDING calibration label, else from
 * walking; the front from a LYING label (on the back), of a thigh also from a SITTING label, else from the body's habits, else from the convention that the sensor's
 * z axis points forward. Null when the recording shows no vertical: its postures stay unknown.
 */
export function orient(features: MotionFeatures, site: BodySite, labels: CalibrationLabel[]): Orientation | null {
  const whole = features.whole ?? features;
  const kept = oriented.get(whole);
  if (kept !== undefined && kept.site === site && kept.labels === labels) return kept.orientation;
  const orientation = findOrientation(features, site, labels);
  oriented.set(whole, { site, labels, orientation });
  return orientation;
}

/** Memo by features: all windows that a recording touches need the same orientation. */
const oriented = new WeakMap<object, { site: BodySite; labels: CalibrationLabel[]; orientation: Orientation | null }>();

function findOrientation(features: MotionFeatures, site: BodySite, labels: CalibrationLabel[]): Orientation | null {
  const up = labelled(features, labels, 'STANDING') ?? walkingUp(features);
  if (up === null) return null;
  // Lying on the back, and for the thigh sitting, the front faces up. A seated trunk is upright and shows no front.
  const level =
    labelled(features, labels, 'LYING') ?? (site === 'thigh' ? labelled(features, labels, 'SITTING') : null);
  const fromLabel = level !== null && Math.abs(dot(level, up)) < 0.8 ? unit(across(level, up)) : null;
  const fromHabit = site === 'thigh' ? thighFront(features, up) : trunkFront(features, up);
  const convention: Vector = Math.abs(up[2]) < 0.8 ? [0, 0, 1] : [1, 0, 0];
  const front = fromLabel ?? fromHabit ?? unit(across(convention, up));
  if (front === null) return null;
  return { up, front, left: cross(up, front) };
}
