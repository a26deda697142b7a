import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { HOUR_MS } from '../../../src-server/durations.ts';
import { ChangeBatches } from './change-batches.ts';
import { keysOf, trailKeysOf } from './change-keys.ts';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

function batches() {
  const released: string[] = [];
  return { released, made: new ChangeBatches((key) => released.push(key.join(' '))) };
}

it('releases a first change at once, and one that follows in its turn', () => {
  const { released, made } = batches();
  made.add([['recording', 's']]);
  vi.advanceTimersByTime(400);
  expect(released).toEqual(['recording s']);
  made.add([
    ['recording', 's'],
    ['message', 's'],
  ]);
  vi.advanceTimersByTime(400);
  expect(released).toEqual(['recording s', 'message s']);
  vi.advanceTimersByTime(1_100);
  expect(released).toEqual(['recording s', 'message s', 'recording s']);
});

it('refreshes a few times, not a thousand times, for a thousand changes in a minute', () => {
  const { released, made } = batches();
  for (let change = 0; change < 1_000; change++) {
    const of = { topic: 'recording', studyId: 's', subjectId: `u${change % 200}` } as const;
    made.add([...keysOf(of), ...trailKeysOf(of)]);
    vi.advanceTimersByTime(60);
  }
  vi.advanceTimersByTime(60_000);
  const perKey = Map.groupBy(released, (key) => key);
  expect(Math.max(...[...perKey.values()].map(({ length }) => length))).toBeLessThanOrEqual(9);
  // The last change is not lost.
  const before = released.length;
  made.add([['recording', 's']]);
  vi.advanceTimersByTime(400);
  expect(released.length).toBe(before + 1);
});

it('refreshes as soon after the clock was set back', () => {
  const { released, made } = batches();
  made.add([['recording', 's']]);
  vi.advanceTimersByTime(400);
  vi.setSystemTime(Date.now() - HOUR_MS);
  made.add([['recording', 's']]);
  vi.advanceTimersByTime(1_500);
  expect(released).toEqual(['recording s', 'recording s']);
});

it('releases nothing after it has stopped', () => {
  const { released, made } = batches();
  made.add([['job']]);
  made.stop();
  vi.advanceTimersByTime(60_000);
  expect(released).toEqual([]);
});
