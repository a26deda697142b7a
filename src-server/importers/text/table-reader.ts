/**
 * Reads the rows of a text table of any separator, straight from its bytes, and continues behind damage: a row that is no row of the
 * table is counted and left out. Rows come in batches of columns, as in `csv-rows.ts`, which makes no strings.
 */
import { BATCH_ROWS } from '../csv/csv-rows.ts';
import { type DigitColumn, newDigitColumn, parseDigits } from '../csv/digits.ts';
import { wallClockUs } from './wall-clock.ts';

const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;
const SPACE = 32;
const TAB = 9;
/** A longer line is no row: it is passed over without being held. */
const MAX_LINE_BYTES = 1 << 16;
/** What programs write for a value that is not there. */
const MISSING = /^(?:nan|na|n\/a|null|none|-)?$/i;
const LONGEST_MISSING = 4;

export interface TableShape {
  /** Byte between cells. */
  separator: number;
  /** Byte before decimals. */
  decimal: number;
  /** Cells of a full row; a separator may follow the last. */
  width: number;
  /** Cells of the shortest row: some programs leave out empty ones at the end. */
  leastWidth: number;
  /** Places of the columns of numbers. */
  numbers: readonly number[];
  /** Place of a column with wall-clock times; null without one. */
  clock: number | null;
  /** Rows whose time cannot be read are kept, with NaN for it. */
  keepsUntimed?: true;
}

export interface TableBatch {
  rows: number;
  /** As in `TableShape.numbers`. */
  columns: DigitColumn[];
  /** Per column, 1 where the cell is empty. */
  absent: Uint8Array[];
  /** The wall clock as if it were UTC, microseconds. */
  clockUs: Float64Array;
  /** Damaged rows so far, before each row: a step between two rows says that some lie between them. */
  badRowsBefore: Float64Array;
  /** No row follows. Else the last row comes again as the first of the next batch, so that each row is seen beside the next. */
  isEnd: boolean;
}

export class TableReader {
  readonly #shape: TableShape;
  readonly #batch: TableBatch;
  /** Per cell: its place in `columns`, or -1. */
  readonly #places: number[];
  #rest: Uint8Array = new Uint8Array(0);
  #isInLongLine = false;
  badRows = 0;
  /** The file ended without a line end. That row is left out: its last number may have been cut. */
  isCut = false;

  constructor(shape: TableShape) {
    this.#shape = shape;
    this.#places = Array.from({ length: shape.width }, (_, cell) => shape.numbers.indexOf(cell));
    this.#batch = {
      rows: 0,
      columns: shape.numbers.map(() => newDigitColumn(BATCH_ROWS)),
      absent: shape.numbers.map(() => new Uint8Array(BATCH_ROWS)),
      clockUs: new Float64Array(shape.clock === null ? 0 : BATCH_ROWS),
      badRowsBefore: new Float64Array(BATCH_ROWS),
      isEnd: false,
    };
  }

  /** Yields full batches; each is reused, so it must be consumed before the next. */
  *push(chunk: Uint8Array): Generator<TableBatch> {
    let bytes = chunk;
    if (this.#rest.byteLength > 0) {
      bytes = new Uint8Array(this.#rest.byteLength + chunk.byteLength);
      bytes.set(this.#rest);
      bytes.set(chunk, this.#rest.byteLength);
    }
    let start = 0;
    for (let stop = bytes.indexOf(LINE_FEED); stop >= 0; stop = bytes.indexOf(LINE_FEED, start)) {
      if (this.#isInLongLine) this.#isInLongLine = false;
      else if (stop - start > MAX_LINE_BYTES) this.badRows++;
      else this.#takeLine(bytes, start, stop);
      start = stop + 1;
      if (this.#batch.rows === BATCH_ROWS) yield* this.#hand();
    }
    this.#rest = bytes.slice(start);
    if (this.#rest.byteLength > MAX_LINE_BYTES) {
      if (!this.#isInLongLine) this.badRows++;
      this.#isInLongLine = true;
      this.#rest = new Uint8Array(0);
    }
  }

  *end(): Generator<TableBatch> {
    this.isCut = this.#isInLongLine || this.#rest.some((byte) => byte !== SPACE && byte !== TAB);
    this.#batch.isEnd = true;
    if (this.#batch.rows > 0) yield this.#batch;
  }

  *#hand(): Generator<TableBatch> {
    const batch = this.#batch;
    yield batch;
    const last = BATCH_ROWS - 1;
    for (const { high, low, form } of batch.columns) {
      high[0] = high[last]!;
      low[0] = low[last]!;
      form[0] = form[last]!;
    }
    for (const absent of batch.absent) absent[0] = absent[last]!;
    if (batch.clockUs.length > 0) batch.clockUs[0] = batch.clockUs[last]!;
    batch.badRowsBefore[0] = batch.badRowsBefore[last]!;
    batch.rows = 1;
  }

  #takeLine(bytes: Uint8Array, start: number, lineStop: number): void {
    let stop = lineStop;
    while (stop > start && (bytes[stop - 1] === CARRIAGE_RETURN || bytes[stop - 1] === SPACE)) stop--;
    if (stop === start) return;
    const batch = this.#batch;
    if (this.#parseRow(bytes, start, stop)) batch.badRowsBefore[batch.rows++] = this.badRows;
    else this.badRows++;
  }

  #parseRow(bytes: Uint8Array, start: number, stop: number): boolean {
    const { separator, decimal, width, leastWidth, clock, keepsUntimed } = this.#shape;
    const batch = this.#batch;
    const row = batch.rows;
    let position = start;
    let cell = 0;
    let hasEnded = false;
    while (!hasEnded) {
      // More cells than columns: two lines in one.
      if (cell === width) return false;
      const place = this.#places[cell]!;
      let cellStop: number;
      if (place >= 0) {
        let parsed = parseDigits(bytes, position, decimal, batch.columns[place]!, row);
        while (parsed >= 0 && parsed < stop && bytes[parsed] === SPACE) parsed++;
        const isNumber = parsed >= 0 && parsed <= stop && (parsed === stop || bytes[parsed] === separator);
        cellStop = isNumber ? parsed : cellEnd(bytes, position, stop, separator);
        if (!isNumber && !isMissing(bytes, position, cellStop)) return false;
        batch.absent[place]![row] = isNumber ? 0 : 1;
      } else {
        cellStop = cellEnd(bytes, position, stop, separator);
        if (cell === clock) batch.clockUs[row] = wallClockUs(bytes, position, cellStop);
      }
      cell++;
      position = cellStop + 1;
      // A separator at the end of the line ends the last cell, and begins none.
      hasEnded = cellStop >= stop || (position === stop && cell >= leastWidth);
    }
    if (cell < leastWidth) return false;
    for (let rest = cell; rest < width; rest++) {
      const place = this.#places[rest]!;
      if (place >= 0) batch.absent[place]![row] = 1;
    }
    return clock === null || keepsUntimed === true || !Number.isNaN(batch.clockUs[row]);
  }
}

function cellEnd(bytes: Uint8Array, start: number, stop: number, separator: number): number {
  const at = bytes.indexOf(separator, start);
  return at < 0 || at > stop ? stop : at;
}

function isMissing(bytes: Uint8Array, start: number, stop: number): boolean {
  if (stop - start > LONGEST_MISSING + 2) return false;
  return MISSING.test(String.fromCharCode(...bytes.subarray(start, stop)).trim());
}
