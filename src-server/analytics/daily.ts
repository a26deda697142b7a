/** Computes the daily metrics of one local day from its windows. */

import { DayEpochs } from './epochs/day-epochs.ts';
import { heartDay } from './heart-day.ts';
import { HeartSums, reportedIntervals } from './heart-origin.ts';
import { type MetricState, MINIMUM } from './metric-names.ts';
import { rhythmOfDay } from './rhythm/day.ts';
import {
  ACTIVITIES,
  type DailyMetrics,
  type SecondColumns,
  type SleepPeriod,
  type Span,
  type WindowResult,
} from './types.ts';

/** A local day, midnight to midnight (23 or 25 hours on days of a clock change). */
export interface LocalDay extends Span {
  date: string;
}

/** A lying posture counts as a transition once it is held this long. */
const HELD_POSTURE_SECONDS = 30;

const MOVING = ACTIVITIES.map((name) => name?.startsWith('MOVING:') ?? false);
const RESTING = ACTIVITIES.map((name) => name?.startsWith('RESTING:') ?? false);
const code = (name: (typeof ACTIVITIES)[number]): number => ACTIVITIES.indexOf(name);
const WALKING = code('MOVING:WALKING');
const RUNNING = code('MOVING:RUNNING');
const LYING = code('RESTING:LYING');
const SITTING = code('RESTING:SITTING');
const STANDING = code('RESTING:STANDING');
const LEANING = code('RESTING:LEANING');
const NEUTRAL = 1;

/** Weighted mean, minimum and maximum of values. */
class Range {
  private sum = 0;
  private weight = 0;
  private min = Infinity;
  private max = -Infinity;

  add(value: number, weight: number): void {
    this.sum += value * weight;
    this.weight += weight;
    if (value < this.min) this.min = value;
    if (value > this.max) this.max = value;
  }

  write(metrics: Record<string, number>, state: MetricState, kind: string): void {
    if (this.weight <= 0) return;
    metrics[`${state}_AVG_${kind}`] = Math.min(this.max, Math.max(this.min, this.sum / this.weight));
    metrics[`${state}_MIN_${kind}`] = this.min;
    metrics[`${state}_MAX_${kind}`] = this.max;
  }
}

/** Accumulates one state over its window: values per minute (heart rate, LF/HF, respiration) and per five minutes (RMSSD). */
class StateSums {
  seconds = 0;
  counts = 0;
  countSeconds = 0;
  intervalsMs = 0;
  differences = 0;
  private readonly state: MetricState;
  private readonly rate = new Range();
  private readonly ratio = new Range();
  private readonly rmssd = new Range();
  private readonly breaths = new Range();
  private minute = Number.NaN;
  private fiveMinutes = Number.NaN;
  private rrSum = 0;
  private rrCount = 0;
  private ratioSum = 0;
  private ratioCount = 0;
  private breathSum = 0;
  private breathCount = 0;
  private squares = 0;
  private squareCount = 0;
  /** RR intervals that a device reported. */
  private reported = 0;

  constructor(state: MetricState) {
    this.state = state;
  }

  add(columns: SecondColumns, i: number, second: number): void {
    const minute = Math.floor(second / 60);
    if (minute !== this.minute) {
      this.closeMinute();
      this.minute = minute;
    }
    const fiveMinutes = Math.floor(second / 300);
    if (fiveMinutes !== this.fiveMinutes) {
      this.closeFiveMinutes();
      this.fiveMinutes = fiveMinutes;
    }
    this.seconds++;
    this.rrSum += columns.rrSumMs[i]!;
    this.rrCount += columns.rrCount[i]!;
    this.squares += columns.rrDiffSquaredMs2[i]!;
    this.squareCount += columns.rrDiffCount[i]!;
    this.reported += reportedIntervals(columns, i);
    this.intervalsMs += columns.rrSumMs[i]!;
    this.differences += columns.rrDiffCount[i]!;
    if (!Number.isNaN(columns.lfHf[i])) {
      this.ratioSum += columns.lfHf[i]!;
      this.ratioCount++;
    }
    if (!Number.isNaN(columns.respiration[i])) {
      this.breathSum += columns.respiration[i]!;
      this.breathCount++;
    }
    if (!Number.isNaN(columns.counts[i])) {
      this.counts += columns.counts[i]!;
      this.countSeconds++;
    }
  }

  write(metrics: Record<string, number>): void {
    this.closeMinute();
    this.closeFiveMinutes();
    this.rate.write(metrics, this.state, 'HR');
    this.ratio.write(metrics, this.state, 'HRV');
    this.rmssd.write(metrics, this.state, 'HRV_RMSSD');
    if (this.state === 'SLEEPING') this.breaths.write(metrics, this.state, 'RESPIRATION');
    if (this.countSeconds > 0) metrics[`${this.state}_COMBINED_ACT_COUNT`] = this.counts;
    metrics[`${this.state}_DURATION`] = this.seconds;
  }

  private closeMinute(): void {
    if (this.rrSum >= MINIMUM.minuteIntervalsMs) this.rate.add((60_000 * this.rrCount) / this.rrSum, this.rrSum);
    if (this.ratioCount >= MINIMUM.minuteSeconds) this.ratio.add(this.ratioSum / this.ratioCount, this.ratioCount);
    if (this.breathCount >= MINIMUM.minuteSeconds)
      this.breaths.add(this.breathSum / this.breathCount, this.breathCount);
    this.rrSum = 0;
    this.rrCount = 0;
    this.ratioSum = 0;
    this.ratioCount = 0;
    this.breathSum = 0;
    this.breathCount = 0;
  }

  private closeFiveMinutes(): void {
    const least = Math.max(MINIMUM.fiveMinuteDifferences, MINIMUM.fiveMinuteNormalPart * this.reported);
    if (this.squareCount >= least) {
      this.rmssd.add(Math.sqrt(this.squares / this.squareCount), this.squareCount);
    }
    this.squares = 0;
    this.squareCount = 0;
    this.reported = 0;
  }
}

/**
 * Returns the metrics of one local day: RESTING_ and MOVING_ from midnight to midnight, SLEEPING_ from the sleep that begins in
 * the noon-to-noon window of the date, up to its end even after noon. A metric without its minimum data (metric-names.ts) is
 * absent; without sleep there are no SLEEPING_ metrics.
 *
 * @param windows at least those of the date and the next date, ascending
 * @returns null when less than an hour of the day was recorded
 */
export function dailyMetrics(day: LocalDay, windows: readonly WindowResult[]): DailyMetrics | null {
  const metrics: Record<string, number> = {};
  const moving = new StateSums('MOVING');
  const resting = new StateSums('RESTING');
  const sleeping = new StateSums('SLEEPING');
  const heart = new HeartSums();
  const epochs = new DayEpochs(day.startMs, day.stopMs);
  let recorded = 0;
  let worn = 0;
  let first = Infinity;
  let last = -Infinity;
  let known = 0;
  let unresolved = 0;
  let excluded = 0;
  let steps = 0;
  let gaitSteps = 0;
  let trunkSeconds = 0;
  let upright = 0;
  let leaning = 0;
  const seconds = new Uint32Array(ACTIVITIES.length);
  for (const { seconds: columns } of windows) {
    const from = Math.max(0, Math.ceil((day.startMs - columns.startMs) / 1000));
    const to = Math.min(columns.count, Math.ceil((day.stopMs - columns.startMs) / 1000));
    for (let i = from; i < to; i++) {
      if (!columns.recorded[i]) continue;
      const startMs = columns.startMs + 1000 * i;
      recorded++;
      first = Math.min(first, startMs);
      last = Math.max(last, startMs + 1000);
      worn += columns.worn[i]!;
      unresolved += columns.unresolved?.[i] ?? 0;
      excluded += columns.excluded?.[i] ?? 0;
      heart.add(columns, i);
      epochs.add(columns, i, startMs);
      const activity = columns.activity[i]!;
      if (activity === 0 || columns.epochs?.bodyKnown[i] === 0) continue;
      known++;
      seconds[activity]!++;
      if (MOVING[activity]) {
        moving.add(columns, i, startMs / 1000);
        steps += columns.steps[i]!;
        if (activity === WALKING || activity === RUNNING) gaitSteps += columns.steps[i]!;
      } else if (RESTING[activity]) {
        resting.add(columns, i, startMs / 1000);
        const trunkKnown = columns.leanSide[i]! > 0 && columns.leanForward[i]! > 0;
        if (trunkKnown || activity === LEANING) trunkSeconds++;
        if (activity === LYING) continue;
        if (activity === LEANING) leaning++;
        else if (trunkKnown) {
          if (columns.leanSide[i] === NEUTRAL && columns.leanForward[i] === NEUTRAL) upright++;
          else leaning++;
        }
      }
    }
  }
  if (recorded < MINIMUM.daySeconds) return null;
  metrics.SENSOR_WEAR_DURATION = worn;
  if (known > 0) {
    moving.write(metrics);
    resting.write(metrics);
    metrics.MOVING_STEPS = steps;
    metrics.MOVING_WALKING_DURATION = seconds[WALKING]!;
    metrics.MOVING_OTHER_DURATION = moving.seconds - seconds[WALKING]!;
    const gaitSeconds = seconds[WALKING]! + seconds[RUNNING]!;
    if (gaitSeconds >= MINIMUM.gaitSeconds) metrics.MOVING_AVG_GAIT_CADENCE = (60 * gaitSteps) / gaitSeconds;
    metrics.RESTING_LYING_DURATION = seconds[LYING]!;
    metrics.RESTING_SITTING_DURATION = seconds[SITTING]!;
    metrics.RESTING_STANDING_DURATION = seconds[STANDING]!;
    if (trunkSeconds > 0) {
      metrics.RESTING_LEANING_POSTURE_DURATION = leaning;
      metrics.RESTING_UPRIGHT_POSTURE_DURATION = upright;
    }
  }
  const ofHeart = heartDay(day, windows);
  const ofRhythm = rhythmOfDay(day, windows);
  Object.assign(metrics, ofHeart.metrics, ofRhythm.metrics);
  const night = windows.find((window) => window.window.date === day.date);
  const next = night && windows.find(({ window }) => window.startMs === night.window.stopMs);
  if (night) addSleep(metrics, night, next, sleeping);
  epochs.write(metrics, night?.seconds.epochs);
  return {
    date: day.date,
    dayStartMs: day.startMs,
    dayStopMs: day.stopMs,
    dataStartMs: first,
    dataStopMs: last,
    metrics: Object.fromEntries(Object.entries(metrics).sort(([a], [b]) => (a < b ? -1 : 1))),
    validSeconds: {
      WEAR: worn,
      ...validOf('MOVING', moving),
      ...validOf('RESTING', resting),
      ...validOf('SLEEPING', sleeping),
      ...(night?.seconds.sleepSource &&
        sleeping.seconds > 0 && { [`SLEEPING_BY_${night.seconds.sleepSource.toUpperCase()}`]: sleeping.seconds }),
      ...(unresolved > 0 && { RHYTHM_UNRESOLVED: unresolved }),
      ...(excluded > 0 && { HEART_EXCLUDED: excluded }),
      ...heart.found(),
      ...ofHeart.validSeconds,
      ...ofRhythm.validSeconds,
    },
    ...(epochs.method && { epochMethod: epochs.method }),
  };
}

/** Seconds of a state, and seconds of valid beat intervals in it. */
function validOf(state: MetricState, sums: StateSums): Record<string, number> {
  return { [state]: sums.seconds, [`${state}_HR`]: Math.round(sums.intervalsMs / 1000) };
}

/** Rows [from, to) of the columns of a window. */
interface Rows {
  columns: SecondColumns;
  from: number;
  to: number;
}

/**
 * The rows of a date's sleep window without the sleep of the date before, and the rows of the next window into which this
 * date's sleep extends.
 */
function nightRows(night: WindowResult, next: WindowResult | undefined): Rows[] {
  const rowAt = ({ seconds }: WindowResult, ms: number): number =>
    Math.min(seconds.count, Math.max(0, Math.round((ms - seconds.startMs) / 1000)));
  const rows = [
    { columns: night.seconds, from: rowAt(night, earlierSleep(night)?.wakeMs ?? 0), to: night.seconds.count },
  ];
  const over = next && earlierSleep(next);
  if (over) rows.push({ columns: next.seconds, from: 0, to: rowAt(next, over.wakeMs) });
  return rows;
}

/** The sleep in a window that began before it. */
const earlierSleep = ({ sleep, window }: WindowResult): SleepPeriod | undefined =>
  sleep.find(({ onsetMs }) => onsetMs < window.startMs);

function addSleep(
  metrics: Record<string, number>,
  night: WindowResult,
  next: WindowResult | undefined,
  sleeping: StateSums,
): void {
  const rows = nightRows(night, next);
  for (const { columns, from, to } of rows) {
    for (let i = from; i < to; i++) if (columns.asleep[i]) sleeping.add(columns, i, columns.startMs / 1000 + i);
  }
  if (sleeping.seconds === 0) return;
  sleeping.write(metrics);
  const longest = night.sleep.find(({ onsetMs }) => onsetMs >= night.window.startMs);
  if (longest) {
    metrics.SLEEPING_ONSET_TS = longest.onsetMs;
    metrics.SLEEPING_WAKE_TS = longest.wakeMs;
    addPeriod(metrics, rows, longest);
  }
  const transitions = postureTransitions(rows);
  if (transitions !== null) metrics.SLEEPING_POSTURE_TRANSITIONS = transitions;
}

/** How much of the longest sleep period is sleep. */
function addPeriod(metrics: Record<string, number>, rows: readonly Rows[], { onsetMs, wakeMs }: SleepPeriod): void {
  let asleep = 0;
  for (const { columns, from, to } of rows) {
    for (let i = from; i < to; i++) {
      const ms = columns.startMs + 1000 * i;
      if (ms >= onsetMs && ms < wakeMs) asleep += columns.asleep[i]!;
    }
  }
  const seconds = Math.round((wakeMs - onsetMs) / 1000);
  metrics.SLEEPING_PERIOD_DURATION = seconds;
  metrics.SLEEPING_WASO_DURATION = Math.max(0, seconds - asleep);
  metrics.SLEEPING_EFFICIENCY = (100 * Math.min(asleep, seconds)) / seconds;
}

/** Changes between lying postures that are each held for 30 s; null when no posture is known. */
function postureTransitions(rows: readonly Rows[]): number | null {
  let held = 0;
  let current = 0;
  let run = 0;
  let transitions = 0;
  let known = false;
  for (const { columns, from, to } of rows) {
    for (let i = from; i < to; i++) {
      const posture = columns.asleep[i] ? columns.sleepingPosture[i]! : 0;
      if (posture !== 0) known = true;
      run = posture === current ? run + 1 : 1;
      current = posture;
      if (posture === 0 || run !== HELD_POSTURE_SECONDS || posture === held) continue;
      if (held !== 0) transitions++;
      held = posture;
    }
  }
  return known ? transitions : null;
}
