/**
 * Millimetre paper below a trace. Its lines are drawn once on a sheet wider than the screen, and a pan copies the part in view:
 * hundreds of lines per frame become one picture. A sheet is used only where it shows each line on the same device pixel as
 * drawing it would.
 */
import type { Colors } from '../../../shared/charts/palette.ts';
import { type TimeScale, toPx } from '../../../shared/charts/scale.ts';
import type { Grid } from './grid.ts';
import { type LanePlace, yOf } from './paint.ts';

type Context = Pick<CanvasRenderingContext2D, 'fillStyle' | 'fillRect' | 'drawImage'>;

/** How far a line may be from where it would be drawn, device pixels. */
const TOLERANCE_PX = 0.02;
/** Widths of the screen on a sheet. */
const SHEET_WIDTHS = 3;
/** One for each electric lane, and those of the views before. */
const MAX_SHEETS = 4;

/** Draws grid lines on whole device pixels, so that none is blurred or off by more than half a device pixel. */
function drawLines(
  context: Context,
  scale: TimeScale,
  place: LanePlace,
  stepMs: number,
  stepValue: number,
  ratio: number,
): void {
  const thick = Math.max(1, Math.floor(ratio));
  const at = (px: number) => Math.round(px * ratio - thick / 2) / ratio;
  const bottom = place.topPx + place.heightPx;
  const thickPx = thick / ratio;
  for (let k = Math.ceil(scale.startMs / stepMs); k * stepMs <= scale.stopMs; k++)
    context.fillRect(at(toPx(scale, k * stepMs)), place.topPx, thickPx, place.heightPx);
  const low = Math.ceil((place.zeroPx - bottom) / place.pxPerUnit / stepValue);
  const high = Math.floor((place.zeroPx - place.topPx) / place.pxPerUnit / stepValue);
  for (let k = low; k <= high; k++) context.fillRect(0, at(yOf(place, k * stepValue)), scale.widthPx, thickPx);
}

export function drawPaper(
  context: Context,
  scale: TimeScale,
  place: LanePlace,
  grid: Grid,
  colors: Colors,
  ratio: number,
): void {
  context.fillStyle = colors('paper-fine');
  drawLines(context, scale, place, grid.fineMs, grid.fineMv, ratio);
  context.fillStyle = colors('paper-bold');
  drawLines(context, scale, place, grid.boldMs, grid.boldMv, ratio);
}

interface Sheet {
  canvas: OffscreenCanvas;
  /** Time at the left edge. */
  startMs: number;
}

/** Draws paper from sheets. The paper of a zoom that shows for one frame, or pans by parts of a pixel, is drawn directly. */
export class PaperSheets {
  readonly #sheets = new Map<string, Sheet>();
  /** Where the last view of each paper began, to see whether it moves by whole device pixels. */
  readonly #lastStartMs = new Map<string, number>();
  readonly #make: ((widthPx: number, heightPx: number) => OffscreenCanvas) | undefined;

  constructor(
    make: ((widthPx: number, heightPx: number) => OffscreenCanvas) | undefined = typeof OffscreenCanvas === 'function'
      ? (widthPx, heightPx) => new OffscreenCanvas(widthPx, heightPx)
      : undefined,
  ) {
    this.#make = make;
  }

  draw(context: Context, scale: TimeScale, place: LanePlace, grid: Grid, colors: Colors, ratio: number): void {
    const copy = this.#copyOf(scale, place, grid, colors, ratio);
    if (!copy) {
      drawPaper(context, scale, place, grid, colors, ratio);
      return;
    }
    const { canvas, leftPx, widthDevicePx: width, heightDevicePx: height } = copy;
    context.drawImage(canvas, leftPx, 0, width, height, 0, place.topPx, width / ratio, height / ratio);
  }

  /** The part of a sheet that shows the view; undefined where the paper has to be drawn. */
  #copyOf(scale: TimeScale, place: LanePlace, grid: Grid, colors: Colors, ratio: number) {
    const { topPx, heightPx, zeroPx, pxPerUnit } = place;
    const { startMs, stopMs, widthPx } = scale;
    const devicePxPerMs = (widthPx * ratio) / (stopMs - startMs);
    const heightDevicePx = Math.round(heightPx * ratio);
    const isWhole = [topPx * ratio, heightPx * ratio].every((px) => Math.abs(px - Math.round(px)) < 1e-6);
    const colours = ['surface', 'paper-fine', 'paper-bold'] as const;
    const key = [
      // A length that the view's start and end make a little different each time.
      devicePxPerMs.toPrecision(9),
      ...[widthPx, ratio, heightPx, (zeroPx - topPx).toFixed(3), pxPerUnit.toPrecision(9)],
      ...colours.map((name) => colors(name)),
    ].join(' ');
    const lastMs = this.#lastStartMs.get(key);
    if (this.#lastStartMs.size > MAX_SHEETS * 4) this.#lastStartMs.clear();
    this.#lastStartMs.set(key, startMs);
    /** Whole device pixels from one time to another; undefined where a part of a pixel is left. */
    const wholePx = (fromMs: number) => {
      const px = (startMs - fromMs) * devicePxPerMs;
      return Math.abs(px - Math.round(px)) <= TOLERANCE_PX ? Math.round(px) : undefined;
    };
    const widthDevicePx = Math.floor(widthPx * ratio);
    const known = this.#sheets.get(key);
    const offset = known && wholePx(known.startMs);
    const isOnSheet = offset !== undefined && offset >= 0 && offset <= widthDevicePx * (SHEET_WIDTHS - 1);
    const isPan = lastMs !== undefined && lastMs !== startMs && wholePx(lastMs) !== undefined;
    if (!isWhole || (!isOnSheet && !isPan)) return undefined;
    let sheet = known;
    let leftPx = offset ?? 0;
    if (!sheet || !isOnSheet) {
      leftPx = Math.round((widthDevicePx * (SHEET_WIDTHS - 1)) / 2);
      sheet = this.#sheetFrom(startMs - leftPx / devicePxPerMs, scale, place, grid, colors, ratio);
      if (!sheet) return undefined;
      if (this.#sheets.size >= MAX_SHEETS) this.#sheets.clear();
      this.#sheets.set(key, sheet);
    }
    return { canvas: sheet.canvas, leftPx, widthDevicePx, heightDevicePx };
  }

  #sheetFrom(
    startMs: number,
    scale: TimeScale,
    { heightPx, topPx, zeroPx, pxPerUnit }: LanePlace,
    grid: Grid,
    colors: Colors,
    ratio: number,
  ): Sheet | undefined {
    const widthPx = scale.widthPx * SHEET_WIDTHS;
    const canvas = this.#make?.(Math.ceil(widthPx * ratio), Math.round(heightPx * ratio));
    const context = canvas?.getContext('2d', { alpha: false });
    if (!canvas || !context) return undefined;
    context.scale(ratio, ratio);
    context.fillStyle = colors('surface');
    context.fillRect(0, 0, widthPx, heightPx);
    const stopMs = startMs + (scale.stopMs - scale.startMs) * SHEET_WIDTHS;
    const place = { topPx: 0, heightPx, zeroPx: zeroPx - topPx, pxPerUnit };
    drawPaper(context as Context, { startMs, stopMs, widthPx }, place, grid, colors, ratio);
    return { canvas, startMs };
  }
}
