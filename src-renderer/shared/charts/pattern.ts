/** A fill pattern for every category, so that bands differ without colour too. */
import type { Category, ColorName, Colors, PathCategory } from './palette.ts';
import type { Surface } from './surface.ts';

export type { Category };

export const TILE_PX = 8;

export type Stroke = [number, number, number, number];

/** Line segments inside one 8 px tile; a dot is a segment of zero length. Lines continue seamlessly in the next tile. */
const STROKES: Record<Category, Stroke[]> = {
  sleeping: [
    [2, 2, 2, 2],
    [6, 6, 6, 6],
  ],
  lying: [
    [0, 2, 8, 2],
    [0, 6, 8, 6],
  ],
  leaning: [
    [0, 2, 4, 2],
    [4, 6, 8, 6],
  ],
  sitting: [],
  standing: [
    [2, 0, 2, 8],
    [6, 0, 6, 8],
  ],
  walking: [
    [-2, 10, 10, -2],
    [-2, 2, 2, -2],
    [6, 10, 10, 6],
  ],
  running: [
    [-2, 6, 6, -2],
    [-2, 10, 10, -2],
    [2, 10, 10, 2],
  ],
  cycling: [
    [-2, 10, 10, -2],
    [-2, -2, 10, 10],
  ],
  'moving-other': [
    [-2, -2, 10, 10],
    [6, -2, 10, 2],
    [-2, 6, 2, 10],
  ],
  'posture-upright': [[4, 0, 4, 8]],
  'posture-left': [[-2, -2, 10, 10]],
  'posture-right': [[-2, 10, 10, -2]],
  'posture-front': [[0, 4, 8, 4]],
  'posture-back': [[4, 4, 4, 4]],
  worn: [],
  'not-worn': [[-2, 10, 10, -2]],
  unknown: [
    [4, 2, 4, 6],
    [2, 4, 6, 4],
  ],
  gap: [
    [-2, 10, 10, -2],
    [-2, 2, 2, -2],
    [6, 10, 10, 6],
  ],
  'path-sensor': [
    [2, 2, 2, 2],
    [6, 6, 6, 6],
  ],
  'path-hub': [
    [0, 2, 8, 2],
    [0, 6, 8, 6],
  ],
  'path-arriving': [
    [0, 0, 4, 4],
    [4, 4, 0, 8],
  ],
  'path-verified': [[-2, 10, 10, -2]],
  'path-analysed': [],
  'path-decide': [
    [4, 0, 4, 8],
    [0, 4, 8, 4],
  ],
  'path-rejected': [
    [-2, 10, 10, -2],
    [-2, -2, 10, 10],
  ],
};

/** The same colours as on the pages about data coverage. */
const PATH_COLORS: Record<PathCategory, ColorName> = {
  'path-sensor': 'info',
  'path-hub': 'info',
  'path-arriving': 'info',
  'path-verified': 'good',
  'path-analysed': 'good',
  'path-decide': 'warn',
  'path-rejected': 'bad',
};

/** Absent data: lines on the plain surface instead of a filled band. */
const OUTLINED: ReadonlySet<Category> = new Set<Category>(['gap', 'not-worn']);

const DOTTED: ReadonlySet<Category> = new Set<Category>(['sleeping', 'posture-back', 'path-sensor']);

const isPath = (category: Category): category is PathCategory => category in PATH_COLORS;

export interface Pattern {
  /** Undefined where only the lines show, on the plain surface. */
  ground: ColorName | undefined;
  line: ColorName;
  opacity: number;
  widthPx: number;
  /** Lines end in half circles, so that those without a length are dots. */
  isDotted: boolean;
  strokes: readonly Stroke[];
}

export function patternOf(category: Category): Pattern {
  const isOutlined = OUTLINED.has(category);
  const isDotted = DOTTED.has(category);
  const color = isPath(category) ? PATH_COLORS[category] : category;
  return {
    ground: isOutlined ? undefined : color,
    line: isOutlined ? 'line-strong' : 'surface',
    opacity: isOutlined ? 0.45 : 0.6,
    widthPx: isDotted ? 1.6 : 1,
    isDotted,
    strokes: STROKES[category],
  };
}

const tiles = new WeakMap<Colors, Map<string, HTMLCanvasElement>>();

function tile(category: Category, colors: Colors, ratio: number): HTMLCanvasElement {
  const known = tiles.get(colors) ?? new Map<string, HTMLCanvasElement>();
  tiles.set(colors, known);
  const key = `${category} ${ratio}`;
  let canvas = known.get(key);
  if (canvas) return canvas;
  canvas = document.createElement('canvas');
  canvas.width = Math.round(TILE_PX * ratio);
  canvas.height = canvas.width;
  const context = canvas.getContext('2d')!;
  context.scale(canvas.width / TILE_PX, canvas.width / TILE_PX);
  const { ground, line, opacity, widthPx, isDotted, strokes } = patternOf(category);
  if (ground) {
    context.fillStyle = colors(ground);
    context.fillRect(0, 0, TILE_PX, TILE_PX);
  }
  context.strokeStyle = colors(line);
  context.globalAlpha = opacity;
  context.lineWidth = widthPx;
  context.lineCap = isDotted ? 'round' : 'butt';
  for (const [x1, y1, x2, y2] of strokes) {
    context.beginPath();
    context.moveTo(x1, y1);
    context.lineTo(x2 + (x1 === x2 && y1 === y2 ? 0.01 : 0), y2);
    context.stroke();
  }
  known.set(key, canvas);
  return canvas;
}

/** Returns the fill of a category. Its tile is in device pixels, so the pattern is scaled back to CSS pixels. */
export function categoryFill(context: Surface, category: Category, colors: Colors): CanvasPattern | string {
  if ('patternOf' in context) return context.patternOf(category);
  const ratio = context.getTransform().a;
  const pattern = context.createPattern(tile(category, colors, ratio), 'repeat')!;
  pattern.setTransform(new DOMMatrix().scale(1 / ratio));
  return pattern;
}
