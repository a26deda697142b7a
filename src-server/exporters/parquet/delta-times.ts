/**
 * The DELTA_BINARY_PACKED encoding of sample times, in number arithmetic: times lie below 2^53, and the differences of a sensor's
 * times vary by a few microseconds, so that 32 of them take a few bytes. hyparquet-writer packs 64-bit values as BigInt, which
 * took a third of the time of an export.
 * https://github.com/apache/parquet-format/blob/master/Encodings.md#delta-encoding-delta_binary_packed--5
 */

const BLOCK = 128;
const MINIBLOCKS = 4;
const MINIBLOCK = BLOCK / MINIBLOCKS;
/** Wider differences occur once per gap and are packed as BigInt. */
const WIDEST_FAST_BITS = 25;
/** Minimum, four widths, and 128 differences of 64 bits. */
const MOST_BLOCK_BYTES = 10 + MINIBLOCKS + BLOCK * 8;
const HEADER_BYTES = 32;

/** Encodes whole numbers below 2^53 as INT64 values. Keeps its buffer, so that the result is valid until the next call. */
export class TimePacker {
  #bytes = new Uint8Array(0);
  #at = 0;
  readonly #deltas = new Float64Array(BLOCK);

  pack(times: Float64Array): Uint8Array {
    const room = HEADER_BYTES + Math.ceil(times.length / BLOCK) * MOST_BLOCK_BYTES;
    if (this.#bytes.length < room) this.#bytes = new Uint8Array(room);
    this.#at = 0;
    this.#varint(BLOCK);
    this.#varint(MINIBLOCKS);
    this.#varint(times.length);
    this.#zigzag(times[0] ?? 0);
    for (let from = 1; from < times.length; from += BLOCK) this.#block(times, from);
    return this.#bytes.subarray(0, this.#at);
  }

  #block(times: Float64Array, from: number): void {
    const count = Math.min(BLOCK, times.length - from);
    const deltas = this.#deltas;
    let least = Number.POSITIVE_INFINITY;
    for (let i = 0; i < count; i++) {
      const delta = times[from + i]! - times[from + i - 1]!;
      deltas[i] = delta;
      if (delta < least) least = delta;
    }
    // Unused places of the last miniblock are zero.
    deltas.fill(least, count);
    this.#zigzag(least);
    const widthsAt = this.#at;
    this.#at += MINIBLOCKS;
    for (let m = 0; m < MINIBLOCKS; m++) {
      const first = m * MINIBLOCK;
      let most = 0;
      for (let i = first; i < first + MINIBLOCK; i++) {
        const over = deltas[i]! - least;
        deltas[i] = over;
        if (over > most) most = over;
      }
      const width = most === 0 ? 0 : most < 2 ** 31 ? 32 - Math.clz32(most) : Math.floor(Math.log2(most)) + 1;
      // A logarithm rounds up just below a power of two; one bit more than needed is valid.
      this.#bytes[widthsAt + m] = width;
      if (width <= WIDEST_FAST_BITS) this.#packNarrow(first, width);
      else this.#packWide(first, width);
    }
  }

  #packNarrow(first: number, width: number): void {
    if (width === 0) return;
    const deltas = this.#deltas;
    const bytes = this.#bytes;
    let at = this.#at;
    let pending = 0;
    let bits = 0;
    for (let i = first; i < first + MINIBLOCK; i++) {
      pending |= deltas[i]! << bits;
      bits += width;
      while (bits >= 8) {
        bytes[at++] = pending;
        pending >>>= 8;
        bits -= 8;
      }
    }
    this.#at = at;
  }

  #packWide(first: number, width: number): void {
    let pending = 0n;
    let bits = 0;
    for (let i = first; i < first + MINIBLOCK; i++) {
      pending |= BigInt(this.#deltas[i]!) << BigInt(bits);
      bits += width;
      while (bits >= 8) {
        this.#bytes[this.#at++] = Number(pending & 0xffn);
        pending >>= 8n;
        bits -= 8;
      }
    }
  }

  #varint(value: number): void {
    let rest = value;
    while (rest >= 0x80) {
      this.#bytes[this.#at++] = (rest % 0x80) + 0x80;
      rest = Math.floor(rest / 0x80);
    }
    this.#bytes[this.#at++] = rest;
  }

  /** Doubled values may exceed 2^53, so large ones count in BigInt. */
  #zigzag(value: number): void {
    if (Math.abs(value) < 2 ** 51) {
      this.#varint(value < 0 ? -value * 2 - 1 : value * 2);
      return;
    }
    let rest = BigInt(value) * 2n;
    if (value < 0) rest = -rest - 1n;
    while (rest >= 0x80n) {
      this.#bytes[this.#at++] = Number(rest & 0x7fn) | 0x80;
      rest >>= 7n;
    }
    this.#bytes[this.#at++] = Number(rest);
  }
}
