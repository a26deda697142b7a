/** Reads and copies files in chunks; a copy is hashed while it is written. */
import { createReadStream, statSync } from 'node:fs';
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
