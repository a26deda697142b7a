import { expect, it } from 'vitest';
import { moved, placeAfterKey } from './moved.ts';

it('moves an item up and down, and leaves the order of the others', () => {
  expect(moved(['a', 'b', 'c', 'd'], 0, 2)).toEqual(['b', 'c', 'a', 'd']);
  expect(moved(['a', 'b', 'c', 'd'], 3, 1)).toEqual(['a', 'd', 'b', 'c']);
  expect(moved(['a', 'b'], 1, 1)).toEqual(['a', 'b']);
});

it('stops at the ends of the list', () => {
  expect(placeAfterKey('ArrowUp', 0, 3)).toBeUndefined();
  expect(placeAfterKey('ArrowDown', 2, 3)).toBeUndefined();
  expect(placeAfterKey('ArrowDown', 1, 3)).toBe(2);
  expect(placeAfterKey('Home', 2, 3)).toBe(0);
  expect(placeAfterKey('End', 0, 3)).toBe(2);
  expect(placeAfterKey('Enter', 0, 3)).toBeUndefined();
});
