/**
 * Stored form of analytics results: any tree of plain values and typed arrays as one block of bytes. JSON without the
 * arrays, then the arrays by byte planes (all first bytes, then all second bytes ...), which compress far better than
 * interleaved floats, all in zstd with a CRC-32 of the plain bytes.
 *
 * Layout, little-endian: "OPA1", CRC-32 of the plain bytes (u32), length of the plain bytes (u32), zstd frame. Plain bytes:
 * length of the JSON (u32), JSON, arrays in order. In the JSON an array is {"$array": type name, "length": n}.
 */
import { constants, crc32, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { OutpostError } from '../errors.ts';

const MAGIC = 'OPA1';
const HEADER_BYTES = 12;
/** Bounds the allocation that a damaged length can cause. */
const MOST_CHUNK_BYTES = 1 << 24;
/** Far above the size of buffers that Node slices from its shared pool. */
const LEAST_FREED_BYTES = 1 << 20;

const IS_LITTLE_ENDIAN = new Uint8Array(new Uint16Array([1]).buffer)[0] === 1;

const ARRAY_TYPES = {
  Int8Array,
  Uint8Array,
  Int16Array,
  Uint16Array,
  Int32Array,
  Uint32Array,
  Float32Array,
  Float64Array,
} as const;
type ArrayName = keyof typeof ARRAY_TYPES;
type TypedArray = InstanceType<(typeof ARRAY_TYPES)[ArrayName]>;

/** NaN has many bit patterns, and the engine chooses which one a computation leaves; only one is stored. */
function withOneNaN(array: TypedArray): TypedArray {
  if (!(array instanceof Float32Array || array instanceof Float64Array) || !holdsNaN(array)) return array;
  const copy = array.slice();
  const words = new Uint32Array(copy.buffer);
  const perValue = copy.BYTES_PER_ELEMENT / 4;
  for (let i = 0; i < copy.length; i++) {
    if (!Number.isNaN(copy[i])) continue;
    words[(i + 1) * perValue - 1] = perValue === 1 ? 0x7fc00000 : 0x7ff80000;
    if (perValue === 2) words[2 * i] = 0;
  }
  return copy;
}

/** A loop: a callback for each of some million values would cost more than the rest of the encoding. */
function holdsNaN(array: Float32Array | Float64Array): boolean {
  for (let i = 0; i < array.length; i++) if (Number.isNaN(array[i])) return true;
  return false;
}

function toPlanes(values: TypedArray): Uint8Array {
  const array = withOneNaN(values);
  const width = array.BYTES_PER_ELEMENT;
  const bytes = new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
  if (width === 1) return bytes;
  const planes = new Uint8Array(bytes.length);
  const { length } = array;
  if (width === 4 && IS_LITTLE_ENDIAN && array.byteOffset % 4 === 0) {
    const words = new Uint32Array(array.buffer, array.byteOffset, length);
    for (let i = 0; i < length; i++) {
      const word = words[i]!;
      planes[i] = word;
      planes[length + i] = word >>> 8;
      planes[2 * length + i] = word >>> 16;
      planes[3 * length + i] = word >>> 24;
    }
    return planes;
  }
  for (let plane = 0; plane < width; plane++) {
    const start = plane * length;
    for (let i = 0, from = plane; i < length; i++, from += width) planes[start + i] = bytes[from]!;
  }
  return planes;
}

/**
 * A pool of arrays for decoding. A day of analytics is some 4 MB of arrays: allocating new ones for each day lets a long run
 * grow by uncollected garbage and by heap fragmentation.
 */
export class ArrayPool {
  readonly #free = new Map<string, TypedArray[]>();

  take(name: ArrayName, length: number): TypedArray {
    return this.#free.get(`${name} ${length}`)?.pop() ?? new ARRAY_TYPES[name](length);
  }

  /** Takes back every array of a decoded value, which must not be used again. */
  detachBuffer(value: object): void {
    for (const member of Object.values(value) as unknown[]) {
      if (!ArrayBuffer.isView(member)) continue;
      const array = member as TypedArray;
      const key = `${array.constructor.name} ${array.length}`;
      const free = this.#free.get(key) ?? [];
      free.push(array);
      this.#free.set(key, free);
    }
  }
}

function fromPlanes(planes: Uint8Array, array: TypedArray): TypedArray {
  const { length } = array;
  const bytes = new Uint8Array(array.buffer);
  const width = array.BYTES_PER_ELEMENT;
  if (width === 1) bytes.set(planes);
  else if (width === 4 && IS_LITTLE_ENDIAN) {
    // Whole words at a time: three times as fast as single bytes.
    const words = new Uint32Array(array.buffer);
    const second = planes.subarray(length, 2 * length);
    const third = planes.subarray(2 * length, 3 * length);
    const fourth = planes.subarray(3 * length, 4 * length);
    for (let i = 0; i < length; i++) {
      words[i] = planes[i]! | (second[i]! << 8) | (third[i]! << 16) | (fourth[i]! << 24);
    }
  } else {
    for (let plane = 0; plane < width; plane++) {
      const start = plane * length;
      for (let i = 0, to = plane; i < length; i++, to += width) bytes[to] = planes[start + i]!;
    }
  }
  return array;
}

/** Encodes deterministically: the same value gives the same bytes. */
export function encodeArrays(value: unknown): Uint8Array {
  const arrays: TypedArray[] = [];
  const json = Buffer.from(
    JSON.stringify(value, (_key, member: unknown) => {
      if (!ArrayBuffer.isView(member)) return member;
      const name = member.constructor.name;
      if (!(name in ARRAY_TYPES)) throw new TypeError(`A ${name} cannot be stored.`);
      arrays.push(member as TypedArray);
      return { $array: name, length: (member as TypedArray).length };
    }),
  );
  const length = Buffer.alloc(4);
  length.writeUInt32LE(json.length);
  const plain = Buffer.concat([length, json, ...arrays.map(toPlanes)]);
  const header = Buffer.alloc(HEADER_BYTES);
  header.write(MAGIC, 0, 'latin1');
  header.writeUInt32LE(crc32(plain), 4);
  header.writeUInt32LE(plain.length, 8);
  return Buffer.concat([header, zstdCompressSync(plain, { params: { [constants.ZSTD_c_compressionLevel]: 3 } })]);
}

function damaged(cause?: unknown): OutpostError {
  return new OutpostError(
    'SITE_CORRUPT',
    'A stored analytics result is damaged. Compute the days of this subject again.',
    { cause },
  );
}

/** Unpacks a block. Checks the length and the CRC-32. */
function unpack(bytes: Uint8Array): { plain: Buffer; tree: unknown; arraysStart: number } {
  const block = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (block.length < HEADER_BYTES || block.toString('latin1', 0, 4) !== MAGIC) throw damaged();
  let plain: Buffer;
  try {
    const plainLength = block.readUInt32LE(8);
    // One chunk of the right size: the default chunks of 16 KB would be concatenated by copying. One byte more, because a chunk
    // that is filled to its end makes zlib allocate another.
    const chunkSize = Math.min(Math.max(plainLength + 1, 1024), MOST_CHUNK_BYTES);
    plain = zstdDecompressSync(block.subarray(HEADER_BYTES), { maxOutputLength: plainLength, chunkSize });
  } catch (thrown) {
    throw damaged(thrown);
  }
  if (plain.length !== block.readUInt32LE(8) || crc32(plain) !== block.readUInt32LE(4)) throw damaged();
  const jsonLength = plain.readUInt32LE(0);
  const arraysStart = 4 + jsonLength;
  return { plain, tree: JSON.parse(plain.toString('utf8', 4, arraysStart)), arraysStart };
}

/** Frees some 3.5 MB of a day at once; the collector would do so much later. */
function free({ buffer }: Buffer): void {
  if (buffer instanceof ArrayBuffer && buffer.byteLength >= LEAST_FREED_BYTES) buffer.transfer(0);
}

/**
 * What decodeArrays would return with `{ $array: type, length }` in place of each array: enough for a check, at half the time.
 * @throws SITE_CORRUPT when the bytes are not what encodeArrays wrote
 */
export function describeArrays(bytes: Uint8Array): unknown {
  const { plain, tree } = unpack(bytes);
  free(plain);
  return tree;
}

/**
 * @param pool supplies the arrays; without it they are allocated
 * @throws SITE_CORRUPT when the bytes are not what encodeArrays wrote
 */
export function decodeArrays(bytes: Uint8Array, pool?: ArrayPool): unknown {
  const { plain, tree, arraysStart } = unpack(bytes);
  let offset = arraysStart;
  // Parents come before members and members in order, as JSON.stringify visited them.
  const restore = (node: unknown): unknown => {
    if (node === null || typeof node !== 'object') return node;
    const { $array: name, length } = node as { $array?: ArrayName; length: number };
    if (name !== undefined) {
      const byteLength = length * ARRAY_TYPES[name].BYTES_PER_ELEMENT;
      const empty = pool?.take(name, length) ?? new ARRAY_TYPES[name](length);
      const array = fromPlanes(plain.subarray(offset, offset + byteLength), empty);
      offset += byteLength;
      return array;
    }
    if (Array.isArray(node)) return node.map(restore);
    for (const [key, member] of Object.entries(node)) (node as Record<string, unknown>)[key] = restore(member);
    return node;
  };
  const value = restore(tree);
  free(plain);
  return value;
}
