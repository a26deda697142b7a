/**
 * Rate limit of wrong codes of second factors. It binds to who fails: one address has 5 wrong codes in a minute and 20 in an hour for a user.
 * All addresses from which the user never signed in have 20 in an hour together, so that an attacker who has the password and many
 * addresses gets 480 guesses a day, of which one in 700 days is right (three of a million codes are valid at a time); the user at a known
 * address is not concerned. Recovery codes have 80 random bits, and are not counted or refused here.
 */
import { networkOf } from '../../../addresses.ts';
import { isRecent } from '../../../clock-rules.ts';
import { HOUR_MS, MINUTE_MS } from '../../../durations.ts';
import { OutpostError } from '../../../errors.ts';

interface Limit {
  windowMs: number;
  attempts: number;
}

const OF_PLACE: readonly Limit[] = [
  { windowMs: MINUTE_MS, attempts: 5 },
  { windowMs: HOUR_MS, attempts: 20 },
];
const OF_STRANGERS: readonly Limit[] = [{ windowMs: HOUR_MS, attempts: 20 }];
const SWEEP_ABOVE = 5000;

export class CodeThrottle {
  readonly #clock: () => number;
  readonly #attempts = new Map<string, number[]>();

  constructor(clock: () => number) {
    this.#clock = clock;
  }

  /**
   * Counts an attempt as wrong until the returned function is called.
   * @param place an address or a session
   * @throws THROTTLED with `retryAfterSeconds`
   */
  begin(userId: string, place: string, isKnownPlace: boolean): () => void {
    const nowTs = this.#clock();
    const counted: [string, readonly Limit[]][] = [[`${userId}\n${networkOf(place)}`, OF_PLACE]];
    if (!isKnownPlace) counted.push([userId, OF_STRANGERS]);
    const waitMs = Math.max(
      0,
      ...counted.flatMap(([key, limits]) => limits.map((limit) => this.#waitMs(key, limit, nowTs))),
    );
    if (waitMs > 0) {
      const retryAfterSeconds = Math.ceil(waitMs / 1000);
      throw new OutpostError(
        'THROTTLED',
        `There were too many wrong codes. Try again in ${retryAfterSeconds} seconds.`,
        {
          details: { retryAfterSeconds },
        },
      );
    }
    for (const [key] of counted) this.#attempts.set(key, [...(this.#attempts.get(key) ?? []), nowTs]);
    if (this.#attempts.size > SWEEP_ABOVE) this.#sweep(nowTs);
    return () => {
      this.#attempts.delete(counted[0]![0]);
      if (!isKnownPlace) this.#attempts.get(userId)?.pop();
    };
  }

  #waitMs(key: string, { windowMs, attempts }: Limit, nowTs: number): number {
    const recent = (this.#attempts.get(key) ?? []).filter((time) => isRecent(time, windowMs, nowTs));
    return recent.length < attempts ? 0 : recent[recent.length - attempts]! + windowMs - nowTs;
  }

  #sweep(nowTs: number): void {
    for (const [key, times] of this.#attempts)
      if (!times.some((time) => isRecent(time, HOUR_MS, nowTs))) this.#attempts.delete(key);
  }
}
