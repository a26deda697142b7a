/** Ticks and labels of the viewer's time axes. */
import { HOUR_MS } from '../../../../src-server/durations.ts';
import type { Extent } from '../view.ts';

const LONGEST_STEP_MS = 6 * HOUR_MS;
const STEPS_MS = [
  100,
  200,
  500,
  1000,
  2000,
  5000,
  10_000,
  20_000,
  30_000,
  60_000,
  120_000,
  300_000,
  600_000,
  1_200_000,
  1_800_000,
  3_600_000,
  7_200_000,
  10_800_000,
  LONGEST_STEP_MS,
] as const;

/** Returns label instants at least `gapPx` apart, at multiples of a round step since the epoch. */
export function tickTimes(window: Extent, widthPx: number, gapPx: number): { stepMs: number; times: number[] } {
  const pxPerMs = widthPx / (window.stopMs - window.startMs);
  const stepMs = STEPS_MS.find((step) => step * pxPerMs >= gapPx) ?? LONGEST_STEP_MS;
  const first = Math.ceil(window.startMs / stepMs);
  const last = Math.floor(window.stopMs / stepMs);
  return { stepMs, times: Array.from({ length: last - first + 1 }, (_, i) => (first + i) * stepMs) };
}

/** Formats elapsed time as `+1:02:05`, with tenths where the step is shorter than a second. */
export function elapsedText(ms: number, stepMs: number): string {
  const digits = stepMs < 1000 ? 1 : 0;
  // Round before splitting into units, so that 59.97 s becomes 1:00 and not 0:60.
  const total = Math.round(Math.max(0, ms) / 10 ** (3 - digits)) / 10 ** digits;
  const hours = Math.floor(total / 3600);
  const minutes = Math.floor(total / 60) % 60;
  const seconds = (total % 60).toFixed(digits).padStart(digits === 0 ? 2 : 4, '0');
  return `+${hours}:${String(minutes).padStart(2, '0')}:${seconds}`;
}

const MAX_CACHED = 2000;

/** Memoizes texts by instant: formatting a time in a zone costs more than drawing it. */
export function memoizedText(format: (ms: number) => string): (ms: number) => string {
  const cached = new Map<number, string>();
  return (ms) => {
    let text = cached.get(ms);
    if (text === undefined) {
      if (cached.size >= MAX_CACHED) cached.clear();
      text = format(ms);
      cached.set(ms, text);
    }
    return text;
  };
}
