/** Rows of the data files of Unisens: binary, CSV or XML, with a sample stamp in front of each row of values. */
import { OutpostError } from '../../errors.ts';
import { unsupported } from '../refusals.ts';
import { linesOf, type SetMember } from '../set-members.ts';
import type { UnisensEntry } from './unisens-header.ts';
import { xmlElements } from './xml-elements.ts';

/** Up to `BATCH_ROWS` rows; the arrays are used again for the next batch. */
export interface RowBatch {
  rows: number;
  /** Of values: the time in samples of the entry's rate. */
  stamps: Float64Array;
  /** NaN where there is no value. */
  columns: Float64Array[];
}

/** What was found while rows were read. */
export interface RowFaults {
  broken: number;
  /** The file ends inside a row, or its XML breaks off. */
  isCut: boolean;
}

export const BATCH_ROWS = 1 << 14;
const STAMP_BYTES = 8;

export interface DataType {
  bytes: number;
  /** Whole numbers of at most 32 bits, which are kept as counts; the lowest value decides where zero is put. */
  lowest?: number;
  bits?: 16 | 32;
  read(view: DataView, at: number, isLittleEndian: boolean): number;
}

export const DATA_TYPES: Readonly<Record<string, DataType>> = {
  int8: { bytes: 1, lowest: -(2 ** 7), bits: 16, read: (view, at) => view.getInt8(at) },
  uint8: { bytes: 1, lowest: 0, bits: 16, read: (view, at) => view.getUint8(at) },
  int16: { bytes: 2, lowest: -(2 ** 15), bits: 16, read: (view, at, little) => view.getInt16(at, little) },
  uint16: { bytes: 2, lowest: 0, bits: 32, read: (view, at, little) => view.getUint16(at, little) },
  int32: { bytes: 4, lowest: -(2 ** 31), bits: 32, read: (view, at, little) => view.getInt32(at, little) },
  uint32: { bytes: 4, lowest: 0, bits: 32, read: (view, at, little) => view.getUint32(at, little) },
  int64: { bytes: 8, read: (view, at, little) => Number(view.getBigInt64(at, little)) },
  uint64: { bytes: 8, read: (view, at, little) => Number(view.getBigUint64(at, little)) },
  float: { bytes: 4, read: (view, at, little) => finite(view.getFloat32(at, little)) },
  double: { bytes: 8, read: (view, at, little) => finite(view.getFloat64(at, little)) },
};

const finite = (value: number): number => (Number.isFinite(value) ? value : Number.NaN);

export const channelCount = ({ channels }: UnisensEntry): number => Math.max(1, channels.length);

class Collector {
  readonly batch: RowBatch;

  constructor(columns: number) {
    this.batch = {
      rows: 0,
      stamps: new Float64Array(BATCH_ROWS),
      columns: Array.from({ length: columns }, () => new Float64Array(BATCH_ROWS)),
    };
  }

  /** The row to fill next; the batch must have been taken when it is full. */
  next(stamp: number): number {
    const row = this.batch.rows++;
    this.batch.stamps[row] = stamp;
    return row;
  }

  get isFull(): boolean {
    return this.batch.rows === BATCH_ROWS;
  }

  *take(): Generator<RowBatch> {
    if (this.batch.rows > 0) yield this.batch;
    this.batch.rows = 0;
  }
}

/** @throws FILE_DAMAGED where its ZIP is broken, UNSUPPORTED_FORMAT for a form of file that is not read */
export function rowsOf(
  member: SetMember,
  entry: UnisensEntry,
  faults: RowFaults,
  onBytes?: (bytes: number) => void,
): AsyncGenerator<RowBatch> {
  const { format } = entry;
  if (format.kind === 'BIN') return binaryRows(member, entry, format.isLittleEndian, faults, onBytes);
  if (format.kind === 'CSV') return textRows(member, entry, format, faults, onBytes);
  if (format.kind === 'XML') return xmlRows(member, entry, faults, onBytes);
  throw unsupported(member.name, 'it is neither binary, CSV nor XML.');
}

async function* binaryRows(
  member: SetMember,
  entry: UnisensEntry,
  little: boolean,
  faults: RowFaults,
  onBytes?: (bytes: number) => void,
): AsyncGenerator<RowBatch> {
  const type = DATA_TYPES[entry.dataType];
  if (!type) throw unsupported(member.name, `its data type reads "${entry.dataType}".`);
  const columns = channelCount(entry);
  const stampBytes = entry.kind === 'VALUES' ? STAMP_BYTES : 0;
  const rowBytes = stampBytes + columns * type.bytes;
  const collector = new Collector(columns);
  let rest: Uint8Array = new Uint8Array(0);
  for await (const chunk of member.open(onBytes)) {
    const bytes = rest.byteLength === 0 ? chunk : Buffer.concat([rest, chunk]);
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    let at = 0;
    for (; at + rowBytes <= bytes.byteLength; at += rowBytes) {
      const row = collector.next(stampBytes > 0 ? Number(view.getBigInt64(at, little)) : 0);
      for (let c = 0; c < columns; c++) {
        collector.batch.columns[c]![row] = type.read(view, at + stampBytes + c * type.bytes, little);
      }
      if (collector.isFull) yield* collector.take();
    }
    rest = bytes.slice(at);
  }
  faults.isCut ||= rest.byteLength > 0;
  yield* collector.take();
}

const NUMBER = /^[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d{1,3})?$/i;

export function numberOf(cell: string, decimalSeparator = '.'): number {
  const plain = decimalSeparator === '.' ? cell.trim() : cell.trim().replace(decimalSeparator, '.');
  return NUMBER.test(plain) ? finite(Number(plain)) : Number.NaN;
}

export function cellsOf(line: string, separator: string): string[] {
  // A tab in an attribute of XML is read as a space.
  const cells = separator === ' ' ? line.trim().split(/[ \t]+/) : line.split(separator);
  while (cells.length > 0 && cells.at(-1)!.trim() === '') cells.pop();
  return cells;
}

async function* textRows(
  member: SetMember,
  entry: UnisensEntry,
  { separator, decimalSeparator }: { separator: string; decimalSeparator: string },
  faults: RowFaults,
  onBytes?: (bytes: number) => void,
): AsyncGenerator<RowBatch> {
  const columns = channelCount(entry);
  const isStamped = entry.kind === 'VALUES';
  const collector = new Collector(columns);
  for await (const { lines, isCut } of linesOf(member, onBytes)) {
    for (const line of lines) {
      if (line.trim() === '') continue;
      const numbers = cellsOf(line, separator).map((cell) => numberOf(cell, decimalSeparator));
      const stamp = isStamped ? (numbers.shift() ?? Number.NaN) : 0;
      const isWhole = numbers.length === columns && !numbers.some(Number.isNaN) && !Number.isNaN(stamp);
      if (!isWhole) {
        // A last row that was cut in the middle is no row.
        if (isCut) {
          faults.isCut = true;
          continue;
        }
        faults.broken++;
        if (isStamped) continue;
      }
      const row = collector.next(stamp);
      // What a broken row means is not known: it keeps its place in time.
      for (let c = 0; c < columns; c++) collector.batch.columns[c]![row] = isWhole ? numbers[c]! : Number.NaN;
      if (collector.isFull) yield* collector.take();
    }
  }
  yield* collector.take();
}

async function* xmlRows(
  member: SetMember,
  entry: UnisensEntry,
  faults: RowFaults,
  onBytes?: (bytes: number) => void,
): AsyncGenerator<RowBatch> {
  const columns = channelCount(entry);
  const isStamped = entry.kind === 'VALUES';
  const rowElement = isStamped ? 'value' : 'sample';
  const collector = new Collector(columns);
  let found: { stamp: number; numbers: number[] }[] = [];
  let stamp = 0;
  let numbers: number[] = [];
  const elements = xmlElements(
    member,
    {
      opened(name, attributes) {
        if (name !== rowElement) return;
        stamp = isStamped ? numberOf(attributes.get('sampleStamp') ?? '') : 0;
        numbers = [];
      },
      closed(name, text) {
        if (name === 'data' && numbers.length <= columns) numbers.push(numberOf(text));
        if (name === rowElement) found.push({ stamp, numbers });
      },
    },
    onBytes,
  );
  for await (const _ of untilCut(elements, faults)) {
    const rows = found;
    found = [];
    for (const { stamp: rowStamp, numbers: cells } of rows) {
      const isWhole = cells.length === columns && !cells.some(Number.isNaN) && !Number.isNaN(rowStamp);
      if (!isWhole) faults.broken++;
      if (!isWhole && isStamped) continue;
      const row = collector.next(rowStamp);
      for (let c = 0; c < columns; c++) collector.batch.columns[c]![row] = isWhole ? cells[c]! : Number.NaN;
      if (collector.isFull) yield* collector.take();
    }
  }
  yield* collector.take();
}

/** XML that breaks off keeps what came before; a refusal for its form is passed on. */
export async function* untilCut(elements: AsyncGenerator<void>, faults: RowFaults): AsyncGenerator<void> {
  try {
    yield* elements;
  } catch (thrown) {
    if (!(thrown instanceof OutpostError) || thrown.code !== 'FILE_DAMAGED') throw thrown;
    faults.isCut = true;
    yield;
  }
}
