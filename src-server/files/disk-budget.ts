/**
 * One disk budget for everything that writes bulk data: uploads in progress, imports, exports, backups, images. Promised bytes
 * are summed, so that several writers cannot be promised the same space. A reserve stays free for the database, so that people
 * can still sign in, work and free some space.
 */
import { statfs } from 'node:fs/promises';
import { OutpostError, toOutpostError } from '../errors.ts';

/** Reserve for the database; a twentieth of a small disk. */
const RESERVE_BYTES = 64 << 20;

/** How much of a disk stays free for the database. */
export function reserveOf(diskBytes: number): number {
  return Math.min(RESERVE_BYTES, diskBytes / 20);
}
/** How often free space is checked while a writer of unknown size works. */
const WATCH_EVERY_MS = 250;

/** Returns the error of every refusal for lack of space. */
export function diskFull(message: string, cause?: unknown): OutpostError {
  return new OutpostError('DISK_FULL', message, { details: { retryAfterSeconds: 300 }, cause });
}

const RESERVE_REACHED =
  "The disk of the site's computer is full but for the reserve of the database. Free some space, then try again.";

export class DiskBudget {
  readonly #folder: string;
  readonly #promises = new Set<() => Promise<number>>();
  #claimedBytes = 0;
  #deciding: Promise<unknown> = Promise.resolve();

  /** @param folder any folder on the disk of the site */
  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Counts bytes promised but not yet written, as `outstanding` returns them, until the returned function is called. */
  addPromises(outstanding: () => Promise<number>): () => void {
    this.#promises.add(outstanding);
    return () => this.#promises.delete(outstanding);
  }

  async #aboveReserve(): Promise<number> {
    const { bavail, bsize, blocks } = await statfs(this.#folder);
    return bavail * bsize - reserveOf(blocks * bsize);
  }

  /** Bytes that may still be promised. */
  async #room(): Promise<number> {
    let room = (await this.#aboveReserve()) - this.#claimedBytes;
    for (const outstanding of this.#promises) room -= await outstanding();
    return room;
  }

  /**
   * Runs `decide` with the free space, one call at a time: a promise that it makes counts before the next decision. When it
   * resolves, a function of {@link addPromises} must include the new promise.
   */
  async decide<T>(decide: (roomBytes: number) => Promise<T>): Promise<T> {
    const turn = this.#deciding.then(async () => await decide(await this.#room()));
    this.#deciding = turn.catch(() => undefined);
    return await turn;
  }

  /** Runs work that writes at most `sizeBytes`. @throws DISK_FULL when they do not fit */
  async with<T>(sizeBytes: number, work: () => Promise<T>): Promise<T> {
    await this.decide(async (room) => {
      if (room < sizeBytes) throw diskFull(RESERVE_REACHED);
      this.#claimedBytes += sizeBytes;
    });
    try {
      return await work();
    } finally {
      this.#claimedBytes -= sizeBytes;
    }
  }

  /** @throws DISK_FULL when only the reserve is left, even if space was promised */
  async requireReserve(): Promise<void> {
    if ((await this.#aboveReserve()) <= 0) throw diskFull(RESERVE_REACHED);
  }

  /**
   * Runs work of unknown size, such as an export. The work does not start without free space, and its signal fires when it
   * reaches the reserve.
   * @throws DISK_FULL in both cases, regardless of what the aborted work threw
   */
  async watch<T>(signal: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    if ((await this.#room()) <= 0) throw diskFull(RESERVE_REACHED);
    const reached = new AbortController();
    const timer = setInterval(() => {
      this.requireReserve().catch((thrown: unknown) => {
        // Keep working when the free space cannot be read: a full disk fails the write itself.
        if (toOutpostError(thrown).code === 'DISK_FULL') reached.abort(thrown);
      });
    }, WATCH_EVERY_MS);
    timer.unref();
    try {
      return await work(AbortSignal.any([signal, reached.signal]));
    } catch (thrown) {
      if (reached.signal.aborted && !signal.aborted) throw reached.signal.reason;
      throw thrown;
    } finally {
      clearInterval(timer);
    }
  }
}
