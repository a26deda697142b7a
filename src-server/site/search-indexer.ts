/**
 * Adds what is older than the index of the search to it, while the site runs: after an update from a version without one, after a
 * restore, and when the words of a later version differ. What is written meanwhile is in the index at once. It may end at any point and
 * continues at the next start.
 */
import { HOUR_MS } from '../durations.ts';
import { pause } from '../jobs/pause.ts';
import type { Store } from '../services/index.ts';

/** Some 10 ms of work. */
const ROWS_AT_ONCE = 100;

/** What keeps an index from being built, such as a full disk, is tried again. */
const AGAIN_MS = HOUR_MS;

export class SearchIndexer {
  readonly #store: Store;
  readonly #onProblem: (problem: unknown) => void;
  readonly #closing = new AbortController();
  #running: Promise<void> = Promise.resolve();
  #timer: NodeJS.Timeout | undefined;

  constructor(store: Store, onProblem: (problem: unknown) => void) {
    this.#store = store;
    this.#onProblem = onProblem;
  }

  start(): void {
    this.#running = this.#build();
  }

  /** Ends after the step that runs. */
  async close(): Promise<void> {
    this.#closing.abort();
    clearTimeout(this.#timer);
    await this.#running;
  }

  async #build(): Promise<void> {
    const { signal } = this.#closing;
    try {
      while (!signal.aborted) {
        const started = performance.now();
        if (!(await this.#store.search.buildSome(ROWS_AT_ONCE))) return;
        // Half of one core at most: requests and devices continue.
        await pause(performance.now() - started, signal);
      }
    } catch (thrown) {
      if (signal.aborted) return;
      this.#onProblem(thrown);
      this.#timer = setTimeout(() => this.start(), AGAIN_MS).unref();
    }
  }
}
