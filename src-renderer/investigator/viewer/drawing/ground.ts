/**
 * The part of a picture that moves with the view: paper and traces. While the view pans by whole device pixels, what has been
 * drawn is moved and only the uncovered strip is drawn, so a frame costs what it uncovers. Anything else draws all of it again.
 */
import type { Colors } from '../../../shared/charts/palette.ts';
import type { TimeScale } from '../../../shared/charts/scale.ts';

type Context = CanvasRenderingContext2D | OffscreenCanvasRenderingContext2D;
export type DrawPart = (context: CanvasRenderingContext2D, part: TimeScale) => void;

/** How far a moved picture may be from its place, device pixels. */
const TOLERANCE_PX = 0.02;
/** Drawn beyond a strip and clipped away: the ends of lines, and marks that are wider than their instant. */
const MARGIN_PX = 4;
/** A position is looked for this far, CSS pixels, that is a whole device pixel too. */
const SEARCH_PX = 20;

interface Drawn {
  canvas: OffscreenCanvas;
  context: OffscreenCanvasRenderingContext2D;
  key: string;
  colors: Colors;
  startMs: number;
}

type MakeCanvas = (widthPx: number, heightPx: number) => OffscreenCanvas;

/** The nearest CSS pixel at or before `px` that is a whole device pixel too; undefined where there is none. */
export function alignedBefore(px: number, ratio: number): number | undefined {
  const first = Math.floor(px);
  for (let one = first; one >= first - SEARCH_PX; one--)
    if (Math.abs(one * ratio - Math.round(one * ratio)) < 1e-6) return one;
  return undefined;
}

export class Ground {
  #drawn: Drawn | undefined;
  readonly #make: MakeCanvas | undefined;

  constructor(
    make: MakeCanvas | undefined = typeof OffscreenCanvas === 'function'
      ? (widthPx, heightPx) => new OffscreenCanvas(widthPx, heightPx)
      : undefined,
  ) {
    this.#make = make;
  }

  /**
   * Draws the view on a context in CSS pixels.
   * @param key everything that the picture depends on except the start of the view and the colours
   * @param drawPart draws a part of the view, as wide as its scale, at the left edge of its context
   */
  draw(
    target: CanvasRenderingContext2D,
    view: TimeScale,
    { heightPx, ratio, key, colors }: { heightPx: number; ratio: number; key: string; colors: Colors },
    drawPart: DrawPart,
  ): void {
    const width = Math.floor(view.widthPx * ratio);
    const height = Math.floor(heightPx * ratio);
    const whole = `${width} ${height} ${ratio} ${key}`;
    const drawn = this.#drawnFor(width, height, whole, colors);
    if (!drawn) {
      drawPart(target, view);
      return;
    }
    const perMs = (view.widthPx * ratio) / (view.stopMs - view.startMs);
    const moved = (view.startMs - drawn.startMs) * perMs;
    const shift = Math.round(moved);
    const canMove = drawn.key === whole && drawn.colors === colors && Math.abs(moved - shift) <= TOLERANCE_PX;
    const left = shift > 0 ? width - shift : 0;
    const right = shift > 0 ? width : -shift;
    const from = alignedBefore(left / ratio - MARGIN_PX, ratio);
    const { context, canvas } = drawn;
    if (canMove && Math.abs(shift) < width && from !== undefined) {
      if (shift !== 0) {
        context.setTransform(1, 0, 0, 1, 0, 0);
        context.drawImage(canvas, -shift, 0);
        const part = { fromPx: from, toPx: Math.ceil(right / ratio) + MARGIN_PX };
        this.#drawStrip(context, { left, right, height, ratio, ...part }, view, colors, drawPart);
      }
      // Not the view's start: errors below the tolerance must not add up.
      drawn.startMs += shift / perMs;
    } else {
      this.#drawStrip(
        context,
        { left: 0, right: width, height, ratio, fromPx: 0, toPx: view.widthPx },
        view,
        colors,
        drawPart,
      );
      Object.assign(drawn, { key: whole, colors, startMs: view.startMs });
    }
    target.drawImage(canvas, 0, 0, width, height, 0, 0, width / ratio, height / ratio);
  }

  #drawnFor(width: number, height: number, key: string, colors: Colors): Drawn | undefined {
    if (this.#drawn?.canvas.width === width && this.#drawn.canvas.height === height) return this.#drawn;
    const canvas = width > 0 && height > 0 ? this.#make?.(width, height) : undefined;
    const context = canvas?.getContext('2d', { alpha: false });
    this.#drawn = canvas && context ? { canvas, context, key: `not ${key}`, colors, startMs: 0 } : undefined;
    return this.#drawn;
  }

  /** Draws from `left` to `right`, device pixels, with what reaches in from beyond. */
  #drawStrip(
    context: Context,
    strip: { left: number; right: number; height: number; ratio: number; fromPx: number; toPx: number },
    { startMs, stopMs, widthPx }: TimeScale,
    colors: Colors,
    drawPart: DrawPart,
  ): void {
    const { left, right, height, ratio, fromPx, toPx } = strip;
    const msPerPx = (stopMs - startMs) / widthPx;
    context.save();
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.beginPath();
    context.rect(left, 0, right - left, height);
    context.clip();
    context.fillStyle = colors('surface');
    context.fillRect(left, 0, right - left, height);
    context.setTransform(ratio, 0, 0, ratio, fromPx * ratio, 0);
    // Both kinds of context draw alike.
    drawPart(context as CanvasRenderingContext2D, {
      startMs: startMs + fromPx * msPerPx,
      stopMs: startMs + toPx * msPerPx,
      widthPx: toPx - fromPx,
    });
    context.restore();
  }
}
