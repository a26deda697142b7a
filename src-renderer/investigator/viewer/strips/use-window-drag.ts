/** Input on a strip above the detail: dragging moves the detail's window or one of its edges; arrow keys move it. */
import { type KeyboardEvent, type PointerEvent, useRef } from 'react';
import { toMs } from '../../../shared/charts/scale.ts';
import type { ViewerModel } from '../data/model.ts';
import { type Extent, movedBy, SHORTEST_MS } from '../view.ts';
import { type StripKind, stripWindow } from './strip-window.ts';

/** Reach of an edge of the window. */
const EDGE_PX = 8;

interface Drag {
  mode: 'move' | 'start' | 'stop';
  /** The strip's window when the drag began; it must not move under the pointer. */
  window: Extent;
  offsetMs: number;
}

export function useWindowDrag(model: ViewerModel, kind: StripKind, widthPx: number) {
  const drag = useRef<Drag | null>(null);
  const msOf = (event: PointerEvent<HTMLElement>, window: Extent): number => {
    const px = event.clientX - event.currentTarget.getBoundingClientRect().left;
    return toMs({ ...window, widthPx }, Math.min(Math.max(px, 0), widthPx));
  };
  const end = () => {
    drag.current = null;
  };
  return {
    onPointerDown: (event: PointerEvent<HTMLElement>) => {
      if (event.button !== 0) return;
      event.currentTarget.setPointerCapture(event.pointerId);
      const { view } = model.state.get();
      const window = stripWindow(kind, view, model.extent);
      const ms = msOf(event, window);
      const edgeMs = (EDGE_PX / widthPx) * (window.stopMs - window.startMs);
      const stopMs = view.startMs + view.lengthMs;
      // A window narrower than its edges can only be moved.
      const hasEdges = view.lengthMs > 3 * edgeMs;
      if (hasEdges && Math.abs(ms - view.startMs) < edgeMs) drag.current = { mode: 'start', window, offsetMs: 0 };
      else if (hasEdges && Math.abs(ms - stopMs) < edgeMs) drag.current = { mode: 'stop', window, offsetMs: 0 };
      else {
        const isInside = ms >= view.startMs && ms <= stopMs;
        drag.current = { mode: 'move', window, offsetMs: isInside ? ms - view.startMs : view.lengthMs / 2 };
        if (!isInside) model.setView({ ...view, startMs: ms - view.lengthMs / 2 });
      }
    },
    onPointerMove: (event: PointerEvent<HTMLElement>) => {
      const from = drag.current;
      if (!from) return;
      const ms = msOf(event, from.window);
      const { view } = model.state.get();
      const stopMs = view.startMs + view.lengthMs;
      if (from.mode === 'move') model.setView({ ...view, startMs: ms - from.offsetMs });
      else if (from.mode === 'start') {
        const startMs = Math.min(ms, stopMs - SHORTEST_MS);
        model.setView({ startMs, lengthMs: stopMs - startMs });
      } else model.setView({ startMs: view.startMs, lengthMs: Math.max(SHORTEST_MS, ms - view.startMs) });
    },
    onPointerUp: end,
    onPointerCancel: end,
    onKeyDown: (event: KeyboardEvent) => {
      const { view } = model.state.get();
      const window = stripWindow(kind, view, model.extent);
      const step = (window.stopMs - window.startMs) / (event.shiftKey ? 10 : 100);
      if (event.key === 'ArrowLeft') model.setView(movedBy(view, model.extent, -step));
      else if (event.key === 'ArrowRight') model.setView(movedBy(view, model.extent, step));
      else if (event.key === 'Home') model.setView({ ...view, startMs: model.extent.startMs });
      else if (event.key === 'End') model.setView({ ...view, startMs: model.extent.stopMs });
      else return;
      event.preventDefault();
    },
  };
}
