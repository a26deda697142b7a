/**
 * The Parquet tables of a study: daily metrics, channels per minute, the list of recordings, and tables that the archive has too. The class of a column decides
 * what a de-identified export discloses of it; free text is omitted there.
 */
import { type BinnedChannels, CHANNEL_UNITS, type ChannelType } from '../../analytics/channels.ts';
import { FURTHER_CHANNEL_TYPES, FURTHER_CHANNEL_UNITS, type FurtherBins } from '../../analytics/further-channels.ts';
import { METRIC_NAMES } from '../../analytics/metric-names.ts';
import type { DayRecord, RecordingRecord } from '../../db/index.ts';
import { localDateIn, midnightWindow, zoneAt } from '../../study/day-windows.ts';
import { type ColumnType, typeOfColumn } from '../study-archive/column-types.ts';
import {
  ALGORITHM_VERSION,
  codeOf,
  DATE,
  type Disclosure,
  idOf,
  listOf,
  MEASURE,
  TEXT,
  TIME_MS,
  TIME_US,
  ZONE,
} from '../study-export/disclosure.ts';
import { type ExportColumn, type ExportView, offsetAt } from '../study-export/export-view.ts';
import type { FramedSubject } from '../study-export/exported-recordings.ts';
import { METRIC_DISCLOSURES } from '../study-export/metric-disclosures.ts';
import { CHANNEL_TYPE, LOCATION, SIDE } from '../study-export/signal-disclosure.ts';
import { snakeOf } from '../study-export/snake-case.ts';
import type { TableColumns } from '../study-export/table-columns.ts';
import { epochDay, type ParquetColumn, type ParquetType } from './table.ts';

export type Cell = number | string | boolean | null | undefined;

type Column<T> = ExportColumn<T> & ParquetColumn;

/** The columns of a table for one kind of export. */
export class ParquetTable<T extends { of: FramedSubject }> {
  readonly columns: readonly Column<T>[];
  readonly #view: ExportView;

  constructor(columns: readonly Column<T>[], view: ExportView) {
    this.#view = view;
    this.columns = view.columns(columns).filter(({ shows }) => !view.isDeidentified || shows !== TEXT);
  }

  row(row: T): Cell[] {
    const cells = this.#view.cells(this.columns, row, row.of.frame) as (Cell | Cell[])[];
    return cells.map((cell, i) => {
      if (Array.isArray(cell)) return cell.join(' ');
      return typeof cell === 'string' && this.columns[i]!.type === 'date' ? epochDay(cell) : cell;
    });
  }
}

/** A row of a table that other formats have with the same columns. */
interface SharedRow<T> {
  of: FramedSubject;
  row: T;
}

const SHARED_TYPES: Readonly<Record<ColumnType, ParquetType>> = {
  text: 'string',
  code: 'string',
  list: 'string',
  number: 'double',
  boolean: 'boolean',
  time_ms: 'timestamp-ms',
  date: 'date',
};

/** The columns of such a table behind those of the subject; instants lose the ending of their type. */
export const sharedColumns = <T>(columns: TableColumns<T>, view: ExportView): readonly Column<SharedRow<T>>[] => [
  ...subjectColumns<SharedRow<T>>(view),
  ...columns
    .filter(([name]) => name !== 'subjectId')
    .map(([name, shows, value]): Column<SharedRow<T>> => {
      const type = typeOfColumn(name, shows);
      return {
        name: snakeOf(type === 'time_ms' ? name.replace(/Ts$/, '') : name),
        type: SHARED_TYPES[type],
        ...(type === 'time_ms' && { unit: 'utc_milliseconds' }),
        isNullable: true,
        shows: typeof shows === 'function' ? ({ row }, of) => shows(row, of) : shows,
        value: ({ row }) => value(row),
      };
    }),
];

const subjectColumns = <T extends { of: FramedSubject }>(view: ExportView): readonly Column<T>[] => [
  { name: 'subject_id', type: 'string', shows: idOf('subject'), value: ({ of }) => of.subject.id },
  {
    name: 'subject',
    type: 'string',
    shows: ({ of }) => codeOf(new Set(), view.id('subject', of.subject.id)),
    value: ({ of }) => of.subject.displayName,
  },
];

/** Minutes from UTC to local time in the zone in force at that instant; a shifted date has no zone. */
const offsetColumn = <T extends { of: FramedSubject }>(tsOf: (row: T) => number): Column<T> => ({
  name: 'utc_offset',
  type: 'string',
  shows: ZONE,
  value: (row) => offsetAt(tsOf(row), row.of.frame.clock),
});

interface DayRow {
  of: FramedSubject;
  day: DayRecord;
  /** As the export shows them. */
  metrics: Record<string, number>;
}

export const dayRow = (view: ExportView, of: FramedSubject, day: DayRecord): DayRow => ({
  of,
  day,
  metrics: view.metrics(day, of.zones, of.frame),
});

export const metricsColumns = (view: ExportView): readonly Column<DayRow>[] => [
  ...subjectColumns<DayRow>(view),
  { name: 'date', type: 'date', shows: DATE, value: ({ day }) => epochDay(day.date) },
  offsetColumn(({ day }) => day.dayStartTs),
  {
    name: 'day_start',
    type: 'timestamp-ms',
    unit: 'utc_milliseconds',
    shows: TIME_MS,
    // De-identified: midnight by the export's single clock, since true midnight moves when clocks change.
    value: ({ of, day }) => (view.isDeidentified ? midnightWindow(day.date, of.frame.clock).startMs : day.dayStartTs),
  },
  // In a continuous recording these are midnights, which move when clocks change.
  {
    name: 'data_start',
    type: 'timestamp-ms',
    unit: 'utc_milliseconds',
    shows: TEXT,
    value: ({ day }) => day.dataStartTs,
  },
  {
    name: 'data_stop',
    type: 'timestamp-ms',
    unit: 'utc_milliseconds',
    shows: TEXT,
    value: ({ day }) => day.dataStopTs,
  },
  {
    name: 'algorithm_version',
    type: 'string',
    shows: ALGORITHM_VERSION,
    value: ({ day }) => day.algorithmVersion,
  },
  ...METRIC_NAMES.map(({ name, unit }): Column<DayRow> => {
    const isInstant = METRIC_DISCLOSURES.get(name)?.shows === TIME_MS;
    return {
      name,
      type: isInstant ? 'timestamp-ms' : 'double',
      unit,
      isNullable: true,
      // The classes of metrics are already applied.
      shows: MEASURE,
      value: ({ metrics }) => (isInstant && metrics[name] !== undefined ? Math.round(metrics[name]) : metrics[name]),
    };
  }),
];

const NUMBER_CHANNELS = [
  'heart_rate',
  'hrv',
  'frequency_hrv_ratio',
  'sleep_respiration',
  'steps',
  'combined_act_count',
] as const satisfies ChannelType[];

interface BinRow {
  of: FramedSubject;
  chunk: BinnedChannels;
  further: FurtherBins;
  /** Index of the bin in the chunk. */
  i: number;
}

/** A column of state names, such as activities and postures. */
const STATES: Disclosure = codeOf(/^[A-Z][A-Z_]*(?::[A-Z_]+)?$/);

const words = (name: string, value: (row: BinRow) => unknown): Column<BinRow> => ({
  name,
  type: 'string',
  isNullable: true,
  shows: STATES,
  value,
});
const degrees = (name: string, value: (row: BinRow) => unknown): Column<BinRow> => ({
  name,
  type: 'double',
  unit: 'degrees',
  isNullable: true,
  shows: MEASURE,
  value,
});
const timeOf = ({ chunk, i }: BinRow): number => chunk.times[i]!;

export const channelsColumns = (view: ExportView): readonly Column<BinRow>[] => [
  ...subjectColumns<BinRow>(view),
  { name: 'time', type: 'timestamp-ms', unit: 'utc_milliseconds', shows: TIME_MS, value: timeOf },
  {
    name: 'date',
    type: 'date',
    shows: DATE,
    value: (row) => epochDay(localDateIn(timeOf(row), zoneAt(timeOf(row), row.of.frame.clock))),
  },
  offsetColumn(timeOf),
  ...NUMBER_CHANNELS.map(
    (name): Column<BinRow> => ({
      name,
      type: 'double',
      unit: CHANNEL_UNITS[name],
      isNullable: true,
      shows: MEASURE,
      value: ({ chunk, i }) => chunk.values[name][i],
    }),
  ),
  words('activity', ({ chunk, i }) => chunk.values.activity[i]),
  words('resting_posture_c', ({ chunk, i }) => chunk.values.resting_posture[i]?.c),
  degrees('resting_posture_ca', ({ chunk, i }) => chunk.values.resting_posture[i]?.ca),
  words('resting_posture_s', ({ chunk, i }) => chunk.values.resting_posture[i]?.s),
  degrees('resting_posture_sa', ({ chunk, i }) => chunk.values.resting_posture[i]?.sa),
  words('sleeping_posture', ({ chunk, i }) => chunk.values.sleeping_posture[i]),
  ...FURTHER_CHANNEL_TYPES.map((name): Column<BinRow> => {
    const value = ({ further, i }: BinRow) => further.values[name][i];
    // A name of a state has no unit.
    if (FURTHER_CHANNEL_UNITS[name] === '') return words(name, value);
    return { name, type: 'double', unit: FURTHER_CHANNEL_UNITS[name], isNullable: true, shows: MEASURE, value };
  }),
];

/** True for a bin without a value in any channel; such bins are omitted. */
export function isEmptyBin({ values }: BinnedChannels, i: number): boolean {
  return Object.values(values).every((channel) => channel[i] === null);
}

export const CHANNELS_INTERVAL_MS = 60_000;

interface RecordingRow {
  of: FramedSubject;
  row: RecordingRecord;
  /** Path in the archive, built from codes. */
  file: string;
}

export const recordingsColumns = (view: ExportView): readonly Column<RecordingRow>[] => [
  ...subjectColumns<RecordingRow>(view),
  { name: 'recording_id', type: 'string', shows: idOf('recording'), value: ({ row }) => row.id },
  { name: 'file', type: 'string', shows: codeOf(/^raw\/S-\w{12}\/R-\w{12}\.parquet$/), value: ({ file }) => file },
  { name: 'start', type: 'timestamp-us', unit: 'UTC microseconds', shows: TIME_US, value: ({ row }) => row.startUs },
  { name: 'stop', type: 'timestamp-us', unit: 'UTC microseconds', shows: TIME_US, value: ({ row }) => row.stopUs },
  offsetColumn(({ row }) => row.startUs / 1000),
  // A Bluetooth sensor has none.
  { name: 'udid', type: 'string', isNullable: true, shows: idOf('equipment'), value: ({ row }) => row.udid || null },
  { name: 'hardware_id', type: 'string', shows: TEXT, value: ({ row }) => row.hardwareId },
  { name: 'firmware_id', type: 'string', shows: TEXT, value: ({ row }) => row.firmwareId },
  { name: 'location', type: 'string', shows: LOCATION, value: ({ row }) => row.physicalConfig.location },
  { name: 'side', type: 'string', shows: SIDE, value: ({ row }) => row.physicalConfig.side },
  {
    name: 'channels',
    type: 'string',
    shows: listOf(CHANNEL_TYPE),
    value: ({ row }) => row.channels.map(({ type }) => type),
  },
];
