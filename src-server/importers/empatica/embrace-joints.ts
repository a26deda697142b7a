/** Joins the files of one device by the start times of their signals. Samples are not kept: files are read again for their pages. */
import type { ExactValueRule } from '../../signals/types.ts';
import type { Beat } from '../intervals.ts';
import { ValueGrid } from '../value-grid.ts';
import type { EmbraceFile, Stream, StreamKind } from './embrace-file.ts';

const MAX_GAP_PERIODS = 2;
/** Pulses further apart than this have a missed pulse between them. */
const LONGEST_INTERVAL_US = 4e6;

/** What is kept of a file between the first look and its pages; the samples are read again then, so that memory stays flat. */
export interface FileFacts extends Omit<EmbraceFile, 'streams'> {
  spans: Span[];
}

/** One signal of one file without its samples. */
export interface Span {
  kind: StreamKind;
  /** Equal for signals that share a channel. */
  key: string;
  startUs: number;
  periodUs: number;
  count: number;
  rule: ExactValueRule | null;
}

/** Grids of the values of each channel, over all files. */
export type Grids = Map<string, ValueGrid>;

const keyOf = ({ kind, rule }: Stream): string => [kind.field, ...(rule ? Object.values(rule) : [])].join(' ');

export function factsOf({ streams, ...file }: EmbraceFile, grids: Grids): FileFacts {
  const spans = streams.map((stream): Span => {
    const key = keyOf(stream);
    const grid = grids.get(key) ?? new ValueGrid();
    grids.set(key, grid);
    for (const column of stream.columns) for (const value of column) grid.scan(value);
    const { kind, startUs, rateHz, columns, rule } = stream;
    return { kind, key, startUs, periodUs: 1e6 / rateHz, count: columns[0]!.length, rule };
  });
  return { ...file, spans };
}

export interface JoinedSpan extends Span {
  /** Samples that an earlier file holds already. */
  skipped: number;
}

/** Joins the spans of one channel: the next start corrects the rate, a repeat is dropped, a larger step stays a gap. */
export function joined(spans: Span[]): { spans: Map<Span, JoinedSpan>; gaps: number; repeated: number } {
  const result = new Map<Span, JoinedSpan>();
  let gaps = 0;
  let repeated = 0;
  let last: JoinedSpan | undefined;
  for (const span of [...spans].sort((a, b) => a.startUs - b.startUs || b.count - a.count)) {
    const next: JoinedSpan = { ...span, skipped: 0 };
    if (last) {
      const endUs: number = last.startUs + last.count * last.periodUs;
      const step = span.startUs - endUs;
      if (step > MAX_GAP_PERIODS * span.periodUs) gaps++;
      else if (step >= -MAX_GAP_PERIODS * span.periodUs) last.periodUs = (span.startUs - last.startUs) / last.count;
      else next.skipped = Math.min(span.count, Math.ceil(-step / span.periodUs));
    }
    repeated += next.skipped;
    result.set(span, next);
    if (next.skipped < next.count) last = next;
  }
  return { spans: result, gaps, repeated };
}

/** Intervals between successive peaks of the pulse; a longer one has a missed pulse in it and is a gap. */
export function beatsOf(files: FileFacts[]): Beat[] {
  const peaks = [...new Set(files.flatMap(({ peaksUs }) => peaksUs))].sort((a, b) => a - b);
  const beats: Beat[] = [];
  for (let i = 1; i < peaks.length; i++) {
    const intervalUs = peaks[i]! - peaks[i - 1]!;
    if (intervalUs <= LONGEST_INTERVAL_US) beats.push({ timeUs: peaks[i]!, intervalUs });
  }
  return beats;
}
