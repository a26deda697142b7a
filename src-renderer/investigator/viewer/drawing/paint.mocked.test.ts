import { describe, expect, it, vi } from 'vitest';
import { CSS_PX_PER_MM, gridOf } from './grid.ts';
import { drawPaper, drawQuality, drawTrace, shareOfBinsOutside, shareOutside } from './paint.ts';

// A canvas pattern exists only in a browser.
vi.mock(import('../../../shared/charts/pattern.ts'), async (original) => ({
  ...(await original()),
  categoryFill: (_context, category) => `pattern of ${category}` as unknown as CanvasPattern,
}));

const START = Date.UTC(2026, 2, 3, 14);

describe('a trace', () => {
  const MOST_POINTS = 5000;

  /** A context that records the points of its path. */
  function recorder() {
    const points: [number, number][] = [];
    const moves: number[] = [];
    const context = {
      beginPath: () => undefined,
      stroke: () => undefined,
      moveTo: (x: number, y: number) => {
        moves.push(points.length);
        points.push([x, y]);
      },
      lineTo: (x: number, y: number) => {
        if (points.push([x, y]) > MOST_POINTS) throw new Error('The path does not end.');
      },
    } as unknown as CanvasRenderingContext2D;
    return { context, points, moves };
  }
  const place = { topPx: 0, heightPx: 200, zeroPx: 100, pxPerUnit: 10 };

  it('with several samples per pixel ends, at every offset of the window between two samples', () => {
    const timesMs = Float64Array.from({ length: 2600 }, (_, i) => START + i * 4);
    const values = [Float32Array.from({ length: 2600 }, (_, i) => (i === 1300 ? 5 : 0))];
    for (let step = 0; step < 1200; step++) {
      const startMs = START + (step * 30 * 10_000) / 1127 / 64;
      const { context, points, moves } = recorder();
      const scale = { startMs, stopMs: startMs + 10_000, widthPx: 1127 };
      drawTrace(context, [{ timesMs, values, periodMs: 4 }], 0, scale, place, 'black');
      expect(Math.min(...points.map(([, y]) => y))).toBe(50);
      expect(moves).toEqual([0]);
    }
  });
});

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

describe('signal quality', () => {
  it('can be read without colour: each quality has its own height, and no contact is hatched', () => {
    const drawn: { height: number; isPattern: boolean }[] = [];
    const fake = {
      fillStyle: '',
      fillRect: (_x: number, _y: number, _width: number, height: number) =>
        drawn.push({ height, isPattern: fake.fillStyle.startsWith('pattern') }),
    };
    const context = fake as unknown as CanvasRenderingContext2D;
    const scale = { startMs: START, stopMs: START + 5000, widthPx: 500 };
    drawQuality(context, { startTs: START, values: [90, 30, 5, null, -1] }, scale, 0, 10, () => 'grey');
    expect(drawn.map(({ isPattern }) => isPattern)).toEqual([false, false, false, true]);
    const [good, noisy, unreadable] = drawn;
    expect(good!.height - noisy!.height).toBeGreaterThanOrEqual(3);
    expect(noisy!.height - unreadable!.height).toBeGreaterThanOrEqual(3);
  });
});

it('knows the share of the samples in view that a lane has no room for', () => {
  const place = { topPx: 0, heightPx: 200, zeroPx: 100, pxPerUnit: 10 };
  const scale = { startMs: START, stopMs: START + 40, widthPx: 100 };
  const run = (...millivolts: number[]) => ({
    timesMs: Float64Array.from(millivolts, (_, i) => START + i * 10),
    values: [Float32Array.from(millivolts)],
    periodMs: 10,
  });
  expect(shareOutside([run(11, -11, 3, 9)], scale, place)).toBe(0.5);
  // The last two lie outside of the view.
  expect(shareOutside([run(1, 2, 3, 4, 99, 99)], scale, place)).toBe(0);
  expect(shareOutside([], scale, place)).toBe(0);
});

it('knows the share of the bins in view that lie outside of a lane as a whole', () => {
  const place = { topPx: 0, heightPx: 200, zeroPx: 100, pxPerUnit: 10 };
  const scale = { startMs: START, stopMs: START + 4000, widthPx: 100 };
  const bins = (...pairs: ([number, number] | null)[]) => ({
    startTs: START,
    binMs: 1000,
    minima: { v: pairs.map((pair) => pair?.[0] ?? null) },
    maxima: { v: pairs.map((pair) => pair?.[1] ?? null) },
  });
  const share = (...pairs: Parameters<typeof bins>) => shareOfBinsOutside([bins(...pairs)], 'v', 1000, scale, place);
  expect(share([0.011, 0.02], [-0.02, -0.011], null, [-0.02, 0.02])).toBeCloseTo(2 / 3, 9);
  // The last bin lies outside of the view.
  expect(share([0, 0.001], [0, 0.001], [0, 0.001], [0, 0.001], [0.02, 0.03])).toBe(0);
  expect(share(null, null)).toBe(0);
});
