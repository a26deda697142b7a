import { expect, it } from 'vitest';
import { rowsInView, segmentsOf } from './row-window.ts';

const view = (topPx: number, pinned: number | null = null) =>
  rowsInView({ count: 10_000, pitchPx: 40, topPx, screenPx: 800, pinned });

it('renders the rows on the screen and some around them, whatever the length of the list', () => {
  expect(view(200)).toEqual([[0, 30]]);
  expect(view(-4_000)).toEqual([[85, 135]]);
  expect(view(-399_400)).toEqual([[9_970, 10_000]]);
  expect(rowsInView({ count: 0, pitchPx: 40, topPx: 0, screenPx: 800, pinned: null })).toEqual([[0, 0]]);
});

it('keeps the row with the focus when it is scrolled away', () => {
  expect(view(-4_000, 3)).toEqual([
    [3, 4],
    [85, 135],
  ]);
  expect(view(-4_000, 9_000)).toEqual([
    [85, 135],
    [9_000, 9_001],
  ]);
  expect(view(-4_000, 90)).toEqual([[85, 135]]);
});

it('fills the space of the other rows', () => {
  expect(segmentsOf([[85, 135]], 10_000)).toEqual([{ skip: 85, first: 85, last: 135 }]);
  expect(
    segmentsOf(
      [
        [3, 4],
        [85, 135],
      ],
      10_000,
    ),
  ).toEqual([
    { skip: 3, first: 3, last: 4 },
    { skip: 81, first: 85, last: 135 },
  ]);
});
