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
import { syncDirectory } from '../../durable-files.ts';
import { OutpostError, toOutpostError } from '../../errors.ts';
import type { UploadPaths } from '../../inbox.ts';

/** A journal line: u64 start, u64 end, u32 CRC-32C of the bytes, u32 CRC-32C of the line before this. */
const LINE_BYTES = 24;
/** A long stream without a checksum of its own becomes safe in pieces of this size. */
const PIECE_BYTES = 8 << 20;
/** Handed to the disk at once; a socket gives 64 KiB at a time. */
const WRITE_BYTES = 512 << 10;

interface Piece {
  start: number;
  end: number;
  crc: number;
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
}

function encodeLine(piece: Piece): Buffer {
  const line = Buffer.alloc(LINE_BYTES);
  line.writeBigUInt64LE(BigInt(piece.start), 0);
  line.writeBigUInt64LE(BigInt(piece.end), 8);
  line.writeUInt32LE(piece.crc, 16);
  line.writeUInt32LE(crc32c(line.subarray(0, 20)), 20);
  return line;
}

/** The pieces that follow each other from byte 0; what comes after a torn or foreign line does not count. */
function decodeJournal(bytes: Buffer): Piece[] {
  const pieces: Piece[] = [];
  for (let at = 0; at + LINE_BYTES <= bytes.length; at += LINE_BYTES) {
    const line = bytes.subarray(at, at + LINE_BYTES);
    const piece = {
      start: Number(line.readBigUInt64LE(0)),
      end: Number(line.readBigUInt64LE(8)),
      crc: line.readUInt32LE(16),
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
  const buffer = Buffer.allocUnsafe(1 << 20);
  for (let at = piece.start; at < piece.end; ) {
    const { bytesRead } = await data.read(buffer, 0, Math.min(buffer.length, piece.end - at), at);
    if (bytesRead === 0) return false;
    crc = crc32c(buffer.subarray(0, bytesRead), crc);
    at += bytesRead;
  }
  return crc === piece.crc;
}

export class PartialFile {
  readonly #data: FileHandle;
  readonly #journal: FileHandle;
  #offset: number;
  #lines: number;
  #appending: Promise<unknown> = Promise.resolve();

  private constructor(data: FileHandle, journal: FileHandle, offset: number, lines: number) {
    this.#data = data;
    this.#journal = journal;
    this.#offset = offset;
    this.#lines = lines;
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
      if (size !== offset || lines.length !== kept * LINE_BYTES) {
        await data.truncate(offset);
        await journal.truncate(kept * LINE_BYTES);
        await Promise.all([data.datasync(), journal.datasync()]);
      }
      return new PartialFile(data, journal, offset, kept);
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
    let position = this.#offset;
    let piece: Piece = { start: position, end: position, crc: 0 };
    let waiting: Buffer[] = [];
    let waitingBytes = 0;
    let committing: Promise<void> = Promise.resolve();
    const flush = async () => {
      for (let left = waiting; left.length > 0; ) {
        const { bytesWritten } = await this.#data.writev(left, position);
        position += bytesWritten;
        left = afterBytes(left, bytesWritten);
      }
      waiting = [];
      waitingBytes = 0;
    };
    const commit = async () => {
      await flush();
      const done = piece;
      if (done.end === done.start) return;
      piece = { start: done.end, end: done.end, crc: 0 };
      await committing;
      committing = this.#commit(done);
      // Awaited at the next commit or at the end; until then it must not count as unhandled.
      committing.catch(() => undefined);
    };
    try {
      try {
        for await (const chunk of source) {
          if (piece.end === 0 && chunk.length > 0) options.checkHead?.(chunk);
          waiting.push(chunk);
          waitingBytes += chunk.length;
          piece.end += chunk.length;
          piece.crc = crc32c(chunk, piece.crc);
          hash?.update(chunk);
          if (waitingBytes >= WRITE_BYTES) await flush();
          if (!hash && piece.end - piece.start >= PIECE_BYTES) await commit();
        }
      } catch (thrown) {
        // The sender went away: what came without a checksum of its own is as good as any other part.
        if (thrown instanceof OutpostError || isDiskError(thrown)) throw thrown;
        if (!hash) await commit();
        await committing;
        throw interrupted(thrown);
      }
      if (hash && !options.isComplete()) throw interrupted();
      if (hash && options.sha256 && !hash.digest().equals(options.sha256)) {
        throw new OutpostError(
          'CHECKSUM_MISMATCH',
          'The bytes do not have the SHA-256 of Upload-Checksum. Send them again from the same offset.',
        );
      }
      await commit();
      await committing;
      return this.#offset;
    } catch (thrown) {
      await committing.catch(() => undefined);
      await this.#cut();
      throw toOutpostError(thrown);
    }
  }

  async #commit(piece: Piece): Promise<void> {
    await this.#journal.write(encodeLine(piece), 0, LINE_BYTES, this.#lines * LINE_BYTES);
    await Promise.all([this.#data.datasync(), this.#journal.datasync()]);
    this.#lines += 1;
    this.#offset = piece.end;
  }

  /** Gives the space of what does not count back; the next opening would do the same. */
  async #cut(): Promise<void> {
    await this.#data.truncate(this.#offset).catch(() => undefined);
    await this.#journal.truncate(this.#lines * LINE_BYTES).catch(() => undefined);
  }
}

function afterBytes(buffers: readonly Buffer[], count: number): Buffer[] {
  let skip = count;
  const left: Buffer[] = [];
  for (const buffer of buffers) {
    if (skip >= buffer.length) skip -= buffer.length;
    else {
      left.push(skip > 0 ? buffer.subarray(skip) : buffer);
      skip = 0;
    }
  }
  return left;
}

function isDiskError(thrown: unknown): boolean {
  return ['write', 'writev', 'fdatasync', 'ftruncate'].includes(
    String((thrown as NodeJS.ErrnoException | null)?.syscall),
  );
}

function interrupted(cause?: unknown): OutpostError {
  return new OutpostError(
    'UPLOAD_INTERRUPTED',
    'The connection ended before all bytes came. Ask for the offset, then go on from there.',
    { cause },
  );
}
