/**
 * Rate-limits guesses of pairing and sign-in codes by the network that guesses. An IPv6 network counts as one address, because a
 * single computer can use any number of addresses in it. There is no limit in total: guesses by some must not stop others.
 */

import { networkOf } from '../../addresses.ts';
import { FailureCounts, throttled } from '../../failure-counts.ts';

export const PER_ADDRESS = 5;
/** This many wrong typed codes close the typed codes of all open pairings. */
export const TRIES_PER_PAIRING = 60;

export class TryLimits {
  readonly #wrong: FailureCounts;
  readonly #what: string;

  /**
   * @param elapsed monotonic milliseconds
   * @param what the noun in the error message: `pairing codes`
   */
  constructor(elapsed: () => number, what = 'pairing codes') {
    this.#wrong = new FailureCounts(elapsed);
    this.#what = what;
  }

  /**
   * Counts an attempt as wrong until the returned function is called. A code short enough to guess begins before it is checked, so
   * that concurrent guesses gain nothing. A secret that cannot be guessed begins once it was found wrong: then the failures of
   * others in the network stop nobody who knows it.
   * @throws THROTTLED with `retryAfterSeconds` after too many wrong codes from the network
   */
  begin(address: string): () => void {
    const network = networkOf(address);
    const waitMs = this.#wrong.waitMs(network, PER_ADDRESS);
    if (waitMs > 0) throw throttled(`There were too many wrong ${this.#what}.`, waitMs);
    return this.#wrong.add(network);
  }
}
