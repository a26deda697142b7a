/**
 * What the viewer of one recording knows: the stretch in view, calipers and modes in a store, and the pieces of data that
 * have arrived. Canvases draw from it directly, so that panning never waits for a render.
 */
import type { OverviewChannel, Recording, RecordingOverview } from '../../../../src-server/api/contract/index.ts';
import { createStore, type Store } from '../../../shared/store.ts';
import { DEFAULT_MS, type DetailView, type Extent, LONGEST_RAW_MS, placed } from '../view.ts';
import type { DisplayFilter } from './filter.ts';
import { type Calipers, intervalOf, type Levels, snapped, valueAt } from './measure.ts';
import { lostStretches } from './overlap.ts';
import { type ChannelSamples, isElectric, SEGMENT_MS } from './samples.ts';
import { Sensor, type SensorRecording } from './sensor.ts';

/** What dragging over the detail does: move it, measure, or mark a stretch for a label. */
export type Mode = 'view' | 'measure' | 'label';

export interface ViewerState {
  view: DetailView;
  /** mm per mV, or fitted to what shows. */
  gain: number | 'auto';
  /** Full scale of the lanes of acceleration, g. */
  rangeG: number;
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
/** Full scales of acceleration, g above and below zero. */
export const MOTION_RANGES_G = [1, 2, 4, 8, 16] as const;
const DEFAULT_RANGE_G = 2;
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
  readonly #lost = new Map<string, { key: string; stretches: readonly Extent[] }>();
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
      rangeG: DEFAULT_RANGE_G,
      filter: 'off',
      calipers: NO_CALIPERS,
      levels: NO_LEVELS,
      snappedTo: null,
      isMarching: false,
      cursorMs: null,
      mode: 'view',
    });
    this.sensor = new Sensor([{ recording, overview }], this.extent, this.#arrived);
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

  /** What calipers measure: the first electric channel, of the recording itself or else of a sensor worn beside it. */
  get leadSensor(): Sensor | undefined {
    return [this.sensor, ...this.others.get()].find(({ lead }) => lead);
  }

  get lead(): OverviewChannel | undefined {
    return this.leadSensor?.lead;
  }

  get error(): Error | null {
    return [this.sensor, ...this.others.get()].find(({ error }) => error)?.error ?? null;
  }

  retry(): void {
    for (const sensor of [this.sensor, ...this.others.get()]) sensor.retry();
  }

  /** Unbroken stretches of a sensor's channel within a window, as shown: an electric one through the chosen filter. */
  parts(sensor: Sensor, type: string, window: Extent): ChannelSamples[] {
    const filter = isElectric(type) ? this.state.get().filter : 'off';
    return sensor.parts(type, window, filter, this.#travel);
  }

  /** Stretches of the segments of a window whose samples the file has lost, as far as it has arrived. */
  lost(sensor: Sensor, { type, gaps }: OverviewChannel, window: Extent): readonly Extent[] {
    const from = Math.floor(window.startMs / SEGMENT_MS) * SEGMENT_MS;
    const to = Math.ceil(window.stopMs / SEGMENT_MS) * SEGMENT_MS;
    // The same for every frame that shows the same segments.
    const place = `${sensor.udid} ${type}`;
    const key = `${from} ${to} ${this.arrivals.get()}`;
    const known = this.#lost.get(place);
    if (known?.key === key) return known.stretches;
    const shown = { startMs: Math.max(from, this.extent.startMs), stopMs: Math.min(to, this.extent.stopMs) };
    const away = [
      ...sensor.samples.missing({ ...shown, stopMs: shown.stopMs - 1 }, this.extent),
      ...gaps.map(({ startTs, stopTs }) => ({ startMs: startTs, stopMs: stopTs })),
      ...sensor.ends,
    ];
    const stretches = lostStretches(this.parts(sensor, type, window), away, shown);
    this.#lost.set(place, { key, stretches });
    return stretches;
  }

  /** Beats of the lead and its quality over a window, as far as they have arrived. */
  beats(window: Extent): ReturnType<Sensor['beats']> {
    return this.leadSensor?.beats(window) ?? { beats: [], quality: [], unresolved: [] };
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
    const { leadSensor } = this;
    if (!leadSensor?.lead) return undefined;
    return valueAt(this.parts(leadSensor, leadSensor.lead.type, { startMs: ms - 100, stopMs: ms + 100 }), 0, ms);
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
    const { leadSensor } = this;
    const found =
      snap && leadSensor?.lead
        ? snapped(kept, reachMs, this.beats(window).beats, this.parts(leadSensor, leadSensor.lead.type, window))
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
