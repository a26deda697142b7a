/** Judges the age of a contact against the interval at which the device should report. */
import type { Now } from '../../shared/time/now.ts';

/** `unjudged`: no report is expected, or this computer woke from sleep a moment ago. */
export type Freshness = 'unjudged' | 'fresh' | 'due' | 'late';

/** Late is more than twice the expected interval. Without a contact the age counts from `sinceTs`, the hand-out. */
export function freshnessOf(
  contact: { lastContactTs?: number; expectedEveryMs?: number; sinceTs?: number },
  { nowMs, isJustAwake }: Now,
): Freshness {
  const { expectedEveryMs, lastContactTs, sinceTs } = contact;
  const fromTs = Math.max(lastContactTs ?? 0, sinceTs ?? 0);
  if (expectedEveryMs === undefined || fromTs === 0 || isJustAwake) return 'unjudged';
  const ageMs = nowMs - fromTs;
  if (ageMs <= expectedEveryMs) return 'fresh';
  return ageMs <= 2 * expectedEveryMs ? 'due' : 'late';
}
