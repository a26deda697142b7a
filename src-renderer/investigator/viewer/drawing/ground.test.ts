import { describe, expect, it } from 'vitest';
import type { TimeScale } from '../../../shared/charts/scale.ts';
import { CSS_PX_PER_MM, gridOf } from './grid.ts';
import { alignedBefore, Ground } from './ground.ts';
import { drawPaper } from './paint.ts';

const START = Date.UTC(2026, 2, 3, 14);
const PX_PER_MS = (25 * CSS_PX_PER_MM) / 1000;
const WIDTH = 1046;
const HEIGHT = 240;
const PLACE = { topPx: 0, heightPx: HEIGHT, zeroPx: 140, pxPerUnit: 10 * CSS_PX_PER_MM };

/** A canvas of one row of pixels: what is as high as the picture colours its columns. */
class Row {
  readonly pixels: string[];
  fillStyle = '';
  filled = 0;
  #scale = 1;
  #leftPx = 0;
  #clip: [number, number];
  readonly width: number;
  readonly height: number;

  constructor(width: number, height = HEIGHT) {
    this.width = width;
    this.height = height;
    this.pixels = Array.from({ length: width }, () => 'nothing');
    this.#clip = [0, width];
  }
  getContext = () => this;
  setTransform = (scale: number, _b: number, _c: number, _d: number, leftPx: number) => {
    this.#scale = scale;
    this.#leftPx = leftPx;
  };
  save = () => undefined;
  beginPath = () => undefined;
  rect = (x: number, _y: number, width: number) => {
    this.#clip = [x, x + width];
  };
  clip = () => undefined;
  restore = () => {
    this.#clip = [0, this.width];
  };
  fillRect = (x: number, _y: number, width: number, height: number) => {
    if (height < HEIGHT) return;
    const left = x * this.#scale + this.#leftPx;
    for (let px = Math.round(left); px < Math.round(left + width * this.#scale); px++) {
      if (px < this.#clip[0] || px >= this.#clip[1]) continue;
      this.pixels[px] = this.fillStyle;
      this.filled++;
    }
  };
  drawImage = ({ pixels }: Row, leftPx: number) => {
    const copy = [...pixels];
    for (const [px, color] of copy.entries())
      if (px + leftPx >= 0 && px + leftPx < this.width) this.pixels[px + leftPx] = color;
  };
}

const draw = (context: CanvasRenderingContext2D, part: TimeScale, ratio: number) =>
  drawPaper(context, part, PLACE, gridOf(PX_PER_MS, PLACE.pxPerUnit), (name) => name, ratio);

/** Pans by steps in CSS pixels; returns the pixels after each, the same drawn at once, and how many pixels were filled. */
function pan(ratio: number, steps: readonly number[]) {
  const made: Row[] = [];
  const make = (width: number, height: number) => {
    const row = new Row(width, height);
    made.push(row);
    return row as unknown as OffscreenCanvas;
  };
  const ground = new Ground(make);
  const colors = (name: string) => name;
  let atPx = 0;
  return [0, ...steps].map((step) => {
    atPx += step;
    const startMs = START + 13 + atPx / PX_PER_MS;
    const view = { startMs, stopMs: startMs + WIDTH / PX_PER_MS, widthPx: WIDTH };
    const target = { drawImage: () => undefined } as unknown as CanvasRenderingContext2D;
    const facts = { heightPx: HEIGHT, ratio, key: 'one', colors };
    const before = made[0]?.filled ?? 0;
    ground.draw(target, view, facts, (context, part) => draw(context, part, ratio));
    const whole = new Row(Math.floor(WIDTH * ratio));
    whole.fillStyle = 'surface';
    whole.fillRect(0, 0, whole.width, HEIGHT);
    whole.setTransform(ratio, 0, 0, ratio, 0);
    draw(whole as unknown as CanvasRenderingContext2D, view, ratio);
    return { pixels: [...made[0]!.pixels], wanted: whole.pixels, filled: made[0]!.filled - before };
  });
}

describe('the ground of a view', () => {
  it.each([1, 2])('shows every pixel as a whole drawing does, at a ratio of %s', (ratio) => {
    const frames = pan(ratio, [...Array(60).fill(30), -30, -7, -300, 1, 500, ...Array(20).fill(-45)]);
    // A whole drawing leaves out lines whose middle is beyond an edge.
    for (const { pixels, wanted } of frames) expect(pixels.slice(1, -1)).toEqual(wanted.slice(1, -1));
  });

  it('draws what a pan uncovers', () => {
    const [first, ...moved] = pan(1, Array<number>(40).fill(30));
    for (const { filled } of moved) expect(filled).toBeLessThan(first!.filled / 10);
  });

  it('draws all of it after a pan by a part of a pixel', () => {
    const [first, second] = pan(1, [12.4]);
    expect(second!.pixels).toEqual(second!.wanted);
    expect(second!.filled).toBeGreaterThan(first!.filled * 0.9);
  });

  it.each([
    [101.7, 1, 101],
    [101.7, 1.5, 100],
    [101.7, 1.25, 100],
    [101.7, 2, 101],
    [101.7, Math.SQRT2, undefined],
  ])('begins a strip at %s px, ratio %s, on a pixel of both kinds', (px, ratio, expected) => {
    expect(alignedBefore(px, ratio)).toBe(expected);
  });
});
