/** Filling of ranges in the program: tasks by days. Pure. */
import { isDue, type ProgramEntry } from './draft.ts';

/** A cell of the grid: row of a task, and number of the day. */
export interface Cell {
  row: number;
  day: number;
}

/** A range between two cells, which are both part of it. */
export interface Range {
  from: Cell;
  to: Cell;
}

export interface Bounds {
  firstRow: number;
  lastRow: number;
  firstDay: number;
  lastDay: number;
}

export function boundsOf({ from, to }: Range): Bounds {
  return {
    firstRow: Math.min(from.row, to.row),
    lastRow: Math.max(from.row, to.row),
    firstDay: Math.min(from.day, to.day),
    lastDay: Math.max(from.day, to.day),
  };
}

export const contains = ({ firstRow, lastRow, firstDay, lastDay }: Bounds, { row, day }: Cell): boolean =>
  row >= firstRow && row <= lastRow && day >= firstDay && day <= lastDay;

export const sizeOf = ({ firstRow, lastRow, firstDay, lastDay }: Bounds): number =>
  (lastRow - firstRow + 1) * (lastDay - firstDay + 1);

type Days = ProgramEntry['days'] | undefined;

/** What a range gets: one state for all, or that of its first row or first day. */
export type Fill = boolean | 'down' | 'right';

/**
 * Returns the days of each row of a range after it was filled; rows that stay as they are keep their days.
 * @param rows the days of every row
 * @param isLocked days that a running study keeps
 */
export function filled(
  rows: readonly Days[],
  bounds: Bounds,
  fill: Fill,
  programDays: number,
  isLocked: (cell: Cell) => boolean,
): Map<number, Days> {
  const result = new Map<number, Days>();
  for (let row = bounds.firstRow; row <= bounds.lastRow; row++) {
    const days = rows[row];
    const wanted = new Set(days === 'daily' ? Array.from({ length: programDays }, (_, day) => day) : (days ?? []));
    let isChanged = false;
    for (let day = bounds.firstDay; day <= bounds.lastDay; day++) {
      const due =
        fill === 'down' ? isDue(rows[bounds.firstRow], day) : fill === 'right' ? isDue(days, bounds.firstDay) : fill;
      if (due === isDue(days, day) || (!due && isLocked({ row, day }))) continue;
      isChanged = true;
      if (due) wanted.add(day);
      else wanted.delete(day);
    }
    if (isChanged)
      result.set(
        row,
        [...wanted].sort((a, b) => a - b),
      );
  }
  return result;
}
