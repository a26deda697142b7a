/** The columns of the text files of Polar Sensor Logger: one file per stream, read by the names of its columns. */
import type { FileHead } from '../foreign-format.ts';

/** The app writes `;`; tables that were saved again by another program have commas or tabs. */
const FIRST_COLUMN = /^"?phone (?:data rx )?timestamp"?\s*([;,\t])/i;
/** Names of streams at the end of a file name, as the app gives them. */
const FILE_NAME = /(?:^|[_/])(?:ecg|acc|gyro|magn?|ppg|ppi|hr|rr|marker)(?:_\d+)?\.txt$/i;
const DEVICE_FILE = /(?:^|\/)polar_/i;

export const isPolarFile = ({ text }: FileHead): boolean => FIRST_COLUMN.test(text);

/** A folder of a session may hold other things as well. */
export const isPolarFolder = (names: readonly string[]): boolean =>
  names.some((name) => DEVICE_FILE.test(name) && FILE_NAME.test(name));

export interface PolarColumn {
  place: number;
  name: string;
  unit: string;
}

export interface PolarColumns {
  /** Byte between cells. */
  separator: number;
  width: number;
  /** Place of the sensor's nanoseconds; null where only the phone's clock is written. */
  sensor: number | null;
  isMarker: boolean;
  /** Intervals of beats; null in files of signals. */
  interval: { type: 'RR' | 'PPI'; place: number } | null;
  error: number | null;
  blocker: number | null;
  contact: number | null;
  contactSupported: number | null;
  values: PolarColumn[];
}

/** Parses the first line; null when it is of another format. */
export function polarColumns(line: string): PolarColumns | null {
  const separator = FIRST_COLUMN.exec(line)?.[1];
  if (separator === undefined) return null;
  const cells = line.split(separator).map((cell) => cell.trim().replace(/^"(.*)"$/, '$1'));
  while (cells.length > 1 && cells.at(-1) === '') cells.pop();
  const names = cells.map((cell) => cell.toLowerCase());
  const placeOf = (test: RegExp): number | null => {
    const place = names.findIndex((name) => test.test(name));
    return place < 0 ? null : place;
  };
  const pulse = placeOf(/^pp[- ]?interval/);
  const rr = placeOf(/^rr[- ]?interval/);
  const contacts = names.flatMap((name, place) => (/contact/.test(name) ? [place] : []));
  const columns: PolarColumns = {
    separator: separator.charCodeAt(0),
    width: cells.length,
    sensor: placeOf(/^sensor timestamp \[ns\]$/),
    isMarker: placeOf(/^marker/) !== null,
    interval: pulse !== null ? { type: 'PPI', place: pulse } : rr !== null ? { type: 'RR', place: rr } : null,
    error: placeOf(/^error/),
    blocker: placeOf(/^blocker/),
    // Older builds name both "contact"; the second says whether the sensor can tell at all.
    contact: contacts[0] ?? null,
    contactSupported: contacts[1] ?? null,
    values: [],
  };
  columns.values = cells.flatMap((cell, place) => {
    const [, name = '', unit = ''] = /^(.*?)\s*(?:\[([^\]]*)\])?$/.exec(cell) ?? [];
    const isOther = place === 0 || place === columns.sensor || /^timestamp$/i.test(name) || cell === '';
    return isOther ? [] : [{ place, name, unit }];
  });
  return columns;
}
