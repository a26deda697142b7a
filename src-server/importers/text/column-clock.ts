/** Times of rows from a column of numbers, in a unit that the file states. */
import { cellMicroseconds } from './cell-time.ts';
import type { TableBatch } from './table-reader.ts';
import type { RowClock } from './timed-table.ts';

/** More rows with one stamp are no rounding. */
const MOST_SHARING = 32;

export class ColumnClock implements RowClock {
  readonly #column: number;
  readonly #power: number;
  #state = { cellUs: Number.NaN, sharing: 0 };
  #saved = this.#state;

  /**
   * @param column index into `TableShape.numbers`
   * @param power of ten from the column's unit to microseconds
   */
  constructor(column: number, power: number) {
    this.#column = column;
    this.#power = power;
  }

  place(batch: TableBatch, times: Float64Array, from: number, to: number): void {
    const { high, low, form } = batch.columns[this.#column]!;
    for (let row = from; row < to; row++) {
      if (batch.absent[this.#column]![row] === 1) times[row] = Number.NaN;
      else times[row] = this.#distinct(cellMicroseconds(high[row]!, low[row]!, form[row]!, this.#power));
    }
  }

  /** Whole milliseconds repeat above 1000 Hz: such rows keep their order, a microsecond apart. */
  #distinct(cellUs: number): number {
    const { cellUs: lastUs, sharing } = this.#state;
    this.#state = { cellUs, sharing: cellUs === lastUs ? sharing + 1 : 0 };
    return this.#state.sharing < MOST_SHARING ? cellUs + this.#state.sharing : Number.NaN;
  }

  save(): void {
    this.#saved = this.#state;
  }

  restore(): void {
    this.#state = this.#saved;
  }
}
