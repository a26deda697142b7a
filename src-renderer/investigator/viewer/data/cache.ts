/**
 * Pieces of a recording by number, each fetched once: what is there is given at once, what is not arrives later and is told
 * by `onChange`. The least recently used pieces are dropped.
 */
export class Cache<T> {
  readonly #fetch: (index: number) => Promise<T>;
  readonly #most: number;
  readonly #onChange: () => void;
  readonly #pieces = new Map<number, T>();
  readonly #pending = new Set<number>();
  #error: Error | null = null;

  constructor(fetch: (index: number) => Promise<T>, most: number, onChange: () => void) {
    this.#fetch = fetch;
    this.#most = most;
    this.#onChange = onChange;
  }

  /** Why the last fetch failed; null once one has worked, or after {@link retry}. */
  get error(): Error | null {
    return this.#error;
  }

  retry(): void {
    this.#error = null;
    this.#onChange();
  }

  /** Whether a piece is there; asks for nothing. */
  has(index: number): boolean {
    return this.#pieces.has(index);
  }

  get(index: number): T | undefined {
    const piece = this.#pieces.get(index);
    if (piece !== undefined) {
      this.#pieces.delete(index);
      this.#pieces.set(index, piece);
      return piece;
    }
    // After a failure nothing more is asked for until someone retries: a site that is gone is not hammered while panning.
    if (!this.#pending.has(index) && this.#error === null) void this.#load(index);
    return undefined;
  }

  async #load(index: number): Promise<void> {
    this.#pending.add(index);
    try {
      this.#pieces.set(index, await this.#fetch(index));
      this.#error = null;
      for (const oldest of this.#pieces.keys()) {
        if (this.#pieces.size <= this.#most) break;
        this.#pieces.delete(oldest);
      }
    } catch (error) {
      this.#error = error as Error;
    } finally {
      this.#pending.delete(index);
      this.#onChange();
    }
  }
}
