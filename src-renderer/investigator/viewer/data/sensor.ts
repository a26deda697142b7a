/** One sensor over the stretch of a recording: its samples, the envelopes of its recordings, and where it has nothing. */
import type { OverviewChannel, Recording, RecordingOverview } from '../../../../src-server/api/contract/index.ts';
import { client } from '../../../shared/api/client.ts';
import type { Extent } from '../view.ts';
import { Cache } from './cache.ts';
import { type DisplayFilter, filtered } from './filter.ts';
import { uncovered } from './overlap.ts';
import { type ChannelSamples, isElectric, joined, SampleCache, type Segment, segmentOf } from './samples.ts';

const BINS_PER_PIECE = 1000;
const SHORTEST_PIECE_MS = 240_000;
const KEPT_PIECES = 24;

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

  get error(): Error | null {
    for (const cache of this.#envelopes.values()) if (cache.error) return cache.error;
    return this.samples.error;
  }

  retry(): void {
    this.samples.retry();
    for (const cache of this.#envelopes.values()) cache.retry();
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
      let pieceMs = SHORTEST_PIECE_MS;
      while (pieceMs < window.stopMs - window.startMs) pieceMs *= 4;
      if (pieceMs >= own.stopMs - own.startMs) return [overview.channels];
      const cache = this.#envelopeCache(recording, pieceMs);
      return pieceIndexes(window, own, pieceMs).flatMap((index) => {
        const piece = cache.get(index);
        return piece ? [piece.channels] : [];
      });
    });
  }

  #envelopeCache({ studyId, id: recordingId }: Recording, pieceMs: number): Cache<RecordingOverview> {
    const key = `${recordingId} ${pieceMs}`;
    let cache = this.#envelopes.get(key);
    if (!cache) {
      cache = new Cache(
        (index) =>
          client.call('getRecordingOverview', {
            params: { studyId, recordingId },
            query: { from: index * pieceMs, to: (index + 1) * pieceMs - 1, bins: BINS_PER_PIECE },
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
export function pieceIndexes(window: Extent, extent: Extent, pieceMs: number): number[] {
  const from = Math.floor(Math.max(window.startMs, extent.startMs) / pieceMs);
  const to = Math.floor(Math.min(window.stopMs, extent.stopMs) / pieceMs);
  return Array.from({ length: Math.max(0, to - from + 1) }, (_, i) => from + i);
}

export const motionChannels = ({ channels }: Sensor) => channels.filter(({ type }) => !isElectric(type));
