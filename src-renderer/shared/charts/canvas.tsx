/** A canvas for charts, and samples of category fills for legends. */
import { useEffect, useRef } from 'react';
import { drawSoon } from './draw-queue.ts';
import { type Colors, useColors } from './palette.ts';
import { type Category, categoryFill } from './pattern.ts';
import type { Surface } from './surface.ts';

export type Draw = (context: Surface, widthPx: number, heightPx: number, colors: Colors) => void;

/** Draws in CSS pixels at the resolution of the display, soon after every change of size, theme or `draw`. */
export function Canvas({ draw, heightPx, widthPx }: { draw: Draw; widthPx: number; heightPx: number }) {
  const reference = useRef<HTMLCanvasElement>(null);
  const colors = useColors();
  useEffect(() => {
    const canvas = reference.current;
    if (!canvas || widthPx <= 0) return;
    return drawSoon(() => {
      const ratio = window.devicePixelRatio;
      canvas.width = Math.round(widthPx * ratio);
      canvas.height = Math.round(heightPx * ratio);
      const context = canvas.getContext('2d');
      if (!context) return;
      context.scale(ratio, ratio);
      draw(context, widthPx, heightPx, colors);
    });
  }, [draw, widthPx, heightPx, colors]);
  // biome-ignore lint/a11y/noAriaHiddenOnFocusable: a canvas without tabindex takes no focus
  return <canvas ref={reference} style={{ width: widthPx, height: heightPx, display: 'block' }} aria-hidden="true" />;
}

/** A small sample of a category's colour and pattern, for legends and tables. */
export function Swatch({ category }: { category: Category }) {
  return <Canvas draw={swatchOf(category)} widthPx={20} heightPx={12} />;
}

const swatches = new Map<Category, Draw>();

/** Draws a sample of 20 by 12 pixels. */
export function swatchOf(category: Category): Draw {
  let draw = swatches.get(category);
  if (!draw) {
    draw = (context, width, height, colors) => {
      context.fillStyle = categoryFill(context, category, colors);
      context.fillRect(0, 0, width, height);
      context.strokeStyle = colors('line-strong');
      context.strokeRect(0.5, 0.5, width - 1, height - 1);
    };
    swatches.set(category, draw);
  }
  return draw;
}
