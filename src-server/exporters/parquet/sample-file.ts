/**
 * Writes the Parquet file of a recording from encoded row groups. Pages, headers and metadata are those of hyparquet-writer;
 * only the encoding of whole columns is ours, because it takes one array element per sample there.
 */
import { constants, zstdCompressSync } from 'node:zlib';
import type { ColumnChunk, Encoding, FileMetaData, RowGroup, SchemaElement } from 'hyparquet';
import { ByteWriter } from 'hyparquet-writer';
import { writePageHeader } from 'hyparquet-writer/src/datapage.js';
import { writeMetadata } from 'hyparquet-writer/src/metadata.js';
import type { EncodedValues } from './count-column.ts';
import { keyValueMetadata, type ParquetColumn, schemaOf, taken } from './table.ts';

const MAGIC = 0x31524150;

interface Page {
  encoding: Encoding;
  definitionLevels: Uint8Array;
  nulls: number;
  data: Uint8Array;
}

interface Chunk {
  page: Page;
  /** Values of the dictionary, PLAIN. */
  dictionary?: { count: number; data: Uint8Array };
  statistics: NonNullable<NonNullable<ColumnChunk['meta_data']>['statistics']>;
  /** Default true. */
  isCompressed?: boolean;
}

/** Columns of a group of samples of one channel: `type`, `time`, then the dimensions. */
export interface SampleGroup {
  rows: number;
  type: string;
  firstUs: number;
  lastUs: number;
  /** DELTA_BINARY_PACKED. */
  times: Uint8Array;
  /** One per dimension of the file; null where the channel has no such dimension. */
  values: readonly (EncodedValues | null)[];
}

export class SampleFile {
  readonly #columns: readonly ParquetColumn[];
  readonly #metadata: Record<string, string>;
  readonly #schema: SchemaElement[];
  readonly #bytes = new ByteWriter(1 << 20);
  readonly #groups: RowGroup[] = [];
  #rows = 0n;

  /** @param columns `type`, `time`, and the dimensions */
  constructor(columns: readonly ParquetColumn[], metadata: Record<string, string>) {
    this.#columns = columns;
    this.#schema = schemaOf(columns);
    this.#metadata = metadata;
    this.#bytes.appendUint32(MAGIC);
  }

  /** Returns the bytes of the group, to be written before the next call. */
  group({ rows, type, firstUs, lastUs, times, values }: SampleGroup): Uint8Array {
    const start = this.#bytes.offset;
    const columns = [
      this.#chunk(0, rows, typeChunk(type, rows)),
      this.#chunk(1, rows, {
        page: { encoding: 'DELTA_BINARY_PACKED', definitionLevels: NO_BYTES, nulls: 0, data: times },
        statistics: { min_value: BigInt(firstUs), max_value: BigInt(lastUs), null_count: 0n },
      }),
      ...values.map((encoded, i) => this.#chunk(2 + i, rows, encoded ? valueChunk(encoded, rows) : nullChunk(rows))),
    ];
    const uncompressed = columns.reduce((sum, { meta_data }) => sum + meta_data!.total_uncompressed_size, 0n);
    this.#rows += BigInt(rows);
    this.#groups.push({
      columns,
      total_byte_size: uncompressed,
      num_rows: BigInt(rows),
      total_compressed_size: BigInt(this.#bytes.offset - start),
    });
    return taken(this.#bytes);
  }

  /** Returns the end of the file. */
  finish(): Uint8Array {
    const metadata: Omit<FileMetaData, 'metadata_length'> = {
      version: 2,
      created_by: 'outpost',
      schema: this.#schema,
      num_rows: this.#rows,
      row_groups: this.#groups,
      key_value_metadata: keyValueMetadata(this.#columns, this.#metadata),
    };
    // Its own length is no part of what is serialized.
    writeMetadata(this.#bytes, { ...metadata, metadata_length: 0 });
    this.#bytes.appendUint32(MAGIC);
    return taken(this.#bytes);
  }

  #chunk(column: number, rows: number, { page, dictionary, statistics, isCompressed = true }: Chunk): ColumnChunk {
    const bytes = this.#bytes;
    const start = bytes.offset;
    let uncompressed = 0;
    const append = (header: Parameters<typeof writePageHeader>[1], levels: Uint8Array, data: Uint8Array) => {
      const packed = isCompressed ? compressed(data) : data;
      const headerAt = bytes.offset;
      const sizes = {
        uncompressed_page_size: levels.length + data.length,
        compressed_page_size: levels.length + packed.length,
      };
      writePageHeader(bytes, { ...header, ...sizes });
      uncompressed += bytes.offset - headerAt + levels.length + data.length;
      bytes.appendBytes(levels);
      bytes.appendBytes(packed);
      if (isCompressed) detach(packed);
    };
    if (dictionary) {
      const header = { num_values: dictionary.count, encoding: 'PLAIN' } as const;
      append({ type: 'DICTIONARY_PAGE', ...NO_SIZES, dictionary_page_header: header }, NO_BYTES, dictionary.data);
    }
    const dataAt = bytes.offset;
    const header = {
      num_values: rows,
      num_nulls: page.nulls,
      num_rows: rows,
      encoding: page.encoding,
      definition_levels_byte_length: page.definitionLevels.length,
      repetition_levels_byte_length: 0,
      is_compressed: isCompressed,
    };
    append({ type: 'DATA_PAGE_V2', ...NO_SIZES, data_page_header_v2: header }, page.definitionLevels, page.data);
    return {
      meta_data: {
        type: this.#schema[1 + column]!.type!,
        encodings: dictionary ? ['PLAIN', page.encoding] : [page.encoding],
        path_in_schema: [this.#columns[column]!.name],
        codec: isCompressed ? 'ZSTD' : 'UNCOMPRESSED',
        num_values: BigInt(rows),
        total_compressed_size: BigInt(bytes.offset - start),
        total_uncompressed_size: BigInt(uncompressed),
        data_page_offset: BigInt(dataAt),
        ...(dictionary && { dictionary_page_offset: BigInt(start) }),
        statistics,
      },
      file_offset: BigInt(start),
    };
  }
}

/** Replaced once the page is encoded. */
const NO_SIZES = { uncompressed_page_size: 0, compressed_page_size: 0 };

/** As in signal files: level 3 saves 6 % and takes twice the time. */
const COMPRESS = { params: { [constants.ZSTD_c_compressionLevel]: 1 } };

/** Zstandard's bound of incompressible input; in one piece, so that zlib neither grows nor copies its output. */
const compressed = (data: Uint8Array): Uint8Array =>
  zstdCompressSync(data, { ...COMPRESS, chunkSize: data.length + (data.length >> 8) + 512 });

/** Frees the result of {@link compressed}: thousands of pages would pile up before garbage collection. */
function detach({ buffer }: Uint8Array): void {
  if (buffer instanceof ArrayBuffer && buffer.byteLength > Buffer.poolSize) buffer.transfer(0);
}

const NO_BYTES = new Uint8Array(0);

/** A run of `count` equal values below 256, as the hybrid encoding of levels and indexes has it. */
function runOf(value: number, count: number): number[] {
  const bytes: number[] = [];
  let rest = count * 2;
  while (rest >= 0x80) {
    bytes.push((rest % 0x80) + 0x80);
    rest = Math.floor(rest / 0x80);
  }
  return [...bytes, rest, value];
}

function typeChunk(type: string, rows: number): Chunk {
  const text = Buffer.from(type);
  const data = Buffer.alloc(4 + text.length);
  data.writeUInt32LE(text.length);
  text.copy(data, 4);
  return {
    page: {
      encoding: 'RLE_DICTIONARY',
      definitionLevels: NO_BYTES,
      nulls: 0,
      data: Uint8Array.of(1, ...runOf(0, rows)),
    },
    dictionary: { count: 1, data },
    statistics: { min_value: type, max_value: type, null_count: 0n },
    isCompressed: false,
  };
}

const nullChunk = (rows: number): Chunk => ({
  page: { encoding: 'PLAIN', definitionLevels: Uint8Array.from(runOf(0, rows)), nulls: rows, data: NO_BYTES },
  statistics: { null_count: BigInt(rows) },
  isCompressed: false,
});

const bytesOf = ({ buffer, byteOffset, byteLength }: ArrayBufferView): Uint8Array =>
  new Uint8Array(buffer, byteOffset, byteLength);

function valueChunk({ dictionary, data, min, max }: EncodedValues, rows: number): Chunk {
  const definitionLevels = Uint8Array.from(runOf(1, rows));
  const statistics = { min_value: min, max_value: max, null_count: 0n };
  if (!dictionary) return { page: { encoding: 'PLAIN', definitionLevels, nulls: 0, data: bytesOf(data) }, statistics };
  // Width of an index in bits, then one bit-packed run: groups of eight, their number doubled and one added.
  const head = [data.BYTES_PER_ELEMENT * 8, ...runOf(0, data.length / 8).slice(0, -1)];
  head[1]! |= 1;
  const page = new Uint8Array(head.length + data.byteLength);
  page.set(head);
  page.set(bytesOf(data), head.length);
  return {
    page: { encoding: 'RLE_DICTIONARY', definitionLevels, nulls: 0, data: page },
    dictionary: { count: dictionary.length, data: bytesOf(dictionary) },
    statistics,
  };
}
