import { expect, it } from 'vitest';
import { HOUR_MS } from '../../../src-server/durations.ts';
import { FILTERS, isShown } from './list-filter.ts';

const NOW = Date.parse('2026-03-10T00:00:00Z');
const hours = (count: number) => NOW - count * HOUR_MS;
const shownIn = (subject: { isHidden: boolean; isTest?: boolean }, lastStopMs?: number) =>
  FILTERS.filter((filter) => isShown(filter, subject, lastStopMs, NOW));

it('filters by the time since the last recording, and lists hidden and test subjects separately', () => {
  expect(shownIn({ isHidden: false }, hours(2))).toEqual(['all']);
  expect(shownIn({ isHidden: false }, hours(30))).toEqual(['all', 'day']);
  expect(shownIn({ isHidden: false }, hours(50))).toEqual(['all', 'day', 'twoDays']);
  expect(shownIn({ isHidden: false })).toEqual(['all', 'day', 'twoDays', 'week']);
  expect(shownIn({ isHidden: true }, hours(200))).toEqual(['hidden']);
  expect(shownIn({ isHidden: false, isTest: true })).toEqual(['all', 'test']);
});
