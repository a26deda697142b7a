/** The tables of a study as Parquet: daily metrics, channels per minute, and the list of recordings. */
import { type BinnedChannels, CHANNEL_UNITS, type ChannelType } from '../../analytics/channels.ts';
import { METRIC_NAMES } from '../../analytics/metric-names.ts';
import type { DayRecord, RecordingRecord, SubjectRecord } from '../../db/index.ts';
import { type DayClock, formatOffset, localDateIn, offsetMsAt, zoneAt } from '../../study/day-windows.ts';
import type { Deidentifier } from '../study-export/deidentifier.ts';
import { epochDay, type ParquetColumn } from './table.ts';

export type Cell = number | string | null | undefined;

/** A subject as the tables name it: plain, or by code with every instant and date shifted. */
export interface NamedSubject {
  subject: SubjectRecord;
  clock: DayClock;
  /** Id, or code. */
  id: string;
  /** Display name, or code. */
  name: string;
  /** Added to every instant, ms; whole days. */
  shiftMs: number;
}

/** Name and shift of a subject in an export. */
export function nameSubject(subject: SubjectRecord, clock: DayClock, deidentify: Deidentifier | null): NamedSubject {
  if (!deidentify) return { subject, clock, id: subject.id, name: subject.displayName, shiftMs: 0 };
  const code = deidentify.code('subject', subject.id);
  return { subject, clock, id: code, name: code, shiftMs: deidentify.shiftMs(subject.id) };
}

const DAY_MS = 86_400_000;
const SUBJECT_COLUMNS: readonly ParquetColumn[] = [
  { name: 'subject_id', type: 'string' },
  { name: 'subject', type: 'string' },
];
/** Minutes from UTC to local time, in the zone then in force; a shifted date has no zone of its own. */
const OFFSET_COLUMN: ParquetColumn = { name: 'utc_offset', type: 'string' };

const offsetText = (instantMs: number, clock: DayClock): string =>
  formatOffset(offsetMsAt(instantMs, zoneAt(instantMs, clock)));

const isInstant = (name: string): boolean => name.endsWith('_TS');

export const METRICS_COLUMNS: readonly ParquetColumn[] = [
  ...SUBJECT_COLUMNS,
  { name: 'date', type: 'date' },
  OFFSET_COLUMN,
  { name: 'day_start', type: 'timestamp-ms', unit: 'utc_milliseconds' },
  { name: 'data_start', type: 'timestamp-ms', unit: 'utc_milliseconds' },
  { name: 'data_stop', type: 'timestamp-ms', unit: 'utc_milliseconds' },
  { name: 'algorithm_version', type: 'string' },
  ...METRIC_NAMES.map(
    ({ name, unit }): ParquetColumn => ({
      name,
      type: isInstant(name) ? 'timestamp-ms' : 'double',
      unit,
      isNullable: true,
    }),
  ),
];

/** One local day of one subject. */
export function metricsRow({ clock, id, name, shiftMs }: NamedSubject, day: DayRecord): Cell[] {
  return [
    id,
    name,
    epochDay(day.date) + shiftMs / DAY_MS,
    offsetText(day.dayStartTs, clock),
    day.dayStartTs + shiftMs,
    day.dataStartTs + shiftMs,
    day.dataStopTs + shiftMs,
    day.algorithmVersion,
    ...METRIC_NAMES.map((metric) => {
      const value = day.metrics[metric.name];
      return value !== undefined && isInstant(metric.name) ? Math.round(value) + shiftMs : value;
    }),
  ];
}

const NUMBER_CHANNELS = [
  'heart_rate',
  'hrv',
  'frequency_hrv_ratio',
  'sleep_respiration',
  'steps',
  'combined_act_count',
] as const satisfies ChannelType[];

const text = (name: string): ParquetColumn => ({ name, type: 'string', isNullable: true });
const degrees = (name: string): ParquetColumn => ({ name, type: 'double', unit: 'degrees', isNullable: true });

export const CHANNELS_COLUMNS: readonly ParquetColumn[] = [
  ...SUBJECT_COLUMNS,
  { name: 'time', type: 'timestamp-ms', unit: 'utc_milliseconds' },
  { name: 'date', type: 'date' },
  OFFSET_COLUMN,
  ...NUMBER_CHANNELS.map(
    (name): ParquetColumn => ({ name, type: 'double', unit: CHANNEL_UNITS[name], isNullable: true }),
  ),
  text('activity'),
  text('resting_posture_c'),
  degrees('resting_posture_ca'),
  text('resting_posture_s'),
  degrees('resting_posture_sa'),
  text('sleeping_posture'),
];

/** Bin `i` of a piece. */
export function channelsRow(
  { clock, id, name, shiftMs }: NamedSubject,
  { times, values }: BinnedChannels,
  i: number,
): Cell[] {
  const time = times[i]!;
  const posture = values.resting_posture[i];
  return [
    id,
    name,
    time + shiftMs,
    epochDay(localDateIn(time, zoneAt(time, clock))) + shiftMs / DAY_MS,
    offsetText(time, clock),
    ...NUMBER_CHANNELS.map((channel) => values[channel][i]),
    values.activity[i],
    posture?.c,
    posture?.ca,
    posture?.s,
    posture?.sa,
    values.sleeping_posture[i],
  ];
}

/** True for a bin in which no channel has anything: such bins are no rows. */
export function isEmptyBin({ values }: BinnedChannels, i: number): boolean {
  return Object.values(values).every((channel) => channel[i] === null);
}

export const CHANNELS_INTERVAL_MS = 60_000;

export const RECORDINGS_COLUMNS: readonly ParquetColumn[] = [
  ...SUBJECT_COLUMNS,
  { name: 'recording_id', type: 'string' },
  { name: 'file', type: 'string' },
  { name: 'start', type: 'timestamp-us', unit: 'UTC microseconds' },
  { name: 'stop', type: 'timestamp-us', unit: 'UTC microseconds' },
  OFFSET_COLUMN,
  { name: 'udid', type: 'string' },
  { name: 'hardware_id', type: 'string' },
  { name: 'firmware_id', type: 'string' },
  { name: 'location', type: 'string' },
  { name: 'side', type: 'string' },
  { name: 'channels', type: 'string' },
];

/** @param names id and device as the export names them */
export function recordingsRow(
  { clock, id, name, shiftMs }: NamedSubject,
  row: RecordingRecord,
  names: { recordingId: string; udid: string; file: string },
): Cell[] {
  return [
    id,
    name,
    names.recordingId,
    names.file,
    row.startUs + shiftMs * 1000,
    row.stopUs + shiftMs * 1000,
    offsetText(row.startUs / 1000, clock),
    names.udid,
    row.hardwareId,
    row.firmwareId,
    row.physicalConfig.location,
    row.physicalConfig.side,
    row.channels.map(({ type }) => type).join(' '),
  ];
}
