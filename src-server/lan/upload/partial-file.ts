/**
 * A file that grows by acknowledged chunks, with a write-ahead journal. A chunk counts once its bytes and its journal line are on
 * the disk. The line holds a check of the bytes, so that after a power failure the safe length is known and a torn tail is cut.
 *
 * Bytes and line are synced together, and no line is written before the chunk ahead of it is safe. Only the last line can
 * therefore lack its bytes, and only the last chunk is read again on opening.
 */
import { createHash } from 'node:crypto';
import { type FileHandle, open, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { crc32c } from '@node-rs/crc32';
import { OutpostError, toOutpostError } from '../../errors.ts';
import { syncDirectory } from '../../files/durable-files.ts';
import type { UploadPaths } from '../../files/inbox.ts';
import { WriteBehind, writeWhole } from './write-behind.ts';

/**
 * A journal line: u64 start, u64 end, u32 check of the bytes, u32 CRC-32C of the line up to here. The check is a CRC-32C or, for a
 * chunk sent with its SHA-256, the first four bytes of that hash, marked by the highest bit of `end`: no byte is hashed twice.
 */
const LINE_BYTES = 24;
const IS_SHA256 = 1n << 63n;
/** A long stream without a checksum becomes safe in chunks of this size. */
const SAFE_STEP_BYTES = 8 << 20;
/** What {@link AppendOptions.checkHead} needs of a chunk. */
const HEAD_BYTES = 64;
/** The journal grows in steps filled with zeros: a line within allocated space is one write without a change of size. */
const JOURNAL_STEP_BYTES = 170 * LINE_BYTES;

interface Chunk {
  start: number;
  end: number;
  check: number;
  isSha256: boolean;
}

export interface AppendOptions {
  /** The sender's offset. */
  offset: number;
  /** The chunk counts only as a whole and with this SHA-256. */
  sha256?: Uint8Array;
  /** Called when the stream has ended: false if the sender was cut off, so that a partial chunk is not checked. */
  isComplete: () => boolean;
  /** Receives the first bytes of the file before any are written; throws to refuse them. */
  checkHead?: (head: Buffer) => void;
  /** Called before bytes are accepted and after each safe chunk; throws when the disk is full. */
  checkRoom?: () => Promise<void>;
}

function encodeLine(chunk: Chunk): Buffer {
  const line = Buffer.alloc(LINE_BYTES);
  line.writeBigUInt64LE(BigInt(chunk.start), 0);
  line.writeBigUInt64LE(BigInt(chunk.end) | (chunk.isSha256 ? IS_SHA256 : 0n), 8);
  line.writeUInt32LE(chunk.check, 16);
  line.writeUInt32LE(crc32c(line.subarray(0, 20)), 20);
  return line;
}

/** Returns the consecutive chunks from byte 0; everything after a torn or foreign line is ignored. */
function decodeJournal(bytes: Buffer): Chunk[] {
  const chunks: Chunk[] = [];
  for (let at = 0; at + LINE_BYTES <= bytes.length; at += LINE_BYTES) {
    const line = bytes.subarray(at, at + LINE_BYTES);
    const end = line.readBigUInt64LE(8);
    const chunk = {
      start: Number(line.readBigUInt64LE(0)),
      end: Number(end & ~IS_SHA256),
      check: line.readUInt32LE(16),
      isSha256: (end & IS_SHA256) !== 0n,
    };
    const follows = chunk.start === (chunks.at(-1)?.end ?? 0) && chunk.end > chunk.start;
    if (!follows || crc32c(line.subarray(0, 20)) !== line.readUInt32LE(20)) break;
    chunks.push(chunk);
  }
  return chunks;
}

async function isIntact(data: FileHandle, chunk: Chunk, sizeBytes: number): Promise<boolean> {
  if (chunk.end > sizeBytes) return false;
  let crc = 0;
  const hash = chunk.isSha256 ? createHash('sha256') : undefined;
  const buffer = Buffer.allocUnsafe(1 << 20);
  for (let at = chunk.start; at < chunk.end; ) {
    const { bytesRead } = await data.read(buffer, 0, Math.min(buffer.length, chunk.end - at), at);
    if (bytesRead === 0) return false;
    const bytes = buffer.subarray(0, bytesRead);
    if (hash) hash.update(bytes);
    else crc = crc32c(bytes, crc);
    at += bytesRead;
  }
  return (hash ? hash.digest().readUInt32LE(0) : crc) === chunk.check;
}

export class PartialFile {
  readonly #data: FileHandle;
  readonly #journal: FileHandle;
  #offset: number;
  #lines: number;
  #journalBytes: number;
  #appending: Promise<unknown> = Promise.resolve();

  private constructor(data: FileHandle, journal: FileHandle, offset: number, lines: number, journalBytes: number) {
    this.#data = data;
    this.#journal = journal;
    this.#offset = offset;
    this.#lines = lines;
    this.#journalBytes = journalBytes;
  }

  /** Creates both files, empty and durable. */
  static async create(paths: UploadPaths): Promise<void> {
    for (const path of [paths.data, paths.journal]) {
      const handle = await open(path, 'w', 0o600);
      await handle.close();
    }
    await syncDirectory(dirname(paths.data));
  }

  static async remove(paths: UploadPaths): Promise<void> {
    for (const path of [paths.journal, paths.data]) await rm(path, { force: true });
  }

  /** Opens for appending and truncates bytes that are not safe. Missing files are created empty. */
  static async open(paths: UploadPaths): Promise<PartialFile> {
    const openBoth = async (flags: string) => {
      const data = await open(paths.data, flags);
      try {
        return { data, journal: await open(paths.journal, flags) };
      } catch (thrown) {
        await data.close();
        throw thrown;
      }
    };
    let handles: { data: FileHandle; journal: FileHandle };
    try {
      handles = await openBoth('r+');
    } catch (thrown) {
      if ((thrown as NodeJS.ErrnoException).code !== 'ENOENT') throw thrown;
      await PartialFile.create(paths);
      handles = await openBoth('r+');
    }
    const { data, journal } = handles;
    try {
      const { size } = await data.stat();
      const lines = await journal.readFile();
      const chunks = decodeJournal(lines);
      const last = chunks.at(-1);
      if (last && !(await isIntact(data, last, size))) chunks.pop();
      const end = chunks.at(-1)?.end ?? 0;
      // The chunk before the last was safe when the last one began; a disk that lost it lost the whole upload.
      const offset = end <= size ? end : 0;
      const keptLines = offset === end ? chunks.length : 0;
      const isClean = size === offset && lines.subarray(keptLines * LINE_BYTES).every((byte) => byte === 0);
      if (!isClean) {
        await data.truncate(offset);
        await journal.truncate(keptLines * LINE_BYTES);
        await Promise.all([data.datasync(), journal.datasync()]);
      }
      return new PartialFile(data, journal, offset, keptLines, isClean ? lines.length : keptLines * LINE_BYTES);
    } catch (thrown) {
      await Promise.all([data.close(), journal.close()]);
      throw thrown;
    }
  }

  /** Bytes that are safe. */
  get offset(): number {
    return this.#offset;
  }

  async close(): Promise<void> {
    await Promise.all([this.#data.close(), this.#journal.close()]);
  }

  /**
   * Appends a stream and returns the new safe length. On any failure, safe bytes stay and unsafe ones are removed.
   * @throws CHECKSUM_MISMATCH, UPLOAD_INTERRUPTED (a checked chunk that arrived incomplete), UPLOAD_OFFSET, DISK_FULL
   */
  async append(source: AsyncIterable<Buffer>, options: AppendOptions): Promise<number> {
    // Serialized although the upload's lock already ensures it: two writers would destroy the file.
    const turn = this.#appending.then(() => this.#append(source, options));
    this.#appending = turn.catch(() => undefined);
    return await turn;
  }

  async #append(source: AsyncIterable<Buffer>, options: AppendOptions): Promise<number> {
    if (options.offset !== this.#offset) {
      throw new OutpostError('UPLOAD_OFFSET', `The upload has ${this.#offset} bytes. Continue from there.`, {
        details: { offset: this.#offset },
      });
    }
    const hash = options.sha256 ? createHash('sha256') : undefined;
    let crc = 0;
    const behind = new WriteBehind(this.#data, this.#offset, (bytes) => {
      if (hash) hash.update(bytes);
      else crc = crc32c(bytes, crc);
    });
    let start = this.#offset;
    let end = start;
    let head: Buffer | undefined;
    const commit = async (sha256?: Buffer) => {
      await behind.drain();
      if (end === start) return;
      await this.#commit({ start, end, check: sha256?.readUInt32LE(0) ?? crc, isSha256: sha256 !== undefined });
      start = end;
      crc = 0;
    };
    try {
      await options.checkRoom?.();
      try {
        for await (const chunk of source) {
          if (end === 0 && chunk.length > 0) {
            // The head of a checked chunk is examined only after its checksum: its bytes may have changed in transit.
            if (hash) head = Buffer.from(chunk.subarray(0, HEAD_BYTES));
            else options.checkHead?.(chunk);
          }
          const full = behind.add(chunk);
          if (full) await full;
          end += chunk.length;
          if (!hash && end - start >= SAFE_STEP_BYTES) {
            await commit();
            await options.checkRoom?.();
          }
        }
      } catch (thrown) {
        // The sender is gone. Without a checksum, the bytes received so far still count.
        if (thrown instanceof OutpostError || isDiskError(thrown)) throw thrown;
        if (!hash) await commit();
        throw interrupted(thrown);
      }
      if (hash && !options.isComplete()) throw interrupted();
      behind.flush();
      const digest = hash?.digest();
      if (digest && options.sha256 && !digest.equals(options.sha256)) {
        throw new OutpostError(
          'CHECKSUM_MISMATCH',
          'The bytes do not have the SHA-256 of Upload-Checksum. Send them again from the same offset.',
        );
      }
      if (head) options.checkHead?.(head);
      await commit(digest);
      return this.#offset;
    } catch (thrown) {
      await behind.settle();
      await this.#cut();
      throw toOutpostError(thrown);
    }
  }

  async #commit(chunk: Chunk): Promise<void> {
    const at = this.#lines * LINE_BYTES;
    const line = encodeLine(chunk);
    const grows = at + LINE_BYTES > this.#journalBytes;
    const bytes = grows ? Buffer.concat([line], JOURNAL_STEP_BYTES) : line;
    const written = writeWhole(this.#journal, bytes, at).then(() => this.#journal.datasync());
    const [data, journal] = await Promise.allSettled([this.#data.datasync(), written]);
    for (const result of [data, journal]) if (result.status === 'rejected') throw result.reason;
    if (grows) this.#journalBytes = at + bytes.length;
    this.#lines += 1;
    this.#offset = chunk.end;
  }

  /** Truncates unsafe bytes, as the next opening would. */
  async #cut(): Promise<void> {
    await this.#data.truncate(this.#offset).catch(() => undefined);
    this.#journalBytes = this.#lines * LINE_BYTES;
    await this.#journal.truncate(this.#journalBytes).catch(() => undefined);
  }
}

function isDiskError(thrown: unknown): boolean {
  return ['write', 'fdatasync', 'ftruncate'].includes(String((thrown as NodeJS.ErrnoException | null)?.syscall));
}

function interrupted(cause?: unknown): OutpostError {
  return new OutpostError(
    'UPLOAD_INTERRUPTED',
    'The connection ended before all bytes arrived. Ask for the offset, then continue from there.',
    { cause },
  );
}
