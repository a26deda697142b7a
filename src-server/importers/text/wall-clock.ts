/** Wall-clock times of text files: `2022-04-25T11:39:36.978`, `2022/04/25 11:39:36`; no zone. */

const ZERO = 48;
const NINE = 57;
const DATE_BYTES = 10;
/** Up to the seconds. */
const LEAST_BYTES = 19;
const MICROSECOND_DIGITS = 6;

let knownDate = '';
let knownDayUs = Number.NaN;

/** Microseconds of the wall clock read as if it were UTC; NaN where the cell holds none. */
export function wallClockUs(bytes: Uint8Array, start: number, end: number): number {
  let at = start;
  let stop = end;
  while (at < stop && isAround(bytes[at]!)) at++;
  while (stop > at && isAround(bytes[stop - 1]!)) stop--;
  if (stop - at < LEAST_BYTES) return Number.NaN;
  const dayUs = dayOf(bytes, at);
  const hour = pair(bytes, at + 11);
  const minute = pair(bytes, at + 14);
  const second = pair(bytes, at + 17);
  const isForm = isBetween(bytes[at + 10]!) && bytes[at + 13] === 58 && bytes[at + 16] === 58;
  // A comparison with NaN is false.
  if (!isForm || !(hour < 24 && minute < 60 && second < 60)) return Number.NaN;
  let us = 0;
  let next = at + LEAST_BYTES;
  if (next < stop && (bytes[next] === 46 || bytes[next] === 44 || bytes[next] === 58)) {
    let digits = 0;
    for (next++; next < stop && isDigit(bytes[next]!); next++) {
      if (digits++ < MICROSECOND_DIGITS) us = us * 10 + (bytes[next]! - ZERO);
    }
    for (; digits < MICROSECOND_DIGITS; digits++) us *= 10;
  }
  if (next !== stop) return Number.NaN;
  return dayUs + ((hour * 60 + minute) * 60 + second) * 1e6 + us;
}

/** The wall clock of a text, as of a cell. */
export function wallClockOf(text: string): number {
  const bytes = new TextEncoder().encode(text.trim());
  return wallClockUs(bytes, 0, bytes.length);
}

/** Consecutive rows share their date. */
function dayOf(bytes: Uint8Array, at: number): number {
  const date = String.fromCharCode(...bytes.subarray(at, at + DATE_BYTES));
  if (date === knownDate) return knownDayUs;
  const parts = /^(\d{4})[-/.](\d\d)[-/.](\d\d)$/.exec(date);
  knownDate = date;
  knownDayUs = Number.NaN;
  if (parts) {
    const iso = `${parts[1]}-${parts[2]}-${parts[3]}`;
    const ms = Date.parse(`${iso}T00:00:00Z`);
    // Node reads 31 February as a day of March.
    if (!Number.isNaN(ms) && new Date(ms).toISOString().startsWith(iso)) knownDayUs = ms * 1000;
  }
  return knownDayUs;
}

const isDigit = (byte: number): boolean => byte >= ZERO && byte <= NINE;
/** Spaces, and the quotes that other programs put around texts. */
const isAround = (byte: number): boolean => byte === 32 || byte === 34;
/** `T` or a space. */
const isBetween = (byte: number): boolean => byte === 84 || byte === 32;

function pair(bytes: Uint8Array, at: number): number {
  const tens = bytes[at]!;
  const ones = bytes[at + 1]!;
  return isDigit(tens) && isDigit(ones) ? (tens - ZERO) * 10 + ones - ZERO : Number.NaN;
}
