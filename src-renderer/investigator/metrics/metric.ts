/** How daily metrics read: the unit, the digits and the label of each metric name. */
import { niceRange } from '../../shared/charts/scale.ts';
import type { Format } from '../../shared/i18n/format.ts';
import type { Translate } from '../../shared/i18n/i18n.ts';
import { subject as words } from '../../shared/locales/en/subject.ts';
import { type DayClock, zoneAt } from '../../shared/time/local-day.ts';
import type { LabelValues } from './label-values.ts';

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

/** What is counted in the readable part of an ECG. */
const READABLE_NAMES: ReadonlySet<string> = new Set([
  'HEART_ECTOPIC_VENTRICULAR',
  'HEART_ECTOPIC_VENTRICULAR_RATE',
  'HEART_ECTOPIC_SUPRAVENTRICULAR',
  'HEART_ECTOPIC_SUPRAVENTRICULAR_RATE',
  'HEART_SUPRAVENTRICULAR_RUNS',
  'HEART_PAUSES',
  'HEART_LONGEST_PAUSE',
]);

/**
 * Returns the seconds of valid data that a metric is based on: valid beat intervals for heart metrics, the time in the state
 * for all others. Undefined for durations and times of day, which need no such figure, and where it is unknown.
 */
export function secondsBehind(name: string, validSeconds: Readonly<Record<string, number>>): number | undefined {
  if (name.endsWith('_DURATION') || name.endsWith('_EPISODES')) return undefined;
  if (name === 'HEART_SIGNAL_QUALITY') return validSeconds.HEART_SIGNAL;
  if (READABLE_NAMES.has(name)) return validSeconds.HEART_READABLE;
  if (name.startsWith('HEART_AF_')) return validSeconds.HEART_AF;
  if (name.startsWith('HEART_')) return validSeconds.HEART_NN;
  const state = stateOf(name);
  if (!state || name.endsWith('_TS')) return undefined;
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

export const SINGLES: readonly {
  group: 'movement' | 'postures' | 'sleep' | 'variability';
  names: readonly SingleName[];
}[] = [
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
  {
    group: 'variability',
    names: [
      'HEART_SDNN',
      'HEART_SDANN',
      'HEART_SDNN_INDEX',
      'HEART_PNN50',
      'HEART_LF_POWER',
      'HEART_HF_POWER',
      'HEART_TOTAL_POWER',
      'HEART_SD1',
      'HEART_SD2',
      'HEART_SAMPLE_ENTROPY',
    ],
  },
];

/** Of a heart; shown where a day has any of them. */
const RHYTHM_SINGLES: readonly { group: 'beats'; names: readonly SingleName[] }[] = [
  {
    group: 'beats',
    names: [
      'HEART_ECTOPIC_VENTRICULAR',
      'HEART_ECTOPIC_VENTRICULAR_RATE',
      'HEART_ECTOPIC_SUPRAVENTRICULAR',
      'HEART_ECTOPIC_SUPRAVENTRICULAR_RATE',
      'HEART_SUPRAVENTRICULAR_RUNS',
      'HEART_AF_BURDEN',
      'HEART_AF_BURDEN_LOWER',
      'HEART_AF_BURDEN_UPPER',
      'HEART_AF_ANALYSABLE_DURATION',
      'HEART_PAUSES',
      'HEART_LONGEST_PAUSE',
      'HEART_BRADYCARDIA_EPISODES',
      'HEART_BRADYCARDIA_DURATION',
      'HEART_TACHYCARDIA_EPISODES',
      'HEART_TACHYCARDIA_DURATION',
      'HEART_UNRESOLVED_DURATION',
      'HEART_UNREADABLE_DURATION',
      'HEART_SIGNAL_QUALITY',
    ],
  },
];

/** Of a wrist, waist or lower back sensor; shown where a day has any of them. */
const EPOCH_SINGLES: readonly {
  group: 'intensity' | 'counts' | 'rest' | 'rhythm' | 'calibration';
  names: readonly SingleName[];
}[] = [
  {
    group: 'intensity',
    names: [
      'ACCELERATION_AVG_ENMO',
      'ACCELERATION_AVG_MAD',
      'INTENSITY_SEDENTARY_DURATION',
      'INTENSITY_LIGHT_DURATION',
      'INTENSITY_MODERATE_DURATION',
      'INTENSITY_VIGOROUS_DURATION',
      'INTENSITY_MVPA_DURATION',
      'SENSOR_NON_WEAR_DURATION',
    ],
  },
  { group: 'counts', names: ['COUNTS_X', 'COUNTS_Y', 'COUNTS_Z', 'COUNTS_VM3'] },
  {
    group: 'rest',
    names: ['SLEEPING_PERIOD_DURATION', 'SLEEPING_WASO_DURATION', 'SLEEPING_EFFICIENCY', 'SLEEPING_REGULARITY'],
  },
  {
    group: 'rhythm',
    names: [
      'RHYTHM_M10_ENMO',
      'RHYTHM_M10_TS',
      'RHYTHM_L5_ENMO',
      'RHYTHM_L5_TS',
      'RHYTHM_RELATIVE_AMPLITUDE',
      'RHYTHM_INTERDAILY_STABILITY',
      'RHYTHM_INTRADAILY_VARIABILITY',
    ],
  },
  {
    group: 'calibration',
    names: [
      'CALIBRATION_WINDOWS',
      'CALIBRATION_ERROR_BEFORE',
      'CALIBRATION_ERROR_AFTER',
      'CALIBRATION_OFFSET_X',
      'CALIBRATION_OFFSET_Y',
      'CALIBRATION_OFFSET_Z',
      'CALIBRATION_GAIN_X',
      'CALIBRATION_GAIN_Y',
      'CALIBRATION_GAIN_Z',
    ],
  },
];

export const EPOCH_NAMES: readonly SingleName[] = EPOCH_SINGLES.flatMap(({ names }) => names);
export const RHYTHM_NAMES: readonly SingleName[] = RHYTHM_SINGLES.flatMap(({ names }) => names);

type MetricValues = Readonly<Record<string, number>>;

/** The groups to show for some days: those of the rhythm and of epochs only where a day has one of their metrics. */
export const singlesOf = (days: readonly MetricValues[]) => [
  ...SINGLES,
  ...[...RHYTHM_SINGLES, ...EPOCH_SINGLES].filter(({ names }) =>
    names.some((name) => days.some((metrics) => metrics[name] !== undefined)),
  ),
];

const WRIST_LEADING: readonly SingleName[] = [
  'SENSOR_WEAR_DURATION',
  'SLEEPING_DURATION',
  'SLEEPING_EFFICIENCY',
  'INTENSITY_MVPA_DURATION',
  'INTENSITY_SEDENTARY_DURATION',
  'ACCELERATION_AVG_ENMO',
];

/** The headline metrics of some days: of a wrist alone those that it can show. */
export function leadingOf(days: readonly MetricValues[]): readonly SingleName[] {
  const has = (name: string): boolean => days.some((metrics) => metrics[name] !== undefined);
  return has('ACCELERATION_AVG_ENMO') && !has('MOVING_DURATION') ? WRIST_LEADING : LEADING;
}

/** The headline metrics of a day. */
export const LEADING: readonly SingleName[] = [
  'SENSOR_WEAR_DURATION',
  'SLEEPING_DURATION',
  'SLEEPING_AVG_HR',
  'RESTING_AVG_HR',
  'SLEEPING_AVG_HRV_RMSSD',
  'MOVING_STEPS',
];

/** Every metric that the page of a day lists, with or without a value, in its order. */
export const listedOf = (metrics: MetricValues): string[] => [
  ...new Set<string>([
    ...leadingOf([metrics]),
    ...STATES.flatMap((state) => ROWS.filter((row) => hasRow(state, row)).map((row) => `${state}_${row}`)),
    ...singlesOf([metrics]).flatMap(({ names }) => names),
    ...Object.keys(metrics),
  ]),
];

/** Units of the metrics of the heart over a whole day. */
const HEART_UNITS: Readonly<Record<string, MetricUnit>> = {
  HEART_SDNN: 'milliseconds',
  HEART_SDANN: 'milliseconds',
  HEART_SDNN_INDEX: 'milliseconds',
  HEART_PNN50: 'percent',
  HEART_LF_POWER: 'milliseconds_squared',
  HEART_HF_POWER: 'milliseconds_squared',
  HEART_TOTAL_POWER: 'milliseconds_squared',
  HEART_SD1: 'milliseconds',
  HEART_SD2: 'milliseconds',
  HEART_SAMPLE_ENTROPY: 'nats',
  HEART_ECTOPIC_VENTRICULAR: 'beats',
  HEART_ECTOPIC_VENTRICULAR_RATE: 'beats_per_hour',
  HEART_ECTOPIC_SUPRAVENTRICULAR: 'beats',
  HEART_ECTOPIC_SUPRAVENTRICULAR_RATE: 'beats_per_hour',
  HEART_SUPRAVENTRICULAR_RUNS: 'runs',
  HEART_AF_BURDEN: 'percent',
  HEART_AF_BURDEN_LOWER: 'percent',
  HEART_AF_BURDEN_UPPER: 'percent',
  HEART_PAUSES: 'pauses',
  HEART_LONGEST_PAUSE: 'milliseconds',
  HEART_BRADYCARDIA_EPISODES: 'episodes',
  HEART_TACHYCARDIA_EPISODES: 'episodes',
  HEART_SIGNAL_QUALITY: 'percent',
};

/** Wear, seconds, below which a day is partial: 16 of 24 hours, as GGIR includes a window by default. */
export const WHOLE_DAY_WEAR_S = 16 * 3600;

/** Tells whether too little of a day was worn for its totals to stand beside those of whole days. */
export const isPartialDay = ({ SENSOR_WEAR_DURATION: worn }: MetricValues): boolean =>
  worn !== undefined && worn < WHOLE_DAY_WEAR_S;

export function unitOf(name: string): MetricUnit {
  if (name.endsWith('_ENMO') || name.endsWith('_MAD') || /^CALIBRATION_(ERROR|OFFSET)_/.test(name)) return 'milli_g';
  if (name.startsWith('CALIBRATION_GAIN_')) return 'ratio';
  if (name === 'CALIBRATION_WINDOWS') return 'windows';
  if (name === 'SLEEPING_EFFICIENCY') return 'percent';
  if (name === 'SLEEPING_REGULARITY' || /^RHYTHM_(INTER|INTRA|REL)/.test(name)) return 'index';
  if (name.endsWith('_TS')) return 'utc_milliseconds';
  const ofDay = HEART_UNITS[name];
  if (ofDay) return ofDay;
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

const DIGITS: Partial<Record<MetricUnit, number>> = {
  lf_hf: 2,
  nats: 2,
  percent: 1,
  beats_per_hour: 1,
  breaths_per_minute: 1,
  steps_per_minute: 0,
  milli_g: 1,
  index: 2,
  ratio: 4,
};

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

/** Returns the label of a metric. @param values needed where a label names thresholds: those of the rhythm do */
export function singleLabel(name: SingleName, t: Translate, values?: LabelValues): string {
  return t(`metrics.single.${name}`, { ...values });
}

/** Returns the unit; empty where the metric's label already names it, as "Steps" does. */
export function unitBeside(name: SingleName, t: Translate, values?: LabelValues): string {
  const unit = unitText(name, t);
  if (unit === '') return '';
  return singleLabel(name, t, values).toLowerCase().startsWith(unit.toLowerCase()) ? '' : unit;
}

/** Returns the column header of a metric: its label and its unit. */
export function headerText(name: SingleName, t: Translate, values?: LabelValues): string {
  const unit = unitBeside(name, t, values);
  const title = singleLabel(name, t, values);
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
