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
