/** Ticks of the detail's time axis. Pure, but for a memory of the clock texts. */
import type { Extent } from '../view.ts';

const STEPS_MS = [
  100, 200, 500, 1000, 2000, 5000, 10_000, 20_000, 30_000, 60_000, 120_000, 300_000, 600_000, 1_200_000, 1_800_000,
  3_600_000, 7_200_000, 10_800_000, 21_600_000,
] as const;

/** Instants of labels at least `gapPx` apart, on round times since the epoch. */
export function tickTimes(window: Extent, widthPx: number, gapPx: number): { stepMs: number; times: number[] } {
  const pxPerMs = widthPx / (window.stopMs - window.startMs);
  const stepMs = STEPS_MS.find((step) => step * pxPerMs >= gapPx) ?? STEPS_MS[STEPS_MS.length - 1];
  const first = Math.ceil(window.startMs / stepMs);
  const last = Math.floor(window.stopMs / stepMs);
  return { stepMs, times: Array.from({ length: last - first + 1 }, (_, i) => (first + i) * stepMs) };
}

/** `+1:02:05` since the start; tenths where the step needs them. */
export function elapsedText(ms: number, stepMs: number): string {
  const digits = stepMs < 1000 ? 1 : 0;
  // Rounded first, or 59.97 s would read as 60.
  const total = Math.round(Math.max(0, ms) / 10 ** (3 - digits)) / 10 ** digits;
  const hours = Math.floor(total / 3600);
  const minutes = Math.floor(total / 60) % 60;
  const seconds = (total % 60).toFixed(digits).padStart(digits === 0 ? 2 : 4, '0');
  return `+${hours}:${String(minutes).padStart(2, '0')}:${seconds}`;
}

const MOST_KNOWN = 2000;

/** Remembers the words of instants: naming one in a zone costs more than drawing it. */
export function remembered(name: (ms: number) => string): (ms: number) => string {
  const known = new Map<number, string>();
  return (ms) => {
    let text = known.get(ms);
    if (text === undefined) {
      if (known.size >= MOST_KNOWN) known.clear();
      text = name(ms);
      known.set(ms, text);
    }
    return text;
  };
}
