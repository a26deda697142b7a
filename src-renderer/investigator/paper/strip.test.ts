import { describe, expect, it } from 'vitest';
import type { ChannelSamples } from '../viewer/data/samples.ts';
import { usualPaper } from './papers.ts';
import { LONGEST_MS, levelOf, pagesOf, stripSpan } from './strip-layout.ts';
import { clipPath, drawLine, gapsBetween, gridPath, hatchPath, tracePath } from './strip-paths.ts';

const START_MS = 1_700_000_000_000;
const LINE = { startMs: START_MS, stopMs: START_MS + 10_000 };

/** Samples every `periodMs` from one time to another, ms after the start. */
function run(fromMs: number, toMs: number, periodMs: number, mvAt: (ms: number) => number): ChannelSamples {
  const count = Math.floor((toMs - fromMs) / periodMs);
  const timesMs = Float64Array.from({ length: count }, (_, i) => START_MS + fromMs + i * periodMs);
  return { timesMs, values: [Float32Array.from(timesMs, (ms) => mvAt(ms - START_MS))], periodMs };
}

const pointsOf = (path: string) =>
  [...path.matchAll(/([ML])(-?[\d.]+) (-?[\d.]+)/g)].map(
    ([, command, x, y]) => [command, Number(x), Number(y)] as const,
  );

describe('span of a strip', () => {
  const recording = { startMs: START_MS + 300, stopMs: START_MS + 3_600_300 };

  it('takes whole seconds, so that marks of time stand on bold lines', () => {
    const window = { startMs: START_MS + 5_250, stopMs: START_MS + 15_250 };
    expect(stripSpan(window, recording)).toEqual({ startMs: START_MS + 5000, stopMs: START_MS + 16_000, isCut: false });
  });

  it('keeps to the recording, also with a window beside it', () => {
    const whole = stripSpan({ startMs: START_MS - 60_000, stopMs: START_MS + 10_000 }, recording);
    expect(whole).toMatchObject({ startMs: START_MS, stopMs: START_MS + 10_000 });
    const after = stripSpan({ startMs: START_MS + 9e6, stopMs: START_MS + 9e6 + 10_000 }, recording);
    expect(after).toMatchObject({ startMs: START_MS + 3_600_000, stopMs: START_MS + 3_601_000 });
    const before = stripSpan({ startMs: START_MS - 9e6, stopMs: START_MS - 8e6 }, recording);
    expect(before).toMatchObject({ startMs: START_MS, stopMs: START_MS + 1000 });
    const turned = stripSpan({ startMs: START_MS + 20_000, stopMs: START_MS + 10_000 }, recording);
    expect(turned.stopMs).toBeGreaterThan(turned.startMs);
  });

  it('is cut at the longest, and says so', () => {
    const cut = stripSpan({ startMs: START_MS, stopMs: START_MS + 2 * LONGEST_MS }, recording);
    expect(cut).toEqual({ startMs: START_MS, stopMs: START_MS + LONGEST_MS, isCut: true });
  });
});

it('fills pages with lines of ten seconds and ends with a shorter line', () => {
  const pages = pagesOf({ startMs: START_MS, stopMs: START_MS + 83_000 });
  expect(pages.map((lines) => lines.length)).toEqual([4, 4, 1]);
  expect(pages[2]![0]).toEqual({ startMs: START_MS + 80_000, stopMs: START_MS + 83_000 });
  expect(
    pages
      .flat()
      .slice(1)
      .every(({ startMs }, i) => startMs === pages.flat()[i]!.stopMs),
  ).toBe(true);
});

it('draws 25 mm/s and 10 mm/mV, upwards', () => {
  const points = pointsOf(tracePath([run(0, 10_000, 4, (ms) => (ms === 4000 ? 1 : 0))], LINE, 0));
  expect(points).toHaveLength(2500);
  expect(points[0]).toEqual(['M', 0, 20]);
  expect(points[1000]).toEqual(['L', 100, 10]);
  expect(points.filter(([command]) => command === 'M')).toHaveLength(1);
});

it('joins lines of a strip without losing the sample that crosses their seam', () => {
  const next = { startMs: LINE.stopMs, stopMs: LINE.stopMs + 10_000 };
  const runs = [run(0, 20_000, 7, (ms) => ms / 20_000)];
  expect(pointsOf(tracePath(runs, LINE, 0)).at(-1)![1]).toBeGreaterThan(250);
  expect(pointsOf(tracePath(runs, next, 0))[0]![1]).toBeLessThan(0);
});

it('keeps every extreme of samples that are faster than paper can show', () => {
  const spikes = new Set([1234.5, 5678.25, 9999.75]);
  const path = tracePath([run(0, 10_000, 0.25, (ms) => (spikes.has(ms) ? 1.5 : 0))], LINE, 0);
  const points = pointsOf(path);
  expect(points.length).toBeLessThan(40_000);
  expect(points.filter(([, , y]) => y === 5)).toHaveLength(3);
  for (const [i, [, x]] of points.slice(1).entries()) expect(x).toBeGreaterThanOrEqual(points[i]![1]);
});

describe('gaps', () => {
  const strip = { startMs: START_MS, stopMs: START_MS + 20_000 };
  const gaps = (...runs: ChannelSamples[]) =>
    gapsBetween(runs, strip).map(({ startMs, stopMs }) => [startMs - START_MS, stopMs - START_MS]);

  it('are never bridged, also within a line', () => {
    const runs = [run(0, 3000, 4, () => 0), run(5000, 20_000, 4, () => 0)];
    expect(gaps(...runs)).toEqual([[2996, 5000]]);
    expect(pointsOf(tracePath(runs, LINE, 0)).filter(([command]) => command === 'M')).toHaveLength(2);
  });

  it('reach the edges of the strip', () => {
    expect(gaps(run(1000, 15_000, 4, () => 0))).toEqual([
      [0, 1000],
      [14_996, 20_000],
    ]);
    expect(gaps()).toEqual([[0, 20_000]]);
    expect(gaps(run(-9000, -5000, 4, () => 0))).toEqual([[0, 20_000]]);
  });

  it('are none where samples follow each other at their period', () => {
    expect(gaps(run(2, 20_000, 4, () => 0))).toEqual([]);
    expect(gaps(run(-5000, 25_000, 4, () => 0))).toEqual([]);
  });

  it('are hatched within their edges', () => {
    const points = pointsOf(hatchPath(10, 14));
    expect(points.length).toBeGreaterThan(10);
    for (const [, x, y] of points) {
      expect(x).toBeGreaterThanOrEqual(10);
      expect(x).toBeLessThanOrEqual(14);
      expect(y).toBeGreaterThanOrEqual(0);
      expect(y).toBeLessThanOrEqual(35);
    }
  });
});

it('moves a baseline that would leave the paper by whole bold lines, and marks what is beyond the paper', () => {
  expect([levelOf(undefined), levelOf(0.7), levelOf(-0.7)]).toEqual([0, 0, 0]);
  expect([levelOf(12.34), levelOf(-3.2)]).toEqual([12.5, -3]);
  const { levelMv, trace, beyond } = drawLine([run(0, 10_000, 4, () => 12.5)], LINE);
  expect([levelMv, pointsOf(trace)[0]![2], beyond]).toEqual([12.5, 20, '']);
  const both = clipPath([run(0, 10_000, 4, (ms) => (ms === 1000 ? 2.1 : ms === 2000 ? -1.6 : 0))], LINE, 0);
  expect(both).toBe('M25 0.4h0.5M50 34.6h0.5');
});

it('draws a grid line at every step, both edges included', () => {
  expect(gridPath(-10, 250, 35, 1).match(/V/g)).toHaveLength(261);
  expect(gridPath(-10, 250, 35, 1).match(/H/g)).toHaveLength(36);
  expect(gridPath(-10, 250, 35, 5).match(/[VH]/g)).toHaveLength(53 + 8);
});

it('offers the paper of the country', () => {
  expect(['en-US', 'es-MX', 'ja-JP', 'en-GB', 'en'].map(usualPaper)).toEqual(['letter', 'letter', 'a4', 'a4', 'a4']);
});
