/** `columns.csv`: the type of every column of an archive, which the scripts for Python and R load the tables with. */
import { csvRow } from '../../csv-row.ts';
import type { Disclosure } from '../study-export/disclosure.ts';

/** `time_ms`: epoch milliseconds. `list`: values separated by spaces. `code`: one of a known set of words. */
export type ColumnType = 'text' | 'code' | 'number' | 'boolean' | 'time_ms' | 'date' | 'list';

export interface TypedColumn {
  file: string;
  column: string;
  type: ColumnType;
}

const TYPES: Readonly<Record<Disclosure['kind'], ColumnType>> = {
  measure: 'number',
  age: 'number',
  time: 'time_ms',
  date: 'date',
  zone: 'text',
  id: 'text',
  code: 'code',
  label: 'text',
  definition: 'text',
  text: 'text',
  list: 'list',
  object: 'text',
};

/** @param shows the class of the column; a function where it depends on the row */
export function typeOfColumn(name: string, shows: Disclosure | ((...parameters: never[]) => Disclosure)): ColumnType {
  if (typeof shows === 'function') return 'text';
  // Flags and numbers are disclosed alike.
  return shows.kind === 'measure' && /^is[A-Z]/.test(name) ? 'boolean' : TYPES[shows.kind];
}

const TIME_OF_DAY = '(hh:mm)';
const TIME_UNIT = /\((?:utc_)?milliseconds\)$/i;

/** Types of columns that carry their unit in brackets; one without a unit holds words. */
export function typesOfUnits(file: string, header: readonly string[]): TypedColumn[] {
  return header.map((column) => {
    if (column === 'DATE') return { file, column, type: 'date' };
    if (column.includes(TIME_OF_DAY)) return { file, column, type: 'text' };
    if (TIME_UNIT.test(column) && /_TS\b|timestamp/i.test(column)) return { file, column, type: 'time_ms' };
    return { file, column, type: column.includes('(') ? 'number' : 'code' };
  });
}

export function columnsCsv(columns: readonly TypedColumn[]): string {
  return [
    csvRow(['file', 'column', 'type']),
    ...columns.map(({ file, column, type }) => csvRow([file, column, type])),
  ].join('');
}
