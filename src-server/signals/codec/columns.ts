/**
 * The column codec: integer samples to bytes and back, without loss.
 *
 * A column is predicted by its own past (difference order 0, 1 or 2), the residuals are zigzag coded, and their bytes are
 * laid out plane by plane (all low bytes first). Planes that are zero throughout are not stored. The caller compresses
 * the planes of all columns together in one zstd frame: on electrocardiograms and accelerations zigzag planes come out
 * about a quarter smaller than two's complement ones, because small residuals of either sign then have a zero high byte.
 */
import type { SampleArray } from '../types.ts';
import { viewOf } from './bytes.ts';

/** How one column is stored; the residuals themselves are in the planes. */
export interface ColumnCoding {
  /** 0: difference to `seed`; 1: difference to the sample before; 2: difference of differences. */
  order: 0 | 1 | 2;
  /** Byte planes stored, 0 (every residual is zero) to `widthBytes`. */
  planes: number;
  widthBytes: 2 | 4;
  /** The first sample; order 1 and 2 start as if all samples before it had this value too. */
  seed: number;
}

/** Bytes of one entry of the column table. */
export const COLUMN_ENTRY_BYTES = 8;

let residualScratch = new Uint32Array(0);

/** Zigzag residuals of one column at one order, in scratch memory that the next call overwrites. */
function residualsOf(column: SampleArray, order: number, wide: boolean): Uint32Array {
  const count = column.length;
  if (residualScratch.length < count) residualScratch = new Uint32Array(Math.max(count, 16384));
  const residuals = residualScratch;
  const shift = wide ? 0 : 16;
  const mask = wide ? 0xffffffff : 0xffff;
  const seed = column[0] ?? 0;
  let before = seed;
  let difference = 0;
  for (let i = 0; i < count; i++) {
    const value = column[i]!;
    let residual: number;
    if (order === 0) residual = value - seed;
    else if (order === 1) residual = value - before;
    else {
      const step = (value - before) | 0;
      residual = step - difference;
      difference = step;
    }
    before = value;
    const signed = (residual << shift) >> shift;
    residuals[i] = ((signed << 1) ^ (signed >> 31)) & mask;
  }
  return residuals;
}

/** Returns the order whose residuals need the fewest bits in total, so a single outlier does not decide. */
function chooseOrder(column: SampleArray): 0 | 1 | 2 {
  const seed = column[0] ?? 0;
  let before = seed;
  let difference = 0;
  let bits0 = 0;
  let bits1 = 0;
  let bits2 = 0;
  for (let i = 0; i < column.length; i++) {
    const value = column[i]!;
    const step = (value - before) | 0;
    const offset = (value - seed) | 0;
    const bend = (step - difference) | 0;
    bits0 += 32 - Math.clz32(offset ^ (offset >> 31));
    bits1 += 32 - Math.clz32(step ^ (step >> 31));
    bits2 += 32 - Math.clz32(bend ^ (bend >> 31));
    before = value;
    difference = step;
  }
  if (bits0 <= bits1 && bits0 <= bits2) return 0;
  return bits1 <= bits2 ? 1 : 2;
}

/**
 * Codes one column. `planes` receives the byte planes at `at`; it must have room for `column.length * widthBytes`.
 * Returns the coding; `coding.planes * column.length` bytes were written.
 */
export function encodeColumn(column: SampleArray, widthBytes: 2 | 4, planes: Uint8Array, at: number): ColumnCoding {
  const count = column.length;
  const order = chooseOrder(column);
  const residuals = residualsOf(column, order, widthBytes === 4);
  let union = 0;
  for (let i = 0; i < count; i++) union |= residuals[i]!;
  const planeCount = Math.ceil((32 - Math.clz32(union)) / 8);
  for (let plane = 0; plane < planeCount; plane++) {
    const shift = 8 * plane;
    const start = at + plane * count;
    for (let i = 0; i < count; i++) planes[start + i] = residuals[i]! >>> shift;
  }
  return { order, planes: planeCount, widthBytes, seed: column[0] ?? 0 };
}

/** Decodes one column from its planes, which begin at `at`, into `out` (its length is the sample count). */
export function decodeColumn(coding: ColumnCoding, planes: Uint8Array, at: number, out: SampleArray): void {
  const count = out.length;
  const { seed, order } = coding;
  const low = planes.subarray(at, at + count);
  const high = planes.subarray(at + count, at + 2 * count);
  let value = seed;
  let difference = 0;
  if (coding.planes === 0) {
    out.fill(seed);
  } else if (coding.planes === 1 && order === 1) {
    for (let i = 0; i < count; i++) {
      const zigzag = low[i]!;
      value = (value + ((zigzag >> 1) ^ -(zigzag & 1))) | 0;
      out[i] = value;
    }
  } else if (coding.planes === 1 && order === 2) {
    for (let i = 0; i < count; i++) {
      const zigzag = low[i]!;
      difference = (difference + ((zigzag >> 1) ^ -(zigzag & 1))) | 0;
      value = (value + difference) | 0;
      out[i] = value;
    }
  } else if (coding.planes === 2 && order === 1) {
    for (let i = 0; i < count; i++) {
      const zigzag = low[i]! | (high[i]! << 8);
      value = (value + ((zigzag >> 1) ^ -(zigzag & 1))) | 0;
      out[i] = value;
    }
  } else if (coding.planes === 2 && order === 2) {
    for (let i = 0; i < count; i++) {
      const zigzag = low[i]! | (high[i]! << 8);
      difference = (difference + ((zigzag >> 1) ^ -(zigzag & 1))) | 0;
      value = (value + difference) | 0;
      out[i] = value;
    }
  } else {
    decodeAnyColumn(coding, planes, at, out);
  }
}

/** The generic decoder; frequent combinations of planes and order have their own loops above. */
function decodeAnyColumn(coding: ColumnCoding, planes: Uint8Array, at: number, out: SampleArray): void {
  const count = out.length;
  const { seed, order } = coding;
  let value = seed;
  let difference = 0;
  for (let i = 0; i < count; i++) {
    let zigzag = 0;
    for (let plane = 0; plane < coding.planes; plane++) zigzag |= planes[at + plane * count + i]! << (8 * plane);
    const residual = (zigzag >>> 1) ^ -(zigzag & 1);
    if (order === 0) value = (seed + residual) | 0;
    else if (order === 1) value = (value + residual) | 0;
    else {
      difference = (difference + residual) | 0;
      value = (value + difference) | 0;
    }
    out[i] = value;
  }
}

/** Writes one entry of the column table at `at`. */
export function writeColumnEntry(coding: ColumnCoding, table: Uint8Array, at: number): void {
  table[at] = coding.order;
  table[at + 1] = coding.planes;
  table[at + 2] = coding.widthBytes;
  table[at + 3] = 0;
  viewOf(table).setInt32(at + 4, coding.seed, true);
}

/** Reads one entry of the column table, null when it is not one. */
export function readColumnEntry(table: Uint8Array, at: number): ColumnCoding | null {
  const order = table[at]!;
  const planes = table[at + 1]!;
  const widthBytes = table[at + 2];
  if (order > 2 || (widthBytes !== 2 && widthBytes !== 4) || planes > widthBytes) return null;
  return { order: order as 0 | 1 | 2, planes, widthBytes, seed: viewOf(table).getInt32(at + 4, true) };
}
