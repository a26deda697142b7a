/** The back-off of deliveries: when a failed one is retried, and when it is given up. */

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** A delivery is given up this long after its event. */
export const GIVE_UP_AFTER_MS = 72 * HOUR;

/** The longest pause between two attempts. */
export const LONGEST_WAIT_MS = 8 * HOUR;

/** A receiver restarts within seconds and recovers from an outage within hours; the days after that let people notice. */
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
 * Returns the time of the next attempt after `attempts` failures, the last of which ended at `nowTs`. The final attempt is at
 * `giveUpTs`; undefined once that has passed.
 */
export function nextAttemptTs(attempts: number, nowTs: number, giveUpTs: number): number | undefined {
  if (nowTs >= giveUpTs) return undefined;
  const waitMs = WAITS_MS[Math.min(attempts, WAITS_MS.length) - 1]!;
  return Math.min(nowTs + waitMs, giveUpTs);
}
