/**
 * Whether the site trusts what a phone says about its clock. The site measures the offset itself at every contact that carries
 * the phone's time, so a claim is compared with its own measurements; what contradicts them is not used unmarked.
 */
import { HOUR_MS, MINUTE_MS } from '../durations.ts';

/** What a phone claims: add `offsetMs` to its times to get the site's. */
export interface ClaimedClock {
  offsetMs: number;
  uncertaintyMs: number;
  state: 'MEASURED' | 'CHANGED' | 'UNKNOWN';
}

/** How the times of an item were corrected. The phone's own times are the stored ones minus `offsetMs`. */
export interface PhoneClock {
  /** What was added. */
  offsetMs: number;
  uncertaintyMs: number;
  /** Only MEASURED is certain. `DISPUTED`: the claim contradicted the site's own measurements. */
  state: ClaimedClock['state'] | 'DISPUTED';
  /** What the phone claimed, when it was not used. */
  claimedOffsetMs?: number;
}

/** Offsets that the site measured itself with this phone. Milliseconds. */
export interface OwnMeasurements {
  /** At the contact that brought the item. */
  presentMs?: number | undefined;
  /** Whether an earlier contact measured an offset near one. */
  hadNear(offsetMs: number, toleranceMs: number): Promise<boolean>;
}

const TOLERANCE_MS = 2 * MINUTE_MS;
/** A larger claimed uncertainty does not make a claim more plausible. */
const MOST_UNCERTAINTY_MS = 10 * MINUTE_MS;
/** An estimate after a change of the clock may differ from a measured offset by this much: a wrong zone, or a wrong day. */
const MOST_CHANGE_MS = 36 * HOUR_MS;
/** Largest distance between two dates. */
const NOTHING_KNOWN_MS = 8.64e15;

/**
 * Returns the offset to add to an item's times, and how certain it is. An offset that would put the times before `fromMs` or
 * into the future is used only when no other is left; the caller then refuses the item.
 * @param times by the phone's clock
 */
export async function judgeClock(
  claim: ClaimedClock,
  times: readonly number[],
  own: OwnMeasurements,
  span: { fromMs: number; nowMs: number },
): Promise<PhoneClock> {
  const uncertaintyMs = Math.min(claim.uncertaintyMs, MOST_UNCERTAINTY_MS);
  const toleranceMs = TOLERANCE_MS + uncertaintyMs;
  const isPossible = (offsetMs: number) =>
    times.every((ts) => ts + offsetMs >= span.fromMs && ts + offsetMs <= span.nowMs + toleranceMs);
  const { presentMs } = own;
  const isNearPresent = presentMs !== undefined && Math.abs(claim.offsetMs - presentMs) <= toleranceMs;
  const agrees = isNearPresent || (await own.hadNear(claim.offsetMs, toleranceMs));
  if (agrees && isPossible(claim.offsetMs)) return { ...claim };
  const isEstimate =
    claim.state === 'CHANGED' && presentMs !== undefined && Math.abs(claim.offsetMs - presentMs) <= MOST_CHANGE_MS;
  if (isEstimate && isPossible(claim.offsetMs)) return { ...claim };
  const state = claim.state === 'MEASURED' ? ('DISPUTED' as const) : claim.state;
  if (presentMs !== undefined && isPossible(presentMs)) {
    // Either may be right: the claimed offset lies within the uncertainty of the one that is used.
    const coveredMs = Math.min(claim.uncertaintyMs + Math.abs(claim.offsetMs - presentMs), NOTHING_KNOWN_MS);
    return { offsetMs: presentMs, uncertaintyMs: coveredMs, state, claimedOffsetMs: claim.offsetMs };
  }
  return { ...claim, state };
}
