/** Stage 2: fuses all sensors of one subject over one window from noon to noon. */

import { type AnalysisParameters, DEFAULT_ANALYSIS_PARAMETERS } from '../vocabulary/analysis-parameters.ts';
import type { SubjectCorrections } from './corrections/index.ts';
import { correctSleep } from './corrections/sleep.ts';
import { EPOCH_SECONDS } from './epochs/extract.ts';
import { epochSeconds, epochSensors } from './epochs/window-epochs.ts';
import { bandPowersPerMinute, fiveMinutesOf, type IntervalSeries, intervalsOf, lfHfOf } from './hrv/index.ts';
import { fuseMotion, type MotionSpan } from './motion/index.ts';
import { RESPIRATION_STEP_SECONDS, respirationRates } from './respiration/index.ts';
import { rhythmSeconds } from './rhythm/seconds.ts';
import { createSecondColumns } from './seconds.ts';
import { wristSleep } from './sleep/hdcza.ts';
import {
  detectSleep,
  holdsRest,
  NOON_REACH_SECONDS,
  type NoonSleep,
  noonSleepIn,
  type SleepResult,
  STIR_G,
  settleNoon,
} from './sleep/index.ts';
import {
  ACTIVITIES,
  type BodySite,
  type CalibrationLabel,
  type EcgFeatures,
  HEART_SOURCES,
  type HeartFeatures,
  type MotionFeatures,
  type NoonWindow,
  type RecordingFeatures,
  type SecondColumns,
  type SensorFeatures,
  type WindowResult,
} from './types.ts';

/** Margin on both sides of a window that is analysed with it, so that rhythm and five-minute windows have no edge effects. */
export const WINDOW_MARGIN_SECONDS = 3600;
const SLEEPING_LYING = ACTIVITIES.indexOf('SLEEPING:LYING');
/** Heart rate for the sleep detector: over the half minute around each second. */
const RATE_HALF_SECONDS = 15;
/** Counts are rounded to a sixteenth, so that their sums are exact in floating point for any bin size. */
const COUNT_STEPS = 16;

/** The analysis of a subject's recordings over a span of seconds. */
interface SpanAnalysis {
  sensors: MotionFeatures[];
  ecg: EcgFeatures[];
  /** The same ECGs with corrections by people. */
  correctedEcg: EcgFeatures[];
  /** Whether anything shows the heart. */
  hasHeart: boolean;
  motion: MotionSpan;
  intervals: IntervalSeries;
  /** Beat intervals per second of the span. */
  beats: SecondColumns;
}

/**
 * Returns the recordings that touch [fromMs, toMs). Called for each window, and for more distant times only where the subject
 * rests at noon.
 */
export type FeaturesBetween = (fromMs: number, toMs: number) => RecordingFeatures[];

/** The recordings of a list that touch a span. */
export const featuresFrom =
  (features: readonly RecordingFeatures[]): FeaturesBetween =>
  (fromMs, toMs) =>
    features.filter(({ startUs, stopUs }) => startUs / 1000 < toMs && stopUs / 1000 >= fromMs);

function analyseSpan(
  startSecond: number,
  count: number,
  between: FeaturesBetween,
  labels: CalibrationLabel[],
  settings: AnalysisParameters,
  corrections: SubjectCorrections | undefined,
): SpanAnalysis {
  const recordings = between(startSecond * 1000, (startSecond + count) * 1000);
  const inOrder = [...recordings].sort(byStartAndContent);
  const features = inOrder.flatMap((recording) => recording.sensors);
  const hearts = features.filter((sensor): sensor is HeartFeatures => sensor.kind !== 'motion');
  const ecg = hearts.filter((sensor) => sensor.kind === 'ecg');
  const sensors = features.filter((sensor): sensor is MotionFeatures => sensor.kind === 'motion');
  const motion = fuseMotion(
    startSecond,
    count,
    sensors,
    hearts,
    labels,
    undefined,
    settings.nonWear,
    corrections?.wear,
  );
  const corrected = corrections ? inOrder.flatMap((recording) => corrections.heartsOf(recording)) : hearts;
  const intervals = intervalsOf(corrected, startSecond, count);
  const beats = createSecondColumns(startSecond * 1000, count);
  addIntervals(beats, intervals, startSecond);
  const correctedEcg = corrected.filter((sensor) => sensor.kind === 'ecg');
  return { sensors, ecg, correctedEcg, hasHeart: hearts.length > 0, motion, intervals, beats };
}

/**
 * Sleep in a span. From wrists alone it is that of the heuristic for wrists, which wants a span of about a day.
 *
 * @param from first row of that day, `count` its rows
 */
function sleepIn(
  analysis: SpanAnalysis,
  settings: AnalysisParameters,
  from: number,
  count: number,
  corrections: SubjectCorrections | undefined,
): SleepResult {
  const { motion, sensors, ecg, hasHeart, beats } = analysis;
  if (!isWristAlone(sensors)) return detectSleep(hasHeart ? { motion, heartRate: heartRates(beats) } : { motion });
  const startSecond = motion.startSecond + from;
  const [sensor] = epochSensors(sensors, ecg, settings, startSecond, count, corrections?.wear);
  const asleep = new Uint8Array(motion.count);
  const found = sensor && wristSleep(sensor.rows.angle, sensor.worn);
  const result: SleepResult = { asleep, sleepingPosture: new Uint8Array(motion.count), periods: [] };
  if (!found) return result;
  const rowOf = (epoch: number): number =>
    Math.min(from + count, Math.max(from, (sensor.rows.firstEpoch + epoch) * EPOCH_SECONDS - startSecond + from));
  for (const { start, stop } of found.bouts) asleep.fill(1, rowOf(start), rowOf(stop));
  const ms = (epoch: number): number => (motion.startSecond + rowOf(epoch)) * 1000;
  result.periods.push({ onsetMs: ms(found.period.start), wakeMs: ms(found.period.stop) });
  return result;
}

/** Of sensors by which sleep is found, the one that shows most of it. */
const sleepSourceOf = (sensors: readonly MotionFeatures[]): BodySite | undefined =>
  (['chest', 'back', 'thigh', 'wrist', 'waist', 'other'] as const).find((site) =>
    sensors.some((sensor) => sensor.site === site),
  );

const isWristAlone = (sensors: readonly MotionFeatures[]): boolean =>
  sensors.some(({ site }) => site === 'wrist') &&
  !sensors.some(({ site }) => site === 'chest' || site === 'back' || site === 'thigh');

/** Whether the subject rests within an hour of a noon, so that the windows on both sides may share a sleep. */
export function restsAround(
  noonMs: number,
  between: FeaturesBetween,
  labels: CalibrationLabel[],
  settings: AnalysisParameters = DEFAULT_ANALYSIS_PARAMETERS,
): boolean {
  const startSecond = Math.floor(noonMs / 1000) - WINDOW_MARGIN_SECONDS;
  const recordings = between(startSecond * 1000, (startSecond + 2 * WINDOW_MARGIN_SECONDS) * 1000);
  if (recordings.length === 0) return false;
  const features = [...recordings].sort(byStartAndContent).flatMap((recording) => recording.sensors);
  const hearts = features.filter((sensor) => sensor.kind !== 'motion');
  const motion = features.filter((sensor) => sensor.kind === 'motion');
  const span = fuseMotion(startSecond, 2 * WINDOW_MARGIN_SECONDS, motion, hearts, labels, undefined, settings.nonWear);
  return holdsRest(span);
}

/** Cache of the sleep over each noon, which the windows on both sides need. */
export type NoonSleeps = Map<number, NoonSleep | null>;

/** The sleep over a noon, identical for both windows; null when there is none. */
function sleepOverNoon(
  noonMs: number,
  between: FeaturesBetween,
  labels: CalibrationLabel[],
  known: NoonSleeps,
  settings: AnalysisParameters,
  corrections: SubjectCorrections | undefined,
): NoonSleep | null {
  const before = known.get(noonMs);
  if (before !== undefined) return before;
  const startSecond = Math.floor(noonMs / 1000) - NOON_REACH_SECONDS;
  const count = 2 * NOON_REACH_SECONDS;
  const sleepAround = (): SleepResult =>
    sleepIn(analyseSpan(startSecond, count, between, labels, settings, corrections), settings, 0, count, corrections);
  const found = restsAround(noonMs, between, labels, settings) ? noonSleepIn(sleepAround(), startSecond, noonMs) : null;
  known.set(noonMs, found);
  return found;
}

/**
 * Fuses all sensors of one subject over one window. A sleep over a noon belongs to the window in which it begins: in the next
 * window its seconds are asleep, and its period precedes that window's own.
 *
 * @param between the recordings of the subject: queried within an hour of the window, and within half a day of its ends where
 *   the subject rests then
 * @param labels posture calibrations of the subject
 * @param noons cache shared by windows of the same recordings, labels, settings and corrections
 * @param settings what the study chose
 * @param corrections by people; without any the result is what was measured
 */
export function analyseWindow(
  window: NoonWindow,
  between: FeaturesBetween,
  labels: CalibrationLabel[],
  noons: NoonSleeps = new Map(),
  settings: AnalysisParameters = DEFAULT_ANALYSIS_PARAMETERS,
  corrections?: SubjectCorrections,
): WindowResult {
  const firstSecond = Math.floor(window.startMs / 1000);
  const count = Math.max(0, Math.ceil(window.stopMs / 1000) - firstSecond);
  const startSecond = firstSecond - WINDOW_MARGIN_SECONDS;
  const spanCount = count + 2 * WINDOW_MARGIN_SECONDS;
  const analysis = analyseSpan(startSecond, spanCount, between, labels, settings, corrections);
  const { sensors: motionSensors, ecg, motion, intervals, beats: span } = analysis;
  const sleep = sleepIn(analysis, settings, WINDOW_MARGIN_SECONDS, count, corrections);
  for (const noonMs of [window.startMs, window.stopMs])
    settleNoon(sleep, startSecond, noonMs, sleepOverNoon(noonMs, between, labels, noons, settings, corrections));
  if (corrections) correctSleep(sleep, motion, startSecond, corrections.sleep);

  const seconds = createSecondColumns(firstSecond * 1000, count);
  const from = WINDOW_MARGIN_SECONDS;
  const to = from + count;
  for (const name of ['recorded', 'worn', 'activity', 'steps', 'leanSide', 'leanForward'] as const) {
    seconds[name].set(motion[name].subarray(from, to));
  }
  seconds.leanSideDegrees.set(motion.leanSideDegrees.subarray(from, to));
  seconds.leanForwardDegrees.set(motion.leanForwardDegrees.subarray(from, to));
  for (const name of ['rrSumMs', 'rrCount', 'rrDiffSquaredMs2', 'rrDiffCount'] as const) {
    seconds[name].set(span[name].subarray(from, to));
  }
  for (const name of ['heartSource', 'rrExcluded'] as const) seconds[name]!.set(span[name]!.subarray(from, to));
  seconds.asleep.set(sleep.asleep.subarray(from, to));
  const sleepSource = sleepSourceOf(motionSensors);
  if (sleepSource) seconds.sleepSource = sleepSource;
  addUnresolved(span, ecg);
  seconds.unresolved?.set(span.unresolved!.subarray(from, to));
  addExcluded(seconds, corrections);
  if (analysis.hasHeart) {
    const rhythm = rhythmSeconds(
      intervals,
      analysis.correctedEcg,
      startSecond,
      spanCount,
      span.unresolved!,
      corrections?.excludedSeconds(startSecond, spanCount) ?? undefined,
      settings.rhythm,
    );
    seconds.rhythm = {
      quality: rhythm.quality.slice(from, to),
      ventricular: rhythm.ventricular.slice(from, to),
      supraventricular: rhythm.supraventricular.slice(from, to),
      supraventricularRuns: rhythm.supraventricularRuns.slice(from, to),
      pauseMs: rhythm.pauseMs.slice(from, to),
      rateEpisode: rhythm.rateEpisode.slice(from, to),
      ecgState: rhythm.ecgState.slice(from, to),
      afState: rhythm.afState.slice(from, to),
    };
  }
  const epochs = epochSensors(motionSensors, ecg, settings, firstSecond, count, corrections?.wear);
  const bodyKnown = motion.bodyKnown.slice(from, to);
  const ofEpochs = epochSeconds(epochs, settings, firstSecond, count, bodyKnown, corrections);
  if (ofEpochs) seconds.epochs = ofEpochs;
  seconds.sleepingPosture.set(sleep.sleepingPosture.subarray(from, to));
  const powers = bandPowersPerMinute(intervals, startSecond, Math.floor(spanCount / 60));
  const lfHf = lfHfOf(powers);
  seconds.fiveMinutes = fiveMinutesOf(intervals, powers, startSecond, window.startMs, window.stopMs);
  const mayBeAsleep = sleepUnknown(motion, sleep.asleep);
  const rates = mayBeAsleep.includes(1)
    ? respirationRates(intervals, motionSensors, startSecond, spanCount, mayBeAsleep)
    : null;
  for (let i = 0; i < count; i++) {
    const row = from + i;
    if (seconds.recorded[i]) seconds.lfHf[i] = lfHf[Math.floor(row / 60)] ?? Number.NaN;
    seconds.counts[i] = Math.round(motion.counts[row]! * COUNT_STEPS) / COUNT_STEPS;
    if (seconds.asleep[i]) seconds.activity[i] = SLEEPING_LYING;
    if (rates && mayBeAsleep[row] && seconds.recorded[i])
      seconds.respiration[i] = rates[Math.floor(row / RESPIRATION_STEP_SECONDS)]!;
  }
  const own = sleep.periods
    .filter((period) => period.onsetMs >= window.startMs && period.onsetMs < window.stopMs)
    .sort((a, b) => b.wakeMs - b.onsetMs - (a.wakeMs - a.onsetMs) || a.onsetMs - b.onsetMs);
  const before = sleep.periods.filter((period) => period.onsetMs < window.startMs && period.wakeMs > window.startMs);
  const stepsUs = motion.stepsUs.filter((us) => us >= window.startMs * 1000 && us < window.stopMs * 1000);
  return { window, seconds, sleep: [...before, ...own], stepsUs };
}

/** 1 where the wearer sleeps, or rests without a known posture: an ECG alone shows breathing but not sleep. */
function sleepUnknown(motion: MotionSpan, asleep: Uint8Array): Uint8Array {
  return asleep.map((sleeps, i) =>
    sleeps || (motion.recorded[i] && motion.activity[i] === 0 && !(motion.movement[i]! > STIR_G)) ? 1 : 0,
  );
}

/** Orders recordings by start, then the longer one first, then by content, so that random ids do not affect results. */
function byStartAndContent(a: RecordingFeatures, b: RecordingFeatures): number {
  return (
    a.startUs - b.startUs ||
    b.stopUs - a.stopUs ||
    compareText(a.location, b.location) ||
    compareSensors(a.whole?.() ?? a.sensors, b.whole?.() ?? b.sensors) ||
    compareText(a.recordingId, b.recordingId)
  );
}

const compareText = (a: string, b: string): number => (a < b ? -1 : Number(a > b));

function compareSensors(a: readonly SensorFeatures[], b: readonly SensorFeatures[]): number {
  if (a.length !== b.length) return b.length - a.length;
  for (let i = 0; i < a.length; i++) {
    const one = columnsOf(a[i]!);
    const other = columnsOf(b[i]!);
    if (one.length !== other.length) return other.length - one.length;
    for (let c = 0; c < one.length; c++) {
      const order = compareNumbers(one[c]!, other[c]!);
      if (order !== 0) return order;
    }
  }
  return 0;
}

/** All feature columns of a sensor, in a fixed order. */
function columnsOf(sensor: SensorFeatures): ArrayLike<number>[] {
  if (sensor.kind !== 'motion') return [sensor.beats.timesUs, ...Object.values(sensor.seconds.columns)];
  return [sensor.stepsUs, ...sensor.segments.flatMap(({ columns }) => Object.values(columns))];
}

function compareNumbers(a: ArrayLike<number>, b: ArrayLike<number>): number {
  if (a.length !== b.length) return b.length - a.length;
  for (let i = 0; i < a.length; i++) {
    if (a[i]! < b[i]!) return -1;
    if (a[i]! > b[i]!) return 1;
  }
  return 0;
}

function addIntervals(span: SecondColumns, series: IntervalSeries, startSecond: number): void {
  for (let i = 0; i < series.endUs.length; i++) {
    const row = Math.floor(series.endUs[i]! / 1e6) - startSecond;
    if (row < 0 || row >= span.count) continue;
    span.rrSumMs[row]! += series.intervalMs[i]!;
    span.rrCount[row]!++;
    span.heartSource![row] = series.source[i]!;
    if (!series.normal[i] && HEART_SOURCES[series.source[i]!] !== 'PPI') span.rrExcluded![row]!++;
    if (i > 0 && series.follows[i] && series.normal[i] && series.normal[i - 1]) {
      const difference = series.intervalMs[i]! - series.intervalMs[i - 1]!;
      span.rrDiffSquaredMs2[row]! += difference * difference;
      span.rrDiffCount[row]!++;
    }
  }
  for (const endUs of series.rejectedUs) {
    const row = Math.floor(endUs / 1e6) - startSecond;
    if (row >= 0 && row < span.count) span.rrExcluded![row]!++;
  }
}

/** Marks the seconds whose rhythm is unresolved in one ECG and without beats in all others. */
function addUnresolved({ unresolved, rrCount, startMs, count }: SecondColumns, ecg: readonly EcgFeatures[]): void {
  if (!unresolved) return;
  for (const { seconds } of ecg) {
    const own = seconds.columns.unresolved;
    const shift = startMs / 1000 - seconds.startSecond;
    const to = Math.min(count, seconds.count - shift);
    for (let i = Math.max(0, -shift); i < to; i++) if (own[i + shift] && rrCount[i] === 0) unresolved[i] = 1;
  }
}

/** Marks the seconds without beats in which a person excluded those of a recording. */
function addExcluded(seconds: SecondColumns, corrections: SubjectCorrections | undefined): void {
  const excluded = corrections?.excludedSeconds(seconds.startMs / 1000, seconds.count);
  if (!excluded) return;
  seconds.excluded = excluded.map((is, i) => (is && seconds.recorded[i] && seconds.rrCount[i] === 0 ? 1 : 0));
}

function heartRates(span: SecondColumns): Float32Array {
  const rates = new Float32Array(span.count).fill(Number.NaN);
  let sumMs = 0;
  let beats = 0;
  for (let i = -RATE_HALF_SECONDS; i < span.count; i++) {
    const enter = i + RATE_HALF_SECONDS;
    const leave = i - RATE_HALF_SECONDS - 1;
    if (enter >= 0 && enter < span.count) {
      sumMs += span.rrSumMs[enter]!;
      beats += span.rrCount[enter]!;
    }
    if (leave >= 0) {
      sumMs -= span.rrSumMs[leave]!;
      beats -= span.rrCount[leave]!;
    }
    if (i >= 0 && beats >= 5) rates[i] = (60_000 * beats) / sumMs;
  }
  return rates;
}
