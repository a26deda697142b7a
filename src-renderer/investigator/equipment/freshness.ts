/** How old a contact may be: judged against what is expected of the device, never against a fixed number. */
import type { Now } from '../../shared/time/now.ts';

/** `unjudged`: nobody waits for it, or this computer has only just woken up. */
export type Freshness = 'unjudged' | 'fresh' | 'due' | 'late';

/** Late is more than twice the expected time; never heard of counts from `sinceTs`, when waiting began. */
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
