import { describe, expect, it } from 'vitest';
import type { Beat, Recording } from '../../../../src-server/api/contract/index.ts';
import { heightOf } from './measure.ts';
import { recordedMeanwhile, uncovered } from './overlap.ts';
import { summaryOf } from './summary.ts';

const START = Date.UTC(2026, 2, 3, 14);
const HOUR = 3_600_000;

describe('other sensors', () => {
  const recording = (udid: string, fromMs: number, toMs: number) =>
    ({ id: `${udid}${fromMs}`, udid, recordingStartTs: START + fromMs, recordingStopTs: START + toMs }) as Recording;

  it('are those that recorded meanwhile, with what they did not record as a break', () => {
    const own = recording('chest', 0, HOUR);
    const first = recording('thigh', -HOUR, 0.25 * HOUR);
    const second = recording('thigh', 0.5 * HOUR, 2 * HOUR);
    const all = [own, first, second, recording('thigh', HOUR, 2 * HOUR), recording('chest', HOUR, 2 * HOUR)];
    expect(recordedMeanwhile(own, all)).toEqual([[first, second]]);
    expect(uncovered([first, second], { startMs: START, stopMs: START + HOUR })).toEqual([
      { startTs: START + 0.25 * HOUR, stopTs: START + 0.5 * HOUR },
    ]);
    expect(uncovered([second], { startMs: START, stopMs: START + 4 * HOUR })).toEqual([
      { startTs: START, stopTs: START + 0.5 * HOUR },
      { startTs: START + 2 * HOUR, stopTs: START + 4 * HOUR },
    ]);
  });
});

describe('what a window holds', () => {
  const beat = (ms: number, isAfterBreak = false): Beat => ({ timeUs: (START + ms) * 1000, use: 'USED', isAfterBreak });

  it('is told in beats, seconds of quality and breaks, of the window alone', () => {
    const window = { startMs: START + 1000, stopMs: START + 5000 };
    const beats = [beat(0), beat(1500), beat(2300), beat(4700, true), beat(6000)];
    const quality = [{ startTs: START, values: [90, 90, 20, 5, -1, 90] }];
    const gaps = [{ startTs: START + 2500, stopTs: START + 4500 }];
    const unresolved = [{ startTs: START + 4000, stopTs: START + 9000 }];
    expect(summaryOf(window, beats, quality, gaps, unresolved)).toEqual({
      beats: 3,
      perMinute: 75,
      quality: { good: 1, noisy: 1, unreadable: 1, noContact: 1 },
      gapMs: 2000,
      unresolvedMs: 1000,
    });
    expect(summaryOf(window, [beat(1500)], [], []).perMinute).toBeUndefined();
  });

  it('has a height only between two levels', () => {
    expect(heightOf({ fromMv: 0.4, toMv: -0.6 })).toBeCloseTo(1, 9);
    expect(heightOf({ fromMv: 0.4, toMv: null })).toBeNull();
  });
});
