/** Finds the shape of a delimited text in its first lines: delimiter, decimal separator, header line. Only a proposal to a person. */
import { CSV_DELIMITERS, type CsvDelimiter } from '../../vocabulary/csv-mapping.ts';

const LOOKED_AT_LINES = 200;
const SAMPLE_ROWS = 8;
const MAX_CELL_CHARACTERS = 200;

export interface TableShape {
  delimiter: CsvDelimiter;
  decimal: '.' | ',';
  skipLines: number;
  hasHeader: boolean;
  /** Cells of the header line, or empty names. */
  columns: string[];
  rows: string[][];
}

/** The whole lines of the head of a text. */
export function wholeLines(text: string, isWholeFile: boolean): string[] {
  const lines = text.split(/\r?\n/);
  if (!isWholeFile || lines.at(-1) === '') lines.pop();
  return lines;
}

/** Cells of a line; a quoted cell may hold the delimiter. */
export function cellsOf(line: string, delimiter: CsvDelimiter): string[] {
  if (delimiter === ' ') return line.trim().split(/ +/);
  if (!line.includes('"')) return line.split(delimiter).map((cell) => cell.trim());
  const cells: string[] = [];
  let position = 0;
  while (position <= line.length) {
    if (line[position] === '"') {
      const closing = line.indexOf('"', position + 1);
      const stop = closing < 0 ? line.length : closing;
      cells.push(line.slice(position + 1, stop));
      const next = line.indexOf(delimiter, stop);
      position = next < 0 ? line.length + 1 : next + 1;
    } else {
      const next = line.indexOf(delimiter, position);
      const stop = next < 0 ? line.length : next;
      cells.push(line.slice(position, stop).trim());
      position = stop + 1;
    }
  }
  return cells;
}

const NUMBER = /^[+-]?(?:\d+(?:[.,]\d*)?|[.,]\d+)(?:e[+-]?\d+)?$/i;
const TIME = /^\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}|^\d{1,2}:\d{2}(?::\d{2})?/;

export const isNumberCell = (cell: string): boolean => NUMBER.test(cell);
const isValue = (cell: string): boolean => cell === '' || isNumberCell(cell) || TIME.test(cell) || /^nan$/i.test(cell);

/** Returns null for a text that is no table of numbers. */
export function tableShape(lines: readonly string[]): TableShape | null {
  const looked = lines.slice(0, LOOKED_AT_LINES);
  const filled = looked.filter((line) => line.trim() !== '');
  if (filled.length === 0) return null;
  const delimiter = delimiterOf(filled);
  const counts = filled.map((line) => cellsOf(line, delimiter).length);
  const width = commonest(counts.slice(Math.floor(counts.length / 2)));
  const isRow = (line: string) => {
    const cells = cellsOf(line, delimiter);
    const values = cells.filter(isValue).length;
    return cells.length === width && values * 2 > cells.length && cells.some((cell) => cell !== '' && isValue(cell));
  };
  const firstRow = looked.findIndex(isRow);
  if (firstRow < 0) return null;
  let header = firstRow;
  // A line of units may stand between the names and the numbers.
  while (header > 0 && firstRow - header < 2 && cellsOf(looked[header - 1]!, delimiter).length === width) header--;
  const hasHeader = header < firstRow;
  const sample = looked.slice(firstRow).filter(isRow).slice(0, SAMPLE_ROWS);
  const rows = sample.map((line) => cellsOf(line, delimiter).map((cell) => cell.slice(0, MAX_CELL_CHARACTERS)));
  return {
    delimiter,
    decimal: delimiter !== ',' && rows.flat().some((cell) => /^[+-]?\d*,\d+$/.test(cell)) ? ',' : '.',
    skipLines: hasHeader ? header : firstRow,
    hasHeader,
    columns: hasHeader
      ? cellsOf(looked[header]!, delimiter).map((cell) => cell.slice(0, MAX_CELL_CHARACTERS))
      : rows[0]!.map(() => ''),
    rows,
  };
}

/** The delimiter that cuts most lines into the same number of cells, the more the better. */
function delimiterOf(lines: readonly string[]): CsvDelimiter {
  let best: CsvDelimiter = ',';
  let bestScore = 0;
  for (const delimiter of CSV_DELIMITERS) {
    const counts = lines.map((line) => cellsOf(line, delimiter).length);
    const width = commonest(counts);
    if (width < 2) continue;
    const regular = counts.filter((count) => count === width).length / counts.length;
    // A comma within numbers, or a space within times, also cuts: it loses where another delimiter is as regular.
    const score = regular * (delimiter === ' ' ? 0.5 : delimiter === ',' ? 0.8 : 1);
    if (score > bestScore) {
      best = delimiter;
      bestScore = score;
    }
  }
  return best;
}

function commonest(counts: readonly number[]): number {
  const seen = new Map<number, number>();
  for (const count of counts) seen.set(count, (seen.get(count) ?? 0) + 1);
  return [...seen].sort(([a, n], [b, m]) => m - n || b - a)[0]?.[0] ?? 0;
}
