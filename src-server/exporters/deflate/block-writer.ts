/**
 * Writes DEFLATE blocks (RFC 1951) of literals and matches that the caller has found. zlib searches a match for every byte,
 * which is nearly all of the time of a text export, while rows of samples repeat in places that their writer knows.
 */
import { codesOf, lengthsOf } from './huffman.ts';

const TOKENS_PER_BLOCK = 32_768;
/** Four codes of at most 15 bits and their extra bits, and the tables of a block. */
const MOST_BYTES_PER_TOKEN = 6;
const MOST_TABLE_BYTES = 512;

const LITERALS = 286;
const DISTANCES = 30;
const END_OF_BLOCK = 256;
const FIRST_LENGTH = 257;
export const SHORTEST_MATCH = 3;
const LONGEST_MATCH = 258;
export const FARTHEST_MATCH = 32_768;
/** Order in which the lengths of the codes for code lengths are stored. */
const ORDER = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];
const CODE_LENGTHS = 19;

/** The base and the number of extra bits of each length or distance code; both grow by the same scheme. */
function ranges(count: number, first: number, plain: number, perStep: number): { base: number[]; extra: number[] } {
  const base: number[] = [];
  const extra: number[] = [];
  let at = first;
  for (let code = 0; code < count; code++) {
    const bits = code < plain ? 0 : Math.floor((code - plain) / perStep) + 1;
    base.push(at);
    extra.push(bits);
    at += 1 << bits;
  }
  return { base, extra };
}

const LENGTH = ranges(28, SHORTEST_MATCH, 8, 4);
// The longest match has a code of its own.
LENGTH.base.push(LONGEST_MATCH);
LENGTH.extra.push(0);
const DISTANCE = ranges(DISTANCES, 1, 4, 2);

const LENGTH_CODE = new Uint8Array(LONGEST_MATCH + 1);
for (const [code, base] of LENGTH.base.entries()) LENGTH_CODE.fill(code, base);
/** Codes of distances up to 256, then of each 128 of the greater ones. */
const NEAR_CODE = new Uint8Array(257);
const FAR_CODE = new Uint8Array(257);
for (const [code, base] of DISTANCE.base.entries()) {
  if (base <= 256) NEAR_CODE.fill(code, base);
  FAR_CODE.fill(code, base <= 256 ? 0 : (base - 1) >> 7);
}
const distanceCode = (distance: number): number =>
  distance <= 256 ? NEAR_CODE[distance]! : FAR_CODE[(distance - 1) >> 7]!;

const LENGTH_BASE = Uint16Array.from(LENGTH.base);
const LENGTH_EXTRA = Uint8Array.from(LENGTH.extra);
const DISTANCE_BASE = Uint16Array.from(DISTANCE.base);
const DISTANCE_EXTRA = Uint8Array.from(DISTANCE.extra);

export class BlockWriter {
  /** Literals as they are; matches as their length times 65,536 and their distance. */
  readonly #tokens = new Uint32Array(TOKENS_PER_BLOCK);
  readonly #literalCounts = new Uint32Array(LITERALS);
  readonly #distanceCounts = new Uint32Array(DISTANCES);
  readonly #out = new Uint8Array(TOKENS_PER_BLOCK * MOST_BYTES_PER_TOKEN + MOST_TABLE_BYTES);
  readonly #view = new DataView(this.#out.buffer);
  #count = 0;
  #at = 0;
  #pending = 0;
  #pendingBits = 0;

  /** Tokens that fit before the block must be taken. */
  get room(): number {
    return TOKENS_PER_BLOCK - this.#count;
  }

  literal(byte: number): void {
    this.#tokens[this.#count++] = byte;
    this.#literalCounts[byte]!++;
  }

  /** @param length 3 to 258; @param distance 1 to 32,768 */
  match(length: number, distance: number): void {
    this.#tokens[this.#count++] = (length << 16) | distance;
    this.#literalCounts[FIRST_LENGTH + LENGTH_CODE[length]!]!++;
    this.#distanceCounts[distanceCode(distance)]!++;
  }

  /** Returns the bytes of a block with all tokens so far; the last block also holds the bits that fill a byte. */
  block(isLast: boolean): Uint8Array {
    this.#literalCounts[END_OF_BLOCK] = 1;
    const literalLengths = lengthsOf(this.#literalCounts, 15);
    const distanceLengths = lengthsOf(this.#distanceCounts, 15);
    // A block without matches still names one distance code.
    if (distanceLengths.every((length) => length === 0)) distanceLengths[0] = 1;
    this.#bits(isLast ? 1 : 0, 1);
    this.#bits(2, 2);
    this.#tables(literalLengths, distanceLengths);
    this.#body(literalLengths, distanceLengths);
    if (isLast) this.#bits(0, (8 - (this.#pendingBits & 7)) & 7);
    while (this.#pendingBits >= 8) {
      this.#out[this.#at++] = this.#pending;
      this.#pending >>>= 8;
      this.#pendingBits -= 8;
    }
    const bytes = this.#out.slice(0, this.#at);
    this.#at = 0;
    this.#count = 0;
    this.#literalCounts.fill(0);
    this.#distanceCounts.fill(0);
    return bytes;
  }

  #bits(value: number, count: number): void {
    this.#pending |= value << this.#pendingBits;
    this.#pendingBits += count;
    while (this.#pendingBits >= 8) {
      this.#out[this.#at++] = this.#pending;
      this.#pending >>>= 8;
      this.#pendingBits -= 8;
    }
  }

  /** Code lengths of both alphabets, themselves Huffman coded; zeros in runs. */
  #tables(literalLengths: Uint8Array, distanceLengths: Uint8Array): void {
    const lengths = [...literalLengths, ...distanceLengths];
    const runs: [symbol: number, extra: number, bits: number][] = [];
    for (let i = 0; i < lengths.length; ) {
      let run = 1;
      while (lengths[i] === 0 && lengths[i + run] === 0 && run < 138) run++;
      if (run >= 11) runs.push([18, run - 11, 7]);
      else if (run >= 3) runs.push([17, run - 3, 3]);
      else {
        run = 1;
        runs.push([lengths[i]!, 0, 0]);
      }
      i += run;
    }
    const counts = new Uint32Array(CODE_LENGTHS);
    for (const [symbol] of runs) counts[symbol]!++;
    const codeLengths = lengthsOf(counts, 7);
    const codes = codesOf(codeLengths);
    this.#bits(LITERALS - 257, 5);
    this.#bits(DISTANCES - 1, 5);
    this.#bits(CODE_LENGTHS - 4, 4);
    for (const symbol of ORDER) this.#bits(codeLengths[symbol]!, 3);
    for (const [symbol, extra, bits] of runs) {
      this.#bits(codes[symbol]!, codeLengths[symbol]!);
      this.#bits(extra, bits);
    }
  }

  #body(literalLengths: Uint8Array, distanceLengths: Uint8Array): void {
    const literalCodes = codesOf(literalLengths);
    const distanceCodes = codesOf(distanceLengths);
    const out = this.#view;
    const tokens = this.#tokens;
    let at = this.#at;
    let pending = this.#pending;
    let bits = this.#pendingBits;
    for (let i = 0; i < this.#count; i++) {
      const token = tokens[i]!;
      const length = token >>> 16;
      const symbol = length === 0 ? token : FIRST_LENGTH + LENGTH_CODE[length]!;
      pending |= literalCodes[symbol]! << bits;
      bits += literalLengths[symbol]!;
      if (length !== 0) {
        const distance = token & 0xffff;
        const lengthCode = symbol - FIRST_LENGTH;
        // Below 16 pending bits there is room for one code of 15 bits, or for extra bits.
        if (bits >= 16) {
          out.setUint16(at, pending, true);
          at += 2;
          pending >>>= 16;
          bits -= 16;
        }
        pending |= (length - LENGTH_BASE[lengthCode]!) << bits;
        bits += LENGTH_EXTRA[lengthCode]!;
        if (bits >= 16) {
          out.setUint16(at, pending, true);
          at += 2;
          pending >>>= 16;
          bits -= 16;
        }
        const code = distanceCode(distance);
        pending |= distanceCodes[code]! << bits;
        bits += distanceLengths[code]!;
        if (bits >= 16) {
          out.setUint16(at, pending, true);
          at += 2;
          pending >>>= 16;
          bits -= 16;
        }
        pending |= (distance - DISTANCE_BASE[code]!) << bits;
        bits += DISTANCE_EXTRA[code]!;
      }
      if (bits >= 16) {
        out.setUint16(at, pending, true);
        at += 2;
        pending >>>= 16;
        bits -= 16;
      }
    }
    this.#at = at;
    this.#pending = pending;
    this.#pendingBits = bits;
    this.#bits(literalCodes[END_OF_BLOCK]!, literalLengths[END_OF_BLOCK]!);
  }
}
