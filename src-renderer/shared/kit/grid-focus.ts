/** Roving tabindex for a grid of cells: one tab stop, and arrow keys, Home, End, Page Up and Page Down within (WAI-ARIA grid). */
import { type KeyboardEvent, useRef, useState } from 'react';

export interface Place {
  row: number;
  column: number;
}

/**
 * Returns the cell that a key moves to; undefined for other keys and beyond the grid. With `wraps`, Left and Right continue
 * in the row before or after, as in a calendar.
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
 * @param options.start the cell that the first Tab reaches
 * @param options.wraps Left and Right continue in the next row
 * @param options.show renders a row, where rows outside the screen are left out of the document
 */
export function useGridFocus(
  rows: number,
  columns: number,
  onPage?: (step: -1 | 1) => void,
  { start, wraps = false, show }: { start?: Place; wraps?: boolean; show?: (row: number) => void } = {},
) {
  const grid = useRef<HTMLTableElement>(null);
  const [wanted, setWanted] = useState<Place>(start ?? { row: 0, column: 0 });
  // Clamped, because the grid may have become smaller.
  const at = {
    row: Math.max(0, Math.min(wanted.row, rows - 1)),
    column: Math.max(0, Math.min(wanted.column, columns - 1)),
  };
  const focus = ({ row, column }: Place) => {
    const cellOf = () => grid.current?.querySelector<HTMLElement>(`[data-cell="${row}.${column}"]`);
    if (!cellOf()) show?.(row);
    cellOf()?.focus();
  };
  return {
    grid,
    at,
    focus,
    onKeyDown(event: KeyboardEvent) {
      if (event.altKey || event.metaKey || event.target === grid.current) return;
      if ((event.key === 'PageUp' || event.key === 'PageDown') && onPage) {
        event.preventDefault();
        onPage(event.key === 'PageUp' ? -1 : 1);
        // The page may have replaced the focused cell; if so, focus the one now in its place.
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
    /** Props for the focusable element of a cell. */
    cell: (row: number, column: number) => ({
      tabIndex: at.row === row && at.column === column ? 0 : -1,
      'data-cell': `${row}.${column}`,
      onFocus: () => setWanted({ row, column }),
    }),
  };
}
