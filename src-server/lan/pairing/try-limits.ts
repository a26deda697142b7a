/**
 * Rate-limits guesses of pairing and sign-in codes, per address and in total. An IPv6 network counts as one address, because a
 * single computer can use any number of addresses in it.
 */

import { networkOf } from '../../addresses.ts';
import { isRecent } from '../../clock-rules.ts';
import { MINUTE_MS } from '../../durations.ts';
import { OutpostError } from '../../errors.ts';

const WINDOW_MS = MINUTE_MS;
export const PER_ADDRESS = 5;
export const ALTOGETHER = 30;
/** This many wrong typed codes close every open pairing. */
export const TRIES_PER_PAIRING = 60;

export class TryLimits {
  readonly #clock: () => number;
  readonly #what: string;
  #wrong: { source: string; time: number }[] = [];

  /** @param what the noun in the error message: `pairing codes` */
  constructor(clock: () => number, what = 'pairing codes') {
    this.#clock = clock;
    this.#what = what;
  }

  /**
   * Counts an attempt as wrong until the returned function is called, so that concurrent guesses gain nothing.
   * @throws THROTTLED with `retryAfterSeconds` after too many wrong codes from the address or in total
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
