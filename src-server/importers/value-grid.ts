/**
 * Finds integer counts for physical values that a file holds as decimals or floating-point numbers, for readers that parse numbers
 * themselves. Decimals and binary fractions within 32 bits are kept exactly; anything finer is rounded to a power of two near one
 * billionth of the largest value.
 */
import type { ExactValueRule } from '../signals/types.ts';

const MAX_DECIMALS = 9;
const MAX_BINARY_PLACES = 40;
const INT32_MAX = 2_147_483_647;
const INT16_MAX = 32_767;

export class ValueGrid {
  #decimals = 0;
  #binaryPlaces = 0;
  #isDecimal = true;
  #isBinary = true;
  #largest = 0;

  /** Notes a value; NaN stands for a missing one. */
  scan(value: number): void {
    if (Number.isNaN(value)) return;
    const size = Math.abs(value);
    if (size > this.#largest) this.#largest = size;
    while (this.#isDecimal && !isDecimal(value, 10 ** this.#decimals)) {
      if (++this.#decimals > MAX_DECIMALS) this.#isDecimal = false;
    }
    while (this.#isBinary && !Number.isInteger(value * 2 ** this.#binaryPlaces)) {
      if (++this.#binaryPlaces > MAX_BINARY_PLACES) this.#isBinary = false;
    }
  }

  /** @param unitsPerValue stored value = value in the file / unitsPerValue, such as 64 for a file in 1/64 g */
  finish(unitsPerValue = 1): { rule: ExactValueRule; stepsPerValue: number; sampleBits: 16 | 32; isExact: boolean } {
    const steps = this.#exactSteps();
    const stepsPerValue = steps ?? 2 ** (30 - Math.ceil(Math.log2(this.#largest || 1)));
    return {
      rule: { origin: 0, divisor: stepsPerValue * unitsPerValue, span: 1, low: 0 },
      stepsPerValue,
      sampleBits: this.#largest * stepsPerValue <= INT16_MAX ? 16 : 32,
      isExact: steps !== null,
    };
  }

  #exactSteps(): number | null {
    const candidates = [
      ...(this.#isDecimal ? [10 ** this.#decimals] : []),
      ...(this.#isBinary ? [2 ** this.#binaryPlaces] : []),
    ];
    return candidates.find((steps) => this.#largest * steps <= INT32_MAX) ?? null;
  }
}

const isDecimal = (value: number, steps: number): boolean => Math.round(value * steps) / steps === value;
