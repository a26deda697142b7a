/**
 * Saves files that the desk hands over: asks where, writes beside the chosen name, and renames only what is whole and on the disk. A file
 * under the chosen name is therefore never half, whatever happens to the disk or the program.
 */
import { randomUUID } from 'node:crypto';
import { open, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { syncDirectory } from '../src-server/files/durable-files.ts';
import { portableName } from '../src-server/files/portable-name.ts';
import type { Saving, SavingProblem } from './desktop-api.ts';
import { PageNews } from './page-news.ts';

/** The bytes of a file, and how many there will be if that is known. */
export interface FileSource {
  totalBytes: number | null;
  bytes: AsyncIterable<Uint8Array>;
}

/** Finished ones stay until they are dismissed; of many that nobody dismisses, the newest. */
const MAX_LISTED = 20;
/** Minimum time between two updates of the progress. */
const TELL_EVERY_MS = 200;

const PROBLEMS: Partial<Record<string, SavingProblem>> = {
  ENOSPC: 'disk-full',
  EDQUOT: 'disk-full',
  EFBIG: 'disk-full',
  ENOENT: 'disk-gone',
  ENODEV: 'disk-gone',
  ENXIO: 'disk-gone',
  EIO: 'disk-gone',
  ENOTCONN: 'disk-gone',
  EACCES: 'not-allowed',
  EPERM: 'not-allowed',
  EROFS: 'not-allowed',
  EBUSY: 'in-use',
};

class Incomplete extends Error {}

const problemOf = (thrown: unknown): SavingProblem => {
  if (thrown instanceof Incomplete) return 'incomplete';
  const { code, syscall } = thrown as NodeJS.ErrnoException;
  // Errors of the connection to the site have other calls: "connect", "read" of a socket has no path.
  return (syscall !== 'connect' && PROBLEMS[code ?? '']) || 'incomplete';
};

/** No name of a file on any system, and none that leads to another folder. */
export const safeFileName = (name: string): string => portableName(basename(name.replaceAll('\\', '/'))) || 'outpost';

export class FileSaver {
  readonly #ask: (name: string) => Promise<string | null>;
  readonly #showProgress: (share: number | 'unknown' | null) => void;
  readonly #running = new Map<string, { stop: AbortController; done: Promise<void> }>();
  readonly #paths = new Map<string, string>();
  #savings: Saving[] = [];
  readonly #news = new PageNews();
  #toldMs = 0;

  /**
   * @param ask for the path under a proposed name; null when nobody wants to save
   * @param showProgress on the task bar; null: nothing is being saved
   */
  constructor(ask: (name: string) => Promise<string | null>, showProgress: (share: number | 'unknown' | null) => void) {
    this.#ask = ask;
    this.#showProgress = showProgress;
  }

  /**
   * Asks where to save a file and saves it. Resolves when that has ended, in whatever way.
   * @param open asks for the bytes, once there is a place for them
   */
  async save(proposedName: string, openSource: (signal: AbortSignal) => Promise<FileSource>): Promise<void> {
    const path = await this.#ask(safeFileName(proposedName));
    if (path === null) return;
    const id = randomUUID();
    const stop = new AbortController();
    this.#paths.set(id, path);
    this.#savings = [
      ...this.#savings,
      { id, name: basename(path), state: 'saving' as const, doneBytes: 0, totalBytes: null },
    ].slice(-MAX_LISTED);
    const done = this.#run(id, path, openSource, stop.signal);
    this.#running.set(id, { stop, done });
    this.#tell(true);
    await done.finally(() => this.#running.delete(id));
    this.#tell(true);
  }

  async #run(
    id: string,
    path: string,
    openSource: (signal: AbortSignal) => Promise<FileSource>,
    signal: AbortSignal,
  ): Promise<void> {
    // Hidden where a leading dot hides, and beside the file, because only there it can be renamed.
    const part = join(dirname(path), `.${basename(path)}.${id.slice(0, 8)}.part`);
    try {
      const source = await openSource(signal);
      await this.#write(id, part, source, signal);
      signal.throwIfAborted();
      await rename(part, path);
      await syncDirectory(dirname(path));
      this.#change(id, { state: 'done' });
    } catch (thrown) {
      await rm(part, { force: true }).catch(() => undefined);
      if (signal.aborted) this.#savings = this.#savings.filter((one) => one.id !== id);
      else this.#change(id, { state: 'failed', problem: problemOf(thrown) });
    }
  }

  async #write(id: string, part: string, { bytes, totalBytes }: FileSource, signal: AbortSignal): Promise<void> {
    const file = await open(part, 'wx');
    try {
      let doneBytes = 0;
      for await (const chunk of bytes) {
        signal.throwIfAborted();
        await file.writeFile(chunk);
        doneBytes += chunk.length;
        this.#change(id, { doneBytes, totalBytes });
      }
      if (totalBytes !== null && doneBytes !== totalBytes) throw new Incomplete();
      await file.sync();
    } finally {
      await file.close();
    }
  }

  /** Resolves with the list as soon as it differs from the version that the page has seen. */
  async next(seenVersion: unknown): Promise<{ version: number; savings: Saving[] }> {
    return { version: await this.#news.next(seenVersion), savings: this.#savings };
  }

  /** Stops a file that is being saved, and takes a finished one from the list. */
  end(id: unknown): void {
    if (typeof id !== 'string') return;
    const running = this.#running.get(id);
    if (running) running.stop.abort();
    else this.#savings = this.#savings.filter((one) => one.id !== id);
    this.#tell(true);
  }

  /** Path of a file that was saved. */
  pathOf(id: unknown): string | null {
    return (typeof id === 'string' && this.#paths.get(id)) || null;
  }

  /** Stops everything and leaves no half files. */
  async close(): Promise<void> {
    for (const { stop } of this.#running.values()) stop.abort();
    await Promise.allSettled([...this.#running.values()].map(({ done }) => done));
  }

  #change(id: string, members: Partial<Saving>): void {
    this.#savings = this.#savings.map((one) => (one.id === id ? { ...one, ...members } : one));
    this.#tell(members.state !== undefined);
  }

  #tell(isNow: boolean): void {
    const nowMs = performance.now();
    if (!isNow && nowMs - this.#toldMs < TELL_EVERY_MS) return;
    this.#toldMs = nowMs;
    this.#news.tell();
    const active = this.#savings.filter(({ state }) => state === 'saving');
    const sum = (of: (saving: Saving) => number) => active.reduce((total, saving) => total + of(saving), 0);
    if (active.length === 0) this.#showProgress(null);
    else if (active.some(({ totalBytes }) => totalBytes === null)) this.#showProgress('unknown');
    else
      this.#showProgress(
        sum(({ doneBytes }) => doneBytes) /
          Math.max(
            1,
            sum(({ totalBytes }) => totalBytes ?? 0),
          ),
      );
  }
}
