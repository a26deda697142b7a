/**
 * A cache of open signal files: reading the index costs more than reading the minute of samples that a viewer wants. Every use
 * checks the identity of the file on disk, so a restored, replaced, repaired or removed file is never read from stale state.
 */
import { type BigIntStats, promises as files } from 'node:fs';
import { OutpostError } from '../../../errors.ts';
import { openSignalFile, type SignalFile } from '../../../signals/index.ts';

/** Files that stay open without readers. */
const KEPT_FILES = 16;
/** Idle files are closed after this time, so that the space of a removed file is freed soon. */
const IDLE_MS = 15_000;

interface Entry {
  file: SignalFile;
  identity: string;
  readers: number;
  isDropped: boolean;
  lastUsed: number;
}

function identityOf({ dev, ino, size, mtimeNs, ctimeNs }: BigIntStats): string {
  return `${dev} ${ino} ${size} ${mtimeNs} ${ctimeNs}`;
}

export class OpenSignalFiles {
  /** Least recently used first. */
  readonly #entries = new Map<string, Entry>();
  #sweep: NodeJS.Timeout | undefined;

  /**
   * Opens a file, or returns the open one; call `release` when done.
   * @throws NOT_FOUND, SIGNAL_FILE_DAMAGED (header unusable), UNSUPPORTED_FORMAT
   */
  async acquire(path: string): Promise<{ file: SignalFile; release: () => void }> {
    const identity = await currentIdentity(path).catch((thrown: unknown) => {
      this.#drop(path, this.#entries.get(path));
      throw thrown;
    });
    let entry = this.#entries.get(path);
    if (entry?.identity !== identity) {
      this.#drop(path, entry);
      const file = await openSignalFile(path);
      const other = this.#entries.get(path);
      if (other?.identity === identity) {
        // Two concurrent readers: the second uses the file of the first.
        void file.close();
        entry = other;
      } else {
        this.#drop(path, other);
        entry = { file, identity, readers: 0, isDropped: false, lastUsed: 0 };
      }
    }
    this.#entries.delete(path);
    this.#entries.set(path, entry);
    entry.readers++;
    entry.lastUsed = performance.now();
    this.#trim();
    return { file: entry.file, release: once(() => this.#release(entry)) };
  }

  #release(entry: Entry): void {
    entry.readers--;
    if (entry.isDropped && entry.readers === 0) void entry.file.close();
    this.#trim();
    this.#sweep ??= setTimeout(() => this.#closeIdle(), IDLE_MS).unref();
  }

  #drop(path: string, entry: Entry | undefined): void {
    if (!entry) return;
    if (this.#entries.get(path) === entry) this.#entries.delete(path);
    entry.isDropped = true;
    if (entry.readers === 0) void entry.file.close();
  }

  #trim(): void {
    for (const [path, entry] of this.#entries) {
      if (this.#entries.size <= KEPT_FILES) return;
      if (entry.readers === 0) this.#drop(path, entry);
    }
  }

  #closeIdle(): void {
    this.#sweep = undefined;
    const before = performance.now() - IDLE_MS;
    for (const [path, entry] of this.#entries) {
      if (entry.readers === 0 && entry.lastUsed <= before) this.#drop(path, entry);
    }
    if (this.#entries.size > 0) this.#sweep = setTimeout(() => this.#closeIdle(), IDLE_MS).unref();
  }
}

async function currentIdentity(path: string): Promise<string> {
  try {
    return identityOf(await files.stat(path, { bigint: true }));
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code !== 'ENOENT') throw thrown;
    throw new OutpostError('NOT_FOUND', `There is no signal file ${path}.`, { cause: thrown });
  }
}

function once(act: () => void): () => void {
  let isDone = false;
  return () => {
    if (isDone) return;
    isDone = true;
    act();
  };
}
