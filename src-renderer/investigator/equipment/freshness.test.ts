import { expect, it } from 'vitest';
import { nextNow } from '../../shared/time/now.ts';
import { freshnessOf } from './freshness.ts';

const HOUR = 3_600_000;
const at = (nowMs: number) => ({ nowMs, isJustAwake: false });

it('judges a contact by what is expected of the device', () => {
  const daily = { lastContactTs: 100 * HOUR, expectedEveryMs: 24 * HOUR };
  expect(freshnessOf(daily, at(124 * HOUR))).toBe('fresh');
  expect(freshnessOf(daily, at(124 * HOUR + 1))).toBe('due');
  expect(freshnessOf(daily, at(148 * HOUR + 1))).toBe('late');
  expect(freshnessOf({ ...daily, expectedEveryMs: 7 * 24 * HOUR }, at(148 * HOUR + 1))).toBe('fresh');
  expect(freshnessOf({ lastContactTs: 100 * HOUR }, at(9999 * HOUR))).toBe('unjudged');
});

it('waits for a device from when it was handed out', () => {
  const never = { expectedEveryMs: 24 * HOUR, sinceTs: 100 * HOUR };
  expect(freshnessOf(never, at(101 * HOUR))).toBe('fresh');
  expect(freshnessOf(never, at(149 * HOUR))).toBe('late');
  expect(freshnessOf({ ...never, lastContactTs: HOUR }, at(101 * HOUR))).toBe('fresh');
});

it('calls nothing late in the first round after this computer has slept', () => {
  const daily = { lastContactTs: 0.5 * HOUR, expectedEveryMs: HOUR };
  const awake = nextNow(at(HOUR), 9 * HOUR);
  expect(freshnessOf(daily, awake)).toBe('unjudged');
  expect(freshnessOf(daily, nextNow(awake, 9 * HOUR + 30_000))).toBe('late');
});
