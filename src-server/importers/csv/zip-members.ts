/** The CSV members of a ZIP, streamed; hostile archives are refused before anything is unpacked. */
import { basename } from 'node:path';
import { crc32 } from 'node:zlib';
import { type Entry, openPromise, type ZipFile } from 'yauzl';
import { damaged, unsupported } from '../refusals.ts';
import type { CsvMember } from './csv-signal.ts';

const MAX_ENTRIES = 10_000;
/** Deflate cannot exceed 1032 : 1; real sensor text is packed 3 to 10 : 1, a constant signal up to about 60 : 1. */
const MAX_RATIO = 200;
const RATIO_FREE_BYTES = 16 << 20;
const MAX_MEMBER_BYTES = 64 * 2 ** 30;

export interface ZipMembers {
  members: CsvMember[];
  close(): void;
}

/** Opens a ZIP and lists its files. Throws FILE_DAMAGED or UNSUPPORTED_FORMAT. */
export async function openZipMembers(path: string): Promise<ZipMembers> {
  let zip: ZipFile;
  try {
    zip = await openPromise(path, { lazyEntries: true, autoClose: false, strictFileNames: true });
  } catch (thrown) {
    throw damaged(path, `it is not a whole ZIP file (${(thrown as Error).message}).`);
  }
  try {
    if (zip.entryCount > MAX_ENTRIES) throw unsupported(path, `the ZIP lists ${zip.entryCount} files.`);
    const members: CsvMember[] = [];
    for await (const entry of entriesOf(zip, path)) {
      if (entry.fileName.endsWith('/')) continue;
      checkEntry(entry, path);
      members.push({
        name: entry.fileName,
        sizeBytes: entry.uncompressedSize,
        open: (onBytes) => entryChunks(zip, entry, path, onBytes),
      });
    }
    return { members, close: () => zip.close() };
  } catch (thrown) {
    zip.close();
    throw thrown;
  }
}

async function* entriesOf(zip: ZipFile, path: string): AsyncGenerator<Entry> {
  try {
    for await (const entry of zip.eachEntry()) yield entry;
  } catch (thrown) {
    throw damaged(path, `its list of files is broken (${(thrown as Error).message}).`);
  }
}

function checkEntry(entry: Entry, path: string): void {
  if (entry.isEncrypted()) throw unsupported(path, `${entry.fileName} in it is encrypted. Unpack it first.`);
  if (!entry.canDecodeFileData())
    throw unsupported(path, `${entry.fileName} in it is packed in a way that is not known.`);
  const isBomb = entry.uncompressedSize > RATIO_FREE_BYTES && entry.uncompressedSize > MAX_RATIO * entry.compressedSize;
  if (isBomb || entry.uncompressedSize > MAX_MEMBER_BYTES) {
    throw unsupported(
      path,
      `${entry.fileName} in it would unpack to ${entry.uncompressedSize} bytes, which no recording does.`,
    );
  }
}

async function* entryChunks(
  zip: ZipFile,
  entry: Entry,
  path: string,
  onBytes?: (bytes: number) => void,
): AsyncGenerator<Uint8Array> {
  let sum = 0;
  try {
    const stream = await zip.openReadStreamPromise(entry);
    for await (const chunk of stream) {
      sum = crc32(chunk as Uint8Array, sum);
      onBytes?.((chunk as Uint8Array).byteLength);
      yield chunk as Uint8Array;
    }
  } catch (thrown) {
    if (thrown instanceof Error && thrown.name === 'OutpostError') throw thrown;
    throw damaged(path, `${entry.fileName} in it cannot be unpacked (${(thrown as Error).message}).`);
  }
  if (sum !== entry.crc32) {
    throw damaged(path, `${basename(entry.fileName)} in it does not match its checksum.`);
  }
}
