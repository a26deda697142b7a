/** The timer of an activity. Pure: a draft and the time give what it shows. */
import type { Draft } from '../../model.ts';

/** Running time without pauses, in milliseconds. A clock that was set back does not make it negative. */
export const elapsedMs = (
  { elapsedMs: before, runningSinceTs }: Pick<Draft, 'elapsedMs' | 'runningSinceTs'>,
  nowMs: number,
): number => before + (runningSinceTs === undefined ? 0 : Math.max(0, nowMs - runningSinceTs));

/** What is left of a planned duration; 0 once it is over. */
export const leftMs = (
  draft: Pick<Draft, 'elapsedMs' | 'runningSinceTs'>,
  durationSec: number,
  nowMs: number,
): number => Math.max(0, durationSec * 1000 - elapsedMs(draft, nowMs));

/** `6:00`, `1:02:05`. What is left rounds up, so that 0:00 is the end. */
export function timerText(ms: number, rounding: 'up' | 'down' = 'up'): string {
  const seconds = rounding === 'up' ? Math.ceil(ms / 1000) : Math.floor(ms / 1000);
  const [hours, minutes, rest] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  const two = (value: number) => String(value).padStart(2, '0');
  return hours > 0 ? `${hours}:${two(minutes)}:${two(rest)}` : `${minutes}:${two(rest)}`;
}

/** What a screen reader says of the remaining time, and when: at the start, at each minute, and 30 and 10 s before the end. */
export function spokenSeconds(leftMilliseconds: number): number | undefined {
  const seconds = Math.ceil(leftMilliseconds / 1000);
  if (seconds === 0 || seconds === 10 || seconds === 30) return seconds;
  return seconds % 60 === 0 ? seconds : undefined;
}
