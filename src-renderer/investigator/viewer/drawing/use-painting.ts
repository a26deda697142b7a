/** Canvases and overlays that follow the model once per frame, without React renders. */
import { type RefObject, useEffect, useRef, useSyncExternalStore } from 'react';
import { type Colors, useColors } from '../../../shared/charts/palette.ts';
import type { ViewerModel } from '../data/model.ts';

/** Draws in CSS pixels. `ratio` is the number of device pixels per CSS pixel. */
export type Paint = (
  context: CanvasRenderingContext2D,
  widthPx: number,
  heightPx: number,
  colors: Colors,
  ratio: number,
) => void;

function onRatio(listener: () => void): () => void {
  let query: MediaQueryList;
  const watchCurrent = () => {
    query = matchMedia(`(resolution: ${window.devicePixelRatio}dppx)`);
    query.addEventListener('change', changed, { once: true });
  };
  const changed = () => {
    watchCurrent();
    listener();
  };
  watchCurrent();
  return () => query.removeEventListener('change', changed);
}

/** Device pixels per CSS pixel; changes with page zoom and when the window moves to another display. */
export const useDeviceRatio = (): number => useSyncExternalStore(onRatio, () => window.devicePixelRatio);

/** Runs `place` after every render, and at most once per frame after the model has changed: moves elements without a render. */
export function useFollowing(model: ViewerModel, place: () => void): void {
  const latest = useRef(place);
  latest.current = place;
  useEffect(() => {
    let frame = 0;
    const run = () => {
      frame = 0;
      latest.current();
    };
    const schedule = () => {
      frame ||= requestAnimationFrame(run);
    };
    const unsubscribes = [model.state.subscribe(schedule), model.arrivals.subscribe(schedule)];
    return () => {
      cancelAnimationFrame(frame);
      for (const unsubscribe of unsubscribes) unsubscribe();
    };
  }, [model]);
  // A render may have brought new elements or another width.
  useEffect(() => latest.current());
}

/**
 * Redraws a canvas, at most once per frame, when the model has changed and `watch` returns another value. `paint` gets a
 * context in CSS pixels, cleared to the surface colour.
 */
export function usePainting(
  model: ViewerModel,
  widthPx: number,
  heightPx: number,
  paint: Paint,
  watch: () => unknown,
): RefObject<HTMLCanvasElement | null> {
  const canvas = useRef<HTMLCanvasElement>(null);
  const latest = useRef(watch);
  latest.current = watch;
  const colors = useColors();
  const ratio = useDeviceRatio();
  useEffect(() => {
    const element = canvas.current;
    const context = element?.getContext('2d', { alpha: false });
    if (!element || !context || widthPx <= 0 || heightPx <= 0) return;
    // A size of exactly as many device pixels as the canvas has, so that nothing is stretched.
    element.width = Math.floor(widthPx * ratio);
    element.height = Math.floor(heightPx * ratio);
    element.style.width = `${element.width / ratio}px`;
    element.style.height = `${element.height / ratio}px`;
    let frame = 0;
    let drawn: unknown;
    const draw = () => {
      frame = 0;
      context.setTransform(ratio, 0, 0, ratio, 0, 0);
      context.fillStyle = colors('surface');
      context.fillRect(0, 0, widthPx, heightPx);
      paint(context, widthPx, heightPx, colors, ratio);
    };
    const schedule = () => {
      if (frame !== 0) return;
      const watched = latest.current();
      if (Object.is(watched, drawn)) return;
      drawn = watched;
      frame = requestAnimationFrame(draw);
    };
    drawn = latest.current();
    draw();
    const unsubscribes = [model.state.subscribe(schedule), model.arrivals.subscribe(schedule)];
    return () => {
      cancelAnimationFrame(frame);
      for (const unsubscribe of unsubscribes) unsubscribe();
    };
  }, [model, widthPx, heightPx, colors, paint, ratio]);
  return canvas;
}
