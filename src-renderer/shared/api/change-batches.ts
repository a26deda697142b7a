/**
 * Collects the keys that changes make stale and releases each at most once per interval. The first change shows at once; a
 * burst, such as an import of a thousand recordings, refreshes what is on the screen every few seconds, not a thousand times.
 */

/** Changes within this time are one: a transaction announces each of its rows. */
const BATCH_MS = 400;

/** Least time to the next refresh of a key, by the number of changes in the last one: a reply in a conversation shows soon. */
const gapMs = (changes: number): number => (changes <= 3 ? 1_500 : changes <= 30 ? 5_000 : 10_000);
const LONGEST_GAP_MS = gapMs(Number.POSITIVE_INFINITY);

interface Pending {
  key: readonly string[];
  /** On the monotonic clock: after the computer's clock was set back, a refresh would be hours away. */
  dueMs: number;
  changes: number;
}

export class ChangeBatches {
  readonly #pending = new Map<string, Pending>();
  readonly #released = new Map<string, { atMs: number; changes: number }>();
  readonly #release: (key: readonly string[]) => void;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(release: (key: readonly string[]) => void) {
    this.#release = release;
  }

  add(keys: readonly (readonly string[])[]): void {
    const nowMs = performance.now();
    for (const key of keys) {
      const id = key.join(' ');
      const waiting = this.#pending.get(id);
      if (waiting) {
        waiting.changes++;
        continue;
      }
      const before = this.#released.get(id);
      const dueMs = Math.max(nowMs + BATCH_MS, before ? before.atMs + gapMs(before.changes) : 0);
      this.#pending.set(id, { key, dueMs, changes: 1 });
    }
    this.#schedule();
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#pending.clear();
  }

  #schedule(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#pending.size === 0) return;
    const dueMs = Math.min(...[...this.#pending.values()].map((entry) => entry.dueMs));
    this.#timer = setTimeout(() => this.#flush(), Math.max(0, dueMs - performance.now()));
  }

  #flush(): void {
    const nowMs = performance.now();
    for (const [id, { key, dueMs, changes }] of this.#pending) {
      if (dueMs > nowMs) continue;
      this.#pending.delete(id);
      this.#released.set(id, { atMs: nowMs, changes });
      this.#release(key);
    }
    for (const [id, { atMs }] of this.#released) if (nowMs - atMs > LONGEST_GAP_MS) this.#released.delete(id);
    this.#schedule();
  }
}
