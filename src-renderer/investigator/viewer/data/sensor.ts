/** One sensor over the extent of a recording: samples, beats and envelopes of all its recordings, and its gaps. */
import type {
  Beat,
  OverviewChannel,
  Recording,
  RecordingBeats,
  RecordingOverview,
} from '../../../../src-server/api/contract/index.ts';
import { MINUTE_MS, SECOND_MS } from '../../../../src-server/durations.ts';
import { holdsIntervals } from '../../../../src-server/vocabulary/channels.ts';
import { client } from '../../../shared/api/client.ts';
import { type Applied, type ShownBeats, withCorrections } from '../corrections/overlay.ts';
import type { Extent } from '../view.ts';
import { ChunkCache } from './chunk-cache.ts';
import { applyFilter, type DisplayFilter } from './filter.ts';
import { uncoveredSpans } from './overlap.ts';
import {
  type ChannelSamples,
  isElectric,
  joinRuns,
  rawDataCall,
  SampleCache,
  type Segment,
  segmentOf,
} from './samples.ts';

const BINS_PER_CHUNK = 1000;
const MIN_CHUNK_MS = 4 * MINUTE_MS;
const MAX_ENVELOPE_CHUNKS = 24;
/** Channels of one recording start and stop within this time of each other. */
const EDGE_MS = 5 * SECOND_MS;
const BEATS_CHUNK_MS = MINUTE_MS;
const MAX_BEAT_CHUNKS = 30;

export interface SensorRecording {
  recording: Recording;
  overview: RecordingOverview;
}

export class Sensor {
  /** Address of the sensor. */
  readonly udid: string;
  readonly physicalConfig: Recording['physicalConfig'];
  /** Ascending by start. */
  readonly recordings: readonly SensorRecording[];
  /** Channels of the first recording, each with the gaps of all recordings. */
  readonly channels: readonly OverviewChannel[];
  readonly samples: SampleCache;
  readonly #extent: Extent;
  readonly #onChange: () => void;
  readonly #envelopes = new Map<string, ChunkCache<RecordingOverview>>();
  readonly #beats = new Map<string, ChunkCache<RecordingBeats>>();
  readonly #isCorrected: boolean;
  #corrections: readonly Applied[] = [];
  readonly #filtered = new Map<string, { segments: Segment[]; runs: ChannelSamples[] }>();

  /**
   * @param isCorrected that corrections are set here, over beats as they were detected; otherwise beats come corrected
   * @throws Error without a recording
   */
  constructor(recordings: readonly SensorRecording[], extent: Extent, onChange: () => void, isCorrected = false) {
    this.#isCorrected = isCorrected;
    this.recordings = recordings.toSorted((a, b) => a.recording.recordingStartTs - b.recording.recordingStartTs);
    this.#extent = extent;
    this.#onChange = onChange;
    const [first] = this.recordings;
    if (!first) throw new Error('A sensor needs at least one recording.');
    const { recording, overview } = first;
    this.udid = recording.udid;
    this.physicalConfig = recording.physicalConfig;
    const betweenRecordings = uncoveredSpans(
      this.recordings.map((entry) => entry.recording),
      extent,
    );
    this.channels = overview.channels.map((channel) => {
      const gaps = this.recordings.flatMap((entry) => entry.overview.channels.find(sameType(channel.type))?.gaps ?? []);
      return { ...channel, gaps: [...gaps, ...betweenRecordings].sort((a, b) => a.startTs - b.startTs) };
    });
    const rateOf = (type: string) => this.channels.find(sameType(type))?.nominalRateHz ?? 250;
    this.samples = new SampleCache(
      async (index) => segmentOf(await client.call('getRawData', rawDataCall(recording, index)), rateOf),
      onChange,
    );
  }

  /** The spans around the start and end of each recording, where its channels start and stop at different times. */
  get edges(): Extent[] {
    return this.recordings.flatMap(({ recording: { recordingStartTs, recordingStopTs } }) =>
      [recordingStartTs, recordingStopTs].map((ms) => ({ startMs: ms - EDGE_MS, stopMs: ms + EDGE_MS })),
    );
  }

  /** The channel that calipers measure: the first electric one. */
  get lead(): OverviewChannel | undefined {
    return this.channels.find(({ type }) => isElectric(type));
  }

  get error(): Error | null {
    for (const cache of [...this.#envelopes.values(), ...this.#beats.values()]) if (cache.error) return cache.error;
    return this.samples.error;
  }

  retry(): void {
    for (const cache of [this.samples, ...this.#envelopes.values(), ...this.#beats.values()]) cache.retry();
  }

  setCorrections(corrections: readonly Applied[]): void {
    this.#corrections = corrections;
  }

  /** Beats, signal quality, and spans whose rhythm has no separate beats, as far as they have arrived. */
  beats(window: Extent): {
    beats: Beat[];
    quality: { startTs: number; values: (number | null)[] }[];
    unresolved: { startTs: number; stopTs: number }[];
    gone: ShownBeats['gone'];
    excluded: ShownBeats['excluded'];
  } {
    if (!this.channels.some((channel) => channel.type === 'ECG' || holdsIntervals(channel)))
      return { beats: [], quality: [], unresolved: [], gone: [], excluded: [] };
    const chunks = this.recordings.flatMap(({ recording }) => {
      const own = { startMs: recording.recordingStartTs, stopMs: recording.recordingStopTs };
      const within = {
        startMs: Math.max(own.startMs, this.#extent.startMs),
        stopMs: Math.min(own.stopMs, this.#extent.stopMs),
      };
      const cache = this.#beatCache(recording);
      return chunkIndexes(window, within, BEATS_CHUNK_MS).flatMap((index) => cache.get(index) ?? []);
    });
    const detected = chunks.flatMap((chunk) => chunk.beats);
    const near = this.#corrections.filter(
      ({ startTs, stopTs }) => startTs < window.stopMs + BEATS_CHUNK_MS && stopTs > window.startMs - BEATS_CHUNK_MS,
    );
    const shown = this.#isCorrected
      ? withCorrections(detected, near)
      : {
          beats: detected,
          gone: chunks.flatMap(({ gone = [] }) => gone),
          excluded: chunks.flatMap(({ excluded = [] }) => excluded),
        };
    return {
      ...shown,
      quality: chunks.flatMap((chunk) => chunk.quality ?? []),
      unresolved: chunks.flatMap((chunk) => chunk.unresolved ?? []),
    };
  }

  /**
   * Filtered runs of a channel within a window, as far as they have arrived.
   * @param travel direction in which the window moves, which is prefetched first
   */
  runs(type: string, window: Extent, filter: DisplayFilter, travel: -1 | 0 | 1): ChannelSamples[] {
    const segments = this.samples.read(window, this.#extent, travel);
    if (filter === 'off') return segments.flatMap((segment) => runsOf(segment, type));
    // A filter needs the samples on both sides of a seam, so it runs over the joined segments, once for each set of them.
    const key = `${type} ${filter}`;
    const cached = this.#filtered.get(key);
    const isSame =
      cached?.segments.length === segments.length && cached.segments.every((segment, i) => segment === segments[i]);
    if (cached && isSame) return cached.runs;
    const runs = joinRuns(segments.flatMap((segment) => runsOf(segment, type))).map((run) => ({
      ...run,
      values: run.values.map((values) => applyFilter(values, filter, 1000 / run.periodMs)),
    }));
    this.#filtered.set(key, { segments, runs });
    return runs;
  }

  /** Envelopes over a window with about one bin per pixel, as far as they have arrived. */
  envelope(window: Extent): OverviewChannel[][] {
    return this.recordings.flatMap(({ recording, overview }) => {
      const own = { startMs: recording.recordingStartTs, stopMs: recording.recordingStopTs };
      if (own.stopMs < window.startMs || own.startMs > window.stopMs) return [];
      let chunkMs = MIN_CHUNK_MS;
      while (chunkMs < window.stopMs - window.startMs) chunkMs *= 4;
      if (chunkMs >= own.stopMs - own.startMs) return [overview.channels];
      const cache = this.#envelopeCache(recording, chunkMs);
      return chunkIndexes(window, own, chunkMs).flatMap((index) => {
        const chunk = cache.get(index);
        return chunk ? [chunk.channels] : [];
      });
    });
  }

  #beatCache({ studyId, id: recordingId }: Recording): ChunkCache<RecordingBeats> {
    let cache = this.#beats.get(recordingId);
    if (!cache) {
      cache = new ChunkCache(
        (index) =>
          client.call('getRecordingBeats', {
            params: { studyId, recordingId },
            query: {
              from: index * BEATS_CHUNK_MS,
              to: (index + 1) * BEATS_CHUNK_MS - 1,
              ...(this.#isCorrected && { detected: true }),
            },
          }),
        MAX_BEAT_CHUNKS,
        this.#onChange,
      );
      this.#beats.set(recordingId, cache);
    }
    return cache;
  }

  #envelopeCache({ studyId, id: recordingId }: Recording, chunkMs: number): ChunkCache<RecordingOverview> {
    const key = `${recordingId} ${chunkMs}`;
    let cache = this.#envelopes.get(key);
    if (!cache) {
      cache = new ChunkCache(
        (index) =>
          client.call('getRecordingOverview', {
            params: { studyId, recordingId },
            query: { from: index * chunkMs, to: (index + 1) * chunkMs - 1, bins: BINS_PER_CHUNK },
          }),
        MAX_ENVELOPE_CHUNKS,
        this.#onChange,
      );
      this.#envelopes.set(key, cache);
    }
    return cache;
  }
}

const sameType = (type: string) => (channel: { type: string }) => channel.type === type;

/** Runs of a channel in a segment, which has the channel twice where two recordings meet. */
function runsOf(segment: Segment, type: string): ChannelSamples[] {
  return segment.filter(sameType(type)).flatMap(({ runs }) => runs);
}

/** Numbers, since the epoch, of the chunks of `chunkMs` that overlap a window within an extent. */
export function chunkIndexes(window: Extent, extent: Extent, chunkMs: number): number[] {
  const from = Math.floor(Math.max(window.startMs, extent.startMs) / chunkMs);
  const to = Math.floor(Math.min(window.stopMs, extent.stopMs) / chunkMs);
  return Array.from({ length: Math.max(0, to - from + 1) }, (_, i) => from + i);
}
