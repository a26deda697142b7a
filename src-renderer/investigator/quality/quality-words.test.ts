import { describe, expect, it } from 'vitest';
import type { SubjectQualityItem } from '../../../src-server/api/contract/index.ts';
import { sumOf } from '../../../src-server/study/quality.ts';
import { emptinessOf, stateOf, windowOf } from './quality-words.ts';

const DAY_MS = 86_400_000;
const NOW = Date.parse('2026-03-11T10:00Z');

function itemOf(isFollowed: boolean, days?: number, missed = 0): SubjectQualityItem {
  const item = { subjectId: 's', displayName: 'S', isHidden: false, isFollowed };
  if (days === undefined) return item;
  const span = { fromDate: '2026-03-01', toDate: '2026-03-10' };
  const counts = { ...sumOf([]), expectedDays: days };
  const reasons = Array.from({ length: missed }, () => ({ code: 'NO_DATA' as const }));
  return { ...item, quality: { ...span, ...counts, weeks: [], recent: { ...span, ...counts }, reasons } };
}

it('a subject that is not followed is never on target, whatever its days', () => {
  expect(stateOf(itemOf(false, 7))).toBe('ended');
  expect(stateOf(itemOf(false))).toBe('ended');
  expect(stateOf(itemOf(true, 7))).toBe('good');
  expect(stateOf(itemOf(true, 7, 1))).toBe('risk');
  expect(stateOf(itemOf(true, 2))).toBe('early');
  expect(stateOf(itemOf(true))).toBe('early');
});

describe('the window of weeks', () => {
  it('ends now while the study runs', () => {
    expect(windowOf({}, 4, NOW)).toEqual({ fromDate: '2026-02-16' });
  });

  it('ends with a study that was completed, however long ago', () => {
    const stoppedTs = NOW - 400 * DAY_MS;
    expect(windowOf({ stoppedTs }, 1, NOW)).toEqual({ fromDate: '2025-02-03', toDate: '2025-02-04' });
    expect(windowOf({ stoppedTs }, 4, NOW)).toEqual({ fromDate: '2025-01-13', toDate: '2025-02-04' });
  });
});

it('a report without days says whether they are yet to come, or are not in the window', () => {
  expect(emptinessOf([])).toBe('notYet');
  expect(emptinessOf([itemOf(true)])).toBe('notYet');
  expect(emptinessOf([itemOf(true), itemOf(false)])).toBe('notInWindow');
  expect(emptinessOf([itemOf(true), itemOf(false, 3)])).toBeUndefined();
});
