/**
 * Many requests that arrive at once would be handled in one turn of the event loop, one after another, and timers, devices
 * and other sockets would wait for all of them. After some milliseconds of a turn the rest is put off to the next ones.
 */
const TURN_MS = 4;
const MOST_PER_TURN = 32;

export class FairTurns {
  /** When the first request of the present turn began. */
  #turnBegan: number | undefined;
  #isScheduled = false;
  readonly #waiting: (() => void)[] = [];

  /** Undefined when the request may go on at once; else resolves when it is its turn. */
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
    // Each goes on in a callback of its own: what it does without waiting is over before the time of the next is taken.
    for (let i = Math.min(this.#waiting.length, MOST_PER_TURN); i > 0; i--) setImmediate(this.#letOneGo);
    setImmediate(this.#beginTurn);
  };

  readonly #letOneGo = (): void => {
    if (this.#hasTime()) this.#waiting.shift()?.();
  };
}
