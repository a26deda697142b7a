import { type BodyState, breathPhase } from './body-state.ts';
import { ACTIVITY, type BodyVector, type Bout, type DayPlan, type SecondsSpan } from './day-plan.ts';
import type { Random } from './random.ts';
import { type PageSpan, toCount } from './sensor-clock.ts';
import { SpanCursor } from './span-cursor.ts';

/** One count of a real accelerometer channel at +-4 g: 8 g over 16 bits. */
export const ACCEL_SCALE_G = 8 / 65535;

export type BodyPart = 'chest' | 'thigh';

/** Rows are the sensor's x, y, z axes in the axes of the body part (up, left, forward). */
export type Orientation = [x: BodyVector, y: BodyVector, z: BodyVector];

const STRIDE_POINTS = 512;
const GRAVITY = 9.80665;
const HIP_TO_SENSOR_METRES = 0.15;
const BLEND_SECONDS = 1.2;
/** Sensor noise of about 1.5 mg, typical of the MPU class of parts at this bandwidth. */
const NOISE_COUNTS = 0.0015 / ACCEL_SCALE_G;

/** Coefficients of an Ornstein-Uhlenbeck process per sample. */
interface Relaxation {
  keep: number;
  kick: number;
}

function relaxation(periodSeconds: number, timeConstantSeconds: number): Relaxation {
  const keep = Math.exp(-periodSeconds / timeConstantSeconds);
  return { keep, kick: Math.sqrt(1 - keep * keep) };
}

function addScaled(to: BodyVector, vector: BodyVector, factor: number): void {
  for (let d = 0; d < 3; d++) to[d]! += factor * vector[d]!;
}

/**
 * Acceleration over one stride (two steps) along up, left and forward, in g without the standing 1 g, at `referenceHz`
 * steps per second. Dynamic parts grow with the square of the cadence, the thigh's swing does not.
 */
interface Gait {
  referenceHz: number;
  chest: Float32Array;
  thighSwing: Float32Array;
  thigh: Float32Array;
}

/** A short rise and decay after a foot contact at stride phase `contact`. */
const impact = (phase: number, contact: number, width: number): number => {
  const distance = (((phase - contact) % 1) + 1) % 1;
  return distance < 0.3 ? (distance / width) * Math.exp(1 - distance / width) : 0;
};

/**
 * The trunk rises and falls once a step and sways once a stride, with its highest acceleration just after foot contact
 * (Zijlstra and Hof, Gait Posture 18(2), 2003); the thigh swings as a pendulum about the hip, flexed at contact and
 * extended at push-off.
 */
const gaitOf = (random: Random, running: boolean): Gait => {
  const chest = new Float32Array(STRIDE_POINTS * 3);
  const thigh = new Float32Array(STRIDE_POINTS * 3);
  const thighSwing = new Float32Array(STRIDE_POINTS * 3);
  const referenceHz = running ? 2.7 : 1.8;
  const vertical = (running ? 0.85 : 0.24) * random.range(0.85, 1.15);
  const forward = (running ? 0.25 : 0.12) * random.range(0.8, 1.2);
  const sideways = (running ? 0.12 : 0.07) * random.range(0.8, 1.2);
  const asymmetry = random.range(-0.12, 0.12);
  const swing = (running ? 0.55 : 0.36) * random.range(0.9, 1.1);
  const flexion = running ? 0.2 : 0.09;
  const strikeG = (running ? 0.9 : 0.25) * random.range(0.8, 1.3);
  const strideRadiansPerSecond = Math.PI * referenceHz;
  for (let i = 0; i < STRIDE_POINTS; i++) {
    const p = i / STRIDE_POINTS;
    const turn = 2 * Math.PI * p;
    const strikes = impact(p, 0, 0.02) * (1 + asymmetry) + impact(p, 0.5, 0.02) * (1 - asymmetry);
    const up =
      vertical * (Math.cos(2 * turn - 0.9) + 0.3 * Math.cos(4 * turn - 1.4) + asymmetry * Math.cos(turn)) +
      0.5 * strikeG * strikes;
    chest[i * 3] = up;
    chest[i * 3 + 1] = sideways * (Math.sin(turn) + 0.35 * Math.sin(3 * turn + 0.5));
    chest[i * 3 + 2] = forward * (Math.sin(2 * turn + 0.6) + 0.4 * Math.sin(4 * turn)) - 0.15 * strikeG * strikes;

    const angle = flexion + swing * Math.cos(turn) + 0.1 * Math.cos(2 * turn + 0.9);
    const velocity = -(swing * Math.sin(turn) + 0.2 * Math.sin(2 * turn + 0.9)) * strideRadiansPerSecond;
    const acceleration = -(swing * Math.cos(turn) + 0.4 * Math.cos(2 * turn + 0.9)) * strideRadiansPerSecond ** 2;
    const ownStrike = impact(p, 0, 0.018) + 0.25 * impact(p, 0.5, 0.02);
    const hip = up * 0.9;
    thighSwing[i * 3] = Math.cos(angle) - 1;
    thighSwing[i * 3 + 2] = Math.sin(angle);
    thigh[i * 3] = hip * Math.cos(angle) + (HIP_TO_SENSOR_METRES * velocity * velocity) / GRAVITY + strikeG * ownStrike;
    thigh[i * 3 + 1] = sideways * Math.sin(turn + 0.4) + 0.1 * strikeG * ownStrike;
    thigh[i * 3 + 2] =
      hip * Math.sin(angle) + (HIP_TO_SENSOR_METRES * acceleration) / GRAVITY - 0.4 * strikeG * ownStrike;
  }
  return { referenceHz, chest, thighSwing, thigh };
};

/** A rotation by small angles (radians) about up, left and forward, applied to an orientation. */
export const tilt = (orientation: Orientation, up: number, left: number, forward: number): Orientation =>
  orientation.map(([u, l, f]): BodyVector => {
    const l1 = l * Math.cos(up) - f * Math.sin(up);
    const f1 = l * Math.sin(up) + f * Math.cos(up);
    const u2 = u * Math.cos(left) + f1 * Math.sin(left);
    const f2 = -u * Math.sin(left) + f1 * Math.cos(left);
    return [u2 * Math.cos(forward) - l1 * Math.sin(forward), u2 * Math.sin(forward) + l1 * Math.cos(forward), f2];
  }) as Orientation;

export interface MotionSource {
  plan: DayPlan;
  state: BodyState;
  /** Foot contacts in seconds; even and odd ones are the two feet. */
  steps: Float64Array;
  /** Stream of the subject, shared by its sensors so that all of them record the same gait. */
  gaitRandom: Random;
}

/** Renders the accelerometer of one sensor page by page. Pages must be requested in time order. */
export class MotionRenderer {
  readonly #random: Random;
  readonly #source: MotionSource;
  readonly #part: BodyPart;
  readonly #orientation: Orientation;
  readonly #off: SpanCursor;
  readonly #startUs: number;
  readonly #walk: Gait;
  readonly #run: Gait;
  readonly #biasG: BodyVector;
  readonly #gain: number;
  /** Gravity in the sensor's axes while it lies on a table. */
  readonly #tableG: BodyVector;
  #bout = 0;
  #burst = 0;
  #step = 0;
  /** Slow sway of the body and fast shaking, in units of their SD. */
  readonly #sway: BodyVector = [0, 0, 0];
  readonly #shake: BodyVector = [0, 0, 0];
  /** Acceleration of the body part at the sample at hand, g. */
  readonly #body: BodyVector = [0, 0, 0];

  /** @param startUs time of second 0 of the plan */
  constructor(
    random: Random,
    source: MotionSource,
    part: BodyPart,
    orientation: Orientation,
    offBody: SecondsSpan[],
    startUs: number,
  ) {
    this.#random = random;
    this.#source = source;
    this.#part = part;
    this.#orientation = orientation;
    this.#off = new SpanCursor(offBody);
    this.#startUs = startUs;
    this.#walk = gaitOf(source.gaitRandom.fork('walking'), false);
    this.#run = gaitOf(source.gaitRandom.fork('running'), true);
    const sensor = random.fork('sensor');
    // Worn sensors at rest read 930 to 1100 mg: a gain error of 2 % and some milli-g of bias on each axis.
    this.#gain = 1 + 0.012 * sensor.fastNormal();
    this.#biasG = [0.012 * sensor.fastNormal(), 0.012 * sensor.fastNormal(), 0.012 * sensor.fastNormal()];
    this.#tableG = sensor.pick<BodyVector>([
      [0.02, -0.03, 1],
      [0.03, 0.02, -1],
    ]);
  }

  /** Counts of x, y and z of one page; physical value = count * ACCEL_SCALE_G. */
  render(page: PageSpan): [Int16Array, Int16Array, Int16Array] {
    const { bouts } = this.#source.plan;
    const random = this.#random;
    const x = new Int16Array(page.count);
    const y = new Int16Array(page.count);
    const z = new Int16Array(page.count);
    const periodSeconds = page.periodUs / 1e6;
    const first = (page.startUs - this.#startUs) / 1e6;
    const gain = this.#gain / ACCEL_SCALE_G;
    const sway = relaxation(periodSeconds, 1.5);
    const shake = relaxation(periodSeconds, 0.12);
    const reading: BodyVector = [0, 0, 0];
    for (let i = 0; i < page.count; i++) {
      const time = first + i * periodSeconds;
      while (this.#bout + 1 < bouts.length && bouts[this.#bout]!.stop <= time) this.#bout++;
      const off = this.#off.at(time);
      if (off) this.#readOnTable(off, time, shake, reading);
      else this.#readOnBody(bouts[this.#bout]!, time, sway, shake, reading);
      x[i] = toCount(reading[0] * gain + NOISE_COUNTS * random.fastNormal());
      y[i] = toCount(reading[1] * gain + NOISE_COUNTS * random.fastNormal());
      z[i] = toCount(reading[2] * gain + NOISE_COUNTS * random.fastNormal());
    }
    return [x, y, z];
  }

  /** Reading in g of a sensor that lies on a table, handled for 4 s at both ends of the span. */
  #readOnTable(span: SecondsSpan, time: number, relax: Relaxation, reading: BodyVector): void {
    const handledG = time - span.start < 4 || span.stop - time < 4 ? 0.25 : 0;
    const shake = this.#relax(this.#shake, relax);
    for (let d = 0; d < 3; d++) reading[d] = this.#tableG[d]! + this.#biasG[d]! + handledG * shake[d]!;
  }

  /** Reading in g of a sensor on the body. */
  #readOnBody(bout: Bout, time: number, sway: Relaxation, shake: Relaxation, reading: BodyVector): void {
    const body = this.#body;
    this.#setPosture(bout, time, body);
    if (bout.cadenceHz > 0) this.#addGait(bout, time, body);
    else if (bout.pedalHz > 0) this.#addPedalling(bout, time, body);
    const stillG = bout.activity === ACTIVITY.sleeping ? 0.0008 : bout.activity === ACTIVITY.lying ? 0.002 : 0.006;
    addScaled(body, this.#relax(this.#sway, sway), stillG);
    this.#addShaking(bout, time, shake, body);
    // The chest wall tips by about half a degree with each breath.
    if (this.#part === 'chest')
      body[2] += 0.008 * Math.sin(2 * Math.PI * breathPhase(this.#source.state.breaths, time));
    for (let d = 0; d < 3; d++) {
      const axis = this.#orientation[d]!;
      reading[d] = axis[0] * body[0] + axis[1] * body[1] + axis[2] * body[2] + this.#biasG[d]!;
    }
  }

  /** Sets the gravity of a bout's posture, blended with that of the bout before. */
  #setPosture(bout: Bout, time: number, body: BodyVector): void {
    const part = this.#part === 'chest' ? 'trunk' : 'thigh';
    const own = bout[part];
    const before = this.#source.plan.bouts[this.#bout - 1]?.[part];
    const age = time - bout.start;
    if (before === undefined || age >= BLEND_SECONDS) {
      for (let d = 0; d < 3; d++) body[d] = own[d]!;
      return;
    }
    const share = 0.5 - 0.5 * Math.cos((Math.PI * age) / BLEND_SECONDS);
    for (let d = 0; d < 3; d++) body[d] = before[d]! + (own[d]! - before[d]!) * share;
    const length = Math.sqrt(body[0] * body[0] + body[1] * body[1] + body[2] * body[2]) || 1;
    for (let d = 0; d < 3; d++) body[d]! /= length;
  }

  /** Adds the acceleration of the stride between two foot contacts; before the first and after the last one there is none. */
  #addGait(bout: Bout, time: number, body: BodyVector): void {
    const { steps } = this.#source;
    while (this.#step + 1 < steps.length && steps[this.#step + 1]! <= time) this.#step++;
    const step = this.#step;
    const from = steps[step]!;
    const to = steps[step + 1]!;
    if (!(from <= time && from >= bout.start && to < bout.stop)) return;
    const gait = bout.activity === ACTIVITY.running ? this.#run : this.#walk;
    const fade = Math.min(1, (time - bout.start) / 1.2, (bout.stop - time) / 1.2);
    const strength = (bout.cadenceHz / gait.referenceHz) ** 2 * fade;
    const phase = ((step & 1) * 0.5 + (0.5 * (time - from)) / (to - from)) * STRIDE_POINTS;
    const at = Math.floor(phase);
    const share = phase - at;
    const a = (at % STRIDE_POINTS) * 3;
    const b = ((at + 1) % STRIDE_POINTS) * 3;
    const table = this.#part === 'chest' ? gait.chest : gait.thigh;
    for (let d = 0; d < 3; d++) body[d]! += strength * (table[a + d]! + (table[b + d]! - table[a + d]!) * share);
    if (this.#part === 'chest') return;
    const swing = gait.thighSwing;
    body[0] += fade * (swing[a]! + (swing[b]! - swing[a]!) * share);
    body[2] += fade * (swing[a + 2]! + (swing[b + 2]! - swing[a + 2]!) * share);
  }

  /** Adds the vibration of the road and the short movements of the plan. */
  #addShaking(bout: Bout, time: number, relax: Relaxation, body: BodyVector): void {
    const { bursts } = this.#source.plan;
    while (this.#burst < bursts.length && bursts[this.#burst]!.start + bursts[this.#burst]!.durationSeconds <= time)
      this.#burst++;
    const burst = bursts[this.#burst];
    const isMoving = burst !== undefined && burst.start <= time;
    const roadG = bout.pedalHz > 0 ? 0.06 : 0;
    if (!(roadG > 0 || isMoving)) return;
    const envelope = isMoving
      ? Math.sin((Math.PI * (time - burst.start)) / burst.durationSeconds) *
        (this.#part === 'chest' ? burst.chestG : burst.thighG)
      : 0;
    addScaled(body, this.#relax(this.#shake, relax), roadG + envelope);
  }

  /** Advances an Ornstein-Uhlenbeck process by one sample. */
  #relax(process: BodyVector, { keep, kick }: Relaxation): BodyVector {
    for (let d = 0; d < 3; d++) process[d] = keep * process[d]! + kick * this.#random.fastNormal();
    return process;
  }

  /** Adds pedalling: the thigh flexes from about 25 to 70 degrees once per revolution, and the trunk rocks slightly twice. */
  #addPedalling(bout: Bout, time: number, body: BodyVector): void {
    const turn = 2 * Math.PI * bout.pedalHz * (time - bout.start);
    if (this.#part === 'chest') {
      body[0] += 0.02 * Math.sin(2 * turn);
      body[1] += 0.025 * Math.sin(turn);
      body[2] += 0.015 * Math.cos(2 * turn);
      return;
    }
    const swing = 0.4;
    const angle = 0.85 + swing * Math.cos(turn);
    const rate = 2 * Math.PI * bout.pedalHz;
    const velocity = -swing * Math.sin(turn) * rate;
    const acceleration = -swing * Math.cos(turn) * rate * rate;
    body[0] = Math.cos(angle) + (HIP_TO_SENSOR_METRES * velocity * velocity) / GRAVITY;
    body[1] += 0.02 * Math.sin(turn);
    body[2] = Math.sin(angle) + (HIP_TO_SENSOR_METRES * acceleration) / GRAVITY;
  }
}
