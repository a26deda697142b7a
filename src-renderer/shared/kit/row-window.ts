/**
 * The rows of a long table that have to be in the document: those on the screen, some around them, and the row with the focus.
 * Short tables render whole. Rows that are left out are taken to be as high as the mean of the first ones.
 */
import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { flushSync } from 'react-dom';

/** Tables up to this length render whole, so that the browser's own search finds every row. */
export const WHOLE_ROWS = 150;
const OVERSCAN_PX = 600;
const FIRST_GUESS_PX = 39;
/** Windows begin and end at multiples of this, so that scrolling renders once in several rows. */
const STEP_ROWS = 5;
/** A printed table holds at most this many rows; more would be hundreds of pages. */
const PRINTED_ROWS = 2_000;

/** Ranges of row indexes, [first, last), in order. */
export type RowRanges = readonly (readonly [first: number, last: number])[];

/** @param topPx top of the first row below the top of the screen; negative where the table is scrolled */
export function rowsInView({
  count,
  pitchPx,
  topPx,
  screenPx,
  pinned,
}: {
  count: number;
  pitchPx: number;
  topPx: number;
  screenPx: number;
  pinned: number | null;
}): RowRanges {
  const at = (px: number) => px / pitchPx / STEP_ROWS;
  const clamp = (row: number) => Math.max(0, Math.min(count, row));
  const last = clamp(Math.ceil(at(screenPx - topPx + OVERSCAN_PX)) * STEP_ROWS);
  const rows = Math.ceil((screenPx + 2 * OVERSCAN_PX) / pitchPx);
  // A table below the screen keeps its first rows, one above it the last.
  const first = Math.min(clamp(Math.floor(at(-topPx - OVERSCAN_PX)) * STEP_ROWS), clamp(count - Math.ceil(rows / 2)));
  const shown = [first, Math.max(first, last)] as const;
  if (pinned === null || pinned >= count || (pinned >= shown[0] && pinned < shown[1])) return [shown];
  return pinned < first ? [[pinned, pinned + 1], shown] : [shown, [pinned, pinned + 1]];
}

/** The ranges with the number of rows that are left out before each. */
export function segmentsOf(ranges: RowRanges, count: number): { skip: number; first: number; last: number }[] {
  let reached = 0;
  return ranges.flatMap(([first, last]) => {
    const skip = first - reached;
    reached = Math.min(last, count);
    return [{ skip, first, last: reached }];
  });
}

export interface RowWindow {
  body: RefObject<HTMLTableSectionElement | null>;
  /** True where rows are left out. */
  isPartial: boolean;
  segments: { skip: number; first: number; last: number }[];
  /** Height of one row, for the space of those that are left out. */
  pitchPx: number;
  /** Renders a row, so that it can take the focus. */
  show: (index: number) => void;
}

/** Rows that give a pitch that stays: rows of texts of different lengths differ, and each new pitch would move what shows. */
const ENOUGH_ROWS = 20;

/** The mean height of the rows in the document, until enough of them have been measured. */
function pitchOf(body: HTMLElement, before: number, isMeasured: RefObject<boolean>): number {
  if (isMeasured.current) return before;
  const rows = [...body.querySelectorAll<HTMLElement>('tr[data-row]')];
  isMeasured.current = rows.length >= ENOUGH_ROWS;
  const heightPx = rows.reduce((sum, row) => sum + row.getBoundingClientRect().height, 0);
  return rows.length > 0 ? Math.max(8, heightPx / rows.length) : before;
}

const sameRanges = (a: RowRanges, b: RowRanges) => a.length === b.length && a.flat().join() === b.flat().join();

/** @param kept a row that stays in the document, such as the tab stop of a grid; rows with the focus stay anyway */
export function useRowWindow(count: number, kept?: RefObject<number>): RowWindow {
  const body = useRef<HTMLTableSectionElement>(null);
  const pitchPx = useRef(FIRST_GUESS_PX);
  const isMeasured = useRef(false);
  const wanted = useRef<number | null>(null);
  const [isPrinting, setPrinting] = useState(false);
  const isPartial = count > WHOLE_ROWS && !isPrinting;
  const [ranges, setRanges] = useState<RowRanges>([[0, Math.min(count, 60)]]);
  const update = useCallback(() => {
    const element = body.current;
    if (!element || !isPartial) return;
    pitchPx.current = pitchOf(element, pitchPx.current, isMeasured);
    const focused = element.contains(document.activeElement)
      ? document.activeElement?.closest<HTMLElement>('tr[data-row]')?.dataset.row
      : undefined;
    const next = rowsInView({
      count,
      pitchPx: pitchPx.current,
      topPx: element.getBoundingClientRect().top,
      screenPx: window.innerHeight,
      pinned: wanted.current ?? (focused === undefined ? (kept?.current ?? null) : Number(focused)),
    });
    setRanges((old) => (sameRanges(old, next) ? old : next));
  }, [count, isPartial, kept]);
  useLayoutEffect(update, [update]);
  useEffect(() => {
    if (count <= WHOLE_ROWS) return;
    let frame = 0;
    const schedule = () => {
      frame ||= requestAnimationFrame(() => {
        frame = 0;
        update();
      });
    };
    const printing = (is: boolean) => () => flushSync(() => setPrinting(is));
    const [before, after] = [printing(true), printing(false)];
    // Captured, because it is the page or the frame of the table that scrolls, not the window.
    document.addEventListener('scroll', schedule, { capture: true, passive: true });
    // Another width may break texts into other lines.
    const resized = () => {
      isMeasured.current = false;
      schedule();
    };
    window.addEventListener('resize', resized);
    window.addEventListener('beforeprint', before);
    window.addEventListener('afterprint', after);
    return () => {
      cancelAnimationFrame(frame);
      document.removeEventListener('scroll', schedule, { capture: true });
      window.removeEventListener('resize', resized);
      window.removeEventListener('beforeprint', before);
      window.removeEventListener('afterprint', after);
    };
  }, [count, update]);
  const show = (index: number) => {
    wanted.current = index;
    flushSync(update);
    wanted.current = null;
  };
  const whole: RowRanges = [[0, isPrinting ? Math.min(count, PRINTED_ROWS) : count]];
  return { body, isPartial, segments: segmentsOf(isPartial ? ranges : whole, count), pitchPx: pitchPx.current, show };
}
