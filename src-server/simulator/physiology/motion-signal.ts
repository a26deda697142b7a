import { type BodyState, breathPhase } from './body-state.ts';
import { ACTIVITY, type BodyVector, type Bout, type DayPlan, type SecondsSpan } from './day-plan.ts';
import type { Random } from './random.ts';
import type { PageSpan } from './sensor-clock.ts';

/** One step of a real accelerometer channel at +-4 g: 8 g over 16 bits. */
export const ACCEL_SCALE_G = 8 / 65535;

export type BodyPart = 'chest' | 'thigh';

/** Rows are the sensor's x, y, z axes in the axes of the body part (up, left, forward). */
export type Orientation = [x: BodyVector, y: BodyVector, z: BodyVector];

const STRIDE_POINTS = 512;
const GRAVITY = 9.80665;
const HIP_TO_SENSOR_METRES = 0.15;
const BLEND_SECONDS = 1.2;

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
  /** Stream of the subject: both sensors see the same gait. */
  gaitRandom: Random;
}

/**
 * Renders the accelerometer of one sensor page by page, in time order.
 */
export class MotionRenderer {
  readonly #random: Random;
  readonly #source: MotionSource;
  readonly #part: BodyPart;
  readonly #orientation: Orientation;
  readonly #offBody: SecondsSpan[];
  readonly #startUs: number;
  readonly #walk: Gait;
  readonly #run: Gait;
  readonly #biasG: BodyVector;
  readonly #gain: number;
  /** How the sensor lies on the table when it is off, in its own axes. */
  readonly #tableG: BodyVector;
  #bout = 0;
  #burst = 0;
  #step = 0;
  #off = 0;
  #sway: BodyVector = [0, 0, 0];
  #shake: BodyVector = [0, 0, 0];

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
    this.#offBody = offBody;
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
    const { plan, state, steps } = this.#source;
    const { bouts, bursts } = plan;
    const random = this.#random;
    const chest = this.#part === 'chest';
    const [ox, oy, oz] = this.#orientation;
    const [bx, by, bz] = this.#biasG;
    const sway = this.#sway;
    const shake = this.#shake;
    const x = new Int16Array(page.count);
    const y = new Int16Array(page.count);
    const z = new Int16Array(page.count);
    const periodSeconds = page.periodUs / 1e6;
    const first = (page.startUs - this.#startUs) / 1e6;
    const gain = this.#gain / ACCEL_SCALE_G;
    // Sensor noise of about 1.5 mg, as the MPU class of parts has at this bandwidth.
    const noise = 0.0015 / ACCEL_SCALE_G;
    const swayKeep = Math.exp(-periodSeconds / 1.5);
    const swayKick = Math.sqrt(1 - swayKeep * swayKeep);
    const shakeKeep = Math.exp(-periodSeconds / 0.12);
    const shakeKick = Math.sqrt(1 - shakeKeep * shakeKeep);
    for (let i = 0; i < page.count; i++) {
      const time = first + i * periodSeconds;
      while (this.#bout + 1 < bouts.length && bouts[this.#bout]!.stop <= time) this.#bout++;
      const bout = bouts[this.#bout]!;
      if (this.#isOff(time)) {
        const span = this.#offBody[this.#off]!;
        const handled = time - span.start < 4 || span.stop - time < 4 ? 0.25 : 0;
        for (let d = 0; d < 3; d++) shake[d] = shakeKeep * shake[d]! + shakeKick * random.fastNormal();
        x[i] = clamp((this.#tableG[0] + bx + handled * shake[0]) * gain + noise * random.fastNormal());
        y[i] = clamp((this.#tableG[1] + by + handled * shake[1]) * gain + noise * random.fastNormal());
        z[i] = clamp((this.#tableG[2] + bz + handled * shake[2]) * gain + noise * random.fastNormal());
        continue;
      }

      const own = chest ? bout.trunk : bout.thigh;
      let up = own[0];
      let left = own[1];
      let forward = own[2];
      const age = time - bout.start;
      if (age < BLEND_SECONDS && this.#bout > 0) {
        const before = chest ? bouts[this.#bout - 1]!.trunk : bouts[this.#bout - 1]!.thigh;
        const share = 0.5 - 0.5 * Math.cos((Math.PI * age) / BLEND_SECONDS);
        up = before[0] + (up - before[0]) * share;
        left = before[1] + (left - before[1]) * share;
        forward = before[2] + (forward - before[2]) * share;
        const length = Math.sqrt(up * up + left * left + forward * forward) || 1;
        up /= length;
        left /= length;
        forward /= length;
      }

      if (bout.cadenceHz > 0) {
        while (this.#step + 1 < steps.length && steps[this.#step + 1]! <= time) this.#step++;
        const k = this.#step;
        const from = steps[k]!;
        const to = steps[k + 1]!;
        // Outside the first and last contact of a bout there is no gait.
        if (from <= time && from >= bout.start && to < bout.stop) {
          const gait = bout.activity === ACTIVITY.running ? this.#run : this.#walk;
          const fade = Math.min(1, (time - bout.start) / 1.2, (bout.stop - time) / 1.2);
          const strength = (bout.cadenceHz / gait.referenceHz) ** 2 * fade;
          const phase = ((k & 1) * 0.5 + (0.5 * (time - from)) / (to - from)) * STRIDE_POINTS;
          const at = Math.floor(phase);
          const share = phase - at;
          const a = (at % STRIDE_POINTS) * 3;
          const b = ((at + 1) % STRIDE_POINTS) * 3;
          const table = chest ? gait.chest : gait.thigh;
          up += strength * (table[a]! + (table[b]! - table[a]!) * share);
          left += strength * (table[a + 1]! + (table[b + 1]! - table[a + 1]!) * share);
          forward += strength * (table[a + 2]! + (table[b + 2]! - table[a + 2]!) * share);
          if (!chest) {
            const swing = gait.thighSwing;
            up += fade * (swing[a]! + (swing[b]! - swing[a]!) * share);
            forward += fade * (swing[a + 2]! + (swing[b + 2]! - swing[a + 2]!) * share);
          }
        }
      } else if (bout.pedalHz > 0) {
        [up, left, forward] = this.#pedal(bout, time, up, left, forward);
      }

      const still = bout.activity === ACTIVITY.sleeping ? 0.0008 : bout.activity === ACTIVITY.lying ? 0.002 : 0.006;
      for (let d = 0; d < 3; d++) sway[d] = swayKeep * sway[d]! + swayKick * random.fastNormal();
      up += still * sway[0];
      left += still * sway[1];
      forward += still * sway[2];

      while (this.#burst < bursts.length && bursts[this.#burst]!.start + bursts[this.#burst]!.durationSeconds <= time)
        this.#burst++;
      const burst = bursts[this.#burst];
      const roadG = bout.pedalHz > 0 ? 0.06 : 0;
      if (roadG > 0 || (burst !== undefined && burst.start <= time)) {
        const envelope =
          burst !== undefined && burst.start <= time
            ? Math.sin((Math.PI * (time - burst.start)) / burst.durationSeconds) * (chest ? burst.chestG : burst.thighG)
            : 0;
        const strength = roadG + envelope;
        for (let d = 0; d < 3; d++) shake[d] = shakeKeep * shake[d]! + shakeKick * random.fastNormal();
        up += strength * shake[0];
        left += strength * shake[1];
        forward += strength * shake[2];
      }
      if (chest) {
        // The chest wall tips by about half a degree with each breath.
        forward += 0.008 * Math.sin(2 * Math.PI * breathPhase(state.breaths, time));
      }

      x[i] = clamp((ox[0] * up + ox[1] * left + ox[2] * forward + bx) * gain + noise * random.fastNormal());
      y[i] = clamp((oy[0] * up + oy[1] * left + oy[2] * forward + by) * gain + noise * random.fastNormal());
      z[i] = clamp((oz[0] * up + oz[1] * left + oz[2] * forward + bz) * gain + noise * random.fastNormal());
    }
    return [x, y, z];
  }

  #isOff(time: number): boolean {
    while (this.#off < this.#offBody.length && this.#offBody[this.#off]!.stop <= time) this.#off++;
    return this.#off < this.#offBody.length && this.#offBody[this.#off]!.start <= time;
  }

  /** The thigh goes between some 25 and 70 degrees of flexion once a revolution; the trunk rocks a little, twice. */
  #pedal(bout: Bout, time: number, up: number, left: number, forward: number): BodyVector {
    const turn = 2 * Math.PI * bout.pedalHz * (time - bout.start);
    if (this.#part === 'chest')
      return [up + 0.02 * Math.sin(2 * turn), left + 0.025 * Math.sin(turn), forward + 0.015 * Math.cos(2 * turn)];
    const swing = 0.4;
    const angle = 0.85 + swing * Math.cos(turn);
    const rate = 2 * Math.PI * bout.pedalHz;
    const velocity = -swing * Math.sin(turn) * rate;
    const acceleration = -swing * Math.cos(turn) * rate * rate;
    return [
      Math.cos(angle) + (HIP_TO_SENSOR_METRES * velocity * velocity) / GRAVITY,
      left + 0.02 * Math.sin(turn),
      Math.sin(angle) + (HIP_TO_SENSOR_METRES * acceleration) / GRAVITY,
    ];
  }
}

const clamp = (count: number): number => {
  const rounded = Math.round(count);
  return rounded > 32767 ? 32767 : Math.max(rounded, -32767);
};
