/**
 * How stored times are compared with the clock of a computer, which may have been wrong when they were stored. A time that
 * lies further ahead than it can have been set is none to wait for: the clock was ahead then and has been put right.
 */

/** A span in its two largest units, in the short forms that need no language: `365 d 2 h`, `3 h 5 min`. */
export function durationText(ms: number): string {
  const minutes = Math.round(Math.abs(ms) / 60_000);
  const [days, hours] = [Math.floor(minutes / 1440), Math.floor(minutes / 60) % 24];
  const parts =
    days > 0 ? [`${days} d`, hours > 0 && `${hours} h`] : [hours > 0 && `${hours} h`, `${minutes % 60} min`];
  return parts.filter(Boolean).join(' ');
}

/** A clock that is kept right by the network is moved by less than this. */
export const CLOCK_SLACK_MS = 120_000;

/** Whether something delayed by at most `longestMs` is due now. All times epoch ms. */
export function isDue(dueTs: number, longestMs: number, nowTs: number): boolean {
  return dueTs <= nowTs || dueTs > latestEnd(longestMs, nowTs);
}

/** Whether what holds for at most `longestMs` from when it was made still holds. */
export function isOpen(endTs: number, longestMs: number, nowTs: number): boolean {
  return endTs > nowTs && endTs <= latestEnd(longestMs, nowTs);
}

/** The latest end that something made by now, to last at most `longestMs`, can have. */
export function latestEnd(longestMs: number, nowTs: number): number {
  return nowTs + longestMs + CLOCK_SLACK_MS;
}

/** Whether something happened within the last `windowMs`; what happened in the future did not. */
export function isRecent(sinceTs: number, windowMs: number, nowTs: number): boolean {
  return sinceTs <= nowTs && nowTs - sinceTs < windowMs;
}
