/**
 * The chosen range of the program: by dragging over cells, or with Shift and the arrow keys. Dragging paints the opposite of the
 * first cell when the pointer is released; Escape ends it without a change.
 */
import { type KeyboardEvent, type PointerEvent, useEffect, useState } from 'react';
import { placeAfter } from '../../../shared/kit/grid-focus.ts';
import { boundsOf, type Cell, type Fill, type Range, sizeOf } from './program-fill.ts';

/** The cell of an element, by the place that the grid's focus gave it. */
function cellOf(target: EventTarget | null, firstDay: number): Cell | undefined {
  const place = target instanceof Element ? target.closest('[data-cell]')?.getAttribute('data-cell') : null;
  if (!place) return undefined;
  const [row = 0, column = 0] = place.split('.').map(Number);
  return { row, day: firstDay + column };
}

/**
 * @param shown how many rows and days show, and the first of the days
 * @param onFill fills a range
 */
export function useRange(
  shown: { rows: number; days: number; firstDay: number },
  isDueAt: (cell: Cell) => boolean,
  onFill: (range: Range, fill: Fill) => void,
  focus: (cell: { row: number; column: number }) => void,
) {
  const [range, setRange] = useState<Range>();
  /** A drag that began on this cell. */
  const [dragged, setDragged] = useState<Cell>();
  const count = range ? sizeOf(boundsOf(range)) : 0;
  const finish = () => {
    if (dragged && range && count > 1) onFill(range, !isDueAt(dragged));
    setDragged(undefined);
  };
  useEffect(() => {
    if (!dragged) return;
    // Released beyond the grid: the range stays chosen, and nothing is filled by accident.
    const release = () => setDragged(undefined);
    addEventListener('pointerup', release);
    addEventListener('pointercancel', release);
    return () => {
      removeEventListener('pointerup', release);
      removeEventListener('pointercancel', release);
    };
  }, [dragged]);
  const extend = (event: KeyboardEvent, at: Cell): boolean => {
    const place = placeAfter(
      event.key,
      event.ctrlKey,
      { row: at.row, column: at.day - shown.firstDay },
      shown.rows,
      shown.days,
    );
    if (!place) return false;
    // A range that ends elsewhere is an earlier one.
    const from = range?.to.row === at.row && range.to.day === at.day ? range.from : at;
    setRange({ from, to: { row: place.row, day: shown.firstDay + place.column } });
    focus(place);
    return true;
  };
  return {
    range,
    count,
    clear: () => setRange(undefined),
    onPointerDown(event: PointerEvent) {
      const cell = cellOf(event.target, shown.firstDay);
      if (!cell || event.button !== 0) return;
      // A finger would keep the pointer on the first cell.
      if (event.target instanceof Element) event.target.releasePointerCapture?.(event.pointerId);
      setRange({ from: cell, to: cell });
      setDragged(cell);
    },
    onPointerOver(event: PointerEvent) {
      const cell = dragged && cellOf(event.target, shown.firstDay);
      if (cell && range) setRange({ ...range, to: cell });
    },
    onPointerUp: finish,
    /** Returns whether the key was one for ranges. */
    onKeyDown(event: KeyboardEvent): boolean {
      const at = cellOf(event.target, shown.firstDay);
      if (!at) return false;
      if (event.shiftKey && !event.altKey && !event.metaKey) return extend(event, at);
      if (event.key === 'Escape' && (dragged || count > 1)) {
        setDragged(undefined);
        setRange(undefined);
        return true;
      }
      if (range && count > 1) {
        const isMod = event.ctrlKey || event.metaKey;
        const fill: Fill | undefined =
          event.key === ' ' || event.key === 'Enter'
            ? !isDueAt(range.from)
            : isMod && event.key.toLowerCase() === 'd'
              ? 'down'
              : isMod && event.key.toLowerCase() === 'r'
                ? 'right'
                : undefined;
        if (fill !== undefined) {
          onFill(range, fill);
          return true;
        }
      }
      if (event.key.startsWith('Arrow') || event.key === 'Home' || event.key === 'End') setRange(undefined);
      return false;
    },
  };
}
