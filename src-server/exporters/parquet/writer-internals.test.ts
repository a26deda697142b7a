import { readFileSync } from 'node:fs';
import { type FileMetaData, parquetMetadata } from 'hyparquet';
import { ByteWriter } from 'hyparquet-writer';
import { writePageHeader } from 'hyparquet-writer/src/datapage.js';
import { writeMetadata } from 'hyparquet-writer/src/metadata.js';
import { expect, it } from 'vitest';

const MAGIC = 0x31524150;
const NO_STATISTICS = { statistics: undefined };

/** Fields of Thrift's compact protocol: the distance to the field before and the type, then the value. */
const I32 = 5;
const STRUCT = 12;
const FALSE = 2;
const STOP = 0;
const i32 = (...values: number[]): number[] => values.flatMap((value) => [(1 << 4) | I32, 2 * value]);
const field = (distance: number, type: number): number => (distance << 4) | type;

const bytesOf = (write: (bytes: ByteWriter) => void): number[] => {
  const bytes = new ByteWriter();
  write(bytes);
  return [...new Uint8Array(bytes.getBuffer())];
};

/** Two of its functions are not public, so another version may change them without notice. */
it('uses the one version of hyparquet-writer that was checked', () => {
  const { dependencies } = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')) as {
    dependencies: Record<string, string>;
  };
  const manifest = new URL('../package.json', import.meta.resolve('hyparquet-writer'));
  const { version } = JSON.parse(readFileSync(manifest, 'utf8')) as { version: string };
  expect([dependencies['hyparquet-writer'], version]).toEqual(['0.17.0', '0.17.0']);
});

it('writes page headers as Parquet defines them', () => {
  const sizes = { uncompressed_page_size: 60, compressed_page_size: 50 };
  const data = bytesOf((bytes) =>
    writePageHeader(bytes, {
      type: 'DATA_PAGE_V2',
      ...sizes,
      data_page_header_v2: {
        num_values: 20,
        num_nulls: 3,
        num_rows: 20,
        encoding: 'RLE_DICTIONARY',
        definition_levels_byte_length: 4,
        repetition_levels_byte_length: 0,
        is_compressed: false,
        ...NO_STATISTICS,
      },
    }),
  );
  const isNotCompressed = field(1, FALSE);
  const v2 = [...i32(20, 3, 20, 8, 4, 0), isNotCompressed, STOP];
  expect(data).toEqual([...i32(3, 60, 50), field(5, STRUCT), ...v2, STOP]);
  const dictionary = bytesOf((bytes) =>
    writePageHeader(bytes, {
      type: 'DICTIONARY_PAGE',
      ...sizes,
      dictionary_page_header: { num_values: 7, encoding: 'PLAIN' },
    }),
  );
  expect(dictionary).toEqual([...i32(2, 60, 50), field(4, STRUCT), ...i32(7, 0), STOP, STOP]);
});

it('writes metadata and its length as a reader expects them', () => {
  const metadata: FileMetaData = {
    version: 2,
    schema: [
      { name: 'root', num_children: 1 },
      { name: 'v', type: 'DOUBLE', repetition_type: 'OPTIONAL' },
    ],
    num_rows: 5n,
    row_groups: [],
    key_value_metadata: [{ key: 'recording', value: '{}' }],
    created_by: 'test',
    metadata_length: 0,
  };
  const bytes = new ByteWriter();
  bytes.appendUint32(MAGIC);
  writeMetadata(bytes, metadata);
  bytes.appendUint32(MAGIC);
  const read = parquetMetadata(bytes.getBuffer());
  expect(read).toMatchObject({ ...metadata, metadata_length: bytes.offset - 12 });
});
