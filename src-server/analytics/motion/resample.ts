/**
 * Resamples an accelerometer channel to a 30 Hz grid of whole seconds, in g. Time comes from the pages, never from the nominal
 * rate, and a gap is never bridged.
 */
import type { SignalChunk, SignalInput } from '../types.ts';
import { isPublishedRate, PublishedResampler } from './count-input.ts';
import {
  type AxisValues,
  averagePage,
  type Column,
  GRID_HZ,
  GRID_US,
  type GridPage,
  interpolatePage,
} from './resample-page.ts';

export { GRID_HZ };

/** Slower sampling cannot resolve gait (steps reach 3.5 Hz) and counts as no data; 8 Hz tolerates a slow nominal 10 Hz clock. */
const SLOWEST_HZ = 8;
/** Above this rate a grid cell spans several samples; their mean is the anti-alias filter. */
const AVERAGING_ABOVE_HZ = 75;
/** A longer gap starts a new segment, so that memory use follows the samples recorded, not the time that passed. */
const SEGMENT_GAP_US = 10e6;
const SMALLEST_SEGMENT_SECONDS = 64;
/** Initial capacity for one day with some reserve; a longer segment grows it. */
const LARGEST_INITIAL_SECONDS = 25 * 3600;
/** A body at rest reads 1 g; samples below this at the end of a page are the padding of a file's last record. */
const WEIGHTLESS_G = 0.1;

/**
 * Acceleration in g on a 30 Hz grid that starts on a whole second. Cells outside `runs` are zero and carry no data. All
 * segments of a channel share one buffer: a segment is valid until the next one is requested.
 */
export interface GridSegment {
  startSecond: number;
  /** Whole seconds held. */
  count: number;
  x: Float32Array;
  y: Float32Array;
  z: Float32Array;
  /** Input of the count filter: ActiGraph's own resampling at the rates it is published for, else the grid itself. */
  countInput: [Float32Array, Float32Array, Float32Array];
  /** Gapless runs as pairs of grid indices, start inclusive, stop exclusive. */
  runs: number[];
  /** Per second: cells that came from saturated samples. */
  saturatedCells: Uint8Array;
}

type Axes = [Float32Array, Float32Array, Float32Array];

const axesOf = (cells: number): Axes => [new Float32Array(cells), new Float32Array(cells), new Float32Array(cells)];

/** Grid buffers of one channel, cleared and reused from segment to segment. */
class GridMemory {
  axes: Axes = axesOf(0);
  published: Axes = axesOf(0);
  saturated = new Uint8Array(0);
  /** Cells from here on are still zero. */
  #dirty = 0;

  /** Grows to `cells` and keeps the contents. Untouched pages of a fresh typed array take no physical memory. */
  reserve(cells: number, published: boolean): void {
    const room = this.axes[0].length;
    if (cells > room) {
      const length = Math.max(cells, Math.ceil(1.5 * room));
      this.axes = this.axes.map((axis) => grown(axis, length)) as Axes;
      const saturated = new Uint8Array(length);
      saturated.set(this.saturated);
      this.saturated = saturated;
    }
    if (published && this.published[0].length < this.axes[0].length)
      this.published = this.published.map((axis) => grown(axis, this.axes[0].length)) as Axes;
  }

  /** Reserves the first `cells` for writing. */
  use(cells: number, published: boolean): void {
    this.reserve(cells, published);
    this.#dirty = Math.max(this.#dirty, cells);
  }

  clear(): void {
    for (const axis of [...this.axes, ...this.published]) axis.fill(0, 0, this.#dirty);
    this.saturated.fill(0, 0, this.#dirty);
    this.#dirty = 0;
  }
}

interface OpenSegment {
  startSecond: number;
  /** False once a page has a rate that ActiGraph's resampling is not published for. */
  published: boolean;
  runs: number[];
  /** Next grid index to fill. */
  next: number;
}

function grown(array: Float32Array, length: number): Float32Array {
  const larger = new Float32Array(length);
  larger.set(array);
  return larger;
}

function finish(segment: OpenSegment, memory: GridMemory): GridSegment | null {
  if (segment.runs.length === 0) return null;
  const count = Math.ceil(segment.next / GRID_HZ);
  const cells = count * GRID_HZ;
  memory.use(cells, segment.published);
  const saturatedCells = new Uint8Array(count);
  for (let cell = 0; cell < segment.next; cell++) {
    if (memory.saturated[cell] === 1) saturatedCells[(cell / GRID_HZ) | 0]!++;
  }
  const firstCells = (axis: Float32Array): Float32Array => axis.subarray(0, cells);
  const [x, y, z] = memory.axes;
  const [publishedX, publishedY, publishedZ] = memory.published;
  const grid: Axes = [firstCells(x), firstCells(y), firstCells(z)];
  return {
    startSecond: segment.startSecond,
    count,
    x: grid[0],
    y: grid[1],
    z: grid[2],
    countInput: segment.published ? [firstCells(publishedX), firstCells(publishedY), firstCells(publishedZ)] : grid,
    runs: segment.runs,
    saturatedCells,
  };
}

/** g = count * scale + offset, per axis. */
interface Calibration {
  scale: AxisValues;
  offset: AxisValues;
}

/** Null when the counts of the channel cannot be converted to g. */
function calibrationOf({ scale, offset }: SignalInput): Calibration | null {
  const [scaleX = Number.NaN, scaleY = Number.NaN, scaleZ = Number.NaN] = scale;
  const [offsetX = Number.NaN, offsetY = Number.NaN, offsetZ = Number.NaN] = offset;
  const scales: AxisValues = [scaleX, scaleY, scaleZ];
  const offsets: AxisValues = [offsetX, offsetY, offsetZ];
  const isUsable = scales.every((value) => Number.isFinite(value) && value !== 0) && offsets.every(Number.isFinite);
  return isUsable ? { scale: scales, offset: offsets } : null;
}

/**
 * Yields the segments of an accelerometer channel in one pass over its pages. Samples outside [startUs, stopUs), samples whose
 * time runs backwards and pages slower than 8 Hz are dropped.
 */
export function* resampleSegments(input: SignalInput, startUs: number, stopUs: number): Generator<GridSegment> {
  const calibration = calibrationOf(input);
  if (calibration === null) return;
  const builder = new SegmentBuilder(stopUs);
  for (const chunk of input.chunks) {
    const page = clip(chunk, calibration, Math.max(startUs, builder.lastUs + 1), stopUs);
    if (page === null) continue;
    if (builder.isSegmentOverBefore(page)) {
      const segment = builder.finishSegment();
      if (segment !== null) yield segment;
    }
    builder.append(page);
  }
  const segment = builder.finishSegment();
  if (segment !== null) yield segment;
}

const firstUsOf = ({ startUs, first, periodUs }: GridPage): number => startUs + first * periodUs;

/** Appends pages to the grid and cuts it into segments. */
class SegmentBuilder {
  /** Time of the last sample appended, epoch microseconds. */
  lastUs = Number.NEGATIVE_INFINITY;
  readonly #memory = new GridMemory();
  readonly #stopUs: number;
  #open: OpenSegment | null = null;
  #published: PublishedResampler[] = [];
  #lastPeriodUs = 0;
  /** Last sample appended, g. */
  #lastX = 0;
  #lastY = 0;
  #lastZ = 0;

  constructor(stopUs: number) {
    this.#stopUs = stopUs;
  }

  /** Whether the gap before a page ends the open segment. */
  isSegmentOverBefore(page: GridPage): boolean {
    return this.#open !== null && !this.#isJoined(page) && firstUsOf(page) - this.lastUs > SEGMENT_GAP_US;
  }

  finishSegment(): GridSegment | null {
    const segment = this.#open;
    this.#open = null;
    return segment === null ? null : finish(segment, this.#memory);
  }

  append(page: GridPage): void {
    const { periodUs, startUs, stop } = page;
    const isJoined = this.#isJoined(page);
    const firstUs = firstUsOf(page);
    const finalUs = startUs + (stop - 1) * periodUs;
    this.#open ??= this.#beginSegment(firstUs, periodUs);
    const segment = this.#open;
    const baseUs = segment.startSecond * 1e6;
    if (!isJoined) segment.next = Math.max(segment.next, Math.ceil((firstUs - baseUs) / GRID_US - 1e-6));
    const from = segment.next;
    const stopCell = Math.floor((finalUs - baseUs) / GRID_US + 1e-6) + 1;
    if (!isPublishedRate(periodUs)) segment.published = false;
    this.#memory.use(Math.max(stopCell, from) + GRID_HZ, segment.published);
    if (!isJoined) this.#published = [new PublishedResampler(), new PublishedResampler(), new PublishedResampler()];
    if (segment.published) this.#appendPublished(page, from, stopCell);
    if (1e6 / periodUs > AVERAGING_ABOVE_HZ) averagePage(page, this.#memory, baseUs, from, stopCell);
    else {
      const cell = this.#bridgeSeam(page, isJoined, baseUs, from, stopCell);
      interpolatePage(page, this.#memory, baseUs, cell, stopCell);
    }
    if (stopCell > segment.next) segment.next = stopCell;
    addRun(segment, from, isJoined);
    this.#noteLast(page, finalUs);
  }

  /** Whether a page follows the last sample without a gap: within two and a half sampling periods. */
  #isJoined(page: GridPage): boolean {
    return (
      this.#open !== null &&
      firstUsOf(page) - this.lastUs <= Math.max(2.5 * Math.max(page.periodUs, this.#lastPeriodUs), 0) &&
      this.#lastPeriodUs > 0
    );
  }

  #beginSegment(timeUs: number, periodUs: number): OpenSegment {
    const aheadSeconds = Math.min(LARGEST_INITIAL_SECONDS, (this.#stopUs - timeUs) / 1e6);
    const cells = Math.ceil(Math.max(SMALLEST_SEGMENT_SECONDS, aheadSeconds) + 2) * GRID_HZ;
    const published = isPublishedRate(periodUs);
    if (this.#memory.axes[0].length === 0) this.#memory.reserve(cells, published);
    this.#memory.clear();
    return { startSecond: Math.floor(timeUs / 1e6), published, runs: [], next: 0 };
  }

  #appendPublished(page: GridPage, from: number, stopCell: number): void {
    const { columns, first, stop, periodUs, scale, offset } = page;
    this.#memory.published.forEach((out, axis) => {
      this.#published[axis]!.push(
        columns[axis]!,
        first,
        stop,
        periodUs,
        scale[axis]!,
        offset[axis]!,
        out,
        from,
        stopCell,
      );
    });
  }

  /**
   * Fills the cells before a page's first sample by linear interpolation from the last sample of the page before; returns the
   * next cell.
   */
  #bridgeSeam(page: GridPage, isJoined: boolean, baseUs: number, from: number, stopCell: number): number {
    const firstUs = firstUsOf(page);
    const [x, y, z] = this.#memory.axes;
    const [nextX, nextY, nextZ] = valuesAt(page, page.first);
    let cell = from;
    for (; cell < stopCell && baseUs + cell * GRID_US < firstUs; cell++) {
      const weight = isJoined ? Math.max(0, (baseUs + cell * GRID_US - this.lastUs) / (firstUs - this.lastUs)) : 1;
      x[cell] = this.#lastX + weight * (nextX - this.#lastX);
      y[cell] = this.#lastY + weight * (nextY - this.#lastY);
      z[cell] = this.#lastZ + weight * (nextZ - this.#lastZ);
    }
    return cell;
  }

  #noteLast(page: GridPage, finalUs: number): void {
    this.lastUs = finalUs;
    this.#lastPeriodUs = page.periodUs;
    [this.#lastX, this.#lastY, this.#lastZ] = valuesAt(page, page.stop - 1);
  }
}

/** Acceleration of one sample, g. */
function valuesAt({ columns, scale, offset }: GridPage, sample: number): AxisValues {
  const [columnX, columnY, columnZ] = columns;
  return [
    columnX[sample]! * scale[0] + offset[0],
    columnY[sample]! * scale[1] + offset[1],
    columnZ[sample]! * scale[2] + offset[2],
  ];
}

/** Records the cells from `from` to `segment.next` as a run, or extends the last run when they are joined to it. */
function addRun({ runs, next }: OpenSegment, from: number, isJoined: boolean): void {
  if (next <= from) return;
  if (isJoined && runs.length > 0 && runs[runs.length - 1] === from) runs[runs.length - 1] = next;
  else runs.push(from, next);
}

/** The usable samples of a chunk inside [fromUs, toUs); null when there are none. */
function clip(chunk: SignalChunk, calibration: Calibration, fromUs: number, toUs: number): GridPage | null {
  const { startUs, periodUs } = chunk;
  const [columnX, columnY, columnZ] = chunk.columns;
  if (!(periodUs > 0) || periodUs > 1e6 / SLOWEST_HZ || !Number.isFinite(startUs)) return null;
  if (columnX === undefined || columnY === undefined || columnZ === undefined) return null;
  const count = Math.min(chunk.count, columnX.length, columnY.length, columnZ.length);
  const first = fromUs <= startUs ? 0 : Math.ceil((fromUs - startUs) / periodUs);
  const last = Math.min(count, Math.ceil((toUs - startUs) / periodUs));
  if (last <= first) return null;
  const columns: [Column, Column, Column] = [columnX, columnY, columnZ];
  const page: GridPage = { columns, first, stop: last, startUs, periodUs, ...calibration };
  const stop = withoutPadding(page);
  return stop > first ? { ...page, stop } : null;
}

/** End of the samples of a page before its padding: repetitions of a last sample that does not even show gravity. */
function withoutPadding(page: GridPage): number {
  const { columns, first, stop } = page;
  const last = stop - 1;
  let end = stop;
  while (end > first && columns.every((column) => column[end - 1] === column[last])) {
    if (Math.hypot(...valuesAt(page, last)) > WEIGHTLESS_G) break;
    end--;
  }
  return end;
}
