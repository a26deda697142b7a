/**
 * Streams a Parquet file row group by row group, so that only one is in memory. Pages are compressed with Zstandard, which
 * pandas, R, DuckDB and Spark read.
 */

import { zstdCompressSync } from 'node:zlib';
import type { DecodedArray, SchemaElement } from 'hyparquet';
import { ByteWriter, ParquetWriter } from 'hyparquet-writer';
import { DAY_MS } from '../../durations.ts';

/** `timestamp-us` and `timestamp-ms` are UTC instants given as whole numbers; `date` is a local date in days since 1970-01-01. */
export type ParquetType = 'timestamp-us' | 'timestamp-ms' | 'date' | 'double' | 'int32' | 'boolean' | 'string';

export interface ParquetColumn {
  name: string;
  type: ParquetType;
  /** True when the column is nullable. */
  isNullable?: boolean;
  /** Stored in the file's metadata under `units`. */
  unit?: string;
}

/** One row group: one array per column, all of the same length. */
export type RowGroup = readonly DecodedArray[];

const compress = (input: Uint8Array): Uint8Array => zstdCompressSync(input);
const COMPRESSORS = { ZSTD: compress };

const ELEMENTS: Record<ParquetType, Omit<SchemaElement, 'name'>> = {
  'timestamp-us': {
    type: 'INT64',
    converted_type: 'TIMESTAMP_MICROS',
    logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MICROS' },
  },
  'timestamp-ms': {
    type: 'INT64',
    converted_type: 'TIMESTAMP_MILLIS',
    logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MILLIS' },
  },
  date: { type: 'INT32', converted_type: 'DATE', logical_type: { type: 'DATE' } },
  double: { type: 'DOUBLE' },
  int32: { type: 'INT32' },
  boolean: { type: 'BOOLEAN' },
  string: { type: 'BYTE_ARRAY', converted_type: 'UTF8', logical_type: { type: 'STRING' } },
};

/** The schema of a file with these columns: its root, then an element per column. */
export const schemaOf = (columns: readonly ParquetColumn[]): SchemaElement[] => [
  { name: 'schema', num_children: columns.length },
  ...columns.map(
    ({ name, type, isNullable }): SchemaElement => ({
      name,
      ...ELEMENTS[type],
      repetition_type: isNullable ? 'OPTIONAL' : 'REQUIRED',
    }),
  ),
];

/** The key-value metadata of a file: the units of its columns, and further pairs. */
export function keyValueMetadata(
  columns: readonly ParquetColumn[],
  further: Record<string, string>,
): { key: string; value: string }[] {
  const units = Object.fromEntries(columns.flatMap(({ name, unit }) => (unit ? [[name, unit]] : [])));
  return Object.entries({ units: JSON.stringify(units), ...further }).map(([key, value]) => ({ key, value }));
}

/**
 * Yields the bytes of a file with these columns.
 * @param metadata further key-value pairs of the file
 */
export async function* parquetFile(
  columns: readonly ParquetColumn[],
  groups: Iterable<RowGroup> | AsyncIterable<RowGroup>,
  metadata: Record<string, string> = {},
): AsyncGenerator<Uint8Array> {
  const bytes = new ByteWriter();
  const writer = new ParquetWriter({
    writer: bytes,
    schema: schemaOf(columns),
    codec: 'ZSTD',
    compressors: COMPRESSORS,
    createdBy: 'outpost',
    kvMetadata: keyValueMetadata(columns, metadata),
  });
  for await (const group of groups) {
    const rows = group[0]?.length ?? 0;
    if (rows === 0) continue;
    const columnData = columns.map(({ name, type }, i) => ({
      name,
      data: group[i]!,
      ...(type.startsWith('timestamp') ? { encoding: 'DELTA_BINARY_PACKED' as const } : {}),
    }));
    await writer.write({ columnData, rowGroupSize: rows });
    yield taken(bytes);
  }
  await writer.finish();
  yield taken(bytes);
}

/** Takes the bytes written so far out of the writer's buffer. */
export function taken(writer: ByteWriter): Uint8Array {
  const part = writer.getBytes().slice();
  writer.index = 0;
  return part;
}

/** Collects rows into groups large enough to compress well and small enough for memory. */
export class RowBuffer {
  readonly #columns: readonly ParquetColumn[];
  #values: unknown[][];

  constructor(columns: readonly ParquetColumn[]) {
    this.#columns = columns;
    this.#values = columns.map(() => []);
  }

  /** Adds a row, its cells in the order of the columns. */
  add(cells: readonly (number | string | boolean | null | undefined)[]): void {
    for (const [i, { type }] of this.#columns.entries()) {
      const cell = cells[i] ?? null;
      this.#values[i]!.push(cell !== null && type.startsWith('timestamp') ? BigInt(cell) : cell);
    }
  }

  get rows(): number {
    return this.#values[0]?.length ?? 0;
  }

  /** Returns the collected rows and clears the buffer. */
  take(): RowGroup {
    const group = this.#values;
    this.#values = this.#columns.map(() => []);
    return group;
  }
}

/** Rows of a group of a table. */
export const ROWS_PER_GROUP = 65_536;

/** Days since 1970-01-01 of a date, YYYY-MM-DD. */
export function epochDay(date: string): number {
  return Date.parse(`${date}T00:00:00Z`) / DAY_MS;
}
