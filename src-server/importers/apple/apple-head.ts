/**
 * Recognises electrocardiograms that Apple Health exports, by their shape: the words in them are translated, and numbers may have a decimal
 * comma and spaces that do not break.
 */
import type { FileHead } from '../foreign-format.ts';

/** `2020-02-05 09:14:40 -0400`: the same in every language. */
const RECORDED = /^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d) ([+-])(\d\d):?(\d\d)$/;
/** `512.844 hertz`, `512,844 Hertz`, `511 Hz`. */
const RATE = /^(\d{2,4}(?:[.,]\d+)?)\s*\p{L}[\p{L}\p{M}.]*$/u;
const RATES_HZ = { least: 90, most: 1100 };
const UNIT = /^(?:[µμu]V|mV|V|micro-?volts?|milli-?volts?)$/iu;
const DEVICE = /^(?:Apple\s*)?Watch\s*\d+,\d+$/i;
const VERSION = /^\d+(?:\.\d+)+$/;
const LEAST_VALUES = 4;
const LOOKED_AT_VALUES = 32;
const MOST_HEAD_LINES = 40;

/** Line above the values: a word, a separator and a value, which may be quoted. */
const LINE = /^\s*"?[^",;\t]*"?\s*[,;\t]\s*(.*)$/u;

export interface AppleHead {
  /** Wall clock without an offset, `2020-02-05T09:14:40`, and the offset that the file states. */
  wall: string;
  utcOffsetMinutes: number;
  rateHz: number;
  /** Null where the file names none: then pairs of a lead and a voltage are in mV, other values in uV. */
  unit: string | null;
  /** As Apple words it, in the language of the phone. */
  classification: string | null;
  model: string | null;
  software: string | null;
  /** Lines above the values. */
  lineCount: number;
  /** Values are in the second of two cells. */
  isPaired: boolean;
  separator: string;
}

/** Spaces of every kind become plain, quotes around a value go. */
const plain = (text: string): string =>
  text
    .replace(/[\u00a0\u2007\u202f]/g, ' ')
    .replace(/[,;\t\s]+$/, '')
    .trim()
    .replace(/^"(.*)"$/, '$1')
    .trim();

const NUMBER = /^[-+\u2212]?\d+(?:[.,]\d+)?(?:e[-+]?\d+)?$/i;
const PAIR = /^\s*"?([-+\u2212]?\d+(?:[.,]\d+)?)"?\s*([;\t,])\s*"?([-+\u2212]?\d+(?:[.,]\d+)?(?:e[-+]?\d+)?)"?\s*$/i;

const isValue = (line: string): boolean => NUMBER.test(plain(line));

/** `I,0.001`, below `Lead,Voltage`. */
const LEAD_PAIR = /^\s*"?(\p{L}[^",;\t]*)"?\s*([,;\t])\s*"?[-+\u2212]?\d+(?:[.,]\d+)?"?\s*$/u;

/**
 * Pairs of a lead, a time or an index and a value. A number with a decimal comma looks like one too, but its decimals have no sign or point, and its
 * whole parts do not count.
 */
function pairSeparator(lines: readonly string[]): string | null {
  const leads = lines.map((line) => LEAD_PAIR.exec(line));
  if (leads.every((lead) => lead !== null && lead[1] === leads[0]![1])) return leads[0]![2]!;
  const pairs = lines.map((line) => PAIR.exec(line));
  if (pairs.some((pair) => pair === null)) return null;
  const separators = new Set(pairs.map((pair) => pair![2]!));
  if (separators.size !== 1) return null;
  const [separator] = [...separators];
  if (separator !== ',') return separator!;
  const hasOwnSigns = pairs.some((pair) => /[-+\u2212.]/.test(pair![3]!) || pair![1]!.includes('.'));
  const firsts = pairs.map((pair) => Number(pair![1]!.replace('\u2212', '-')));
  const step = firsts[1]! - firsts[0]!;
  const isIndex = step > 0 && firsts.every((value, i) => i === 0 || value - firsts[i - 1]! === step);
  return hasOwnSigns || isIndex ? ',' : null;
}

/** Parses the lines above the values; null when they are of something else. @param isWhole whether the last line is whole */
export function appleHead(text: string, isWhole: boolean): AppleHead | null {
  const lines = text.replace(/^\ufeff/, '').split(/\r\n|\n|\r/);
  if (!isWhole) lines.pop();
  const firstRun = runOfValues(lines);
  if (firstRun === null) return null;
  const { lineCount, separator } = firstRun;
  const cells = lines.slice(0, lineCount).map((line) => {
    const value = LINE.exec(line)?.[1];
    return value === undefined ? '' : plain(value);
  });
  const recordedAt = cells.findIndex((cell) => RECORDED.test(cell));
  const [, day, time, sign, hours, minutes] = RECORDED.exec(cells[recordedAt] ?? '') ?? [];
  // A heart rate stands there too, in words of its own, and is lower.
  const rates = cells.map((cell) => Number(RATE.exec(cell)?.[1]?.replace(',', '.'))).filter(isRate);
  if (day === undefined || rates.length === 0) return null;
  const of = (test: RegExp): string | null => cells.find((cell) => test.test(cell)) ?? null;
  // It stands behind the date in every language; a file without it has the next line there, which is a list or a version.
  const classification = cells[recordedAt + 1] ?? '';
  const isWord = classification !== '' && ![RATE, VERSION, DEVICE, UNIT].some((test) => test.test(classification));
  return {
    wall: `${day}T${time}`,
    utcOffsetMinutes: (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)),
    rateHz: Math.max(...rates),
    unit: of(UNIT),
    classification: isWord ? classification : null,
    model: of(DEVICE),
    software: of(VERSION),
    lineCount,
    isPaired: separator !== null,
    separator: separator ?? '',
  };
}

const isRate = (rateHz: number): boolean => rateHz >= RATES_HZ.least && rateHz <= RATES_HZ.most;

/** Where the first run of values begins. */
function runOfValues(lines: readonly string[]): { lineCount: number; separator: string | null } | null {
  for (let at = 1; at <= Math.min(lines.length - LEAST_VALUES, MOST_HEAD_LINES); at++) {
    const run = lines.slice(at, at + LOOKED_AT_VALUES).filter((line) => line.trim() !== '');
    if (run.length < LEAST_VALUES) return null;
    if ((lines[at] ?? '').trim() === '') continue;
    const separator = pairSeparator(run);
    if (separator !== null || run.every(isValue)) return { lineCount: at, separator };
  }
  return null;
}

/** A value below the head; NaN for none. */
export function appleValue(line: string, { isPaired, separator }: AppleHead): number {
  let text = line;
  if (isPaired) {
    const at = line.indexOf(separator);
    if (at < 0) return Number.NaN;
    text = line.slice(at + 1);
  }
  const cell = plain(text).replace('\u2212', '-');
  return NUMBER.test(cell) ? Number(cell.replace(',', '.')) : Number.NaN;
}

/** Decimals of a value as written. */
export const decimalsOf = (line: string): number => /[.,](\d+)"?\s*$/.exec(line)?.[1]?.length ?? 0;

/** The first bytes of a file may end inside a line. */
export const isAppleEcg = ({ text }: FileHead): boolean =>
  /\d{4}-\d\d-\d\d \d\d:\d\d:\d\d [+-]\d\d/.test(text) && appleHead(text, false) !== null;

const ECG_FILE = /(?:^|\/)ecg_\d{4}-\d\d-\d\d[^/]*\.csv$/i;
const ECG_FOLDER = /(?:^|\/)electrocardiograms\/[^/]+$/i;
const HEALTH_FOLDER = /(?:^|\/)apple_health_export\//i;
const HEALTH_FILE = /(?:^|\/)export(?:_cda)?\.xml$/i;

/** The members of a Health export, whose folder names are translated. Its large files are never opened. */
export const isAppleHealth = (names: readonly string[]): boolean =>
  names.some((name) => ECG_FILE.test(name) || ECG_FOLDER.test(name) || HEALTH_FOLDER.test(name)) ||
  names.some((name) => HEALTH_FILE.test(name));
