/**
 * Recovers the integer counts behind printed values, so that nothing is lost and the text can be reproduced.
 *
 * Four kinds of grid are tried, in this order:
 * 1. the vendor's own: value = n / 65535 * span - span / 2 with n = 0 to 65535, computed in this order in doubles
 *    (checked on real exports: every value of +-4 g acceleration, +-2000 deg/s and 2.42 / 6 V electrode files comes out
 *    bit for bit);
 * 2. decimals: value = integer / 10^d, exact by the definition of rounding;
 * 3. any even step and offset, by the common divisor of the differences;
 * 4. a fine power-of-two step in 32 bits, which rounds (and says so).
 * For 1 and 3 the last-place difference of every count that occurs is recorded when the texts differ from the rule.
 */
import { lastPlacesBetween, packLastPlaces, ruleValue } from '../../signals/exact-values.ts';
import type { ExactValueRule } from '../../signals/types.ts';
import { approximateValue, cellInteger, type DigitColumn, exactValue, POWERS_OF_TEN } from './digits.ts';

export type QuantityKind = 'ACCEL' | 'GYRO' | 'ELECTRODE' | 'OTHER';

/** Full spans of the sensor's settings: +-2 to 16 g, +-250 to 4000 deg/s, 2.42 V reference over the amplifier's gain. */
const VENDOR_SPANS: Record<QuantityKind, number[]> = {
  ACCEL: [8, 32, 4, 16],
  GYRO: [4000, 500, 1000, 2000, 8000],
  ELECTRODE: [6, 1, 2, 3, 4, 8, 12].map((gain) => 2.42 / gain),
  OTHER: [],
};

const VENDOR_STEPS = 65_535;
const INT16_OFFSET = 32_768;
const INT32_MAX = 2_147_483_647;
const RESERVOIR_VALUES = 65_536;
const MAX_DECIMALS = 12;
/** Rounding of a printed or computed double, relative to the largest. */
const NOISE_OF_VALUES = 4e-15;
/** Tolerance in steps for a value to lie on the grid: doubles of 16-bit grids deviate by less than 1e-10. */
const GRID_TOLERANCE_STEPS = 1e-5;

export interface Quantisation {
  rule: ExactValueRule;
  sampleBits: 16 | 32;
  /** False when no grid was found and values had to be rounded to a fine step. */
  isOnGrid: boolean;
}

interface Grid {
  rule: ExactValueRule;
  isVendor: boolean;
}

function vendorRule(span: number): ExactValueRule {
  return { origin: -INT16_OFFSET, divisor: VENDOR_STEPS, span, low: -span / 2 };
}

function distanceInSteps(rule: ExactValueRule, value: number): number {
  const steps = ((value - rule.low) / rule.span) * rule.divisor;
  return Math.abs(steps - Math.round(steps));
}

function greatestCommonDivisor(a: number, b: number): number {
  let x = a;
  let y = b;
  while (y > 0) [x, y] = [y, x % y];
  return x;
}

/** Greatest common divisor of two steps, up to the noise. */
function commonDivisor(a: number, b: number, noise: number): number {
  let x = a;
  let y = b;
  while (y > noise) [x, y] = [y, Math.abs(x - Math.round(x / y) * y)];
  return x;
}

/** The digits with which every count of a 16-bit grid was first printed. */
class PrintedCounts {
  readonly #high = new Int32Array(INT16_OFFSET * 2);
  readonly #low = new Int32Array(INT16_OFFSET * 2);
  readonly #form = new Int32Array(INT16_OFFSET * 2);
  readonly #seen = new Uint8Array(INT16_OFFSET * 2);
  /** False once one count was printed in two ways that are different doubles. */
  isFunction = true;

  note(count: number, high: number, low: number, form: number): void {
    const slot = count + INT16_OFFSET;
    if (this.#seen[slot] === 0) {
      this.#seen[slot] = 1;
      this.#high[slot] = high;
      this.#low[slot] = low;
      this.#form[slot] = form;
    } else if (this.#high[slot] !== high || this.#low[slot] !== low || this.#form[slot] !== form) {
      const before = exactValue(this.#high[slot]!, this.#low[slot]!, this.#form[slot]!);
      if (before !== exactValue(high, low, form)) this.isFunction = false;
    }
  }

  /**
   * Last-place corrections of a rule. A value that is all but zero, where even a rounding of the offset is billions of
   * its last places, keeps the rule's value: it is off by less than 1e-15 of the range.
   */
  corrections(rule: ExactValueRule): Int32Array {
    const corrections = new Int32Array(INT16_OFFSET * 2);
    for (let slot = 0; slot < corrections.length; slot++) {
      if (this.#seen[slot] === 0) continue;
      const printed = exactValue(this.#high[slot]!, this.#low[slot]!, this.#form[slot]!);
      const places = lastPlacesBetween(ruleValue(rule, slot - INT16_OFFSET), printed);
      if (Math.abs(places) <= INT32_MAX) corrections[slot] = places;
    }
    return corrections;
  }
}

/** Scans one column of a whole file and determines its quantisation. */
export class ColumnQuantiser {
  #kind: QuantityKind;
  #grid: Grid | null = null;
  #gridDecided = false;
  #isRetry = false;
  #printed = new PrintedCounts();
  #smallestCount = 0;
  #largestCount = 0;
  #decimals = 0;
  #decimalDivisor = 0;
  #isDecimal = true;
  #largestSize = 0;
  #reservoir = new Float64Array(RESERVOIR_VALUES);
  #reservoirCount = 0;
  #stride = 1;
  #offered = 0;

  constructor(kind: QuantityKind) {
    this.#kind = kind;
  }

  scan(column: DigitColumn, rows: number): void {
    if (this.#isDecimal) this.#scanDecimals(column, rows);
    this.#fillReservoir(column, rows);
    if (!this.#gridDecided) {
      this.#gridDecided = true;
      this.#grid = this.#vendorGrid() ?? this.#evenGrid();
    }
    if (this.#grid) this.#scanGrid(this.#grid, column, rows);
  }

  #scanDecimals(column: DigitColumn, rows: number): void {
    for (let row = 0; row < rows; row++) {
      const { digits, decimals } = cellInteger(column.high[row]!, column.low[row]!, column.form[row]!);
      if (digits === 0) continue;
      if (decimals > MAX_DECIMALS || decimals < -MAX_DECIMALS || digits > Number.MAX_SAFE_INTEGER) {
        this.#isDecimal = false;
        return;
      }
      if (decimals > this.#decimals) {
        this.#decimalDivisor *= POWERS_OF_TEN[decimals - this.#decimals]!;
        this.#decimals = decimals;
      }
      const scaled = digits * POWERS_OF_TEN[this.#decimals - decimals]!;
      if (scaled > Number.MAX_SAFE_INTEGER || this.#decimalDivisor > Number.MAX_SAFE_INTEGER) {
        this.#isDecimal = false;
        return;
      }
      if (this.#decimalDivisor !== 1) this.#decimalDivisor = greatestCommonDivisor(this.#decimalDivisor, scaled);
    }
  }

  #fillReservoir(column: DigitColumn, rows: number): void {
    for (let row = 0; row < rows; row++) {
      const value = approximateValue(column.high[row]!, column.low[row]!, column.form[row]!);
      const size = Math.abs(value);
      if (size > this.#largestSize) this.#largestSize = size;
      if (this.#offered++ % this.#stride !== 0) continue;
      if (this.#reservoirCount === RESERVOIR_VALUES) {
        for (let i = 0; i < RESERVOIR_VALUES / 2; i++) this.#reservoir[i] = this.#reservoir[2 * i]!;
        this.#reservoirCount = RESERVOIR_VALUES / 2;
        this.#stride *= 2;
      }
      this.#reservoir[this.#reservoirCount++] = value;
    }
  }

  #vendorGrid(): Grid | null {
    for (const span of VENDOR_SPANS[this.#kind]) {
      const rule = vendorRule(span);
      const fits = this.#values().every(
        (value) => Math.abs(value) <= span / 2 && distanceInSteps(rule, value) < GRID_TOLERANCE_STEPS,
      );
      if (fits) return { rule, isVendor: true };
    }
    return null;
  }

  #values(): Float64Array {
    return this.#reservoir.subarray(0, this.#reservoirCount);
  }

  /** Step and offset from the values seen; null when there is no common step. */
  #evenGrid(): Grid | null {
    const sorted = this.#values().slice().sort();
    const largest = Math.max(Math.abs(sorted[0]!), Math.abs(sorted[sorted.length - 1]!));
    const noise = largest * NOISE_OF_VALUES;
    const differences = sorted.map((value, i) => (i === 0 ? 0 : value - sorted[i - 1]!)).filter((rest) => rest > noise);
    if (differences.length === 0) return null;
    differences.sort();
    let step = differences[0]!;
    let surestCount = 1;
    // Small differences first: each larger one makes the step more certain before a larger count is judged by it.
    for (const difference of differences) {
      const count = Math.round(difference / step);
      const remainder = Math.abs(difference - count * step);
      if (remainder <= Math.max(noise * 4, step * 0.002)) {
        if (count > surestCount) {
          step = difference / count;
          surestCount = count;
        }
      } else {
        step = commonDivisor(step, remainder, noise * 4);
        surestCount = 1;
      }
    }
    if ((sorted[sorted.length - 1]! - sorted[0]!) / step > INT32_MAX) return null;
    return fitGrid(sorted, step);
  }

  #scanGrid(grid: Grid, column: DigitColumn, rows: number): void {
    const { origin, divisor, span, low } = grid.rule;
    const stepsPerUnit = divisor / span;
    const { high, low: lowPart, form } = column;
    for (let row = 0; row < rows; row++) {
      const steps = (approximateValue(high[row]!, lowPart[row]!, form[row]!) - low) * stepsPerUnit;
      const nearest = Math.round(steps);
      const count = nearest + origin;
      if (Math.abs(steps - nearest) > GRID_TOLERANCE_STEPS || Math.abs(count) > INT32_MAX) {
        this.#grid = null;
        return;
      }
      if (count < this.#smallestCount) this.#smallestCount = count;
      if (count > this.#largestCount) this.#largestCount = count;
      if (count >= -INT16_OFFSET && count < INT16_OFFSET)
        this.#printed.note(count, high[row]!, lowPart[row]!, form[row]!);
      else if (grid.isVendor) {
        this.#grid = null;
        return;
      }
    }
  }

  /** Returns the quantisation; null when the first grid did not hold and the file must be scanned again (`retry`). */
  finish(): Quantisation | null {
    if (this.#grid?.isVendor) return this.#onGrid(this.#grid.rule);
    const decimal = this.#decimalQuantisation();
    if (decimal) return decimal;
    const couldBeShorter = !this.#isRetry && this.#largestCount - this.#smallestCount < 2 * INT16_OFFSET;
    const isWide = this.#smallestCount < -INT16_OFFSET || this.#largestCount >= INT16_OFFSET;
    if (!this.#grid || (isWide && couldBeShorter)) return null;
    return this.#onGrid(this.#grid.rule);
  }

  #onGrid(rule: ExactValueRule): Quantisation {
    const sampleBits = this.#smallestCount >= -INT16_OFFSET && this.#largestCount < INT16_OFFSET ? 16 : 32;
    const corrections = sampleBits === 16 && this.#printed.isFunction ? this.#printed.corrections(rule) : null;
    const lastPlaces = corrections ? packLastPlaces(corrections) : undefined;
    return {
      rule: lastPlaces === undefined ? rule : { ...rule, lastPlaces },
      sampleBits,
      isOnGrid: true,
    };
  }

  #decimalQuantisation(): Quantisation | null {
    if (!this.#isDecimal) return null;
    const tens = POWERS_OF_TEN[this.#decimals]!;
    const shared = greatestCommonDivisor(tens, this.#decimalDivisor || tens);
    const largestCount = (this.#largestSize * tens) / shared;
    if (largestCount > INT32_MAX) return null;
    const rule: ExactValueRule = { origin: 0, divisor: tens / shared, span: 1, low: 0 };
    return { rule, sampleBits: largestCount < INT16_OFFSET ? 16 : 32, isOnGrid: true };
  }

  /** A quantiser for a second scan that knows values from all over the file. */
  retry(): ColumnQuantiser {
    const again = new ColumnQuantiser('OTHER');
    again.#gridDecided = true;
    again.#isRetry = true;
    again.#grid = this.#evenGrid();
    return again;
  }

  /** Fallback: the finest power-of-two step that 32 bits allow. */
  fineScale(): Quantisation {
    const divisor = 2 ** (30 - Math.ceil(Math.log2(this.#largestSize || 1)));
    return { rule: { origin: 0, divisor, span: 1, low: 0 }, sampleBits: 32, isOnGrid: false };
  }
}

/** Refines a step by least squares and checks that the values lie on it; offset 0 is kept where it fits. */
function fitGrid(sorted: Float64Array, roughStep: number): Grid | null {
  let step = roughStep;
  const first = sorted[0]!;
  for (let turn = 0; turn < 3; turn++) {
    let sumCountSquared = 0;
    let sumProduct = 0;
    for (const value of sorted) {
      const count = Math.round((value - first) / step);
      sumCountSquared += count * count;
      sumProduct += count * (value - first);
    }
    if (sumCountSquared === 0) return null;
    step = sumProduct / sumCountSquared;
  }
  const zeroSteps = first / step;
  const highest = Math.round(sorted[sorted.length - 1]! / step);
  const isShort = highest - Math.round(zeroSteps) < 2 * INT16_OFFSET;
  const fitsAroundZero = zeroSteps > -INT16_OFFSET && highest < INT16_OFFSET;
  // Counts from zero are easier to read; counts from the middle are used where only they fit 16 bits.
  const isZeroBased =
    Math.abs(zeroSteps - Math.round(zeroSteps)) < GRID_TOLERANCE_STEPS && (fitsAroundZero || !isShort);
  const middle = Math.round((sorted[sorted.length - 1]! - first) / step / 2);
  const rule: ExactValueRule = isZeroBased
    ? { origin: 0, divisor: 1, span: step, low: 0 }
    : { origin: -middle, divisor: 1, span: step, low: first };
  return sorted.every((value) => distanceInSteps(rule, value) < GRID_TOLERANCE_STEPS)
    ? { rule, isVendor: false }
    : null;
}

/** Counts of one parsed column by a rule; `counts` must hold `rows`. */
export function fillCounts(column: DigitColumn, rows: number, rule: ExactValueRule, counts: Int32Array): void {
  const stepsPerUnit = rule.divisor / rule.span;
  for (let row = 0; row < rows; row++) {
    const value = approximateValue(column.high[row]!, column.low[row]!, column.form[row]!);
    counts[row] = Math.round((value - rule.low) * stepsPerUnit) + rule.origin;
  }
}
