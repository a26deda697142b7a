import { expect, it } from 'vitest';
import { rowAfter } from './row-keys.ts';

it('moves by rows and pages, and to both ends', () => {
  expect(rowAfter('ArrowDown', false, 4, 10_000)).toBe(5);
  expect(rowAfter('ArrowUp', false, 0, 10_000)).toBe(0);
  expect(rowAfter('PageDown', false, 4, 10_000)).toBe(19);
  expect(rowAfter('PageDown', false, 9_999, 10_000)).toBe(9_999);
  expect(rowAfter('End', true, 4, 10_000)).toBe(9_999);
  expect(rowAfter('Home', true, 4, 10_000)).toBe(0);
  expect(rowAfter('End', false, 4, 10_000)).toBeUndefined();
  expect(rowAfter('x', false, 4, 10_000)).toBeUndefined();
});
