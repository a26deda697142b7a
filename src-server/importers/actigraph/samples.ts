/** Unpacks the samples of activity records: 12-bit big-endian bit strings of two axis orders, or 16-bit integers. */
import { RECORD } from './log-records.ts';

export type AxisColumns = readonly [Int16Array, Int16Array, Int16Array];

/** Whole samples in a payload; the last nibble of an odd number of packed ones is unused. */
export const samplesIn = (type: number, bytes: number): number =>
  type === RECORD.ACTIVITY_WIDE ? Math.floor(bytes / 6) : Math.floor((bytes * 2) / 9);

/** Writes the samples of a payload into x, y, z from index `at` on. */
export function unpackSamples(
  type: number,
  bytes: Uint8Array,
  start: number,
  count: number,
  columns: AxisColumns,
  at: number,
): void {
  if (type === RECORD.ACTIVITY_WIDE) unpackWide(bytes, start, count, columns, at);
  else if (type === RECORD.ACTIVITY_XYZ) unpackPacked(bytes, start, count, columns, at);
  else unpackPacked(bytes, start, count, [columns[1], columns[0], columns[2]], at);
}

function unpackWide(bytes: Uint8Array, start: number, count: number, [x, y, z]: AxisColumns, at: number): void {
  let position = start;
  for (let i = at; i < at + count; i++, position += 6) {
    x[i] = bytes[position]! | (bytes[position + 1]! << 8);
    y[i] = bytes[position + 2]! | (bytes[position + 3]! << 8);
    z[i] = bytes[position + 4]! | (bytes[position + 5]! << 8);
  }
}

/** Two samples share nine bytes. */
function unpackPacked(bytes: Uint8Array, start: number, count: number, [a, b, c]: AxisColumns, at: number): void {
  let position = start;
  const stop = at + count;
  for (let i = at; i < stop; i += 2, position += 9) {
    const b1 = bytes[position + 1]!;
    const b4 = bytes[position + 4]!;
    a[i] = (((bytes[position]! << 4) | (b1 >> 4)) << 20) >> 20;
    b[i] = (((b1 << 8) | bytes[position + 2]!) << 20) >> 20;
    c[i] = (((bytes[position + 3]! << 4) | (b4 >> 4)) << 20) >> 20;
    if (i + 1 === stop) return;
    const b7 = bytes[position + 7]!;
    a[i + 1] = (((b4 << 8) | bytes[position + 5]!) << 20) >> 20;
    b[i + 1] = (((bytes[position + 6]! << 4) | (b7 >> 4)) << 20) >> 20;
    c[i + 1] = (((b7 << 8) | bytes[position + 8]!) << 20) >> 20;
  }
}
