/** Drawing primitives of lanes: bands, ribbons, lines, bars and gaps on one time scale. */

import { type Band, layoutBands } from './bands.ts';
import { CANVAS_FACES } from './fonts.ts';
import type { ColorName, Colors } from './palette.ts';
import { type Category, categoryFill } from './pattern.ts';
import { type TimeScale, toPx } from './scale.ts';
import { type Envelope, runs, type Series } from './series.ts';
import type { Surface } from './surface.ts';

const LABEL_FONT = `600 11px ${CANVAS_FACES}`;
const LABEL_PAD_PX = 5;

export interface BandStyle {
  category: Category;
  label: string;
  /** Used where the label does not fit. */
  shortLabel?: string;
  /** Share of the lane's height that the band fills from the bottom, 0 to 1. */
  level: number;
}

export interface ValueRange {
  low: number;
  high: number;
}

/** Draws bands, with their names where they fit. A name lies on an opaque plate, so that no pattern crosses it. */
export function drawBands<T>(
  context: Surface,
  bands: readonly Band<T>[],
  styleOf: (value: T) => BandStyle,
  scale: TimeScale,
  heightPx: number,
  colors: Colors,
): void {
  context.font = LABEL_FONT;
  context.textBaseline = 'middle';
  for (const box of layoutBands(bands, scale)) {
    const style = styleOf(box.value);
    const height = Math.round(heightPx * style.level);
    const top = heightPx - height;
    context.fillStyle = categoryFill(context, style.category, colors);
    context.fillRect(box.leftPx, top, box.widthPx, height);
    if (style.category === 'not-worn') {
      context.strokeStyle = colors('line-strong');
      context.strokeRect(box.leftPx + 0.5, top + 0.5, box.widthPx - 1, height - 1);
    }
    const fits = (text: string | undefined) =>
      text !== undefined && text !== '' && context.measureText(text).width + 2 * LABEL_PAD_PX + 4 <= box.widthPx;
    const text = fits(style.label) ? style.label : fits(style.shortLabel) ? style.shortLabel : undefined;
    if (text === undefined || height < 15) continue;
    const plateWidth = context.measureText(text).width + 2 * LABEL_PAD_PX;
    const middle = top + height / 2;
    const left = box.leftPx + (box.widthPx - plateWidth) / 2;
    context.fillStyle = colors('surface');
    context.beginPath();
    context.roundRect(left, middle - 8, plateWidth, 16, 3);
    context.fill();
    context.fillStyle = colors('text');
    context.fillText(text, left + LABEL_PAD_PX, middle + 0.5);
  }
}

/** Hatches spans without a recording over the whole height of a lane, with a label where it fits. */
export function drawGaps(
  context: Surface,
  gaps: readonly { startMs: number; stopMs: number }[],
  scale: TimeScale,
  heightPx: number,
  colors: Colors,
  labelsOf?: (gap: { startMs: number; stopMs: number }) => Pick<BandStyle, 'label' | 'shortLabel'>,
): void {
  drawBands(
    context,
    gaps.map((gap) => ({ ...gap, value: gap })),
    (gap) => ({ category: 'gap', level: 1, label: '', ...labelsOf?.(gap) }),
    scale,
    heightPx,
    colors,
  );
}

/** Shades the time that has not come yet, flat where a gap is hatched, with a line at its beginning. */
export function drawNotYet(
  context: Surface,
  untilMs: number,
  scale: TimeScale,
  heightPx: number,
  colors: Colors,
): void {
  if (untilMs >= scale.stopMs) return;
  const left = Math.max(0, toPx(scale, untilMs));
  context.fillStyle = colors('line-soft');
  context.fillRect(left, 0, scale.widthPx - left, heightPx);
  if (untilMs < scale.startMs) return;
  context.fillStyle = colors('accent');
  context.fillRect(left, 0, 1.5, heightPx);
}

const toY = (value: number, range: ValueRange, heightPx: number) =>
  heightPx - 3 - ((value - range.low) / (range.high - range.low)) * (heightPx - 6);

/** Fills each pixel column from the lowest to the highest value. */
export function drawRibbon(
  context: Surface,
  { low, high }: Envelope,
  range: ValueRange,
  heightPx: number,
  color: string,
): void {
  context.fillStyle = color;
  for (let column = 0; column < low.length; column++) {
    if (Number.isNaN(low[column])) continue;
    const top = toY(high[column]!, range, heightPx);
    context.fillRect(column, top, 1, Math.max(1, toY(low[column]!, range, heightPx) - top));
  }
}

/** Draws a line through the middles of bins. A gap interrupts it, and a single bin is a dot. */
export function drawLine(
  context: Surface,
  series: Series,
  scale: TimeScale,
  range: ValueRange,
  heightPx: number,
  color: string,
): void {
  context.strokeStyle = color;
  context.fillStyle = color;
  context.lineWidth = 1.4;
  context.lineJoin = 'round';
  const x = (index: number) => toPx(scale, series.times[index]! + series.intervalMs / 2);
  for (const [first, last] of runs(series)) {
    if (x(last) < -2 || x(first) > scale.widthPx + 2) continue;
    if (first === last) {
      context.fillRect(x(first) - 1, toY(series.values[first]!, range, heightPx) - 1, 2, 2);
      continue;
    }
    context.beginPath();
    for (let i = first; i <= last; i++) {
      const y = toY(series.values[i]!, range, heightPx);
      if (i === first) context.moveTo(x(i), y);
      else context.lineTo(x(i), y);
    }
    context.stroke();
  }
}

/** Draws one bar per bin from zero. A value of zero is a hairline, which distinguishes it from missing data. */
export function drawBars(
  context: Surface,
  series: Series,
  scale: TimeScale,
  highest: number,
  heightPx: number,
  color: string,
): void {
  context.fillStyle = color;
  for (const [i, time] of series.times.entries()) {
    const value = series.values[i] ?? null;
    if (value === null) continue;
    const left = toPx(scale, time);
    const right = toPx(scale, time + series.intervalMs);
    if (right < 0 || left > scale.widthPx) continue;
    const height = value === 0 ? 1 : Math.max(2, (value / highest) * (heightPx - 4));
    context.fillRect(left + 0.5, heightPx - height, Math.max(1, right - left - 1), height);
  }
}

/** Draws horizontal lines at the multiples of a step. */
export function drawGrid(
  context: Surface,
  range: ValueRange & { step: number },
  widthPx: number,
  heightPx: number,
  colors: Colors,
  color: ColorName = 'line-soft',
): void {
  context.fillStyle = colors(color);
  for (let value = range.low; value <= range.high + range.step / 1e6; value += range.step) {
    context.fillRect(0, Math.round(toY(value, range, heightPx)), widthPx, 1);
  }
}
