/**
 * Files that the user opened with Outpost, for the desk to offer for import. The desk reads these files and no others, by an id that
 * it cannot guess, until it has taken or refused them.
 */
import { randomUUID } from 'node:crypto';
import { open, stat } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { OutpostError } from '../src-server/errors.ts';
import type { OpenedFile } from './desktop-api.ts';

/** The program's own file is an argument too while it is developed. */
const PROGRAM_DIR = fileURLToPath(new URL('.', import.meta.url));

/** Size of the pieces in which the desk reads. */
const PIECE_BYTES = 8 * 2 ** 20;
/** A waiting page is answered at the latest after this time, so that a page that is gone is not remembered. */
const WAIT_MS = 25_000;
/** More than anybody selects in a file manager; a mistake there must not fill the desk. */
const MAX_FILES = 500;

export class OpenedFiles {
  readonly #files = new Map<string, { path: string; file: OpenedFile }>();
  readonly #waiting = new Set<() => void>();
  readonly #waitMs: number;

  constructor(waitMs = WAIT_MS) {
    this.#waitMs = waitMs;
  }

  /**
   * Adds the regular files among these arguments and returns how many there are. An argument that names none, such as a switch of
   * Chromium, is not a file that somebody opened.
   */
  async add(paths: readonly string[], workingDir: string): Promise<number> {
    let added = 0;
    for (const argument of paths) {
      const path = resolve(workingDir, argument);
      const about = await stat(path).catch(() => null);
      if (!about?.isFile() || path.startsWith(PROGRAM_DIR) || this.#files.size >= MAX_FILES) continue;
      added++;
      if ([...this.#files.values()].some((known) => known.path === path)) continue;
      const id = randomUUID();
      this.#files.set(id, { path, file: { id, name: basename(path), sizeBytes: about.size } });
    }
    if (added > 0) for (const wake of [...this.#waiting]) wake();
    return added;
  }

  /** Returns the files as soon as there are any; none if nothing was opened for a while. */
  async next(): Promise<OpenedFile[]> {
    if (this.#files.size === 0) {
      await new Promise<void>((done) => {
        const wake = () => {
          clearTimeout(timer);
          this.#waiting.delete(wake);
          done();
        };
        const timer = setTimeout(wake, this.#waitMs);
        timer.unref();
        this.#waiting.add(wake);
      });
    }
    return [...this.#files.values()].map(({ file }) => file);
  }

  /**
   * Returns the bytes from an offset on; none at the end of the file.
   * @throws NOT_FOUND when the file was not opened by the user, or can no longer be read
   */
  async read(id: unknown, offset: unknown): Promise<Uint8Array<ArrayBuffer>> {
    const path = typeof id === 'string' ? this.#files.get(id)?.path : undefined;
    if (path === undefined || !Number.isSafeInteger(offset) || (offset as number) < 0) throw gone('');
    const handle = await open(path, 'r').catch((thrown: unknown) => {
      throw gone(path, thrown);
    });
    try {
      const piece = new Uint8Array(PIECE_BYTES);
      const { bytesRead } = await handle.read(piece, 0, piece.length, offset as number);
      return piece.subarray(0, bytesRead).slice();
    } catch (thrown) {
      throw gone(path, thrown);
    } finally {
      await handle.close();
    }
  }

  forget(ids: unknown): void {
    if (Array.isArray(ids)) for (const id of ids) this.#files.delete(String(id));
  }
}

const gone = (path: string, cause?: unknown) =>
  new OutpostError('NOT_FOUND', `The file ${basename(path)} can no longer be read. Open it again.`, { cause });
