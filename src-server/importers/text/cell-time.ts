/** Times in cells, at full precision. */
import { POWERS_OF_TEN } from '../csv/digits.ts';

/**
 * A cell as microseconds, rounded once: whole microseconds and their fractions are added apart, since a double of today's dates has only
 * two bits below the microsecond. 19 digits of nanoseconds lose nothing.
 *
 * @param power of ten from the cell's unit to microseconds
 */
export function cellMicroseconds(high: number, low: number, form: number, power: number): number {
  const lowDigits = (form >> 1) & 31;
  const shift = (form >> 6) + power;
  const highUs = shifted(high, lowDigits + shift);
  const lowUs = shifted(low, shift);
  const wholeUs = Math.floor(highUs) + Math.floor(lowUs);
  const size = wholeUs + Math.round(highUs - Math.floor(highUs) + (lowUs - Math.floor(lowUs)));
  return (form & 1) === 1 ? -size : size;
}

const MOST_POWER = POWERS_OF_TEN.length - 1;

function shifted(value: number, power: number): number {
  if (value === 0) return 0;
  const ten = POWERS_OF_TEN[Math.min(Math.abs(power), MOST_POWER)]!;
  return power < 0 ? value / ten : value * ten;
}
