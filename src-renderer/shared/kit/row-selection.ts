/**
 * Rows of a list that a person has selected for an action, by row id: it survives sorting, filters and live updates. A row that leaves
 * the list leaves the selection, and is counted, so that the desk can say so.
 */
import { type KeyboardEvent, type RefObject, useEffect, useMemo, useRef, useState } from 'react';

type Ids = ReadonlySet<string>;

export interface RowSelection {
  ids: Ids;
  /** Rows that left the selection because they left the list, since the person last changed the selection. */
  lost: number;
  change: (next: Ids) => void;
  /** Deselects rows; others that were selected meanwhile stay. */
  remove: (ids: readonly string[]) => void;
  /** The list, which takes the focus when the control that has it disappears. */
  list: RefObject<HTMLElement | null>;
}

const NONE: Ids = new Set();

/** Returns the selection without rows that are no longer known, and how many these were. */
export function withoutLost(ids: Ids, known: Ids): { ids: Ids; lost: number } {
  const kept = [...ids].filter((id) => known.has(id));
  return kept.length === ids.size ? { ids, lost: 0 } : { ids: new Set(kept), lost: ids.size - kept.length };
}

/** @param known ids of all rows of the list, also of those that a filter leaves out; undefined while they load */
export function useRowSelection(known: readonly string[] | undefined): RowSelection {
  const [state, setState] = useState({ ids: NONE, lost: 0 });
  const list = useRef<HTMLElement>(null);
  const present = useMemo(() => (known ? new Set(known) : undefined), [known]);
  // At once, and not only after the effect: nothing acts on a row that is gone.
  const ids = useMemo(() => (present ? withoutLost(state.ids, present).ids : state.ids), [state.ids, present]);
  useEffect(() => {
    if (!present) return;
    setState((old) => {
      const { ids: kept, lost } = withoutLost(old.ids, present);
      return lost === 0 ? old : { ids: kept, lost: old.lost + lost };
    });
  }, [present]);
  return {
    ids,
    lost: state.lost,
    change: (next) => setState({ ids: next, lost: 0 }),
    remove: (gone) => setState((old) => ({ ids: new Set([...old.ids].filter((id) => !gone.includes(id))), lost: 0 })),
    list,
  };
}

/** Returns the rows between two, both included, in the order shown; only the second where the first is not shown. */
export function rangeOf(shown: readonly string[], from: string, to: string): readonly string[] {
  const [start, end] = [shown.indexOf(from), shown.indexOf(to)];
  if (start < 0 || end < 0) return end < 0 ? [] : [to];
  return shown.slice(Math.min(start, end), Math.max(start, end) + 1);
}

/** Returns the state of the checkbox for all shown rows. */
export function shareOf(shown: readonly string[], ids: Ids): 'all' | 'some' | 'none' {
  const count = shown.filter((id) => ids.has(id)).length;
  return count === 0 ? 'none' : count === shown.length ? 'all' : 'some';
}

/** Returns the selection with all shown rows, or without them if all of them are selected. */
export function withAllToggled(shown: readonly string[], ids: Ids): Ids {
  if (shareOf(shown, ids) !== 'all') return new Set([...ids, ...shown]);
  const leaving = new Set(shown);
  return new Set([...ids].filter((id) => !leaving.has(id)));
}

/** Returns the selection after a click: one row, or with Shift all rows since the last one clicked, as the row becomes. */
export function afterToggle(shown: readonly string[], ids: Ids, id: string, anchor: string | undefined): Ids {
  const rows = anchor === undefined ? [id] : rangeOf(shown, anchor, id);
  const next = new Set(ids);
  const isSelected = !ids.has(id);
  for (const row of rows) {
    if (isSelected) next.add(row);
    else next.delete(row);
  }
  return next;
}

/** Where Shift+arrow began, what was selected then, and the row that it reached. */
interface Reach {
  from: string;
  base: Ids;
  to: string;
}

/** Marks the checkbox of a row for the keys of the list. */
export const BOX = { 'data-box': true } as const;

/**
 * Toggling, ranges and the keys of a list with a selection: X toggles the focused row, Space too where a link has the focus, Shift with an
 * arrow extends, Escape clears.
 * @param shown ids of the rows in the order shown
 * @param isTyping whether a letter continues a name that the person is typing to get to its row; then X is one of its letters
 */
export function useSelecting(
  selection: RowSelection | undefined,
  shown: readonly string[],
  isTyping: (event: KeyboardEvent) => boolean = () => false,
) {
  const anchor = useRef<string>(undefined);
  const reach = useRef<Reach>(undefined);
  /** The selection that the last toggle or range made. */
  const made = useRef<Ids>(undefined);
  const make = (next: Ids) => {
    made.current = next;
    selection?.change(next);
  };
  // A range that began before the selection was cleared, or before an action took rows out, would bring these rows back unseen.
  const forgetRange = () => {
    if (made.current === selection?.ids) return;
    anchor.current = undefined;
    reach.current = undefined;
  };
  const toggle = (id: string, isRange: boolean) => {
    if (!selection) return;
    forgetRange();
    make(afterToggle(shown, selection.ids, id, isRange ? anchor.current : undefined));
    anchor.current = id;
    reach.current = undefined;
  };
  const extend = (from: string, to: string) => {
    if (!selection) return;
    forgetRange();
    const begun = reach.current?.to === from ? reach.current : { from, base: selection.ids };
    reach.current = { ...begun, to };
    make(new Set([...begun.base, ...rangeOf(shown, begun.from, to)]));
    anchor.current = to;
  };
  /**
   * Handles a key of the list.
   * @param id of the row with the focus
   * @param move moves the focus to another row
   * @returns whether the key was one of the selection
   */
  const onKey = (event: KeyboardEvent<HTMLElement>, id: string | undefined, move: (id: string) => void): boolean => {
    const { key, target } = event;
    if (!selection || event.ctrlKey || event.metaKey || event.altKey || !(target instanceof HTMLElement)) return false;
    if (key === 'Escape') {
      if (selection.ids.size === 0) return false;
      selection.change(NONE);
      return true;
    }
    const isBox = target.matches('[data-box]');
    // Buttons, menus and fields in a row have keys of their own.
    if (id === undefined || !(isBox || target instanceof HTMLAnchorElement)) return false;
    if (event.shiftKey && (key === 'ArrowDown' || key === 'ArrowUp')) {
      const next = shown[shown.indexOf(id) + (key === 'ArrowDown' ? 1 : -1)];
      if (next !== undefined) {
        extend(id, next);
        move(next);
      }
      return true;
    }
    // A checkbox toggles itself.
    if (key.toLowerCase() === 'x' ? isTyping(event) : key !== ' ' || isBox) return false;
    if (!event.repeat) toggle(id, event.shiftKey);
    return true;
  };
  return { toggle, onKey };
}
