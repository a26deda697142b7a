/** Input on the detail strip: keys, dragging and the wheel. */
import { type KeyboardEvent, type PointerEvent, type RefObject, useEffect, useRef } from 'react';
import { type TimeScale, toMs } from '../../../shared/charts/scale.ts';
import type { ViewerModel } from '../data/model.ts';
import type { LanePlace } from '../drawing/paint.ts';
import { movedBy, zoomedTo } from '../view.ts';

/** A drag at least this high sets level calipers as well as time calipers. */
const LEVEL_DRAG_PX = 12;
/** A press that moves less than this is a click. */
const CLICK_PX = 3;

/** Arrow keys move the view (with Ctrl to the next label) and change the gain; Page Up, Page Down, Home and End move further. */
export function useDetailKeys(
  model: ViewerModel,
  onLabelStep: (direction: -1 | 1) => void,
  onGain: (direction: -1 | 1) => void,
  onBeatStep: ((direction: -1 | 1) => void) | undefined,
): (event: KeyboardEvent) => void {
  return (event) => {
    if (event.metaKey || event.altKey) return;
    const { view } = model.state.get();
    const move = (ms: number) => model.setView(movedBy(view, model.extent, ms));
    switch (event.key) {
      case 'ArrowLeft':
      case 'ArrowRight': {
        const direction = event.key === 'ArrowLeft' ? -1 : 1;
        if (event.ctrlKey) onLabelStep(direction);
        else if (onBeatStep && model.state.get().mode === 'correct') onBeatStep(direction);
        else move(direction * view.lengthMs * (event.shiftKey ? 1 : 0.1));
        break;
      }
      case 'ArrowUp':
      case 'ArrowDown':
        onGain(event.key === 'ArrowUp' ? 1 : -1);
        break;
      case 'PageUp':
        move(-view.lengthMs);
        break;
      case 'PageDown':
        move(view.lengthMs);
        break;
      case 'Home':
        model.setView({ ...view, startMs: model.extent.startMs });
        break;
      case 'End':
        model.setView({ ...view, startMs: model.extent.stopMs });
        break;
      default:
        return;
    }
    event.preventDefault();
  };
}

interface Drag {
  xPx: number;
  yPx: number;
  startMs: number;
  /** Sets calipers instead of moving the view. */
  isMeasuring: boolean;
}

/** Dragging moves the view, or sets calipers in the measure and label modes and with Shift. The cursor follows the pointer; a click picks a beat where beats are corrected. */
export function useDetailPointer(
  model: ViewerModel,
  widthPx: number,
  placeNow: (() => LanePlace) | undefined,
  onPick: ((ms: number) => void) | undefined,
) {
  const drag = useRef<Drag | null>(null);
  const positionOf = (event: PointerEvent<HTMLElement>) => {
    const { left, top } = event.currentTarget.getBoundingClientRect();
    return { xPx: event.clientX - left, yPx: event.clientY - top };
  };
  const msAt = (xPx: number): number => {
    const { view } = model.state.get();
    const scale: TimeScale = { startMs: view.startMs, stopMs: view.startMs + view.lengthMs, widthPx };
    return toMs(scale, xPx);
  };
  const mvAt = (yPx: number): number | null => {
    const place = placeNow?.();
    if (!place || yPx < place.topPx || yPx > place.topPx + place.heightPx) return null;
    return (place.zeroPx - yPx) / place.pxPerUnit;
  };
  return {
    onPointerDown: (event: PointerEvent<HTMLElement>) => {
      if (event.button !== 0) return;
      event.currentTarget.setPointerCapture(event.pointerId);
      const { xPx, yPx } = positionOf(event);
      const { view, mode } = model.state.get();
      const isMeasuring = mode === 'measure' || mode === 'label' || event.shiftKey;
      drag.current = { xPx, yPx, startMs: view.startMs, isMeasuring };
      if (!isMeasuring) return;
      const fromMs = msAt(xPx);
      model.clearCalipers();
      model.setCaliper('startMs', fromMs, event.altKey);
    },
    onPointerMove: (event: PointerEvent<HTMLElement>) => {
      const { xPx, yPx } = positionOf(event);
      const from = drag.current;
      const { view, mode } = model.state.get();
      if (from?.isMeasuring) {
        if (Math.abs(xPx - from.xPx) > 3) model.setCaliper('stopMs', msAt(xPx), event.altKey);
        const [fromMv, toMv] = [mvAt(from.yPx), mvAt(yPx)];
        if (mode !== 'label' && fromMv !== null && toMv !== null && Math.abs(yPx - from.yPx) > LEVEL_DRAG_PX)
          model.set({ levels: { fromMv, toMv } });
      } else if (from) {
        model.setView({ ...view, startMs: from.startMs - ((xPx - from.xPx) / widthPx) * view.lengthMs });
      }
      model.set({ cursorMs: msAt(Math.min(Math.max(xPx, 0), widthPx)) });
    },
    onPointerEnd: (event: PointerEvent<HTMLElement>) => {
      const from = drag.current;
      const { xPx } = positionOf(event);
      if (from && !from.isMeasuring && Math.abs(xPx - from.xPx) <= CLICK_PX && event.type === 'pointerup')
        onPick?.(msAt(xPx));
      if (from?.isMeasuring && model.state.get().mode === 'label') model.endLabelDrag();
      drag.current = null;
    },
    onPointerLeave: () => {
      const { mode } = model.state.get();
      // Where beats are corrected, the cursor is where the keys act.
      if (!drag.current && mode !== 'correct') model.set({ cursorMs: null });
    },
  };
}

/**
 * The wheel moves the view, and with Ctrl zooms it around the pointer. The listener is not passive, because it must keep the
 * browser from scrolling or zooming the page.
 */
export function useWheel(surface: RefObject<HTMLDivElement | null>, model: ViewerModel, widthPx: number): void {
  useEffect(() => {
    const element = surface.current;
    if (!element || widthPx <= 0) return;
    const onWheel = (event: WheelEvent) => {
      const { view } = model.state.get();
      if (event.ctrlKey) {
        event.preventDefault();
        const around = view.startMs + (event.offsetX / widthPx) * view.lengthMs;
        model.setView(zoomedTo(view, model.extent, around, view.lengthMs * Math.exp(event.deltaY * 0.002)));
        return;
      }
      const px = event.shiftKey && event.deltaX === 0 ? event.deltaY : event.deltaX;
      if (px === 0) return;
      event.preventDefault();
      model.setView(movedBy(view, model.extent, (px / widthPx) * view.lengthMs));
    };
    element.addEventListener('wheel', onWheel, { passive: false });
    return () => element.removeEventListener('wheel', onWheel);
  }, [surface, model, widthPx]);
}
