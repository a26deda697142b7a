/** For long work on one thread: other events get their turn, such as a cancellation, which is a message. */
import { setImmediate } from 'node:timers/promises';

const MOST_BLOCKED_MS = 50;

/** Returns what to call between two steps. It gives way when it has not for a while, and returns whether it did. */
export function turns(): () => Promise<boolean> | boolean {
  let since = performance.now();
  return () => {
    if (performance.now() - since < MOST_BLOCKED_MS) return false;
    return setImmediate(true).then(() => {
      since = performance.now();
      return true;
    });
  };
}
