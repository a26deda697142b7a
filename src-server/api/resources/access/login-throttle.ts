/**
 * Rate limit of log-ins: at most 20 failed attempts per minute and address, and 5 in a row per e-mail. An attempt counts from
 * its start, so that concurrent attempts gain nothing; a correct password removes its own count.
 */
import { isRecent } from '../../../clock-rules.ts';
import { OutpostError } from '../../../errors.ts';

const WINDOW_MS = 60_000;
const PER_ADDRESS = 20;
const PER_EMAIL = 5;
/** Above this number of keys, expired ones are removed. */
const SWEEP_ABOVE = 10_000;

export class LoginThrottle {
  readonly #attempts = new Map<string, number[]>();
  readonly #clock: () => number;

  constructor(clock: () => number) {
    this.#clock = clock;
  }

  /** Counts an attempt as failed until {@link succeed} is called. @throws THROTTLED with `retryAfterSeconds` */
  begin(address: string, email: string): void {
    const now = this.#clock();
    const keys = keysOf(address, email);
    const waitMs = Math.max(this.#waitMs(keys[0], PER_ADDRESS, now), this.#waitMs(keys[1], PER_EMAIL, now));
    if (waitMs > 0) {
      const retryAfterSeconds = Math.ceil(waitMs / 1000);
      throw new OutpostError(
        'THROTTLED',
        `There were too many failed attempts. Try again in ${retryAfterSeconds} seconds.`,
        { details: { retryAfterSeconds } },
      );
    }
    for (const key of keys) this.#recent(key, now).push(now);
    if (this.#attempts.size > SWEEP_ABOVE) this.#sweep(now);
  }

  /** Records success: resets the count of the e-mail and removes this attempt from that of the address. */
  succeed(address: string, email: string): void {
    const [addressKey, emailKey] = keysOf(address, email);
    this.#attempts.delete(emailKey);
    this.#attempts.get(addressKey)?.pop();
  }

  #recent(key: string, now: number): number[] {
    const recent = (this.#attempts.get(key) ?? []).filter((time) => isRecent(time, WINDOW_MS, now));
    this.#attempts.set(key, recent);
    return recent;
  }

  #waitMs(key: string, limit: number, now: number): number {
    const recent = this.#recent(key, now);
    return recent.length < limit ? 0 : recent[recent.length - limit]! + WINDOW_MS - now;
  }

  #sweep(now: number): void {
    for (const [key, times] of this.#attempts) {
      if (!times.some((time) => isRecent(time, WINDOW_MS, now))) this.#attempts.delete(key);
    }
  }
}

function keysOf(address: string, email: string): [string, string] {
  return [`address ${address}`, `email ${email.trim().toLowerCase()}`];
}
