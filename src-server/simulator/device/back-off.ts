/** Waiting times between tries: doubled from 1 s to 10 min, with jitter, so that a ward of devices does not come back at once. */

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

  /** It worked: the next failure begins anew. */
  reset(): void {
    this.#failures = 0;
  }

  get failures(): number {
    return this.#failures;
  }

  /**
   * How long to wait after one more failure, ms: between half of the step and all of it.
   * @param atLeastSeconds what the site asked for (Retry-After)
   */
  next(atLeastSeconds = 0): number {
    const { firstMs, longestMs } = this.#limits;
    const step = Math.min(longestMs, firstMs * 2 ** Math.min(this.#failures, 30));
    this.#failures += 1;
    return Math.max(atLeastSeconds * 1000, step * (0.5 + this.#random() / 2));
  }
}
