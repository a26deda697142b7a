/** CSV files that the desk builds. */
import { toSpreadsheetCell } from '../../src-server/study/spreadsheet-cells.ts';

/** A cell of a CSV file. An unknown value is empty, never zero or a dash. */
export type CsvCell = string | number | undefined;

const cell = (value: CsvCell) =>
  `"${(typeof value === 'string' ? toSpreadsheetCell(value) : String(value ?? '')).replaceAll('"', '""')}"`;

/** Returns rows as CSV with every cell quoted and formulas disarmed. Headers and values do not depend on the language; dates and times are ISO 8601. */
export function csvText(header: readonly string[], rows: readonly (readonly CsvCell[])[]): string {
  return `${[header, ...rows].map((row) => row.map(cell).join(',')).join('\n')}\n`;
}
