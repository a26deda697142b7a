/**
 * Stage 1 of a recording, page by page, with its features in a store of arrays: memory grows neither with the recording nor with
 * the number of recordings. Stage 2 gets the features around each of its spans.
 */
import type { ArrayStore, StoredHandle } from './array-store.ts';
import { intensitySiteOf } from './epochs/cut-points.ts';
import { EpochRecorder } from './epochs/recorder.ts';
import type { Autocalibration } from './epochs/types.ts';
import { EcgExtractor, type EcgPiece, joinEcgPieces, PIECE_BEATS } from './heart/index.ts';
import { HEART_SETTINGS } from './heart/settings.ts';
import { IntervalExtractor, isIntervalType, joinIntervalPieces } from './intervals/extract.ts';
import { joinArrays } from './join-arrays.ts';
import { gridCountsOf, joinPieces, MotionExtractor, type MotionPiece } from './motion/features.ts';
import { BLOCK_SECONDS } from './motion/resample.ts';
import { STEP_SETTINGS } from './motion/settings.ts';
import { LIMB_ALONE_SECONDS, MOVE_SECONDS } from './motion/wear.ts';
import {
  type BeatSeries,
  type BodySite,
  type HeartFeatures,
  MOTION_COLUMNS,
  type MotionColumn,
  type MotionFeatures,
  type MotionSegment,
  type RecordingFeatures,
  type SecondFeatures,
  type SensorFeatures,
  type SignalChunk,
  type SignalSource,
  type SlowMotion,
} from './types.ts';

/** Wear is decided in windows of up to three hours, aligned to the start of a segment in steps of a quarter of an hour. */
const REACH_SECONDS = LIMB_ALONE_SECONDS + MOVE_SECONDS;

/** Lengths of the pieces of features, which decide the memory needed and not the results. */
export interface PieceLengths {
  ecgBeats: number;
  /** Whole seconds: a piece ends with a row. */
  motionSeconds: number;
}

const PIECE_LENGTHS: PieceLengths = { ecgBeats: PIECE_BEATS, motionSeconds: BLOCK_SECONDS };

/** What a recording yields at all, for `whyNothing`. */
export interface FoundInRecording {
  beats: number;
  unresolvedSeconds: number;
  /** Whether any second holds enough acceleration. */
  motion: boolean;
}

/** Places of the arrays of a motion piece: step times, columns, the slow motion of a chest, the counts of the grid. */
const STEPS_AT = 0;
const COLUMNS_AT = 1;
const SLOW_AT = COLUMNS_AT + MOTION_COLUMNS.length;
const COUNTS: readonly MotionColumn[] = ['countsX', 'countsY', 'countsZ'];

type StoredMotion = Omit<MotionPiece, 'columns' | 'gridCounts' | 'slow' | 'stepsUs'> & {
  handle: StoredHandle;
  /** Number of steps. */
  steps: number;
  hasGridCounts: boolean;
};
type StoredEcg = Omit<EcgPiece, 'columns' | 'beats'> & { handle: StoredHandle };

/** One channel of the recording. */
interface Sensor {
  site: BodySite;
  /** Whether the channel is read twice: `survey` takes its pages before `add` does. */
  needsSurvey: boolean;
  /** Undefined for a channel that is never calibrated. */
  calibration: Autocalibration | undefined;
  survey(chunk: SignalChunk): void;
  endSurvey(): void;
  add(chunk: SignalChunk): void;
  finish(): void;
  around(fromSecond: number, toSecond: number): SensorFeatures[];
  whole(): SensorFeatures[];
}

/** The beats of one gapless segment, none of which lies before its start. */
export interface BeatSegment {
  startSecond: number;
  pieces(): IterableIterator<Pick<BeatSeries, 'timesUs' | 'kinds' | 'intervalsMs'>>;
}

/** Where the beats that are shown and exported come from, the best first. */
const SHOWN_TYPES: readonly SignalSource['type'][] = ['ECG', 'RR', 'PPI'];

/** The features of one recording. */
export class StoredRecording {
  readonly recordingId: string;
  readonly location: string;
  readonly found: FoundInRecording = { beats: 0, unresolvedSeconds: 0, motion: false };
  startUs = Number.NaN;
  stopUs = Number.NaN;
  readonly #sensors: Sensor[];

  /** @param sources channels of which pages will be added, in the order of the results */
  constructor(
    recordingId: string,
    location: string,
    sources: readonly SignalSource[],
    store: ArrayStore,
    lengths: PieceLengths = PIECE_LENGTHS,
  ) {
    this.recordingId = recordingId;
    this.location = location;
    this.#sensors = sources.map((source) =>
      source.type !== 'ACCEL'
        ? new HeartSensor(source, store, this.found, lengths.ecgBeats)
        : new MotionSensor(source, store, this.found, lengths.motionSeconds),
    );
  }

  /**
   * Whether the pages of a channel, or further ones of it, go to `survey` before they go to `add`: its calibration comes first.
   * `RecordingPasses` keeps this order.
   */
  needsSurvey(source: number): boolean {
    return this.#sensors[source]!.needsSurvey;
  }

  survey(source: number, chunk: SignalChunk): void {
    this.#sensors[source]!.survey(chunk);
  }

  /** Ends the survey of a channel, of which `add` then takes every page. */
  endSurvey(source: number): void {
    this.#sensors[source]!.endSurvey();
  }

  /** How a channel was calibrated; undefined for one that never is. */
  calibrationOf(source: number): Autocalibration | undefined {
    return this.#sensors[source]!.calibration;
  }

  /** Adds the next page of a channel, which is not needed afterwards. */
  add(source: number, chunk: SignalChunk): void {
    this.#sensors[source]!.add(chunk);
  }

  /** Ends a channel, whose buffers are then free. */
  finishSource(source: number): void {
    this.#sensors[source]!.finish();
  }

  /**
   * @param startUs first instant of the recording, epoch microseconds
   * @param stopUs its end, exclusive
   */
  finish(startUs: number, stopUs: number): void {
    for (const sensor of this.#sensors) sensor.finish();
    this.startUs = startUs;
    this.stopUs = stopUs;
  }

  /** The features that a window of [fromMs, toMs) depends on. */
  around(fromMs: number, toMs: number): RecordingFeatures {
    const { recordingId, location, startUs, stopUs } = this;
    const fromSecond = Math.floor(fromMs / 1000) - REACH_SECONDS;
    const toSecond = Math.ceil(toMs / 1000) + REACH_SECONDS;
    const bySensor = this.#sensors.map((sensor) => sensor.around(fromSecond, toSecond));
    return {
      recordingId,
      location,
      startUs,
      stopUs,
      sensors: bySensor.flat(),
      shownHearts: (bySensor[this.#shownHeart()] ?? []) as HeartFeatures[],
      whole: () => this.#sensors.flatMap((sensor) => sensor.whole()),
    };
  }

  /** Place of the channel whose beats are shown: the first with a signal of the best type; -1 for none. */
  #shownHeart(): number {
    for (const type of SHOWN_TYPES) {
      const at = this.#sensors.findIndex((sensor) => sensor instanceof HeartSensor && sensor.isOf(type));
      if (at >= 0) return at;
    }
    return -1;
  }

  /** The segments of all channels with heartbeats, each with its beats in pieces. */
  beatSegments(): BeatSegment[] {
    return this.#sensors.flatMap((sensor) => (sensor instanceof HeartSensor ? sensor.beatSegments() : []));
  }
}

/** The recordings of a list that touch a span, with their features around it. */
export const featuresAround =
  (recordings: readonly StoredRecording[]) =>
  (fromMs: number, toMs: number): RecordingFeatures[] =>
    recordings
      .filter(({ startUs, stopUs }) => startUs / 1000 < toMs && stopUs / 1000 >= fromMs)
      .map((recording) => recording.around(fromMs, toMs));

/** The span of an extractor that uses everything. */
const ALWAYS = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY] as const;

/** An ECG, or intervals that a device reported. */
class HeartSensor implements Sensor {
  readonly site: BodySite;
  readonly needsSurvey = false;
  readonly calibration = undefined;
  readonly #store: ArrayStore;
  /** Null once the channel has ended: its buffers are large. */
  #extractor: EcgExtractor | IntervalExtractor | null;
  readonly #pieces: StoredEcg[] = [];
  readonly #type: SignalSource['type'];

  constructor(source: SignalSource, store: ArrayStore, found: FoundInRecording, pieceBeats: number) {
    this.#store = store;
    const take = (piece: EcgPiece): void => {
      const { beats, columns, ...rest } = piece;
      const { quality, contact, unresolved } = columns;
      found.beats += beats.timesUs.length;
      for (const one of unresolved) found.unresolvedSeconds += one;
      const { timesUs, kinds, amplitudesV, intervalsMs } = beats;
      const arrays = [timesUs, amplitudesV, kinds, quality, contact, unresolved, ...(intervalsMs ? [intervalsMs] : [])];
      this.#pieces.push({ ...rest, handle: store.put(arrays) });
    };
    this.#type = source.type;
    this.#extractor = isIntervalType(source.type)
      ? new IntervalExtractor(source, ...ALWAYS, take, pieceBeats)
      : new EcgExtractor(source, ...ALWAYS, take, HEART_SETTINGS, pieceBeats);
    this.site = this.#extractor.site;
  }

  /** Whether it is a channel of a type, with a signal. */
  isOf(type: SignalSource['type']): boolean {
    return this.#type === type && this.#pieces.length > 0;
  }

  survey(): void {
    // Beats need no calibration.
  }

  endSurvey(): void {
    // As above.
  }

  add(chunk: SignalChunk): void {
    this.#extractor?.add(chunk);
  }

  finish(): void {
    this.#extractor?.finish();
    this.#extractor = null;
  }

  /** Segments beyond the span are kept without seconds: that there is an ECG at all decides how wear is found. */
  around(fromSecond: number, toSecond: number): HeartFeatures[] {
    return this.#segments().flatMap((pieces) => {
      const near = pieces.filter(
        ({ startSecond, firstRow, count }) =>
          startSecond + firstRow < toSecond && startSecond + firstRow + count > fromSecond,
      );
      if (near.length === 0) return this.#joined([emptyPiece(pieces[0]!.startSecond)]);
      const loaded = near.map((piece, i) => ({
        ...this.#load(piece),
        startSecond: piece.startSecond + near[0]!.firstRow,
        isLast: i === near.length - 1,
      }));
      return this.#joined(loaded);
    });
  }

  whole(): HeartFeatures[] {
    return this.#joined(this.#pieces.map((piece) => this.#load(piece)));
  }

  #joined(pieces: readonly EcgPiece[]): HeartFeatures[] {
    return isIntervalType(this.#type)
      ? joinIntervalPieces(this.#type, this.site, pieces)
      : joinEcgPieces(this.site, pieces);
  }

  beatSegments(): BeatSegment[] {
    return this.#segments().map((pieces) => ({
      startSecond: pieces[0]!.startSecond,
      pieces: () => this.#beatsOf(pieces),
    }));
  }

  *#beatsOf(pieces: readonly StoredEcg[]): Generator<BeatSeries> {
    for (const piece of pieces) yield this.#load(piece).beats;
  }

  #segments(): StoredEcg[][] {
    return bySegment(this.#pieces);
  }

  #load({ handle, ...rest }: StoredEcg): EcgPiece {
    const [timesUs, amplitudesV, kinds, quality, contact, unresolved, intervalsMs] = this.#store.get(handle) as [
      Float64Array,
      Float32Array,
      Uint8Array,
      Uint8Array,
      Uint8Array,
      Uint8Array,
      Float64Array?,
    ];
    const beats = { timesUs, kinds, amplitudesV, ...(intervalsMs && { intervalsMs }) };
    return { ...rest, beats, columns: { quality, contact, unresolved } };
  }
}

const emptyPiece = (startSecond: number): EcgPiece => ({
  startSecond,
  firstRow: 0,
  count: 0,
  beats: { timesUs: new Float64Array(0), kinds: new Uint8Array(0), amplitudesV: new Float32Array(0) },
  columns: { quality: new Uint8Array(0), contact: new Uint8Array(0), unresolved: new Uint8Array(0) },
  isLast: true,
});

function bySegment<T extends { isLast: boolean }>(pieces: readonly T[]): T[][] {
  const segments: T[][] = [];
  let begins = true;
  for (const piece of pieces) {
    if (begins) segments.push([]);
    segments.at(-1)!.push(piece);
    begins = piece.isLast;
  }
  return segments;
}

const columnOf = (name: MotionColumn, length: number): Float32Array | Uint8Array =>
  name === 'coverage' || name === 'saturated' ? new Uint8Array(length) : new Float32Array(length);

/** Percent of a second that samples must cover for it to count. */
const HALF_COVERED = 50;

class MotionSensor implements Sensor {
  readonly site: BodySite;
  readonly #store: ArrayStore;
  /** Null once the channel has ended: its buffers are large. */
  #extractor: MotionExtractor | null;
  readonly #pieces: StoredMotion[] = [];
  readonly #epochs: EpochRecorder | null;
  /** One object per sensor: its orientation is remembered by it. */
  readonly #whole = {
    pieces: <Name extends MotionColumn>(names: readonly Name[]) => this.#segmentsInPieces(names),
    around: (fromSecond: number, toSecond: number) =>
      this.around(fromSecond - REACH_SECONDS, toSecond + REACH_SECONDS)[0]!,
  };

  constructor(source: SignalSource, store: ArrayStore, found: FoundInRecording, blockSeconds: number) {
    this.#store = store;
    const take = (piece: MotionPiece): void => {
      const { columns, gridCounts, slow, stepsUs, ...rest } = piece;
      found.motion ||= columns.coverage.some((percent: number) => percent >= HALF_COVERED);
      const arrays = [stepsUs, ...MOTION_COLUMNS.map((name) => columns[name]), ...(slow ?? []), ...(gridCounts ?? [])];
      const hasGridCounts = gridCounts !== null;
      this.#pieces.push({ ...rest, steps: stepsUs.length, hasGridCounts, handle: store.put(arrays) });
    };
    this.#extractor = new MotionExtractor(source, ...ALWAYS, take, STEP_SETTINGS, blockSeconds);
    this.site = this.#extractor.site;
    this.#epochs = intensitySiteOf(this.site) === null ? null : new EpochRecorder(source, store);
  }

  get needsSurvey(): boolean {
    return this.#epochs !== null && !this.#epochs.isSurveyed;
  }

  survey(chunk: SignalChunk): void {
    this.#epochs?.survey(chunk);
  }

  endSurvey(): void {
    this.#epochs?.endSurvey();
  }

  get calibration(): Autocalibration | undefined {
    return this.#epochs?.calibration;
  }

  add(chunk: SignalChunk): void {
    this.#epochs?.add(chunk);
    this.#extractor?.add(chunk);
  }

  finish(): void {
    this.#epochs?.finish();
    this.#extractor?.finish();
    this.#extractor = null;
  }

  around(fromSecond: number, toSecond: number): MotionFeatures[] {
    const segments: MotionSegment[] = [];
    const slow: SlowMotion[] = [];
    const steps: Float64Array[] = [];
    for (const pieces of bySegment(this.#pieces)) {
      const { startSecond } = pieces[0]!;
      const last = pieces.at(-1)!;
      const fromRow = Math.max(0, Math.floor((fromSecond - startSecond) / MOVE_SECONDS) * MOVE_SECONDS);
      const toRow = Math.min(last.firstRow + last.count, toSecond - startSecond);
      const near = pieces.filter(({ firstRow, count }) => firstRow < toRow && firstRow + count > fromRow);
      if (near.length === 0) continue;
      for (const piece of near) {
        const stepsUs = new Float64Array(piece.steps);
        this.#store.read(piece.handle, STEPS_AT, 0, stepsUs);
        steps.push(stepsUs);
      }
      const rows = { from: fromRow, to: toRow };
      const columns = Object.fromEntries(
        MOTION_COLUMNS.map((name) => {
          const target = columnOf(name, toRow - fromRow);
          this.#readRows(near, rows, 1, (piece) => this.#placeOf(piece, name, last.published), target);
          return [name, target];
        }),
      ) as MotionSegment['columns'];
      segments.push({ startSecond: startSecond + fromRow, count: toRow - fromRow, columns });
      if (this.site !== 'chest') continue;
      const axis = (index: 0 | 1 | 2) => {
        const target = new Float32Array(3 * (toRow - fromRow));
        this.#readRows(near, rows, 3, () => SLOW_AT + index, target);
        return target;
      };
      slow.push({ startSecond: startSecond + fromRow, axes: [axis(0), axis(1), axis(2)] });
    }
    const stepsUs = joinArrays(steps, (length) => new Float64Array(length));
    const chest = this.site === 'chest' && { slow };
    const epochs = this.#epochs && { epochs: this.#epochs };
    return [{ kind: 'motion', site: this.site, segments, ...chest, ...epochs, stepsUs, whole: this.#whole }];
  }

  whole(): MotionFeatures[] {
    const pieces = this.#pieces.map((piece) => this.#load(piece, piece.published));
    return [{ ...joinPieces(this.site, pieces), ...(this.#epochs && { epochs: this.#epochs }) }];
  }

  /** Each piece is valid until the next one is requested: all share their memory. */
  *#segmentsInPieces<Name extends MotionColumn>(names: readonly Name[]): Generator<SecondFeatures<Name>> {
    const most = this.#pieces.reduce((longest, { count }) => Math.max(longest, count), 0);
    const memory = names.map((name) => columnOf(name, most));
    for (const piece of this.#pieces) {
      const { startSecond, firstRow, count, handle } = piece;
      const columns = Object.fromEntries(
        names.map((name, i) => {
          const target = memory[i]!.subarray(0, count);
          this.#store.read(handle, this.#placeOf(piece, name, piece.published), 0, target);
          return [name, target];
        }),
      ) as SecondFeatures<Name>['columns'];
      yield { startSecond: startSecond + firstRow, count, columns };
    }
  }

  /** Place of a column among the arrays of a piece, with the counts that its segment turned out to use. */
  #placeOf({ hasGridCounts }: StoredMotion, name: MotionColumn, published: boolean): number {
    const axis = COUNTS.indexOf(name);
    return axis >= 0 && !published && hasGridCounts
      ? this.#gridCountsAt + axis
      : COLUMNS_AT + MOTION_COLUMNS.indexOf(name);
  }

  get #gridCountsAt(): number {
    return SLOW_AT + (this.site === 'chest' ? 3 : 0);
  }

  /** Reads the rows [from, to) of a column from pieces that cover them. */
  #readRows(
    pieces: readonly StoredMotion[],
    { from, to }: { from: number; to: number },
    perRow: number,
    placeOf: (piece: StoredMotion) => number,
    target: Float32Array | Uint8Array,
  ): void {
    for (const piece of pieces) {
      const first = Math.max(from, piece.firstRow);
      const stop = Math.min(to, piece.firstRow + piece.count);
      const part = target.subarray(perRow * (first - from), perRow * (stop - from));
      this.#store.read(piece.handle, placeOf(piece), perRow * (first - piece.firstRow), part);
    }
  }

  /** A piece with the counts that its segment turned out to use. */
  #load({ handle, hasGridCounts, ...rest }: StoredMotion, published: boolean): MotionPiece {
    const arrays = this.#store.get(handle);
    const three = (from: number) => arrays.slice(from, from + 3) as SlowMotion['axes'];
    const gridCounts = hasGridCounts ? three(this.#gridCountsAt) : null;
    const columns = Object.fromEntries(
      MOTION_COLUMNS.map((name, i) => [
        name,
        (published ? undefined : gridCountsOf({ gridCounts }, name)) ?? arrays[COLUMNS_AT + i]!,
      ]),
    ) as MotionPiece['columns'];
    const stepsUs = arrays[STEPS_AT] as Float64Array;
    return { ...rest, stepsUs, columns, gridCounts, slow: this.site === 'chest' ? three(SLOW_AT) : null };
  }
}
