/** Reads and copies files in chunks; a copy is hashed while it is written. */
import { createReadStream, readFileSync, statSync } from 'node:fs';
import { mkdir, open, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Readable } from 'node:stream';
import { type Content, type HashOptions, hashed } from '../files/content-hash.ts';

const CHUNK_BYTES = 1 << 20;

/** Files of up to so many bytes are read in one call: of many small ones, streams and their buffers cost more than the bytes. */
export const SMALL_BYTES = 1 << 20;

/** A stream takes a buffer of a whole chunk at once, and most files of a site are a few kilobytes. */
export function readChunks(path: string): Readable {
  const sizeBytes = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  return createReadStream(path, { highWaterMark: Math.min(CHUNK_BYTES, sizeBytes + 1) });
}

/** The bytes of one file cannot be had. The others may be fine, in contrast to a full disk or too many open files. */
export class UnreadableFile extends Error {}

const OF_ONE_FILE = new Set(['EIO', 'EISDIR', 'EACCES', 'EPERM', 'EBUSY', 'ENOENT', 'ENOTDIR', 'ELOOP', 'ENXIO']);

function readFailure(path: string, cause: unknown): unknown {
  const isOfOneFile = OF_ONE_FILE.has((cause as NodeJS.ErrnoException).code ?? '');
  return isOfOneFile ? new UnreadableFile(`${path} cannot be read.`, { cause }) : cause;
}

/** As {@link readChunks}. @throws UnreadableFile */
export async function* readOneFile(path: string): AsyncGenerator<Uint8Array> {
  try {
    yield* readChunks(path);
  } catch (thrown) {
    throw readFailure(path, thrown);
  }
}

/** The same at once, for a small file. @throws UnreadableFile */
export function readSmallFile(path: string): Uint8Array {
  try {
    return readFileSync(path);
  } catch (thrown) {
    throw readFailure(path, thrown);
  }
}

/** What `read` resolves to, or undefined where it finds a file that cannot be read. */
export async function ifReadable<T>(read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch (thrown) {
    if (thrown instanceof UnreadableFile) return undefined;
    throw thrown;
  }
}

/** Writes a new file and fsyncs it, or removes it on failure. The caller syncs the folder. @throws CANCELLED */
export async function writeNew(
  source: AsyncIterable<Uint8Array>,
  path: string,
  options: HashOptions & { mode?: number } = {},
): Promise<Content> {
  let content: Content = { sizeBytes: 0, sha256: '' };
  await mkdir(dirname(path), { recursive: true });
  const handle = await open(path, 'wx', options.mode);
  try {
    for await (const chunk of hashed(source, (found) => (content = found), options)) await handle.writeFile(chunk);
    await handle.sync();
  } catch (thrown) {
    await handle.close();
    await rm(path, { force: true });
    throw thrown;
  }
  await handle.close();
  return content;
}
