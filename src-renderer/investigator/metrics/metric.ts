/** How daily metrics read: the unit, the digits and the label of each metric name. */
import { niceRange } from '../../shared/charts/scale.ts';
import type { Format } from '../../shared/i18n/format.ts';
import type { Translate } from '../../shared/i18n/i18n.ts';
import { subject as words } from '../../shared/locales/en/subject.ts';
import { type DayClock, zoneAt } from '../../shared/time/local-day.ts';

export type MetricUnit = keyof typeof words.metrics.units;
export const STATES = ['SLEEPING', 'RESTING', 'MOVING'] as const;
export type MetricState = (typeof STATES)[number];
export type RowName = keyof typeof words.metrics.rows;
export type SingleName = keyof typeof words.metrics.single;

export const isRow = (name: string): name is RowName => name in words.metrics.rows;
export const isSingle = (name: string): name is SingleName => name in words.metrics.single;

/** Returns the state that a metric belongs to; undefined for wear time, which spans all states. */
export const stateOf = (name: string): MetricState | undefined => STATES.find((state) => name.startsWith(`${state}_`));

/** Where the heart rate of a day comes from if not from an ECG alone, and how many beat intervals variability leaves out. */
export interface HeartOrigin {
  sources: { source: 'ECG' | 'RR' | 'PPI'; seconds: number }[];
  /** Undefined without intervals between heartbeats. */
  leftOutShare: number | undefined;
}

/** A larger share of intervals left out makes variability doubtful: a usual limit of the field. */
export const TRUSTED_LEFT_OUT = 0.05;

export function heartOrigin(validSeconds: Readonly<Record<string, number>>): HeartOrigin | undefined {
  const sources = (['ECG', 'RR', 'PPI'] as const).flatMap((source) => {
    const seconds = validSeconds[`HEART_${source}`] ?? 0;
    return seconds > 0 ? [{ source, seconds }] : [];
  });
  if (sources.length === 0) return undefined;
  const all = validSeconds.BEAT_INTERVALS ?? 0;
  return { sources, leftOutShare: all > 0 ? (validSeconds.BEAT_INTERVALS_LEFT_OUT ?? 0) / all : undefined };
}

/**
 * Returns the seconds of valid data that a metric is based on: valid beat intervals for heart metrics, the time in the state
 * for all others. Undefined for durations and times of day, which need no such figure, and where it is unknown.
 */
export function secondsBehind(name: string, validSeconds: Readonly<Record<string, number>>): number | undefined {
  const state = stateOf(name);
  if (!state || name.endsWith('_DURATION') || name.endsWith('_TS')) return undefined;
  const seconds = validSeconds[/_HR(V|V_RMSSD)?$/.test(name) ? `${state}_HR` : state] ?? 0;
  return seconds > 0 ? seconds : undefined;
}

/** The metrics that states have in common; respiration exists for sleep only. */
export const ROWS: readonly RowName[] = [
  'DURATION',
  'AVG_HR',
  'MIN_HR',
  'MAX_HR',
  'AVG_HRV_RMSSD',
  'MIN_HRV_RMSSD',
  'MAX_HRV_RMSSD',
  'AVG_HRV',
  'MIN_HRV',
  'MAX_HRV',
  'COMBINED_ACT_COUNT',
  'AVG_RESPIRATION',
  'MIN_RESPIRATION',
  'MAX_RESPIRATION',
];
export const hasRow = (state: MetricState, row: RowName) => state === 'SLEEPING' || !row.endsWith('RESPIRATION');

export const SINGLES: readonly { group: 'movement' | 'postures' | 'sleep'; names: readonly SingleName[] }[] = [
  {
    group: 'sleep',
    names: ['SLEEPING_ONSET_TS', 'SLEEPING_WAKE_TS', 'SLEEPING_POSTURE_TRANSITIONS'],
  },
  {
    group: 'movement',
    names: ['MOVING_STEPS', 'MOVING_AVG_GAIT_CADENCE', 'MOVING_WALKING_DURATION', 'MOVING_OTHER_DURATION'],
  },
  {
    group: 'postures',
    names: [
      'RESTING_SITTING_DURATION',
      'RESTING_STANDING_DURATION',
      'RESTING_LYING_DURATION',
      'RESTING_UPRIGHT_POSTURE_DURATION',
      'RESTING_LEANING_POSTURE_DURATION',
    ],
  },
];

/** The headline metrics of a day. */
export const LEADING: readonly SingleName[] = [
  'SENSOR_WEAR_DURATION',
  'SLEEPING_DURATION',
  'SLEEPING_AVG_HR',
  'RESTING_AVG_HR',
  'SLEEPING_AVG_HRV_RMSSD',
  'MOVING_STEPS',
];

export function unitOf(name: string): MetricUnit {
  if (name.endsWith('_TS')) return 'utc_milliseconds';
  if (name.endsWith('DURATION')) return 'seconds';
  if (name.endsWith('CADENCE')) return 'steps_per_minute';
  if (name.endsWith('STEPS')) return 'steps';
  if (name.endsWith('RMSSD')) return 'milliseconds';
  if (name.endsWith('HRV')) return 'lf_hf';
  if (name.endsWith('_HR')) return 'bpm';
  if (name.endsWith('RESPIRATION')) return 'breaths_per_minute';
  if (name.endsWith('TRANSITIONS')) return 'transitions';
  return 'count';
}

const DIGITS: Partial<Record<MetricUnit, number>> = { lf_hf: 2, breaths_per_minute: 1, steps_per_minute: 0 };

/** Formats a value without its unit; durations and times of day include theirs. */
export function metricText(name: string, value: number, format: Format, clock: DayClock): string {
  const unit = unitOf(name);
  if (unit === 'seconds') return format.duration(value);
  if (unit === 'utc_milliseconds') return format.clock(value, zoneAt(value, clock));
  return format.number(value, DIGITS[unit] ?? 0);
}

/** Returns the unit as a suffix; empty where the value's text includes it. */
export function unitText(name: string, t: Translate): string {
  const unit = unitOf(name);
  return unit === 'seconds' || unit === 'utc_milliseconds' ? '' : t(`metrics.units.${unit}`);
}

/** Returns the unit; empty where the metric's label already names it, as "Steps" does. */
export function unitBeside(name: SingleName, t: Translate): string {
  const unit = unitText(name, t);
  return t(`metrics.single.${name}`).toLowerCase().startsWith(unit.toLowerCase()) ? '' : unit;
}

/** Returns the column header of a metric: its label and its unit. */
export function headerText(name: SingleName, t: Translate): string {
  const unit = unitBeside(name, t);
  const title = t(`metrics.single.${name}`);
  return unit ? t('table.withNote', { name: title, aside: unit }) : title;
}

/**
 * Returns the quantile `q` (0 to 1) of ascending values by linear interpolation.
 * @param ascending at least one value
 */
export function quantile(ascending: readonly number[], q: number): number {
  const position = (ascending.length - 1) * q;
  const low = Math.floor(position);
  const high = Math.min(ascending.length - 1, low + 1);
  return ascending[low]! + (ascending[high]! - ascending[low]!) * (position - low);
}

/** Minimum span of a trend's axis per unit, so that noise does not look like a change. Other units start at zero. */
const LEAST_SPAN: Partial<Record<MetricUnit, number>> = { bpm: 20, milliseconds: 20, breaths_per_minute: 6, lf_hf: 2 };

/** Returns the value axis of a trend; durations in hours. */
export function trendRange(name: string, low: number, high: number): { low: number; high: number; step: number } {
  if (unitOf(name) === 'seconds' && high > 12 && high <= 24) return { low: 0, high: 24, step: 8 };
  const least = LEAST_SPAN[unitOf(name)];
  if (least === undefined) return niceRange(0, high, 3);
  const missing = Math.max(0, least - (high - low)) / 2;
  return niceRange(Math.max(0, low - missing), high + missing, 3);
}
