/**
 * Notices when the folder of the running site is no longer there: a disk that was pulled, a network drive that was disconnected, a
 * folder that became read-only. Writes are refused from then on, because open files may still accept them although they reach no
 * disk, or one that nobody will connect again. Once the folder is back, the site continues; if only its open files are dead, it must
 * be opened again.
 */
import { accessSync, closeSync, constants, fstatSync, fsyncSync, openSync, statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { OutpostError } from '../errors.ts';

export interface FolderWatchOptions {
  dir: string;
  /** The database file, and one open file of it. */
  databasePath: string;
  databaseDescriptor: number;
  refuseWrites(error: OutpostError): void;
  acceptWrites(): void;
  /** Called once: the folder is there, but not the one whose files are open. */
  onReplaced(): void;
  intervalMs?: number;
}

const INTERVAL_MS = 2000;
/** Of so many looks, one tries a write. */
const TRY_EVERY = 5;

type Presence = 'present' | 'away' | 'read-only' | 'replaced';

export class FolderWatch {
  readonly #options: FolderWatchOptions;
  readonly #timer: NodeJS.Timeout;
  #problem: OutpostError | undefined;
  #isReplaced = false;
  #nextTryMs = 0;

  constructor(options: FolderWatchOptions) {
    this.#options = options;
    this.#timer = setInterval(() => this.check(), options.intervalMs ?? INTERVAL_MS);
    this.#timer.unref();
  }

  /** What keeps the site from storing anything now. */
  get problem(): OutpostError | undefined {
    return this.#problem;
  }

  /** Looks now. Returns true while the folder can be used. */
  check(): boolean {
    if (this.#isReplaced) return false;
    const presence = this.#look();
    if (presence === 'present') {
      if (this.#problem) {
        this.#problem = undefined;
        this.#options.acceptWrites();
      }
      return true;
    }
    const problem = presence === 'read-only' ? readOnly() : disconnected();
    if (this.#problem?.code !== problem.code) {
      this.#problem = problem;
      this.#options.refuseWrites(problem);
    }
    if (presence === 'replaced') {
      this.#isReplaced = true;
      clearInterval(this.#timer);
      this.#options.onReplaced();
    }
    return false;
  }

  close(): void {
    clearInterval(this.#timer);
  }

  #look(): Presence {
    const { dir, databasePath, databaseDescriptor } = this.#options;
    try {
      // Not the database: closing it would drop the locks that SQLite has on it.
      closeSync(openSync(join(dir, 'site.json'), 'r'));
      const named = statSync(databasePath, { bigint: true });
      const open = fstatSync(databaseDescriptor, { bigint: true });
      if (named.ino !== open.ino || named.dev !== open.dev) return 'replaced';
    } catch (thrown) {
      // Out of file descriptors: nothing is known of the folder.
      const { code } = thrown as NodeJS.ErrnoException;
      return code === 'EMFILE' || code === 'ENFILE' ? 'present' : 'away';
    }
    if (this.#problem?.code === 'SITE_DISCONNECTED' && !this.#isAlive()) return 'replaced';
    try {
      accessSync(dir, constants.W_OK);
    } catch {
      return 'read-only';
    }
    return this.#takesWrites() ? 'present' : 'read-only';
  }

  /**
   * Tries a write, now and then: after an error of its disk, Linux 6.15 and later refuse every write to a file system whose permissions and
   * flags still look writable.
   */
  #takesWrites(): boolean {
    const nowMs = performance.now();
    if (!this.#problem && nowMs < this.#nextTryMs) return true;
    this.#nextTryMs = nowMs + TRY_EVERY * (this.#options.intervalMs ?? INTERVAL_MS);
    const now = new Date();
    try {
      utimesSync(this.#options.dir, now, now);
      return true;
    } catch (thrown) {
      // Somebody else's folder that this user may write to has times that only its owner may set.
      return (thrown as NodeJS.ErrnoException).code !== 'EROFS';
    }
  }

  /** False when the open file reaches no disk. Windows flushes only files that are open for writing, and closes them with the disk. */
  #isAlive(): boolean {
    if (process.platform === 'win32') return true;
    try {
      fsyncSync(this.#options.databaseDescriptor);
      return true;
    } catch {
      return false;
    }
  }
}

const disconnected = () =>
  new OutpostError(
    'SITE_DISCONNECTED',
    'The folder of this site cannot be reached: its disk or network drive is disconnected. Connect it again, and Outpost continues automatically. Nothing that was saved is lost.',
    { details: { retryAfterSeconds: 30 } },
  );

const readOnly = () =>
  new OutpostError(
    'SITE_READ_ONLY',
    'The site folder cannot be written to. Check its permissions and the disk; Outpost continues automatically.',
    { details: { retryAfterSeconds: 30 } },
  );
