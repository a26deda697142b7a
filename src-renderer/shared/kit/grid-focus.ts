/** One tab stop for a whole grid of cells: arrow keys, Home, End, Page Up and Page Down move within it (WAI-ARIA grid). */
import { type KeyboardEvent, useRef, useState } from 'react';

export interface Place {
  row: number;
  column: number;
}

/**
 * Where a key leads in a grid of this size; undefined when it is not a key of the grid or leads out of it. With `wraps`,
 * Left and Right go on in the row before or after, as the days of a calendar do.
 */
export function placeAfter(
  key: string,
  isCtrl: boolean,
  at: Place,
  rows: number,
  columns: number,
  wraps = false,
): Place | undefined {
  const last = { row: rows - 1, column: columns - 1 };
  const next: Partial<Record<string, Place>> = {
    ArrowLeft: { ...at, column: at.column - 1 },
    ArrowRight: { ...at, column: at.column + 1 },
    ArrowUp: { ...at, row: at.row - 1 },
    ArrowDown: { ...at, row: at.row + 1 },
    Home: isCtrl ? { row: 0, column: 0 } : { ...at, column: 0 },
    End: isCtrl ? last : { ...at, column: last.column },
  };
  const place = next[key];
  if (place && wraps && place.column < 0)
    return place.row > 0 ? { row: place.row - 1, column: last.column } : undefined;
  if (place && wraps && place.column > last.column)
    return place.row < last.row ? { row: place.row + 1, column: 0 } : undefined;
  const isInside = place && place.row >= 0 && place.row <= last.row && place.column >= 0 && place.column <= last.column;
  return isInside ? place : undefined;
}

/**
 * @param onPage Page Up (-1) and Page Down (1)
 * @param start the cell that the first Tab reaches
 * @param wraps Left and Right go on in the next row
 */
export function useGridFocus(
  rows: number,
  columns: number,
  onPage?: (step: -1 | 1) => void,
  start?: Place,
  wraps = false,
) {
  const grid = useRef<HTMLTableElement>(null);
  const [wanted, setWanted] = useState<Place>(start ?? { row: 0, column: 0 });
  // The grid may have become smaller since.
  const at = {
    row: Math.max(0, Math.min(wanted.row, rows - 1)),
    column: Math.max(0, Math.min(wanted.column, columns - 1)),
  };
  const focus = ({ row, column }: Place) =>
    grid.current?.querySelector<HTMLElement>(`[data-cell="${row}.${column}"]`)?.focus();
  return {
    grid,
    at,
    focus,
    onKeyDown(event: KeyboardEvent) {
      if (event.altKey || event.metaKey || event.target === grid.current) return;
      if ((event.key === 'PageUp' || event.key === 'PageDown') && onPage) {
        event.preventDefault();
        onPage(event.key === 'PageUp' ? -1 : 1);
        // Other cells may stand in the same places now: who was on one goes on there.
        requestAnimationFrame(() => {
          if (document.activeElement === document.body) focus(at);
        });
        return;
      }
      const place = placeAfter(event.key, event.ctrlKey, at, rows, columns, wraps);
      if (!place) return;
      event.preventDefault();
      focus(place);
    },
    /** For the focusable element of a cell. */
    cell: (row: number, column: number) => ({
      tabIndex: at.row === row && at.column === column ? 0 : -1,
      'data-cell': `${row}.${column}`,
      onFocus: () => setWanted({ row, column }),
    }),
  };
}
