/** Bytes of files, hashed while they are read or copied. */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, open, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Readable } from 'node:stream';
import { OutpostError } from '../errors.ts';

export interface Content {
  sizeBytes: number;
  sha256: string;
}

export interface CopyOptions {
  signal?: AbortSignal;
  onBytes?: (bytes: number) => void;
}

const CHUNK_BYTES = 1 << 20;

export function readChunks(path: string): Readable {
  return createReadStream(path, { highWaterMark: CHUNK_BYTES });
}

export function stopIfCancelled(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw new OutpostError('CANCELLED', 'The work was cancelled.');
}

/** Passes chunks on and tells at the end what they were. */
export async function* hashed(
  source: AsyncIterable<Uint8Array>,
  onEnd: (content: Content) => void,
  { signal, onBytes }: CopyOptions = {},
): AsyncGenerator<Uint8Array> {
  const hash = createHash('sha256');
  let sizeBytes = 0;
  for await (const chunk of source) {
    stopIfCancelled(signal);
    hash.update(chunk);
    sizeBytes += chunk.length;
    onBytes?.(chunk.length);
    yield chunk;
  }
  onEnd({ sizeBytes, sha256: hash.digest('hex') });
}

/** Reads to the end. @throws CANCELLED */
export async function contentOf(source: AsyncIterable<Uint8Array>, options: CopyOptions = {}): Promise<Content> {
  let content: Content = { sizeBytes: 0, sha256: '' };
  for await (const _ of hashed(source, (found) => (content = found), options));
  return content;
}

/** Writes a new file and fsyncs it; nothing is left of it when that fails. The caller syncs the folder. */
export async function writeNew(
  source: AsyncIterable<Uint8Array>,
  path: string,
  options: CopyOptions & { mode?: number } = {},
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
