/** A single timer by the site's clock. A new time replaces the previous one. */
import { MINUTE_MS } from '../durations.ts';

const LONGEST_TIMER_MS = MINUTE_MS;

export class Timer {
  readonly #wake: () => void;
  readonly #clock: () => number;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(wake: () => void, clock: () => number) {
    this.#wake = wake;
    this.#clock = clock;
  }

  /** Sets the time, replacing the previous one. Fires after a minute at the latest, because the clock may be moved. */
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
