/**
 * One row of a CSV file: commas, a line feed, RFC 4180 quotes where a cell needs them, and protection against formula
 * injection in spreadsheets. Every CSV that the site writes goes through here.
 */
import { toSpreadsheetCell } from './study/spreadsheet-cells.ts';

export type CsvValue = string | number | boolean | null | undefined;

function cellOf(value: CsvValue): string {
  if (value === null || value === undefined) return '';
  if (typeof value !== 'string') return String(value);
  const text = toSpreadsheetCell(value);
  return /[",\r\n]/.test(text) ? quoted(text) : text;
}

const quoted = (text: string): string => `"${text.replaceAll('"', '""')}"`;

/** A cell in quotes, its own quotes doubled. */
export function quotedCell(value: string): string {
  return quoted(toSpreadsheetCell(value));
}

/** The cells joined, with the line feed; absent values are empty cells. */
export function csvRow(cells: readonly CsvValue[]): string {
  return `${cells.map(cellOf).join(',')}\n`;
}

/**
 * A row whose texts are read back exactly. A null is an empty cell; a text that is empty, begins with an apostrophe or would be run
 * as a formula has one apostrophe in front, which its reader removes.
 */
export function exactRow(cells: readonly (string | number | null)[]): string {
  const texts = cells.map((value) => {
    if (value === null) return '';
    if (typeof value === 'number') return String(value);
    const isMarked = value === '' || value.startsWith("'") || toSpreadsheetCell(value) !== value;
    const text = isMarked ? `'${value}` : value;
    return /[",\r\n]/.test(text) ? quoted(text) : text;
  });
  return `${texts.join(',')}\n`;
}
