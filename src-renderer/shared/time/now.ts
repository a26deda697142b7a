/** The present, for what is judged by its age. */
import { useSyncExternalStore } from 'react';

export interface Now {
  nowMs: number;
  /**
   * This computer was asleep until a moment ago: what is old may only be what was not fetched yet, so nothing is called late
   * for one round.
   */
  isJustAwake: boolean;
}

const ROUND_MS = 30_000;
/** Timers that stood still for this long did so because the computer slept. */
const SLEPT_MS = 3 * ROUND_MS;

/** The next state of the clock. Pure. */
export function nextNow(before: Now, nowMs: number): Now {
  return { nowMs, isJustAwake: nowMs - before.nowMs > SLEPT_MS };
}

let now: Now = { nowMs: Date.now(), isJustAwake: false };
const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;

function subscribe(listener: () => void): () => void {
  // Nobody looked for a while: that was no sleep.
  if (listeners.size === 0) now = { nowMs: Date.now(), isJustAwake: false };
  listeners.add(listener);
  timer ??= setInterval(() => {
    now = nextNow(now, Date.now());
    for (const tell of listeners) tell();
  }, ROUND_MS);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

export function useNow(): Now {
  return useSyncExternalStore(subscribe, () => now);
}
