import { expect, it } from 'vitest';
import type { RawDataPage } from '../../../src-server/api/contract/index.ts';
import { intervalRange, usedIntervals } from './data/intervals.ts';
import { segmentOf } from './data/samples.ts';

/** A page of raw data of beats with the given intervals, ms; a `gap` before a beat is time that no interval covers. */
function pageOf(beats: readonly { ms: number; gap?: number }[], startMs = 1_700_000_000_000): RawDataPage {
  const times: number[] = [];
  let atMs = startMs;
  for (const { ms, gap = 0 } of beats) {
    atMs += ms + gap;
    times.push(atMs * 1000);
  }
  const channel = { type: 'RR', dimensions: ['rr'], times, values: { rr: beats.map(({ ms }) => ms / 1000) } };
  return { channels: [channel] } as unknown as RawDataPage;
}

it('splits beat intervals where one does not begin at the beat before, and nowhere else', () => {
  const slow = [{ ms: 2400 }, { ms: 2600 }, { ms: 2500 }];
  const [channel] = segmentOf(pageOf([...slow, { ms: 800, gap: 900 }, { ms: 810 }]), () => 1);
  expect(channel?.runs.map(({ timesMs }) => timesMs.length)).toEqual([3, 2]);
  expect([...channel!.runs[0]!.values[0]!]).toEqual([2400, 2600, 2500]);
});

it('takes an interval as used when both of its beats are', () => {
  const beat = (ms: number, use: 'USED' | 'EARLY_OR_ODD' | 'DOUBTFUL', isAfterBreak = false) => ({
    timeUs: ms * 1000,
    use,
    isAfterBreak,
  });
  const isUsed = usedIntervals([
    beat(0, 'USED', true),
    beat(800, 'USED'),
    beat(1300, 'EARLY_OR_ODD'),
    beat(2400, 'USED'),
    beat(3200, 'USED'),
    beat(9000, 'USED', true),
  ]);
  expect([800, 1300, 2400, 3200, 9000].map((ms) => isUsed(ms + 0.6))).toEqual([true, false, false, true, false]);
  // Its beats have not arrived.
  expect(isUsed(20_000)).toBe(true);
});

it('scales a tachogram by the intervals of the whole recording, a steady one by 100 ms', () => {
  const channel = {
    dimensions: ['rr'],
    minima: { rr: [0.7, 0.72, null, 0.9] },
    maxima: { rr: [0.7, 0.75, null, 1.1] },
  };
  const { lowMs, highMs } = intervalRange(channel);
  expect([lowMs < 700, highMs > 1100, highMs - lowMs < 500]).toEqual([true, true, true]);
  const steady = intervalRange({ dimensions: ['rr'], minima: { rr: [0.8] }, maxima: { rr: [0.8] } });
  expect(steady.highMs - steady.lowMs).toBeCloseTo(120);
});
