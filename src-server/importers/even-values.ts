/** Cuts evenly spaced values, NaN where a sample is missing, into pages of counts. */
import type { SignalPage } from '../signals/types.ts';
import { evenPage } from './timed-pages.ts';

const PAGE_SECONDS = 60;
const MAX_PAGE_SAMPLES = 1 << 17;

export interface EvenStretch {
  /** Index of the channel. */
  channel: number;
  /** Time of row 0. */
  startUs: number;
  periodUs: number;
  sampleBits: 16 | 32;
  /** Per dimension, counts per unit of the given values. */
  stepsPerValue: readonly number[];
}

/** Collects rows and yields pages of at most a minute; a row with a missing value ends its page. */
export class EvenPager {
  readonly #stretch: EvenStretch;
  readonly #columns: Int32Array[];
  readonly #capacity: number;
  #filled = 0;
  #nextRow = 0;

  constructor(stretch: EvenStretch) {
    this.#stretch = stretch;
    const perPage = Math.floor((PAGE_SECONDS * 1e6) / stretch.periodUs);
    this.#capacity = Math.max(1, Math.min(MAX_PAGE_SAMPLES, perPage));
    this.#columns = stretch.stepsPerValue.map(() => new Int32Array(this.#capacity));
  }

  *push(row: ArrayLike<number>): Generator<SignalPage> {
    const { stepsPerValue } = this.#stretch;
    let isMissing = false;
    for (let d = 0; d < stepsPerValue.length; d++) {
      const value = row[d]!;
      if (Number.isNaN(value)) isMissing = true;
      else this.#columns[d]![this.#filled] = Math.round(value * stepsPerValue[d]!);
    }
    if (isMissing) yield* this.flush();
    else this.#filled++;
    this.#nextRow++;
    if (this.#filled === this.#capacity) yield* this.#take(this.#nextRow - this.#filled);
  }

  /** Yields the rows that are left: at a missing row, before it is counted, and at the end. */
  *flush(): Generator<SignalPage> {
    if (this.#filled > 0) yield* this.#take(this.#nextRow - this.#filled);
  }

  *#take(firstRow: number): Generator<SignalPage> {
    const { channel, startUs, periodUs, sampleBits } = this.#stretch;
    const columns = this.#columns.map((column) => column.subarray(0, this.#filled));
    this.#filled = 0;
    yield evenPage(channel, Math.round(startUs + firstRow * periodUs), periodUs, columns, sampleBits);
  }
}
