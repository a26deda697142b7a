/** What the tables of `derivatives/outpost` hold: names, descriptions and units of their columns. */
import { CHANNEL_DEFINITIONS } from '../../analytics/dictionary/channels.ts';
import { METRIC_NAMES } from '../../analytics/metric-names.ts';

interface ColumnDescription {
  Description: string;
  Units?: string;
}

const SYMBOLS: Readonly<Record<string, string>> = {
  milliseconds: 'ms',
  seconds: 's',
  milliseconds_squared: 'ms^2',
  percent: '%',
  bpm: 'beats/min',
  beats_per_hour: 'beats/h',
  breaths_per_minute: 'breaths/min',
  steps_per_minute: 'steps/min',
  milli_g: 'mg',
  degrees: 'deg',
};

/** Instants are text, so that they have no unit. */
const described = (definition: string, unit: string): ColumnDescription =>
  unit === '' || unit === 'utc_milliseconds'
    ? { Description: definition }
    : { Description: definition, Units: SYMBOLS[unit] ?? unit };

const OF_EVERY_TABLE: Readonly<Record<string, ColumnDescription>> = {
  date: { Description: 'Local date of the participant' },
  utc_offset: { Description: "What the participant's clock showed beyond UTC" },
  algorithm_version: { Description: 'Version of the algorithms that computed the row; several joined by +' },
  recording_id: { Description: 'The recording of one sensor' },
};

const OF_DAYS: Readonly<Record<string, ColumnDescription>> = {
  day_start: { Description: 'Midnight with which the day begins, UTC' },
  data_start: { Description: 'First recorded instant of the day, UTC' },
  data_stop: { Description: 'Last recorded instant of the day, UTC' },
  ...Object.fromEntries(METRIC_NAMES.map(({ name, unit, definition }) => [name, described(definition, unit)])),
};

const POSTURE = 'Posture of the trunk at rest: ';
const OF_MINUTES: Readonly<Record<string, ColumnDescription>> = {
  time: { Description: 'Start of the minute, UTC' },
  ...Object.fromEntries(CHANNEL_DEFINITIONS.map(({ name, unit, definition }) => [name, described(definition, unit)])),
  resting_posture_c: { Description: `${POSTURE}lean to the side` },
  resting_posture_ca: { Description: `${POSTURE}angle to the side`, Units: 'deg' },
  resting_posture_s: { Description: `${POSTURE}lean to the front or back` },
  resting_posture_sa: { Description: `${POSTURE}angle to the front or back`, Units: 'deg' },
};

const OF_VARIABILITY: Readonly<Record<string, ColumnDescription>> = {
  start: { Description: 'Start of the five minutes, UTC' },
  nn_count: { Description: 'Normal intervals (NN) that end in the five minutes' },
  mean_nn_ms: { Description: 'Mean of the normal intervals', Units: 'ms' },
  sdnn_ms: { Description: 'Standard deviation of the normal intervals', Units: 'ms' },
  rmssd_ms: { Description: 'Root mean square of successive differences', Units: 'ms' },
  pnn50_percent: { Description: 'Successive differences of more than 50 ms', Units: '%' },
  lf_power_ms2: { Description: 'Power from 0.04 to 0.15 Hz', Units: 'ms^2' },
  hf_power_ms2: { Description: 'Power from 0.15 to 0.4 Hz', Units: 'ms^2' },
  total_power_ms2: { Description: 'Power up to 0.4 Hz', Units: 'ms^2' },
  lf_hf_ratio: { Description: 'Ratio of the powers of low and high frequency' },
  sd1_ms: { Description: 'Width of the Poincare plot across the line of identity', Units: 'ms' },
  sd2_ms: { Description: 'Length of the Poincare plot along the line of identity', Units: 'ms' },
  sample_entropy_nats: { Description: 'Sample entropy of the normal intervals' },
};

const OF_CORRECTIONS: Readonly<Record<string, ColumnDescription>> = {
  id: { Description: 'The correction' },
  kind: { Description: 'What a person corrected' },
  is_in_force: { Description: 'false where it was undone' },
  start: { Description: 'Start of the time that it touches, UTC' },
  stop: { Description: 'End of the time that it touches, UTC' },
  beat: { Description: 'The beat as it was, or the added one, UTC' },
  moved_to: { Description: 'Where a moved beat went, UTC' },
  code: { Description: 'Type that was given to a beat, as in annotation files of WFDB' },
  author_id: { Description: 'Who corrected' },
  author_name: { Description: 'Who corrected' },
  created: { Description: 'When it was corrected, UTC' },
  reason: { Description: 'Why' },
  undone_by_id: { Description: 'Who undid it' },
  undone_by_name: { Description: 'Who undid it' },
  undone: { Description: 'When it was undone, UTC' },
  undone_reason: { Description: 'Why it was undone' },
};

/** Of the file of one recording, whose instant zero is in the scans file of the session. */
export const BEAT_COLUMNS: Readonly<Record<string, ColumnDescription>> = {
  onset: { Description: 'Time of the beat after the start of the recording, which is acq_time', Units: 's' },
  rr_ms: { Description: 'Interval that ends at the beat; n/a after a gap and beside a doubtful beat', Units: 'ms' },
  is_nn: { Description: '1 where both of its beats are sinus beats, so that variability uses the interval' },
  use: {
    Description:
      'USED in variability, EARLY_OR_ODD for the heart rate alone, DOUBTFUL, DELETED or EXCLUDED for neither',
  },
  is_after_break: { Description: '1 where the beat before it is not known' },
  code: { Description: 'Type that a person gave the beat, as in annotation files of WFDB' },
  correction: { Description: 'What a person did: ADDED, MOVED, RELABELLED, DELETED or EXCLUDED' },
  original_onset: { Description: 'Where a corrected beat was detected', Units: 's' },
  original_use: { Description: 'As what a corrected beat was detected' },
};

const TABLES = {
  metrics: OF_DAYS,
  uncorrected: OF_DAYS,
  minutes: OF_MINUTES,
  hrv5min: OF_VARIABILITY,
  corrections: OF_CORRECTIONS,
} as const satisfies Record<string, Readonly<Record<string, ColumnDescription>>>;

/** Value of `desc` of the tables with one file per participant. */
export type DerivedTable = keyof typeof TABLES;

/** Describes the columns that a table has. */
export function derivedSidecar(table: DerivedTable, columns: readonly string[]): Record<string, ColumnDescription> {
  const known: Readonly<Record<string, ColumnDescription>> = { ...OF_EVERY_TABLE, ...TABLES[table] };
  return Object.fromEntries(columns.flatMap((name) => (known[name] ? [[name, known[name]]] : [])));
}

/** Names of measured columns. */
export const MEASURED_COLUMNS: readonly string[] = [
  ...METRIC_NAMES.flatMap(({ name, unit }) => (unit === 'utc_milliseconds' ? [] : [name])),
  ...Object.keys(OF_VARIABILITY).filter((name) => name !== 'start'),
];

/** Names of columns with instants. */
export const INSTANT_COLUMNS: readonly string[] = [
  ...['start', 'stop', 'beat', 'moved_to', 'created', 'undone', 'day_start'],
  ...METRIC_NAMES.flatMap(({ name, unit }) => (unit === 'utc_milliseconds' ? [name] : [])),
];

export const DESCRIBED_COLUMNS: readonly string[] = [
  ...new Set([OF_EVERY_TABLE, ...Object.values(TABLES), BEAT_COLUMNS].flatMap((columns) => Object.keys(columns))),
];
