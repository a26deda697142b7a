import { expect, it } from 'vitest';
import { afterToggle, rangeOf, shareOf, withAllToggled, withoutLost } from './row-selection.ts';

const shown = ['a', 'b', 'c', 'd', 'e'];
const set = (...ids: string[]) => new Set(ids);

it('toggles one row, and with Shift the range since the last click as the clicked row becomes', () => {
  expect(afterToggle(shown, set('a'), 'b', undefined)).toEqual(set('a', 'b'));
  expect(afterToggle(shown, set('b'), 'd', 'b')).toEqual(set('b', 'c', 'd'));
  expect(afterToggle(shown, set('a', 'b', 'c', 'd'), 'b', 'd')).toEqual(set('a'));
});

it('takes a range in the order shown, whichever end came first', () => {
  expect(rangeOf(shown, 'd', 'b')).toEqual(['b', 'c', 'd']);
  expect(rangeOf(['e', 'c', 'a'], 'e', 'a')).toEqual(['e', 'c', 'a']);
});

it('takes only the clicked row where the last one is filtered out since', () => {
  expect(rangeOf(shown, 'gone', 'c')).toEqual(['c']);
  expect(rangeOf(shown, 'a', 'gone')).toEqual([]);
});

it('selects all shown rows and keeps those that a filter hides, and deselects the shown ones alone', () => {
  expect(withAllToggled(['b', 'c'], set('a', 'b'))).toEqual(set('a', 'b', 'c'));
  expect(withAllToggled(['b', 'c'], set('a', 'b', 'c'))).toEqual(set('a'));
});

it('has a third state where some shown rows are selected', () => {
  expect(shareOf(shown, set())).toBe('none');
  expect(shareOf(shown, set('a', 'hidden'))).toBe('some');
  expect(shareOf(['a', 'b'], set('a', 'b', 'hidden'))).toBe('all');
  expect(shareOf([], set('hidden'))).toBe('none');
});

it('drops rows that left the list and counts them', () => {
  const selected = set('a', 'b', 'c');
  expect(withoutLost(selected, set('a', 'c', 'd'))).toEqual({ ids: set('a', 'c'), lost: 1 });
  expect(withoutLost(selected, set(...shown)).ids).toBe(selected);
});
