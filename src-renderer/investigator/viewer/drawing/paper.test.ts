import { describe, expect, it } from 'vitest';
import { CSS_PX_PER_MM, gridOf } from './grid.ts';
import { drawPaper, PaperSheets } from './paper.ts';

const START = Date.UTC(2026, 2, 3, 14);

describe('paper on a screen', () => {
  it.each([1, 1.25, 1.5, 2, 3])(
    'draws every line on whole device pixels, off by at most half a pixel, at a ratio of %s',
    (ratio) => {
      const drawn: { x: number; width: number; height: number }[] = [];
      const context = {
        fillRect: (x: number, _y: number, width: number, height: number) => drawn.push({ x, width, height }),
      } as unknown as CanvasRenderingContext2D;
      const pxPerMs = (25 * CSS_PX_PER_MM) / 1000;
      const scale = { startMs: START + 13, stopMs: START + 13 + 1000 / pxPerMs, widthPx: 1000 };
      const place = { topPx: 0, heightPx: 200, zeroPx: 100, pxPerUnit: 10 * CSS_PX_PER_MM };
      drawPaper(context, scale, place, gridOf(pxPerMs, place.pxPerUnit), () => 'red', ratio);
      const upright = drawn.filter(({ height }) => height === 200);
      expect(upright.length).toBeGreaterThan(300);
      for (const { x, width } of upright) {
        const middleMs = scale.startMs + (x + width / 2) / pxPerMs;
        const line = Math.round(middleMs / 40) * 40;
        expect(Math.abs(x * ratio - Math.round(x * ratio))).toBeLessThan(1e-6);
        expect(Math.abs(middleMs - line) * pxPerMs * ratio).toBeLessThanOrEqual(0.5 + 1e-3);
      }
    },
  );
});

describe('a sheet of paper', () => {
  interface Line {
    x: number;
    y: number;
    width: number;
  }
  /** A context that records lines, in device pixels, and a sheet that was copied in their place. */
  function recorder(ratio: number) {
    const lines: Line[] = [];
    const copied: { sheet: Line[]; leftPx: number }[] = [];
    const context = {
      fillStyle: '',
      fillRect: (x: number, y: number, width: number) =>
        lines.push({ x: Math.round(x * ratio), y: Math.round(y * ratio), width: Math.round(width * ratio) }),
      drawImage: (sheet: { lines: Line[] }, leftPx: number) => copied.push({ sheet: sheet.lines, leftPx }),
      scale: () => undefined,
    };
    return { context: context as unknown as CanvasRenderingContext2D, lines, copied };
  }

  it.each([1, 1.5, 2])(
    'shows each line on the pixel where it would be drawn, while panning at a ratio of %s',
    (ratio) => {
      let made = 0;
      const sheets = new PaperSheets((widthPx) => {
        made++;
        const { context, lines } = recorder(ratio);
        return { width: widthPx, lines, getContext: () => context } as unknown as OffscreenCanvas;
      });
      const widthPx = 1046;
      const pxPerMs = (25 * CSS_PX_PER_MM) / 1000;
      const place = { topPx: 34, heightPx: 240, zeroPx: 34 + 240 * 0.58, pxPerUnit: 10 * CSS_PX_PER_MM };
      const grid = gridOf(pxPerMs, place.pxPerUnit);
      let fromSheet = 0;
      for (let frame = 0; frame < 200; frame++) {
        const startMs = START + 13 + (frame * 30) / pxPerMs;
        const scale = { startMs, stopMs: startMs + widthPx / pxPerMs, widthPx };
        const ours = recorder(ratio);
        sheets.draw(ours.context, scale, place, grid, () => 'red', ratio);
        const direct = recorder(ratio);
        drawPaper(direct.context, scale, place, grid, () => 'red', ratio);
        const [copy] = ours.copied;
        if (!copy) {
          expect(ours.lines).toEqual(direct.lines);
          continue;
        }
        fromSheet++;
        const widthDevicePx = Math.floor(widthPx * ratio);
        const isVertical = ({ width }: Line) => width < 4;
        const seen = copy.sheet
          .filter(isVertical)
          .map(({ x }) => x - copy.leftPx)
          .filter((x) => x > 0 && x < widthDevicePx - 1);
        const wanted = direct.lines
          .filter(isVertical)
          .map(({ x }) => x)
          .filter((x) => x > 0 && x < widthDevicePx - 1);
        expect(new Set(seen)).toEqual(new Set(wanted));
        const across = (lines: Line[], topPx: number) =>
          new Set(
            lines
              .filter(({ width, y }) => width >= widthDevicePx && y > topPx * ratio)
              .map(({ y }) => y - topPx * ratio),
          );
        expect(across(copy.sheet, 0)).toEqual(across(direct.lines, place.topPx));
      }
      expect(fromSheet).toBeGreaterThan(190);
      // A sheet lasts for as many frames as its margins are wide.
      expect(made).toBeLessThan(10);
    },
  );

  it('is not made for a pan by parts of a device pixel, nor for a single picture', () => {
    let made = 0;
    const sheets = new PaperSheets(() => {
      made++;
      throw new Error('no sheet is needed');
    });
    const place = { topPx: 0, heightPx: 240, zeroPx: 120, pxPerUnit: 40 };
    for (const startMs of [START, START + 1.3, START + 4.9]) {
      const { context, lines } = recorder(1);
      const scale = { startMs, stopMs: startMs + 10_000, widthPx: 1000 };
      sheets.draw(context, scale, place, gridOf(0.1, 40), () => 'red', 1);
      expect(lines.length).toBeGreaterThan(100);
    }
    expect(made).toBe(0);
  });
});
