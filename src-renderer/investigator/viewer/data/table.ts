/** The signals of a stretch as rows of numbers: what the strips draw, to read and to save. Gaps are rows of their own. Pure. */
import type { Beat, OverviewChannel } from '../../../../src-server/api/contract/index.ts';
import { csvText } from '../../../shared/csv.ts';
import type { Extent } from '../view.ts';
import { firstAtOrAfter } from './measure.ts';
import type { ChannelSamples } from './samples.ts';

const STEPS_MS = [100, 1000, 5000, 10_000, 30_000, 60_000, 300_000, 600_000, 1_800_000, 3_600_000] as const;
const MOST_ROWS = 60;

/** Length of a row: a second of what one reads, so that a window has no more rows than that. */
export function rowMs({ startMs, stopMs }: Extent): number {
  const lengthMs = stopMs - startMs;
  const least = lengthMs < 3000 ? STEPS_MS[0] : STEPS_MS[1];
  return STEPS_MS.find((step) => step >= least && lengthMs / step <= MOST_ROWS) ?? STEPS_MS[STEPS_MS.length - 1];
}

export interface Figures {
  minimum: number;
  maximum: number;
  /** Undefined where only the envelope is there. */
  mean: number | undefined;
}

export interface ValueRow {
  kind: 'values';
  startMs: number;
  stopMs: number;
  samples: number;
  /** Per dimension. */
  figures: Figures[];
  beats: number | undefined;
}

export interface GapRow {
  kind: 'gap';
  startMs: number;
  stopMs: number;
  isLost: boolean;
}

export type SignalRow = ValueRow | GapRow;

interface Sums {
  samples: number;
  figures: Figures[];
}

function fromSamples(parts: readonly ChannelSamples[], dimensions: number, bin: Extent): Sums {
  let samples = 0;
  const totals = Array.from({ length: dimensions }, () => ({ low: Infinity, high: -Infinity, sum: 0 }));
  for (const { timesMs, values } of parts) {
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
    figures: totals.map(({ low, high, sum }) => ({ minimum: low, maximum: high, mean: sum / samples })),
  };
}

function fromEnvelopes(envelopes: readonly OverviewChannel[], factor: number, bin: Extent): Sums {
  let samples = 0;
  const dimensions = envelopes[0]?.dimensions ?? [];
  const totals = dimensions.map(() => ({ low: Infinity, high: -Infinity }));
  for (const { startTs, binMs, sampleCounts, minima, maxima } of envelopes) {
    const from = Math.max(0, Math.ceil((bin.startMs - startTs) / binMs));
    const to = Math.min(sampleCounts.length, Math.ceil((bin.stopMs - startTs) / binMs));
    for (let i = from; i < to; i++) {
      samples += sampleCounts[i];
      for (const [d, name] of dimensions.entries()) {
        totals[d].low = Math.min(totals[d].low, minima[name][i] ?? Infinity);
        totals[d].high = Math.max(totals[d].high, maxima[name][i] ?? -Infinity);
      }
    }
  }
  const scaled = totals.map(({ low, high }) => ({ minimum: low * factor, maximum: high * factor, mean: undefined }));
  return { samples, figures: scaled };
}

export interface LaneData {
  dimensions: number;
  /** Samples, or with them undefined the envelopes. */
  parts: readonly ChannelSamples[] | undefined;
  envelopes: readonly OverviewChannel[];
  /** From the unit of the envelopes to that of the lane. */
  factor: number;
  gaps: readonly { startTs: number; stopTs: number }[];
  lost: readonly Extent[];
  beats: readonly Beat[] | undefined;
}

/** Rows of a lane over a window, in order of time. A row without samples is left out: a gap tells of it, or it is on its way. */
export function signalRows(lane: LaneData, window: Extent, stepMs = rowMs(window)): SignalRow[] {
  const rows: SignalRow[] = [];
  for (let startMs = Math.floor(window.startMs / stepMs) * stepMs; startMs < window.stopMs; startMs += stepMs) {
    const bin = { startMs: Math.max(startMs, window.startMs), stopMs: Math.min(startMs + stepMs, window.stopMs) };
    const { samples, figures } = lane.parts
      ? fromSamples(lane.parts, lane.dimensions, bin)
      : fromEnvelopes(lane.envelopes, lane.factor, bin);
    if (samples === 0) continue;
    const beats = lane.beats?.filter(({ timeUs }) => timeUs / 1000 >= bin.startMs && timeUs / 1000 < bin.stopMs).length;
    rows.push({ kind: 'values', ...bin, samples, figures, beats });
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
  /** Its address. */
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

/** Every lane, one line per row and dimension; a gap has one line with its reason and no number. */
export function signalCsv(lanes: readonly CsvLane[]): string {
  const number = (value: number | undefined) => (value === undefined ? '' : Number(value.toPrecision(7)));
  const lines = lanes.flatMap((lane) =>
    lane.rows.flatMap((row) => {
      const times = [Math.round(row.startMs), Math.round(row.stopMs), new Date(Math.round(row.startMs)).toISOString()];
      if (row.kind === 'gap')
        return [[lane.name, lane.sensor, '', '', ...times, 0, '', '', '', '', lane.reasonOf(row)]];
      return row.figures.map(({ minimum, mean, maximum }, d) => [
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
