import { type RefObject, useEffect, useRef } from 'react';
import { type Colors, useColors } from '../../../shared/charts/palette.ts';
import type { ViewerModel } from '../data/model.ts';

export type Paint = (context: CanvasRenderingContext2D, widthPx: number, heightPx: number, colors: Colors) => void;

/**
 * A canvas that draws again, once per frame, whenever the model's state or data changes: never through a render. `paint` is
 * called with the context in CSS pixels on a cleared ground.
 */
export function usePainting(
  model: ViewerModel,
  widthPx: number,
  heightPx: number,
  paint: Paint,
): RefObject<HTMLCanvasElement | null> {
  const canvas = useRef<HTMLCanvasElement>(null);
  const latest = useRef(paint);
  latest.current = paint;
  const colors = useColors();
  // biome-ignore lint/correctness/useExhaustiveDependencies: another paint means another picture
  useEffect(() => {
    const element = canvas.current;
    const context = element?.getContext('2d', { alpha: false });
    if (!element || !context || widthPx <= 0 || heightPx <= 0) return;
    const ratio = window.devicePixelRatio;
    element.width = Math.round(widthPx * ratio);
    element.height = Math.round(heightPx * ratio);
    let frame = 0;
    const draw = () => {
      frame = 0;
      context.setTransform(ratio, 0, 0, ratio, 0, 0);
      context.fillStyle = colors('surface');
      context.fillRect(0, 0, widthPx, heightPx);
      latest.current(context, widthPx, heightPx, colors);
    };
    const schedule = () => {
      frame ||= requestAnimationFrame(draw);
    };
    draw();
    const ends = [model.state.subscribe(schedule), model.arrivals.subscribe(schedule)];
    return () => {
      cancelAnimationFrame(frame);
      for (const end of ends) end();
    };
  }, [model, widthPx, heightPx, colors, paint]);
  return canvas;
}
