/**
 * Adds content to a folder of backups that is in memory as a whole: most files of a site are a few kilobytes, and so are the pieces
 * of its database. What is called for each of them does not wait, except for the disk, and several wait for it at once.
 */
import { closeSync, fsync, mkdirSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { contentPath } from './manifest.ts';

const syncFile = promisify(fsync);

/** Files that are fsynced at once. */
const MOST_WRITES = 8;

export class ContentWriter {
  readonly #directory: string;
  readonly #scratchDir: string;
  readonly #folders = new Set<string>();
  readonly #writing = new Set<Promise<void>>();
  #failure: { thrown: unknown } | undefined;
  #count = 0;

  /** @param scratchDir on the same disk as `directory` */
  constructor(directory: string, scratchDir: string) {
    this.#directory = directory;
    this.#scratchDir = scratchDir;
  }

  /** Folders whose entries changed, to be synced before a manifest refers to their content. */
  get folders(): ReadonlySet<string> {
    return this.#folders;
  }

  /**
   * Resolves when the next content may be added; {@link settle} tells when all is durable under its name.
   * @param bytes are written before this returns
   */
  async add(bytes: Uint8Array, sha256: string): Promise<void> {
    if (this.#failure) throw this.#failure.thrown;
    const write: Promise<void> = this.#write(bytes, join(this.#directory, contentPath(sha256)))
      .catch((thrown: unknown) => {
        this.#failure ??= { thrown };
      })
      .finally(() => this.#writing.delete(write));
    this.#writing.add(write);
    if (this.#writing.size >= MOST_WRITES) await Promise.race(this.#writing);
  }

  async settle(): Promise<void> {
    await Promise.all(this.#writing);
    if (this.#failure) throw this.#failure.thrown;
  }

  async #write(bytes: Uint8Array, path: string): Promise<void> {
    this.#count += 1;
    const scratch = join(this.#scratchDir, `content-${this.#count}`);
    try {
      const file = openSync(scratch, 'wx', 0o600);
      try {
        for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at);
        await syncFile(file);
      } finally {
        closeSync(file);
      }
      const folder = dirname(path);
      if (!this.#folders.has(folder)) {
        mkdirSync(folder, { recursive: true });
        this.#folders.add(folder);
      }
      renameSync(scratch, path);
    } catch (thrown) {
      rmSync(scratch, { force: true });
      throw thrown;
    }
  }
}
