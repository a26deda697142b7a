/** A cache of reads that any write to the store invalidates, so it never serves stale data. */

/** Counts the writes to the store; see `Store.writeCount`. */
export interface WriteCounter {
  writeCount(): number;
}

export class ResponseCache<T> {
  readonly #store: WriteCounter;
  readonly #limit: number;
  readonly #values = new Map<string, { value: T; size: number }>();
  #size = 0;
  #writes = -1;

  /** `limit` bounds the sum of the sizes passed to {@link keep}. */
  constructor(store: WriteCounter, limit: number) {
    this.#store = store;
    this.#limit = limit;
  }

  get(key: string): T | undefined {
    if (this.#store.writeCount() !== this.#writes) return undefined;
    return this.#values.get(key)?.value;
  }

  /** Caches a value that was read when the write count was `begun`, unless there was a write since. */
  keep(key: string, value: T, begun: number, size = 1): void {
    if (this.#store.writeCount() !== begun || size > this.#limit) return;
    if (begun !== this.#writes || this.#size + size > this.#limit) {
      this.#values.clear();
      this.#size = 0;
      this.#writes = begun;
    }
    this.#size += size - (this.#values.get(key)?.size ?? 0);
    this.#values.set(key, { value, size });
  }

  /** Returns the cached value, or the one that `make` reads. Errors and undefined are not cached. */
  async getOrMake<U extends T | undefined>(key: string, make: () => Promise<U>): Promise<U | T> {
    const cached = this.get(key);
    if (cached !== undefined) return cached;
    const begun = this.#store.writeCount();
    const value = await make();
    if (value !== undefined) this.keep(key, value, begun);
    return value;
  }
}
