/**
 * Parses the rows of a numeric CSV directly from its bytes.
 *
 * A file of 2 GB has 30 million rows, so no strings are made: each cell becomes its digits (see `digits.ts`) in columnar batches.
 */
import { OutpostError } from '../../errors.ts';
import { damaged } from '../refusals.ts';
import { MICROSECONDS, type TimeUnit } from '../units.ts';
import { type DigitColumn, newDigitColumn, parseDigits } from './digits.ts';

const CELL_FAULTS = {
  [-1]: 'has a value that is not a number',
  [-2]: 'has a broken exponent',
  [-3]: 'has a value out of range',
};

export const BATCH_ROWS = 8192;
const MAX_LINE_BYTES = 4096;
/** Editors leave a few blank lines; millions compress to nothing and would keep the parser busy. */
const MAX_BLANK_LINES = 1000;
/** Nanoseconds have 19 digits. Longer numbers are parsed too, so that the error can name the year. */
const MAX_TIME_DIGITS = 22;
const MAX_ISO_CHARACTERS = 40;
const ISO_TIME = /^(\d{4}-\d\d-\d\d[T ]\d\d:\d\d):(\d\d)(?:\.(\d{1,9}))?(Z|[+-]\d\d:\d\d)?$/;

const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;
const COMMA = 44;
const POINT = 46;
const ZERO = 48;
const NINE = 57;

export interface CsvBatch {
  /** 1-based number of the first row after the header. */
  firstRow: number;
  rows: number;
  /** The first column in microseconds since the epoch, rounded. */
  times: Float64Array;
  columns: DigitColumn[];
}

function newBatch(columns: number): CsvBatch {
  return {
    firstRow: 1,
    rows: 0,
    times: new Float64Array(BATCH_ROWS),
    columns: Array.from({ length: columns }, () => newDigitColumn(BATCH_ROWS)),
  };
}

/** A row that cannot be read; the next one may be whole. */
class BadRow extends Error {}

/** Parses chunks of bytes into batches of rows, without the header line (see `splitHeader`). */
export class CsvRowReader {
  readonly #path: string;
  readonly #batch: CsvBatch;
  /** Null where times are text. */
  readonly #timePower: number | null;
  #rest: Uint8Array = new Uint8Array(0);
  #nextRow = 1;
  #blankLines = 0;
  /** True when the last row had no line end. */
  unterminated = false;
  /** Rows that could not be read, and what is wrong with the first: `row 3 has ...`. */
  badRows = 0;
  firstFault: string | null = null;

  constructor(path: string, valueColumns: number, timeUnit: TimeUnit = MICROSECONDS) {
    this.#path = path;
    this.#timePower = timeUnit.kind === 'number' ? timeUnit.power : null;
    this.#batch = newBatch(valueColumns);
  }

  /** Yields full batches; each is reused, so it must be consumed before the next. */
  *push(chunk: Uint8Array): Generator<CsvBatch> {
    let bytes = chunk;
    if (this.#rest.byteLength > 0) {
      bytes = new Uint8Array(this.#rest.byteLength + chunk.byteLength);
      bytes.set(this.#rest);
      bytes.set(chunk, this.#rest.byteLength);
    }
    const stop = bytes.lastIndexOf(LINE_FEED) + 1;
    if (bytes.byteLength - stop > MAX_LINE_BYTES) throw this.#refusal('is longer than any row of numbers can be');
    let position = 0;
    while (position < stop) {
      position = this.#parseRows(bytes, position, stop);
      if (this.#batch.rows === BATCH_ROWS) yield* this.#take();
    }
    this.#rest = bytes.slice(stop);
  }

  /** Yields the last rows, also one without a line end. */
  *end(): Generator<CsvBatch> {
    if (this.#rest.byteLength > 0) {
      this.unterminated = true;
      yield* this.push(Uint8Array.of(LINE_FEED));
    }
    if (this.#batch.rows > 0) yield* this.#take();
  }

  *#take(): Generator<CsvBatch> {
    this.#batch.firstRow = this.#nextRow - this.#batch.rows;
    yield this.#batch;
    this.#batch.rows = 0;
  }

  #bad(what: string): BadRow {
    return new BadRow(`row ${this.#nextRow} ${what}`);
  }

  #refusal(what: string): OutpostError {
    return damaged(this.#path, `${this.#bad(what).message}.`);
  }

  /** Parses whole lines from `position` until the batch is full; returns the next position. */
  #parseRows(bytes: Uint8Array, start: number, stop: number): number {
    const batch = this.#batch;
    let position = start;
    while (position < stop && batch.rows < BATCH_ROWS) {
      const byte = bytes[position];
      try {
        if (byte === LINE_FEED || byte === CARRIAGE_RETURN) {
          position = this.#skipBlankLine(bytes, position);
          continue;
        }
        position = this.#parseRow(bytes, position);
        batch.rows++;
      } catch (thrown) {
        if (!(thrown instanceof BadRow)) throw thrown;
        this.badRows++;
        this.firstFault ??= thrown.message;
        position = bytes.indexOf(LINE_FEED, position) + 1;
      }
      this.#nextRow++;
    }
    return position;
  }

  /** Reads one row into the batch's next place; returns the position behind its line end. */
  #parseRow(bytes: Uint8Array, start: number): number {
    const { columns, rows } = this.#batch;
    const columnCount = columns.length;
    let position = start;
    position = this.#timePower === null ? this.#parseIsoTime(bytes, position) : this.#parseTime(bytes, position);
    for (let c = 0; c < columnCount; c++) {
      if (bytes[position] !== COMMA) throw this.#bad(`has ${c + 1} columns where ${columnCount + 1} are named`);
      position = this.#parseCell(bytes, position + 1, columns[c]!, rows);
    }
    let byte = bytes[position];
    if (byte === CARRIAGE_RETURN) byte = bytes[++position];
    if (byte !== LINE_FEED) throw this.#bad(`has something after its ${columnCount + 1} columns`);
    return position + 1;
  }

  /** A decimal number in any time unit, converted to microseconds by shifting digits, without rounding to a double. */
  #parseTime(bytes: Uint8Array, start: number): number {
    const power = this.#timePower as number;
    let position = start;
    while (bytes[position]! >= ZERO && bytes[position]! <= NINE) position++;
    const wholeStop = position;
    if (bytes[position] === POINT) position++;
    const fractionStart = position;
    while (bytes[position]! >= ZERO && bytes[position]! <= NINE) position++;
    const wholeDigits = wholeStop - start;
    if (wholeDigits === 0 || wholeDigits > MAX_TIME_DIGITS || bytes[position] !== COMMA) {
      throw this.#bad('has a time that is not a number');
    }
    let time = 0;
    const kept = power < 0 ? Math.max(0, wholeDigits + power) : wholeDigits;
    for (let at = start; at < start + kept; at++) time = time * 10 + (bytes[at]! - ZERO);
    for (let i = 0; i < power; i++) {
      const at = fractionStart + i;
      time = time * 10 + (at < position ? bytes[at]! - ZERO : 0);
    }
    const next = power < 0 ? start + kept : fractionStart + power;
    const stop = power < 0 ? wholeStop : position;
    if (next < stop && bytes[next]! - ZERO >= 5) time++;
    this.#batch.times[this.#batch.rows] = time;
    return position;
  }

  /** `2020-01-21T22:50:12.385Z` or with an offset. Local times are rejected: they run backwards when clocks go back. */
  #parseIsoTime(bytes: Uint8Array, start: number): number {
    const comma = bytes.indexOf(COMMA, start);
    const stop = comma < 0 || comma - start > MAX_ISO_CHARACTERS ? start + MAX_ISO_CHARACTERS : comma;
    const text = String.fromCharCode(...bytes.subarray(start, stop));
    const parts = ISO_TIME.exec(text);
    if (!parts) throw this.#bad(`has the time "${text.split(/[,\r\n]/, 1)[0]}", which is not ISO 8601`);
    const [, minutes = '', seconds = '', fraction = '', offset] = parts;
    if (offset === undefined) {
      throw this.#bad('has a time without Z or a UTC offset such as +09:00, so it cannot be placed');
    }
    const wholeMs = Date.parse(`${minutes.replace(' ', 'T')}:${seconds}${offset}`);
    if (Number.isNaN(wholeMs)) throw this.#bad(`has the time "${text}", which is not a valid date`);
    this.#batch.times[this.#batch.rows] = wholeMs * 1000 + Math.round(Number(`0.${fraction || '0'}`) * 1e6);
    return stop;
  }

  #skipBlankLine(bytes: Uint8Array, start: number): number {
    const position = bytes[start] === CARRIAGE_RETURN ? start + 1 : start;
    if (bytes[position] !== LINE_FEED) throw this.#bad('is not made of numbers');
    if (++this.#blankLines > MAX_BLANK_LINES) throw this.#refusal(`follows more than ${MAX_BLANK_LINES} blank lines`);
    return position + 1;
  }

  #parseCell(bytes: Uint8Array, start: number, column: DigitColumn, row: number): number {
    const position = parseDigits(bytes, start, POINT, column, row);
    if (position >= 0) return position;
    throw this.#bad(`${CELL_FAULTS[position as keyof typeof CELL_FAULTS]} in column ${this.#columnOf(column)}`);
  }

  #columnOf(column: DigitColumn): number {
    return this.#batch.columns.indexOf(column) + 2;
  }
}

/** Splits a CSV into its header line (without BOM, line end and quotes) and the rest. */
export async function splitHeader(
  path: string,
  chunks: AsyncIterable<Uint8Array>,
): Promise<{ header: string; rest: AsyncGenerator<Uint8Array> }> {
  const iterator = chunks[Symbol.asyncIterator]();
  let gathered = Buffer.alloc(0);
  let lineEnd = -1;
  while (lineEnd < 0) {
    const next = await iterator.next();
    if (next.done) break;
    gathered = Buffer.concat([gathered, next.value]);
    lineEnd = gathered.indexOf(LINE_FEED);
    if (lineEnd > MAX_LINE_BYTES || (lineEnd < 0 && gathered.byteLength > MAX_LINE_BYTES)) {
      await iterator.return?.();
      throw damaged(path, 'its first line is far longer than a header.');
    }
  }
  if (gathered.byteLength === 0) throw new OutpostError('FILE_EMPTY', `${path} is empty. Nothing was imported.`);
  const line = lineEnd < 0 ? gathered : gathered.subarray(0, lineEnd);
  const header = line
    .toString('utf8')
    .replace(/^\ufeff/, '')
    .replace(/\r$/, '');
  const first = lineEnd < 0 ? Buffer.alloc(0) : gathered.subarray(lineEnd + 1);
  async function* rest(): AsyncGenerator<Uint8Array> {
    try {
      if (first.byteLength > 0) yield first;
      for (;;) {
        const next = await iterator.next();
        if (next.done) return;
        yield next.value;
      }
    } finally {
      await iterator.return?.();
    }
  }
  return { header, rest: rest() };
}
