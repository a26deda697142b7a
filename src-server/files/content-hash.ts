/** SHA-256 of content, always as lower-case hex: of text and buffers at once, of files and streams while they are read. */
import { createHash, hash as hashOnce } from 'node:crypto';
import { open } from 'node:fs/promises';
import { OutpostError } from '../errors.ts';

export interface Content {
  sizeBytes: number;
  sha256: string;
}

export interface HashOptions {
  signal?: AbortSignal;
  /** Receives the size of each chunk, for progress. */
  onBytes?: (bytes: number) => void;
}

interface FileHashOptions extends HashOptions {
  /** Hashes only the first bytes of the file. */
  stopBytes?: number;
}

const BUFFER_BYTES = 1 << 20;

export function sha256Hex(data: string | Uint8Array): string {
  return hashOnce('sha256', data, 'hex');
}

/** Identity of a recording's content: the hash of its source file, and its index among the recordings of that file. */
export function recordingContent(sourceSha256: string, index = 0): string {
  return sha256Hex(`${sourceSha256} ${index}`);
}

/** Hashes a file, or its start, through one buffer. @throws CANCELLED, and file-system errors */
export async function hashFile(
  path: string,
  { signal, onBytes, stopBytes = Number.POSITIVE_INFINITY }: FileHashOptions = {},
): Promise<Content> {
  const hash = createHash('sha256');
  const buffer = Buffer.allocUnsafeSlow(BUFFER_BYTES);
  let sizeBytes = 0;
  const handle = await open(path, 'r');
  try {
    for (;;) {
      stopIfCancelled(signal);
      const most = Math.min(BUFFER_BYTES, stopBytes - sizeBytes);
      const { bytesRead } = await handle.read(buffer, 0, most, sizeBytes);
      if (bytesRead === 0) break;
      hash.update(buffer.subarray(0, bytesRead));
      sizeBytes += bytesRead;
      onBytes?.(bytesRead);
    }
  } finally {
    await handle.close();
  }
  return { sizeBytes, sha256: hash.digest('hex') };
}

/** Passes chunks through and reports at the end what they were. @throws CANCELLED */
export async function* hashed(
  source: AsyncIterable<Uint8Array>,
  onEnd: (content: Content) => void,
  { signal, onBytes }: HashOptions = {},
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

/** Hashes a stream to its end. @throws CANCELLED */
export async function contentOf(source: AsyncIterable<Uint8Array>, options: HashOptions = {}): Promise<Content> {
  let content: Content = { sizeBytes: 0, sha256: '' };
  for await (const _ of hashed(source, (found) => (content = found), options));
  return content;
}

export function stopIfCancelled(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw new OutpostError('CANCELLED', 'The work was cancelled.');
}
