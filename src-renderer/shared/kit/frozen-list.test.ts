import { expect, it } from 'vitest';
import { placesOf } from './frozen-list.ts';

const idOf = (item: string) => item;
const shownOf = (items: string[], frozen: string[] | null, growsAtEnd: boolean) => {
  const { shown, waiting } = placesOf(items, frozen, idOf, growsAtEnd);
  return [shown.map(({ item, isGone }) => (isGone ? `-${item}` : item)).join(''), waiting];
};

it('holds places while the list is frozen: new items wait, removed ones are marked', () => {
  expect(shownOf(['a', 'b'], null, false)).toEqual(['ab', 0]);
  expect(shownOf(['n', 'a', 'c', 'm'], ['a', 'b', 'c'], false)).toEqual(['a-bc', 2]);
});

it('shows the next page of a list at once, and lets what is new wait', () => {
  expect(shownOf(['n', 'a', 'b', 'c', 'd'], ['a', 'b'], true)).toEqual(['abcd', 1]);
  expect(shownOf(['n', 'b', 'c'], ['a', 'b'], true)).toEqual(['-abc', 1]);
  // Nothing of what was known is left, so nothing tells what is new.
  expect(shownOf(['x', 'y'], ['a', 'b'], true)).toEqual(['-a-b', 2]);
});
