/** Time limits that a sleeping computer does not use up. */

/** Shorter than any limit that matters, so that a sleep shortens a limit by this much at most. */
const STEP_MS = 5000;

/**
 * Calls `listener` once the computer was awake for `ms`; returns a function that cancels it. Where the monotonic clock runs during
 * sleep, a plain timer is over when the computer wakes up, and would end work that had no time.
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
