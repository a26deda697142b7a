import { describe, expect, it } from 'vitest';
import { mergedLines } from './merged-rows.ts';

/** A letter is a row: a dot without content, a comma without content for another reason. */
const lines = (rows: string, open: readonly string[] = []) =>
  mergedLines(
    [...rows].map((kind, index) => ({ id: `r${index}`, kind })),
    ({ id }) => id,
    ({ kind }) => (kind === '.' || kind === ',' ? kind : undefined),
    new Set(open),
  ).map((line) =>
    line.kind === 'row' ? line.row.id : `${line.isOpen ? '-' : '+'}${line.first.id}..${line.last.id}=${line.count}`,
  );

describe('runs of empty rows', () => {
  it('become one line, at the beginning, in between and at the end', () => {
    expect(lines('..a...b..')).toEqual(['+r0..r1=2', 'r2', '+r3..r5=3', 'r6', '+r7..r8=2']);
  });

  it('leave one empty row as it is, and rows that are empty for another reason apart', () => {
    expect(lines('a.b')).toEqual(['r0', 'r1', 'r2']);
    expect(lines('..,,.')).toEqual(['+r0..r1=2', '+r2..r3=2', 'r4']);
  });

  it('show their rows below the line while it is open', () => {
    expect(lines('a...b', ['r1'])).toEqual(['r0', '-r1..r3=3', 'r1', 'r2', 'r3', 'r4']);
  });

  it('stay open in the reverse order, and when a run becomes longer', () => {
    const rows = [3, 2, 1].map((day) => ({ id: `d${day}` }));
    const [line] = mergedLines(
      rows,
      ({ id }) => id,
      () => 'none',
      new Set(['d1']),
    );
    expect(line).toMatchObject({ kind: 'merged', id: 'd1', isOpen: true, first: { id: 'd3' }, last: { id: 'd1' } });
  });

  it('are none in an empty table', () => {
    expect(lines('')).toEqual([]);
  });
});
