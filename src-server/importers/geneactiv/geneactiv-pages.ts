/** The pages of a GENEActiv file: ten lines each, the last of them 300 samples as hexadecimal text. */
import type { FileHandle } from 'node:fs/promises';
import { throwIfAborted } from '../refusals.ts';
import { readFully } from '../source-bytes.ts';
import { wallTime } from './geneactiv-head.ts';

export const PAGE_LINE = 'Recorded Data';
const SAMPLE_DIGITS = 12;
const SAMPLES = 300;
const CHUNK_BYTES = 1 << 20;
/** Longer lines are damage: samples take 3600 digits, and comments at most some hundred. */
const MAX_LINE_BYTES = 8192;

/** One page, in memory that the next page overwrites. */
export interface GeneactivPage {
  serial: string;
  sequence: number;
  /** Device's clock as if it were UTC. */
  timeUs: number;
  temperature: number;
  batteryV: number;
  count: number;
  /** x, y, z and light. */
  columns: [Int32Array, Int32Array, Int32Array, Int32Array];
  buttons: Uint8Array;
  /** Whether samples are missing at its end, as in the last page of a copy that broke off. */
  isCut: boolean;
}

/** Digits of hexadecimal text to their values; 255 for every other byte. */
const DIGITS = new Uint8Array(256).fill(255);
for (let i = 0; i < 16; i++) {
  DIGITS[i.toString(16).charCodeAt(0)] = i;
  DIGITS[i.toString(16).toUpperCase().charCodeAt(0)] = i;
}

const newPage = (): GeneactivPage => ({
  serial: '',
  sequence: -1,
  timeUs: Number.NaN,
  temperature: Number.NaN,
  batteryV: Number.NaN,
  count: 0,
  columns: [new Int32Array(SAMPLES), new Int32Array(SAMPLES), new Int32Array(SAMPLES), new Int32Array(SAMPLES)],
  buttons: new Uint8Array(SAMPLES),
  isCut: false,
});

/** Collects the lines of pages. */
class PageLines {
  readonly page = newPage();
  /** -1 between pages, else the number of lines since `Recorded Data`. */
  #line = -1;
  damagedPages = 0;

  /** Returns true when a page is complete. */
  take(bytes: Buffer, from: number, to: number, isLast: boolean): boolean {
    const { page } = this;
    if (to - from < 40 && bytes.toString('latin1', from, to).trim() === PAGE_LINE) {
      if (this.#line >= 0) this.damagedPages++;
      Object.assign(page, {
        serial: '',
        sequence: -1,
        timeUs: Number.NaN,
        temperature: Number.NaN,
        batteryV: Number.NaN,
      });
      this.#line = 0;
      return false;
    }
    if (this.#line < 0) return false;
    this.#line++;
    if (this.#line < 9) {
      this.#fact(bytes.toString('latin1', from, to));
      return false;
    }
    this.#line = -1;
    const isWhole = this.#samples(bytes, from, to, isLast);
    if (!isWhole || page.sequence < 0 || Number.isNaN(page.timeUs)) {
      this.damagedPages++;
      return false;
    }
    return page.count > 0;
  }

  /** A page that the end of the file cut before its samples. */
  end(): void {
    if (this.#line >= 0) this.damagedPages++;
  }

  #fact(line: string): void {
    const { page } = this;
    const colon = line.indexOf(':');
    const value = line.slice(colon + 1).trim();
    switch (line.slice(0, colon)) {
      case 'Device Unique Serial Code':
        page.serial = value;
        break;
      case 'Sequence Number':
        page.sequence = /^\d{1,10}$/.test(value) ? Number(value) : -1;
        break;
      case 'Page Time': {
        const wall = wallTime(value);
        if (wall) page.timeUs = Number(wall.toZonedDateTime('UTC').epochNanoseconds / 1000n);
        break;
      }
      case 'Temperature':
        page.temperature = numberOf(value);
        break;
      case 'Battery voltage':
        page.batteryV = numberOf(value);
        break;
      default:
    }
  }

  #samples(bytes: Buffer, from: number, to: number, isLast: boolean): boolean {
    const { page } = this;
    const [x, y, z, light] = page.columns;
    const digits = to - from;
    page.isCut = digits !== SAMPLES * SAMPLE_DIGITS;
    // Only the last line of a file may be short: elsewhere nobody knows which digits are missing.
    if (page.isCut && (!isLast || digits > SAMPLES * SAMPLE_DIGITS)) return false;
    page.count = Math.floor(digits / SAMPLE_DIGITS);
    let bad = 0;
    let p = from;
    for (let i = 0; i < page.count; i++, p += SAMPLE_DIGITS) {
      const high = word(bytes, p);
      const low = word(bytes, p + 6);
      bad |= high | low;
      x[i] = (high << 8) >> 20;
      y[i] = (high << 20) >> 20;
      z[i] = (low << 8) >> 20;
      light[i] = (low >> 2) & 0x3ff;
      page.buttons[i] = (low >> 1) & 1;
    }
    return bad >= 0;
  }
}

/** Six digits as a number of 24 bits; negative when one is none. */
function word(bytes: Buffer, p: number): number {
  const a = DIGITS[bytes[p]!]!;
  const b = DIGITS[bytes[p + 1]!]!;
  const c = DIGITS[bytes[p + 2]!]!;
  const d = DIGITS[bytes[p + 3]!]!;
  const e = DIGITS[bytes[p + 4]!]!;
  const f = DIGITS[bytes[p + 5]!]!;
  return (a | b | c | d | e | f) > 15 ? -1 : (a << 20) | (b << 16) | (c << 12) | (d << 8) | (e << 4) | f;
}

function numberOf(text: string): number {
  const plain = text.replace(',', '.');
  return /^-?\d{1,4}(?:\.\d+)?$/.test(plain) ? Number(plain) : Number.NaN;
}

export interface PageWalk {
  handle: FileHandle;
  sizeBytes: number;
  /** Where the first `Recorded Data` line begins. */
  startOffset: number;
  signal: AbortSignal | undefined;
  onProgress?: (doneBytes: number) => void;
}

/** Yields what `onPage` makes of every whole page, and returns how many were damaged. */
export async function* walkPages<T>(walk: PageWalk, onPage: (page: GeneactivPage) => T[]): AsyncGenerator<T, number> {
  const lines = new PageLines();
  const bytes = Buffer.alloc(CHUNK_BYTES + MAX_LINE_BYTES);
  let kept = 0;
  let position = walk.startOffset;
  while (position < walk.sizeBytes) {
    throwIfAborted(walk.signal);
    const read = await readFully(walk.handle, bytes.subarray(kept, kept + CHUNK_BYTES), position);
    if (read === 0) break;
    position += read;
    const end = kept + read;
    const isEnd = position >= walk.sizeBytes;
    let from = 0;
    for (;;) {
      const found = bytes.subarray(0, end).indexOf(0x0a, from);
      if (found < 0 && !isEnd) break;
      const to = found < 0 ? end : found;
      if (to > from || found >= 0) {
        const stop = to > from && bytes[to - 1] === 0x0d ? to - 1 : to;
        if (lines.take(bytes, from, stop, found < 0)) yield* onPage(lines.page);
      }
      if (found < 0) {
        from = end;
        break;
      }
      from = found + 1;
    }
    // A line without an end is damage: its beginning is as good as its whole.
    if (end - from > MAX_LINE_BYTES) from = end - MAX_LINE_BYTES;
    bytes.copyWithin(0, from, end);
    kept = end - from;
    walk.onProgress?.(position);
  }
  lines.end();
  return lines.damagedPages;
}
