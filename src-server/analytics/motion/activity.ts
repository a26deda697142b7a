/**
 * Classifies the activity per second from thigh and trunk, or from either alone. The thigh angle separates sitting from
 * standing and the trunk angle lying from sitting (Skotte et al. 2014, J Phys Act Health 11:76, Acti4); gait rhythm, its
 * rate and its sharpness separate walking, running and cycling.
 *
 * Limits of a single sensor: a thigh alone classifies lying on the back as sitting (but recognises lying on the side or front);
 * a trunk alone cannot separate sitting from standing, classifies upright rest as standing only in a short pause between
 * steps, and cycling as other movement.
 */
import { ACTIVITIES } from '../types.ts';
import { ACTIVITY_SETTINGS, type ActivitySettings } from './settings.ts';
import type { SiteSpan } from './site-span.ts';

const code = (name: (typeof ACTIVITIES)[number]): number => ACTIVITIES.indexOf(name);
const UNKNOWN = 0;
export const WALKING = code('MOVING:WALKING');
export const RUNNING = code('MOVING:RUNNING');
const CYCLING = code('MOVING:CYCLING');
export const OTHER = code('MOVING:OTHER');
export const STANDING = code('RESTING:STANDING');
export const SITTING = code('RESTING:SITTING');
export const LYING = code('RESTING:LYING');
export const LEANING = code('RESTING:LEANING');

/** Vibration of the trunk on a saddle, which a chair does not have. */
const ROAD_VIBRATION_G = 0.07;
/** A pause in walking too short for sitting down and standing up again. */
const STANDING_PAUSE_SECONDS = 20;

/** Features of one site averaged over the five seconds around each second. */
interface SiteContext {
  deviation: Float32Array;
  sharpness: Float32Array;
  rhythm: Float32Array;
  stepPeriod: Float32Array;
  tilt: Float32Array;
  forward: Float32Array;
  roll: Float32Array;
}

const REACH_SECONDS = 2;

/** Mean over the present seconds within reach, NaN where the second itself is absent. */
function averaged(values: Float32Array, present: Uint8Array): Float32Array {
  const out = new Float32Array(values.length).fill(Number.NaN);
  for (let i = 0; i < values.length; i++) {
    if (present[i] === 0) continue;
    let sum = 0;
    let n = 0;
    for (let j = Math.max(0, i - REACH_SECONDS); j <= Math.min(values.length - 1, i + REACH_SECONDS); j++) {
      const value = values[j]!;
      if (present[j] === 1 && !Number.isNaN(value)) {
        sum += value;
        n++;
      }
    }
    if (n > 0) out[i] = sum / n;
  }
  return out;
}

function describeSite(span: SiteSpan): SiteContext {
  const { present, columns } = span;
  const deviation = averaged(columns.deviation, present);
  const jerk = averaged(columns.jerk, present);
  const sharpness = new Float32Array(deviation.length);
  for (let i = 0; i < sharpness.length; i++) sharpness[i] = deviation[i]! > 0 ? jerk[i]! / deviation[i]! : 0;
  return {
    deviation,
    sharpness,
    rhythm: averaged(columns.strideRhythm, present),
    stepPeriod: columns.stepPeriod,
    tilt: averaged(span.tilt, present),
    forward: averaged(span.forward, present),
    roll: span.roll,
  };
}

/** Activity code per second from what the worn sensors show; 0 where none is worn. */
export function classify(
  thigh: SiteSpan | null,
  trunk: SiteSpan | null,
  count: number,
  settings: ActivitySettings = ACTIVITY_SETTINGS,
): Uint8Array {
  const activity = new Uint8Array(count);
  const thighContext = thigh === null ? null : describeSite(thigh);
  const trunkContext = trunk === null ? null : describeSite(trunk);
  for (let i = 0; i < count; i++) {
    const hasThigh = thigh !== null && thigh.present[i] === 1 && thigh.wear[i] !== 0;
    const hasTrunk = trunk !== null && trunk.present[i] === 1 && trunk.wear[i] !== 0;
    if (hasThigh && hasTrunk) activity[i] = fromBoth(thighContext!, trunkContext!, i, settings);
    else if (hasThigh) activity[i] = fromThigh(thighContext!, i, settings);
    else if (hasTrunk) activity[i] = fromTrunk(trunkContext!, i, settings);
  }
  return activity;
}

function isRunning(context: SiteContext, i: number, leastG: number, settings: ActivitySettings): boolean {
  return (
    context.deviation[i]! > leastG &&
    context.rhythm[i]! > settings.runningRhythm &&
    context.stepPeriod[i]! < settings.longestRunningStepSeconds
  );
}

/** Whether the thigh moves with the knee in front of the hip: no gait keeps a thigh flexed by 20 degrees on average. */
function isPedalling(thigh: SiteContext, i: number, settings: ActivitySettings): boolean {
  const flexed = -thigh.forward[i]!;
  if (!(thigh.deviation[i]! > settings.pedallingThighG && flexed < settings.mostFlexedDegrees)) return false;
  return (
    flexed >
    (thigh.sharpness[i]! < settings.pedallingSharpness
      ? settings.pedallingFlexionDegrees
      : settings.saddleFlexionDegrees)
  );
}

/**
 * Out of the saddle: the trunk sways over the handlebars without the heel strikes of walking. Either the thigh shows no heel
 * strikes too, or the trunk leans further forward than in walking.
 */
function isPedallingUpright(thigh: SiteContext, trunk: SiteContext, i: number, settings: ActivitySettings): boolean {
  if (!(trunk.sharpness[i]! < settings.swayingTrunkSharpness && trunk.deviation[i]! > settings.pedallingThighG))
    return false;
  const lean = trunk.forward[i]!;
  return (
    lean > settings.bentOverBarsDegrees ||
    (lean > settings.handlebarLeanDegrees && thigh.sharpness[i]! < settings.pedallingSharpness)
  );
}

function fromBoth(thigh: SiteContext, trunk: SiteContext, i: number, settings: ActivitySettings): number {
  if (isRunning(trunk, i, settings.runningTrunkG, settings)) return RUNNING;
  const thighTilt = thigh.tilt[i]!;
  const trunkTilt = trunk.tilt[i]!;
  if (
    trunkTilt > settings.lyingTrunkDegrees &&
    (thigh.deviation[i]! < settings.movingThighG || thighTilt > settings.seatedThighDegrees)
  ) {
    const upright = thighTilt < 30 && trunk.forward[i]! > 0;
    return upright ? LEANING : LYING;
  }
  if (isPedallingUpright(thigh, trunk, i, settings)) return CYCLING;
  if (
    isPedalling(thigh, i, settings) &&
    (thighTilt < settings.seatedThighDegrees || trunk.deviation[i]! > ROAD_VIBRATION_G)
  )
    return CYCLING;
  if (thighTilt > settings.seatedThighDegrees) return SITTING;
  const moving = thigh.deviation[i]! / settings.movingThighG + trunk.deviation[i]! / settings.movingTrunkG > 2;
  if (moving) return WALKING;
  if (Number.isNaN(thighTilt)) return UNKNOWN;
  return trunkTilt > settings.leaningTrunkDegrees ? LEANING : STANDING;
}

function fromThigh(thigh: SiteContext, i: number, settings: ActivitySettings): number {
  if (isRunning(thigh, i, settings.runningThighG, settings)) return RUNNING;
  if (isPedalling(thigh, i, settings)) return CYCLING;
  const tilt = thigh.tilt[i]!;
  if (tilt > settings.seatedThighDegrees) {
    if (
      tilt > 60 &&
      Math.abs(thigh.roll[i]!) > settings.rolledThighDegrees &&
      thigh.deviation[i]! < settings.pedallingThighG
    )
      return LYING;
    return SITTING;
  }
  if (thigh.deviation[i]! > settings.movingThighG) return Number.isNaN(tilt) ? OTHER : WALKING;
  return Number.isNaN(tilt) ? UNKNOWN : STANDING;
}

function fromTrunk(trunk: SiteContext, i: number, settings: ActivitySettings): number {
  if (isRunning(trunk, i, settings.runningTrunkG, settings)) return RUNNING;
  const tilt = trunk.tilt[i]!;
  if (tilt > settings.lyingTrunkDegrees) {
    const bending = trunk.deviation[i]! > settings.movingTrunkG && Math.abs(trunk.roll[i]!) > settings.frontDownDegrees;
    return bending ? OTHER : LYING;
  }
  if (trunk.deviation[i]! > settings.movingTrunkG) return trunk.rhythm[i]! > 0.3 ? WALKING : OTHER;
  if (Number.isNaN(tilt)) return UNKNOWN;
  return tilt > settings.leaningTrunkDegrees ? LEANING : SITTING;
}

/** With a trunk sensor alone, reclassifies upright rest in a short pause between steps from sitting to standing. */
export function standInPauses(activity: Uint8Array): void {
  eachBout(activity, (start, stop, value) => {
    const between = start > 0 && stop < activity.length && isGait(activity[start - 1]!) && isGait(activity[stop]!);
    if (value === SITTING && between && stop - start <= STANDING_PAUSE_SECONDS) activity.fill(STANDING, start, stop);
  });
}

const isGait = (value: number): boolean => value === WALKING || value === RUNNING;

/** Least length of a bout in seconds: shorter ones are physically impossible, or interruptions such as coasting. */
const SHORTEST_BOUT_SECONDS = new Map<number, number>([
  [WALKING, 2],
  [RUNNING, 4],
  [CYCLING, 8],
  [STANDING, 2],
  [SITTING, 3],
  [LYING, 5],
  [LEANING, 5],
]);
/** Longest coasting or waiting on the saddle that does not end a ride. */
const COASTING_SECONDS = 30;

/** Merges bouts that are physically too short into the longer neighbour. Unknown seconds are kept. */
export function smoothBouts(activity: Uint8Array): void {
  bridge(activity, CYCLING, COASTING_SECONDS);
  for (let shortest = 1; shortest <= 8; shortest++) {
    eachBout(activity, (start, stop, value) => {
      if (value === UNKNOWN || stop - start !== shortest || shortest >= (SHORTEST_BOUT_SECONDS.get(value) ?? 2)) return;
      const before = activity[start - 1] ?? UNKNOWN;
      const after = activity[stop] ?? UNKNOWN;
      if (before === UNKNOWN && after === UNKNOWN) return;
      const useBefore =
        after === UNKNOWN || (before !== UNKNOWN && lengthBefore(activity, start) >= lengthAfter(activity, stop));
      activity.fill(useBefore ? before : after, start, stop);
    });
  }
}

function lengthBefore(activity: Uint8Array, start: number): number {
  let i = start - 1;
  while (i >= 0 && activity[i] === activity[start - 1] && start - i < 60) i--;
  return start - i;
}

function lengthAfter(activity: Uint8Array, stop: number): number {
  let i = stop;
  while (i < activity.length && activity[i] === activity[stop] && i - stop < 60) i++;
  return i - stop;
}

/** Fills gaps of at most `longest` known seconds between two bouts of `value` that are at least as long as the gap. */
function bridge(activity: Uint8Array, value: number, longest: number): void {
  let last = -1;
  for (let i = 0; i < activity.length; i++) {
    if (activity[i] !== value) {
      if (activity[i] === UNKNOWN) last = -1;
      continue;
    }
    const gap = i - last - 1;
    if (last >= 0 && gap > 0 && gap <= longest) {
      const around = Math.min(lengthBefore(activity, last + 1), lengthAfter(activity, i));
      if (around >= gap / 2) activity.fill(value, last + 1, i);
    }
    last = i;
  }
}

/** Visits the maximal bouts of equal codes; changes made by `visit` affect later bouts. */
function eachBout(activity: Uint8Array, visit: (start: number, stop: number, value: number) => void): void {
  let start = 0;
  while (start < activity.length) {
    let stop = start + 1;
    while (stop < activity.length && activity[stop] === activity[start]) stop++;
    visit(start, stop, activity[start]!);
    start = stop;
  }
}
