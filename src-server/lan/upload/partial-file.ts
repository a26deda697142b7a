/**
 * A file that grows by acknowledged pieces. A piece counts once its bytes and its line in the journal are on the disk; the
 * line holds the piece's CRC-32C, so that after a power cut the safe length is known and a torn tail is cut off.
 *
 * Bytes and line are synced together, and no line is written before the piece ahead of it is safe: so only the last line
 * can be there without its bytes, and only the last piece is read again.
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
 * A journal line: u64 start, u64 end, u32 check of the bytes, u32 CRC-32C of the line before this. The check is a CRC-32C, or
 * where the piece came with its SHA-256 the first bytes of that, told by the highest bit of `end`: no byte is read twice.
 */
const LINE_BYTES = 24;
const IS_SHA256 = 1n << 63n;
/** A long stream without a checksum of its own becomes safe in pieces of this size. */
const CHUNK_BYTES = 8 << 20;
/** What {@link AppendOptions.checkHead} needs of a piece. */
const HEAD_BYTES = 64;
/** The journal grows by so much at once, with zeros: a line in space that is there already is one write, no change of size. */
const JOURNAL_STEP_BYTES = 170 * LINE_BYTES;

interface Piece {
  start: number;
  end: number;
  check: number;
  isSha256: boolean;
}

export interface AppendOptions {
  /** Where the sender believes the file to end. */
  offset: number;
  /** The piece counts only whole and with this SHA-256. */
  sha256?: Uint8Array;
  /** Asked when the stream has ended: false when the sender was cut off, so that a checked piece is not judged by its part. */
  isComplete: () => boolean;
  /** Sees the first bytes of the file before any is written; throws to refuse them. */
  checkHead?: (head: Buffer) => void;
  /** Asked before bytes are taken and after each safe piece; throws when the disk should hold no more. */
  checkRoom?: () => Promise<void>;
}

function encodeLine(piece: Piece): Buffer {
  const line = Buffer.alloc(LINE_BYTES);
  line.writeBigUInt64LE(BigInt(piece.start), 0);
  line.writeBigUInt64LE(BigInt(piece.end) | (piece.isSha256 ? IS_SHA256 : 0n), 8);
  line.writeUInt32LE(piece.check, 16);
  line.writeUInt32LE(crc32c(line.subarray(0, 20)), 20);
  return line;
}

/** The pieces that follow each other from byte 0; what comes after a torn or foreign line does not count. */
function decodeJournal(bytes: Buffer): Piece[] {
  const pieces: Piece[] = [];
  for (let at = 0; at + LINE_BYTES <= bytes.length; at += LINE_BYTES) {
    const line = bytes.subarray(at, at + LINE_BYTES);
    const end = line.readBigUInt64LE(8);
    const piece = {
      start: Number(line.readBigUInt64LE(0)),
      end: Number(end & ~IS_SHA256),
      check: line.readUInt32LE(16),
      isSha256: (end & IS_SHA256) !== 0n,
    };
    const follows = piece.start === (pieces.at(-1)?.end ?? 0) && piece.end > piece.start;
    if (!follows || crc32c(line.subarray(0, 20)) !== line.readUInt32LE(20)) break;
    pieces.push(piece);
  }
  return pieces;
}

async function isIntact(data: FileHandle, piece: Piece, sizeBytes: number): Promise<boolean> {
  if (piece.end > sizeBytes) return false;
  let crc = 0;
  const hash = piece.isSha256 ? createHash('sha256') : undefined;
  const buffer = Buffer.allocUnsafe(1 << 20);
  for (let at = piece.start; at < piece.end; ) {
    const { bytesRead } = await data.read(buffer, 0, Math.min(buffer.length, piece.end - at), at);
    if (bytesRead === 0) return false;
    const bytes = buffer.subarray(0, bytesRead);
    if (hash) hash.update(bytes);
    else crc = crc32c(bytes, crc);
    at += bytesRead;
  }
  return (hash ? hash.digest().readUInt32LE(0) : crc) === piece.check;
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

  /** Makes both files empty and durable. */
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

  /** Opens for appending and cuts off what is not safe. Files that are gone are made anew, with nothing in them. */
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
      const pieces = decodeJournal(lines);
      const last = pieces.at(-1);
      if (last && !(await isIntact(data, last, size))) pieces.pop();
      const end = pieces.at(-1)?.end ?? 0;
      // The piece before the last was safe when the last was begun; a disk that lost it lost the whole upload.
      const offset = end <= size ? end : 0;
      const kept = offset === end ? pieces.length : 0;
      const isClean = size === offset && lines.subarray(kept * LINE_BYTES).every((byte) => byte === 0);
      if (!isClean) {
        await data.truncate(offset);
        await journal.truncate(kept * LINE_BYTES);
        await Promise.all([data.datasync(), journal.datasync()]);
      }
      return new PartialFile(data, journal, offset, kept, isClean ? lines.length : kept * LINE_BYTES);
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
   * Appends what the stream brings and answers the new safe length. Whatever goes wrong, what was safe before stays, and
   * nothing unsafe is left behind it.
   * @throws CHECKSUM_MISMATCH, UPLOAD_INTERRUPTED (a checked piece that did not come whole), UPLOAD_OFFSET, DISK_FULL
   */
  async append(source: AsyncIterable<Buffer>, options: AppendOptions): Promise<number> {
    // The lock of the upload sees to it already; two writers in one file would be the end of it.
    const turn = this.#appending.then(() => this.#append(source, options));
    this.#appending = turn.catch(() => undefined);
    return await turn;
  }

  async #append(source: AsyncIterable<Buffer>, options: AppendOptions): Promise<number> {
    if (options.offset !== this.#offset) {
      throw new OutpostError('UPLOAD_OFFSET', `The upload has ${this.#offset} bytes. Go on from there.`, {
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
            // A checked piece is judged once its bytes are known to be those of the device, not changed on their way.
            if (hash) head = Buffer.from(chunk.subarray(0, HEAD_BYTES));
            else options.checkHead?.(chunk);
          }
          const full = behind.add(chunk);
          if (full) await full;
          end += chunk.length;
          if (!hash && end - start >= CHUNK_BYTES) {
            await commit();
            await options.checkRoom?.();
          }
        }
      } catch (thrown) {
        // The sender went away: what came without a checksum of its own is as good as any other part.
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

  async #commit(piece: Piece): Promise<void> {
    const at = this.#lines * LINE_BYTES;
    const line = encodeLine(piece);
    const grows = at + LINE_BYTES > this.#journalBytes;
    const bytes = grows ? Buffer.concat([line], JOURNAL_STEP_BYTES) : line;
    const written = writeWhole(this.#journal, bytes, at).then(() => this.#journal.datasync());
    const [data, journal] = await Promise.allSettled([this.#data.datasync(), written]);
    for (const result of [data, journal]) if (result.status === 'rejected') throw result.reason;
    if (grows) this.#journalBytes = at + bytes.length;
    this.#lines += 1;
    this.#offset = piece.end;
  }

  /** Gives the space of what does not count back; the next opening would do the same. */
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
    'The connection ended before all bytes came. Ask for the offset, then go on from there.',
    { cause },
  );
}
