import { expect, test } from 'vitest';
import { dividePages } from './pages.ts';

const table = (headPx: number, ...rowsPx: number[]) => ({
  heightPx: headPx + rowsPx.reduce((sum, row) => sum + row, 0),
  table: { headPx, rowsPx },
});

test('moves a block that does not fit to the next page', () => {
  expect(dividePages([{ heightPx: 60 }, { heightPx: 30 }, { heightPx: 20 }], 100)).toEqual([
    [
      { index: 0, from: 0, to: 0 },
      { index: 1, from: 0, to: 0 },
    ],
    [{ index: 2, from: 0, to: 0 }],
  ]);
});

test('divides a table between rows and counts its head on every page', () => {
  expect(dividePages([{ heightPx: 40 }, table(20, 20, 20, 40, 40, 10)], 100)).toEqual([
    [
      { index: 0, from: 0, to: 0 },
      { index: 1, from: 0, to: 2 },
    ],
    [{ index: 1, from: 2, to: 4 }],
    [{ index: 1, from: 4, to: 5 }],
  ]);
});

test('never leaves a head without a row', () => {
  expect(dividePages([{ heightPx: 70 }, table(20, 20)], 100)).toEqual([
    [{ index: 0, from: 0, to: 0 }],
    [{ index: 1, from: 0, to: 1 }],
  ]);
});

test('shows every row, also one that is higher than a page, and a table without rows', () => {
  expect(dividePages([table(20, 10, 300, 10), table(20)], 100)).toEqual([
    [{ index: 0, from: 0, to: 1 }],
    [{ index: 0, from: 1, to: 2 }],
    [
      { index: 0, from: 2, to: 3 },
      { index: 1, from: 0, to: 0 },
    ],
  ]);
});
