/**
 * How a delimited text that no importer knows is read: which columns are time and which form channels. A study keeps such mappings as
 * templates; a file whose header line is that of a template is read by it. Pure.
 */

export const CSV_DELIMITERS = [',', ';', '\t', '|', ' '] as const;
export type CsvDelimiter = (typeof CSV_DELIMITERS)[number];

export const CSV_TIME_UNITS = ['s', 'ms', 'us', 'ns'] as const;
export type CsvTimeUnit = (typeof CSV_TIME_UNITS)[number];

export const DATE_ORDERS = ['YMD', 'DMY', 'MDY'] as const;
export type DateOrder = (typeof DATE_ORDERS)[number];

/** Columns are numbered from 0. */
export type CsvTime =
  /** Date and time, with or without an offset; the time may be in a column of its own. */
  | { kind: 'DATE_TIME'; column: number; timeColumn?: number; order: DateOrder }
  | { kind: 'UNIX'; column: number; unit: CsvTimeUnit }
  /** Time since the start that the importing person states. */
  | { kind: 'ELAPSED'; column: number; unit: CsvTimeUnit }
  /** Sample number at a fixed rate; without a column, rows are counted. */
  | { kind: 'SAMPLE_NUMBER'; column?: number; rateHz: number };

/** What a channel of a mapping can be, and how many columns it takes. */
export const CSV_CHANNEL_TYPES = [
  'ECG',
  'EMG',
  'ACCEL',
  'GYRO',
  'MAGNETOMETER',
  'RR',
  'PPG',
  'EDA',
  'TEMPERATURE',
  'LIGHT',
  'OTHER',
] as const;
export type CsvChannelType = (typeof CSV_CHANNEL_TYPES)[number];

export const MAX_CSV_LEADS = 16;
const AXES: ReadonlySet<CsvChannelType> = new Set(['ACCEL', 'GYRO', 'MAGNETOMETER']);
const SEVERAL: ReadonlySet<CsvChannelType> = new Set(['ECG', 'EMG', 'PPG', 'OTHER']);

/** Least and most columns of a channel of this type. */
export function columnsOfType(type: CsvChannelType): { least: number; most: number } {
  if (AXES.has(type)) return { least: 3, most: 3 };
  return { least: 1, most: SEVERAL.has(type) ? MAX_CSV_LEADS : 1 };
}

export interface CsvChannel {
  type: CsvChannelType;
  /** Name of a channel of type OTHER. */
  name?: string;
  /** As in the file; converted where the type has a unit of its own. */
  unit: string;
  columns: number[];
}

export interface CsvMapping {
  delimiter: CsvDelimiter;
  decimal: '.' | ',';
  /** Lines above the header line, or above the first row where there is no header line. */
  skipLines: number;
  hasHeader: boolean;
  time: CsvTime;
  channels: CsvChannel[];
  /** Texts that stand for a missing value, besides an empty cell. */
  missing: string[];
}

export interface CsvTemplate {
  id: string;
  displayName: string;
  /** Cells of the header line by which a file is recognised; empty for a mapping without a header. */
  header: string[];
  mapping: CsvMapping;
}

/** Header cells as they are compared: case and spaces around them differ between versions of a program. */
const comparedHeader = (cells: readonly string[]): string =>
  JSON.stringify(cells.map((cell) => cell.trim().toLowerCase()));

/** Every header line that a template may have: the cells of a line by its number and delimiter. */
export interface HeaderLines {
  cellsOf(line: number, delimiter: CsvDelimiter): string[];
}

/** Returns the templates whose header line the file has, in the order in which they were saved. */
export function matchingTemplates(templates: readonly CsvTemplate[], lines: HeaderLines): CsvTemplate[] {
  return templates.filter(
    ({ header, mapping }) =>
      header.length > 0 &&
      comparedHeader(lines.cellsOf(mapping.skipLines, mapping.delimiter)) === comparedHeader(header),
  );
}

export type MappingFault =
  | 'NO_CHANNEL'
  | 'COLUMN_COUNT'
  | 'COLUMN_TWICE'
  | 'TIME_COLUMN'
  | 'DECIMAL_IS_DELIMITER'
  | 'NO_UNIT'
  | 'NO_NAME';

/** Returns what keeps a mapping from being used, with paths as in the API. */
export function mappingFaults(mapping: CsvMapping): { path: string; fault: MappingFault }[] {
  const faults: { path: string; fault: MappingFault }[] = [];
  if (mapping.channels.length === 0) faults.push({ path: 'channels', fault: 'NO_CHANNEL' });
  if (mapping.decimal === mapping.delimiter) faults.push({ path: 'decimal', fault: 'DECIMAL_IS_DELIMITER' });
  const timeColumns = timeColumnsOf(mapping.time);
  const used = new Set<number>();
  for (const [index, channel] of mapping.channels.entries()) {
    const path = `channels.${index}`;
    const { least, most } = columnsOfType(channel.type);
    if (channel.columns.length < least || channel.columns.length > most)
      faults.push({ path: `${path}.columns`, fault: 'COLUMN_COUNT' });
    if (channel.columns.some((column) => timeColumns.includes(column)))
      faults.push({ path: `${path}.columns`, fault: 'TIME_COLUMN' });
    if (channel.columns.some((column) => used.has(column)) || new Set(channel.columns).size < channel.columns.length)
      faults.push({ path: `${path}.columns`, fault: 'COLUMN_TWICE' });
    for (const column of channel.columns) used.add(column);
    if (channel.unit.trim() === '') faults.push({ path: `${path}.unit`, fault: 'NO_UNIT' });
    if (channel.type === 'OTHER' && !channel.name?.trim()) faults.push({ path: `${path}.name`, fault: 'NO_NAME' });
  }
  return faults;
}

export function timeColumnsOf(time: CsvTime): number[] {
  if (time.kind === 'DATE_TIME') return time.timeColumn === undefined ? [time.column] : [time.column, time.timeColumn];
  return time.column === undefined ? [] : [time.column];
}
