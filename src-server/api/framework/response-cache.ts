/** What was read from the store, kept until the next write to it: whatever was written, nothing old is ever answered. */

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

  /** `limit` bounds the sum of the sizes given to {@link keep}. */
  constructor(store: WriteCounter, limit: number) {
    this.#store = store;
    this.#limit = limit;
  }

  get(key: string): T | undefined {
    if (this.#store.writeCount() !== this.#writes) return undefined;
    return this.#values.get(key)?.value;
  }

  /** Keeps a value whose reads began when the count of writes was `begun`; not if there was a write meanwhile. */
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

  /** The kept value, or the one that `make` reads. Failures are not kept, nor is what is not there. */
  async getOrMake<U extends T | undefined>(key: string, make: () => Promise<U>): Promise<U | T> {
    const kept = this.get(key);
    if (kept !== undefined) return kept;
    const begun = this.#store.writeCount();
    const value = await make();
    if (value !== undefined) this.keep(key, value, begun);
    return value;
  }
}
