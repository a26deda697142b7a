/**
 * What the viewer of one recording knows: the stretch in view, calipers and modes in a store, and the pieces of data that
 * have arrived. Canvases draw from it directly, so that panning never waits for a render.
 */
import type {
  Beat,
  OverviewChannel,
  Recording,
  RecordingBeats,
  RecordingOverview,
} from '../../../../src-server/api/contract/index.ts';
import { client } from '../../../shared/api/client.ts';
import { createStore, type Store } from '../../../shared/store.ts';
import { DEFAULT_MS, type DetailView, type Extent, LONGEST_RAW_MS, placed } from '../view.ts';
import { Cache } from './cache.ts';
import { type DisplayFilter, filtered } from './filter.ts';
import { type Calipers, intervalOf, snapped, valueAt } from './measure.ts';
import { type ChannelSamples, isElectric, joined, SampleCache, type Segment, segmentOf } from './samples.ts';

export interface ViewerState {
  view: DetailView;
  /** mm per mV, or fitted to what shows. */
  gain: number | 'auto';
  filter: DisplayFilter;
  calipers: Calipers;
  snappedTo: 'beat' | 'extreme' | null;
  isMarching: boolean;
  cursorMs: number | null;
  isLabelling: boolean;
}

const BEATS_PIECE_MS = 60_000;
const BINS_PER_PIECE = 1000;
/** Reach of a snap, in parts of the view. */
const SNAP_PART = 0.02;

export class ViewerModel {
  readonly recording: Recording;
  readonly extent: Extent;
  readonly overview: RecordingOverview;
  readonly state: Store<ViewerState>;
  /** Counts what has arrived, so that canvases draw again. */
  readonly arrivals: Store<number> = createStore(0);
  readonly samples: SampleCache;
  readonly #beats: Cache<RecordingBeats>;
  readonly #envelopes = new Map<number, Cache<RecordingOverview>>();
  #joinedKey: { segments: Segment[]; type: string; parts: ChannelSamples[]; filter: DisplayFilter } | null = null;

  constructor(recording: Recording, overview: RecordingOverview, atMs: number | undefined) {
    this.recording = recording;
    this.overview = overview;
    this.extent = { startMs: recording.recordingStartTs, stopMs: recording.recordingStopTs };
    const view = {
      startMs: (atMs ?? this.extent.startMs) - (atMs === undefined ? 0 : DEFAULT_MS / 2),
      lengthMs: DEFAULT_MS,
    };
    this.state = createStore<ViewerState>({
      view: placed(view, this.extent),
      gain: 10,
      filter: 'off',
      calipers: { startMs: null, stopMs: null },
      snappedTo: null,
      isMarching: false,
      cursorMs: null,
      isLabelling: false,
    });
    const { studyId, subjectId, udid, id: recordingId } = recording;
    const arrived = () => this.arrivals.set(this.arrivals.get() + 1);
    const rateOf = (type: string) => this.channel(type)?.nominalRateHz ?? 250;
    this.samples = new SampleCache(async (from, to) => {
      const query = { from, to, deviceId: udid, tsMicros: true };
      return segmentOf(await client.call('getRawData', { params: { studyId, subjectId }, query }), rateOf);
    }, arrived);
    this.#beats = new Cache(
      (index) =>
        client.call('getRecordingBeats', {
          params: { studyId, recordingId },
          query: { from: index * BEATS_PIECE_MS, to: (index + 1) * BEATS_PIECE_MS - 1 },
        }),
      30,
      arrived,
    );
  }

  set(change: Partial<ViewerState>): void {
    this.state.set({ ...this.state.get(), ...change });
  }

  setView(view: DetailView): void {
    const next = placed(view, this.extent);
    const now = this.state.get().view;
    if (next.startMs !== now.startMs || next.lengthMs !== now.lengthMs) this.set({ view: next });
  }

  channel(type: string): OverviewChannel | undefined {
    return this.overview.channels.find((channel) => channel.type === type);
  }

  /** The channel that calipers measure: the first electric one. */
  get lead(): OverviewChannel | undefined {
    return this.overview.channels.find(({ type }) => isElectric(type));
  }

  get error(): Error | null {
    return this.samples.error ?? this.#beats.error;
  }

  retry(): void {
    this.samples.retry();
    this.#beats.retry();
    for (const cache of this.#envelopes.values()) cache.retry();
  }

  /** Unbroken stretches of a channel within a window, as shown: an electric one through the chosen filter. */
  parts(type: string, window: Extent): { parts: ChannelSamples[]; isComplete: boolean } {
    const { segments, isComplete } = this.samples.read(window, this.extent);
    const filter = isElectric(type) ? this.state.get().filter : 'off';
    if (filter === 'off') return { parts: segments.flatMap((segment) => partsOf(segment, type)), isComplete };
    return { parts: this.#filteredParts(segments, type, filter), isComplete };
  }

  /** A filter needs what lies on both sides of a seam, so it runs over joined segments, once per set of them. */
  #filteredParts(segments: Segment[], type: string, filter: DisplayFilter): ChannelSamples[] {
    const known = this.#joinedKey;
    const isSame =
      known?.type === type &&
      known.filter === filter &&
      known.segments.length === segments.length &&
      known.segments.every((segment, i) => segment === segments[i]);
    if (known && isSame) return known.parts;
    const parts = joined(segments.flatMap((segment) => partsOf(segment, type))).map((part) => ({
      ...part,
      values: part.values.map((values) => filtered(values, filter, 1000 / part.periodMs)),
    }));
    this.#joinedKey = { segments, type, parts, filter };
    return parts;
  }

  /** Beats and quality of a window, as far as they have arrived. */
  beats(window: Extent): { beats: Beat[]; quality: { startTs: number; values: (number | null)[] }[] } {
    if (!this.channel('ECG')) return { beats: [], quality: [] };
    const pieces = indexes(window, this.extent, BEATS_PIECE_MS).flatMap((index) => this.#beats.get(index) ?? []);
    return {
      beats: pieces.flatMap((piece) => piece.beats),
      quality: pieces.flatMap((piece) => piece.quality ?? []),
    };
  }

  /** Envelopes that cover a window at about a bin per pixel, as far as they have arrived. */
  envelope(window: Extent): OverviewChannel[][] {
    const wantedMs = window.stopMs - window.startMs;
    let pieceMs = 240_000;
    while (pieceMs < wantedMs) pieceMs *= 4;
    if (pieceMs >= this.extent.stopMs - this.extent.startMs) return [this.overview.channels];
    const cache = this.#envelopes.get(pieceMs) ?? this.#envelopeCache(pieceMs);
    return indexes(window, this.extent, pieceMs).flatMap((index) => {
      const piece = cache.get(index);
      return piece ? [piece.channels] : [];
    });
  }

  #envelopeCache(pieceMs: number): Cache<RecordingOverview> {
    const { studyId, id: recordingId } = this.recording;
    const cache = new Cache(
      (index) =>
        client.call('getRecordingOverview', {
          params: { studyId, recordingId },
          query: { from: index * pieceMs, to: (index + 1) * pieceMs - 1, bins: BINS_PER_PIECE },
        }),
      24,
      () => this.arrivals.set(this.arrivals.get() + 1),
    );
    this.#envelopes.set(pieceMs, cache);
    return cache;
  }

  isRaw(): boolean {
    return this.state.get().view.lengthMs <= LONGEST_RAW_MS;
  }

  /** Value of the lead at an instant, mV, from samples that have arrived. */
  readonly leadMvAt = (ms: number): number | undefined => {
    const { lead } = this;
    if (!lead) return undefined;
    return valueAt(this.parts(lead.type, { startMs: ms - 100, stopMs: ms + 100 }).parts, 0, ms);
  };

  interval() {
    return intervalOf(this.state.get().calipers, this.leadMvAt);
  }

  /** Puts a caliper at an instant; with `snap`, at the beat or extreme near it. */
  setCaliper(end: 'startMs' | 'stopMs', ms: number, snap = false): void {
    const { view, calipers } = this.state.get();
    const kept = Math.min(Math.max(ms, this.extent.startMs), this.extent.stopMs);
    const reachMs = view.lengthMs * SNAP_PART;
    const window = { startMs: kept - reachMs, stopMs: kept + reachMs };
    const { lead } = this;
    const found =
      snap && lead ? snapped(kept, reachMs, this.beats(window).beats, this.parts(lead.type, window).parts) : null;
    this.set({ calipers: { ...calipers, [end]: found?.ms ?? kept }, snappedTo: found?.to ?? null });
  }
}

function partsOf(segment: Segment, type: string): ChannelSamples[] {
  return segment.find((channel) => channel.type === type)?.parts ?? [];
}

function indexes(window: Extent, extent: Extent, pieceMs: number): number[] {
  const from = Math.floor(Math.max(window.startMs, extent.startMs) / pieceMs);
  const to = Math.floor(Math.min(window.stopMs, extent.stopMs) / pieceMs);
  return Array.from({ length: Math.max(0, to - from + 1) }, (_, i) => from + i);
}
