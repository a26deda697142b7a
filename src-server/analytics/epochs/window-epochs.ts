/** Stage 2 of epochs: intensity, counts and rhythm of one window, from the sensor of a wrist, a waist or a lower back. */

import type { IntensitySite } from '../../vocabulary/analysis-parameters.ts';
import { type CutPoints, cutPointsOf } from '../../vocabulary/analysis-parameters.ts';
import type { SleepEdit } from '../corrections/sleep.ts';
import { overrideWear, type WearEdit } from '../corrections/wear.ts';
import { verticalAxis } from '../motion/vertical-axis.ts';
import { wearOfSensor } from '../motion/wear.ts';
import { COUNT_SLEEP_REACH, coleKripkeSleep, sadehSleep } from '../sleep/count-sleep.ts';
import { COUNT_SLEEP, type EcgFeatures, type EpochSeconds, type MotionFeatures } from '../types.ts';
import { calibrationDetails } from './autocalibration.ts';
import { intensityOf, intensitySiteOf } from './cut-points.ts';
import { EPOCH_SECONDS } from './extract.ts';
import { LEAST_COVERAGE, rhythmOf, sleepRegularity } from './rest-activity.ts';
import type { EpochDetails, EpochRows, EpochSettings, EpochSource } from './types.ts';

/** A sensor with epochs, over the seconds of a window. */
interface WindowSensor {
  features: MotionFeatures;
  source: EpochSource;
  site: IntensitySite;
  rows: EpochRows;
  /** Per epoch: covered, and worn in most of its seconds. */
  worn: Uint8Array;
  /** The same for other epochs of its recording. */
  wornIn: (rows: EpochRows) => Uint8Array;
  wornEpochs: number;
}

const ASLEEP = COUNT_SLEEP.indexOf('ASLEEP');
const AWAKE = COUNT_SLEEP.indexOf('AWAKE');

/** Seconds of an epoch that must be worn. */
const LEAST_WORN = 3;

const epochOf = (second: number): number => Math.floor(second / EPOCH_SECONDS);

/** 1 for each second [startSecond, startSecond + count) in which the wear rules take the sensor for worn. */
function wornSeconds(
  features: MotionFeatures,
  ecg: EcgFeatures[],
  settings: EpochSettings,
  startSecond: number,
  count: number,
  wearEdits: readonly WearEdit[],
): Uint8Array {
  const worn = new Uint8Array(count);
  for (const [index, wear] of wearOfSensor(features, ecg, settings.nonWear).entries()) {
    const segment = features.segments[index]!;
    const from = Math.max(0, startSecond - segment.startSecond);
    const to = Math.min(segment.count, startSecond + count - segment.startSecond);
    for (let row = from; row < to; row++) {
      if (wear[row] !== 0 && segment.columns.coverage[row]! > 0) worn[row + segment.startSecond - startSecond] = 1;
    }
  }
  overrideWear(worn, startSecond, wearEdits);
  return worn;
}

/** 1 for each epoch that samples cover and in most of whose seconds the sensor was worn, by the rule of the study and by people. */
function wornEpochs(
  features: MotionFeatures,
  ecg: EcgFeatures[],
  settings: EpochSettings,
  rows: EpochRows,
  wearEdits: readonly WearEdit[],
): Uint8Array {
  const first = rows.firstEpoch * EPOCH_SECONDS;
  const seconds = wornSeconds(features, ecg, settings, first, rows.count * EPOCH_SECONDS, wearEdits);
  return rows.coverage.map((percent, i) => {
    if (percent < LEAST_COVERAGE) return 0;
    let n = 0;
    for (let k = 0; k < EPOCH_SECONDS; k++) n += seconds[i * EPOCH_SECONDS + k]!;
    return n >= LEAST_WORN ? 1 : 0;
  });
}

/** The features of a sensor around some epochs, which may lie far from those that a window has. */
function featuresFor({ features, rows }: { features: MotionFeatures; rows: EpochRows }): MotionFeatures {
  const from = rows.firstEpoch * EPOCH_SECONDS;
  return features.whole?.around(from, from + rows.count * EPOCH_SECONDS) ?? features;
}

function windowSensor(
  features: MotionFeatures,
  ecg: EcgFeatures[],
  settings: EpochSettings,
  startSecond: number,
  count: number,
  wearEdits: readonly WearEdit[],
): WindowSensor | null {
  const site = intensitySiteOf(features.site);
  const source = features.epochs;
  const fromEpoch = epochOf(startSecond);
  const toEpoch = epochOf(startSecond + count - 1) + 1;
  if (site === null || !source || source.stopEpoch <= fromEpoch || source.firstEpoch >= toEpoch) return null;
  const rows = source.read(fromEpoch, toEpoch);
  const worn = wornEpochs(features, ecg, settings, rows, wearEdits);
  // Wear of these sites does not depend on an ECG.
  const wornIn = (others: EpochRows): Uint8Array =>
    wornEpochs(featuresFor({ features, rows: others }), [], settings, others, wearEdits);
  const wornCount = worn.reduce((sum, one) => sum + one, 0);
  return { features, source, site, rows, worn, wornIn, wornEpochs: wornCount };
}

/**
 * The sensors with epochs of a span, of the one site that was worn longest (of two, the wrist): cut points of two sites do not mix.
 */
export function epochSensors(
  sensors: readonly MotionFeatures[],
  ecg: EcgFeatures[],
  settings: EpochSettings,
  startSecond: number,
  count: number,
  wearEdits: readonly WearEdit[] = [],
): WindowSensor[] {
  const all = sensors.flatMap((one) => windowSensor(one, ecg, settings, startSecond, count, wearEdits) ?? []);
  const total = (site: IntensitySite): number =>
    all.reduce((sum, one) => (one.site === site ? sum + one.wornEpochs : sum), 0);
  const site = total('wrist') >= total('waist') ? 'wrist' : 'waist';
  const chosen = all.filter((one) => one.site === site);
  return chosen.length > 0 ? chosen : all;
}

const toMilliG = (g: number): number => Math.round(g * 1e5) / 100;

/** What people said of the wear and the sleep of a subject. */
interface EpochEdits {
  wear: readonly WearEdit[];
  sleep: readonly SleepEdit[];
}

/**
 * @param bodyKnown of the window, see `EpochSeconds`
 * @param edits those of the sensors, and of the sleep
 */
export function epochSeconds(
  sensors: readonly WindowSensor[],
  settings: EpochSettings,
  startSecond: number,
  count: number,
  bodyKnown: Uint8Array,
  edits: EpochEdits = { wear: [], sleep: [] },
): EpochSeconds | null {
  if (sensors.length === 0) return null;
  const missing = (): Float32Array => new Float32Array(count).fill(Number.NaN);
  const { site } = sensors[0]!;
  const points = cutPointsOf(settings.cutPoints[site]);
  const main = sensors.reduce((best, one) => (one.wornEpochs > best.wornEpochs ? one : best));
  const seconds: EpochSeconds = {
    enmo: missing(),
    mad: missing(),
    countsX: missing(),
    countsY: missing(),
    countsZ: missing(),
    intensity: new Uint8Array(count),
    sadeh: new Uint8Array(count),
    coleKripke: new Uint8Array(count),
    bodyKnown,
    details: detailsOf(main, points, settings, startSecond, count, edits),
  };
  for (const sensor of sensors) addSensor(seconds, sensor, points, startSecond);
  if (points.epochSeconds === 60) addIntensityPerMinute(seconds, points, startSecond, verticalAxis(main.features));
  addCountSleep(seconds, main.features, startSecond);
  return seconds;
}

/** What the rhythm of a recording depends on beside its samples. */
function rhythmKey(
  { firstEpoch, stopEpoch }: EpochSource,
  { nonWear }: EpochSettings,
  wear: readonly WearEdit[],
): string {
  const touches = ({ startSecond, stopSecond }: WearEdit): boolean =>
    startSecond < stopEpoch * EPOCH_SECONDS && stopSecond > firstEpoch * EPOCH_SECONDS;
  return JSON.stringify([nonWear, wear.filter(touches)]);
}

function detailsOf(
  { features, source, site, wornIn }: WindowSensor,
  points: CutPoints,
  settings: EpochSettings,
  startSecond: number,
  count: number,
  edits: EpochEdits,
): EpochDetails {
  const { stability, variability } = rhythmOf(source, wornIn, rhythmKey(source, settings, edits.wear));
  return {
    site,
    cutPoints: points.id,
    nonWear: features.site === 'back' ? null : settings.nonWear,
    calibration: calibrationDetails(source.calibration),
    interdailyStability: stability,
    intradailyVariability: variability,
    sleepRegularity:
      site === 'wrist'
        ? sleepRegularity(source, epochOf(startSecond), epochOf(startSecond + count), wornIn, edits.sleep)
        : null,
  };
}

/** Fills the seconds that no sensor before it has filled. */
function addSensor(
  seconds: EpochSeconds,
  { features, rows, worn }: WindowSensor,
  points: CutPoints,
  startSecond: number,
): void {
  const count = seconds.enmo.length;
  const shift = startSecond - rows.firstEpoch * EPOCH_SECONDS;
  const taken = new Uint8Array(count);
  const { metric } = points;
  for (let i = 0; i < count; i++) {
    const row = Math.floor((i + shift) / EPOCH_SECONDS);
    if (worn[row] === 0 || !Number.isNaN(seconds.enmo[i])) continue;
    taken[i] = 1;
    seconds.enmo[i] = toMilliG(rows.enmo[row]!);
    seconds.mad[i] = toMilliG(rows.mad[row]!);
    if (metric === 'enmo' || metric === 'enmoa' || metric === 'mad')
      seconds.intensity[i] = intensityOf(1000 * rows[metric][row]!, points);
  }
  for (const { startSecond: first, count: length, columns } of features.segments) {
    const from = Math.max(0, startSecond - first);
    const to = Math.min(length, startSecond + count - first);
    for (let row = from; row < to; row++) {
      const i = row + first - startSecond;
      if (taken[i] === 0 || columns.coverage[row]! < 50) continue;
      seconds.countsX[i] = columns.countsX[row]!;
      seconds.countsY[i] = columns.countsY[row]!;
      seconds.countsZ[i] = columns.countsZ[row]!;
    }
  }
}

/** Seconds of a minute whose counts must be known. */
const LEAST_MINUTE_SECONDS = 54;

/** Sleep by the counts of the vertical axis per minute, in the seconds in which the sensor was worn. */
function addCountSleep(seconds: EpochSeconds, features: MotionFeatures, startSecond: number): void {
  const count = seconds.enmo.length;
  const axis = verticalAxis(features);
  const firstMinute = Math.floor(startSecond / 60) - COUNT_SLEEP_REACH;
  const minutes = Math.ceil((startSecond + count) / 60) + COUNT_SLEEP_REACH - firstMinute;
  const counts = new Float64Array(minutes);
  const known = new Uint8Array(minutes);
  for (const { startSecond: first, count: length, columns } of features.segments) {
    const from = Math.max(0, firstMinute * 60 - first);
    const to = Math.min(length, (firstMinute + minutes) * 60 - first);
    for (let row = from; row < to; row++) {
      if (columns.coverage[row]! < 50) continue;
      const minute = Math.floor((first + row) / 60) - firstMinute;
      counts[minute]! += columns[axis][row]!;
      known[minute]!++;
    }
  }
  for (let i = 0; i < minutes; i++) if (known[i]! < LEAST_MINUTE_SECONDS) counts[i] = Number.NaN;
  const scores = { sadeh: sadehSleep(counts), coleKripke: coleKripkeSleep(counts) };
  for (let i = 0; i < count; i++) {
    const minute = Math.floor((startSecond + i) / 60) - firstMinute;
    if (Number.isNaN(counts[minute]) || Number.isNaN(seconds.countsX[i])) continue;
    seconds.sadeh[i] = scores.sadeh[minute] === 1 ? ASLEEP : AWAKE;
    seconds.coleKripke[i] = scores.coleKripke[minute] === 1 ? ASLEEP : AWAKE;
  }
}

function addIntensityPerMinute(
  seconds: EpochSeconds,
  points: CutPoints,
  startSecond: number,
  vertical: 'countsX' | 'countsY' | 'countsZ',
): void {
  const count = seconds.enmo.length;
  for (let start = -(startSecond % 60); start < count; start += 60) {
    const from = Math.max(0, start);
    const to = Math.min(count, start + 60);
    let x = 0;
    let y = 0;
    let z = 0;
    let axis1 = 0;
    let n = 0;
    for (let i = from; i < to; i++) {
      if (Number.isNaN(seconds.countsX[i])) continue;
      x += seconds.countsX[i]!;
      y += seconds.countsY[i]!;
      z += seconds.countsZ[i]!;
      axis1 += seconds[vertical][i]!;
      n++;
    }
    if (n < LEAST_MINUTE_SECONDS) continue;
    const code = intensityOf(points.metric === 'axis1' ? axis1 : Math.hypot(x, y, z), points);
    for (let i = from; i < to; i++) if (!Number.isNaN(seconds.countsX[i])) seconds.intensity[i] = code;
  }
}
