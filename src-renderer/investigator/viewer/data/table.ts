/** The signals of a window as rows of statistics, for the table and its CSV file. Gaps are rows of their own. Pure. */
import type { Beat, OverviewChannel } from '../../../../src-server/api/contract/index.ts';
import { HOUR_MS } from '../../../../src-server/durations.ts';
import { csvText } from '../../../shared/csv.ts';
import type { Extent } from '../view.ts';
import { firstAtOrAfter } from './measure.ts';
import type { ChannelSamples } from './samples.ts';

/** Above half an hour every window has rows of an hour. */
const LONGEST_ROW_MS = HOUR_MS;
const ROW_LENGTHS_MS = [100, 1000, 5000, 10_000, 30_000, 60_000, 300_000, 600_000, 1_800_000, LONGEST_ROW_MS] as const;
const MAX_ROWS = 60;

/** Length of a row: a second, or longer where the window would have more than {@link MAX_ROWS} rows. */
export function rowMs({ startMs, stopMs }: Extent): number {
  const lengthMs = stopMs - startMs;
  const shortestMs = lengthMs < 3000 ? 100 : 1000;
  return ROW_LENGTHS_MS.find((rowMs) => rowMs >= shortestMs && lengthMs / rowMs <= MAX_ROWS) ?? LONGEST_ROW_MS;
}

export interface Statistics {
  minimum: number;
  maximum: number;
  /** Undefined where only the envelope has arrived. */
  mean: number | undefined;
}

export interface ValueRow {
  kind: 'values';
  startMs: number;
  stopMs: number;
  samples: number;
  /** By dimension. */
  statistics: Statistics[];
  beats: number | undefined;
}

export interface GapRow {
  kind: 'gap';
  startMs: number;
  stopMs: number;
  isLost: boolean;
}

export type SignalRow = ValueRow | GapRow;

interface BinStatistics {
  samples: number;
  statistics: Statistics[];
}

function fromSamples(runs: readonly ChannelSamples[], dimensions: number, bin: Extent): BinStatistics {
  let samples = 0;
  const totals = Array.from({ length: dimensions }, () => ({ low: Infinity, high: -Infinity, sum: 0 }));
  for (const { timesMs, values } of runs) {
    const from = firstAtOrAfter(timesMs, bin.startMs);
    const to = firstAtOrAfter(timesMs, bin.stopMs);
    samples += to - from;
    for (const [d, total] of totals.entries())
      for (let i = from; i < to; i++) {
        const value = values[d]![i]!;
        if (value < total.low) total.low = value;
        if (value > total.high) total.high = value;
        total.sum += value;
      }
  }
  return {
    samples,
    statistics: totals.map(({ low, high, sum }) => ({ minimum: low, maximum: high, mean: sum / samples })),
  };
}

function fromEnvelopes(envelopes: readonly OverviewChannel[], factor: number, bin: Extent): BinStatistics {
  let samples = 0;
  const dimensions = envelopes[0]?.dimensions ?? [];
  const totals = dimensions.map((name) => ({ name, low: Infinity, high: -Infinity }));
  for (const { startTs, binMs, sampleCounts, minima, maxima } of envelopes) {
    const from = Math.max(0, Math.ceil((bin.startMs - startTs) / binMs));
    const to = Math.min(sampleCounts.length, Math.ceil((bin.stopMs - startTs) / binMs));
    for (let i = from; i < to; i++) {
      samples += sampleCounts[i]!;
      for (const total of totals) {
        total.low = Math.min(total.low, minima[total.name]?.[i] ?? Infinity);
        total.high = Math.max(total.high, maxima[total.name]?.[i] ?? -Infinity);
      }
    }
  }
  const scaled = totals.map(({ low, high }) => ({ minimum: low * factor, maximum: high * factor, mean: undefined }));
  return { samples, statistics: scaled };
}

export interface LaneData {
  dimensions: number;
  /** Samples; undefined where the rows come from the envelopes. */
  runs: readonly ChannelSamples[] | undefined;
  envelopes: readonly OverviewChannel[];
  /** Factor from the unit of the envelopes to that of the lane. */
  factor: number;
  gaps: readonly { startTs: number; stopTs: number }[];
  lost: readonly Extent[];
  beats: readonly Beat[] | undefined;
}

/** Rows of a lane over a window, in time order. Rows without samples are left out: a gap covers them, or they have yet to arrive. */
export function signalRows(lane: LaneData, window: Extent, stepMs = rowMs(window)): SignalRow[] {
  const rows: SignalRow[] = [];
  for (let startMs = Math.floor(window.startMs / stepMs) * stepMs; startMs < window.stopMs; startMs += stepMs) {
    const bin = { startMs: Math.max(startMs, window.startMs), stopMs: Math.min(startMs + stepMs, window.stopMs) };
    const { samples, statistics } = lane.runs
      ? fromSamples(lane.runs, lane.dimensions, bin)
      : fromEnvelopes(lane.envelopes, lane.factor, bin);
    if (samples === 0) continue;
    const beats = lane.beats?.filter(({ timeUs }) => timeUs / 1000 >= bin.startMs && timeUs / 1000 < bin.stopMs).length;
    rows.push({ kind: 'values', ...bin, samples, statistics, beats });
  }
  for (const { startTs, stopTs } of lane.gaps)
    if (stopTs > window.startMs && startTs < window.stopMs)
      rows.push({ kind: 'gap', startMs: startTs, stopMs: stopTs, isLost: false });
  for (const lost of lane.lost)
    if (lost.stopMs > window.startMs && lost.startMs < window.stopMs) rows.push({ kind: 'gap', ...lost, isLost: true });
  return rows.sort((a, b) => a.startMs - b.startMs);
}

export interface CsvLane {
  name: string;
  /** Address of the sensor. */
  sensor: string;
  unit: string;
  dimensions: readonly string[];
  rows: readonly SignalRow[];
  reasonOf: (gap: GapRow) => string;
}

const HEADER = [
  'Lane',
  'Sensor',
  'Dimension',
  'Unit',
  'Start Timestamp (ms)',
  'Stop Timestamp (ms)',
  'Start (UTC)',
  'Samples',
  'Minimum',
  'Mean',
  'Maximum',
  'Beats',
  'Gap',
];

/** All lanes as CSV: one line per row and dimension; a gap is one line with its reason instead of numbers. */
export function signalCsv(lanes: readonly CsvLane[]): string {
  const number = (value: number | undefined) => (value === undefined ? '' : Number(value.toPrecision(7)));
  const lines = lanes.flatMap((lane) =>
    lane.rows.flatMap((row) => {
      const times = [Math.round(row.startMs), Math.round(row.stopMs), new Date(Math.round(row.startMs)).toISOString()];
      if (row.kind === 'gap')
        return [[lane.name, lane.sensor, '', '', ...times, 0, '', '', '', '', lane.reasonOf(row)]];
      return row.statistics.map(({ minimum, mean, maximum }, d) => [
        lane.name,
        lane.sensor,
        lane.dimensions[d],
        lane.unit,
        ...times,
        row.samples,
        ...[number(minimum), number(mean), number(maximum)],
        d === 0 ? row.beats : '',
        '',
      ]);
    }),
  );
  return csvText(HEADER, lines);
}
