import { type RefObject, useEffect, useRef, useSyncExternalStore } from 'react';
import { type Colors, useColors } from '../../../shared/charts/palette.ts';
import type { ViewerModel } from '../data/model.ts';

/** Draws in CSS pixels; `ratio` device pixels make one of them. */
export type Paint = (
  context: CanvasRenderingContext2D,
  widthPx: number,
  heightPx: number,
  colors: Colors,
  ratio: number,
) => void;

function onRatio(listener: () => void): () => void {
  let query: MediaQueryList;
  const follow = () => {
    query = matchMedia(`(resolution: ${window.devicePixelRatio}dppx)`);
    query.addEventListener('change', changed, { once: true });
  };
  const changed = () => {
    follow();
    listener();
  };
  follow();
  return () => query.removeEventListener('change', changed);
}

/** Device pixels per CSS pixel, followed over zooming and from screen to screen. */
export const useDeviceRatio = (): number => useSyncExternalStore(onRatio, () => window.devicePixelRatio);

/**
 * Runs `place` once per frame after the model's state has changed, and once at first: for what moves without a render.
 */
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
    const ends = [model.state.subscribe(schedule), model.arrivals.subscribe(schedule)];
    return () => {
      cancelAnimationFrame(frame);
      for (const end of ends) end();
    };
  }, [model]);
  // A render may have brought new elements or another width.
  useEffect(() => latest.current());
}

/**
 * A canvas that draws again, once per frame, whenever `watch` answers something else: never through a render. `paint` is
 * called with the context in CSS pixels on a cleared ground.
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
    // Whole device pixels, and a size that is exactly theirs: nothing is stretched.
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
      const now = latest.current();
      if (Object.is(now, drawn)) return;
      drawn = now;
      frame = requestAnimationFrame(draw);
    };
    drawn = latest.current();
    draw();
    const ends = [model.state.subscribe(schedule), model.arrivals.subscribe(schedule)];
    return () => {
      cancelAnimationFrame(frame);
      for (const end of ends) end();
    };
  }, [model, widthPx, heightPx, colors, paint, ratio]);
  return canvas;
}
