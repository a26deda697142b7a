/** The part of a time axis that shows: zooming and moving it. Pure. */

export interface TimelineView {
  startMs: number;
  stopMs: number;
}

/** Narrowest view. */
const MIN_SPAN_MS = 10 * 60_000;

/** A view of `factor` times the length around an instant, kept inside the whole. */
export function zoomed(view: TimelineView, whole: TimelineView, aroundMs: number, factor: number): TimelineView {
  const length = Math.min(whole.stopMs - whole.startMs, Math.max(MIN_SPAN_MS, (view.stopMs - view.startMs) * factor));
  const share = (aroundMs - view.startMs) / (view.stopMs - view.startMs);
  return inside({ startMs: aroundMs - share * length, stopMs: aroundMs + (1 - share) * length }, whole);
}

/** The view moved as little as needed to lie inside the whole. */
export function inside(view: TimelineView, whole: TimelineView): TimelineView {
  const length = Math.min(view.stopMs - view.startMs, whole.stopMs - whole.startMs);
  const startMs = Math.round(Math.min(Math.max(view.startMs, whole.startMs), whole.stopMs - length));
  return { startMs, stopMs: Math.round(startMs + length) };
}
