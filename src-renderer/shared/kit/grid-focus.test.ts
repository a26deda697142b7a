import { expect, it } from 'vitest';
import { placeAfter } from './grid-focus.ts';

const at = { row: 1, column: 1 };

it('moves with arrow keys, Home and End, and never leaves the grid', () => {
  expect(placeAfter('ArrowRight', false, at, 3, 3)).toEqual({ row: 1, column: 2 });
  expect(placeAfter('ArrowUp', false, at, 3, 3)).toEqual({ row: 0, column: 1 });
  expect(placeAfter('ArrowRight', false, { row: 0, column: 2 }, 3, 3)).toBeUndefined();
  expect(placeAfter('Home', false, at, 3, 3)).toEqual({ row: 1, column: 0 });
  expect(placeAfter('End', true, at, 3, 4)).toEqual({ row: 2, column: 3 });
  expect(placeAfter('ArrowRight', false, { row: 0, column: 2 }, 3, 3, true)).toEqual({ row: 1, column: 0 });
  expect(placeAfter('ArrowLeft', false, { row: 1, column: 0 }, 3, 3, true)).toEqual({ row: 0, column: 2 });
  expect(placeAfter('ArrowLeft', false, { row: 0, column: 0 }, 3, 3, true)).toBeUndefined();
  expect(placeAfter('Tab', false, at, 3, 3)).toBeUndefined();
});
