/** Times in cells, at full precision. */
import { POWERS_OF_TEN } from '../csv/digits.ts';

/**
 * A cell as microseconds, rounded once: the digits are shifted before they are added, so that 19 digits of nanoseconds lose nothing.
 *
 * @param power of ten from the cell's unit to microseconds
 */
export function cellMicroseconds(high: number, low: number, form: number, power: number): number {
  const lowDigits = (form >> 1) & 31;
  const shift = (form >> 6) + power;
  const size = Math.round(shifted(high, lowDigits + shift) + shifted(low, shift));
  return (form & 1) === 1 ? -size : size;
}

const shifted = (value: number, power: number): number =>
  power < 0 ? value / POWERS_OF_TEN[-power]! : value * POWERS_OF_TEN[power]!;
