/**
 * Slows down guessing of pairing codes: wrong ones count per address and altogether. The addresses of one IPv6 network
 * count as one, as a single computer has as many of them as it likes.
 */

import { networkOf } from '../../addresses.ts';
import { isRecent } from '../../clock-rules.ts';
import { OutpostError } from '../../errors.ts';

const WINDOW_MS = 60_000;
export const PER_ADDRESS = 5;
export const ALTOGETHER = 30;
/** So many wrong codes close every pairing that could have been meant. */
export const TRIES_PER_PAIRING = 60;

export class TryLimits {
  readonly #clock: () => number;
  readonly #what: string;
  #wrong: { source: string; time: number }[] = [];

  /** @param what in words, of the refusal: `pairing codes` */
  constructor(clock: () => number, what = 'pairing codes') {
    this.#clock = clock;
    this.#what = what;
  }

  /**
   * Counts an attempt as wrong until the returned function says otherwise, so that many at once gain nothing.
   * @throws THROTTLED with `retryAfterSeconds` when the address, or all together, had too many wrong codes
   */
  begin(address: string): () => void {
    const now = this.#clock();
    this.#wrong = this.#wrong.filter(({ time }) => isRecent(time, WINDOW_MS, now));
    const own = this.#wrong.filter(({ source }) => source === networkOf(address));
    const waits = [
      own.length >= PER_ADDRESS ? own[own.length - PER_ADDRESS] : undefined,
      this.#wrong.length >= ALTOGETHER ? this.#wrong[this.#wrong.length - ALTOGETHER] : undefined,
    ].map((entry) => (entry ? entry.time + WINDOW_MS - now : 0));
    const waitMs = Math.max(...waits);
    if (waitMs <= 0) {
      const entry = { source: networkOf(address), time: now };
      this.#wrong.push(entry);
      return () => {
        this.#wrong = this.#wrong.filter((other) => other !== entry);
      };
    }
    const retryAfterSeconds = Math.ceil(waitMs / 1000);
    throw new OutpostError(
      'THROTTLED',
      `There were too many wrong ${this.#what}. Try again in ${retryAfterSeconds} seconds.`,
      { details: { retryAfterSeconds } },
    );
  }
}
