/** Recognises the files of Movesense: texts of the phone app, logs as JSON, and logs in the sensor's own form. */
import type { FileHead } from '../foreign-format.ts';

export type MovesenseText = 'ECG' | 'HEART_RATE' | 'ANNOTATIONS';

const COLUMNS: readonly (readonly [RegExp, MovesenseText])[] = [
  [/^timestamp,sample$/i, 'ECG'],
  [/^average,rrdata$/i, 'HEART_RATE'],
];
const ANNOTATION_COLUMNS = /^timestamp,type,content$/i;

/** What the fixed-width first line of a text holds. */
export interface MovesenseTitle {
  /** When the app began to record, by the clock of the phone, as microseconds that count it as if it were UTC. */
  wallUs: number;
  /** Of the signal; null where the line states none. */
  rateHz: number | null;
}

/** `25.01.2516.42.59200`: date, time and rate without a sign between them. A name in front of them is not taken. */
const TITLE = /(\d\d)\.(\d\d)\.(\d\d)(\d\d)\.(\d\d)\.(\d\d)(\d*(?:\.\d+)?)\s*$/;

export function movesenseTitle(line: string): MovesenseTitle | null {
  const found = TITLE.exec(line);
  if (!found) return null;
  const [day, month, year, hour, minute, second] = found.slice(1, 7).map(Number) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  const wallMs = Date.UTC(2000 + year, month - 1, day, hour, minute, second);
  const isDate = new Date(wallMs).getUTCDate() === day && month <= 12 && hour < 24 && minute < 60 && second < 60;
  if (!isDate) return null;
  const rateHz = Number(found[7]);
  return { wallUs: wallMs * 1000, rateHz: rateHz > 0 ? rateHz : null };
}

/** The first two lines of a text. */
export function movesenseText(first: string, second: string): MovesenseText | null {
  if (ANNOTATION_COLUMNS.test(first.trim())) return 'ANNOTATIONS';
  if (movesenseTitle(first) === null) return null;
  return COLUMNS.find(([columns]) => columns.test(second.trim()))?.[1] ?? null;
}

export function isMovesenseText({ text }: FileHead): boolean {
  const [first = '', second = ''] = text.replace(/^\ufeff/, '').split(/\r?\n/, 2);
  return movesenseText(first, second) !== null;
}

/** `{"Meas":{"IMU9":[...` of older converters, `{"Samples":[{"MeasEcgmV":...` of newer ones. */
const LOG = /^\ufeff?\s*\{\s*"(?:Meas"\s*:\s*\{|Samples"\s*:\s*\[\s*(?:\{|$))/;

export const isMovesenseLog = ({ text }: FileHead): boolean => LOG.test(text);
