import type { SignalChunk, SignalInput } from '../types.ts';
import { isPublishedRate, PublishedResampler } from './count-input.ts';

/** The rate of ActiGraph's count filter; gait and posture live far below its 15 Hz. */
export const GRID_HZ = 30;
const GRID_US = 1e6 / GRID_HZ;
/** Slower sampling cannot carry gait (steps reach 3.5 Hz) and is taken as no data; 8 leaves room for a slow 10 Hz clock. */
const SLOWEST_HZ = 8;
/** Above this rate a grid cell holds several samples, and their mean is the anti-alias filter. */
const AVERAGING_ABOVE_HZ = 75;
/** Longer gaps start a new segment, so that memory follows the samples and not the calendar. */
const SEGMENT_GAP_US = 10e6;
const SMALLEST_SEGMENT_SECONDS = 64;
/** A day with some reserve: a larger segment than a sensor's battery lasts grows by doubling. */
const LARGEST_GUESS_SECONDS = 25 * 3600;

/** Acceleration in g on a 30 Hz grid that starts on a whole second. Cells outside `runs` hold zero and mean nothing. */
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

interface OpenSegment {
  startSecond: number;
  x: Float32Array;
  y: Float32Array;
  z: Float32Array;
  saturated: Uint8Array;
  /** Null as soon as one page has a rate without published resampling. */
  published: [Float32Array, Float32Array, Float32Array] | null;
  runs: number[];
  /** Next grid index to fill. */
  next: number;
}

function grown(array: Float32Array, length: number): Float32Array {
  const larger = new Float32Array(length);
  larger.set(array);
  return larger;
}

function reserve(segment: OpenSegment, cells: number): void {
  if (cells <= segment.x.length) return;
  const length = Math.max(cells, 2 * segment.x.length);
  segment.x = grown(segment.x, length);
  segment.y = grown(segment.y, length);
  segment.z = grown(segment.z, length);
  if (segment.published !== null) {
    const [x, y, z] = segment.published;
    segment.published = [grown(x, length), grown(y, length), grown(z, length)];
  }
  const saturated = new Uint8Array(length);
  saturated.set(segment.saturated);
  segment.saturated = saturated;
}

function finish(segment: OpenSegment): GridSegment | null {
  if (segment.runs.length === 0) return null;
  const count = Math.ceil(segment.next / GRID_HZ);
  const cells = count * GRID_HZ;
  reserve(segment, cells);
  const saturatedCells = new Uint8Array(count);
  for (let cell = 0; cell < segment.next; cell++) {
    if (segment.saturated[cell] === 1) saturatedCells[(cell / GRID_HZ) | 0]++;
  }
  const x = segment.x.subarray(0, cells);
  const y = segment.y.subarray(0, cells);
  const z = segment.z.subarray(0, cells);
  return {
    startSecond: segment.startSecond,
    count,
    x,
    y,
    z,
    countInput: segment.published ?? [x, y, z],
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
export function resampleSegments(input: SignalInput, startUs: number, stopUs: number): GridSegment[] {
  const segments: GridSegment[] = [];
  if (!isUsable(input)) return segments;
  const [scaleX, scaleY, scaleZ] = input.scale;
  const [offsetX, offsetY, offsetZ] = input.offset;
  let open: OpenSegment | null = null;
  let resamplers: PublishedResampler[] = [];
  let lastUs = Number.NEGATIVE_INFINITY;
  let lastPeriodUs = 0;
  let lastX = 0;
  let lastY = 0;
  let lastZ = 0;

  const beginRun = (timeUs: number, periodUs: number): OpenSegment => {
    if (open !== null && timeUs - lastUs > SEGMENT_GAP_US) {
      const done = finish(open);
      if (done !== null) segments.push(done);
      open = null;
    }
    if (open === null) {
      const ahead = segments.length === 0 ? Math.min(LARGEST_GUESS_SECONDS, (stopUs - timeUs) / 1e6) : 0;
      const guess = Math.ceil(Math.max(SMALLEST_SEGMENT_SECONDS, ahead)) * GRID_HZ;
      open = {
        startSecond: Math.floor(timeUs / 1e6),
        x: new Float32Array(guess),
        y: new Float32Array(guess),
        z: new Float32Array(guess),
        saturated: new Uint8Array(guess),
        published: isPublishedRate(periodUs)
          ? [new Float32Array(guess), new Float32Array(guess), new Float32Array(guess)]
          : null,
        runs: [],
        next: 0,
      };
    }
    const first = Math.max(open.next, Math.ceil((timeUs - open.startSecond * 1e6) / GRID_US - 1e-6));
    open.next = first;
    return open;
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
    const { first, stop } = clipped;
    const { periodUs } = chunk;
    const [columnX, columnY, columnZ] = chunk.columns;
    const railX = columnX instanceof Int16Array ? 32767 : 2147483647;
    const firstUs = chunk.startUs + first * periodUs;
    const finalUs = chunk.startUs + (stop - 1) * periodUs;
    const joined: boolean =
      open !== null && firstUs - lastUs <= Math.max(2.5 * Math.max(periodUs, lastPeriodUs), 0) && lastPeriodUs > 0;
    const segment: OpenSegment = joined ? open! : beginRun(firstUs, periodUs);
    const from = segment.next;
    const baseUs = segment.startSecond * 1e6;
    const stopCell = Math.floor((finalUs - baseUs) / GRID_US + 1e-6) + 1;
    reserve(segment, Math.max(stopCell, from) + GRID_HZ);
    const { x, y, z, saturated } = segment;
    if (!isPublishedRate(periodUs)) segment.published = null;
    if (!joined) resamplers = [new PublishedResampler(), new PublishedResampler(), new PublishedResampler()];
    segment.published?.forEach((out, axis) => {
      const scale = input.scale[axis];
      resamplers[axis].push(chunk.columns[axis], first, stop, periodUs, scale, input.offset[axis], out, from, stopCell);
    });

    if (1e6 / periodUs > AVERAGING_ABOVE_HZ) {
      let sample = first;
      for (let cell = from; cell < stopCell; cell++) {
        const edge = Math.min(stop, Math.ceil((baseUs + (cell + 0.5) * GRID_US - chunk.startUs) / periodUs));
        let sumX = 0;
        let sumY = 0;
        let sumZ = 0;
        const begin = sample;
        let railed = 0;
        for (; sample < edge; sample++) {
          const valueX = columnX[sample];
          const valueY = columnY[sample];
          const valueZ = columnZ[sample];
          if (
            valueX >= railX ||
            valueX <= -railX ||
            valueY >= railX ||
            valueY <= -railX ||
            valueZ >= railX ||
            valueZ <= -railX
          )
            railed = 1;
          sumX += valueX;
          sumY += valueY;
          sumZ += valueZ;
        }
        const n = sample - begin;
        if (n > 0) {
          x[cell] = (sumX / n) * scaleX + offsetX;
          y[cell] = (sumY / n) * scaleY + offsetY;
          z[cell] = (sumZ / n) * scaleZ + offsetZ;
          saturated[cell] = railed;
        } else if (cell > 0) {
          x[cell] = x[cell - 1];
          y[cell] = y[cell - 1];
          z[cell] = z[cell - 1];
        }
      }
    } else {
      const cellsPerSample = GRID_US / periodUs;
      let position = (baseUs + from * GRID_US - chunk.startUs) / periodUs;
      for (let cell = from; cell < stopCell; cell++, position += cellsPerSample) {
        if (position < first) {
          const weight = joined ? Math.max(0, (baseUs + cell * GRID_US - lastUs) / (firstUs - lastUs)) : 1;
          x[cell] = lastX + weight * (columnX[first] * scaleX + offsetX - lastX);
          y[cell] = lastY + weight * (columnY[first] * scaleY + offsetY - lastY);
          z[cell] = lastZ + weight * (columnZ[first] * scaleZ + offsetZ - lastZ);
          continue;
        }
        const index = Math.min(position | 0, stop - 1);
        const before = index > first ? index - 1 : index;
        const after = index + 1 < stop ? index + 1 : index;
        const next = index + 2 < stop ? index + 2 : after;
        const t = position - index;
        const valueX = columnX[index];
        const valueY = columnY[index];
        const valueZ = columnZ[index];
        x[cell] = cubic(columnX[before], valueX, columnX[after], columnX[next], t) * scaleX + offsetX;
        y[cell] = cubic(columnY[before], valueY, columnY[after], columnY[next], t) * scaleY + offsetY;
        z[cell] = cubic(columnZ[before], valueZ, columnZ[after], columnZ[next], t) * scaleZ + offsetZ;
        if (
          valueX >= railX ||
          valueX <= -railX ||
          valueY >= railX ||
          valueY <= -railX ||
          valueZ >= railX ||
          valueZ <= -railX
        )
          saturated[cell] = 1;
      }
    }
    if (stopCell > segment.next) segment.next = stopCell;
    closeRun(segment, from, joined);
    lastUs = finalUs;
    lastPeriodUs = periodUs;
    lastX = columnX[stop - 1] * scaleX + offsetX;
    lastY = columnY[stop - 1] * scaleY + offsetY;
    lastZ = columnZ[stop - 1] * scaleZ + offsetZ;
  }
  if (open !== null) {
    const done = finish(open);
    if (done !== null) segments.push(done);
  }
  return segments;
}

/** Catmull-Rom interpolation between b and c: unlike a straight line it keeps the harmonics of gait up to 10 Hz. */
function cubic(a: number, b: number, c: number, d: number, t: number): number {
  return b + 0.5 * t * (c - a + t * (2 * a - 5 * b + 4 * c - d + t * (3 * (b - c) + d - a)));
}

/** The samples of a chunk inside [fromUs, toUs), or null when there is none or the chunk cannot be used. */
function clip(chunk: SignalChunk, fromUs: number, toUs: number): { first: number; stop: number } | null {
  const { startUs, periodUs, columns } = chunk;
  if (!(periodUs > 0) || periodUs > 1e6 / SLOWEST_HZ || !Number.isFinite(startUs) || columns.length < 3) return null;
  const count = Math.min(chunk.count, columns[0].length, columns[1].length, columns[2].length);
  const first = fromUs <= startUs ? 0 : Math.ceil((fromUs - startUs) / periodUs);
  const stop = Math.min(count, Math.ceil((toUs - startUs) / periodUs));
  return stop > first ? { first, stop } : null;
}
