/**
 * Reads ZIP files that a stranger may have made. The list of members is checked as a whole before anything is unpacked:
 * members that share bytes, that occur twice, or that together unpack to far more than the file could honestly hold are
 * refused. While a member is unpacked, its length and checksum must match what the list promised.
 */
import { basename } from 'node:path';
import { crc32 } from 'node:zlib';
import { type Entry, openPromise, type ZipFile } from 'yauzl';
import { OutpostError } from '../errors.ts';

const LOCAL_HEADER_BYTES = 30;
/** Small archives may have any ratio: nobody waits long for 16 MiB. */
const RATIO_FREE_BYTES = 16 << 20;

export interface ZipLimits {
  maxMembers: number;
  /** Of a member, and of all members together. */
  maxBytes: number;
  /** Unpacked bytes per packed byte, of a member and of the whole file. Deflate itself ends at 1032 : 1. */
  maxRatio: number;
}

export interface ZipMember {
  /** Path inside the ZIP, with `/`. */
  name: string;
  sizeBytes: number;
  /** Unpacks the member; can be called again. `onBytes` is called with the unpacked size of each chunk. */
  open(onBytes?: (bytes: number) => void): AsyncIterable<Uint8Array>;
  /** Where its bytes lie, for a reader that takes what is whole of a damaged member. */
  place(): Promise<ZipMemberPlace>;
}

/** The bytes of one member in the file. */
export interface ZipMemberPlace {
  name: string;
  start: number;
  packedBytes: number;
  /** 0 = stored, 8 = deflate. */
  method: number;
  /** Of the unpacked bytes; undefined where no list states them. */
  sizeBytes?: number;
  crc32?: number;
}

export interface ZipArchive {
  /** Files only, in the order of the ZIP. */
  members: ZipMember[];
  close(): void;
}

/**
 * Opens a ZIP and checks its central directory.
 *
 * @throws FILE_DAMAGED when it is not a complete ZIP
 * @throws ZIP_UNSAFE when its members overlap, repeat, or unpack beyond the limits
 * @throws UNSUPPORTED_FORMAT when a member is encrypted or packed by an unknown method
 */
export async function openZipArchive(path: string, limits: ZipLimits): Promise<ZipArchive> {
  let zip: ZipFile;
  try {
    zip = await openPromise(path, { lazyEntries: true, autoClose: false, strictFileNames: true });
  } catch (thrown) {
    throw damaged(path, `it is not a complete ZIP file (${(thrown as Error).message}).`);
  }
  try {
    if (zip.entryCount > limits.maxMembers) {
      throw unsafe(path, `it lists ${zip.entryCount} members, and at most ${limits.maxMembers} are accepted.`);
    }
    const entries: Entry[] = [];
    for await (const entry of entriesOf(zip, path)) entries.push(entry);
    const ends = requireDisjoint(entries, zip.fileSize, path);
    const files = entries.filter(({ fileName }) => !fileName.endsWith('/'));
    requireLimits(files, zip.fileSize, limits, path);
    const members = files.map((entry) => ({
      name: entry.fileName,
      sizeBytes: entry.uncompressedSize,
      open: (onBytes?: (bytes: number) => void) => unpack(zip, entry, ends.get(entry) as number, path, onBytes),
      place: () => placeOf(zip, entry, ends.get(entry) as number, path),
    }));
    return { members, close: () => zip.close() };
  } catch (thrown) {
    zip.close();
    throw thrown;
  }
}

function damaged(path: string, what: string): OutpostError {
  const fileName = basename(path);
  return new OutpostError('FILE_DAMAGED', `${fileName} cannot be read: ${what}`, { details: { fileName } });
}

function unsafe(path: string, what: string): OutpostError {
  const fileName = basename(path);
  return new OutpostError(
    'ZIP_UNSAFE',
    `${fileName} was not unpacked: ${what} Make the ZIP again from the original files.`,
    { details: { fileName } },
  );
}

async function* entriesOf(zip: ZipFile, path: string): AsyncGenerator<Entry> {
  try {
    for await (const entry of zip.eachEntry()) yield entry;
  } catch (thrown) {
    throw damaged(path, `its central directory is broken (${(thrown as Error).message}).`);
  }
}

/**
 * Returns the byte before which each member must end, by the central directory alone. Overlapping members let a small ZIP
 * unpack to petabytes with every single ratio below deflate's limit (D. Fifield, A better zip bomb, USENIX WOOT 2019).
 * The directory does not state the length of a member's own header; `unpack` checks the rest against the same bound.
 */
function requireDisjoint(entries: readonly Entry[], fileBytes: number, path: string): Map<Entry, number> {
  const inFile = [...entries].sort((a, b) => a.relativeOffsetOfLocalHeader - b.relativeOffsetOfLocalHeader);
  const ends = new Map<Entry, number>();
  inFile.forEach((entry, i) => {
    const end = inFile[i + 1]?.relativeOffsetOfLocalHeader ?? fileBytes;
    if (entry.relativeOffsetOfLocalHeader + LOCAL_HEADER_BYTES + entry.compressedSize > end) throw overlap(entry, path);
    ends.set(entry, end);
  });
  return ends;
}

const overlap = (entry: Entry, path: string): OutpostError =>
  unsafe(path, `${entry.fileName} shares its bytes with another member, as in an archive made to fill a disk.`);

function requireLimits(files: readonly Entry[], fileBytes: number, limits: ZipLimits, path: string): void {
  const isBeyond = (unpacked: number, packed: number): boolean =>
    unpacked > limits.maxBytes || (unpacked > RATIO_FREE_BYTES && unpacked > limits.maxRatio * packed);
  const names = new Set<string>();
  let total = 0;
  for (const entry of files) {
    const { fileName } = entry;
    if (names.has(fileName)) throw unsafe(path, `it holds ${fileName} twice.`);
    names.add(fileName);
    if (entry.isEncrypted() || !entry.canDecodeFileData()) {
      const why = entry.isEncrypted() ? 'is encrypted' : 'is packed by an unknown method';
      throw new OutpostError(
        'UNSUPPORTED_FORMAT',
        `${basename(path)} cannot be read: ${fileName} ${why}. Unpack it first.`,
        {
          details: { fileName: basename(path) },
        },
      );
    }
    if (isBeyond(entry.uncompressedSize, entry.compressedSize)) {
      throw unsafe(path, `${fileName} would unpack to ${entry.uncompressedSize} bytes from ${entry.compressedSize}.`);
    }
    total += entry.uncompressedSize;
  }
  if (isBeyond(total, fileBytes)) throw unsafe(path, `it would unpack to ${total} bytes from ${fileBytes}.`);
}

async function placeOf(zip: ZipFile, entry: Entry, end: number, path: string): Promise<ZipMemberPlace> {
  let start: number;
  try {
    start = (await zip.readLocalFileHeaderPromise(entry, { minimal: true })).fileDataStart;
  } catch (thrown) {
    throw damaged(path, `${entry.fileName} in it cannot be found (${(thrown as Error).message}).`);
  }
  if (start + entry.compressedSize > end) throw overlap(entry, path);
  const {
    fileName: name,
    compressedSize: packedBytes,
    compressionMethod: method,
    uncompressedSize,
    crc32: sum,
  } = entry;
  return { name, start, packedBytes, method, sizeBytes: uncompressedSize, crc32: sum };
}

async function* unpack(
  zip: ZipFile,
  entry: Entry,
  end: number,
  path: string,
  onBytes?: (bytes: number) => void,
): AsyncGenerator<Uint8Array> {
  let sum = 0;
  try {
    const { fileDataStart } = await zip.readLocalFileHeaderPromise(entry, { minimal: true });
    if (fileDataStart + entry.compressedSize > end) throw overlap(entry, path);
    // The stream fails as soon as its length differs from that in the central directory.
    for await (const chunk of await zip.openReadStreamPromise(entry)) {
      sum = crc32(chunk as Uint8Array, sum);
      onBytes?.((chunk as Uint8Array).byteLength);
      yield chunk as Uint8Array;
    }
  } catch (thrown) {
    if (thrown instanceof OutpostError) throw thrown;
    throw damaged(path, `${entry.fileName} in it cannot be unpacked (${(thrown as Error).message}).`);
  }
  if (sum !== entry.crc32) throw damaged(path, `${basename(entry.fileName)} in it does not match its checksum.`);
}
