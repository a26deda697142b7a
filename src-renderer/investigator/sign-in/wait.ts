/** The time that the site asks to wait before the next attempt to sign in. */
import { useEffect, useState } from 'react';
import { ApiError } from '../../shared/api/queries.ts';

/** Returns the seconds that the site asks to wait before the next attempt; 0 when it does not. */
export const waitOf = (error: Error | null): number =>
  error instanceof ApiError && error.status === 429 ? (error.retryAfterSeconds ?? 30) : 0;

/** Counts down the seconds until the site accepts another attempt. */
export function useWait(error: Error | null): number {
  const [seconds, setSeconds] = useState(0);
  useEffect(() => {
    const wait = waitOf(error);
    const until = Date.now() + wait * 1000;
    const tick = () => setSeconds(Math.max(0, Math.ceil((until - Date.now()) / 1000)));
    tick();
    if (wait === 0) return;
    const timer = setInterval(tick, 1000);
    return () => clearInterval(timer);
  }, [error]);
  return seconds;
}
