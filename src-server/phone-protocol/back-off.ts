/** Exponential back-off with jitter, from 1 s to 10 min, so that a ward of devices does not reconnect at the same moment. */

export interface BackOffLimits {
  firstMs: number;
  longestMs: number;
}

export class BackOff {
  readonly #limits: BackOffLimits;
  readonly #random: () => number;
  #failures = 0;

  constructor(limits: BackOffLimits = { firstMs: 1000, longestMs: 600_000 }, random: () => number = Math.random) {
    this.#limits = limits;
    this.#random = random;
  }

  /** Resets after a success: the next failure starts from the first step. */
  reset(): void {
    this.#failures = 0;
  }

  get failures(): number {
    return this.#failures;
  }

  /**
   * Returns the delay after another failure, ms: between half of the step and all of it.
   * @param atLeastSeconds Retry-After of the site
   */
  next(atLeastSeconds = 0): number {
    const { firstMs, longestMs } = this.#limits;
    const step = Math.min(longestMs, firstMs * 2 ** Math.min(this.#failures, 30));
    this.#failures += 1;
    return Math.max(atLeastSeconds * 1000, step * (0.5 + this.#random() / 2));
  }
}
