import { expect, it } from 'vitest';
import { firstValues, isDue, toggled } from './draft.ts';

it('puts a task on a day and takes it away, out of every day too', () => {
  expect(toggled(undefined, 3, 7)).toEqual([3]);
  expect(toggled([3, 1], 2, 7)).toEqual([1, 2, 3]);
  expect(toggled([1, 2], 2, 7)).toEqual([1]);
  expect(toggled('daily', 1, 4)).toEqual([0, 2, 3]);
  expect(isDue('daily', 99)).toBe(true);
  expect(isDue(undefined, 0)).toBe(false);
});

it('begins a question with the values that its type needs', () => {
  expect(firstValues('RANGE')).toHaveLength(2);
  expect(firstValues('BOOLEAN')).toEqual(['YES', 'NO']);
  expect(firstValues('MULTIPLECHOICE')).toEqual([]);
});
