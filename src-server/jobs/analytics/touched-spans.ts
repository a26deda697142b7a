/** Which windows and days a change of recordings affects. */
import { NOON_REACH_SECONDS, WINDOW_MARGIN_SECONDS } from '../../analytics/index.ts';
import type { NoonWindow } from '../../analytics/types.ts';
import { type DayClock, midnightWindowsBetween, noonWindowsBetween } from '../../study/day-windows.ts';
import type { AnalysisDay } from './contract.ts';

const MARGIN_MS = WINDOW_MARGIN_SECONDS * 1000;
const REACH_MS = NOON_REACH_SECONDS * 1000;

/** The results that a change of recordings can affect. */
interface TouchedSpans {
  windows: NoonWindow[];
  /** Windows affected only if the subject rests at the noon between: sleep across noon belongs to one window. */
  reached: { window: NoonWindow; noonMs: number }[];
  /** Days computed from any of them. */
  days: AnalysisDay[];
}

/** Returns the windows whose result a change in [fromMs, toMs) can affect, and the days computed from them. */
export function touchedSpans(fromMs: number, toMs: number, clock: DayClock): TouchedSpans {
  const windows = noonWindowsBetween(fromMs - MARGIN_MS, toMs + MARGIN_MS, clock);
  const startMs = windows[0]!.startMs;
  const stopMs = windows.at(-1)!.stopMs;
  const around = noonWindowsBetween(fromMs - REACH_MS, toMs + REACH_MS, clock);
  const before = around.filter((window) => window.stopMs <= startMs);
  const after = around.filter((window) => window.startMs >= stopMs);
  const reached = [
    ...before.map((window) => ({ window, noonMs: window.stopMs })),
    ...after.map((window) => ({ window, noonMs: window.startMs })),
  ];
  const days = midnightWindowsBetween(
    Math.min(startMs, ...before.map((window) => window.startMs)),
    Math.max(stopMs, ...after.map((window) => window.stopMs)),
    clock,
  );
  return { windows, reached, days };
}
