/** Paper speed that is true to the millimetre. */
import { useEffect, useRef } from 'react';
import type { ViewerModel } from '../data/model.ts';
import { zoomedTo } from '../view.ts';
import { lengthAtSpeed, speedOf } from './grid.ts';

/**
 * Opens the paper at 25 mm/s once its width is known, and keeps a standard speed when the window is resized or the display
 * is calibrated.
 */
export function useTrueSpeed(model: ViewerModel, widthPx: number, pxPerMm: number): void {
  const before = useRef<{ widthPx: number; pxPerMm: number } | null>(null);
  useEffect(() => {
    if (widthPx <= 0 || !model.lead) return;
    const { view } = model.state.get();
    const last = before.current;
    before.current = { widthPx, pxPerMm };
    const speed = last ? speedOf(last.widthPx, view.lengthMs, last.pxPerMm).standard : 25;
    if (speed === undefined) return;
    // A recording opens with its first readable signal at the left edge, or with the time of the address in the middle.
    const fixedMs = last || model.opensAround ? view.startMs + view.lengthMs / 2 : view.startMs;
    model.setView(zoomedTo(view, model.extent, fixedMs, lengthAtSpeed(widthPx, speed, pxPerMm)));
  }, [model, widthPx, pxPerMm]);
}
