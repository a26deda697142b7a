/**
 * Resamples an accelerometer channel to a 30 Hz grid of whole seconds, in g. Time comes from the pages, never from the nominal
 * rate, and a gap is never bridged.
 */
import type { SignalChunk, SignalSource } from '../types.ts';
import { isPublishedRate, PublishedResampler } from './count-input.ts';
import { type AxisValues, averagePage, GRID_HZ, GRID_US, type GridPage, interpolatePage } from './resample-page.ts';
import { type Scaling, scalingOf, usablePage, valuesAt } from './usable-page.ts';

export { GRID_HZ };

/** Above this rate a grid cell spans several samples; their mean is the anti-alias filter. */
const AVERAGING_ABOVE_HZ = 75;
/** A longer gap starts a new segment, so that memory use follows the samples recorded, not the time that passed. */
const SEGMENT_GAP_US = 10e6;
const SMALLEST_SEGMENT_SECONDS = 64;
/**
 * A longer segment is cut into blocks, so that memory does not grow with it. The cut lies in the middle of a quiet span, where
 * neither a rhythm nor a step reaches across, so the results do not depend on it; the count filter is carried over.
 */
export const BLOCK_SECONDS = 6 * 3600;
const QUIET_SECONDS = 16;
/** Below the least movement of any rhythm (see `QUIET_G` in rhythm.ts). */
const QUIET_G = 0.02;
/** A sensor that never rests, as on an engine, is cut here regardless: a step at the cut may differ. */
const LONGEST_BLOCKS = 6;
/** Initial capacity for a block with some reserve; a longer block grows it. */
const LARGEST_INITIAL_SECONDS = BLOCK_SECONDS + 3600;

/**
 * Acceleration in g on a 30 Hz grid of whole seconds: one segment, or the next block of a long one. Cells outside `runs` are
 * zero and carry no data. All blocks of a channel share one buffer: a block is valid until the next page is added.
 */
export interface GridBlock {
  /** First second of the segment. */
  startSecond: number;
  /** Seconds of the segment in the blocks before this one. */
  firstRow: number;
  /** Whole seconds held. */
  count: number;
  x: Float32Array;
  y: Float32Array;
  z: Float32Array;
  /** Whether ActiGraph's own resampling feeds the count filter: at the rates it is published for. Else the grid does. */
  published: boolean;
  publishedInput: Axes;
  /** Gapless runs as pairs of grid indices of this block, start inclusive, stop exclusive. */
  runs: number[];
  /** The cell before the block, where its first run continues the last one of the block before; else null. */
  before: AxisValues | null;
  /** Whether the segment ends with this block. */
  isLast: boolean;
  /** Per second: cells that came from saturated samples. */
  saturatedCells: Uint8Array;
}

export type Axes = [Float32Array, Float32Array, Float32Array];

const axesOf = (cells: number): Axes => [new Float32Array(cells), new Float32Array(cells), new Float32Array(cells)];

/** Grid buffers of one channel, cleared and reused from segment to segment. */
class GridMemory {
  axes: Axes = axesOf(0);
  published: Axes = axesOf(0);
  saturated = new Uint8Array(0);
  /** Cells of the segment before those held. */
  firstCell = 0;
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

  /** Drops the first `cells`, and moves the others to the front. */
  drop(cells: number): void {
    const rest = Math.max(0, this.#dirty - cells);
    for (const values of [...this.axes, ...this.published, this.saturated]) {
      values.copyWithin(0, cells, this.#dirty);
      values.fill(0, rest, this.#dirty);
    }
    this.#dirty = rest;
    this.firstCell += cells;
  }

  clear(): void {
    this.firstCell = 0;
    for (const axis of [...this.axes, ...this.published]) axis.fill(0, 0, this.#dirty);
    this.saturated.fill(0, 0, this.#dirty);
    this.#dirty = 0;
  }
}

interface OpenSegment {
  startSecond: number;
  /** False once a page has a rate that ActiGraph's resampling is not published for. */
  published: boolean;
  /** Runs of the open block, in cells of the segment. */
  runs: number[];
  /** Next cell to fill. */
  next: number;
  before: AxisValues | null;
  /** Seconds examined for a cut, and how many before that were quiet. */
  examined: number;
  quiet: number;
}

function grown(array: Float32Array, length: number): Float32Array {
  const larger = new Float32Array(length);
  larger.set(array);
  return larger;
}

/** The cells of a segment that its blocks do not hold yet, up to `stopCell`, as its next block. */
function blockOf(segment: OpenSegment, memory: GridMemory, stopCell: number, isLast: boolean): GridBlock {
  const { firstCell } = memory;
  const count = Math.ceil((stopCell - firstCell) / GRID_HZ);
  const cells = count * GRID_HZ;
  memory.use(cells, segment.published);
  const saturatedCells = new Uint8Array(count);
  for (let cell = 0; cell < stopCell - firstCell; cell++) {
    if (memory.saturated[cell] === 1) saturatedCells[(cell / GRID_HZ) | 0]!++;
  }
  const firstCells = (axis: Float32Array): Float32Array => axis.subarray(0, cells);
  const [x, y, z] = memory.axes;
  const [publishedX, publishedY, publishedZ] = memory.published;
  return {
    startSecond: segment.startSecond,
    firstRow: firstCell / GRID_HZ,
    count,
    x: firstCells(x),
    y: firstCells(y),
    z: firstCells(z),
    published: segment.published,
    publishedInput: [firstCells(publishedX), firstCells(publishedY), firstCells(publishedZ)],
    runs: segment.runs.map((cell) => Math.min(cell, stopCell) - firstCell),
    before: segment.before,
    isLast,
    saturatedCells,
  };
}

/**
 * Cuts the pages of an accelerometer channel into segments, and long segments into blocks. Samples outside [startUs, stopUs),
 * samples whose time runs backwards and pages slower than 8 Hz are dropped.
 */
export class GridBuilder {
  readonly #scaling: Scaling | null;
  readonly #startUs: number;
  readonly #stopUs: number;
  readonly #segments: SegmentBuilder;

  /**
   * @param take receives each block, which is valid only during the call
   * @param blockSeconds least length of a block that is not the last, whole seconds
   */
  constructor(
    input: SignalSource,
    startUs: number,
    stopUs: number,
    take: (block: GridBlock) => void,
    blockSeconds = BLOCK_SECONDS,
  ) {
    this.#scaling = scalingOf(input);
    this.#startUs = startUs;
    this.#stopUs = stopUs;
    this.#segments = new SegmentBuilder(stopUs, take, blockSeconds);
  }

  add(chunk: SignalChunk): void {
    if (this.#scaling === null) return;
    const fromUs = Math.max(this.#startUs, this.#segments.lastUs + 1);
    const page = usablePage(chunk, this.#scaling, fromUs, this.#stopUs);
    if (page === null) return;
    if (this.#segments.isSegmentOverBefore(page)) this.#segments.finishSegment();
    this.#segments.append(page);
  }

  finish(): void {
    this.#segments.finishSegment();
  }
}

const firstUsOf = ({ startUs, first, periodUs }: GridPage): number => startUs + first * periodUs;

/** Appends pages to the grid and cuts it into segments. */
class SegmentBuilder {
  /** Time of the last sample appended, epoch microseconds. */
  lastUs = Number.NEGATIVE_INFINITY;
  readonly #memory = new GridMemory();
  readonly #stopUs: number;
  readonly #take: (block: GridBlock) => void;
  readonly #blockSeconds: number;
  #open: OpenSegment | null = null;
  #published: PublishedResampler[] = [];
  #lastPeriodUs = 0;
  /** Last sample appended, g. */
  #lastX = 0;
  #lastY = 0;
  #lastZ = 0;

  constructor(stopUs: number, take: (block: GridBlock) => void, blockSeconds: number) {
    this.#stopUs = stopUs;
    this.#take = take;
    this.#blockSeconds = blockSeconds;
  }

  /** Whether the gap before a page ends the open segment. */
  isSegmentOverBefore(page: GridPage): boolean {
    return this.#open !== null && !this.#isJoined(page) && firstUsOf(page) - this.lastUs > SEGMENT_GAP_US;
  }

  finishSegment(): void {
    const segment = this.#open;
    this.#open = null;
    if (segment === null || (segment.runs.length === 0 && this.#memory.firstCell === 0)) return;
    this.#take(blockOf(segment, this.#memory, segment.next, true));
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
    const { firstCell } = this.#memory;
    this.#memory.use(Math.max(stopCell, from) - firstCell + GRID_HZ, segment.published);
    if (!isJoined) this.#published = [new PublishedResampler(), new PublishedResampler(), new PublishedResampler()];
    if (segment.published) this.#appendPublished(page, from - firstCell, stopCell - firstCell);
    if (1e6 / periodUs > AVERAGING_ABOVE_HZ) averagePage(page, this.#memory, baseUs, from, stopCell);
    else {
      const cell = this.#bridgeSeam(page, isJoined, baseUs, from, stopCell);
      interpolatePage(page, this.#memory, baseUs, cell, stopCell);
    }
    if (stopCell > segment.next) segment.next = stopCell;
    addRun(segment, from, isJoined);
    this.#noteLast(page, finalUs);
    while (segment.next - this.#memory.firstCell > this.#blockSeconds * GRID_HZ && this.#cutBlock(segment));
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
    const startSecond = Math.floor(timeUs / 1e6);
    return { startSecond, published, runs: [], next: 0, before: null, examined: 0, quiet: 0 };
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
    const { firstCell } = this.#memory;
    let cell = from;
    for (; cell < stopCell && baseUs + cell * GRID_US < firstUs; cell++) {
      const weight = isJoined ? Math.max(0, (baseUs + cell * GRID_US - this.lastUs) / (firstUs - this.lastUs)) : 1;
      x[cell - firstCell] = this.#lastX + weight * (nextX - this.#lastX);
      y[cell - firstCell] = this.#lastY + weight * (nextY - this.#lastY);
      z[cell - firstCell] = this.#lastZ + weight * (nextZ - this.#lastZ);
    }
    return cell;
  }

  /** Hands over the block before the middle of a quiet span; false if the open run has none yet. */
  #cutBlock(segment: OpenSegment): boolean {
    const { firstCell } = this.#memory;
    if (segment.runs.at(-1) !== segment.next) return false;
    const wholeSeconds = Math.floor(segment.next / GRID_HZ);
    const runStart = segment.runs.at(-2)!;
    const firstSecond = Math.ceil(Math.max(runStart, firstCell + this.#blockSeconds * GRID_HZ) / GRID_HZ);
    if (segment.examined < firstSecond) {
      segment.examined = firstSecond;
      segment.quiet = 0;
    }
    // At a second that the data alone decide, so that the results do not depend on the length of pages.
    const latest = Math.max(firstSecond + 1, firstCell / GRID_HZ + LONGEST_BLOCKS * this.#blockSeconds);
    let cut = 0;
    while (cut === 0 && segment.examined < wholeSeconds) {
      segment.quiet = this.#isQuiet(segment.examined++) ? segment.quiet + 1 : 0;
      if (segment.quiet === QUIET_SECONDS) cut = segment.examined - QUIET_SECONDS / 2;
      else if (segment.examined > latest + 1) cut = latest;
    }
    if (cut === 0) return false;
    const cutCell = cut * GRID_HZ;
    this.#take(blockOf(segment, this.#memory, cutCell, false));
    const [x, y, z] = this.#memory.axes;
    const last = cutCell - firstCell - 1;
    segment.before = [x[last]!, y[last]!, z[last]!];
    segment.runs = [cutCell, segment.next];
    segment.quiet = 0;
    this.#memory.drop(cutCell - firstCell);
    return true;
  }

  /** Whether the acceleration of a whole second of the segment hardly varies. */
  #isQuiet(second: number): boolean {
    const from = second * GRID_HZ - this.#memory.firstCell;
    let variance = 0;
    for (const axis of this.#memory.axes) {
      let sum = 0;
      let squares = 0;
      for (let cell = from; cell < from + GRID_HZ; cell++) {
        sum += axis[cell]!;
        squares += axis[cell]! * axis[cell]!;
      }
      variance += squares / GRID_HZ - (sum / GRID_HZ) ** 2;
    }
    return variance < QUIET_G * QUIET_G;
  }

  #noteLast(page: GridPage, finalUs: number): void {
    this.lastUs = finalUs;
    this.#lastPeriodUs = page.periodUs;
    [this.#lastX, this.#lastY, this.#lastZ] = valuesAt(page, page.stop - 1);
  }
}

/** Records the cells from `from` to `segment.next` as a run, or extends the last run when they are joined to it. */
function addRun({ runs, next }: OpenSegment, from: number, isJoined: boolean): void {
  if (next <= from) return;
  if (isJoined && runs.length > 0 && runs[runs.length - 1] === from) runs[runs.length - 1] = next;
  else runs.push(from, next);
}
