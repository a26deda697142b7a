/**
 * Daily and nightly values of wrists and waists in the columns of GGIR's reports, for scripts that read these. Names, units and
 * conventions are those of its output vignette (Migueles et al. 2019, J Meas Phys Behav 2:188). Only what means the same is written: part 5
 * describes the waking day alone, which these metrics do not, so there is no part 5.
 */
import { type CsvValue, csvRow } from '../../csv-row.ts';
import type { DayRecord } from '../../db/index.ts';
import { addDays, type DayClock, midnightWindow, offsetMsAt, zoneAt } from '../../study/day-windows.ts';
import { type CutPoints, cutPointsOf } from '../../vocabulary/analysis-parameters.ts';
import { DATE } from '../study-export/disclosure.ts';
import type { ExportView } from '../study-export/export-view.ts';
import type { FramedSubject } from '../study-export/exported-recordings.ts';
import type { TypedColumn } from './column-types.ts';

const HOUR_S = 3600;
const HOUR_MS = 3_600_000;
const DAY_HOURS = 24;
const NOON = 12;
const WEEKDAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];

export const DAY_FILE = 'ggir/part2_daysummary.csv';
export const NIGHT_FILE = 'ggir/part4_nightsummary_sleep_cleaned.csv';

/** A day as the export shows it. */
interface ShownDay {
  id: string;
  /** Shown date. */
  date: string;
  metrics: Record<string, number>;
  /** Hours after midnight, local time, of a shown instant. */
  hourOf(ts: number): number;
  /** Days of the subject before it, from 1. */
  number: number;
  mvpaName: string | undefined;
}

type Columns = readonly (readonly [name: string, type: TypedColumn['type'], value: (day: ShownDay) => CsvValue])[];

const weekdayOf = (date: string): string => WEEKDAYS[new Date(`${date}T00:00:00Z`).getUTCDay()]!;
const hours = (seconds: number | undefined): number | undefined => seconds && rounded(seconds / HOUR_S, 4);
const rounded = (value: number, decimals: number): number => Number(value.toFixed(decimals));
const measure = (value: number | undefined, decimals = 3): CsvValue =>
  value === undefined ? undefined : rounded(value, decimals);

/** Such as 31.25 to 07:15:00. */
function clockText(hour: number): string {
  const seconds = Math.round((hour % DAY_HOURS) * HOUR_S) % (DAY_HOURS * HOUR_S);
  const two = (value: number) => String(value).padStart(2, '0');
  return `${two(Math.floor(seconds / HOUR_S))}:${two(Math.floor((seconds % HOUR_S) / 60))}:${two(seconds % 60)}`;
}

const IDENTITY: Columns = [
  ['ID', 'text', ({ id }) => id],
  // GGIR joins its parts by the name of the file; here one subject is one series of days.
  ['filename', 'text', ({ id }) => id],
];

const minutes = (name: string): ((day: ShownDay) => CsvValue) => {
  return ({ metrics }) => metrics[name] && rounded(metrics[name] / 60, 2);
};

/** Names that GGIR gives the acceleration metrics of raw cut points. */
const RAW_METRICS: Partial<Record<CutPoints['metric'], string>> = { enmo: 'ENMO', enmoa: 'ENMOa', mad: 'MAD' };

/** Its name of MVPA at the cut points of a day: 5 s epochs without bouts, from that many mg on. Counts are no mg, so they have none. */
function mvpaName({ epochMethod, metrics }: Pick<DayRecord, 'epochMethod' | 'metrics'>): string | undefined {
  if (!epochMethod || metrics.INTENSITY_MVPA_DURATION === undefined) return undefined;
  const { metric, moderate, epochSeconds } = cutPointsOf(epochMethod.cutPoints);
  const name = RAW_METRICS[metric];
  return name === undefined ? undefined : `MVPA_E${epochSeconds}S_T${moderate}_${name}_0-24hr`;
}

/** The names of MVPA that days have: one for each threshold in use. */
export const mvpaNames = (days: readonly Pick<DayRecord, 'epochMethod' | 'metrics'>[]): string[] =>
  days.flatMap((day) => mvpaName(day) ?? []);

const dayColumns = (mvpa: readonly string[]): Columns => [
  ...DAY_COLUMNS,
  ...mvpa.map((name): Columns[number] => [
    name,
    'number',
    (day) => (day.mvpaName === name ? minutes('INTENSITY_MVPA_DURATION')(day) : undefined),
  ]),
];

const DAY_COLUMNS: Columns = [
  ...IDENTITY,
  ['calendar_date', 'date', ({ date }) => date],
  ['N valid hours', 'number', ({ metrics }) => hours(metrics.SENSOR_WEAR_DURATION)],
  [
    'N hours',
    'number',
    ({ metrics }) => hours((metrics.SENSOR_WEAR_DURATION ?? 0) + (metrics.SENSOR_NON_WEAR_DURATION ?? 0)),
  ],
  ['weekday', 'code', ({ date }) => weekdayOf(date)],
  ['measurementday', 'number', ({ number }) => number],
  ['L5hr_ENMO_mg_0-24hr', 'number', ({ metrics, hourOf }) => nightHourIn(metrics.RHYTHM_L5_TS, hourOf)],
  ['L5_ENMO_mg_0-24hr', 'number', ({ metrics }) => measure(metrics.RHYTHM_L5_ENMO)],
  ['M10hr_ENMO_mg_0-24hr', 'number', ({ metrics, hourOf }) => hourIn(metrics.RHYTHM_M10_TS, hourOf)],
  ['M10_ENMO_mg_0-24hr', 'number', ({ metrics }) => measure(metrics.RHYTHM_M10_ENMO)],
  ['mean_ENMO_mg_0-24hr', 'number', ({ metrics }) => measure(metrics.ACCELERATION_AVG_ENMO)],
];

const hourIn = (ts: number | undefined, hourOf: ShownDay['hourOf']): CsvValue =>
  ts === undefined ? undefined : rounded(hourOf(ts), 4);

/** Hours before noon follow those of the evening: 30 is six in the morning. */
const nightHourIn = (ts: number | undefined, hourOf: ShownDay['hourOf']): CsvValue => {
  if (ts === undefined) return undefined;
  const hour = hourOf(ts);
  return rounded(hour < NOON ? hour + DAY_HOURS : hour, 4);
};

const hasNight = ({ metrics }: Pick<ShownDay, 'metrics'>): boolean =>
  metrics.SLEEPING_PERIOD_DURATION !== undefined && metrics.SLEEPING_ONSET_TS !== undefined;

/** Hours after the midnight before the night: 23.5 is half past eleven, 31 seven in the morning. */
const onsetHour = ({ metrics, hourOf }: ShownDay): number => {
  const hour = hourOf(metrics.SLEEPING_ONSET_TS!);
  return hour < NOON ? hour + DAY_HOURS : hour;
};

const wakeHour = (day: ShownDay): number => onsetHour(day) + day.metrics.SLEEPING_PERIOD_DURATION! / HOUR_S;

/** The evening on which the night began, which names a night in GGIR; days here are named by the morning. */
const eveningOf = ({ date }: ShownDay): string => addDays(date, -1);

const asleepHours = ({ metrics }: ShownDay): number | undefined => {
  const { SLEEPING_PERIOD_DURATION: period, SLEEPING_WASO_DURATION: awake } = metrics;
  return period === undefined || awake === undefined ? undefined : (period - awake) / HOUR_S;
};

const NIGHT_COLUMNS: Columns = [
  ...IDENTITY,
  ['night', 'number', ({ number }) => number],
  ['calendar_date', 'date', eveningOf],
  ['weekday', 'code', (day) => weekdayOf(eveningOf(day))],
  ['sleeponset', 'number', (day) => measure(onsetHour(day), 4)],
  ['wakeup', 'number', (day) => measure(wakeHour(day), 4)],
  ['SptDuration', 'number', ({ metrics }) => hours(metrics.SLEEPING_PERIOD_DURATION)],
  ['SleepDurationInSpt', 'number', (day) => measure(asleepHours(day), 4)],
  ['WASO', 'number', ({ metrics }) => measure((metrics.SLEEPING_WASO_DURATION ?? Number.NaN) / HOUR_S, 4)],
  ['sleepefficiency', 'number', ({ metrics }) => measure((metrics.SLEEPING_EFFICIENCY ?? Number.NaN) / 100, 4)],
  ['sleeponset_ts', 'text', (day) => clockText(onsetHour(day))],
  ['wakeup_ts', 'text', (day) => clockText(wakeHour(day))],
  ['daysleeper', 'number', (day) => Number(wakeHour(day) > DAY_HOURS + NOON)],
  ['SleepRegularityIndex', 'number', ({ metrics }) => measure(metrics.SLEEPING_REGULARITY, 4)],
];

/** Whether a subject has metrics of epochs at all. */
export const hasEpochs = (days: readonly Pick<DayRecord, 'metrics'>[]): boolean =>
  days.some(({ metrics }) => metrics.ACCELERATION_AVG_ENMO !== undefined);

function shownDays(view: ExportView, { id, zones, frame }: FramedSubject, days: readonly DayRecord[]): ShownDay[] {
  const sorted = days.toSorted((a, b) => (a.date < b.date ? -1 : 1));
  const first = sorted[0] && midnightWindow(sorted[0].date, zones).startMs;
  return sorted.map((day) => ({
    id,
    date: view.show(DATE, day.date, frame) as string,
    metrics: view.metrics(day, zones, frame),
    hourOf: (shownTs) => hourOfDay(shownTs, view, frame.clock),
    mvpaName: mvpaName(day),
    number: Math.round((midnightWindow(day.date, zones).startMs - first!) / (DAY_HOURS * HOUR_MS)) + 1,
  }));
}

/** Shifted times are local times written as UTC. */
function hourOfDay(shownTs: number, view: ExportView, clock: DayClock): number {
  const offsetMs = view.isDeidentified ? 0 : offsetMsAt(shownTs, zoneAt(shownTs, clock));
  const dayMs = DAY_HOURS * HOUR_MS;
  return ((((shownTs + offsetMs) % dayMs) + dayMs) % dayMs) / HOUR_MS;
}

const headerOf = (columns: Columns): string => csvRow(columns.map(([name]) => name));
const rowsOf = (columns: Columns, days: readonly ShownDay[]): string[] =>
  days.map((day) => csvRow(columns.map(([, , value]) => finite(value(day)))));
const finite = (value: CsvValue): CsvValue =>
  typeof value === 'number' && !Number.isFinite(value) ? undefined : value;

interface GgirTable {
  file: string;
  header: string;
  types: TypedColumn[];
  /** Rows of a subject. */
  rows(view: ExportView, of: FramedSubject, days: readonly DayRecord[]): string[];
}

const tableOf = (file: string, columns: Columns, isRow: (day: ShownDay) => boolean): GgirTable => ({
  file,
  header: headerOf(columns),
  types: columns.map(([column, type]) => ({ file, column, type })),
  rows: (view, of, days) => rowsOf(columns, shownDays(view, of, days).filter(isRow)),
});

/** How many tables {@link ggirTables} has. */
export const GGIR_TABLE_COUNT = 2;

/** The tables of days and nights. @param mvpa distinct names of MVPA */
export const ggirTables = (mvpa: readonly string[]): readonly GgirTable[] => [
  tableOf(DAY_FILE, dayColumns(mvpa), ({ metrics }) => metrics.ACCELERATION_AVG_ENMO !== undefined),
  tableOf(NIGHT_FILE, NIGHT_COLUMNS, hasNight),
];
