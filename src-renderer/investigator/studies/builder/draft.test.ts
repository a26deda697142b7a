import { expect, it } from 'vitest';
import { firstValues, isDue, toggled } from './draft.ts';

it('adds a task to a day and removes it, also from a daily task', () => {
  expect(toggled(undefined, 3, 7)).toEqual([3]);
  expect(toggled([3, 1], 2, 7)).toEqual([1, 2, 3]);
  expect(toggled([1, 2], 2, 7)).toEqual([1]);
  expect(toggled('daily', 1, 4)).toEqual([0, 2, 3]);
  expect(isDue('daily', 99)).toBe(true);
  expect(isDue(undefined, 0)).toBe(false);
});

it('gives a new question the values that its type needs', () => {
  expect(firstValues('RANGE')).toHaveLength(2);
  expect(firstValues('BOOLEAN')).toEqual(['YES', 'NO']);
  expect(firstValues('MULTIPLECHOICE')).toEqual([]);
});
