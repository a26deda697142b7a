/** Raw samples of one recording, in segments of ten seconds: fetched, kept and given out as unbroken stretches. */
import type { RawDataPage } from '../../../../src-server/api/contract/index.ts';
import type { Extent } from '../view.ts';
import { Cache } from './cache.ts';

export const SEGMENT_MS = 10_000;
/** Segments kept: the longest view, its neighbours on both sides, and where one came from. */
const KEPT_SEGMENTS = 48;
/** A break longer than this many periods is a gap. */
const GAP_PERIODS = 1.8;

/** One stretch of samples of a channel without a gap. */
export interface ChannelSamples {
  timesMs: Float64Array;
  /** Per dimension; mV for ECG and EMG, else the channel's own unit. */
  values: Float32Array[];
  periodMs: number;
}

export interface SegmentChannel {
  type: string;
  dimensions: string[];
  parts: ChannelSamples[];
}

export type Segment = readonly SegmentChannel[];

/** Electric channels are in volts on the wire and read in millivolts. */
export const isElectric = (type: string) => type === 'ECG' || type === 'EMG';

/** Cuts the channels of a page of raw data (`times` in microseconds) at their gaps. */
export function segmentOf(page: RawDataPage, nominalRateHz: (type: string) => number): Segment {
  return page.channels.map(({ type, dimensions, times, values }) => {
    const periodMs = 1000 / nominalRateHz(type);
    const factor = isElectric(type) ? 1000 : 1;
    const columns = dimensions.map((name) => Float32Array.from(values[name] ?? [], (value) => value * factor));
    const timesMs = Float64Array.from(times, (us) => us / 1000);
    const parts: ChannelSamples[] = [];
    let from = 0;
    for (let i = 1; i <= timesMs.length; i++) {
      if (i < timesMs.length && timesMs[i]! - timesMs[i - 1]! <= GAP_PERIODS * periodMs) continue;
      parts.push({
        timesMs: timesMs.subarray(from, i),
        values: columns.map((column) => column.subarray(from, i)),
        periodMs,
      });
      from = i;
    }
    return { type, dimensions, parts };
  });
}

/** Joins the stretches of neighbouring segments that follow each other without a gap. */
export function joined(parts: readonly ChannelSamples[]): ChannelSamples[] {
  const runs: ChannelSamples[][] = [];
  for (const part of parts) {
    const run = runs.at(-1);
    const last = run?.at(-1);
    const follows = last && part.timesMs[0]! - last.timesMs[last.timesMs.length - 1]! <= GAP_PERIODS * part.periodMs;
    if (follows) run?.push(part);
    else runs.push([part]);
  }
  return runs.map((run) => {
    if (run.length === 1) return run[0];
    const length = run.reduce((sum, part) => sum + part.timesMs.length, 0);
    const timesMs = new Float64Array(length);
    const values = run[0].values.map(() => new Float32Array(length));
    let at = 0;
    for (const part of run) {
      timesMs.set(part.timesMs, at);
      for (const [d, column] of values.entries()) column.set(part.values[d]!, at);
      at += part.timesMs.length;
    }
    return { timesMs, values, periodMs: run[0].periodMs };
  });
}

/** Segments of a recording, by number since the epoch. */
export class SampleCache extends Cache<Segment> {
  constructor(fetchSegment: (fromMs: number, toMs: number) => Promise<Segment>, onChange: () => void) {
    super((index) => fetchSegment(index * SEGMENT_MS, (index + 1) * SEGMENT_MS - 1), KEPT_SEGMENTS, onChange);
  }

  /** Whether all of a window is there; asks for nothing. */
  covers(window: Extent, extent: Extent): boolean {
    return segmentIndexes(window, extent).every((index) => this.has(index));
  }

  /**
   * What is there of a window; asks for what is not. Once the window itself is there it asks for the window on each side, and
   * for one more in the direction of `travel`.
   */
  read(window: Extent, extent: Extent, travel: -1 | 0 | 1): Segment[] {
    const indexes = segmentIndexes(window, extent);
    const segments = indexes.map((index) => this.get(index)).filter((segment) => segment !== undefined);
    if (segments.length === indexes.length) {
      const lengthMs = window.stopMs - window.startMs;
      const sides = travel === 0 ? [1, -1] : [travel, 2 * travel, -travel];
      for (const side of sides) {
        const near = { startMs: window.startMs + side * lengthMs, stopMs: window.stopMs + side * lengthMs };
        for (const index of segmentIndexes(near, extent)) this.get(index);
      }
    }
    return segments;
  }

  /** The stretches of a window that have not arrived. */
  missing(window: Extent, extent: Extent): Extent[] {
    return segmentIndexes(window, extent)
      .filter((index) => !this.has(index))
      .map((index) => ({ startMs: index * SEGMENT_MS, stopMs: (index + 1) * SEGMENT_MS }));
  }
}

function segmentIndexes(window: Extent, extent: Extent): number[] {
  const from = Math.floor(Math.max(window.startMs, extent.startMs) / SEGMENT_MS);
  const to = Math.floor(Math.min(window.stopMs, extent.stopMs) / SEGMENT_MS);
  return Array.from({ length: Math.max(0, to - from + 1) }, (_, i) => from + i);
}
