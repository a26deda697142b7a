/** Recovers damaged or unfinished signal files, and reopens unfinished ones for appending. */
import { createHash } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { OutpostError, toOutpostError } from '../errors.ts';
import { syncDirectory } from '../files/durable-files.ts';
import { BLOCK_MARKS, BLOCK_PAGE } from './codec/block.ts';
import { type Contents, planHeader, planScan } from './container/contents.ts';
import { runAsync } from './container/io.ts';
import { SIGNAL_MAGIC } from './container/magic.ts';
import { encodeFooter } from './node-codec.ts';
import { arrangePages, openSignalFile, readHeader } from './reader.ts';
import { type SignalFileSummary, SignalFileWriter, writeFully } from './writer.ts';

export interface RecoveryReport extends SignalFileSummary {
  /** True when the file was changed: its torn tail truncated, its footer rewritten. */
  repaired: boolean;
  /** Damage and lost data, one sentence each. */
  problems: string[];
}

const HASH_WINDOW_BYTES = 1 << 20;

/** Returns the SHA-256 state after the first `length` bytes. */
async function hashStart(handle: FileHandle, length: number): Promise<ReturnType<typeof createHash>> {
  const hash = createHash('sha256');
  const buffer = Buffer.allocUnsafe(HASH_WINDOW_BYTES);
  let position = 0;
  while (position < length) {
    const { bytesRead } = await handle.read(buffer, 0, Math.min(buffer.length, length - position), position);
    if (bytesRead === 0) break;
    hash.update(buffer.subarray(0, bytesRead));
    position += bytesRead;
  }
  return hash;
}

/**
 * Repairs an unfinished signal file, or one whose footer or pages are damaged: intact blocks stay in place, a torn tail is
 * truncated, and a new footer lists the intact blocks. An intact file is not touched.
 *
 * @throws SIGNAL_FILE_DAMAGED when the header is unusable, FILE_EMPTY when no page is left
 */
export async function recoverSignalFile(path: string): Promise<RecoveryReport> {
  const file = await openSignalFile(path);
  const complete = file.complete && file.problems.length === 0;
  await file.close();
  const handle = await open(path, 'r+').catch((error: unknown) => {
    throw toOutpostError(error);
  });
  try {
    const { size } = await handle.stat();
    const contents = await scanAll(handle, path, size);
    const header = readHeader(contents, path);
    const { pages, problems } = arrangePages(contents, header);
    const usable = new Set(pages.flat());
    const entries = contents.entries.filter((entry) => entry.kind === BLOCK_MARKS || usable.has(entry));
    const counts = pages.map((list) => list.reduce((sum, entry) => sum + entry.count, 0));
    const stored = entries.filter((entry) => entry.kind === BLOCK_PAGE);
    if (stored.length === 0) {
      throw new OutpostError('FILE_EMPTY', `No sample could be recovered from ${path}.`);
    }
    const repaired = !(complete && problems.length === 0);
    let sizeBytes = size;
    if (repaired) {
      const sequence = (entries.at(-1)?.sequence ?? -1) + 1;
      const footer = encodeFooter(entries, counts, contents.dataEnd, sequence);
      await handle.truncate(contents.dataEnd);
      await writeFully(handle, footer, contents.dataEnd);
      await handle.sync();
      sizeBytes = contents.dataEnd + footer.length;
    }
    return {
      repaired,
      problems,
      sizeBytes,
      sha256: (await hashStart(handle, sizeBytes)).digest('hex'),
      startUs: stored.reduce((earliest, entry) => Math.min(earliest, entry.firstUs), Infinity),
      stopUs: stored.reduce((latest, entry) => Math.max(latest, entry.lastUs), -Infinity),
      sampleCounts: counts,
    };
  } catch (error) {
    throw toOutpostError(error);
  } finally {
    await handle.close();
    await syncDirectory(dirname(path));
  }
}

/**
 * Reopens an unfinished file: truncates a torn tail and returns a writer that appends after the intact blocks.
 *
 * @throws CONFLICT when the file is finished, because finished files never change
 */
export async function appendSignalFile(path: string): Promise<SignalFileWriter> {
  const file = await openSignalFile(path);
  const { complete } = file;
  await file.close();
  if (complete) throw new OutpostError('CONFLICT', `${path} is finished; nothing can be added to it.`);
  const handle = await open(path, 'r+').catch((error: unknown) => {
    throw toOutpostError(error);
  });
  try {
    const { size } = await handle.stat();
    const contents = await scanAll(handle, path, size);
    const header = readHeader(contents, path);
    const { pages } = arrangePages(contents, header);
    const usable = new Set(pages.flat());
    const entries = contents.entries.filter((entry) => entry.kind === BLOCK_MARKS || usable.has(entry));
    await handle.truncate(contents.dataEnd);
    const hash = await hashStart(handle, contents.dataEnd);
    return new SignalFileWriter({ handle, path, header, sizeBytes: contents.dataEnd, entries, hash });
  } catch (error) {
    await handle.close();
    throw toOutpostError(error);
  }
}

async function scanAll(handle: FileHandle, path: string, size: number): Promise<Contents> {
  const { header, headerBytes } = await runAsync(handle.fd, planHeader(SIGNAL_MAGIC, path));
  return { header, headerBytes, ...(await runAsync(handle.fd, planScan(headerBytes, size))) };
}
