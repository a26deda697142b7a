import type { SecondColumns } from './types.ts';

const MAGIC = 0x4353504f;
/** Version of the packing; a reader refuses any other. */
export const SECOND_COLUMNS_VERSION = 1;
const HEADER_BYTES = 24;

const BYTE_COLUMNS = [
  'worn',
  'recorded',
  'rrCount',
  'rrDiffCount',
  'activity',
  'steps',
  'leanSide',
  'leanForward',
  'sleepingPosture',
  'asleep',
] as const;
const FLOAT_COLUMNS = [
  'rrSumMs',
  'rrDiffSquaredMs2',
  'lfHf',
  'respiration',
  'counts',
  'leanSideDegrees',
  'leanForwardDegrees',
] as const;

/** Columns that are unknown, not zero, until something is measured. */
const UNKNOWN_UNTIL_MEASURED = ['lfHf', 'respiration', 'counts', 'leanSideDegrees', 'leanForwardDegrees'] as const;

/** Empty columns of `count` seconds from `startMs` (a whole second): nothing recorded, nothing known. */
export function createSecondColumns(startMs: number, count: number): SecondColumns {
  const bytes = Object.fromEntries(BYTE_COLUMNS.map((name) => [name, new Uint8Array(count)]));
  const floats = Object.fromEntries(FLOAT_COLUMNS.map((name) => [name, new Float32Array(count)]));
  for (const name of UNKNOWN_UNTIL_MEASURED) floats[name].fill(Number.NaN);
  return { startMs, count, ...bytes, ...floats } as unknown as SecondColumns;
}

/**
 * Packs second columns into bytes: a header (magic, version, start, count), the byte columns, then each float column as
 * four planes of bytes, little-endian, lowest first, which compresses well. The same columns give the same bytes.
 */
export function encodeSecondColumns(seconds: SecondColumns): Uint8Array {
  const { count } = seconds;
  const bytes = new Uint8Array(HEADER_BYTES + count * (BYTE_COLUMNS.length + 4 * FLOAT_COLUMNS.length));
  const view = new DataView(bytes.buffer);
  view.setUint32(0, MAGIC, true);
  view.setUint32(4, SECOND_COLUMNS_VERSION, true);
  view.setFloat64(8, seconds.startMs, true);
  view.setUint32(16, count, true);
  let at = HEADER_BYTES;
  for (const name of BYTE_COLUMNS) {
    bytes.set(seconds[name], at);
    at += count;
  }
  const one = new Float32Array(1);
  const bits = new Uint32Array(one.buffer);
  for (const name of FLOAT_COLUMNS) {
    const column = seconds[name];
    for (let i = 0; i < count; i++) {
      one[0] = column[i];
      // NaN has many bit patterns; only one is stored.
      const word = Number.isNaN(column[i]) ? 0x7fc00000 : bits[0];
      bytes[at + i] = word & 0xff;
      bytes[at + count + i] = (word >>> 8) & 0xff;
      bytes[at + 2 * count + i] = (word >>> 16) & 0xff;
      bytes[at + 3 * count + i] = word >>> 24;
    }
    at += 4 * count;
  }
  return bytes;
}

/** Unpacks what `encodeSecondColumns` packed. Throws a RangeError for bytes of another format, version or length. */
export function decodeSecondColumns(bytes: Uint8Array): SecondColumns {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes.length < HEADER_BYTES || view.getUint32(0, true) !== MAGIC) {
    throw new RangeError('These bytes hold no second columns.');
  }
  const version = view.getUint32(4, true);
  if (version !== SECOND_COLUMNS_VERSION) throw new RangeError(`Second columns of version ${version} are not known.`);
  const count = view.getUint32(16, true);
  if (bytes.length !== HEADER_BYTES + count * (BYTE_COLUMNS.length + 4 * FLOAT_COLUMNS.length)) {
    throw new RangeError('The second columns are cut short.');
  }
  const seconds = createSecondColumns(view.getFloat64(8, true), count);
  let at = HEADER_BYTES;
  for (const name of BYTE_COLUMNS) {
    seconds[name].set(bytes.subarray(at, at + count));
    at += count;
  }
  for (const name of FLOAT_COLUMNS) {
    const words = new Uint32Array(seconds[name].buffer);
    for (let i = 0; i < count; i++) {
      words[i] =
        bytes[at + i] |
        (bytes[at + count + i] << 8) |
        (bytes[at + 2 * count + i] << 16) |
        (bytes[at + 3 * count + i] << 24);
    }
    at += 4 * count;
  }
  return seconds;
}
