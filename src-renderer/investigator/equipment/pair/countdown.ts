/** The countdown of a pairing code. */
import { useEffect, useState } from 'react';

/** Whole seconds until an instant, by this computer's clock; never below zero. */
export function useSecondsUntil(instantMs: number): number {
  const [, setTick] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => setTick((tick) => tick + 1), 1000);
    return () => clearInterval(timer);
  }, []);
  return Math.max(0, Math.ceil((instantMs - Date.now()) / 1000));
}

/** Formats a length as `9:41`. */
export function minutesAndSeconds(seconds: number): string {
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}
