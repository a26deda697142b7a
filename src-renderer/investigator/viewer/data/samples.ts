/** Raw samples of a sensor in segments of ten seconds: fetched, cached, and returned as runs without a gap. */
import type { RawDataPage, Recording } from '../../../../src-server/api/contract/index.ts';
import { holdsIntervals } from '../../../../src-server/vocabulary/channels.ts';
import { type Extent, firstView } from '../view.ts';
import { ChunkCache } from './chunk-cache.ts';

export const SEGMENT_MS = 10_000;
/** Cached segments: enough for the longest view, its neighbours on both sides, and the view before. */
const MAX_SEGMENTS = 48;
/** A pause longer than this many sampling periods is a gap. */
export const GAP_PERIODS = 1.8;
/** A beat interval follows the beat before if it begins this close to it; the recording format and clock correction allow it. */
export const FOLLOWS_MS = 10;

/** A run of samples of one channel without a gap. */
export interface ChannelSamples {
  timesMs: Float64Array;
  /** By dimension; mV for ECG and EMG, ms for beat intervals, otherwise the channel's own unit. */
  values: Float32Array[];
  periodMs: number;
}

export interface SegmentChannel {
  type: string;
  dimensions: string[];
  runs: ChannelSamples[];
}

export type Segment = readonly SegmentChannel[];

/** Electric channels come in volts from the interface and are shown in millivolts. */
export const isElectric = (type: string) => type === 'ECG' || type === 'EMG';

/** What values of a channel are multiplied with: volts become millivolts, the seconds of beat intervals milliseconds. */
export const shownFactor = (type: string): number => (isElectric(type) || holdsIntervals({ type }) ? 1000 : 1);

/** Splits the channels of a page of raw data (`times` in microseconds) into runs at their gaps. */
export function segmentOf(page: RawDataPage, nominalRateHz: (type: string) => number): Segment {
  return page.channels.map(({ type, dimensions, times, values }) => {
    const periodMs = 1000 / nominalRateHz(type);
    const factor = shownFactor(type);
    const isBeats = holdsIntervals({ type });
    const columns = dimensions.map((name) => Float32Array.from(values[name] ?? [], (value) => value * factor));
    const timesMs = Float64Array.from(times, (us) => us / 1000);
    const runs: ChannelSamples[] = [];
    let from = 0;
    for (let i = 1; i <= timesMs.length; i++) {
      const stepMs = timesMs[i]! - timesMs[i - 1]!;
      // Beats are not evenly spaced: one follows another where its interval says so.
      const isNext = isBeats ? Math.abs(stepMs - columns[0]![i]!) <= FOLLOWS_MS : stepMs <= GAP_PERIODS * periodMs;
      if (i < timesMs.length && isNext) continue;
      runs.push({
        timesMs: timesMs.subarray(from, i),
        values: columns.map((column) => column.subarray(from, i)),
        periodMs,
      });
      from = i;
    }
    return { type, dimensions, runs };
  });
}

/** Joins runs of neighbouring segments that follow each other without a gap. */
export function joinRuns(runs: readonly ChannelSamples[]): ChannelSamples[] {
  const groups: ChannelSamples[][] = [];
  for (const run of runs) {
    const group = groups.at(-1);
    const last = group?.at(-1);
    const follows = last && run.timesMs[0]! - last.timesMs[last.timesMs.length - 1]! <= GAP_PERIODS * run.periodMs;
    if (follows) group?.push(run);
    else groups.push([run]);
  }
  return groups.map(concatenated);
}

function concatenated(group: readonly ChannelSamples[]): ChannelSamples {
  const first = group[0]!;
  if (group.length === 1) return first;
  const length = group.reduce((sum, run) => sum + run.timesMs.length, 0);
  const timesMs = new Float64Array(length);
  const values = first.values.map(() => new Float32Array(length));
  let offset = 0;
  for (const run of group) {
    timesMs.set(run.timesMs, offset);
    for (const [d, column] of values.entries()) column.set(run.values[d]!, offset);
    offset += run.timesMs.length;
  }
  return { timesMs, values, periodMs: first.periodMs };
}

/** The call that fetches a segment of a sensor. */
export function rawDataCall(
  { studyId, subjectId, udid }: Pick<Recording, 'studyId' | 'subjectId' | 'udid'>,
  index: number,
) {
  const query = { from: index * SEGMENT_MS, to: (index + 1) * SEGMENT_MS - 1, deviceId: udid, tsMicros: true };
  return { params: { studyId, subjectId }, query };
}

/** Segments of a sensor, numbered since the epoch. */
export class SampleCache extends ChunkCache<Segment> {
  constructor(fetchSegment: (index: number) => Promise<Segment>, onChange: () => void) {
    super(fetchSegment, MAX_SEGMENTS, onChange);
  }

  /** Returns whether all segments of a window are present; fetches nothing. */
  covers(window: Extent, extent: Extent): boolean {
    return segmentIndexes(window, extent).every((index) => this.has(index));
  }

  /**
   * Returns the segments of a window that are present and fetches the others. Once the window is complete it prefetches the
   * window on each side, and one more in the direction of `travel`.
   */
  read(window: Extent, extent: Extent, travel: -1 | 0 | 1): Segment[] {
    const indexes = segmentIndexes(window, extent);
    const segments = indexes.map((index) => this.get(index)).filter((segment) => segment !== undefined);
    if (segments.length === indexes.length) {
      const lengthMs = window.stopMs - window.startMs;
      const sides = travel === 0 ? [1, -1] : [travel, 2 * travel, -travel];
      for (const side of sides) {
        const neighbour = { startMs: window.startMs + side * lengthMs, stopMs: window.stopMs + side * lengthMs };
        for (const index of segmentIndexes(neighbour, extent)) this.get(index);
      }
    }
    return segments;
  }

  /** Returns the spans of a window that have not arrived. */
  missing(window: Extent, extent: Extent): Extent[] {
    return segmentIndexes(window, extent)
      .filter((index) => !this.has(index))
      .map((index) => ({ startMs: index * SEGMENT_MS, stopMs: (index + 1) * SEGMENT_MS }));
  }
}

/** Numbers of the segments that overlap a window within an extent. */
function segmentIndexes(window: Extent, extent: Extent): number[] {
  const from = Math.floor(Math.max(window.startMs, extent.startMs) / SEGMENT_MS);
  const to = Math.floor(Math.min(window.stopMs, extent.stopMs) / SEGMENT_MS);
  return Array.from({ length: Math.max(0, to - from + 1) }, (_, i) => from + i);
}

/** The segments of the view with which a recording opens; `readableMs` as {@link openingMs} finds it. */
export function firstSegments(
  { recordingStartTs, recordingStopTs }: Pick<Recording, 'recordingStartTs' | 'recordingStopTs'>,
  atMs: number | undefined,
  readableMs: number,
): number[] {
  const extent: Extent = { startMs: recordingStartTs, stopMs: recordingStopTs };
  const { startMs, lengthMs } = firstView(extent, atMs, readableMs);
  return segmentIndexes({ startMs, stopMs: startMs + lengthMs }, extent);
}
