/** Records what charts draw as SVG paths and texts, so that paper shows lines and letters instead of pixels. */
import type { Draw } from '../../../shared/charts/canvas.tsx';
import type { ColorName, Colors } from '../../../shared/charts/palette.ts';
import { type Category, patternOf } from '../../../shared/charts/pattern.ts';
import type { VectorSurface } from '../../../shared/charts/surface.ts';
import { hatch, round } from './hatch.ts';

export interface PathShape {
  kind: 'path';
  d: string;
  fill: string;
  stroke: string;
  widthPx: number;
  opacity: number;
  isRound: boolean;
}
export interface TextShape {
  kind: 'text';
  text: string;
  x: number;
  y: number;
  fill: string;
  font: string;
}
export type Shape = PathShape | TextShape;

/** Colours by name: the style sheet resolves them for paper, whatever the theme of the desk is. */
const color: Colors = (name: ColorName) => `var(--${name})`;

const PATTERN = 'pattern ';

let measuring: CanvasRenderingContext2D | null | undefined;

/** Widths of texts need the fonts of the browser; only their layout depends on them. */
function measured(text: string, font: string): TextMetrics {
  measuring ??= document.createElement('canvas').getContext('2d');
  if (!measuring) throw new Error('This browser has no canvas to measure texts with.');
  measuring.font = font;
  return measuring.measureText(text);
}

class Recorder implements VectorSurface {
  readonly shapes: Shape[] = [];
  fillStyle: VectorSurface['fillStyle'] = 'none';
  strokeStyle: VectorSurface['strokeStyle'] = 'none';
  lineWidth = 1;
  lineJoin: CanvasLineJoin = 'round';
  font = '11px sans-serif';
  textBaseline: CanvasTextBaseline = 'middle';
  #path = '';
  #left = 0;
  #top = 0;

  patternOf(category: Category): string {
    return `${PATTERN}${category}`;
  }

  translate(x: number, y: number): void {
    this.#left += x;
    this.#top += y;
  }

  fillRect(x: number, y: number, width: number, height: number): void {
    const [left, top] = [x + this.#left, y + this.#top];
    const d = `M${round(left)} ${round(top)}h${round(width)}v${round(height)}h${round(-width)}z`;
    const category = this.#category();
    if (!category) {
      this.#draw({ d, fill: String(this.fillStyle) });
      return;
    }
    const { ground, line, widthPx, opacity, isDotted, strokes } = patternOf(category);
    if (ground) this.#draw({ d, fill: color(ground) });
    const lines = hatch(strokes, { left, top, right: left + width, bottom: top + height });
    if (lines !== '') this.#draw({ d: lines, stroke: color(line), widthPx, opacity, isRound: isDotted });
  }

  strokeRect(x: number, y: number, width: number, height: number): void {
    const d = `M${round(x + this.#left)} ${round(y + this.#top)}h${round(width)}v${round(height)}h${round(-width)}z`;
    this.#draw({ d, stroke: String(this.strokeStyle), widthPx: this.lineWidth });
  }

  beginPath(): void {
    this.#path = '';
  }

  moveTo(x: number, y: number): void {
    this.#path += `M${round(x + this.#left)} ${round(y + this.#top)}`;
  }

  lineTo(x: number, y: number): void {
    this.#path += `L${round(x + this.#left)} ${round(y + this.#top)}`;
  }

  closePath(): void {
    this.#path += 'z';
  }

  roundRect(x: number, y: number, width: number, height: number, radii?: unknown): void {
    const r = Math.min(typeof radii === 'number' ? radii : 0, width / 2, height / 2);
    this.moveTo(x + r, y);
    const [across, down] = [round(width - 2 * r), round(height - 2 * r)];
    const corner = (dx: number, dy: number) => `a${round(r)} ${round(r)} 0 0 1 ${round(dx)} ${round(dy)}`;
    this.#path += `h${across}${corner(r, r)}v${down}${corner(-r, r)}h${-across}${corner(-r, -r)}v${-down}${corner(r, -r)}z`;
  }

  fill(): void {
    this.#draw({ d: this.#path, fill: String(this.fillStyle) });
  }

  stroke(): void {
    this.#draw({ d: this.#path, stroke: String(this.strokeStyle), widthPx: this.lineWidth });
  }

  fillText(text: string, x: number, y: number): void {
    const [left, top] = [round(x + this.#left), round(y + this.#top)];
    this.shapes.push({ kind: 'text', text, x: left, y: top, fill: String(this.fillStyle), font: this.font });
  }

  measureText(text: string): TextMetrics {
    return measured(text, this.font);
  }

  #category(): Category | undefined {
    const style = String(this.fillStyle);
    return style.startsWith(PATTERN) ? (style.slice(PATTERN.length) as Category) : undefined;
  }

  /** Paths of one style that follow one another become one, so that a ribbon is not a thousand elements. */
  #draw(path: Partial<PathShape> & Pick<PathShape, 'd'>): void {
    const next: PathShape = {
      kind: 'path',
      fill: 'none',
      stroke: 'none',
      widthPx: 0,
      opacity: 1,
      isRound: false,
      ...path,
    };
    const last = this.shapes.at(-1);
    const isSame =
      last?.kind === 'path' &&
      last.fill === next.fill &&
      last.stroke === next.stroke &&
      last.widthPx === next.widthPx &&
      last.opacity === next.opacity;
    if (isSame) last.d += next.d;
    else this.shapes.push(next);
  }
}

/** Returns the shapes that a chart draws. */
export function recordShapes(draw: Draw, widthPx: number, heightPx: number): Shape[] {
  const recorder = new Recorder();
  draw(recorder, widthPx, heightPx, color);
  return recorder.shapes;
}
