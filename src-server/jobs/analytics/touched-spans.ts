/** Which windows and days a change of recordings affects. */
import { NOON_REACH_SECONDS, WINDOW_MARGIN_SECONDS } from '../../analytics/index.ts';
import type { Correction, NoonWindow, Span } from '../../analytics/types.ts';
import { DAY_MS } from '../../durations.ts';
import { type DayClock, midnightWindowsBetween, noonWindowsBetween } from '../../study/day-windows.ts';
import { isOfWholeRecording } from '../../vocabulary/placements.ts';
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

/** A recording, as far as it decides what a correction changes. */
interface Recorded {
  startUs: number;
  stopUs: number;
  location: string;
}

const overlaps = ({ startUs, stopUs }: Recorded, { startMs, stopMs }: Span): boolean =>
  startUs / 1000 < stopMs && stopUs / 1000 >= startMs;

/**
 * Whether a correction can change the result of a span: it lies within reach of it, or it is of the wear of a recording that reaches
 * into the span and of which rest and activity are computed as a whole.
 *
 * @param reachMs before and after the span
 */
export function concerns(
  correction: Correction,
  { startMs, stopMs }: Span,
  reachMs: number,
  recordings: readonly Recorded[],
): boolean {
  if (correction.startMs < stopMs + reachMs && correction.stopMs > startMs - reachMs) return true;
  if (correction.kind === 'AWAKE' || correction.kind === 'ASLEEP')
    return (
      correction.startMs < stopMs && correction.stopMs > startMs - DAY_MS && recordings.some(isWhole(startMs, stopMs))
    );
  if (correction.kind !== 'WORN' && correction.kind !== 'NOT_WORN') return false;
  return recordings.filter(isWhole(startMs, stopMs)).some((one) => overlaps(one, correction));
}

const isWhole =
  (startMs: number, stopMs: number) =>
  (one: Recorded): boolean =>
    isOfWholeRecording(one.location) && overlaps(one, { startMs: startMs - MARGIN_MS, stopMs: stopMs + MARGIN_MS });

/** The time of the corrections that can change the results of a span. */
export function timeOfCorrections(span: Span, recordings: readonly Recorded[]): { fromTs: number; toTs: number } {
  const whole = recordings.filter(isWhole(span.startMs, span.stopMs));
  return {
    fromTs: Math.min(span.startMs - DAY_MS, ...whole.map(({ startUs }) => Math.floor(startUs / 1000))),
    toTs: Math.max(span.stopMs + REACH_MS, ...whole.map(({ stopUs }) => Math.ceil(stopUs / 1000) + 1)),
  };
}
