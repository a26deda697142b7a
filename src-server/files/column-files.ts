/**
 * Second columns of analysed days as immutable files named after their content: `columns/<first two hex>/<sha256>.opa`. A file
 * is complete and fsynced, with its folder, before `write` resolves, so a row may refer to it from then on. The same content
 * is stored once. What is read is compared with its hash: a caller gets the bytes that were written, or an error.
 *
 * Which files are in use is known to the rows that name them, not here; see `services/analytics.ts`.
 */
import { randomUUID } from 'node:crypto';
import { closeSync, openSync, readSync } from 'node:fs';
import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { OutpostError } from '../errors.ts';
import { type Content, sha256Hex } from './content-hash.ts';
import { syncDirectory } from './durable-files.ts';
import type { ReusedBuffer } from './reused-buffer.ts';

/** Immutable blocks of bytes by their hash. Nothing in it depends on a local disk. */
export interface ColumnStore {
  /**
   * @throws SITE_CORRUPT when the content is missing or other bytes are in its place
   */
  read(content: Content): Promise<Uint8Array>;
  /** As {@link read}, with blocking reads, for a worker that reads one after the other. @param memory holds the bytes */
  readSync(content: Content, memory: ReusedBuffer): Uint8Array;
  /** Stores blocks durably. Content that is stored and whole is left as it is; damaged content is replaced. */
  write(blocks: readonly Uint8Array[]): Promise<Content[]>;
  /** Hashes of the stored content that begin with a prefix of two hex digits. */
  list(prefix: string): Promise<string[]>;
  remove(sha256: string): Promise<void>;
  /** Calls back with the hash of each content that a `read` found missing or damaged. Returns a function that ends it. */
  onLost(listener: (sha256: string) => void): () => void;
  /** Removes what interrupted writes left behind before `beforeTs`, epoch ms by the file system. */
  removePartials(prefix: string, beforeTs: number): Promise<void>;
  /**
   * Runs work while no other call of this runs: between finding content stored and committing the row that names it, nobody may
   * remove it.
   */
  exclusive<T>(work: () => Promise<T>): Promise<T>;
}

const EXTENSION = '.opa';
const COLUMN_FILE = /^([0-9a-f]{64})\.opa$/;
const PARTIAL_FILE = /^[0-9a-f]{64}\.opa\.[0-9a-f-]{36}\.partial$/;
/** Writes in flight at once: enough to keep a disk busy with fsyncs, and few open files. */
const MOST_WRITES = 8;

export const COLUMN_PREFIXES: readonly string[] = Array.from({ length: 256 }, (_, i) =>
  i.toString(16).padStart(2, '0'),
);

export function contentOfBytes(bytes: Uint8Array): Content {
  return { sizeBytes: bytes.length, sha256: sha256Hex(bytes) };
}

/** Path within the site folder, with forward slashes. */
export function columnPath(sha256: string): string {
  return `columns/${sha256.slice(0, 2)}/${sha256}${EXTENSION}`;
}

/** The hash of a file in a folder of `columns`; undefined for a name that is not Outpost's. */
export function columnOfFile(name: string): string | undefined {
  return COLUMN_FILE.exec(name)?.[1];
}

/** True for what an interrupted write left behind. */
export function isPartialColumn(name: string): boolean {
  return PARTIAL_FILE.test(name);
}

export class ColumnFiles implements ColumnStore {
  readonly #folder: string;
  readonly #listeners = new Set<(sha256: string) => void>();
  #last: Promise<unknown> = Promise.resolve();

  /** @param folder `columns` of a site; made at the first write */
  constructor(folder: string) {
    this.#folder = folder;
  }

  #folderOf(sha256: string): string {
    return join(this.#folder, sha256.slice(0, 2));
  }

  #pathOf(sha256: string): string {
    return join(this.#folderOf(sha256), `${sha256}${EXTENSION}`);
  }

  async read(content: Content): Promise<Uint8Array> {
    return this.#compared(content, await readOf(this.#pathOf(content.sha256), content.sizeBytes));
  }

  readSync(content: Content, memory: ReusedBuffer): Uint8Array {
    return this.#compared(content, readOfSync(this.#pathOf(content.sha256), memory.bytes(content.sizeBytes + 1)));
  }

  #compared({ sha256 }: Content, bytes: Uint8Array | undefined): Uint8Array {
    if (bytes && sha256Hex(bytes) === sha256) return bytes;
    for (const listener of this.#listeners) listener(sha256);
    throw new OutpostError(
      'SITE_CORRUPT',
      `A stored analytics result is ${bytes ? 'damaged' : 'missing'}. Compute the days of this subject again.`,
      { details: { columnFile: sha256 } },
    );
  }

  async write(blocks: readonly Uint8Array[]): Promise<Content[]> {
    const contents = blocks.map(contentOfBytes);
    const folders = new Set(contents.map(({ sha256 }) => this.#folderOf(sha256)));
    for (const folder of folders) await this.#makeFolder(folder);
    const waiting = [
      ...new Map(contents.map((content, i) => [content.sha256, { content, block: blocks[i]! }])).values(),
    ];
    const writer = async () => {
      for (let next = waiting.pop(); next; next = waiting.pop()) await this.#writeOne(next.content, next.block);
    };
    const ended = await Promise.allSettled(Array.from({ length: MOST_WRITES }, writer));
    for (const result of ended) if (result.status === 'rejected') throw result.reason;
    // Also where every file was there already: the process that renamed one may have been killed before its sync.
    for (const folder of folders) await syncDirectory(folder);
    return contents;
  }

  async #makeFolder(folder: string): Promise<void> {
    const made = await mkdir(folder, { recursive: true });
    if (made === undefined) return;
    await syncDirectory(this.#folder);
    if (made !== folder) await syncDirectory(join(this.#folder, '..'));
  }

  async #writeOne(content: Content, block: Uint8Array): Promise<void> {
    const path = this.#pathOf(content.sha256);
    const found = await readOf(path, content.sizeBytes);
    if (found && sha256Hex(found) === content.sha256) return;
    const partial = `${path}.${randomUUID()}.partial`;
    try {
      const handle = await open(partial, 'wx', 0o600);
      try {
        await handle.writeFile(block);
        await handle.sync();
      } finally {
        await handle.close();
      }
      await rename(partial, path);
    } catch (thrown) {
      await rm(partial, { force: true });
      throw thrown;
    }
  }

  async list(prefix: string): Promise<string[]> {
    const names = await namesIn(join(this.#folder, prefix));
    return names.flatMap((name) => columnOfFile(name) ?? []).filter((sha256) => sha256.startsWith(prefix));
  }

  async removePartials(prefix: string, beforeTs: number): Promise<void> {
    const folder = join(this.#folder, prefix);
    for (const name of await namesIn(folder)) {
      if (!isPartialColumn(name)) continue;
      const facts = await stat(join(folder, name)).catch(() => null);
      if (facts && facts.mtimeMs < beforeTs) await rm(join(folder, name), { force: true });
    }
  }

  async remove(sha256: string): Promise<void> {
    await rm(this.#pathOf(sha256), { force: true });
  }

  onLost(listener: (sha256: string) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  exclusive<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#last.then(work);
    this.#last = turn.catch(() => undefined);
    return turn;
  }
}

async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw thrown;
  }
}

/**
 * Reads a file of known size in one call, which costs a third of the time of `readFile`. Undefined when the file is missing;
 * other bytes when it is not of that size, so that its hash differs.
 */
async function readOf(path: string, sizeBytes: number): Promise<Uint8Array | undefined> {
  let handle: Awaited<ReturnType<typeof open>>;
  try {
    handle = await open(path, 'r');
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw thrown;
  }
  try {
    // One byte more, to see whether the file is longer.
    const buffer = Buffer.allocUnsafeSlow(sizeBytes + 1);
    let length = 0;
    while (length < buffer.length) {
      const { bytesRead } = await handle.read(buffer, length, buffer.length - length, length);
      if (bytesRead === 0) break;
      length += bytesRead;
    }
    return buffer.subarray(0, length);
  } finally {
    await handle.close();
  }
}

/** The same into a buffer of one byte more than the content, without promises: of small files, those cost more than the bytes. */
function readOfSync(path: string, buffer: Buffer): Uint8Array | undefined {
  let descriptor: number;
  try {
    descriptor = openSync(path, 'r');
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw thrown;
  }
  try {
    let length = 0;
    while (length < buffer.length) {
      const count = readSync(descriptor, buffer, length, buffer.length - length, length);
      if (count === 0) break;
      length += count;
    }
    return buffer.subarray(0, length);
  } finally {
    closeSync(descriptor);
  }
}
