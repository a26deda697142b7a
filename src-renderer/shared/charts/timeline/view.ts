/** Zooming and moving the visible part of a time axis. Pure. */
import { MINUTE_MS } from '../../../../src-server/durations.ts';

export interface TimelineView {
  startMs: number;
  stopMs: number;
}

const MIN_SPAN_MS = 10 * MINUTE_MS;

/** Changes the length of a view by `factor` around an instant, which keeps its position; stays inside the whole. */
export function zoomed(view: TimelineView, whole: TimelineView, aroundMs: number, factor: number): TimelineView {
  const length = Math.min(whole.stopMs - whole.startMs, Math.max(MIN_SPAN_MS, (view.stopMs - view.startMs) * factor));
  const share = (aroundMs - view.startMs) / (view.stopMs - view.startMs);
  return inside({ startMs: aroundMs - share * length, stopMs: aroundMs + (1 - share) * length }, whole);
}

/** Moves a view as little as needed to lie inside the whole. */
export function inside(view: TimelineView, whole: TimelineView): TimelineView {
  const length = Math.min(view.stopMs - view.startMs, whole.stopMs - whole.startMs);
  const startMs = Math.round(Math.min(Math.max(view.startMs, whole.startMs), whole.stopMs - length));
  return { startMs, stopMs: Math.round(startMs + length) };
}
