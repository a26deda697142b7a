/**
 * One budget for everything that writes bulk data on the disk of the site: uploads under way, imports, exports, backups,
 * pictures. What is promised is summed, so that many announcements cannot take the same room, and a reserve stays for the
 * database: while it is there, people can sign in, work and free some space.
 */
import { statfs } from 'node:fs/promises';
import { OutpostError, toOutpostError } from '../errors.ts';

/** Left to the database, or a twentieth of a small disk. */
const RESERVE_BYTES = 64 << 20;
/** How often the disk is looked at while a writer whose size is not known works. */
const WATCH_EVERY_MS = 250;

/** What every refusal for want of room says. */
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

  /** Counts bytes that are promised and not yet written, as `outstanding` answers them; the function returned ends that. */
  addPromises(outstanding: () => Promise<number>): () => void {
    this.#promises.add(outstanding);
    return () => this.#promises.delete(outstanding);
  }

  async #aboveReserve(): Promise<number> {
    const { bavail, bsize, blocks } = await statfs(this.#folder);
    return bavail * bsize - Math.min(RESERVE_BYTES, (blocks * bsize) / 20);
  }

  /** Bytes that may still be promised. */
  async #room(): Promise<number> {
    let room = (await this.#aboveReserve()) - this.#claimedBytes;
    for (const outstanding of this.#promises) room -= await outstanding();
    return room;
  }

  /**
   * Runs `decide` with the room there is, alone: a promise that it makes is counted before the next one is weighed. What it
   * promises must be known to a function of {@link addPromises} when it resolves.
   */
  async decide<T>(decide: (roomBytes: number) => Promise<T>): Promise<T> {
    const turn = this.#deciding.then(async () => await decide(await this.#room()));
    this.#deciding = turn.catch(() => undefined);
    return await turn;
  }

  /** Runs work that writes at most so many bytes. @throws DISK_FULL when they do not fit */
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

  /** @throws DISK_FULL when only the reserve is left, even if room was promised */
  async requireReserve(): Promise<void> {
    if ((await this.#aboveReserve()) <= 0) throw diskFull(RESERVE_REACHED);
  }

  /**
   * Runs work whose size nobody knows before, such as an export. It is not begun without room, and its signal fires when
   * it reaches the reserve.
   * @throws DISK_FULL then, whatever the aborted work threw
   */
  async watch<T>(signal: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    if ((await this.#room()) <= 0) throw diskFull(RESERVE_REACHED);
    const reached = new AbortController();
    const timer = setInterval(() => {
      this.requireReserve().catch((thrown: unknown) => {
        // A disk that cannot be asked is no reason to stop; the write itself will tell.
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
