/** Reads and copies files in chunks; a copy is hashed while it is written. */
import { createReadStream } from 'node:fs';
import { mkdir, open, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Readable } from 'node:stream';
import { type Content, type HashOptions, hashed } from '../files/content-hash.ts';

const CHUNK_BYTES = 1 << 20;

export function readChunks(path: string): Readable {
  return createReadStream(path, { highWaterMark: CHUNK_BYTES });
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
