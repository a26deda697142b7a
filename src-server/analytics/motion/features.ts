/** Stage 1 of an accelerometer: features per second in the sensor's own frame. */
import { memoryStore } from '../array-store.ts';
import { intensitySiteOf } from '../epochs/cut-points.ts';
import { EpochRecorder } from '../epochs/recorder.ts';
import { joinArrays } from '../join-arrays.ts';
import {
  type BodySite,
  MOTION_COLUMNS,
  type MotionColumn,
  type MotionFeatures,
  type MotionSegment,
  type SignalChunk,
  type SignalInput,
  type SignalSource,
  type SlowMotion,
} from '../types.ts';
import { bodySiteOf } from './body-site.ts';
import { RunCounter } from './counts.ts';
import { type Axes, BLOCK_SECONDS, type GridBlock, GridBuilder } from './resample.ts';
import { GRID_HZ } from './resample-page.ts';
import { findRhythm } from './rhythm.ts';
import { STEP_SETTINGS, type StepSettings } from './settings.ts';
import { slowMotion } from './slow.ts';
import { findSteps } from './steps.ts';

/** The features of one block of a segment; the rows of its pieces follow each other. */
export interface MotionPiece {
  /** First second of the segment, and seconds of it in the pieces before. */
  startSecond: number;
  firstRow: number;
  count: number;
  columns: Record<MotionColumn, Float32Array | Uint8Array>;
  /** Counts of the grid, in case a later page has a rate without published resampling; null where already decided. */
  gridCounts: Axes | null;
  /** Slow motion of a chest sensor. */
  slow: SlowMotion['axes'] | null;
  /** Step times found, epoch microseconds. */
  stepsUs: Float64Array;
  /** Whether the segment ends with this piece, and whether `columns` then hold its counts, or `gridCounts`. */
  isLast: boolean;
  published: boolean;
}

/** Stage 1 of one accelerometer, page by page: memory does not grow with the recording. Takes any rate of 8 Hz and more. */
export class MotionExtractor {
  readonly site: BodySite;
  readonly #grid: GridBuilder;
  readonly #settings: StepSettings;
  readonly #take: (piece: MotionPiece) => void;
  #counters: RunCounters | null = null;
  /** Of the cells of a block; reused, as it is the largest array of all. */
  #magnitude = new Float32Array(0);

  /**
   * @param startUs first instant to use, epoch microseconds
   * @param stopUs end of the span to use, exclusive
   * @param take receives the pieces in order of time; without a usable scale or samples there are none
   * @param blockSeconds least length of a piece that is not the last
   */
  constructor(
    source: SignalSource,
    startUs: number,
    stopUs: number,
    take: (piece: MotionPiece) => void,
    settings: StepSettings = STEP_SETTINGS,
    blockSeconds = BLOCK_SECONDS,
  ) {
    this.site = bodySiteOf(source.location);
    this.#settings = settings;
    this.#take = take;
    this.#grid = new GridBuilder(source, startUs, stopUs, (block) => this.#describe(block), blockSeconds);
  }

  add(chunk: SignalChunk): void {
    this.#grid.add(chunk);
  }

  finish(): void {
    this.#grid.finish();
  }

  #describe(grid: GridBlock): void {
    const { count, x, y, z, runs } = grid;
    const columns = Object.fromEntries(
      MOTION_COLUMNS.map((name) => [
        name,
        name === 'coverage' || name === 'saturated' ? new Uint8Array(count) : new Float32Array(count),
      ]),
    ) as Record<MotionColumn, Float32Array>;
    if (this.#magnitude.length < x.length) this.#magnitude = new Float32Array(x.length);
    const magnitude = this.#magnitude.subarray(0, x.length).fill(0);
    for (let i = 0; i < runs.length; i += 2) {
      describeSeconds(grid, runs[i]!, runs[i + 1]!, magnitude, columns);
    }
    finishSeconds(grid, columns);
    const gridCounts = grid.published && !grid.isLast ? axesOf(count) : null;
    const steps: number[] = [];
    for (let i = 0; i < runs.length; i += 2) {
      const start = runs[i]!;
      const stop = runs[i + 1]!;
      if (i > 0 || grid.before === null) this.#counters = null;
      this.#counters ??= new RunCounters();
      this.#counters.add(grid, start, stop, columns, gridCounts);
      findRhythm(x, y, z, start, stop, columns.deviation, this.site, columns);
      const found: number[] = [];
      const firstCell = grid.firstRow * GRID_HZ;
      findSteps(magnitude, start, stop, columns, columns.deviation, this.site, found, this.#settings, firstCell);
      for (const seconds of found) steps.push(Math.round((grid.startSecond + seconds) * 1e6));
    }
    this.#take({
      startSecond: grid.startSecond,
      firstRow: grid.firstRow,
      count,
      columns,
      gridCounts,
      slow: this.site === 'chest' ? slowMotion(grid) : null,
      stepsUs: Float64Array.from(steps),
      isLast: grid.isLast,
      published: grid.published,
    });
  }
}

const axesOf = (count: number): Axes => [new Float32Array(count), new Float32Array(count), new Float32Array(count)];

/** The count filters of one run, which continue in the next block. */
class RunCounters {
  readonly #published = [new RunCounter(), new RunCounter(), new RunCounter()] as const;
  readonly #grid = [new RunCounter(), new RunCounter(), new RunCounter()] as const;

  add(
    { published, publishedInput, x, y, z }: GridBlock,
    start: number,
    stop: number,
    { countsX, countsY, countsZ }: Record<'countsX' | 'countsY' | 'countsZ', Float32Array>,
    gridCounts: Axes | null,
  ): void {
    const counts: Axes = [countsX, countsY, countsZ];
    const grid: Axes = [x, y, z];
    for (const axis of [0, 1, 2] as const) {
      if (published) this.#published[axis].add(publishedInput[axis], start, stop, counts[axis]);
      const target = published ? gridCounts?.[axis] : counts[axis];
      if (target) this.#grid[axis].add(grid[axis], start, stop, target);
    }
  }
}

/** Joins the pieces of one sensor to whole segments. */
export function joinPieces(site: BodySite, pieces: readonly MotionPiece[]): MotionFeatures {
  const segments: MotionSegment[] = [];
  const slow: SlowMotion[] = [];
  for (let from = 0; from < pieces.length; ) {
    let to = from + 1;
    while (!pieces[to - 1]!.isLast) to++;
    const own = pieces.slice(from, to);
    const { published } = own.at(-1)!;
    const { startSecond } = own[0]!;
    const columnOf = (piece: MotionPiece, name: MotionColumn): Float32Array | Uint8Array =>
      (published ? undefined : gridCountsOf(piece, name)) ?? piece.columns[name];
    const columns = Object.fromEntries(
      MOTION_COLUMNS.map((name) => [name, joined(own.map((piece) => columnOf(piece, name)))]),
    ) as MotionSegment['columns'];
    segments.push({ startSecond, count: own.reduce((sum, { count }) => sum + count, 0), columns });
    if (site === 'chest') {
      const axis = (index: 0 | 1 | 2) => joined(own.map((piece) => piece.slow![index])) as Float32Array;
      slow.push({ startSecond, axes: [axis(0), axis(1), axis(2)] });
    }
    from = to;
  }
  const stepsUs = joinArrays(
    pieces.map((piece) => piece.stepsUs),
    (length) => new Float64Array(length),
  );
  return { kind: 'motion', site, segments, ...(site === 'chest' && { slow }), stepsUs };
}

/** The counts of the grid, for a segment in which a later page turned out to have no published resampling. */
export function gridCountsOf({ gridCounts }: Pick<MotionPiece, 'gridCounts'>, name: MotionColumn) {
  if (name === 'countsX') return gridCounts?.[0];
  if (name === 'countsY') return gridCounts?.[1];
  return name === 'countsZ' ? gridCounts?.[2] : undefined;
}

const joined = (parts: (Float32Array | Uint8Array)[]): Float32Array | Uint8Array =>
  joinArrays(parts, (length) => (parts[0] instanceof Uint8Array ? new Uint8Array(length) : new Float32Array(length)));

/**
 * Returns the motion features of one accelerometer channel in one pass over its pages, at any rate of 8 Hz and more. A channel
 * without a usable scale or samples yields no segments.
 *
 * @param startUs first instant to use, epoch microseconds
 * @param stopUs end of the span to use, exclusive
 * @param settings thresholds of the step rule other than the fixed ones, for benches
 */
export function extractMotionFeatures(
  input: SignalInput,
  startUs: number,
  stopUs: number,
  settings: StepSettings = STEP_SETTINGS,
): MotionFeatures {
  const pieces: MotionPiece[] = [];
  const extractor = new MotionExtractor(input, startUs, stopUs, (piece) => pieces.push(piece), settings);
  const epochs = intensitySiteOf(extractor.site) && new EpochRecorder(input, memoryStore, startUs, stopUs);
  const chunks = epochs ? [...input.chunks] : input.chunks;
  if (epochs) for (const chunk of chunks) epochs.survey(chunk);
  epochs?.endSurvey();
  for (const chunk of chunks) {
    epochs?.add(chunk);
    extractor.add(chunk);
  }
  epochs?.finish();
  extractor.finish();
  return { ...joinPieces(extractor.site, pieces), ...(epochs && { epochs }) };
}

/** Adds the sums of one gapless run to the columns; `finishSeconds` turns them into means and SDs. */
function describeSeconds(
  grid: GridBlock,
  start: number,
  stop: number,
  magnitude: Float32Array,
  columns: Record<MotionColumn, Float32Array>,
): void {
  const { x, y, z } = grid;
  let cell = start;
  while (cell < stop) {
    const second = Math.floor(cell / GRID_HZ);
    const end = Math.min(stop, (second + 1) * GRID_HZ);
    const n = end - cell;
    let sumX = 0;
    let sumY = 0;
    let sumZ = 0;
    let sumXX = 0;
    let sumYY = 0;
    let sumZZ = 0;
    let sumM = 0;
    let sumMM = 0;
    let change = 0;
    let beforeX = x[cell > start ? cell - 1 : cell]!;
    let beforeY = y[cell > start ? cell - 1 : cell]!;
    let beforeZ = z[cell > start ? cell - 1 : cell]!;
    if (cell === 0 && grid.before !== null) [beforeX, beforeY, beforeZ] = grid.before;
    for (; cell < end; cell++) {
      const ax = x[cell]!;
      const ay = y[cell]!;
      const az = z[cell]!;
      const squared = ax * ax + ay * ay + az * az;
      const m = Math.sqrt(squared);
      magnitude[cell] = m;
      sumX += ax;
      sumY += ay;
      sumZ += az;
      sumXX += ax * ax;
      sumYY += ay * ay;
      sumZZ += az * az;
      sumM += m;
      sumMM += squared;
      const dx = ax - beforeX;
      const dy = ay - beforeY;
      const dz = az - beforeZ;
      change += dx * dx + dy * dy + dz * dz;
      beforeX = ax;
      beforeY = ay;
      beforeZ = az;
    }
    columns.coverage[second]! += n;
    columns.meanX[second]! += sumX;
    columns.meanY[second]! += sumY;
    columns.meanZ[second]! += sumZ;
    columns.sdX[second]! += sumXX;
    columns.sdY[second]! += sumYY;
    columns.sdZ[second]! += sumZZ;
    columns.magnitude[second]! += sumM;
    columns.magnitudeSd[second]! += sumMM;
    columns.jerk[second]! += change;
  }
}

function finishSeconds(grid: GridBlock, columns: Record<MotionColumn, Float32Array>): void {
  for (let second = 0; second < grid.count; second++) {
    const n = columns.coverage[second]!;
    if (n === 0) continue;
    const meanX = columns.meanX[second]! / n;
    const meanY = columns.meanY[second]! / n;
    const meanZ = columns.meanZ[second]! / n;
    const mean = columns.magnitude[second]! / n;
    const varianceX = Math.max(0, columns.sdX[second]! / n - meanX * meanX);
    const varianceY = Math.max(0, columns.sdY[second]! / n - meanY * meanY);
    const varianceZ = Math.max(0, columns.sdZ[second]! / n - meanZ * meanZ);
    columns.meanX[second] = meanX;
    columns.meanY[second] = meanY;
    columns.meanZ[second] = meanZ;
    columns.sdX[second] = Math.sqrt(varianceX);
    columns.sdY[second] = Math.sqrt(varianceY);
    columns.sdZ[second] = Math.sqrt(varianceZ);
    columns.magnitude[second] = mean;
    columns.magnitudeSd[second] = Math.sqrt(Math.max(0, columns.magnitudeSd[second]! / n - mean * mean));
    columns.deviation[second] = Math.sqrt(varianceX + varianceY + varianceZ);
    columns.jerk[second] = Math.sqrt(columns.jerk[second]! / n);
    columns.coverage[second] = Math.round((100 * n) / GRID_HZ);
    columns.saturated[second] = Math.round((100 * grid.saturatedCells[second]!) / GRID_HZ);
  }
}
