/**
 * zstd and deflate for small pieces, with native coders that are made once per thread. Each call of `zstdDecompressSync` and its
 * relatives makes a stream object and a coder, which for a piece of a kilobyte takes ten times as long as the work: 26 us of 29.
 *
 * Node documents no way to keep them, so this calls the handle below its streams. The result is always that of the documented
 * function: a handle that is not as expected, a piece that is too large, is not exactly one frame or fails goes to that function,
 * which also words the errors; and a coder is only kept when it is known to have ended its piece.
 */
import {
  constants,
  createInflateRaw,
  createZstdCompress,
  createZstdDecompress,
  inflateRawSync,
  type ZlibOptions,
  type ZstdOptions,
  zstdCompressSync,
  zstdDecompressSync,
} from 'node:zlib';

/** A coder keeps memory in proportion to its largest piece; and of larger ones, making it costs little. */
const MOST_BYTES = 1 << 18;
/** Bytes by which incompressible pieces may grow, at most. */
const growthOf = (length: number) => (length >> 7) + 512;

interface Handle {
  writeSync(
    flush: number,
    input: Uint8Array,
    inputAt: number,
    inputLength: number,
    output: Uint8Array,
    outputAt: number,
    outputLength: number,
  ): void;
  reset(): void;
}

interface CoderStream {
  readonly destroyed: boolean;
  destroy(): unknown;
  on(event: 'error', listener: () => void): unknown;
}

interface Coder {
  stream: CoderStream;
  handle: Handle;
  /** After a write: the bytes of the output that are free, and those of the input that were not read. */
  state: Uint32Array;
}

function isHandle(value: unknown): value is Handle {
  const { writeSync, reset } = (value ?? {}) as { writeSync?: unknown; reset?: unknown };
  return typeof writeSync === 'function' && typeof reset === 'function';
}

function coderOf(stream: CoderStream): Coder | undefined {
  const handle: unknown = Reflect.get(stream, '_handle');
  const state: unknown = Reflect.get(stream, '_writeState');
  // An error ends the stream, which is then replaced, and is reported by the documented function.
  stream.on('error', () => undefined);
  return isHandle(handle) && state instanceof Uint32Array && state.length === 2 ? { stream, handle, state } : undefined;
}

class ReusedCoder {
  readonly #make: () => CoderStream;
  readonly #flush: number;
  readonly #needsReset: boolean;
  #coder: Coder | undefined;
  #isUsable = true;

  constructor(make: () => CoderStream, flush: number, needsReset: boolean) {
    this.#make = make;
    this.#flush = flush;
    this.#needsReset = needsReset;
  }

  /** Returns the length of the result in `output`; undefined unless all of the input was read and room is left. */
  run(input: Uint8Array, output: Uint8Array): number | undefined {
    const coder = this.#open();
    if (!coder) return undefined;
    const { stream, handle, state } = coder;
    if (this.#needsReset) handle.reset();
    handle.writeSync(this.#flush, input, 0, input.length, output, 0, output.length);
    const [free = 0, unread] = state;
    if (!stream.destroyed && unread === 0 && free > 0) return output.length - free;
    this.#coder = undefined;
    stream.destroy();
    return undefined;
  }

  #open(): Coder | undefined {
    if (this.#coder || !this.#isUsable) return this.#coder;
    this.#coder = coderOf(this.#make());
    this.#isUsable = this.#coder !== undefined;
    return this.#coder;
  }
}

const MAGIC = 0xfd2fb528;

/**
 * True if `bytes` are one zstd frame in a single segment, as `zstdCompressSync` writes them: a decoder has then ended when it has
 * read them, and its window is as large as its content (RFC 8878, section 3.1.1).
 */
export function isOneFrame(bytes: Uint8Array): boolean {
  if (bytes.length < 6) return false;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (view.getUint32(0, true) !== MAGIC) return false;
  const descriptor = bytes[4]!;
  // Single segment, and no dictionary.
  if ((descriptor & 0b100011) !== 0b100000) return false;
  let at = 5 + [1, 2, 4, 8][descriptor >> 6]!;
  for (let isLast = false; !isLast; ) {
    if (at + 3 > bytes.length) return false;
    const head = bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16);
    const type = (head >> 1) & 3;
    if (type === 3) return false;
    isLast = (head & 1) === 1;
    at += 3 + (type === 1 ? 1 : head >> 3);
  }
  return at + (descriptor & 4 ? 4 : 0) === bytes.length;
}

/** A function that compresses like `zstdCompressSync` with these options. */
export function zstdCompressor(options: ZstdOptions): (raw: Uint8Array) => Buffer {
  const coder = new ReusedCoder(() => createZstdCompress(options), constants.ZSTD_e_end, false);
  let scratch = Buffer.alloc(0);
  return (raw) => {
    if (raw.length > MOST_BYTES) return zstdCompressSync(raw, options);
    const most = raw.length + growthOf(raw.length);
    if (scratch.length < most) scratch = Buffer.allocUnsafeSlow(2 * most);
    const length = coder.run(raw, scratch);
    return length === undefined ? zstdCompressSync(raw, options) : Buffer.from(scratch.subarray(0, length));
  };
}

/** As `zlib` has it: a long result has memory of its own, which the caller may detach. */
const LEAST_OWN_BYTES = 4096;

const zstdDecoder = new ReusedCoder(() => createZstdDecompress(), constants.ZSTD_e_end, false);

/**
 * Decompresses like `zstdDecompressSync`.
 * @param rawLength of the result, as the caller knows it
 * @throws what that function throws, also when the result is longer
 */
export function zstdDecompress(frame: Uint8Array, rawLength: number, options: ZstdOptions): Buffer {
  if (rawLength <= MOST_BYTES && isOneFrame(frame)) {
    // One byte more, to see whether the result is longer.
    const most = rawLength + 1;
    const isOwn = rawLength >= LEAST_OWN_BYTES;
    const raw = isOwn ? Buffer.allocUnsafeSlow(Math.max(most, Buffer.poolSize)) : Buffer.allocUnsafe(most);
    const length = zstdDecoder.run(frame, raw.subarray(0, most));
    if (length !== undefined) return raw.subarray(0, length);
  }
  return zstdDecompressSync(frame, { ...options, maxOutputLength: rawLength });
}

/** A function that inflates like `inflateRawSync` with these options. */
export function rawInflater(options: ZlibOptions): (packed: Uint8Array) => Buffer {
  const coder = new ReusedCoder(() => createInflateRaw(options), constants.Z_FINISH, true);
  let scratch = Buffer.alloc(0);
  return (packed) => {
    if (packed.length > MOST_BYTES) return inflateRawSync(packed, options);
    if (scratch.length === 0) scratch = Buffer.allocUnsafeSlow(MOST_BYTES);
    const length = coder.run(packed, scratch);
    return length === undefined ? inflateRawSync(packed, options) : Buffer.from(scratch.subarray(0, length));
  };
}
