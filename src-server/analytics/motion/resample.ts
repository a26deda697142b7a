import type { SignalChunk, SignalInput } from '../types.ts';
import { isPublishedRate, PublishedResampler } from './count-input.ts';
import { averagePage, GRID_HZ, GRID_US, type GridPage, interpolatePage } from './resample-page.ts';

export { GRID_HZ };

/** Slower sampling cannot carry gait (steps reach 3.5 Hz) and is taken as no data; 8 leaves room for a slow 10 Hz clock. */
const SLOWEST_HZ = 8;
/** Above this rate a grid cell holds several samples, and their mean is the anti-alias filter. */
const AVERAGING_ABOVE_HZ = 75;
/** Longer gaps start a new segment, so that memory follows the samples and not the calendar. */
const SEGMENT_GAP_US = 10e6;
const SMALLEST_SEGMENT_SECONDS = 64;
/** A day with some reserve: a longer segment grows. */
const LARGEST_GUESS_SECONDS = 25 * 3600;

/**
 * Acceleration in g on a 30 Hz grid that starts on a whole second. Cells outside `runs` hold zero and mean nothing. All
 * segments of a channel use the same memory: one is valid until the next is asked for.
 */
export interface GridSegment {
  startSecond: number;
  /** Whole seconds held. */
  count: number;
  x: Float32Array;
  y: Float32Array;
  z: Float32Array;
  /** What the count filter takes: the grid itself, or ActiGraph's own resampling at the rates that has. */
  countInput: [Float32Array, Float32Array, Float32Array];
  /** Gapless stretches as pairs of grid indices, start inclusive, stop exclusive. */
  runs: number[];
  /** Per second: cells that came from saturated samples. */
  saturatedCells: Uint8Array;
}

type Axes = [Float32Array, Float32Array, Float32Array];

const axesOf = (cells: number): Axes => [new Float32Array(cells), new Float32Array(cells), new Float32Array(cells)];

/** Grid memory of one channel, cleared and used again from segment to segment. */
class GridMemory {
  axes: Axes = axesOf(0);
  published: Axes = axesOf(0);
  saturated = new Uint8Array(0);
  /** Cells that may hold something else than zero. */
  #dirty = 0;

  /** Makes room for `cells`, keeping what is there. Memory that is never written costs nothing. */
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

  /** Room for the first `cells`, which are going to be written. */
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
  /** False as soon as one page has a rate without published resampling. */
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
  const [x, y, z] = memory.axes.map((axis) => axis.subarray(0, cells));
  return {
    startSecond: segment.startSecond,
    count,
    x,
    y,
    z,
    countInput: segment.published ? (memory.published.map((axis) => axis.subarray(0, cells)) as Axes) : [x, y, z],
    runs: segment.runs,
    saturatedCells,
  };
}

/** True when the counts of the channel can be turned into g. */
function isUsable(input: SignalInput): boolean {
  for (let axis = 0; axis < 3; axis++) {
    const scale = input.scale[axis];
    if (!Number.isFinite(scale) || scale === 0 || !Number.isFinite(input.offset[axis])) return false;
  }
  return true;
}

/**
 * Puts an accelerometer channel on a 30 Hz grid of whole seconds, in g, in one pass. Time comes from the pages, whatever
 * their period; a gap ends a run and is never bridged. Samples outside [startUs, stopUs), samples that go back in time and
 * pages slower than 8 Hz are left out.
 */
export function* resampleSegments(input: SignalInput, startUs: number, stopUs: number): Generator<GridSegment> {
  if (!isUsable(input)) return;
  const memory = new GridMemory();
  const [scaleX, scaleY, scaleZ] = input.scale;
  const [offsetX, offsetY, offsetZ] = input.offset;
  let open: OpenSegment | null = null;
  let resamplers: PublishedResampler[] = [];
  let lastUs = Number.NEGATIVE_INFINITY;
  let lastPeriodUs = 0;
  let lastX = 0;
  let lastY = 0;
  let lastZ = 0;

  const beginSegment = (timeUs: number, periodUs: number): OpenSegment => {
    const ahead = Math.min(LARGEST_GUESS_SECONDS, (stopUs - timeUs) / 1e6);
    const guess = Math.ceil(Math.max(SMALLEST_SEGMENT_SECONDS, ahead) + 2) * GRID_HZ;
    const published = isPublishedRate(periodUs);
    if (memory.axes[0].length === 0) memory.reserve(guess, published);
    memory.clear();
    return { startSecond: Math.floor(timeUs / 1e6), published, runs: [], next: 0 };
  };

  /** Notes the cells from `from` up to `open.next` as filled, joined to the run before when they touch. */
  const closeRun = (segment: OpenSegment, from: number, joined: boolean): void => {
    if (segment.next <= from) return;
    const { runs } = segment;
    if (joined && runs.length > 0 && runs[runs.length - 1] === from) runs[runs.length - 1] = segment.next;
    else runs.push(from, segment.next);
  };

  for (const chunk of input.chunks) {
    const clipped = clip(chunk, Math.max(startUs, lastUs + 1), stopUs);
    if (clipped === null) continue;
    const { first } = clipped;
    const stop = withoutPadding(chunk, input, first, clipped.stop);
    if (stop <= first) continue;
    const { periodUs } = chunk;
    const [columnX, columnY, columnZ] = chunk.columns;
    const firstUs = chunk.startUs + first * periodUs;
    const finalUs = chunk.startUs + (stop - 1) * periodUs;
    const joined: boolean =
      open !== null && firstUs - lastUs <= Math.max(2.5 * Math.max(periodUs, lastPeriodUs), 0) && lastPeriodUs > 0;
    if (open !== null && !joined && firstUs - lastUs > SEGMENT_GAP_US) {
      const done = finish(open, memory);
      if (done !== null) yield done;
      open = null;
    }
    open ??= beginSegment(firstUs, periodUs);
    const segment: OpenSegment = open;
    if (!joined) {
      const first = Math.ceil((firstUs - segment.startSecond * 1e6) / GRID_US - 1e-6);
      segment.next = Math.max(segment.next, first);
    }
    const from = segment.next;
    const baseUs = segment.startSecond * 1e6;
    const stopCell = Math.floor((finalUs - baseUs) / GRID_US + 1e-6) + 1;
    if (!isPublishedRate(periodUs)) segment.published = false;
    memory.use(Math.max(stopCell, from) + GRID_HZ, segment.published);
    const [x, y, z] = memory.axes;
    if (!joined) resamplers = [new PublishedResampler(), new PublishedResampler(), new PublishedResampler()];
    if (segment.published) {
      memory.published.forEach((out, axis) => {
        const scale = input.scale[axis]!;
        resamplers[axis]!.push(
          chunk.columns[axis]!,
          first,
          stop,
          periodUs,
          scale,
          input.offset[axis]!,
          out,
          from,
          stopCell,
        );
      });
    }

    const page: GridPage = {
      columns: [columnX, columnY, columnZ],
      first,
      stop,
      startUs: chunk.startUs,
      periodUs,
      scale: input.scale,
      offset: input.offset,
    };
    let cell = from;
    if (1e6 / periodUs > AVERAGING_ABOVE_HZ) averagePage(page, memory, baseUs, from, stopCell);
    else {
      // Cells between the last sample of the page before and the first of this one lie on the line between the two.
      for (; cell < stopCell && baseUs + cell * GRID_US < firstUs; cell++) {
        const weight = joined ? Math.max(0, (baseUs + cell * GRID_US - lastUs) / (firstUs - lastUs)) : 1;
        x[cell] = lastX + weight * (columnX[first]! * scaleX + offsetX - lastX);
        y[cell] = lastY + weight * (columnY[first]! * scaleY + offsetY - lastY);
        z[cell] = lastZ + weight * (columnZ[first]! * scaleZ + offsetZ - lastZ);
      }
      interpolatePage(page, memory, baseUs, cell, stopCell);
    }
    if (stopCell > segment.next) segment.next = stopCell;
    closeRun(segment, from, joined);
    lastUs = finalUs;
    lastPeriodUs = periodUs;
    lastX = columnX[stop - 1]! * scaleX + offsetX;
    lastY = columnY[stop - 1]! * scaleY + offsetY;
    lastZ = columnZ[stop - 1]! * scaleZ + offsetZ;
  }
  if (open !== null) {
    const done = finish(open, memory);
    if (done !== null) yield done;
  }
}

/** Nobody is free of gravity and still: such samples at the end of a page fill a file's last record. */
const WEIGHTLESS_G = 0.1;

/** End of the samples of a page without what fills it up. */
function withoutPadding({ columns }: SignalChunk, { scale, offset }: SignalInput, first: number, stop: number): number {
  let end = stop;
  const last = stop - 1;
  while (end > first && [0, 1, 2].every((axis) => columns[axis]![end - 1] === columns[axis]![last])) {
    if (Math.hypot(...[0, 1, 2].map((axis) => columns[axis]![last]! * scale[axis]! + offset[axis]!)) > WEIGHTLESS_G)
      break;
    end--;
  }
  return end;
}

/** The samples of a chunk inside [fromUs, toUs), or null when there is none or the chunk cannot be used. */
function clip(chunk: SignalChunk, fromUs: number, toUs: number): { first: number; stop: number } | null {
  const { startUs, periodUs, columns } = chunk;
  if (!(periodUs > 0) || periodUs > 1e6 / SLOWEST_HZ || !Number.isFinite(startUs) || columns.length < 3) return null;
  const count = Math.min(chunk.count, columns[0]!.length, columns[1]!.length, columns[2]!.length);
  const first = fromUs <= startUs ? 0 : Math.ceil((fromUs - startUs) / periodUs);
  const stop = Math.min(count, Math.ceil((toUs - startUs) / periodUs));
  return stop > first ? { first, stop } : null;
}
