/**
 * The values of one dimension in a row group, encoded from counts: a dictionary of the distinct counts' values, and the index
 * of each sample in it, one or two bytes wide so that Zstandard sees whole values. A group of a 16-bit sensor has a few hundred
 * to a few thousand distinct counts; values are converted once per distinct count instead of once per sample.
 */
import { valueOfCount } from '../../signals/index.ts';
import type { SampleArray, SignalChannel } from '../../signals/types.ts';

const COUNTS_OF_16_BITS = 65_536;
const MOST_DISTINCT = 65_536;

export interface EncodedValues {
  /** Distinct values in the order of their first sample; undefined when the samples have too many. */
  dictionary: Float64Array | undefined;
  /** Indexes into the dictionary, padded to a multiple of eight; without a dictionary, the values. */
  data: Uint8Array | Uint16Array | Float64Array;
  min: number;
  max: number;
}

/** Collects counts of one dimension of a channel. */
export class CountColumn {
  readonly #counts: SampleArray;
  readonly #toValue: (count: number) => number;
  readonly #indexes: Uint16Array;
  /** Of a 16-bit channel: `#base` plus the index of each count seen in the present group, less for all others. */
  readonly #seen: Int32Array | undefined;
  #base = 0;

  /** @param rows most rows of a group, a multiple of eight */
  constructor(channel: SignalChannel, dimension: number, rows: number) {
    this.#counts = channel.sampleBits === 16 ? new Int16Array(rows) : new Int32Array(rows);
    this.#indexes = new Uint16Array(rows);
    this.#toValue = valueOfCount(channel, dimension);
    if (channel.sampleBits === 16) this.#seen = new Int32Array(COUNTS_OF_16_BITS).fill(-1);
  }

  /** Sets the counts from row `at` on. */
  set(counts: SampleArray, at: number): void {
    this.#counts.set(counts, at);
  }

  /** Encodes the first `rows` counts. The result is valid until the next call. */
  encode(rows: number): EncodedValues {
    const distinct = this.#seen ? this.#indexOf16Bits(this.#seen, rows) : this.#indexOf32Bits(rows);
    if (distinct === undefined) {
      const values = new Float64Array(rows);
      for (let i = 0; i < rows; i++) values[i] = this.#toValue(this.#counts[i]!);
      return { dictionary: undefined, data: values, ...rangeOf(values) };
    }
    const dictionary = Float64Array.from(distinct, this.#toValue);
    const padded = Math.ceil(rows / 8) * 8;
    this.#indexes.fill(0, rows, padded);
    const indexes = this.#indexes.subarray(0, padded);
    return { dictionary, data: distinct.length <= 256 ? Uint8Array.from(indexes) : indexes, ...rangeOf(dictionary) };
  }

  #indexOf16Bits(seen: Int32Array, rows: number): number[] {
    const counts = this.#counts;
    const indexes = this.#indexes;
    const base = this.#base;
    const distinct: number[] = [];
    for (let i = 0; i < rows; i++) {
      const place = counts[i]! + 32_768;
      let index = seen[place]! - base;
      if (index < 0) {
        index = distinct.length;
        distinct.push(counts[i]!);
        seen[place] = base + index;
      }
      indexes[i] = index;
    }
    this.#base += COUNTS_OF_16_BITS;
    if (this.#base > 2 ** 30) {
      this.#base = 0;
      seen.fill(-1);
    }
    return distinct;
  }

  #indexOf32Bits(rows: number): number[] | undefined {
    const seen = new Map<number, number>();
    for (let i = 0; i < rows; i++) {
      const count = this.#counts[i]!;
      let index = seen.get(count);
      if (index === undefined) {
        index = seen.size;
        // A dictionary pays only when its values repeat.
        if (index >= Math.min(MOST_DISTINCT, 64 + rows / 4)) return undefined;
        seen.set(count, index);
      }
      this.#indexes[i] = index;
    }
    return [...seen.keys()];
  }
}

/** Zero has two signs in statistics of Parquet: the least is -0, the greatest +0. */
function rangeOf(values: Float64Array): { min: number; max: number } {
  let min = Number.POSITIVE_INFINITY;
  let max = Number.NEGATIVE_INFINITY;
  for (let i = 0; i < values.length; i++) {
    const value = values[i]!;
    if (value < min) min = value;
    if (value > max) max = value;
  }
  return { min: min === 0 ? -0 : min, max: max === 0 ? 0 : max };
}
