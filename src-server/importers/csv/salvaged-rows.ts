/**
 * Rows of a CSV that may be damaged: those that cannot be read, and those whose time is out of order, are left out and counted. Every
 * reading of a file must leave out the same rows, so all readings go through here.
 */
import type { OutpostError } from '../../errors.ts';
import { damaged } from '../refusals.ts';
import type { TimeUnit } from '../units.ts';
import { type CsvBatch, CsvRowReader } from './csv-rows.ts';

/** More damage than this is another form of file, or a clock that was set back. */
const MAX_LEFT_OUT = 20;
const MAX_SHARE = 0.05;

export class SalvagedRows {
  readonly #path: string;
  readonly #reader: CsvRowReader;
  readonly #mayRepeat: boolean;
  #lastUs = Number.NEGATIVE_INFINITY;
  #outOfOrder = 0;
  #firstOutOfOrder: string | null = null;
  #rows = 0;

  /** @param mayRepeat whether rows of one time are right, as where times are coarser than samples */
  constructor(path: string, valueColumns: number, unit: TimeUnit, mayRepeat: boolean) {
    this.#path = path;
    this.#reader = new CsvRowReader(path, valueColumns, unit);
    this.#mayRepeat = mayRepeat;
  }

  get unterminated(): boolean {
    return this.#reader.unterminated;
  }

  get leftOut(): number {
    return this.#reader.badRows + this.#outOfOrder;
  }

  /** What is wrong with the first row that was left out: `row 3 has ...`. */
  get firstFault(): string | null {
    return this.#reader.firstFault ?? this.#firstOutOfOrder;
  }

  *push(chunk: Uint8Array): Generator<CsvBatch> {
    for (const batch of this.#reader.push(chunk)) yield this.#inOrder(batch);
  }

  *end(): Generator<CsvBatch> {
    for (const batch of this.#reader.end()) yield this.#inOrder(batch);
  }

  /** The refusal of a file of which too much is damaged; null for one that can be used. */
  refusal(): OutpostError | null {
    const { leftOut, firstFault } = this;
    if (firstFault === null) return null;
    const isMost = leftOut >= this.#rows;
    const isMuch = leftOut > MAX_LEFT_OUT && leftOut > MAX_SHARE * (this.#rows + leftOut);
    return isMost || isMuch ? damaged(this.#path, `${firstFault}.`) : null;
  }

  /** Moves the rows that are kept together. */
  #inOrder(batch: CsvBatch): CsvBatch {
    const { times, columns } = batch;
    let kept = 0;
    for (let row = 0; row < batch.rows; row++) {
      const fault = this.#faultOf(times, row, batch.rows);
      if (fault !== null) {
        this.#outOfOrder++;
        this.#firstOutOfOrder ??= `row ${batch.firstRow + row} ${fault}`;
        continue;
      }
      this.#lastUs = times[row]!;
      if (kept < row) {
        times[kept] = times[row]!;
        for (const { high, low, form } of columns) {
          high[kept] = high[row]!;
          low[kept] = low[row]!;
          form[kept] = form[row]!;
        }
      }
      kept++;
    }
    batch.rows = kept;
    this.#rows += kept;
    return batch;
  }

  #faultOf(times: Float64Array, row: number, rows: number): string | null {
    const time = times[row]!;
    if (time < this.#lastUs) return 'is before the row above it in time';
    if (time === this.#lastUs && !this.#mayRepeat) return 'has the same time as the row above it';
    if (row + 1 >= rows || times[row + 1]! >= time || times[row + 1]! < this.#lastUs) return null;
    // One of two rows is out of order: the one with which the third does not agree.
    const isAhead = row + 2 < rows && times[row + 2]! < time;
    return isAhead ? 'is ahead of the rows after it in time' : null;
  }
}
