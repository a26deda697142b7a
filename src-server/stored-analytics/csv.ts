/** The CSV formats of daily metrics and of the channels of one day, for downloads and the study archive. */
import type { BinnedChannels } from '../analytics/channels.ts';
import { FURTHER_CHANNEL_TYPES, FURTHER_CHANNEL_UNITS, type FurtherBins } from '../analytics/further-channels.ts';
import { METRIC_NAMES } from '../analytics/metric-names.ts';
import { type CsvValue, csvRow, quotedCell } from '../csv-row.ts';
import type { DayRecord } from '../db/index.ts';
import { type DayClock, offsetMsAt, zoneAt } from '../study/day-windows.ts';

/** Column headings, already escaped; exports may prepend columns. */
export const METRICS_HEADER: readonly string[] = ['DATE', ...METRIC_NAMES.map(({ name, unit }) => `${name} (${unit})`)];

/** Gains differ from 1 in the third decimal, stability of days in the second. */
const DECIMALS: Readonly<Record<string, number>> = { ratio: 5, index: 4 };

/** A day's cells in the order of {@link METRICS_HEADER}: quoted, with two decimals, gains with more; a missing value is an empty quoted cell. */
export function metricsCells({ date, metrics }: Pick<DayRecord, 'date' | 'metrics'>): string[] {
  return [date, ...METRIC_NAMES.map(({ name, unit }) => quotedCell(metrics[name]?.toFixed(DECIMALS[unit] ?? 2) ?? ''))];
}

/** A subject's daily metrics: a header and one row per day. */
export function metricsCsv(days: readonly Pick<DayRecord, 'date' | 'metrics'>[]): string {
  return [METRICS_HEADER, ...days.map(metricsCells)].map((cells) => `${cells.join(',')}\n`).join('');
}

const CHANNELS_HEADER = [
  'TIME (hh:mm)',
  'UTC Timestamp (utc_milliseconds)',
  'ACTIVITY',
  'COMBINED_ACT_COUNT (activity_counts)',
  'FREQUENCY_HRV_RATIO (lf_hf)',
  'HEART_RATE (bpm)',
  'HRV (milliseconds)',
  'RESTING_POSTURE',
  'SLEEP_RESPIRATION (breaths_per_minute)',
  'SLEEPING_POSTURE',
  'STEPS (steps)',
];

const FURTHER_HEADER = FURTHER_CHANNEL_TYPES.map((type) => {
  const unit = FURTHER_CHANNEL_UNITS[type];
  return `${type.toUpperCase()}${unit ? ` (${unit})` : ''}`;
});

/** Column headings of a day's channels with the further ones. */
export const CHANNELS_COLUMNS: readonly string[] = [...CHANNELS_HEADER, ...FURTHER_HEADER];

/** Local wall-clock time, hh:mm, in the zone in force at that instant. */
function wallTime(instantMs: number, clock: DayClock): string {
  const local = instantMs + offsetMsAt(instantMs, zoneAt(instantMs, clock));
  return new Date(local).toISOString().slice(11, 16);
}

function channelsCells({ times, values }: BinnedChannels, i: number, clock: DayClock, shiftMs: number): CsvValue[] {
  const posture = values.resting_posture[i];
  return [
    wallTime(times[i]!, clock),
    times[i]! + shiftMs,
    values.activity[i],
    values.combined_act_count[i],
    values.frequency_hrv_ratio[i],
    values.heart_rate[i],
    values.hrv[i],
    posture && `${posture.c}/${posture.s}`,
    values.sleep_respiration[i],
    values.sleeping_posture[i],
    values.steps[i],
  ];
}

/**
 * Header and one row per minute; null is an empty cell. A resting posture is written `c/s`, such as `LEAN_LEFT/SLOUCHING`.
 * @param shiftMs added to the UTC column only; the time of day is unchanged
 * @param further channels of the same bins, as columns after the others; none without them
 */
export function channelsCsv(
  chunks: readonly BinnedChannels[],
  clock: DayClock,
  shiftMs = 0,
  further: readonly FurtherBins[] = [],
): string {
  const rows = [csvRow([...CHANNELS_HEADER, ...(further.length > 0 ? FURTHER_HEADER : [])])];
  for (const [c, chunk] of chunks.entries()) {
    const values = further[c]?.values;
    for (let i = 0; i < chunk.times.length; i++)
      rows.push(
        csvRow([
          ...channelsCells(chunk, i, clock, shiftMs),
          ...(values ? FURTHER_CHANNEL_TYPES.map((type) => values[type][i]) : []),
        ]),
      );
  }
  return rows.join('');
}
