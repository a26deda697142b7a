/**
 * Fair scheduling of requests. Requests that arrive together would otherwise all run in one turn of the event loop, while
 * timers, devices and other sockets wait. After a few milliseconds the remaining requests are deferred to later turns.
 */
const TURN_MS = 4;
const MOST_PER_TURN = 32;

export class FairTurns {
  /** When the first request of the current turn started. */
  #turnBegan: number | undefined;
  #isScheduled = false;
  readonly #waiting: (() => void)[] = [];

  /** Returns undefined when the request may continue at once; otherwise a promise of its turn. */
  wait(): Promise<void> | undefined {
    if (!this.#isScheduled) {
      this.#isScheduled = true;
      setImmediate(this.#beginTurn);
    }
    if (this.#waiting.length === 0 && this.#hasTime()) return undefined;
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  #hasTime(): boolean {
    const now = performance.now();
    this.#turnBegan ??= now;
    return now - this.#turnBegan < TURN_MS;
  }

  readonly #beginTurn = (): void => {
    this.#turnBegan = undefined;
    this.#isScheduled = this.#waiting.length > 0;
    if (!this.#isScheduled) return;
    // Each request continues in its own callback, so its synchronous work has finished before the next one checks the time.
    for (let i = Math.min(this.#waiting.length, MOST_PER_TURN); i > 0; i--) setImmediate(this.#letOneGo);
    setImmediate(this.#beginTurn);
  };

  readonly #letOneGo = (): void => {
    if (this.#hasTime()) this.#waiting.shift()?.();
  };
}
