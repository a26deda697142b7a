/**
 * Keys that move the focus between the rows of a table: arrows, Page Up and Down, Ctrl+Home and Ctrl+End, and the first letters
 * of a row's name. They act on links and on the checkboxes of a selection; buttons, menus and
 * fields in a cell have keys of their own.
 */
import type { KeyboardEvent } from 'react';
import type { RowWindow } from './row-window.ts';
import { useTypeAhead } from './type-ahead.ts';

const PAGE_ROWS = 15;

/** The place of a row's checkbox, beside its links. */
const BOX_PLACE = -1;

/** Returns which link of its row an element is, so that the focus stays in its column. */
export const placeIn = (row: HTMLElement, target: HTMLElement): number =>
  target.matches('[data-box]')
    ? BOX_PLACE
    : Math.max(0, [...row.querySelectorAll<HTMLElement>('a')].indexOf(target as HTMLAnchorElement));

/** Returns the row that a key moves to; undefined for other keys. */
export function rowAfter(key: string, isCtrl: boolean, row: number, count: number): number | undefined {
  const steps: Partial<Record<string, number>> = {
    ArrowUp: row - 1,
    ArrowDown: row + 1,
    PageUp: row - PAGE_ROWS,
    PageDown: row + PAGE_ROWS,
    ...(isCtrl && { Home: 0, End: count - 1 }),
  };
  const next = steps[key];
  return next === undefined ? undefined : Math.max(0, Math.min(count - 1, next));
}

/** @param nameOf what a typed text is compared with */
export function useRowKeys(
  { body, show }: Pick<RowWindow, 'body' | 'show'>,
  count: number,
  nameOf: (row: number) => string,
) {
  const { find, isTyping } = useTypeAhead(count, (row) => [nameOf(row)]);
  /** @param place of the link in the row; {@link BOX_PLACE} for its checkbox */
  const focusRow = (row: number, place: number, block: ScrollLogicalPosition = 'nearest') => {
    show(row);
    const links =
      body.current?.querySelectorAll<HTMLElement>(`tr[data-row="${row}"] :is(a, button[aria-expanded])`) ?? [];
    const box = place === BOX_PLACE && body.current?.querySelector<HTMLElement>(`tr[data-row="${row}"] [data-box]`);
    const link = box || links[place] || links[0];
    link?.focus({ preventScroll: true });
    (link ?? body.current?.querySelector(`tr[data-row="${row}"]`))?.scrollIntoView({ block });
  };
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    const { target } = event;
    const isStop =
      target instanceof HTMLAnchorElement ||
      (target instanceof HTMLElement && target.matches('button[aria-expanded], [data-box]'));
    if (!isStop || event.altKey || event.metaKey || event.shiftKey) return;
    const row = target.closest<HTMLElement>('tr[data-row]');
    if (!row || !body.current?.contains(row)) return;
    const from = Number(row.dataset.row);
    const next = rowAfter(event.key, event.ctrlKey, from, count) ?? find(event, from);
    if (next === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    focusRow(next, placeIn(row, target));
  };
  return { onKeyDown, focusRow, isTyping };
}
