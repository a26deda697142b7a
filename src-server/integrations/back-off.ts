/** When something that failed is tried again, and when it is given up. */

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** Nobody hears of it any more after this. */
export const GIVE_UP_AFTER_MS = 72 * HOUR;

/** Nothing waits longer for its next attempt. */
export const LONGEST_WAIT_MS = 8 * HOUR;

/** A restart of the receiver costs seconds, an outage hours; the days after that are for people to notice. */
const WAITS_MS = [
  5 * SECOND,
  30 * SECOND,
  2 * MINUTE,
  10 * MINUTE,
  30 * MINUTE,
  HOUR,
  2 * HOUR,
  4 * HOUR,
  LONGEST_WAIT_MS,
];

/**
 * Time of the next attempt after `attempts` failed ones, the last of them ended at `nowTs`; the very last attempt is at
 * `giveUpTs`. Undefined once that has passed.
 */
export function nextAttemptTs(attempts: number, nowTs: number, giveUpTs: number): number | undefined {
  if (nowTs >= giveUpTs) return undefined;
  const waitMs = WAITS_MS[Math.min(attempts, WAITS_MS.length) - 1]!;
  return Math.min(nowTs + waitMs, giveUpTs);
}
