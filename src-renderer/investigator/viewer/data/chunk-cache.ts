/**
 * Chunks of a recording by number, each fetched once. `get` returns a chunk that is present and fetches one that is not;
 * `onChange` announces every arrival and failure. When the cache is full, it evicts the least recently used chunk.
 */
export class ChunkCache<T> {
  readonly #fetch: (index: number) => Promise<T>;
  readonly #capacity: number;
  readonly #onChange: () => void;
  /** In the order of last use: a Map iterates in the order of insertion. */
  readonly #chunks = new Map<number, T>();
  readonly #pending = new Set<number>();
  #error: Error | null = null;

  constructor(fetch: (index: number) => Promise<T>, capacity: number, onChange: () => void) {
    this.#fetch = fetch;
    this.#capacity = capacity;
    this.#onChange = onChange;
  }

  /** Why the last fetch failed; null once one has succeeded, or after {@link retry}. */
  get error(): Error | null {
    return this.#error;
  }

  retry(): void {
    this.#error = null;
    this.#onChange();
  }

  /** Returns whether a chunk is present; fetches nothing. */
  has(index: number): boolean {
    return this.#chunks.has(index);
  }

  get(index: number): T | undefined {
    const chunk = this.#chunks.get(index);
    if (chunk !== undefined) {
      this.#chunks.delete(index);
      this.#chunks.set(index, chunk);
      return chunk;
    }
    // After a failure nothing is fetched until `retry`, so that panning does not hammer an unreachable site.
    if (!this.#pending.has(index) && this.#error === null) void this.#load(index);
    return undefined;
  }

  async #load(index: number): Promise<void> {
    this.#pending.add(index);
    try {
      this.#chunks.set(index, await this.#fetch(index));
      this.#error = null;
      for (const oldest of this.#chunks.keys()) {
        if (this.#chunks.size <= this.#capacity) break;
        this.#chunks.delete(oldest);
      }
    } catch (error) {
      this.#error = error as Error;
    } finally {
      this.#pending.delete(index);
      this.#onChange();
    }
  }
}
