import { toSpreadsheetCell } from '../../src-server/study/spreadsheet-cells.ts';

/** A cell of a file: what is not known is empty, never a zero or a dash. */
export type CsvCell = string | number | undefined;

const cell = (value: CsvCell) =>
  `"${(typeof value === 'string' ? toSpreadsheetCell(value) : String(value ?? '')).replaceAll('"', '""')}"`;

/** Rows as CSV, every cell quoted, none of them a formula. Headers and values are the same in every language: dates and times as in ISO 8601. */
export function csvText(header: readonly string[], rows: readonly (readonly CsvCell[])[]): string {
  return `${[header, ...rows].map((row) => row.map(cell).join(',')).join('\n')}\n`;
}
