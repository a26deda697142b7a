/** How far a phone's clock is from the site's, measured by the four times of a call (as in NTP). */

export interface OffsetSample {
  /** Site minus phone. */
  offsetMs: number;
  /** Half of the time on the way: the true offset is within it, whichever way was the slower one. */
  uncertaintyMs: number;
  /** By the phone's clock. */
  atMs: number;
}

/** @returns undefined when the times contradict each other, such as when a clock was set during the call */
export function offsetOf(times: {
  sentMs: number;
  receivedTs: number;
  serverTs: number;
  arrivedMs: number;
}): OffsetSample | undefined {
  const { sentMs, receivedTs, serverTs, arrivedMs } = times;
  const onItsWayMs = arrivedMs - sentMs - (serverTs - receivedTs);
  // A millisecond may be lost to rounding on each side.
  if (serverTs < receivedTs || onItsWayMs < -2) return undefined;
  return {
    offsetMs: Math.round((receivedTs - sentMs + (serverTs - arrivedMs)) / 2),
    uncertaintyMs: Math.max(1, Math.ceil(onItsWayMs / 2)),
    atMs: arrivedMs,
  };
}

/** Clocks of phones drift by at most this much; 100 ppm is 8.6 s a day. */
export const DRIFT = 100e-6;

/** The best of several samples at a time: an old one with a short way loses to a new one as the clock drifts. */
export function bestOffset(samples: readonly OffsetSample[], atMs: number): OffsetSample | undefined {
  let best: OffsetSample | undefined;
  for (const { offsetMs, uncertaintyMs, atMs: takenMs } of samples) {
    const grown = Math.ceil(uncertaintyMs + Math.abs(atMs - takenMs) * DRIFT);
    if (!best || grown < best.uncertaintyMs) best = { offsetMs, uncertaintyMs: grown, atMs: takenMs };
  }
  return best;
}
