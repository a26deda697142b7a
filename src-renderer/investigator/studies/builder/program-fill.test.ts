import { expect, it } from 'vitest';
import { boundsOf, contains, filled, sizeOf } from './program-fill.ts';

const range = (row: number, day: number, toRow: number, toDay: number) =>
  boundsOf({ from: { row, day }, to: { row: toRow, day: toDay } });
const free = () => false;

it('counts a range from any of its corners', () => {
  const bounds = range(2, 5, 1, 3);
  expect(bounds).toEqual({ firstRow: 1, lastRow: 2, firstDay: 3, lastDay: 5 });
  expect(sizeOf(bounds)).toBe(6);
  expect(contains(bounds, { row: 1, day: 5 })).toBe(true);
  expect(contains(bounds, { row: 0, day: 5 })).toBe(false);
});

it('puts a task on all days of a range and removes it, also from a daily task', () => {
  expect(filled([[9], undefined], range(0, 1, 1, 3), true, 14, free)).toEqual(
    new Map([
      [0, [1, 2, 3, 9]],
      [1, [1, 2, 3]],
    ]),
  );
  expect(filled(['daily'], range(0, 1, 0, 2), false, 4, free)).toEqual(new Map([[0, [0, 3]]]));
  expect(filled(['daily'], range(0, 1, 0, 2), true, 4, free)).toEqual(new Map());
});

it('fills down with the first row and right with the first day', () => {
  expect(filled([[0, 2], [1], undefined], range(0, 0, 2, 3), 'down', 14, free)).toEqual(
    new Map([
      [1, [0, 2]],
      [2, [0, 2]],
    ]),
  );
  expect(filled([[1], [2, 3]], range(0, 1, 1, 3), 'right', 14, free)).toEqual(
    new Map([
      [0, [1, 2, 3]],
      [1, []],
    ]),
  );
});

it('keeps what a running study has scheduled', () => {
  const isLocked = ({ day }: { day: number }) => day < 2;
  expect(filled([[0, 1, 2]], range(0, 0, 0, 2), false, 14, isLocked)).toEqual(new Map([[0, [0, 1]]]));
});
