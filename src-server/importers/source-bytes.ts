/** Reads source files in chunks, with flat memory: sizes, heads, ranges and hashes. */

import { type FileHandle, open, readFile, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { OutpostError, toOutpostError } from '../errors.ts';
import { hashFile, sha256Hex } from '../files/content-hash.ts';
import { damaged, throwIfAborted, unsupported } from './refusals.ts';

/** Returns the size of a file; rejects a missing file, a device or a pipe. */
export async function fileSize(path: string): Promise<number> {
  const found = await stat(path).catch((thrown: NodeJS.ErrnoException) => {
    if (thrown.code === 'ENOENT' || thrown.code === 'ENOTDIR') {
      throw new OutpostError('NOT_FOUND', `There is no file ${path}. Check the path.`);
    }
    if (thrown.code === 'EACCES' || thrown.code === 'EPERM') throw toOutpostError(thrown);
    throw new OutpostError('UNSUPPORTED_FORMAT', `${path} cannot be opened (${thrown.code ?? thrown.message}).`);
  });
  if (!found.isFile()) throw unsupported(path, 'it is not a regular file.');
  return found.size;
}

/** The first bytes of a file, fewer when it is shorter. */
export async function readHead(path: string, bytes: number): Promise<Buffer> {
  const handle = await open(path, 'r');
  try {
    const head = Buffer.alloc(bytes);
    return head.subarray(0, await readFully(handle, head, 0));
  } finally {
    await handle.close();
  }
}

/** Fills a buffer from a position; the number of bytes got is smaller only at the end of the file. */
export async function readFully(handle: FileHandle, target: Uint8Array, position: number): Promise<number> {
  let filled = 0;
  while (filled < target.byteLength) {
    const { bytesRead } = await handle.read(target, filled, target.byteLength - filled, position + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return filled;
}

/** Reads a whole small file; a larger one is rejected without reading it. */
export async function readSmallFile(path: string, limitBytes: number, what: string): Promise<Buffer> {
  if ((await fileSize(path)) > limitBytes) {
    throw damaged(path, `its ${what} is larger than ${limitBytes} bytes, which no real one is.`);
  }
  return readFile(path);
}

/**
 * SHA-256 of a source: of the file's bytes, or, for several files, of one line `<hash>  <name>` per file in order of
 * name, so that the same set has the same hash wherever it lies.
 */
export async function sourceHash(paths: readonly string[], signal?: AbortSignal): Promise<string> {
  const lines: string[] = [];
  for (const path of paths) {
    const { sha256 } = await hashFile(path, { onBytes: () => throwIfAborted(signal) });
    if (paths.length === 1) return sha256;
    lines.push(`${sha256}  ${basename(path)}\n`);
  }
  return sha256Hex(lines.sort().join(''));
}
