/** The lines of a fill pattern inside a rectangle, as an SVG path: a pattern of pixels would be an image in a PDF. Pure. */
import { type Stroke, TILE_PX } from '../../../shared/charts/pattern.ts';

export interface Box {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

export const round = (px: number) => Math.round(px * 100) / 100;

/** Returns the part of a line inside a box (Liang and Barsky); undefined where there is none. */
export function clipped([x1, y1, x2, y2]: Stroke, box: Box): Stroke | undefined {
  const [dx, dy] = [x2 - x1, y2 - y1];
  let from = 0;
  let to = 1;
  for (const [delta, room] of [
    [-dx, x1 - box.left],
    [dx, box.right - x1],
    [-dy, y1 - box.top],
    [dy, box.bottom - y1],
  ] as const) {
    if (delta === 0 && room < 0) return undefined;
    if (delta < 0) from = Math.max(from, room / delta);
    if (delta > 0) to = Math.min(to, room / delta);
  }
  return from <= to ? [x1 + from * dx, y1 + from * dy, x1 + to * dx, y1 + to * dy] : undefined;
}

/** Returns the lines of the tiles that cover a box, cut at its edges. The tiles begin at the origin, as those of a canvas do. */
export function hatch(strokes: readonly Stroke[], box: Box): string {
  const parts: string[] = [];
  if (strokes.length === 0) return '';
  for (let top = Math.floor(box.top / TILE_PX) * TILE_PX; top < box.bottom; top += TILE_PX)
    for (let left = Math.floor(box.left / TILE_PX) * TILE_PX; left < box.right; left += TILE_PX) {
      const tile = {
        left: Math.max(box.left, left),
        top: Math.max(box.top, top),
        right: Math.min(box.right, left + TILE_PX),
        bottom: Math.min(box.bottom, top + TILE_PX),
      };
      for (const [x1, y1, x2, y2] of strokes) {
        const line = clipped([x1 + left, y1 + top, x2 + left, y2 + top], tile);
        if (line) parts.push(`M${round(line[0])} ${round(line[1])}L${round(line[2])} ${round(line[3])}`);
      }
    }
  return parts.join('');
}
