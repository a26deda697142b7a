/**
 * Time cells of delimited texts, parsed from their bytes. A date and time becomes microseconds of the wall clock as if it were UTC, with
 * its offset where it has one.
 */
import type { DateOrder } from '../../vocabulary/csv-mapping.ts';
import type { DigitColumn } from '../csv/digits.ts';
import { cellMicroseconds } from '../text/cell-time.ts';

const COMMA = 44;
const PLUS = 43;
const MINUS = 45;
const POINT = 46;
const SLASH = 47;
const ZERO = 48;
const NINE = 57;
const COLON = 58;
const SPACE = 32;
const isDigit = (byte: number | undefined): boolean => byte !== undefined && byte >= ZERO && byte <= NINE;

export interface WallTime {
  /** Microseconds of the wall clock as if it were UTC. */
  wallUs: number;
  /** Minutes that the wall clock is ahead of UTC; null where the cell has no offset. */
  offsetMinutes: number | null;
}

/** A cell within bytes. */
export interface Cell {
  start: number;
  stop: number;
}

/** Reads numbers and separators of one cell, without making a string of it. */
class CellScanner {
  readonly #bytes: Uint8Array;
  readonly #stop: number;
  position: number;

  constructor(bytes: Uint8Array, { start, stop }: Cell) {
    this.#bytes = bytes;
    this.position = start;
    this.#stop = stop;
    while (this.position < this.#stop && bytes[this.position] === SPACE) this.position++;
    while (this.#stop > this.position && bytes[this.#stop - 1] === SPACE) this.#stop--;
  }

  get peek(): number {
    return this.position < this.#stop ? this.#bytes[this.position]! : -1;
  }

  /** The integer at the position, of `least` to `most` digits; -1 without one. */
  integer(least: number, most: number): number {
    let value = 0;
    let digits = 0;
    while (digits < most && isDigit(this.peek)) {
      value = value * 10 + (this.peek - ZERO);
      this.position++;
      digits++;
    }
    return digits < least || isDigit(this.peek) ? -1 : value;
  }

  take(byte: number): boolean {
    if (this.peek !== byte) return false;
    this.position++;
    return true;
  }

  takeLetters(letters: string): boolean {
    for (let i = 0; i < letters.length; i++) {
      const byte = this.position + i < this.#stop ? this.#bytes[this.position + i]! : 0;
      if (String.fromCharCode(byte).toUpperCase() !== letters[i]) return false;
    }
    this.position += letters.length;
    return true;
  }

  skipSpaces(): void {
    while (this.take(SPACE));
  }

  get isDone(): boolean {
    return this.position >= this.#stop;
  }
}

/** Days from the epoch; NaN for a date that does not exist. */
function dayOf(year: number, month: number, day: number): number {
  const ms = Date.UTC(year, month - 1, day);
  const date = new Date(ms);
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day ? ms / 86_400_000 : Number.NaN;
}

/** The last date of a file: consecutive rows nearly always share it. */
export class DateTimeParser {
  readonly #order: DateOrder;
  #dateKey = -1;
  #day = 0;

  constructor(order: DateOrder) {
    this.#order = order;
  }

  /** Returns null for a cell that is not a date and time. `time` holds the time of day where it has a column of its own. */
  parse(bytes: Uint8Array, date: Cell, time?: Cell): WallTime | null {
    const scan = new CellScanner(bytes, date);
    const day = this.#date(scan);
    if (Number.isNaN(day)) return null;
    let clock = scan;
    if (time) {
      if (!scan.isDone) return null;
      clock = new CellScanner(bytes, time);
    } else if (!scan.takeLetters('T')) {
      if (scan.peek !== SPACE) return null;
      scan.skipSpaces();
    }
    const dayUs = timeOfDayUs(clock);
    if (dayUs < 0) return null;
    const offsetMinutes = offsetOf(clock);
    if (offsetMinutes === undefined || !clock.isDone) return null;
    return { wallUs: day * 86_400e6 + dayUs, offsetMinutes };
  }

  #date(scan: CellScanner): number {
    const isYearFirst = this.#order === 'YMD';
    const first = isYearFirst ? scan.integer(4, 4) : scan.integer(1, 2);
    const separator = scan.peek;
    if (first < 0 || (separator !== MINUS && separator !== SLASH && separator !== POINT)) return Number.NaN;
    scan.position++;
    const second = scan.integer(1, 2);
    if (second < 0 || !scan.take(separator)) return Number.NaN;
    const third = isYearFirst ? scan.integer(1, 2) : scan.integer(4, 4);
    if (third < 0) return Number.NaN;
    const key = (first * 10_000 + second) * 10_000 + third;
    if (key === this.#dateKey) return this.#day;
    const day = isYearFirst
      ? dayOf(first, second, third)
      : this.#order === 'DMY'
        ? dayOf(third, second, first)
        : dayOf(third, first, second);
    if (Number.isNaN(day)) return day;
    this.#dateKey = key;
    this.#day = day;
    return day;
  }
}

/** hh:mm, hh:mm:ss or with a fraction, and AM or PM; -1 for anything else. */
function timeOfDayUs(scan: CellScanner): number {
  let hour = scan.integer(1, 2);
  if (hour < 0 || !scan.take(COLON)) return -1;
  const minute = scan.integer(2, 2);
  let second = 0;
  let fractionUs = 0;
  if (scan.take(COLON)) {
    second = scan.integer(2, 2);
    if (scan.take(POINT) || scan.take(COMMA)) {
      let unit = 1e5;
      if (!isDigit(scan.peek)) return -1;
      for (; isDigit(scan.peek); scan.position++, unit /= 10) fractionUs += (scan.peek - ZERO) * unit;
    }
  }
  if (minute < 0 || minute > 59 || second < 0 || second > 60 || hour > 24) return -1;
  const beforeHalf = scan.position;
  scan.skipSpaces();
  const isMorning = scan.takeLetters('AM');
  const isAfternoon = !isMorning && scan.takeLetters('PM');
  if (isMorning || isAfternoon) {
    if (hour < 1 || hour > 12) return -1;
    hour = (hour % 12) + (isAfternoon ? 12 : 0);
  } else scan.position = beforeHalf;
  if (hour === 24 && (minute > 0 || second > 0)) return -1;
  return ((hour * 60 + minute) * 60 + second) * 1e6 + Math.round(fractionUs);
}

/** Z, +09, +0900, +09:00; null for none, undefined for anything else. */
function offsetOf(scan: CellScanner): number | null | undefined {
  scan.skipSpaces();
  if (scan.isDone) return null;
  if (scan.takeLetters('Z') || scan.takeLetters('UTC')) return 0;
  const sign = scan.take(PLUS) ? 1 : scan.take(MINUS) ? -1 : 0;
  if (sign === 0) return undefined;
  const digits = scan.integer(1, 4);
  if (digits < 0) return undefined;
  if (scan.take(COLON)) {
    const minutes = scan.integer(2, 2);
    return minutes < 0 || digits > 18 ? undefined : sign * (digits * 60 + minutes);
  }
  const hours = digits > 99 ? Math.floor(digits / 100) : digits;
  const minutes = digits > 99 ? digits % 100 : 0;
  return hours > 18 || minutes > 59 ? undefined : sign * (hours * 60 + minutes);
}

/** Microseconds of a number in a unit of 10^`power` microseconds: exact to a microsecond where a double would not be. */
export const microsecondsOf = ({ high, low, form }: DigitColumn, row: number, power: number): number =>
  cellMicroseconds(high[row]!, low[row]!, form[row]!, power);
