/** The current time for components that show ages, updated every half minute. */
import { useSyncExternalStore } from 'react';

export interface Now {
  nowMs: number;
  /**
   * True for one tick after the computer slept: data may look old only because it has not been fetched yet, so nothing is
   * reported as late.
   */
  isJustAwake: boolean;
}

const TICK_MS = 30_000;
/** A longer pause between two ticks means that the computer slept. */
const MIN_SLEEP_MS = 3 * TICK_MS;

/** Returns the next state of the clock. Pure. */
export function nextNow(before: Now, nowMs: number): Now {
  return { nowMs, isJustAwake: nowMs - before.nowMs > MIN_SLEEP_MS };
}

let now: Now = { nowMs: Date.now(), isJustAwake: false };
const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;

function subscribe(listener: () => void): () => void {
  // Without listeners the timer was stopped, which does not count as sleep.
  if (listeners.size === 0) now = { nowMs: Date.now(), isJustAwake: false };
  listeners.add(listener);
  timer ??= setInterval(() => {
    now = nextNow(now, Date.now());
    for (const notify of listeners) notify();
  }, TICK_MS);
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
