/** One sensor over the stretch of a recording: its samples, the envelopes of its recordings, and where it has nothing. */
import type {
  Beat,
  OverviewChannel,
  Recording,
  RecordingBeats,
  RecordingOverview,
} from '../../../../src-server/api/contract/index.ts';
import { client } from '../../../shared/api/client.ts';
import type { Extent } from '../view.ts';
import { Cache } from './cache.ts';
import { type DisplayFilter, filtered } from './filter.ts';
import { uncovered } from './overlap.ts';
import { type ChannelSamples, isElectric, joined, SampleCache, type Segment, segmentOf } from './samples.ts';

const BINS_PER_PIECE = 1000;
const SHORTEST_PIECE_MS = 240_000;
const KEPT_PIECES = 24;
/** Channels of one recording begin and end within this of each other. */
const EDGE_MS = 5000;
const BEATS_PIECE_MS = 60_000;
const KEPT_BEAT_PIECES = 30;

export interface SensorRecording {
  recording: Recording;
  overview: RecordingOverview;
}

export class Sensor {
  readonly physicalConfig: Recording['physicalConfig'];
  /** Ascending by start. */
  readonly recordings: readonly SensorRecording[];
  /** What the first recording says of each channel, with the breaks of all of them. */
  readonly channels: readonly OverviewChannel[];
  readonly samples: SampleCache;
  readonly #extent: Extent;
  readonly #onChange: () => void;
  readonly #envelopes = new Map<string, Cache<RecordingOverview>>();
  readonly #beats = new Map<string, Cache<RecordingBeats>>();
  readonly #filtered = new Map<string, { segments: Segment[]; parts: ChannelSamples[] }>();

  constructor(recordings: readonly SensorRecording[], extent: Extent, onChange: () => void) {
    this.recordings = recordings.toSorted((a, b) => a.recording.recordingStartTs - b.recording.recordingStartTs);
    this.#extent = extent;
    this.#onChange = onChange;
    const [{ recording, overview }] = this.recordings;
    this.physicalConfig = recording.physicalConfig;
    const holes = uncovered(
      this.recordings.map((one) => one.recording),
      extent,
    );
    this.channels = overview.channels.map((channel) => {
      const gaps = this.recordings.flatMap((one) => one.overview.channels.find(sameType(channel.type))?.gaps ?? []);
      return { ...channel, gaps: [...gaps, ...holes].sort((a, b) => a.startTs - b.startTs) };
    });
    const rateOf = (type: string) => this.channels.find(sameType(type))?.nominalRateHz ?? 250;
    const { studyId, subjectId, udid } = recording;
    this.samples = new SampleCache(async (from, to) => {
      const query = { from, to, deviceId: udid, tsMicros: true };
      return segmentOf(await client.call('getRawData', { params: { studyId, subjectId }, query }), rateOf);
    }, onChange);
  }

  /** Address of the sensor. */
  get udid(): string {
    return this.recordings[0].recording.udid;
  }

  /** The edges of its recordings, where channels start and stop apart from each other. */
  get ends(): Extent[] {
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

  /** Beats and quality of a window, and where its rhythm has no separate beats, as far as they have arrived. */
  beats(window: Extent): {
    beats: Beat[];
    quality: { startTs: number; values: (number | null)[] }[];
    unresolved: { startTs: number; stopTs: number }[];
  } {
    if (!this.channels.some(sameType('ECG'))) return { beats: [], quality: [], unresolved: [] };
    const pieces = this.recordings.flatMap(({ recording }) => {
      const own = { startMs: recording.recordingStartTs, stopMs: recording.recordingStopTs };
      const within = {
        startMs: Math.max(own.startMs, this.#extent.startMs),
        stopMs: Math.min(own.stopMs, this.#extent.stopMs),
      };
      const cache = this.#beatCache(recording);
      return chunkIndexes(window, within, BEATS_PIECE_MS).flatMap((index) => cache.get(index) ?? []);
    });
    return {
      beats: pieces.flatMap((piece) => piece.beats),
      quality: pieces.flatMap((piece) => piece.quality ?? []),
      unresolved: pieces.flatMap((piece) => piece.unresolved ?? []),
    };
  }

  /**
   * Unbroken stretches of a channel within a window, through a filter, as far as they have arrived. `travel` says where the
   * window is moving, so that what comes next is asked for first.
   */
  parts(type: string, window: Extent, filter: DisplayFilter, travel: -1 | 0 | 1): ChannelSamples[] {
    const segments = this.samples.read(window, this.#extent, travel);
    if (filter === 'off') return segments.flatMap((segment) => partsOf(segment, type));
    // A filter needs what lies on both sides of a seam, so it runs over joined segments, once per set of them.
    const key = `${type} ${filter}`;
    const known = this.#filtered.get(key);
    const isSame =
      known?.segments.length === segments.length && known.segments.every((segment, i) => segment === segments[i]);
    if (known && isSame) return known.parts;
    const parts = joined(segments.flatMap((segment) => partsOf(segment, type))).map((part) => ({
      ...part,
      values: part.values.map((values) => filtered(values, filter, 1000 / part.periodMs)),
    }));
    this.#filtered.set(key, { segments, parts });
    return parts;
  }

  /** Envelopes that cover a window at about a bin per pixel, as far as they have arrived. */
  envelope(window: Extent): OverviewChannel[][] {
    return this.recordings.flatMap(({ recording, overview }) => {
      const own = { startMs: recording.recordingStartTs, stopMs: recording.recordingStopTs };
      if (own.stopMs < window.startMs || own.startMs > window.stopMs) return [];
      let chunkMs = SHORTEST_PIECE_MS;
      while (chunkMs < window.stopMs - window.startMs) chunkMs *= 4;
      if (chunkMs >= own.stopMs - own.startMs) return [overview.channels];
      const cache = this.#envelopeCache(recording, chunkMs);
      return chunkIndexes(window, own, chunkMs).flatMap((index) => {
        const piece = cache.get(index);
        return piece ? [piece.channels] : [];
      });
    });
  }

  #beatCache({ studyId, id: recordingId }: Recording): Cache<RecordingBeats> {
    let cache = this.#beats.get(recordingId);
    if (!cache) {
      cache = new Cache(
        (index) =>
          client.call('getRecordingBeats', {
            params: { studyId, recordingId },
            query: { from: index * BEATS_PIECE_MS, to: (index + 1) * BEATS_PIECE_MS - 1 },
          }),
        KEPT_BEAT_PIECES,
        this.#onChange,
      );
      this.#beats.set(recordingId, cache);
    }
    return cache;
  }

  #envelopeCache({ studyId, id: recordingId }: Recording, chunkMs: number): Cache<RecordingOverview> {
    const key = `${recordingId} ${chunkMs}`;
    let cache = this.#envelopes.get(key);
    if (!cache) {
      cache = new Cache(
        (index) =>
          client.call('getRecordingOverview', {
            params: { studyId, recordingId },
            query: { from: index * chunkMs, to: (index + 1) * chunkMs - 1, bins: BINS_PER_PIECE },
          }),
        KEPT_PIECES,
        this.#onChange,
      );
      this.#envelopes.set(key, cache);
    }
    return cache;
  }
}

const sameType = (type: string) => (channel: { type: string }) => channel.type === type;

/** A segment at the seam of two recordings holds the channel twice. */
function partsOf(segment: Segment, type: string): ChannelSamples[] {
  return segment.filter(sameType(type)).flatMap(({ parts }) => parts);
}

/** Numbers of the pieces of a length since the epoch that a window within an extent touches. */
export function chunkIndexes(window: Extent, extent: Extent, chunkMs: number): number[] {
  const from = Math.floor(Math.max(window.startMs, extent.startMs) / chunkMs);
  const to = Math.floor(Math.min(window.stopMs, extent.stopMs) / chunkMs);
  return Array.from({ length: Math.max(0, to - from + 1) }, (_, i) => from + i);
}
