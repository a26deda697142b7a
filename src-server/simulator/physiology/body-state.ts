import { ACTIVITY, type DayPlan } from './day-plan.ts';
import type { SubjectProfile } from './profile.ts';
import type { Random } from './random.ts';

/** Kinds of a beat in the ground truth. */
export const BEAT_SINUS = 0;
export const BEAT_PREMATURE_VENTRICULAR = 1;
export const BEAT_PREMATURE_ATRIAL = 2;

/** Beats in seconds after the start of the simulation, increasing. */
export interface Beats {
  times: Float64Array;
  kinds: Uint8Array;
  count: number;
}

/** Physiological state per second; row i is second i of the simulation. */
export interface BodyState {
  /** Code of ACTIVITIES. */
  activity: Uint8Array;
  /** Code of LYING_POSTURES. */
  lying: Uint8Array;
  asleep: Uint8Array;
  /** Target rate of the sinus node, beats/min, without beat-to-beat variation. */
  heartRateTarget: Float32Array;
  /** Breaths per minute. */
  respiration: Float32Array;
  /** Breaths since the start of the simulation, at the start of each second; one entry more than seconds. */
  breaths: Float64Array;
}

/** Rise of heart rate over rest, breaths per minute over rest, by activity. */
const demands = (plan: DayPlan, profile: SubjectProfile) => (index: number) => {
  const bout = plan.bouts[index]!;
  switch (bout.activity) {
    case ACTIVITY.sleeping:
      return { heart: -profile.restingHeartRate * 0.12, breath: 0 };
    case ACTIVITY.lying:
      return { heart: -3, breath: 1 };
    case ACTIVITY.sitting:
      return { heart: 3, breath: 2 };
    case ACTIVITY.standing:
      return { heart: 11, breath: 3 };
    case ACTIVITY.walking:
      return { heart: 26 + (bout.cadenceHz - profile.cadenceHz) * 40, breath: 8 };
    case ACTIVITY.cycling:
      return { heart: 52, breath: 12 };
    default:
      return { heart: 78, breath: 20 };
  }
};

/** Expands the plan to seconds; heart rate and breathing follow it with their own lags. */
export const simulateBodyState = (random: Random, plan: DayPlan, profile: SubjectProfile): BodyState => {
  const seconds = Math.ceil(plan.durationSeconds);
  const state: BodyState = {
    activity: new Uint8Array(seconds),
    lying: new Uint8Array(seconds),
    asleep: new Uint8Array(seconds),
    heartRateTarget: new Float32Array(seconds),
    respiration: new Float32Array(seconds),
    breaths: new Float64Array(seconds + 1),
  };
  const demandOf = demands(plan, profile);
  let heart = 0;
  let breath = 0;
  let heartDrift = 0;
  let breathDrift = 0;
  let heartTide = 0;
  let breathTide = 0;
  let index = 0;
  let demand = demandOf(0);
  heart = profile.restingHeartRate + demand.heart;
  breath = profile.restingRespiration + demand.breath;
  for (let i = 0; i < seconds; i++) {
    while (index + 1 < plan.bouts.length && plan.bouts[index]!.stop <= i) {
      index++;
      demand = demandOf(index);
    }
    const bout = plan.bouts[index]!;
    state.activity[i] = bout.activity;
    state.lying[i] = bout.lying;
    state.asleep[i] = bout.asleep ? 1 : 0;
    // Heart rate rises within half a minute and recovers within a minute; slow drifts of some beats per minute.
    heartDrift += -heartDrift / 150 + 0.3 * random.fastNormal();
    breathDrift += -breathDrift / 60 + (bout.asleep ? 0.06 : 0.2) * random.fastNormal();
    // Slow variation over half an hour and more: sleep cycles, meals, mood.
    heartTide += -heartTide / 1800 + 0.08 * random.fastNormal();
    breathTide += -breathTide / 1500 + 0.03 * random.fastNormal();
    const heartGoal = profile.restingHeartRate + demand.heart;
    heart += (heartGoal - heart) / (heartGoal > heart ? 25 : 50);
    breath += (profile.restingRespiration + demand.breath - breath) / 20;
    state.heartRateTarget[i] = Math.min(200, Math.max(38, heart + heartDrift + heartTide));
    state.respiration[i] = Math.min(45, Math.max(8, breath + breathDrift + breathTide));
    state.breaths[i + 1] = state.breaths[i]! + state.respiration[i]! / 60;
  }
  return state;
};

/** Depth of respiratory sinus arrhythmia and of the 0.1 Hz rhythm as shares of the RR interval, by activity. */
const depths = (activity: number): [respiratory: number, slow: number] => {
  if (activity === ACTIVITY.sleeping) return [0.03, 0.014];
  if (activity === ACTIVITY.lying) return [0.027, 0.02];
  if (activity === ACTIVITY.sitting) return [0.02, 0.024];
  if (activity === ACTIVITY.standing) return [0.012, 0.022];
  if (activity === ACTIVITY.walking) return [0.008, 0.01];
  return [0.003, 0.004];
};

/** Share of a breath cycle at a time, 0 to 1, from the breath count per second. */
export const breathPhase = (breaths: Float64Array, second: number): number => {
  const i = Math.min(breaths.length - 2, Math.floor(second));
  const count = breaths[i]! + (breaths[i + 1]! - breaths[i]!) * (second - i);
  return count - Math.floor(count);
};

/**
 * A beat series whose RR spectrum has the two peaks that McSharry et al. (2003) build in, the 0.1 Hz rhythm and
 * respiratory sinus arrhythmia, here following the simulated breath, plus premature beats. A premature ventricular beat
 * is followed by a full compensatory pause; a premature atrial one resets the sinus node.
 */
export const simulateBeats = (random: Random, state: BodyState, profile: SubjectProfile): Beats => {
  const seconds = state.activity.length;
  const capacity = Math.ceil(seconds * 3.6) + 16;
  const times = new Float64Array(capacity);
  const kinds = new Uint8Array(capacity);
  let count = 0;
  let time = random.range(0.1, 0.9);
  let slowPhase = random.uniform();
  let nextVentricular = random.waitSeconds(profile.prematureVentricularPerHour / 3600);
  let nextAtrial = random.waitSeconds(profile.prematureAtrialPerHour / 3600);
  let pause = 0;
  while (time < seconds) {
    times[count++] = time;
    const i = Math.floor(time);
    const [respiratory, slow] = depths(state.activity[i]!);
    const base = 60 / state.heartRateTarget[i]!;
    // RR shortens while breathing in.
    const breathing = respiratory * Math.sin(2 * Math.PI * breathPhase(state.breaths, time) + 0.8);
    const interval =
      base *
      (1 - profile.variability * (breathing + slow * Math.sin(2 * Math.PI * slowPhase)) + 0.004 * random.fastNormal());
    slowPhase += interval * (0.1 + 0.008 * random.fastNormal());
    if (pause > 0) {
      time += pause;
      pause = 0;
    } else if (time > nextVentricular) {
      const coupling = interval * random.range(0.55, 0.68);
      kinds[count] = BEAT_PREMATURE_VENTRICULAR;
      time += coupling;
      pause = 2 * interval - coupling;
      nextVentricular = time + random.waitSeconds(profile.prematureVentricularPerHour / 3600);
    } else if (time > nextAtrial) {
      kinds[count] = BEAT_PREMATURE_ATRIAL;
      time += interval * random.range(0.66, 0.78);
      pause = interval * random.range(1.02, 1.12);
      nextAtrial = time + random.waitSeconds(profile.prematureAtrialPerHour / 3600);
    } else {
      time += interval;
    }
  }
  kinds[count] = BEAT_SINUS;
  return { times: times.slice(0, count), kinds: kinds.slice(0, count), count };
};

/** Foot contacts of all walking and running bouts, seconds, with about 2 % variation from step to step. */
export const simulateSteps = (random: Random, plan: DayPlan): Float64Array => {
  const steps: number[] = [];
  for (const bout of plan.bouts) {
    if (bout.cadenceHz === 0) continue;
    let time = bout.start + random.range(0.3, 0.7);
    while (time < bout.stop - 0.2) {
      steps.push(time);
      time += (1 + 0.022 * random.fastNormal()) / bout.cadenceHz;
    }
  }
  return Float64Array.from(steps);
};
