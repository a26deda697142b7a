/**
 * A cache of reads. An entry is valid until something that it was read from is written to, so it never serves stale data, and
 * writes elsewhere (another study or subject, a part of an upload, the progress of a job) leave it. What "elsewhere" is, the
 * database decides (`db/read-tracking.ts`).
 */
import type { ReadPlace } from '../../db/index.ts';

/** What the store knows of reads and writes; see `SiteDatabase`. */
export interface ReadTracker {
  writeCount(): number;
  tracked<T>(place: ReadPlace, keys: Set<string>, work: () => Promise<T>): Promise<T>;
  noteRead(keys: Iterable<string>): void;
  isUnchanged(keys: Iterable<string>, sinceCount: number): boolean;
}

/** What a value was read from, and the write count before. */
export interface ReadFrom {
  keys: ReadonlySet<string>;
  begun: number;
}

interface Entry<T> extends ReadFrom {
  value: T;
  size: number;
}

export class ResponseCache<T> {
  readonly #store: ReadTracker;
  readonly #limit: number;
  /** Least recently used first. */
  readonly #entries = new Map<string, Entry<T>>();
  #size = 0;

  /** `limit` bounds the sum of the sizes passed to {@link keep}. */
  constructor(store: ReadTracker, limit: number) {
    this.#store = store;
    this.#limit = limit;
  }

  get(key: string): T | undefined {
    const entry = this.#entries.get(key);
    if (!entry) return undefined;
    this.#drop(key, entry);
    if (!this.#store.isUnchanged(entry.keys, entry.begun)) return undefined;
    this.#add(key, entry);
    // What is made from a cached value depends on the same.
    this.#store.noteRead(entry.keys);
    return entry.value;
  }

  /** Caches a value, unless something that it was read from was written to since. */
  keep(key: string, value: T, { keys, begun }: ReadFrom, size = 1): void {
    if (size > this.#limit || !this.#store.isUnchanged(keys, begun)) return;
    const former = this.#entries.get(key);
    if (former) this.#drop(key, former);
    for (const [oldest, entry] of this.#entries) {
      if (this.#size + size <= this.#limit) break;
      this.#drop(oldest, entry);
    }
    this.#add(key, { value, size, keys, begun });
  }

  /** Returns the cached value, or the one that `make` reads for the place. Errors and undefined are not cached. */
  async getOrMake<U extends T | undefined>(key: string, place: ReadPlace, make: () => Promise<U>): Promise<U | T> {
    const cached = this.get(key);
    if (cached !== undefined) return cached;
    const begun = this.#store.writeCount();
    const keys = new Set<string>();
    const value = await this.#store.tracked(place, keys, make);
    if (value !== undefined) this.keep(key, value, { keys, begun });
    return value;
  }

  #add(key: string, entry: Entry<T>): void {
    this.#entries.set(key, entry);
    this.#size += entry.size;
  }

  #drop(key: string, entry: Entry<T>): void {
    this.#entries.delete(key);
    this.#size -= entry.size;
  }
}
