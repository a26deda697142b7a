import { describe, expect, it } from 'vitest';
import type { Beat, Recording } from '../../../../src-server/api/contract/index.ts';
import { HOUR_MS } from '../../../../src-server/durations.ts';
import { heightOf } from './measure.ts';
import { overlappingRecordings, uncoveredSpans } from './overlap.ts';
import { summaryOf } from './summary.ts';

const START = Date.UTC(2026, 2, 3, 14);

describe('other sensors', () => {
  const recording = (udid: string, fromMs: number, toMs: number) =>
    ({ id: `${udid}${fromMs}`, udid, recordingStartTs: START + fromMs, recordingStopTs: START + toMs }) as Recording;

  it('are those with overlapping recordings, and their uncovered time counts as a gap', () => {
    const own = recording('chest', 0, HOUR_MS);
    const first = recording('thigh', -HOUR_MS, 0.25 * HOUR_MS);
    const second = recording('thigh', 0.5 * HOUR_MS, 2 * HOUR_MS);
    const all = [
      own,
      first,
      second,
      recording('thigh', HOUR_MS, 2 * HOUR_MS),
      recording('chest', HOUR_MS, 2 * HOUR_MS),
    ];
    expect(overlappingRecordings(own, all)).toEqual([[first, second]]);
    expect(uncoveredSpans([first, second], { startMs: START, stopMs: START + HOUR_MS })).toEqual([
      { startTs: START + 0.25 * HOUR_MS, stopTs: START + 0.5 * HOUR_MS },
    ]);
    expect(uncoveredSpans([second], { startMs: START, stopMs: START + 4 * HOUR_MS })).toEqual([
      { startTs: START, stopTs: START + 0.5 * HOUR_MS },
      { startTs: START + 2 * HOUR_MS, stopTs: START + 4 * HOUR_MS },
    ]);
  });
});

describe('the summary of a window', () => {
  const beat = (ms: number, isAfterBreak = false): Beat => ({ timeUs: (START + ms) * 1000, use: 'USED', isAfterBreak });

  it('counts beats, seconds of quality and gaps inside the window only', () => {
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
