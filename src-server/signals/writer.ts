/** Writes signal files: append-only blocks, then a footer and an fsync. Unfinished files can be resumed; finished ones never change. */
import { createHash, type Hash } from 'node:crypto';
import { type FileHandle, open, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { OutpostError, toOutpostError } from '../errors.ts';
import { syncDirectory } from '../files/durable-files.ts';
import { BLOCK_PAGE, type BlockEntry, LIMITS } from './codec/block.ts';
import { hasOrderedTimes, sampleTimeUs } from './codec/page.ts';
import { checkHeader } from './container/header-schema.ts';
import { SIGNAL_MAGIC } from './container/magic.ts';
import { MARKS_PER_BLOCK, MAX_REASON_LENGTH } from './container/marks.ts';
import { encodeContainerHeader, encodeFooter, encodeMarks, encodePage, readBlockHead } from './node-codec.ts';
import type { SignalHeader, SignalMark, SignalPage } from './types.ts';

/** Summary of a finished file. The times are those of the first and last sample over all channels. */
export interface SignalFileSummary {
  sizeBytes: number;
  /** SHA-256 of the whole file, in hex. */
  sha256: string;
  startUs: number;
  stopUs: number;
  /** Samples (rows, not values) per channel. */
  sampleCounts: number[];
}

/** State of an unfinished file when writing resumes. */
export interface WriterState {
  handle: FileHandle;
  path: string;
  header: SignalHeader;
  sizeBytes: number;
  entries: BlockEntry[];
  hash: Hash;
}

const FLUSH_BYTES = 256 << 10;

/**
 * Appends pages and marks to one signal file. Calls need not be awaited one by one, but awaiting them bounds memory. A failed
 * write (such as DISK_FULL) fails this and every later call.
 */
export class SignalFileWriter {
  readonly path: string;
  readonly header: SignalHeader;
  readonly #handle: FileHandle;
  readonly #entries: BlockEntry[];
  readonly #hash: Hash;
  readonly #lastUs: number[];
  readonly #counts: number[];
  #sequence: number;
  #offset: number;
  #pending: Uint8Array[] = [];
  #pendingBytes = 0;
  #marks: SignalMark[] = [];
  #writing: Promise<void> = Promise.resolve();
  #state: 'open' | 'finished' | 'aborted' = 'open';

  constructor(state: WriterState) {
    this.path = state.path;
    this.header = state.header;
    this.#handle = state.handle;
    this.#entries = state.entries;
    this.#hash = state.hash;
    this.#offset = state.sizeBytes;
    this.#sequence = (state.entries.at(-1)?.sequence ?? -1) + 1;
    this.#lastUs = state.header.channels.map(() => -Infinity);
    this.#counts = state.header.channels.map(() => 0);
    for (const entry of state.entries) {
      if (entry.kind !== BLOCK_PAGE) continue;
      this.#lastUs[entry.channel] = entry.lastUs;
      this.#counts[entry.channel]! += entry.count;
    }
  }

  /**
   * Appends a page. Pages of one channel must be in time order and must not overlap.
   *
   * @throws INVALID_INPUT, appending nothing, when the page breaks a rule
   */
  async append(page: SignalPage): Promise<void> {
    this.#mustBeOpen();
    const problem = this.#problemOf(page);
    if (problem !== null) {
      throw new OutpostError('INVALID_INPUT', `A page of channel ${page.channel} cannot be stored: ${problem}.`);
    }
    const { sampleBits } = this.header.channels[page.channel]!;
    this.#add(encodePage(page, sampleBits, this.#sequence));
    this.#lastUs[page.channel] = sampleTimeUs(page, page.count - 1);
    this.#counts[page.channel]! += page.count;
    if (this.#pendingBytes >= FLUSH_BYTES) await this.#write();
  }

  /** Appends a mark. Marks may come in any order. @throws INVALID_INPUT */
  async mark(mark: SignalMark): Promise<void> {
    this.#mustBeOpen();
    if (!Number.isInteger(mark.channel) || mark.channel < 0 || mark.channel >= this.header.channels.length) {
      throw new OutpostError('INVALID_INPUT', `There is no channel ${mark.channel} to mark in this recording.`);
    }
    if (!(Math.abs(mark.timeUs) <= Number.MAX_SAFE_INTEGER) || mark.reason.length > MAX_REASON_LENGTH) {
      throw new OutpostError('INVALID_INPUT', 'A mark needs a time and a reason of at most 256 characters.');
    }
    this.#marks.push({ channel: mark.channel, timeUs: mark.timeUs, reason: mark.reason });
    if (this.#marks.length >= MARKS_PER_BLOCK) this.#addMarks();
    if (this.#pendingBytes >= FLUSH_BYTES) await this.#write();
  }

  /** Makes all data appended so far durable; the file stays unfinished. */
  async sync(): Promise<void> {
    this.#mustBeOpen();
    this.#addMarks();
    await this.#write();
    await this.#handle.datasync();
  }

  /**
   * Writes the footer and makes file and directory durable. After a failure other than FILE_EMPTY, call abort().
   *
   * @throws FILE_EMPTY when no page was appended; the file is removed. DISK_FULL
   */
  async finish(): Promise<SignalFileSummary> {
    this.#mustBeOpen();
    if (this.#counts.every((count) => count === 0)) {
      await this.abort();
      throw new OutpostError('FILE_EMPTY', 'The recording has no samples, so nothing was stored.');
    }
    this.#addMarks();
    const footer = encodeFooter(this.#entries, this.#counts, this.#offset, this.#sequence);
    this.#push(footer);
    await this.#write();
    try {
      await this.#handle.sync();
    } catch (error) {
      throw toOutpostError(error);
    }
    this.#state = 'finished';
    await this.#handle.close();
    await syncDirectory(dirname(this.path));
    const pages = this.#entries.filter((entry) => entry.kind === BLOCK_PAGE);
    return {
      sizeBytes: this.#offset,
      sha256: this.#hash.digest('hex'),
      startUs: pages.reduce((earliest, entry) => Math.min(earliest, entry.firstUs), Infinity),
      stopUs: Math.max(...this.#lastUs),
      sampleCounts: [...this.#counts],
    };
  }

  /** Closes and removes the unfinished file. Does nothing after finish() or an earlier abort(). */
  async abort(): Promise<void> {
    if (this.#state !== 'open') return;
    this.#state = 'aborted';
    await this.#writing.catch(() => undefined);
    await this.#handle.close();
    await rm(this.path, { force: true });
  }

  /** Closes the file unfinished; appendSignalFile() can resume it. */
  async suspend(): Promise<void> {
    await this.sync();
    this.#state = 'finished';
    await this.#handle.close();
  }

  #mustBeOpen(): void {
    if (this.#state !== 'open') throw new OutpostError('CONFLICT', `${this.path} is already ${this.#state}.`);
  }

  #problemOf(page: SignalPage): string | null {
    const channel = this.header.channels[page.channel];
    if (this.#entries.length >= LIMITS.blocks - 1) return `the file is full (${LIMITS.blocks} pages); use longer pages`;
    if (channel === undefined) return 'the recording has no such channel';
    if (!Number.isInteger(page.count) || page.count < 1 || page.count > LIMITS.pageSamples) {
      return `it has ${page.count} samples; 1 to ${LIMITS.pageSamples} fit`;
    }
    if (page.columns.length !== channel.dimensions.length) {
      return `it has ${page.columns.length} columns for ${channel.dimensions.length} dimensions`;
    }
    const allowed = channel.sampleBits === 16 ? [Int16Array] : [Int16Array, Int32Array];
    for (const column of page.columns) {
      if (column.length !== page.count) return `a column has ${column.length} of ${page.count} samples`;
      if (!allowed.some((type) => column instanceof type)) return 'a column is wider than the channel';
    }
    if (page.timeResidualsUs && page.timeResidualsUs.length !== page.count) {
      return 'its time residuals are not one per sample';
    }
    const valueBytes = page.columns.length * (channel.sampleBits / 8) + (page.timeResidualsUs ? 4 : 0);
    if (page.count * valueBytes > LIMITS.rawBytes) return 'it takes more than 32 MiB; use shorter pages';
    if (!Number.isFinite(page.periodUs) || page.periodUs <= 0) return `its period is ${page.periodUs} us`;
    const firstUs = sampleTimeUs(page, 0);
    const lastUs = sampleTimeUs(page, page.count - 1);
    const inRange = [page.startUs, firstUs, lastUs].every((us) => Math.abs(us) <= Number.MAX_SAFE_INTEGER);
    if (!inRange) return `its times (${page.startUs} us) are out of range`;
    if (!hasOrderedTimes(page)) return 'its sample times go backwards';
    if (firstUs <= this.#lastUs[page.channel]!) {
      return `it begins at ${firstUs} us, not after the last sample at ${this.#lastUs[page.channel]} us`;
    }
    return null;
  }

  #addMarks(): void {
    if (this.#marks.length === 0) return;
    this.#add(encodeMarks(this.#marks, this.#sequence));
    this.#marks = [];
  }

  #add(block: Uint8Array): void {
    const head = readBlockHead(block, 0);
    if (head === null) throw new OutpostError('INTERNAL', 'An encoded block could not be read back.');
    this.#entries.push({ ...head, offset: this.#offset });
    this.#sequence += 1;
    this.#push(block);
  }

  #push(bytes: Uint8Array): void {
    this.#pending.push(bytes);
    this.#pendingBytes += bytes.length;
    this.#offset += bytes.length;
  }

  #write(): Promise<void> {
    const bytes = Buffer.concat(this.#pending);
    const position = this.#offset - bytes.length;
    this.#pending = [];
    this.#pendingBytes = 0;
    this.#writing = this.#writing.then(async () => {
      this.#hash.update(bytes);
      await writeFully(this.#handle, bytes, position);
    });
    return this.#writing;
  }
}

/**
 * Creates a signal file at `path`.
 *
 * @throws CONFLICT when the path exists, INVALID_INPUT for an invalid header, DISK_FULL, SITE_READ_ONLY
 */
export async function createSignalFile(path: string, header: SignalHeader): Promise<SignalFileWriter> {
  const checked = checkHeader(header);
  const bytes = encodeContainerHeader(SIGNAL_MAGIC, checked);
  let handle: FileHandle;
  try {
    handle = await open(path, 'wx');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') {
      throw new OutpostError('CONFLICT', `${path} already exists and is not overwritten.`, { cause: error });
    }
    throw toOutpostError(error);
  }
  try {
    await writeFully(handle, bytes, 0);
  } catch (error) {
    await handle.close();
    await rm(path, { force: true });
    throw toOutpostError(error);
  }
  return new SignalFileWriter({
    handle,
    path,
    header: checked,
    sizeBytes: bytes.length,
    entries: [],
    hash: createHash('sha256').update(bytes),
  });
}

/** Writes all bytes at a position. @throws OutpostError for file-system errors, such as DISK_FULL */
export async function writeFully(handle: FileHandle, bytes: Uint8Array, position: number): Promise<void> {
  try {
    let written = 0;
    while (written < bytes.length) {
      const result = await handle.write(bytes, written, bytes.length - written, position + written);
      written += result.bytesWritten;
    }
  } catch (error) {
    throw toOutpostError(error);
  }
}
