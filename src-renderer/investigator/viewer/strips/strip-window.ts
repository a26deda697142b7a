/** The window that a strip above the detail shows. Pure. */
import { CONTEXT_MS, clampView, type DetailView, type Extent } from '../view.ts';

/** `whole` shows the recording, `context` ten minutes or more around the view. */
export type StripKind = 'whole' | 'context';

export function stripWindow(kind: StripKind, view: DetailView, extent: Extent): Extent {
  if (kind === 'whole') return extent;
  const lengthMs = Math.min(Math.max(CONTEXT_MS, view.lengthMs * 4), extent.stopMs - extent.startMs);
  const middleMs = view.startMs + view.lengthMs / 2;
  // Moves in steps of a quarter, so that the strip stays put while the detail pans within it.
  const quarterMs = lengthMs / 4;
  const placedMs = Math.round((middleMs - lengthMs / 2) / quarterMs) * quarterMs;
  const { startMs } = clampView({ startMs: placedMs, lengthMs }, extent);
  return { startMs, stopMs: startMs + lengthMs };
}
