/** Marks: named points and spans on the time axis, on as many rows as their names need. */
import { CANVAS_FACES } from './fonts.ts';
import type { ColorName, Colors } from './palette.ts';
import { type TimeScale, toPx } from './scale.ts';
import type { Surface } from './surface.ts';

export interface MarkSpan {
  startMs: number;
  /** Equal to `startMs` for a point. */
  stopMs: number;
}

export interface MarkStyle {
  color: ColorName;
  /** Drawn as an outline, so that kinds differ without colour too. */
  isOutlined: boolean;
  label: string;
}

export const MARK_ROW_PX = 18;
const BAR_PX = 12;
const POINT_PX = 9;
const LABEL_FONT = `11px ${CANVAS_FACES}`;
const LABEL_GAP_PX = 4;

/** Puts marks on rows, each on the first free one. A point takes `minMs`. Marks must be in order of their start. */
export function markRows<T extends MarkSpan>(marks: readonly T[], minMs: number, maxRows: number): T[][] {
  const rows: T[][] = [];
  const ends: number[] = [];
  for (const mark of marks) {
    const free = ends.findIndex((end) => end <= mark.startMs);
    const row = free >= 0 ? free : rows.length < maxRows ? rows.length : ends.indexOf(Math.min(...ends));
    const target = rows[row] ?? [];
    rows[row] = target;
    target.push(mark);
    ends[row] = Math.max(ends[row] ?? 0, mark.stopMs, mark.startMs + minMs);
  }
  return rows;
}

/** Returns the marks at an instant; points count within `reachMs`. */
export function marksAt<T extends MarkSpan>(marks: readonly T[], ms: number, reachMs: number): T[] {
  return marks.filter((mark) => ms >= mark.startMs - reachMs && ms < Math.max(mark.stopMs, mark.startMs + reachMs));
}

/** Draws spans as bars and points as diamonds, each with its name where there is room. */
export function drawMarks<T extends MarkSpan>(
  context: Surface,
  rows: readonly (readonly T[])[],
  styleOf: (mark: T) => MarkStyle,
  scale: TimeScale,
  colors: Colors,
): void {
  context.font = LABEL_FONT;
  context.textBaseline = 'middle';
  context.lineWidth = 1.5;
  for (const [index, row] of rows.entries()) {
    const middle = (index + 0.5) * MARK_ROW_PX + 1;
    for (const [place, mark] of row.entries()) {
      const left = toPx(scale, mark.startMs);
      const width = Math.max(0, toPx(scale, mark.stopMs) - left);
      if (left + width < -POINT_PX || left > scale.widthPx + POINT_PX) continue;
      const { color, isOutlined, label } = styleOf(mark);
      context.fillStyle = isOutlined ? colors('surface') : colors(color);
      context.strokeStyle = colors(color);
      context.beginPath();
      const isPoint = width < POINT_PX;
      if (isPoint) {
        context.moveTo(left, middle - POINT_PX / 2);
        context.lineTo(left + POINT_PX / 2, middle);
        context.lineTo(left, middle + POINT_PX / 2);
        context.lineTo(left - POINT_PX / 2, middle);
        context.closePath();
      } else context.roundRect(left, middle - BAR_PX / 2, width, BAR_PX, 3);
      context.fill();
      context.stroke();
      const from = left + (isPoint ? POINT_PX / 2 : width) + LABEL_GAP_PX;
      const next = row[place + 1];
      const room = (next ? toPx(scale, next.startMs) - POINT_PX : scale.widthPx) - from;
      if (context.measureText(label).width > room) continue;
      context.fillStyle = colors('text');
      context.fillText(label, from, middle + 0.5);
    }
  }
}
