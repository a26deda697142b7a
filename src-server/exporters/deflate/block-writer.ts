/**
 * Writes DEFLATE blocks (RFC 1951) of literals and matches that the caller has found. zlib searches a match for every byte,
 * which is nearly all of the time of a text export, while rows of samples repeat in places that their writer knows.
 *
 * Each block is written with the Huffman codes that suit the block before it, so a token is its bits at once. Blocks of one
 * file hardly differ, and every symbol has a code.
 */
import {
  DISTANCE_BASE,
  DISTANCE_EXTRA,
  DISTANCES,
  END_OF_BLOCK,
  FAR_CODE,
  FIRST_LENGTH,
  LENGTH_BASE,
  LENGTH_CODE,
  LENGTH_EXTRA,
  LITERALS,
  LONGEST_MATCH,
  NEAR_CODE,
  NEAR_DISTANCE,
  SHORTEST_MATCH,
} from './codes.ts';
import { codesOf, lengthsOf } from './huffman.ts';

/** Few, so that they stay in the processor's cache with what they are made from. */
const TOKENS_AT_ONCE = 16_384;
/** The codes of the first block are a guess, and files differ most at their start: blocks are short there. */
const TOKENS_OF_FIRST_BLOCK = 4096;
const BLOCK_GROWTH = 4;
const MOST_TOKENS_PER_BLOCK = 262_144;
/** Tokens that fit after {@link BlockWriter.take}. */
export const LEAST_ROOM = 512;
const BYTES_PER_TOKEN = 3;
/** The tables, the end of the block, and what the last word overwrites. */
const FURTHER_BYTES = 1024;

/** A token has its bits in the lower 24 bits and their number above: a length of 15 and 5 bits, a distance of 11 and 13. */
const COUNT_SHIFT = 24;
const BITS = 0xff_ffff;
const LONGEST_LITERAL_CODE = 12;
const LONGEST_DISTANCE_CODE = 11;

const THE_LAST = 1;
const NOT_THE_LAST = 0;
const FIXED_CODES = 1;
const OWN_CODES = 2;
const FIXED_END_OF_BLOCK_BITS = 7;

/** Two digits are one token. */
const PAIRS = 100;
const ZERO = 48;
export const PAIR_OF_ZEROS = ZERO * 10 + ZERO;

/** Order in which the lengths of the codes for code lengths are stored. */
const ORDER = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];
const CODE_LENGTHS = 19;
const REPEAT = 16;
const FEW_ZEROS = 17;
const MANY_ZEROS = 18;

/** What text of numbers is expected to hold, per thousand. */
const EXPECTED_DIGITS = 50;
const EXPECTED_LENGTHS = 20;
const EXPECTED_DISTANCES = 20;

export class BlockWriter {
  readonly tokens = new Uint32Array(TOKENS_AT_ONCE);
  count = 0;
  #blockTokens = TOKENS_OF_FIRST_BLOCK;
  /** Tokens until the block ends. */
  #left = TOKENS_OF_FIRST_BLOCK;
  #isInBlock = false;
  /** Tokens of literals, lengths, short distances, and of the start of each distance code. */
  readonly literalTokens = new Uint32Array(256);
  readonly lengths = new Uint32Array(LONGEST_MATCH + 1);
  readonly near = new Uint32Array(NEAR_DISTANCE + 1);
  readonly #distances = new Uint32Array(DISTANCES);
  readonly pairs = new Uint32Array(PAIRS);
  readonly pairCounts = new Uint32Array(PAIRS);
  readonly literalCounts = new Uint32Array(256);
  readonly lengthCounts = new Uint32Array(LONGEST_MATCH + 1);
  readonly nearCounts = new Uint32Array(NEAR_DISTANCE + 1);
  readonly #farCounts = new Uint32Array(DISTANCES);
  #literalLengths: Uint8Array = new Uint8Array(0);
  #distanceLengths: Uint8Array = new Uint8Array(0);
  #endOfBlock = 0;
  readonly #out = new Uint8Array(TOKENS_AT_ONCE * BYTES_PER_TOKEN + FURTHER_BYTES);
  readonly #view = new DataView(this.#out.buffer);
  #at = 0;
  #pending = 0;
  #pendingBits = 0;

  constructor() {
    for (const digit of '0123456789') this.literalCounts[digit.charCodeAt(0)] = EXPECTED_DIGITS;
    this.lengthCounts.fill(EXPECTED_LENGTHS, SHORTEST_MATCH, 32);
    this.#farCounts.fill(EXPECTED_DISTANCES);
    this.#chooseCodes();
  }

  /** Tokens that fit before the bytes must be taken; a match is two. */
  get room(): number {
    return Math.min(TOKENS_AT_ONCE, this.#left) - this.count;
  }

  literal(byte: number): void {
    this.tokens[this.count++] = this.literalTokens[byte]!;
    this.literalCounts[byte]!++;
  }

  /** Adds the digits from `start` to `stop - 1`, most of them in pairs. */
  digits(bytes: Uint8Array, start: number, stop: number): void {
    let at = start;
    if ((stop - start) & 1) this.literal(bytes[at++]!);
    const tokens = this.tokens;
    let count = this.count;
    for (; at < stop; at += 2) {
      const pair = bytes[at]! * 10 + bytes[at + 1]! - PAIR_OF_ZEROS;
      tokens[count++] = this.pairs[pair]!;
      this.pairCounts[pair]!++;
    }
    this.count = count;
  }

  /** Adds the bytes from `start` to `stop - 1`. */
  literals(bytes: Uint8Array, start: number, stop: number): void {
    const tokens = this.tokens;
    const literals = this.literalTokens;
    const counts = this.literalCounts;
    let count = this.count;
    for (let i = start; i < stop; i++) {
      const byte = bytes[i]!;
      tokens[count++] = literals[byte]!;
      counts[byte]!++;
    }
    this.count = count;
  }

  /** @param length 3 to 258; @param distance 1 to 32,768 */
  match(length: number, distance: number): void {
    const count = this.count;
    this.tokens[count] = this.lengths[length]!;
    this.lengthCounts[length]!++;
    if (distance <= NEAR_DISTANCE) {
      this.tokens[count + 1] = this.near[distance]!;
      this.nearCounts[distance]!++;
    } else this.tokens[count + 1] = this.far(distance);
    this.count = count + 2;
  }

  /** Counts a distance beyond the near ones and returns its token. */
  far(distance: number): number {
    const code = FAR_CODE[(distance - 1) >> 7]!;
    this.#farCounts[code]!++;
    return withExtra(this.#distances[code]!, distance - DISTANCE_BASE[code]!, DISTANCE_EXTRA[code]!);
  }

  /** Returns the bytes of all tokens since the last call, valid until the next one; some bits may remain. */
  take(): Uint8Array {
    if (!this.#isInBlock) {
      this.#bits(NOT_THE_LAST | (OWN_CODES << 1), 3);
      this.#tables();
      this.#isInBlock = true;
    }
    this.#body();
    this.#left -= this.count;
    this.count = 0;
    if (this.#left < LEAST_ROOM) {
      this.#endBlock();
      this.#chooseCodes();
      this.#blockTokens = Math.min(MOST_TOKENS_PER_BLOCK, BLOCK_GROWTH * this.#blockTokens);
      this.#left = this.#blockTokens;
    }
    const bytes = this.#out.subarray(0, this.#at);
    this.#at = 0;
    return bytes;
  }

  /** Returns the end of the stream: what {@link take} would, and an empty last block. */
  end(): Uint8Array {
    const bytes = this.take().slice();
    if (this.#isInBlock) this.#endBlock();
    this.#bits(THE_LAST | (FIXED_CODES << 1), 3);
    this.#bits(0, FIXED_END_OF_BLOCK_BITS);
    this.#bits(0, -this.#pendingBits & 7);
    return Buffer.concat([bytes, this.#out.subarray(0, this.#at)]);
  }

  #endBlock(): void {
    this.#bits(this.#endOfBlock & BITS, this.#endOfBlock >>> COUNT_SHIFT);
    this.#isInBlock = false;
  }

  /** Chooses the codes of the next block by what was counted, and makes its tokens. */
  #chooseCodes(): void {
    const literals = new Uint32Array(LITERALS).fill(1);
    for (let byte = 0; byte < 256; byte++) literals[byte]! += this.literalCounts[byte]!;
    for (let length = SHORTEST_MATCH; length <= LONGEST_MATCH; length++) {
      literals[FIRST_LENGTH + LENGTH_CODE[length]!]! += this.lengthCounts[length]!;
    }
    for (let pair = 0; pair < PAIRS; pair++) {
      literals[ZERO + Math.floor(pair / 10)]! += this.pairCounts[pair]!;
      literals[ZERO + (pair % 10)]! += this.pairCounts[pair]!;
    }
    const distances = new Uint32Array(DISTANCES).fill(1);
    for (let code = 0; code < DISTANCES; code++) distances[code]! += this.#farCounts[code]!;
    for (let near = 1; near <= NEAR_DISTANCE; near++) distances[NEAR_CODE[near]!]! += this.nearCounts[near]!;
    for (const counts of [this.pairCounts, this.literalCounts, this.lengthCounts, this.nearCounts, this.#farCounts])
      counts.fill(0);
    this.#literalLengths = lengthsOf(literals, LONGEST_LITERAL_CODE);
    this.#distanceLengths = lengthsOf(distances, LONGEST_DISTANCE_CODE);
    const codes = tokensOf(this.#literalLengths);
    this.literalTokens.set(codes.subarray(0, 256));
    this.#endOfBlock = codes[END_OF_BLOCK]!;
    for (let length = SHORTEST_MATCH; length <= LONGEST_MATCH; length++) {
      const code = LENGTH_CODE[length]!;
      this.lengths[length] = withExtra(codes[FIRST_LENGTH + code]!, length - LENGTH_BASE[code]!, LENGTH_EXTRA[code]!);
    }
    for (let pair = 0; pair < PAIRS; pair++) {
      const second = codes[ZERO + (pair % 10)]!;
      this.pairs[pair] = withExtra(codes[ZERO + Math.floor(pair / 10)]!, second & BITS, second >>> COUNT_SHIFT);
    }
    this.#distances.set(tokensOf(this.#distanceLengths));
    for (let near = 1; near <= NEAR_DISTANCE; near++) {
      const code = NEAR_CODE[near]!;
      this.near[near] = withExtra(this.#distances[code]!, near - DISTANCE_BASE[code]!, DISTANCE_EXTRA[code]!);
    }
  }

  /** @param count at most 24 */
  #bits(value: number, count: number): void {
    this.#view.setUint32(this.#at, this.#pending | (value << this.#pendingBits), true);
    this.#pending |= value << this.#pendingBits;
    this.#pendingBits += count;
    this.#at += this.#pendingBits >>> 3;
    this.#pending >>>= this.#pendingBits & 24;
    this.#pendingBits &= 7;
  }

  /** Code lengths of both alphabets, themselves Huffman coded, with runs of equal ones. */
  #tables(): void {
    const runs = runsOf([...this.#literalLengths, ...this.#distanceLengths]);
    const counts = new Uint32Array(CODE_LENGTHS);
    for (const { symbol } of runs) counts[symbol]!++;
    const codeLengths = lengthsOf(counts, 7);
    const codes = codesOf(codeLengths);
    this.#bits(LITERALS - 257, 5);
    this.#bits(DISTANCES - 1, 5);
    this.#bits(CODE_LENGTHS - 4, 4);
    for (const symbol of ORDER) this.#bits(codeLengths[symbol]!, 3);
    for (const { symbol, extra, bits } of runs) {
      this.#bits(codes[symbol]!, codeLengths[symbol]!);
      this.#bits(extra, bits);
    }
  }

  #body(): void {
    const view = this.#view;
    const tokens = this.tokens;
    const count = this.count;
    let at = this.#at;
    let pending = this.#pending;
    let pendingBits = this.#pendingBits;
    for (let i = 0; i < count; i++) {
      const token = tokens[i]!;
      pending |= (token & BITS) << pendingBits;
      pendingBits += token >>> COUNT_SHIFT;
      view.setUint32(at, pending, true);
      at += pendingBits >>> 3;
      pending >>>= pendingBits & 24;
      pendingBits &= 7;
    }
    this.#at = at;
    this.#pending = pending;
    this.#pendingBits = pendingBits;
  }
}

/** Tokens of the codes of these lengths. */
const tokensOf = (lengths: Uint8Array): Uint32Array =>
  Uint32Array.from(codesOf(lengths), (code, symbol) => code | (lengths[symbol]! << COUNT_SHIFT));

/** A token followed by extra bits. */
const withExtra = (token: number, extra: number, bits: number): number =>
  (token | (extra << (token >>> COUNT_SHIFT))) + (bits << COUNT_SHIFT);

interface LengthRun {
  symbol: number;
  extra: number;
  /** Number of the extra bits. */
  bits: number;
}

/** Writes code lengths as the symbols of their own code. */
function runsOf(lengths: readonly number[]): LengthRun[] {
  const runs: LengthRun[] = [];
  for (let i = 0; i < lengths.length; ) {
    const length = lengths[i]!;
    let run = 1;
    while (run < 138 && lengths[i + run] === length) run++;
    if (length === 0 && run >= 3) {
      runs.push(
        run >= 11 ? { symbol: MANY_ZEROS, extra: run - 11, bits: 7 } : { symbol: FEW_ZEROS, extra: run - 3, bits: 3 },
      );
    } else {
      runs.push({ symbol: length, extra: 0, bits: 0 });
      let repeats = run - 1;
      for (; repeats >= 3; repeats -= Math.min(6, repeats)) {
        runs.push({ symbol: REPEAT, extra: Math.min(6, repeats) - 3, bits: 2 });
      }
      run -= repeats;
    }
    i += run;
  }
  return runs;
}
