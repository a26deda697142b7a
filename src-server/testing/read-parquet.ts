/** Reads Parquet files with DuckDB and with hyparquet, which share no code with each other. */
import { readFile } from 'node:fs/promises';
import { zstdDecompressSync } from 'node:zlib';
import { DuckDBInstance } from '@duckdb/node-api';
import { type FileMetaData, parquetMetadata, parquetReadObjects } from 'hyparquet';

const decompress = (input: Uint8Array): Uint8Array => new Uint8Array(zstdDecompressSync(input));
const COMPRESSORS = { ZSTD: decompress };

/** Answers of SQL over files, as JSON values: integers beyond 2^53, dates and times come as text. */
export async function queryDuckDb(sql: string): Promise<Record<string, unknown>[]> {
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  try {
    const reader = await connection.runAndReadAll(sql);
    return reader.getRowObjectsJson() as Record<string, unknown>[];
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}

/** All rows of a file, and its metadata. */
export async function readHyparquet(path: string): Promise<{
  rows: Record<string, unknown>[];
  metadata: FileMetaData;
  /** Key-value pairs. */
  facts: Record<string, unknown>;
}> {
  const bytes = await readFile(path);
  const file = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length) as ArrayBuffer;
  const metadata = parquetMetadata(file);
  const facts = (metadata.key_value_metadata ?? []).map(({ key, value }) => [key, JSON.parse(value ?? 'null')]);
  return {
    rows: await parquetReadObjects({ file, compressors: COMPRESSORS }),
    metadata,
    facts: Object.fromEntries(facts),
  };
}
