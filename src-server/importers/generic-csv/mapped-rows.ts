/**
 * Parses the rows of a delimited text by a mapping, directly from its bytes, into one column batch per channel.
 *
 * A row or cell that cannot be read is counted and leaves a gap: nothing is put in its place.
 */
import type { RowFault, RowFaultKind } from '../../study/recognition.ts';
import { type CsvMapping, type CsvTimeUnit, timeColumnsOf } from '../../vocabulary/csv-mapping.ts';
import { BATCH_ROWS } from '../csv/csv-rows.ts';
import { type DigitColumn, newDigitColumn, parseDigits } from '../csv/digits.ts';
import { damaged } from '../refusals.ts';
import { type Cell, DateTimeParser, microsecondsOf } from './cell-times.ts';
import { ZoneFollower } from './zone-follower.ts';

const MAX_LINE_BYTES = 1 << 16;
const MAX_KEPT_FAULTS = 20;
const MAX_FAULT_CHARACTERS = 40;

const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;
const SPACE = 32;
const QUOTE = 34;

const UNIT_POWERS: Record<CsvTimeUnit, number> = { s: 6, ms: 3, us: 0, ns: -3 };

/** Samples of one channel. Times in microseconds by the file's own clock. */
export interface ChannelRows {
  rows: number;
  times: Float64Array;
  columns: DigitColumn[];
}

/** One row as the preview shows it. Null values are gaps. */
export interface RowListener {
  row(line: number, timeUs: number, cells: (index: number) => string): void;
}

interface RowOptions {
  listener?: RowListener;
  timeZone?: string;
}

export class MappedRows {
  readonly #name: string;
  readonly #mapping: CsvMapping;
  readonly #delimiter: number;
  readonly #decimal: number;
  readonly #cellCount: number;
  readonly #cells: Cell[];
  readonly #missing: string[];
  readonly #longestMissing: number;
  readonly #batch: ChannelRows[];
  readonly #dateTime: DateTimeParser | null;
  readonly #timeCell = newDigitColumn(1);
  readonly #listener: RowListener | undefined;
  readonly #zone: ZoneFollower | null;
  #rest: Uint8Array = new Uint8Array(0);
  #linesToSkip: number;
  #line = 0;
  #lastUs = Number.NEGATIVE_INFINITY;

  /** Rows that are not blank. */
  rows = 0;
  /** Rows of which something could not be read. */
  unreadable = 0;
  /** Cells without a value. */
  missingCells = 0;
  readonly faults: RowFault[] = [];
  /** True when the last line had no end and was not a whole row. */
  isCut = false;
  /** Offset of the first row's time; undefined before it, and where times are numbers. */
  offsetMinutes: number | null | undefined;
  hasOtherOffsets = false;
  firstUs = Number.NaN;

  /** @param timeZone in which times without an offset are read; they may follow its daylight saving */
  constructor(name: string, mapping: CsvMapping, { listener, timeZone }: RowOptions = {}) {
    this.#name = name;
    this.#zone = timeZone === undefined ? null : new ZoneFollower(timeZone);
    this.#mapping = mapping;
    this.#listener = listener;
    this.#delimiter = mapping.delimiter.charCodeAt(0);
    this.#decimal = mapping.decimal.charCodeAt(0);
    const used = [...timeColumnsOf(mapping.time), ...mapping.channels.flatMap(({ columns }) => columns)];
    this.#cellCount = Math.max(0, ...used) + 1;
    this.#cells = Array.from({ length: this.#cellCount }, () => ({ start: 0, stop: 0 }));
    this.#missing = mapping.missing.map((text) => text.trim().toLowerCase()).filter((text) => text !== '');
    this.#longestMissing = Math.max(0, ...this.#missing.map((text) => text.length));
    this.#dateTime = mapping.time.kind === 'DATE_TIME' ? new DateTimeParser(mapping.time.order) : null;
    this.#linesToSkip = mapping.skipLines + (mapping.hasHeader ? 1 : 0);
    this.#batch = mapping.channels.map(({ columns }) => ({
      rows: 0,
      times: new Float64Array(BATCH_ROWS),
      columns: columns.map(() => newDigitColumn(BATCH_ROWS)),
    }));
  }

  /** Changes of daylight saving that the times followed, as sentences. */
  get clockChanges(): readonly string[] {
    return this.#zone?.changes ?? [];
  }

  /** Yields full batches, one entry per channel; each is reused, so it must be consumed before the next. */
  *push(chunk: Uint8Array): Generator<ChannelRows[]> {
    let bytes = chunk;
    if (this.#rest.byteLength > 0) {
      bytes = new Uint8Array(this.#rest.byteLength + chunk.byteLength);
      bytes.set(this.#rest);
      bytes.set(chunk, this.#rest.byteLength);
    }
    const stop = bytes.lastIndexOf(LINE_FEED) + 1;
    if (bytes.byteLength - stop > MAX_LINE_BYTES) {
      throw damaged(this.#name, `line ${this.#line + 1} is longer than any row can be.`);
    }
    let position = 0;
    while (position < stop) {
      const lineEnd = bytes.indexOf(LINE_FEED, position);
      this.#takeLine(bytes, position, lineEnd, true);
      position = lineEnd + 1;
      if (this.#batch.some(({ rows }) => rows === BATCH_ROWS)) yield* this.#take();
    }
    this.#rest = bytes.slice(stop);
  }

  /** Yields the last rows. A last line without an end counts where it is a whole row. */
  *end(): Generator<ChannelRows[]> {
    if (this.#rest.byteLength > 0) {
      const bytes = new Uint8Array(this.#rest.byteLength + 1);
      bytes.set(this.#rest);
      bytes[bytes.byteLength - 1] = LINE_FEED;
      this.#takeLine(bytes, 0, bytes.byteLength - 1, false);
    }
    if (this.#batch.some(({ rows }) => rows > 0)) yield* this.#take();
  }

  *#take(): Generator<ChannelRows[]> {
    yield this.#batch;
    for (const channel of this.#batch) channel.rows = 0;
  }

  #takeLine(bytes: Uint8Array, start: number, lineEnd: number, hasEnd: boolean): void {
    this.#line++;
    if (this.#linesToSkip > 0) {
      this.#linesToSkip--;
      return;
    }
    const stop = lineEnd > start && bytes[lineEnd - 1] === CARRIAGE_RETURN ? lineEnd - 1 : lineEnd;
    if (isBlank(bytes, start, stop)) return;
    const cellCount = this.#split(bytes, start, stop);
    if (!hasEnd && cellCount < this.#cellCount) {
      this.isCut = true;
      return;
    }
    const rowIndex = this.rows++;
    if (cellCount < this.#cellCount) {
      this.#fault('COLUMNS', bytes, { start, stop });
      this.unreadable++;
      return;
    }
    const timeUs = this.#timeOf(bytes, rowIndex);
    if (timeUs === null) {
      this.unreadable++;
      return;
    }
    this.#lastUs = timeUs;
    if (Number.isNaN(this.firstUs)) this.firstUs = timeUs;
    this.#listener?.row(this.#line, timeUs, (index) => textOf(bytes, this.#cells[index]!));
    let isWhole = true;
    for (let c = 0; c < this.#batch.length; c++) isWhole = this.#takeChannel(bytes, c, timeUs) && isWhole;
    if (!isWhole) this.unreadable++;
  }

  /** Finds the cells that the mapping needs; returns how many there are. */
  #split(bytes: Uint8Array, start: number, stop: number): number {
    let position = start;
    let count = 0;
    const isSpaced = this.#delimiter === SPACE;
    while (count < this.#cellCount) {
      if (isSpaced) while (position < stop && bytes[position] === SPACE) position++;
      if (isSpaced && position >= stop) return count;
      const cell = this.#cells[count++]!;
      if (bytes[position] === QUOTE && position < stop) {
        cell.start = position + 1;
        const closing = bytes.indexOf(QUOTE, position + 1);
        cell.stop = closing < 0 || closing > stop ? stop : closing;
        position = cell.stop;
        while (position < stop && bytes[position] !== this.#delimiter) position++;
      } else {
        cell.start = position;
        while (position < stop && bytes[position] !== this.#delimiter) position++;
        cell.stop = position;
      }
      if (position >= stop) return count;
      position++;
    }
    return count;
  }

  #timeOf(bytes: Uint8Array, rowIndex: number): number | null {
    const { time } = this.#mapping;
    let timeUs: number | null;
    const first = time.column === undefined ? undefined : this.#cells[time.column]!;
    if (time.kind === 'DATE_TIME') timeUs = this.#dateTimeUs(bytes, first!, time.timeColumn);
    else if (first === undefined) timeUs = time.kind === 'SAMPLE_NUMBER' ? (rowIndex / time.rateHz) * 1e6 : null;
    else {
      const isNumber = this.#number(bytes, first, this.#timeCell, 0);
      const power = time.kind === 'SAMPLE_NUMBER' ? 0 : UNIT_POWERS[time.unit];
      timeUs = isNumber ? microsecondsOf(this.#timeCell, 0, power) : null;
      if (timeUs !== null && time.kind === 'SAMPLE_NUMBER') timeUs = (timeUs / time.rateHz) * 1e6;
    }
    if (timeUs === null || !(Math.abs(timeUs) <= Number.MAX_SAFE_INTEGER)) {
      this.#fault('TIME', bytes, first ?? { start: 0, stop: 0 }, time.column);
      return null;
    }
    if (timeUs < this.#lastUs) {
      this.#fault('ORDER', bytes, first ?? { start: 0, stop: 0 }, time.column);
      return null;
    }
    return timeUs;
  }

  /** UTC where the cell has an offset, else the wall clock; a file holds one of the two. */
  #dateTimeUs(bytes: Uint8Array, cell: Cell, timeColumn: number | undefined): number | null {
    const parsed = this.#dateTime!.parse(bytes, cell, timeColumn === undefined ? undefined : this.#cells[timeColumn]);
    if (parsed === null) return null;
    const { wallUs, offsetMinutes } = parsed;
    if (this.offsetMinutes === undefined) this.offsetMinutes = offsetMinutes;
    else if ((this.offsetMinutes === null) !== (offsetMinutes === null)) return null;
    else if (this.offsetMinutes !== offsetMinutes) this.hasOtherOffsets = true;
    if (offsetMinutes !== null) return wallUs - offsetMinutes * 60e6;
    return this.#zone ? this.#zone.follow(wallUs) : wallUs;
  }

  /** False when a cell of the channel is not a number. */
  #takeChannel(bytes: Uint8Array, c: number, timeUs: number): boolean {
    const channel = this.#batch[c]!;
    const columns = this.#mapping.channels[c]!.columns;
    for (let d = 0; d < columns.length; d++) {
      const cell = this.#cells[columns[d]!]!;
      if (this.#isMissing(bytes, cell)) {
        this.missingCells++;
        return true;
      }
      if (!this.#number(bytes, cell, channel.columns[d]!, channel.rows)) {
        this.#fault('NUMBER', bytes, cell, columns[d]);
        return false;
      }
    }
    channel.times[channel.rows++] = timeUs;
    return true;
  }

  #isMissing(bytes: Uint8Array, { start, stop }: Cell): boolean {
    if (isBlank(bytes, start, stop)) return true;
    if (stop - start > this.#longestMissing + 8 || this.#missing.length === 0) return false;
    // Nearly every cell begins as a number and is none of the texts.
    const first = bytes[start]!;
    if (first >= 48 && first <= 57 && !this.#missing.some((text) => text.charCodeAt(0) === first)) return false;
    return this.#missing.includes(textOf(bytes, { start, stop }).trim().toLowerCase());
  }

  #number(bytes: Uint8Array, { start, stop }: Cell, column: DigitColumn, row: number): boolean {
    if (start >= stop) return false;
    let position = parseDigits(bytes, start, this.#decimal, column, row);
    if (position < 0) return false;
    while (position < stop && bytes[position] === SPACE) position++;
    return position === stop;
  }

  #fault(kind: RowFaultKind, bytes: Uint8Array, cell: Cell, column?: number): void {
    if (this.faults.length >= MAX_KEPT_FAULTS) return;
    const text = textOf(bytes, cell).slice(0, MAX_FAULT_CHARACTERS);
    this.faults.push({ line: this.#line, kind, ...(column !== undefined && { column }), text });
  }
}

function isBlank(bytes: Uint8Array, start: number, stop: number): boolean {
  for (let i = start; i < stop; i++) if (bytes[i] !== SPACE && bytes[i] !== 9) return false;
  return true;
}

const textOf = (bytes: Uint8Array, { start, stop }: Cell): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset + start, Math.max(0, stop - start)).toString('utf8');
