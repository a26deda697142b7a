import { expect, it } from 'vitest';
import { markRows, marksAt } from './marks.ts';

const mark = (startMs: number, stopMs = startMs) => ({ startMs, stopMs });

it('puts overlapping marks on separate rows', () => {
  const [span, point, later] = [mark(0, 100), mark(50), mark(120)];
  expect(markRows([span, point, later], 20, 3)).toEqual([[span, later], [point]]);
});

it('uses at most the given number of rows and loses no mark', () => {
  const marks = [mark(0, 100), mark(1, 50), mark(2, 200), mark(3, 9)];
  const rows = markRows(marks, 1, 2);
  expect(rows).toHaveLength(2);
  expect(rows.flat()).toHaveLength(4);
});

it('finds spans at an instant, and points near it', () => {
  const marks = [mark(0, 100), mark(140), mark(400)];
  expect(marksAt(marks, 50, 10)).toEqual([marks[0]]);
  expect(marksAt(marks, 145, 10)).toEqual([marks[1]]);
  expect(marksAt(marks, 300, 10)).toEqual([]);
});
