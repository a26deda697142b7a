/**
 * Copies one recording from a recorder or a folder into the site, and compares it with its source. The source is only read. A copy that
 * was broken off continues after what was flushed, once both ends and the last flushed bytes are seen to be the same recording.
 */
import { createHash } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';
import { OutpostError, systemFailure, toOutpostError } from '../errors.ts';
import { hashFile, stopIfCancelled } from '../files/content-hash.ts';
import { BLOCK_BYTES, HEADER_BYTES } from '../importers/axivity/cwa.ts';
import { readFully } from '../importers/source-bytes.ts';
import { isGoodBlock } from './cwa-head.ts';
import { idOf, openUntouched, readEnds } from './recognise.ts';

/** A multiple of a block. At the 330 kB/s of a recorder, one chunk takes less than a second. */
const CHUNK_BYTES = 256 << 10;
const FLUSH_EVERY_BYTES = 8 << 20;
const FLUSH_EVERY_MS = 5000;
/** How much before the point of resumption is compared with the source. */
const OVERLAP_BYTES = 64 << 10;
/** Places that are read again from the recorder when all was copied. Reading all again would take it another 25 minutes. */
const SPOT_CHECKS = 64;

/** The source went away or cannot be read: not the fault of the site. */
export class SourceLost extends Error {
  readonly problem: OutpostError;

  constructor(thrown: unknown) {
    super('The source cannot be read.', { cause: thrown });
    const problem = systemFailure(thrown);
    this.problem =
      problem?.code === 'FILE_FORBIDDEN' || problem?.code === 'FILE_IN_USE'
        ? problem
        : new OutpostError(
            'UPLOAD_INTERRUPTED',
            'The device or folder cannot be read any more. Plug it in again, and the copy continues.',
          );
  }
}

/** The source is there, but is not the recording that was chosen. */
export class SourceChanged extends Error {}

export interface CopyOptions {
  id: string;
  sourcePath: string;
  partPath: string;
  sizeBytes: number;
  isCwa: boolean;
  /** What of the part is known to be flushed. */
  durableBytes: number;
  signal: AbortSignal;
  onBytes: (copiedBytes: number) => void;
  /** Default 8 MiB. */
  flushEveryBytes?: number;
  /** Stores how much is flushed. False stops the copy. */
  onFlushed: (durableBytes: number) => Promise<boolean>;
}

export interface Copied {
  sha256: string;
  /** Of Axivity files: data blocks, and those whose checksum is wrong on the device as well. */
  blocks?: number;
  badBlocks?: number;
}

/**
 * Copies what is missing, then verifies.
 * @throws SourceLost, SourceChanged, CANCELLED, DISK_FULL, FILE_HASH_MISMATCH, and errors of the site's disk
 */
export async function copyRecording(options: CopyOptions): Promise<Copied> {
  const source = new Source(await openUntouched(options.sourcePath).catch(lost));
  try {
    await source.requireSame(options);
    const part = await open(options.partPath, 'a+');
    await part.close();
    const target = await open(options.partPath, 'r+');
    try {
      const copied = await copyInto(target, source, options);
      await source.requireSame(options);
      await compare(target, source, copied, options);
      return copied;
    } finally {
      await target.close();
    }
  } finally {
    await source.close();
  }
}

function lost(thrown: unknown): never {
  throw new SourceLost(thrown);
}

/** The file on the device. Errors of reading it differ from those of writing the copy. */
class Source {
  readonly #handle: FileHandle;

  constructor(handle: FileHandle) {
    this.#handle = handle;
  }

  /** @throws SourceLost, also when the file ends before */
  async read(target: Buffer, position: number): Promise<void> {
    const got = await readFully(this.#handle, target, position).catch(lost);
    if (got < target.length) throw new SourceLost(undefined);
  }

  /** @throws SourceChanged when size or ends are not those of the recording that was chosen */
  async requireSame({ id, sizeBytes }: Pick<CopyOptions, 'id' | 'sizeBytes'>): Promise<void> {
    const { size } = await this.#handle.stat().catch(lost);
    if (size !== sizeBytes) throw new SourceChanged('The file has another size.');
    const { head, tail } = await readEnds(this.#handle, size).catch(lost);
    if (idOf(head, tail, size) !== id) throw new SourceChanged('The file has another content.');
  }

  async close(): Promise<void> {
    // A drive that was pulled refuses that too.
    await this.#handle.close().catch(() => undefined);
  }
}

async function copyInto(target: FileHandle, source: Source, options: CopyOptions): Promise<Copied> {
  const { sizeBytes, signal, flushEveryBytes = FLUSH_EVERY_BYTES } = options;
  const startBytes = await resumeAt(target, source, options);
  await target.truncate(startBytes);
  const hash = createHash('sha256');
  const counter = options.isCwa ? new BlockCounter(source) : undefined;
  const buffer = Buffer.allocUnsafeSlow(CHUNK_BYTES);
  let flushedBytes = startBytes;
  let flushedMs = performance.now();
  for (let position = 0; position < sizeBytes; ) {
    stopIfCancelled(signal);
    const chunk = buffer.subarray(0, Math.min(CHUNK_BYTES, sizeBytes - position));
    const isThere = position + chunk.length <= startBytes;
    if (isThere) await readFully(target, chunk, position);
    else await source.read(chunk, position);
    await counter?.take(chunk, position);
    hash.update(chunk);
    if (!isThere) await writeFully(target, chunk, position);
    position += chunk.length;
    if (isThere) continue;
    options.onBytes(position);
    const nowMs = performance.now();
    if (position - flushedBytes >= flushEveryBytes || nowMs - flushedMs >= FLUSH_EVERY_MS) {
      await target.datasync();
      [flushedBytes, flushedMs] = [position, nowMs];
      if (!(await options.onFlushed(position)))
        throw new OutpostError('CANCELLED', 'The recording is not wanted any more.');
    }
  }
  await target.sync();
  await options.onFlushed(sizeBytes);
  return { sha256: hash.digest('hex'), ...counter?.counts };
}

/** Whole chunks that need not be copied again; 0 when they are not of this recording. */
async function resumeAt(target: FileHandle, source: Source, { durableBytes, sizeBytes }: CopyOptions): Promise<number> {
  const { size } = await target.stat();
  const usable = Math.min(size, durableBytes, sizeBytes);
  const startBytes = usable === sizeBytes ? usable : usable - (usable % CHUNK_BYTES);
  if (startBytes === 0) return 0;
  for (const from of [0, Math.max(0, startBytes - OVERLAP_BYTES)]) {
    const bytes = Math.min(OVERLAP_BYTES, startBytes - from);
    if (!(await isSameAt(target, source, from, bytes))) return 0;
  }
  return startBytes;
}

async function isSameAt(target: FileHandle, source: Source, position: number, bytes: number): Promise<boolean> {
  const [mine, theirs] = [Buffer.alloc(bytes), Buffer.alloc(bytes)];
  const got = await readFully(target, mine, position);
  await source.read(theirs, position);
  return got === bytes && mine.equals(theirs);
}

async function writeFully(target: FileHandle, chunk: Buffer, position: number): Promise<void> {
  for (let done = 0; done < chunk.length; ) {
    const { bytesWritten } = await target.write(chunk, done, chunk.length - done, position + done);
    done += bytesWritten;
  }
}

/** The copy as the disk has it must be what was read, and places all over the source must still read the same. */
async function compare(target: FileHandle, source: Source, copied: Copied, options: CopyOptions): Promise<void> {
  const { partPath, sizeBytes, signal } = options;
  const { sha256 } = await hashFile(partPath, { signal });
  const isSame = async () => {
    const step = options.isCwa ? Math.max(BLOCK_BYTES, Math.floor(sizeBytes / SPOT_CHECKS)) : OVERLAP_BYTES;
    for (let position = 0; position < sizeBytes; position += step) {
      stopIfCancelled(signal);
      const bytes = options.isCwa ? BLOCK_BYTES : OVERLAP_BYTES;
      if (!(await isSameAt(target, source, position, Math.min(bytes, sizeBytes - position)))) return false;
    }
    return true;
  };
  if (sha256 === copied.sha256 && (await isSame())) return;
  // Whatever differs, nothing of the copy can be trusted.
  await target.truncate(0);
  await options.onFlushed(0);
  throw new OutpostError(
    'FILE_HASH_MISMATCH',
    'The copy differs from the device. It is copied again from the beginning.',
  );
}

/** Checks the blocks that pass. One that is bad is read again: a fault of the cable differs the second time. */
class BlockCounter {
  readonly counts = { blocks: 0, badBlocks: 0 };
  readonly #source: Source;
  readonly #again = Buffer.alloc(BLOCK_BYTES);

  constructor(source: Source) {
    this.#source = source;
  }

  async take(chunk: Buffer, position: number): Promise<void> {
    for (let at = 0; at + BLOCK_BYTES <= chunk.length; at += BLOCK_BYTES) {
      if (position + at < HEADER_BYTES) continue;
      this.counts.blocks += 1;
      const block = chunk.subarray(at, at + BLOCK_BYTES);
      if (isGoodBlock(block)) continue;
      await this.#source.read(this.#again, position + at);
      if (isGoodBlock(this.#again)) this.#again.copy(block);
      else this.counts.badBlocks += 1;
    }
  }
}

/** Failures after which the copy is tried again automatically. */
export function isTemporaryFailure(thrown: unknown): boolean {
  return [
    'DISK_FULL',
    'FILE_HASH_MISMATCH',
    'SITE_DISCONNECTED',
    'SITE_READ_ONLY',
    'DISK_FAILED',
    'TOO_MANY_FILES',
  ].includes(toOutpostError(thrown).code);
}
