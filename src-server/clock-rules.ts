/**
 * Compares stored times with a clock that may have been wrong when they were stored. A time further ahead than it can have
 * been set was written while the clock was ahead; nothing waits for it.
 */

/** Formats a duration in its two largest units, without words: `365 d 2 h`, `3 h 5 min`. */
export function durationText(ms: number): string {
  const minutes = Math.round(Math.abs(ms) / 60_000);
  const [days, hours] = [Math.floor(minutes / 1440), Math.floor(minutes / 60) % 24];
  const parts =
    days > 0 ? [`${days} d`, hours > 0 && `${hours} h`] : [hours > 0 && `${hours} h`, `${minutes % 60} min`];
  return parts.filter(Boolean).join(' ');
}

/** Corrections of a network-synchronised clock are smaller than this. */
export const CLOCK_SLACK_MS = 120_000;

/** Returns whether something delayed by at most `longestMs` is due now. All times in epoch ms. */
export function isDue(dueTs: number, longestMs: number, nowTs: number): boolean {
  return dueTs <= nowTs || dueTs > latestEnd(longestMs, nowTs);
}

/** Returns whether something valid for at most `longestMs` is still valid. */
export function isOpen(endTs: number, longestMs: number, nowTs: number): boolean {
  return endTs > nowTs && endTs <= latestEnd(longestMs, nowTs);
}

/** Returns the latest possible end of something made by now that lasts at most `longestMs`. */
export function latestEnd(longestMs: number, nowTs: number): number {
  return nowTs + longestMs + CLOCK_SLACK_MS;
}

/** Returns whether something happened within the last `windowMs`. A time in the future never counts. */
export function isRecent(sinceTs: number, windowMs: number, nowTs: number): boolean {
  return sinceTs <= nowTs && nowTs - sinceTs < windowMs;
}
