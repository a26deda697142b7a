/** Proposes a mapping from the names and first values of columns. A person checks it in the desk before anything is imported. */
import {
  type CsvChannel,
  type CsvChannelType,
  type CsvMapping,
  type CsvTime,
  type CsvTimeUnit,
  columnsOfType,
  type DateOrder,
} from '../../vocabulary/csv-mapping.ts';
import { isNumberCell, type TableShape } from './table-shape.ts';

const DATE = /^(\d{1,4})([-/.])(\d{1,2})\2(\d{1,4})/;
const DATE_ONLY = /^\d{1,4}([-/.])\d{1,2}\1\d{1,4}$/;
const TIME_ONLY = /^\d{1,2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?$/;
const TIME_NAME = /time|stamp|zeit|^t$|^t[\s([]|elapsed|seconds?$|時刻|時間/i;
const NUMBER_NAME = /^(?:sample|index|idx|counter|frame|n|no|nr|#|row)(?:[\s_]?(?:no|number|index|count))?\.?$/i;
/** A rate to start from where the file names none. */
const USUAL_RATE_HZ = 100;
const PROPOSED_MISSING = ['NaN', 'NA', 'null', '-'];

export function proposeMapping(shape: TableShape): CsvMapping {
  const time = proposeTime(shape);
  const timeColumns =
    time.kind === 'DATE_TIME' && time.timeColumn !== undefined ? [time.column, time.timeColumn] : [time.column];
  return {
    delimiter: shape.delimiter,
    decimal: shape.decimal,
    skipLines: shape.skipLines,
    hasHeader: shape.hasHeader,
    time,
    channels: proposeChannels(shape, new Set(timeColumns)),
    missing: PROPOSED_MISSING,
  };
}

const columnOf = ({ rows }: TableShape, column: number): string[] =>
  rows.map((row) => row[column] ?? '').filter((cell) => cell !== '');

function proposeTime(shape: TableShape): CsvTime {
  for (const column of shape.columns.keys()) {
    const cells = columnOf(shape, column);
    if (cells.length === 0 || !cells.every((cell) => DATE.test(cell) && !isNumberCell(cell))) continue;
    const order = orderOf(cells);
    const next = columnOf(shape, column + 1);
    const isSplit =
      cells.every((cell) => DATE_ONLY.test(cell)) && next.length > 0 && next.every((c) => TIME_ONLY.test(c));
    return { kind: 'DATE_TIME', column, order, ...(isSplit && { timeColumn: column + 1 }) };
  }
  const named = shape.columns.findIndex((name, column) => TIME_NAME.test(name) && isNumeric(shape, column));
  // Without names, the first column is the time if it only grows.
  const column = named >= 0 ? named : !shape.hasHeader && isGrowing(shape, 0) ? 0 : -1;
  if (column >= 0) return numericTime(shape, column);
  const numbered = shape.columns.findIndex((name, at) => NUMBER_NAME.test(name.trim()) && isNumeric(shape, at));
  return { kind: 'SAMPLE_NUMBER', rateHz: USUAL_RATE_HZ, ...(numbered >= 0 && { column: numbered }) };
}

function orderOf(cells: readonly string[]): DateOrder {
  const parts = cells.map((cell) => DATE.exec(cell)!);
  if (parts[0]![1]!.length === 4) return 'YMD';
  if (parts.some(([, first]) => Number(first) > 12)) return 'DMY';
  if (parts.some(([, , , second]) => Number(second) > 12)) return 'MDY';
  return parts[0]![2] === '/' ? 'MDY' : 'DMY';
}

const toNumber = (cell: string): number => Number(cell.replace(',', '.'));
const isNumeric = (shape: TableShape, column: number): boolean => columnOf(shape, column).every(isNumberCell);

function isGrowing(shape: TableShape, column: number): boolean {
  const values = columnOf(shape, column);
  return (
    values.length > 1 &&
    values.every((cell, i) => isNumberCell(cell) && (i === 0 || toNumber(cell) > toNumber(values[i - 1]!)))
  );
}

function numericTime(shape: TableShape, column: number): CsvTime {
  const first = toNumber(columnOf(shape, column)[0] ?? '0');
  // From 2001 to 2096 in each unit.
  for (const [unit, size] of [
    ['s', 1],
    ['ms', 1e3],
    ['us', 1e6],
    ['ns', 1e9],
  ] as const) {
    if (first >= 1e9 * size && first < 4e9 * size) return { kind: 'UNIX', column, unit };
  }
  return { kind: 'ELAPSED', column, unit: elapsedUnit(shape.columns[column] ?? '') };
}

function elapsedUnit(name: string): CsvTimeUnit {
  if (/\bns\b|nano/i.test(name)) return 'ns';
  if (/\b[uµμ]s\b|_us\b|micro/i.test(name)) return 'us';
  return /\bms\b|_ms\b|milli/i.test(name) ? 'ms' : 's';
}

interface NameRule {
  type: CsvChannelType;
  name: RegExp;
  unit: string;
}

const NAMES: readonly NameRule[] = [
  { type: 'ACCEL', name: /acc|^[xyz]$/i, unit: 'g' },
  { type: 'GYRO', name: /gyr|rotation/i, unit: 'deg/s' },
  { type: 'MAGNETOMETER', name: /mag/i, unit: 'uT' },
  { type: 'ECG', name: /ecg|ekg/i, unit: 'mV' },
  { type: 'EMG', name: /emg/i, unit: 'mV' },
  { type: 'RR', name: /^(?:rr|ibi|r-r|nn)(?![a-z])/i, unit: 'ms' },
  { type: 'PPG', name: /ppg|bvp|pleth/i, unit: 'adu' },
  { type: 'EDA', name: /eda|gsr|skin.?cond/i, unit: 'uS' },
  { type: 'TEMPERATURE', name: /temp/i, unit: 'degC' },
  { type: 'LIGHT', name: /light|lux/i, unit: 'lux' },
];

const axisOf = (name: string): string | undefined =>
  /(?:^|[^a-z])([xyz])(?:$|[^a-z])/i.exec(name)?.[1]?.toLowerCase() ??
  /(?:acc|accel|gyro|gyr|mag|magn)([xyz])/i.exec(name)?.[1]?.toLowerCase();

const unitOf = (name: string): string | undefined => /[([]([^)\]]+)[)\]]\s*$/.exec(name)?.[1]?.trim();

function proposeChannels(shape: TableShape, taken: ReadonlySet<number | undefined>): CsvChannel[] {
  const channels: CsvChannel[] = [];
  for (const [column, name] of shape.columns.entries()) {
    if (taken.has(column) || !isNumeric(shape, column)) continue;
    const rule = NAMES.find((one) => one.name.test(name));
    if (!rule) continue;
    const { most } = columnsOfType(rule.type);
    const open = channels.find(({ type, columns }) => type === rule.type && columns.length < most);
    if (most === 3 && axisOf(name) === undefined) continue;
    if (open && most > 1) open.columns.push(column);
    else channels.push({ type: rule.type, unit: unitOf(name) ?? rule.unit, columns: [column] });
  }
  return channels.filter(({ type, columns }) => columns.length >= columnsOfType(type).least);
}
