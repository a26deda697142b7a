/**
 * Recognises lists of RR intervals: one column of intervals, or a second one of times. Nothing in such a file names it, so its numbers
 * have to be intervals of a heart, and times have to follow from them.
 */
import { type FileHead, HEAD_BYTES } from '../foreign-format.ts';

export interface RrListShape {
  /** Of two columns; undefined for one. */
  separator?: '\t' | ';' | ',' | ' ';
  decimal: '.' | ',';
  /** Columns of the interval and of the time. */
  interval: number;
  time?: number;
  /** Cells of a row. One that is neither interval nor time numbers the rows. */
  width: 1 | 2;
  intervalUnit: 's' | 'ms';
  timeUnit: 's' | 'ms';
  /** A time is that of the beat that ends its interval, or of the one that begins it. */
  stampOf: 'END' | 'BEGIN';
}

/** `# Kubios`, `% RR intervals`, `// ...`. */
export const isComment = (line: string): boolean => /^\s*(?:[#%]|\/\/|$)/.test(line);

/** Names of columns, without a number that could be an interval. */
const HEADER =
  /(?:^|[^a-z])(?:rr|r-r|nn|ibi|ibis|interval|intervals|time|zeit|ms|s|sec|seconds|beat|index)(?:[^a-z]|$)/i;
/** Names of intervals alone. Numbered rows are of anything, so they need one. */
const INTERVAL_NAME = /(?:^|[^a-z])(?:rr|r-r|nn|ibi|ibis|intervals?)(?:[^a-z]|$)/i;
/** A time among the names is of a format of its own, such as the intervals of an Empatica E4. */
const isHeader = (line: string): boolean => HEADER.test(line) && !/\d{9}/.test(line);
const LEAST_ROWS = 5;
const MOST_HEADER_LINES = 10;
/** Shares of rows: real lists hold artefacts. */
const USUAL_SHARE = 0.9;
/** Lines between the rows that are none, such as what a program wrote where it lost the signal. */
const MOST_OTHER_SHARE = 0.02;
/** No heart of a person beats faster or slower for most of a recording. */
const USUAL_SECONDS = { least: 0.25, most: 2.5 };
const FOLLOWS_SHARE = 0.6;
const FOLLOWS_SECONDS = 0.015;

const SEPARATORS = ['\t', ';', ',', ' '] as const;

/** Parses a cell; NaN for no number. */
export function rrNumber(cell: string, decimal: '.' | ','): number {
  const text = cell
    .trim()
    .replace(/^"(.*)"$/, '$1')
    .trim();
  const plain = decimal === ',' ? text.replace(',', '.') : text;
  return /^[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?$/i.test(plain) ? Number(plain) : Number.NaN;
}

export function rrCells(line: string, separator: RrListShape['separator']): string[] {
  if (separator === undefined) return [line];
  if (separator === ' ') return line.trim().split(/ +/);
  const cells = line.split(separator);
  if (cells.length > 1 && cells.at(-1)!.trim() === '') cells.pop();
  return cells;
}

/** The lines of a text below comments and one line of names. Null where something else stands above the numbers. */
function rowsBelowHeader(lines: readonly string[]): { rows: string[]; header: string } | null {
  const first = lines.findIndex((line) => !isComment(line) && NUMBERS.test(line));
  if (first < 0 || first > MOST_HEADER_LINES) return null;
  const above = lines.slice(0, first).filter((line) => !isComment(line));
  if (above.length > 1 || (above[0] !== undefined && !isHeader(above[0]))) return null;
  const below = lines.slice(first).filter((line) => !isComment(line));
  const rows = below.filter((line) => NUMBERS.test(line));
  return below.length - rows.length <= MOST_OTHER_SHARE * below.length ? { rows, header: above[0] ?? '' } : null;
}

const NUMBERS = /^(?=.*\d)[\s\d+.,;e"-]+$/i;

/** @param isWhole whether the last line is whole */
export function rrListShape(text: string, isWhole: boolean): RrListShape | null {
  const lines = text.replace(/^\ufeff/, '').split(/\r\n|\n|\r/);
  if (!isWhole) lines.pop();
  const table = rowsBelowHeader(lines);
  if (!table || table.rows.length < LEAST_ROWS) return null;
  const { rows, header } = table;
  for (const decimal of ['.', ','] as const) {
    const one = oneColumn(rows, decimal);
    if (one) return one;
  }
  for (const separator of SEPARATORS) {
    for (const decimal of separator === ',' ? (['.'] as const) : (['.', ','] as const)) {
      const two = twoColumns(rows, separator, decimal, INTERVAL_NAME.test(header));
      if (two) return two;
    }
  }
  return null;
}

function oneColumn(rows: readonly string[], decimal: '.' | ','): RrListShape | null {
  const values = rows.map((row) => rrNumber(row, decimal));
  const intervalUnit = values.some(Number.isNaN) ? null : unitOf(values);
  return intervalUnit && { decimal, interval: 0, width: 1, intervalUnit, timeUnit: 's', stampOf: 'END' };
}

function twoColumns(
  rows: readonly string[],
  separator: (typeof SEPARATORS)[number],
  decimal: '.' | ',',
  isNamed: boolean,
): RrListShape | null {
  const cells = rows.map((row) => rrCells(row, separator).map((cell) => rrNumber(cell, decimal)));
  if (cells.some((row) => row.length !== 2 || row.some(Number.isNaN))) return null;
  for (const [time, interval] of [
    [0, 1],
    [1, 0],
  ] as const) {
    const intervals = cells.map((row) => row[interval]!);
    const times = cells.map((row) => row[time]!);
    const intervalUnit = unitOf(intervals);
    if (!intervalUnit || times.some((at, i) => i > 0 && at < times[i - 1]!)) continue;
    const seconds = intervals.map((value) => (intervalUnit === 'ms' ? value / 1000 : value));
    for (const timeUnit of ['s', 'ms'] as const) {
      const steps = times.map((at, i) => (i === 0 ? Number.NaN : at - times[i - 1]!) / (timeUnit === 'ms' ? 1000 : 1));
      const share = (isFollowing: (i: number) => boolean): number =>
        steps.filter((_, i) => i > 0 && isFollowing(i)).length / (steps.length - 1);
      const isNear = (a: number, b: number): boolean => Math.abs(a - b) <= FOLLOWS_SECONDS;
      const ends = share((i) => isNear(steps[i]!, seconds[i]!));
      const begins = share((i) => isNear(steps[i]!, seconds[i - 1]!));
      if (Math.max(ends, begins) < FOLLOWS_SHARE) continue;
      const stampOf = ends >= begins ? 'END' : 'BEGIN';
      return { separator, decimal, interval, time, width: 2, intervalUnit, timeUnit, stampOf };
    }
    const isNumbered = times.every((at, i) => (i === 0 ? at === 0 || at === 1 : at - times[i - 1]! === 1));
    if (isNamed && isNumbered)
      return { separator, decimal, interval, width: 2, intervalUnit, timeUnit: 's', stampOf: 'END' };
  }
  return null;
}

/** The unit in which nearly all of the numbers are intervals of a heart; the first two always are. */
function unitOf(values: readonly number[]): 's' | 'ms' | null {
  for (const [unit, size] of [
    ['s', 1],
    ['ms', 1000],
  ] as const) {
    const isUsual = (value: number): boolean =>
      value >= USUAL_SECONDS.least * size && value <= USUAL_SECONDS.most * size;
    const usual = values.filter(isUsual).length;
    if (usual >= USUAL_SHARE * values.length && isUsual(values[0]!) && isUsual(values[1]!)) return unit;
  }
  return null;
}

/** Whether an interval is that of a heart, and not the beginning of a longer number. */
export const isUsualInterval = (intervalUs: number): boolean =>
  intervalUs >= USUAL_SECONDS.least * 1e6 && intervalUs <= USUAL_SECONDS.most * 1e6;

export const isRrList = ({ text, sizeBytes }: FileHead): boolean =>
  !text.slice(0, 64).includes('\0') && rrListShape(text, sizeBytes < HEAD_BYTES) !== null;
