/** The numbers of a week, day by day, for its table and its CSV file. Pure. */
import type { DailyMetricsItem } from '../../../../src-server/api/contract/index.ts';
import { type CsvCell, csvText } from '../../../shared/csv.ts';
import type { MetricState } from '../../metrics/metric.ts';
import { type Activity, type DayTotals, totalsOf } from '../lanes/day-data.ts';
import { ACTIVITY_STYLES } from '../lanes/lane-styles.ts';
import type { WeekDay } from './use-week.ts';

export type DayMetrics = DailyMetricsItem['metrics'];

export interface WeekRow {
  date: string;
  lengthSeconds: number;
  /** Of the day up to now: what a day without a recording lacks. */
  passedSeconds: number;
  canOpen: boolean;
  hasRecording: boolean;
  /** Undefined where nothing was recorded, or while it loads. */
  totals: DayTotals | undefined;
  metrics: DayMetrics | undefined;
}

/** In the order of the legend, from sleeping to moving. */
export const ACTIVITIES = Object.keys(ACTIVITY_STYLES) as (Activity | 'unknown')[];

export function weekRows(week: readonly WeekDay[], byDate: ReadonlyMap<string, DayMetrics>): WeekRow[] {
  return week.map(({ date, day, canOpen, hasRecording, data }) => ({
    date,
    lengthSeconds: (day.nextMidnightMs - day.midnightMs) / 1000,
    passedSeconds: ((data?.untilMs ?? day.nextMidnightMs) - day.midnightMs) / 1000,
    canOpen,
    hasRecording,
    totals: hasRecording && data ? totalsOf(data, data.window) : undefined,
    metrics: byDate.get(date),
  }));
}

/** Seconds of an activity; undefined for a day on which none was classified. */
export function activitySeconds({ totals }: WeekRow, activity: Activity | 'unknown'): number | undefined {
  if (!totals || totals.activity.length === 0) return undefined;
  return totals.activity.find(({ value }) => value === activity)?.seconds ?? 0;
}

const STATE_METRICS = ['DURATION', 'AVG_HR', 'AVG_HRV_RMSSD'] as const;
const STATES: readonly MetricState[] = ['SLEEPING', 'RESTING', 'MOVING'];
const UNITS = { DURATION: 'seconds', AVG_HR: 'bpm', AVG_HRV_RMSSD: 'milliseconds' } as const;

/** One line for each day that can be opened; unknown values are empty. */
export function weekCsv(rows: readonly WeekRow[]): string {
  const metrics = STATES.flatMap((state) =>
    STATE_METRICS.map((name) => ({ key: `${state}_${name}`, unit: UNITS[name] })),
  );
  const header = [
    'DATE',
    'DAY_LENGTH (seconds)',
    'NO_RECORDING (seconds)',
    'SENSOR_WEAR_DURATION (seconds)',
    ...ACTIVITIES.map((activity) => `${activity.toUpperCase()} (seconds)`),
    'HEART_RATE_MEAN (bpm)',
    'HEART_RATE_LOWEST (bpm)',
    'HEART_RATE_HIGHEST (bpm)',
    'MOVING_STEPS (steps)',
    ...metrics.map(({ key, unit }) => `${key} (${unit})`),
  ];
  const lines = rows
    .filter(({ canOpen }) => canOpen)
    .map((row): CsvCell[] => {
      const { totals } = row;
      const known: Readonly<Record<string, number>> = row.metrics ?? {};
      return [
        row.date,
        row.lengthSeconds,
        Math.round(totals ? totals.gapSeconds : row.passedSeconds),
        known.SENSOR_WEAR_DURATION,
        ...ACTIVITIES.map((activity) => activitySeconds(row, activity)),
        totals?.heartRate?.mean.toFixed(2),
        totals?.heartRate?.low.toFixed(2),
        totals?.heartRate?.high.toFixed(2),
        known.MOVING_STEPS,
        ...metrics.map(({ key }) => known[key]?.toFixed(2)),
      ];
    });
  return csvText(header, lines);
}
