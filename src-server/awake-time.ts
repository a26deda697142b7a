/** Time limits that a sleeping computer does not use up. */

/** Shorter than any limit that matters, so that a sleep shortens a limit by this much at most. */
const STEP_MS = 5000;

/**
 * Calls `listener` once the computer was awake for `ms`; returns a function that cancels it. A plain timer is over at the moment a
 * computer wakes up on systems whose monotonic clock runs during sleep, so whatever it watches would be ended although it
 * had no time to work.
 */
export function afterAwake(ms: number, listener: () => void): () => void {
  let timer: NodeJS.Timeout | undefined;
  const wait = (leftMs: number): void => {
    const stepMs = Math.min(leftMs, STEP_MS);
    timer = setTimeout(() => {
      if (leftMs > stepMs) wait(leftMs - stepMs);
      else listener();
    }, stepMs);
  };
  wait(ms);
  return () => clearTimeout(timer);
}
