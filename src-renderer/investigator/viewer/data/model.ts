/**
 * State of the viewer of one recording: the view, calipers and modes in a store, and the data that has arrived. Canvases
 * draw from it directly, so panning does not wait for a React render.
 */
import type { OverviewChannel, Recording, RecordingOverview } from '../../../../src-server/api/contract/index.ts';
import { holdsIntervals } from '../../../../src-server/vocabulary/channels.ts';
import { isSpanCorrection } from '../../../../src-server/vocabulary/corrections.ts';
import { createStore, type Store } from '../../../shared/store.ts';
import type { Applied } from '../corrections/overlay.ts';
import { clampView, type DetailView, type Extent, firstView, LONGEST_RAW_MS } from '../view.ts';
import type { DisplayFilter } from './filter.ts';
import { type Calipers, intervalOf, type Levels, snapPoint, spanOf, valueAt } from './measure.ts';
import { openingMs } from './opening.ts';
import { lostSpans } from './overlap.ts';
import { type ChannelSamples, isElectric, SEGMENT_MS } from './samples.ts';
import { Sensor, type SensorRecording } from './sensor.ts';

/** What dragging over the detail does: move the view, measure, or select the span of a new label. In `correct`, beats are corrected. */
export type Mode = 'view' | 'measure' | 'label' | 'correct';

export interface ViewerState {
  view: DetailView;
  /** mm per mV, or fitted to the samples in view. */
  gain: number | 'auto';
  /** Full scale of acceleration lanes, g. */
  rangeG: number;
  filter: DisplayFilter;
  calipers: Calipers;
  levels: Levels;
  snappedTo: 'beat' | 'extreme' | null;
  isMarching: boolean;
  cursorMs: number | null;
  mode: Mode;
  /** The beat that is being corrected, epoch microseconds. */
  selectedUs: number | null;
}

const NO_CALIPERS: Calipers = { startMs: null, stopMs: null };
const NO_LEVELS: Levels = { fromMv: null, toMv: null };
/** Full scales of acceleration, g above and below zero. */
export const MOTION_RANGES_G = [1, 2, 4, 8, 16] as const;
const DEFAULT_RANGE_G = 2;
/** Reach of a snap, as a share of the view. */
const SNAP_SHARE = 0.02;

/** The time that beats cover: from the beginning of the first interval to where the next beat is due. */
function coveredByBeats({ timesMs, values }: ChannelSamples): { timesMs: Float64Array } {
  const [column] = values;
  const last = timesMs.length - 1;
  return { timesMs: Float64Array.of(timesMs[0]! - column![0]!, timesMs[last]! + DUE_INTERVALS * column![last]!) };
}

/** The next beat is due within as many intervals, else one is missing. */
const DUE_INTERVALS = 1.75;

export class ViewerModel {
  readonly recording: Recording;
  readonly extent: Extent;
  readonly overview: RecordingOverview;
  /** Whether the view opened around an instant, instead of from one. */
  readonly opensAround: boolean;
  readonly state: Store<ViewerState>;
  /** Number of arrivals, which canvases watch to draw again. */
  readonly arrivals: Store<number> = createStore(0);
  /** Number of intervals that were dragged for a label so far. */
  readonly labelDrags: Store<number> = createStore(0);
  /** The recording's own sensor. */
  readonly sensor: Sensor;
  /** The subject's other sensors with recordings in the same time. */
  readonly others: Store<readonly Sensor[]> = createStore<readonly Sensor[]>([]);
  readonly #lostSpans = new Map<string, { key: string; spans: readonly Extent[] }>();
  /** Spans of sleep and wear that people corrected, in force, in their order. */
  readonly edits: Store<readonly Applied[]> = createStore<readonly Applied[]>([]);
  /** Direction of the last pan; 0 after a zoom. */
  #travel: -1 | 0 | 1 = 0;

  constructor(recording: Recording, overview: RecordingOverview, atMs: number | undefined) {
    this.recording = recording;
    this.overview = overview;
    this.opensAround = atMs !== undefined;
    this.extent = { startMs: recording.recordingStartTs, stopMs: recording.recordingStopTs };
    this.state = createStore<ViewerState>({
      view: firstView(this.extent, atMs, openingMs(overview)),
      gain: 10,
      rangeG: DEFAULT_RANGE_G,
      filter: 'off',
      calipers: NO_CALIPERS,
      levels: NO_LEVELS,
      snappedTo: null,
      isMarching: false,
      cursorMs: null,
      mode: 'view',
      selectedUs: null,
    });
    this.sensor = new Sensor([{ recording, overview }], this.extent, this.#arrived, true);
  }

  readonly #arrived = (): void => this.arrivals.set(this.arrivals.get() + 1);

  /** Sets the other sensors from their recordings, one list per sensor. */
  setOthers(sensors: readonly (readonly SensorRecording[])[]): void {
    this.others.set(sensors.map((recordings) => new Sensor(recordings, this.extent, this.#arrived)));
  }

  /** Sets the corrections in force of the recording's beats, and draws them. */
  setCorrections(corrections: readonly Applied[]): void {
    this.sensor.setCorrections(corrections);
    const edits = corrections.filter(({ kind }) => isSpanCorrection(kind));
    const before = this.edits.get();
    if (edits.length !== before.length || edits.some((edit, i) => edit !== before[i])) this.edits.set(edits);
    this.#arrived();
  }

  /** A drag has set both calipers for a label, whose name comes next. */
  endLabelDrag(): void {
    if (spanOf(this.state.get().calipers)) this.labelDrags.set(this.labelDrags.get() + 1);
  }

  set(change: Partial<ViewerState>): void {
    this.state.set({ ...this.state.get(), ...change });
  }

  setView(view: DetailView): void {
    const next = clampView(view, this.extent);
    const { view: before } = this.state.get();
    if (next.startMs === before.startMs && next.lengthMs === before.lengthMs) return;
    this.#travel = next.lengthMs === before.lengthMs ? (next.startMs > before.startMs ? 1 : -1) : 0;
    this.set({ view: next });
  }

  /** The sensor that calipers measure: the recording's own if it has an electric channel, or else another one that has. */
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

  /** Runs of a channel within a window as they are drawn: electric channels through the chosen filter. */
  runs(sensor: Sensor, type: string, window: Extent): ChannelSamples[] {
    const filter = isElectric(type) ? this.state.get().filter : 'off';
    return sensor.runs(type, window, filter, this.#travel);
  }

  /** Spans of a window, rounded to whole segments, whose samples are missing in the file. */
  lostSpans(sensor: Sensor, { type, gaps }: OverviewChannel, window: Extent): readonly Extent[] {
    const from = Math.floor(window.startMs / SEGMENT_MS) * SEGMENT_MS;
    const to = Math.ceil(window.stopMs / SEGMENT_MS) * SEGMENT_MS;
    // Cached: the result is the same for every frame that shows the same segments.
    const channelKey = `${sensor.udid} ${type}`;
    const key = `${from} ${to} ${this.arrivals.get()}`;
    const cached = this.#lostSpans.get(channelKey);
    if (cached?.key === key) return cached.spans;
    const shown = { startMs: Math.max(from, this.extent.startMs), stopMs: Math.min(to, this.extent.stopMs) };
    const excused = [
      ...sensor.samples.missing({ ...shown, stopMs: shown.stopMs - 1 }, this.extent),
      ...gaps.map(({ startTs, stopTs }) => ({ startMs: startTs, stopMs: stopTs })),
      ...sensor.edges,
    ];
    const runs = this.runs(sensor, type, window);
    const spans = lostSpans(holdsIntervals({ type }) ? runs.map(coveredByBeats) : runs, excused, shown);
    this.#lostSpans.set(channelKey, { key, spans });
    return spans;
  }

  /** Beats and signal quality of the lead over a window, or of the recording's own beat intervals, as far as they have arrived. */
  beats(window: Extent): ReturnType<Sensor['beats']> {
    return (this.leadSensor ?? this.sensor).beats(window);
  }

  get span(): Extent {
    const { view } = this.state.get();
    return { startMs: view.startMs, stopMs: view.startMs + view.lengthMs };
  }

  /** Returns whether samples of the recording within the view have yet to arrive. */
  readonly isWaiting = (): boolean => this.isRaw() && !this.sensor.samples.covers(this.span, this.extent);

  isRaw(): boolean {
    return this.state.get().view.lengthMs <= LONGEST_RAW_MS;
  }

  /** Value of the lead at an instant, mV, from samples that have arrived. */
  readonly leadMvAt = (ms: number): number | undefined => {
    const { leadSensor } = this;
    if (!leadSensor?.lead) return undefined;
    return valueAt(this.runs(leadSensor, leadSensor.lead.type, { startMs: ms - 100, stopMs: ms + 100 }), 0, ms);
  };

  interval() {
    return intervalOf(this.state.get().calipers, this.leadMvAt);
  }

  /** Moves a caliper to an instant within the recording; with `snap`, to the beat or extreme near it. */
  setCaliper(end: 'startMs' | 'stopMs', ms: number, snap = false): void {
    const { view, calipers } = this.state.get();
    const targetMs = Math.min(Math.max(ms, this.extent.startMs), this.extent.stopMs);
    const reachMs = view.lengthMs * SNAP_SHARE;
    const window = { startMs: targetMs - reachMs, stopMs: targetMs + reachMs };
    const { leadSensor } = this;
    const found =
      snap && leadSensor?.lead
        ? snapPoint(targetMs, reachMs, this.beats(window).beats, this.runs(leadSensor, leadSensor.lead.type, window))
        : null;
    this.set({ calipers: { ...calipers, [end]: found?.ms ?? targetMs }, snappedTo: found?.to ?? null });
  }

  setLevel(end: 'fromMv' | 'toMv', mv: number): void {
    this.set({ levels: { ...this.state.get().levels, [end]: mv } });
  }

  /** Shows the level calipers at the values under the time calipers, or hides them. */
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
