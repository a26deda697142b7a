/**
 * Rows of samples of a 16-bit channel, compressed (DEFLATE). Where a row repeats earlier text is known without a search: its time
 * begins as that of the row before, and the text of a value was last written where its count last occurred.
 */
import { crc32 } from 'node:zlib';
import type { SampleArray, SignalChannel } from '../../signals/types.ts';
import { COPIED_BEYOND_END, NUMBER_BYTES, SecondsText, textsOf } from '../count-bytes.ts';
import { BlockWriter, LEAST_ROOM, PAIR_OF_ZEROS } from './block-writer.ts';
import { FARTHEST_MATCH, NEAR_DISTANCE, SHORTEST_MATCH } from './codes.ts';
import type { TextListener } from './deflated-text.ts';

const TAB = 9;
const LINE_FEED = 10;
const BUFFER_BYTES = 1 << 16;
const ROWS_AT_ONCE = 1024;
const COUNTS_OF_16_BITS = 65_536;
/** Positions are 32-bit numbers: they start again long before they overflow. */
const POSITIONS = 1 << 30;
const NEVER = -FARTHEST_MATCH - 1;

const rowBytes = (dimensions: number): number => (1 + dimensions) * NUMBER_BYTES + COPIED_BEYOND_END;

export class DeflateRows {
  readonly #dimensions: ReturnType<typeof textsOf>[];
  /** Per dimension and count: where its text was last written, in bytes since `#base` was last zero. */
  readonly #last: Int32Array[];
  readonly #rowBytes: number;
  readonly #blocks = new BlockWriter();
  readonly #time = new SecondsText();
  readonly #bytes = new Uint8Array(BUFFER_BYTES);
  readonly #view = new DataView(this.#bytes.buffer);
  readonly #onText: TextListener | undefined;
  /** Bytes before the buffer's first one. */
  #base = 0;
  #at = 0;
  #checked = 0;
  /** Start of the previous row in the buffer; -1 for none. */
  #previous = -1;
  /** Of the rows at once: the bytes that the time shares with the row before, and the tab before each value, then the line feed. */
  readonly #shared = new Uint8Array(ROWS_AT_ONCE);
  readonly #tabs: Int32Array;
  /** CRC-32 and size of the text so far; complete after {@link end}. */
  crc32 = 0;
  sizeBytes = 0;

  /** True for channels whose counts and rows fit the tables and buffers; others are for zlib. */
  static canWrite({ sampleBits, dimensions }: SignalChannel): boolean {
    return sampleBits === 16 && rowBytes(dimensions.length) <= LEAST_ROOM;
  }

  constructor(channel: SignalChannel, onText?: TextListener) {
    const { dimensions } = channel;
    this.#onText = onText;
    this.#dimensions = dimensions.map((_, dimension) => textsOf(channel, dimension));
    this.#last = dimensions.map(() => new Int32Array(COUNTS_OF_16_BITS).fill(NEVER));
    this.#tabs = new Int32Array((1 + dimensions.length) * ROWS_AT_ONCE);
    this.#rowBytes = rowBytes(dimensions.length);
  }

  /** Yields the bytes of the rows of a page, each piece valid until the next one; `times` are microseconds since the start. */
  *rows(times: Float64Array, columns: readonly SampleArray[]): Generator<Uint8Array> {
    for (let from = 0; from < times.length; ) {
      const room = Math.min(this.#blocks.room, BUFFER_BYTES - this.#at);
      const to = Math.min(times.length, from + ROWS_AT_ONCE, from + Math.floor(room / this.#rowBytes));
      const start = this.#at;
      this.#write(times, columns, from, to);
      this.#compress(start, columns, from, to);
      from = to;
      if (this.#blocks.room < this.#rowBytes) yield this.#blocks.take();
      if (BUFFER_BYTES - this.#at < this.#rowBytes) this.#slide();
    }
  }

  /** Returns the end. Without rows the text is empty. */
  end(): Uint8Array {
    if (this.#previous >= 0) this.#blocks.literal(LINE_FEED);
    this.#check();
    return this.#blocks.end();
  }

  /** Writes the text of rows. */
  #write(times: Float64Array, columns: readonly SampleArray[], from: number, to: number): void {
    const view = this.#view;
    const bytes = this.#bytes;
    const tabs = this.#tabs;
    let tab = 0;
    let at = this.#at;
    for (let i = from; i < to; i++) {
      at = this.#time.put(view, at, times[i]!);
      this.#shared[i - from] = this.#time.sharedBytes;
      for (let d = 0; d < columns.length; d++) {
        bytes[at] = TAB;
        tabs[tab++] = at;
        at = this.#dimensions[d]!.put(view, at + 1, columns[d]![i]!) - 1;
      }
      bytes[at] = LINE_FEED;
      tabs[tab++] = at++;
    }
    this.#at = at;
  }

  /**
   * Compresses the rows that were just written from `start` on. The tokens of most rows are made here, because a call for each
   * takes longer than the token.
   */
  #compress(start: number, columns: readonly SampleArray[], from: number, to: number): void {
    const bytes = this.#bytes;
    const tabs = this.#tabs;
    const base = this.#base;
    const blocks = this.#blocks;
    const { tokens, lengths, near, pairs, lengthCounts, nearCounts, pairCounts } = blocks;
    let tab = 0;
    let at = start;
    let previous = this.#previous;
    let used = blocks.count;
    for (let i = from; i < to; i++) {
      const shared = this.#shared[i - from]!;
      const end = tabs[tab]!;
      const back = at - previous;
      // Nothing lies before the first row, and before the second no line feed.
      if (shared === 0 || previous <= 0 || back > NEAR_DISTANCE) {
        blocks.count = used;
        blocks.literals(bytes, previous < 0 ? at : at - 1, end);
        used = blocks.count;
      } else {
        // The line feed and the time repeat the row before, but for the last digits.
        tokens[used] = lengths[1 + shared]!;
        tokens[used + 1] = near[back]!;
        used += 2;
        lengthCounts[1 + shared]!++;
        nearCounts[back]!++;
        let digit = at + shared;
        if ((end - digit) & 1) {
          tokens[used++] = blocks.literalTokens[bytes[digit]!]!;
          blocks.literalCounts[bytes[digit++]!]!++;
        }
        for (; digit < end; digit += 2) {
          const pair = bytes[digit]! * 10 + bytes[digit + 1]! - PAIR_OF_ZEROS;
          tokens[used++] = pairs[pair]!;
          pairCounts[pair]!++;
        }
      }
      previous = at;
      at = end;
      for (let d = 0; d < columns.length; d++) {
        const last = this.#last[d]!;
        const index = columns[d]![i]! + 32_768;
        const distance = base + at - last[index]!;
        last[index] = base + at;
        const stop = tabs[++tab]!;
        const length = stop - at;
        if (length < SHORTEST_MATCH || distance > FARTHEST_MATCH) {
          blocks.count = used;
          blocks.literals(bytes, at, stop);
          used = blocks.count;
        } else {
          tokens[used] = lengths[length]!;
          lengthCounts[length]!++;
          if (distance <= NEAR_DISTANCE) {
            tokens[used + 1] = near[distance]!;
            nearCounts[distance]!++;
          } else tokens[used + 1] = blocks.far(distance);
          used += 2;
        }
        at = stop;
      }
      tab++;
      at++;
    }
    blocks.count = used;
    this.#previous = previous;
  }

  #check(): void {
    const text = this.#bytes.subarray(this.#checked, this.#at);
    this.crc32 = crc32(text, this.crc32);
    this.sizeBytes += text.length;
    this.#onText?.(text);
    this.#checked = this.#at;
  }

  /** Keeps the text of the previous row and forgets the rest, which matches need only as positions. */
  #slide(): void {
    this.#check();
    const from = Math.max(0, this.#previous - 1);
    this.#bytes.copyWithin(0, from, this.#at);
    this.#base += from;
    this.#at -= from;
    this.#checked -= from;
    this.#previous -= from;
    if (this.#base < POSITIONS) return;
    this.#base = 0;
    for (const last of this.#last) last.fill(NEVER);
  }
}
