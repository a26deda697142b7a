/**
 * Numbers of text files as digits: two integers of up to nine digits each, a decimal exponent and a sign, in columns. From these come
 * an approximate double at once and, when wanted, the exact one; equal digits mean equal text value, which is compared as integers.
 */

const DIGITS_PER_PART = 9;

const SPACE = 32;
const PLUS = 43;
const MINUS = 45;
const ZERO = 48;
const NINE = 57;

export const POWERS_OF_TEN = Float64Array.from({ length: 309 }, (_, power) => Number(`1e${power}`));

/** Digits of one column: value = (-1)^(form & 1) * (high * 10^lowDigits + low) * 10^exponent. */
export interface DigitColumn {
  high: Int32Array;
  low: Int32Array;
  /** exponent * 64 + lowDigits * 2 + (1 when negative). */
  form: Int32Array;
}

export function newDigitColumn(rows: number): DigitColumn {
  return { high: new Int32Array(rows), low: new Int32Array(rows), form: new Int32Array(rows) };
}

const isNegative = (form: number): boolean => (form & 1) === 1;
const lowDigitsOf = (form: number): number => (form >> 1) & 31;
const exponentOf = (form: number): number => form >> 6;

/** A cell's value to within two units in the last place, without creating a string. */
export function approximateValue(high: number, low: number, form: number): number {
  const digits = high * POWERS_OF_TEN[lowDigitsOf(form)]! + low;
  const exponent = exponentOf(form);
  const size = exponent < 0 ? digits / POWERS_OF_TEN[-exponent]! : digits * POWERS_OF_TEN[exponent]!;
  return isNegative(form) ? -size : size;
}

/** A cell's digits as one integer (exact below 2^53) and the number of decimals it has. */
export function cellInteger(high: number, low: number, form: number): { digits: number; decimals: number } {
  return { digits: high * POWERS_OF_TEN[lowDigitsOf(form)]! + low, decimals: -exponentOf(form) };
}

/** A cell's value, correctly rounded as by `Number`. */
export function exactValue(high: number, low: number, form: number): number {
  const lowDigits = lowDigitsOf(form);
  const digits = lowDigits === 0 ? `${high}` : `${high}${String(low).padStart(lowDigits, '0')}`;
  return Number(`${isNegative(form) ? '-' : ''}${digits}e${exponentOf(form)}`);
}

/**
 * Parses the number at `start` into `row` of a column. Returns the position after it, or -1 for no number, -2 for a broken exponent,
 * -3 for a value out of range.
 * @param decimal the byte of the decimal separator
 */
export function parseDigits(
  bytes: Uint8Array,
  start: number,
  decimal: number,
  column: DigitColumn,
  row: number,
): number {
  let position = start;
  let byte = bytes[position]!;
  while (byte === SPACE) byte = bytes[++position]!;
  let negative = 0;
  if (byte === MINUS) {
    negative = 1;
    byte = bytes[++position]!;
  } else if (byte === PLUS) byte = bytes[++position]!;
  let high = 0;
  let low = 0;
  let digits = 0;
  let exponent = 0;
  let seen = 0;
  while (byte >= ZERO && byte <= NINE) {
    seen++;
    if (digits > 0 || byte !== ZERO) {
      if (digits < DIGITS_PER_PART) high = high * 10 + (byte - ZERO);
      else if (digits < 2 * DIGITS_PER_PART) low = low * 10 + (byte - ZERO);
      else exponent++;
      digits++;
    }
    byte = bytes[++position]!;
  }
  if (byte === decimal) {
    byte = bytes[++position]!;
    while (byte >= ZERO && byte <= NINE) {
      seen++;
      if (digits > 0 || byte !== ZERO) {
        if (digits < DIGITS_PER_PART) high = high * 10 + (byte - ZERO);
        else if (digits < 2 * DIGITS_PER_PART) low = low * 10 + (byte - ZERO);
        else exponent++;
        digits++;
      }
      exponent--;
      byte = bytes[++position]!;
    }
  }
  if (seen === 0) return -1;
  if (byte === 69 || byte === 101) {
    const sign = bytes[position + 1] === MINUS ? -1 : 1;
    position += bytes[position + 1] === MINUS || bytes[position + 1] === PLUS ? 2 : 1;
    const exponentStart = position;
    let written = 0;
    byte = bytes[position]!;
    while (byte >= ZERO && byte <= NINE && written < 1000) {
      written = written * 10 + (byte - ZERO);
      byte = bytes[++position]!;
    }
    if (position === exponentStart) return -2;
    exponent += sign * written;
  }
  if (exponent < -307 || exponent > 289) return -3;
  if (digits === 0) exponent = 0;
  column.high[row] = high;
  column.low[row] = low;
  const lowDigits = Math.min(Math.max(digits - DIGITS_PER_PART, 0), DIGITS_PER_PART);
  column.form[row] = exponent * 64 + lowDigits * 2 + negative;
  return position;
}
