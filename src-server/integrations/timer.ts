/** Wakes something up at a time of the site's clock, or at once; calls that come together become one. */

const LONGEST_TIMER_MS = 60_000;

export class Timer {
  readonly #wake: () => void;
  readonly #clock: () => number;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(wake: () => void, clock: () => number) {
    this.#wake = wake;
    this.#clock = clock;
  }

  /** Replaces what was set before. A clock may be moved, so after a minute it wakes anyhow. */
  at(ts: number): void {
    clearTimeout(this.#timer);
    if (this.#isClosed) return;
    this.#timer = setTimeout(this.#wake, Math.min(Math.max(ts - this.#clock(), 0), LONGEST_TIMER_MS));
    this.#timer.unref();
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
  }
}
