/**
 * Rows of samples of a 16-bit channel as gzip. Where a row repeats earlier text is known without a search: its time begins
 * as that of the row before, and the text of a value was last written where its count last occurred.
 */
import { crc32 } from 'node:zlib';
import type { SampleArray, SignalChannel } from '../../signals/types.ts';
import { COPIED_BEYOND_END, NUMBER_BYTES, SecondsText, textsOf } from '../count-bytes.ts';
import { BlockWriter, FARTHEST_MATCH, SHORTEST_MATCH } from './block-writer.ts';

const HEADER = Uint8Array.of(0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255);
const TAB = 9;
const LINE_FEED = 10;
const BUFFER_BYTES = 1 << 18;
const COUNTS_OF_16_BITS = 65_536;

export class GzipRows {
  readonly #dimensions: ReturnType<typeof textsOf>[];
  /** Per dimension and count: where its text was last written, in bytes since the start. */
  readonly #last: Float64Array[];
  readonly #rowBytes: number;
  readonly #blocks = new BlockWriter();
  readonly #time = new SecondsText();
  readonly #bytes = new Uint8Array(BUFFER_BYTES);
  readonly #view = new DataView(this.#bytes.buffer);
  /** Bytes before the buffer's first one. */
  #base = 0;
  #at = 0;
  #checked = 0;
  #crc = 0;
  #rows = 0;
  /** Start of the previous row in the buffer, and of its values with the tab before each. */
  #previous = 0;
  readonly #previousTabs: Int32Array;

  constructor(channel: SignalChannel) {
    this.#dimensions = channel.dimensions.map((_, dimension) => textsOf(channel, dimension));
    this.#last = channel.dimensions.map(() => new Float64Array(COUNTS_OF_16_BITS).fill(Number.NEGATIVE_INFINITY));
    this.#previousTabs = new Int32Array(channel.dimensions.length);
    this.#rowBytes = (1 + channel.dimensions.length) * NUMBER_BYTES + COPIED_BEYOND_END;
  }

  /** Yields the bytes of the rows of a page; `times` are microseconds since the start. */
  *rows(times: Float64Array, columns: readonly SampleArray[]): Generator<Uint8Array> {
    for (let i = 0; i < times.length; i++) {
      if (this.#blocks.room < this.#rowBytes) yield this.#blocks.block(false);
      if (this.#at + this.#rowBytes > BUFFER_BYTES) this.#slide();
      this.#row(times[i]!, columns, i);
    }
  }

  /** Returns the end of the file. Without rows it is an empty file. */
  end(): Uint8Array {
    if (this.#rows > 0) this.#blocks.literal(LINE_FEED);
    this.#check();
    const trailer = Buffer.alloc(8);
    trailer.writeUInt32LE(this.#crc, 0);
    trailer.writeUInt32LE((this.#base + this.#at) % 2 ** 32, 4);
    return Buffer.concat([this.#blocks.block(true), trailer]);
  }

  get header(): Uint8Array {
    return HEADER;
  }

  #row(time: number, columns: readonly SampleArray[], i: number): void {
    const view = this.#view;
    const bytes = this.#bytes;
    const start = this.#at;
    let at = this.#time.put(view, start, time);
    this.#startTokens(start, at);
    for (let d = 0; d < this.#dimensions.length; d++) {
      const tab = at;
      bytes[at] = TAB;
      const count = columns[d]![i]!;
      at = this.#dimensions[d]!.put(view, at + 1, count) - 1;
      const last = this.#last[d]!;
      const here = this.#base + tab;
      const distance = here - last[count + 32_768]!;
      last[count + 32_768] = here;
      if (distance <= FARTHEST_MATCH && at - tab >= SHORTEST_MATCH) this.#blocks.match(at - tab, distance);
      else this.#like(tab, at, this.#rows === 0 ? tab : this.#previousTabs[d]!);
      this.#previousTabs[d] = tab;
    }
    bytes[at++] = LINE_FEED;
    this.#previous = start;
    this.#at = at;
    this.#rows += 1;
  }

  /** The line feed of the row before and the time: they repeat the row before that begins with the same digits. */
  #startTokens(start: number, end: number): void {
    if (this.#rows === 0) this.#literals(start, end);
    else if (this.#rows === 1) this.#literals(start - 1, end);
    else this.#like(start - 1, end, this.#previous - 1);
  }

  /** Text that begins as earlier text does. */
  #like(from: number, to: number, earlier: number): void {
    const bytes = this.#bytes;
    let same = 0;
    if (earlier < from) while (from + same < to && bytes[from + same] === bytes[earlier + same]) same++;
    if (same >= SHORTEST_MATCH) this.#blocks.match(same, from - earlier);
    else same = 0;
    this.#literals(from + same, to);
  }

  #literals(from: number, to: number): void {
    for (let i = from; i < to; i++) this.#blocks.literal(this.#bytes[i]!);
  }

  #check(): void {
    this.#crc = crc32(this.#bytes.subarray(this.#checked, this.#at), this.#crc);
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
    for (let d = 0; d < this.#previousTabs.length; d++) this.#previousTabs[d]! -= from;
  }
}
