import type { NonWearId } from '../../vocabulary/analysis-parameters.ts';
import { overrideWear, type WearEdit } from '../corrections/wear.ts';
import { lowerBound } from '../lower-bound.ts';
import { type CalibrationLabel, type HeartFeatures, LEAN_FORWARDS, LEAN_SIDES, type MotionFeatures } from '../types.ts';
import {
  classify,
  LEANING,
  LYING,
  OTHER,
  RUNNING,
  SITTING,
  STANDING,
  smoothBouts,
  standInPauses,
  WALKING,
} from './activity.ts';
import { ACTIVITY_SETTINGS, type ActivitySettings } from './settings.ts';
import { alignTrunkToThigh, joinSite, type SiteSpan } from './site-span.ts';
import type { MotionSpan } from './span.ts';
import { DOUBTFUL, OFF } from './wear.ts';

/** Leans within this of the wearer's own upright count as neutral, as in clinical observation. */
const NEUTRAL_DEGREES = 10;
/** From here a slouch is leaning forward: the head is no longer above the hips. */
const LEAN_FORWARD_DEGREES = 25;
const TURN_CLEAR_OF_NOISE_G = 0.5;
/** Half of the window whose majority of electrode contact decides wear by an ECG alone. */
const CONTACT_REACH_SECONDS = 30;

/**
 * Fuses all sensors of one subject over the seconds [startSecond, startSecond + count).
 *
 * The chest is preferred to the lower back as the trunk. Steps come from one sensor at a time, preferably the trunk, so that
 * none counts twice; they count in seconds of walking, running and other movement, never while cycling or at rest.
 * Activity counts are the vector magnitude (root of the summed squares of the three axes) of the preferred worn sensor:
 * chest, else lower back, else thigh, else waist, else any other, else a wrist. A wrist shows neither posture nor steps.
 *
 * @param motion stage 1 features of every accelerometer that touches the span
 * @param hearts stage 1 features of everything in the span that shows heartbeats: a heartbeat shows that the sensor is worn
 * @param labels posture-calibration labels of the subject
 * @param settings thresholds other than the fixed ones, for benches
 * @param nonWear the rule by which wrist and waist sensors are taken for worn
 * @param wearEdits spans in which a person says whether the sensors were worn
 */
export function fuseMotion(
  startSecond: number,
  count: number,
  motion: MotionFeatures[],
  hearts: HeartFeatures[],
  labels: CalibrationLabel[],
  settings: ActivitySettings = ACTIVITY_SETTINGS,
  nonWear?: NonWearId,
  wearEdits: readonly WearEdit[] = [],
): MotionSpan {
  // Intervals arrive only while a link holds, so their absence does not show that a patch is off.
  const ecg = hearts.filter((sensor) => sensor.kind === 'ecg');
  const join = (site: MotionFeatures['site']): SiteSpan | null =>
    joinSite(site, startSecond, count, motion, ecg, labels, nonWear);
  const thigh = join('thigh');
  const chest = join('chest');
  const back = join('back');
  const waist = join('waist');
  const other = join('other');
  const wrist = join('wrist');
  const shown = [chest, back, thigh, waist, other].filter((site) => site !== null);
  const sites = wrist === null ? shown : [...shown, wrist];
  const trunk = preferred(chest, back);
  settleDoubt(sites, trunk);
  for (const { wear } of sites) overrideWear(wear, startSecond, wearEdits);
  if (trunk !== null && thigh !== null && !labels.some((label) => label.posture === 'LYING'))
    alignTrunkToThigh(trunk, thigh);

  const span = emptySpan(startSecond, count);
  markWear(span, sites, hearts);
  if (wearEdits.length > 0) {
    overrideWear(span.worn, startSecond, wearEdits);
    for (let i = 0; i < count; i++) if (span.recorded[i] === 0) span.worn[i] = 0;
  }
  span.activity.set(classify(thigh, trunk, count, settings));
  for (const site of [other, waist])
    if (site !== null && thigh === null && trunk === null) markMovement(span.activity, site);
  if (thigh === null) standInPauses(span.activity);
  smoothBouts(span.activity);
  for (let i = 0; i < count; i++) if (span.worn[i] === 0) span.activity[i] = 0;
  fillPreferred(span, sites);
  fillSteps(
    span,
    [trunk, thigh, waist, other].filter((site) => site !== null),
  );
  for (const { present, wear } of shown) {
    for (let i = 0; i < count; i++) if (present[i] === 1 && wear[i] !== OFF) span.bodyKnown[i] = 1;
  }
  if (trunk !== null) fillPosture(span, trunk);
  return span;
}

function emptySpan(startSecond: number, count: number): MotionSpan {
  const bytes = (): Uint8Array => new Uint8Array(count);
  const missing = (): Float32Array => new Float32Array(count).fill(Number.NaN);
  return {
    startSecond,
    count,
    recorded: bytes(),
    worn: bytes(),
    activity: bytes(),
    steps: bytes(),
    stepsUs: new Float64Array(0),
    counts: missing(),
    leanSide: bytes(),
    leanForward: bytes(),
    leanSideDegrees: missing(),
    leanForwardDegrees: missing(),
    lyingRollDegrees: missing(),
    bodyKnown: bytes(),
    trunkKnown: bytes(),
    movement: missing(),
    turnDegrees: missing(),
  };
}

/** The first site, or the second if that covers more than twice as many seconds. */
function preferred(first: SiteSpan | null, second: SiteSpan | null): SiteSpan | null {
  if (first === null || second === null) return first ?? second;
  const firstSeconds = first.present.reduce((sum, value) => sum + value, 0);
  const secondSeconds = second.present.reduce((sum, value) => sum + value, 0);
  return firstSeconds * 2 >= secondSeconds ? first : second;
}

/** Resolves DOUBTFUL wear: off where the trunk sensor is off too, else worn in deep sleep. */
function settleDoubt(sites: SiteSpan[], trunk: SiteSpan | null): void {
  for (const site of sites) {
    for (let i = 0; i < site.wear.length; i++) {
      if (site.wear[i] !== DOUBTFUL) continue;
      const trunkOff = trunk !== null && trunk.present[i] === 1 && trunk.wear[i] === OFF;
      site.wear[i] = trunkOff ? OFF : 1;
    }
  }
}

function markWear(span: MotionSpan, sites: SiteSpan[], hearts: HeartFeatures[]): void {
  for (const { present, wear } of sites) {
    for (let i = 0; i < span.count; i++) {
      if (present[i] === 0) continue;
      span.recorded[i] = 1;
      if (wear[i] !== OFF) span.worn[i] = 1;
    }
  }
  // Electrode contact does not override a chest sensor that its movement and ECG show to be off: electrodes pick up noise.
  const chest = sites.find(({ site }) => site === 'chest');
  for (const { seconds } of hearts) {
    const { contact, quality } = seconds.columns;
    const from = Math.max(0, span.startSecond - seconds.startSecond);
    const to = Math.min(seconds.count, span.startSecond + span.count - seconds.startSecond);
    let around = 0;
    let ahead = Math.max(0, from - CONTACT_REACH_SECONDS);
    let behind = ahead;
    for (let row = from; row < to; row++) {
      while (ahead < seconds.count && ahead <= row + CONTACT_REACH_SECONDS) around += contact[ahead++]!;
      while (behind < row - CONTACT_REACH_SECONDS) around -= contact[behind++]!;
      const i = seconds.startSecond + row - span.startSecond;
      if (quality[row]! > 0 || contact[row]! > 0) span.recorded[i] = 1;
      const isOff = chest?.present[i] === 1 && chest.wear[i] === OFF;
      if (span.recorded[i] === 1 && !isOff && around * 2 > ahead - behind) span.worn[i] = 1;
    }
  }
}

/** A sensor on a hand, shank or waist shows only that the wearer moves; a wrist also moves while the wearer sits. */
function markMovement(activity: Uint8Array, other: SiteSpan): void {
  for (let i = 0; i < activity.length; i++) {
    if (other.present[i] === 0 || other.wear[i] === OFF) continue;
    const walking = other.columns.strideRhythm[i]! > 0.5 && other.columns.deviation[i]! > 0.15;
    if (walking) activity[i] = WALKING;
    else if (other.columns.deviation[i]! > 0.15) activity[i] = OTHER;
  }
}

/** Counts, movement and turn of the first worn site of each second. */
function fillPreferred(span: MotionSpan, sites: SiteSpan[]): void {
  for (const site of sites) {
    for (let i = 0; i < span.count; i++) {
      if (site.present[i] === 0 || site.wear[i] === OFF || !Number.isNaN(span.counts[i])) continue;
      span.counts[i] = site.counts[i]!;
      span.movement[i] = site.columns.deviation[i]!;
      span.turnDegrees[i] = site.columns.deviation[i]! < TURN_CLEAR_OF_NOISE_G ? site.turn[i]! : Number.NaN;
    }
  }
}

/** Steps of one site per bout on foot. */
function fillSteps(span: MotionSpan, sites: SiteSpan[]): void {
  const perSite = sites.map((site) => visibleSteps(site, span));
  const times: number[] = [];
  let start = 0;
  while (start < span.count) {
    let stop = start + 1;
    const counted = isOnFoot(span.activity[start]!);
    while (stop < span.count && isOnFoot(span.activity[stop]!) === counted) stop++;
    if (counted) {
      const fromUs = (span.startSecond + start) * 1e6;
      const toUs = (span.startSecond + stop) * 1e6;
      const found = perSite.map((steps) => steps.subarray(lowerBound(steps, fromUs), lowerBound(steps, toUs)));
      for (const timeUs of mostTrusted(found)) {
        span.steps[Math.floor(timeUs / 1e6) - span.startSecond]!++;
        times.push(timeUs);
      }
    }
    start = stop;
  }
  span.stepsUs = Float64Array.from(times);
}

/** Step times of a site in the span while its sensor is worn. Two sensors at one site count once: in each second those of the one it is taken from. */
function visibleSteps(site: SiteSpan, span: MotionSpan): Float64Array {
  const times: number[] = [];
  for (const [index, stepsUs] of site.stepsUs.entries()) {
    for (let k = lowerBound(stepsUs, span.startSecond * 1e6); k < stepsUs.length; k++) {
      const i = Math.floor(stepsUs[k]! / 1e6) - span.startSecond;
      if (i >= span.count) break;
      if (site.source[i] === index + 1 && site.wear[i] !== OFF) times.push(stepsUs[k]!);
    }
  }
  return Float64Array.from(times).sort();
}

/** The first site with at least nine tenths of the most steps that any site found in the bout. */
function mostTrusted(found: Float64Array[]): Float64Array {
  const most = Math.max(0, ...found.map((steps) => steps.length));
  return found.find((steps) => steps.length >= 0.9 * most) ?? new Float64Array(0);
}

const isOnFoot = (activity: number): boolean => activity === WALKING || activity === RUNNING || activity === OTHER;

function fillPosture(span: MotionSpan, trunk: SiteSpan): void {
  const leanSide = (name: (typeof LEAN_SIDES)[number]): number => LEAN_SIDES.indexOf(name);
  const leanForward = (name: (typeof LEAN_FORWARDS)[number]): number => LEAN_FORWARDS.indexOf(name);
  for (let i = 0; i < span.count; i++) {
    if (trunk.present[i] === 0 || trunk.wear[i] === OFF || Number.isNaN(trunk.tilt[i])) continue;
    span.trunkKnown[i] = 1;
    const activity = span.activity[i];
    if (activity === LYING) span.lyingRollDegrees[i] = trunk.roll[i]!;
    if (activity !== STANDING && activity !== SITTING && activity !== LEANING) continue;
    const right = trunk.right[i]!;
    const forward = trunk.forward[i]!;
    span.leanSideDegrees[i] = right;
    span.leanForwardDegrees[i] = forward;
    if (Math.abs(right) <= NEUTRAL_DEGREES) span.leanSide[i] = leanSide('NEUTRAL');
    else span.leanSide[i] = leanSide(right > 0 ? 'LEAN_RIGHT' : 'LEAN_LEFT');
    if (forward < -NEUTRAL_DEGREES) span.leanForward[i] = leanForward('RECLINING');
    else if (forward <= NEUTRAL_DEGREES) span.leanForward[i] = leanForward('NEUTRAL');
    else span.leanForward[i] = leanForward(forward <= LEAN_FORWARD_DEGREES ? 'SLOUCHING' : 'LEAN_FORWARD');
  }
}
