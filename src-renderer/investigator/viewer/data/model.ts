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
import type { DisplayFilter } from './filter.ts';
import { type Calipers, intervalOf, type Levels, snapped, valueAt } from './measure.ts';
import { type ChannelSamples, isElectric } from './samples.ts';
import { pieceIndexes, Sensor, type SensorRecording } from './sensor.ts';

/** What dragging over the detail does: move it, measure, or mark a stretch for a label. */
export type Mode = 'view' | 'measure' | 'label';

export interface ViewerState {
  view: DetailView;
  /** mm per mV, or fitted to what shows. */
  gain: number | 'auto';
  filter: DisplayFilter;
  calipers: Calipers;
  levels: Levels;
  snappedTo: 'beat' | 'extreme' | null;
  isMarching: boolean;
  cursorMs: number | null;
  mode: Mode;
}

const NO_CALIPERS: Calipers = { startMs: null, stopMs: null };
const NO_LEVELS: Levels = { fromMv: null, toMv: null };
const BEATS_PIECE_MS = 60_000;
const KEPT_BEAT_PIECES = 30;
/** Reach of a snap, in parts of the view. */
const SNAP_PART = 0.02;

export class ViewerModel {
  readonly recording: Recording;
  readonly extent: Extent;
  readonly overview: RecordingOverview;
  readonly state: Store<ViewerState>;
  /** Counts what has arrived, so that canvases draw again. */
  readonly arrivals: Store<number> = createStore(0);
  /** The recording's own sensor. */
  readonly sensor: Sensor;
  /** What the subject's other sensors recorded meanwhile. */
  readonly others: Store<readonly Sensor[]> = createStore<readonly Sensor[]>([]);
  readonly #beats: Cache<RecordingBeats>;
  #travel: -1 | 0 | 1 = 0;

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
      calipers: NO_CALIPERS,
      levels: NO_LEVELS,
      snappedTo: null,
      isMarching: false,
      cursorMs: null,
      mode: 'view',
    });
    this.sensor = new Sensor([{ recording, overview }], this.extent, this.#arrived);
    const { studyId, id: recordingId } = recording;
    this.#beats = new Cache(
      (index) =>
        client.call('getRecordingBeats', {
          params: { studyId, recordingId },
          query: { from: index * BEATS_PIECE_MS, to: (index + 1) * BEATS_PIECE_MS - 1 },
        }),
      KEPT_BEAT_PIECES,
      this.#arrived,
    );
  }

  readonly #arrived = (): void => this.arrivals.set(this.arrivals.get() + 1);

  /** Takes the recordings of the other sensors, one list per sensor. */
  setOthers(sensors: readonly (readonly SensorRecording[])[]): void {
    this.others.set(sensors.map((recordings) => new Sensor(recordings, this.extent, this.#arrived)));
  }

  set(change: Partial<ViewerState>): void {
    this.state.set({ ...this.state.get(), ...change });
  }

  setView(view: DetailView): void {
    const next = placed(view, this.extent);
    const now = this.state.get().view;
    if (next.startMs === now.startMs && next.lengthMs === now.lengthMs) return;
    this.#travel = next.lengthMs === now.lengthMs ? (next.startMs > now.startMs ? 1 : -1) : 0;
    this.set({ view: next });
  }

  /** The channel that calipers measure: the first electric one. */
  get lead(): OverviewChannel | undefined {
    return this.sensor.channels.find(({ type }) => isElectric(type));
  }

  get error(): Error | null {
    const sensors = [this.sensor, ...this.others.get()];
    return sensors.find(({ error }) => error)?.error ?? this.#beats.error;
  }

  retry(): void {
    for (const sensor of [this.sensor, ...this.others.get()]) sensor.retry();
    this.#beats.retry();
  }

  /** Unbroken stretches of a sensor's channel within a window, as shown: an electric one through the chosen filter. */
  parts(sensor: Sensor, type: string, window: Extent): ChannelSamples[] {
    const filter = isElectric(type) ? this.state.get().filter : 'off';
    return sensor.parts(type, window, filter, this.#travel);
  }

  /** Beats and quality of a window, as far as they have arrived. */
  beats(window: Extent): { beats: Beat[]; quality: { startTs: number; values: (number | null)[] }[] } {
    if (!this.sensor.channels.some(({ type }) => type === 'ECG')) return { beats: [], quality: [] };
    const pieces = pieceIndexes(window, this.extent, BEATS_PIECE_MS).flatMap((index) => this.#beats.get(index) ?? []);
    return {
      beats: pieces.flatMap((piece) => piece.beats),
      quality: pieces.flatMap((piece) => piece.quality ?? []),
    };
  }

  get span(): Extent {
    const { view } = this.state.get();
    return { startMs: view.startMs, stopMs: view.startMs + view.lengthMs };
  }

  /** Whether samples of the recording within the view have not arrived yet. */
  readonly isWaiting = (): boolean => this.isRaw() && !this.sensor.samples.covers(this.span, this.extent);

  isRaw(): boolean {
    return this.state.get().view.lengthMs <= LONGEST_RAW_MS;
  }

  /** Value of the lead at an instant, mV, from samples that have arrived. */
  readonly leadMvAt = (ms: number): number | undefined => {
    const { lead } = this;
    if (!lead) return undefined;
    return valueAt(this.parts(this.sensor, lead.type, { startMs: ms - 100, stopMs: ms + 100 }), 0, ms);
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
      snap && lead
        ? snapped(kept, reachMs, this.beats(window).beats, this.parts(this.sensor, lead.type, window))
        : null;
    this.set({ calipers: { ...calipers, [end]: found?.ms ?? kept }, snappedTo: found?.to ?? null });
  }

  setLevel(end: 'fromMv' | 'toMv', mv: number): void {
    this.set({ levels: { ...this.state.get().levels, [end]: mv } });
  }

  /** Shows the pair of level calipers at the values under the time calipers, or takes it away. */
  toggleLevels(): void {
    const { levels, calipers, view } = this.state.get();
    if (levels.fromMv !== null || levels.toMv !== null) {
      this.set({ levels: NO_LEVELS });
      return;
    }
    const at = (ms: number) => Math.round((this.leadMvAt(ms) ?? 0) * 100) / 100;
    const fromMv = at(calipers.startMs ?? view.startMs + view.lengthMs / 2);
    const toMv = calipers.stopMs === null ? fromMv + 1 : at(calipers.stopMs);
    this.set({ levels: { fromMv, toMv: toMv === fromMv ? fromMv + 1 : toMv } });
  }

  clearCalipers(): void {
    this.set({ calipers: NO_CALIPERS, levels: NO_LEVELS, isMarching: false, snappedTo: null });
  }
}
