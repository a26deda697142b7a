import { expect, it } from 'vitest';
import { HOUR_MS } from '../../../src-server/durations.ts';
import { nextNow } from '../../shared/time/now.ts';
import { freshnessOf } from './freshness.ts';

const at = (nowMs: number) => ({ nowMs, isJustAwake: false });

it('judges the age of a contact against the expected interval', () => {
  const daily = { lastContactTs: 100 * HOUR_MS, expectedEveryMs: 24 * HOUR_MS };
  expect(freshnessOf(daily, at(124 * HOUR_MS))).toBe('fresh');
  expect(freshnessOf(daily, at(124 * HOUR_MS + 1))).toBe('due');
  expect(freshnessOf(daily, at(148 * HOUR_MS + 1))).toBe('late');
  expect(freshnessOf({ ...daily, expectedEveryMs: 7 * 24 * HOUR_MS }, at(148 * HOUR_MS + 1))).toBe('fresh');
  expect(freshnessOf({ lastContactTs: 100 * HOUR_MS }, at(9999 * HOUR_MS))).toBe('unjudged');
});

it('counts the age from the hand-out while there is no contact', () => {
  const never = { expectedEveryMs: 24 * HOUR_MS, sinceTs: 100 * HOUR_MS };
  expect(freshnessOf(never, at(101 * HOUR_MS))).toBe('fresh');
  expect(freshnessOf(never, at(149 * HOUR_MS))).toBe('late');
  expect(freshnessOf({ ...never, lastContactTs: HOUR_MS }, at(101 * HOUR_MS))).toBe('fresh');
});

it('reports nothing as late in the first tick after the computer slept', () => {
  const daily = { lastContactTs: 0.5 * HOUR_MS, expectedEveryMs: HOUR_MS };
  const awake = nextNow(at(HOUR_MS), 9 * HOUR_MS);
  expect(freshnessOf(daily, awake)).toBe('unjudged');
  expect(freshnessOf(daily, nextNow(awake, 9 * HOUR_MS + 30_000))).toBe('late');
});
