/** Lists that hold still while the user is on them. */
import { type FocusEvent, useEffect, useMemo, useRef, useState } from 'react';

/** The items in their places, and how many wait. @param frozen what showed when the list was frozen; null while it is not */
export function placesOf<T>(
  items: readonly T[],
  frozen: readonly T[] | null,
  idOf: (item: T) => string,
  growsAtEnd: boolean,
): { shown: { item: T; isGone: boolean }[]; waiting: number } {
  const current = new Map(items.map((item) => [idOf(item), item]));
  const places = [...(frozen ?? items)];
  const known = new Set(places.map(idOf));
  const lastKnown = items.findLastIndex((item) => known.has(idOf(item)));
  if (growsAtEnd && lastKnown >= 0) places.push(...items.slice(lastKnown + 1));
  return {
    shown: places.map((item) => ({ item: current.get(idOf(item)) ?? item, isGone: !current.has(idOf(item)) })),
    waiting: items.length - places.filter((item) => current.has(idOf(item))).length,
  };
}

/**
 * Freezes a list while the pointer or the focus is on it: items keep their places, removed ones are marked as gone, and new
 * ones wait. Spread `holder` on the element around the list and around the control that shows the waiting items.
 * @param growsAtEnd items after the last known one show at once: they are the next page of the list and move nothing
 */
export function useFrozenList<T, E extends HTMLElement = HTMLDivElement>(
  items: readonly T[],
  idOf: (item: T) => string,
  growsAtEnd = false,
) {
  const [frozen, setFrozen] = useState<readonly T[] | null>(null);
  const latest = useRef(items);
  const element = useRef<E>(null);
  useEffect(() => {
    latest.current = items;
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: `idOf` is a new function every render but gives the same ids
  const { shown, waiting } = useMemo(() => placesOf(items, frozen, idOf, growsAtEnd), [items, frozen, growsAtEnd]);
  const hold = (isFrozen: boolean) => setFrozen((old) => (isFrozen ? (old ?? latest.current) : null));
  return {
    shown,
    waiting,
    hold,
    holder: {
      ref: element,
      onPointerEnter: () => hold(true),
      onPointerLeave: () => {
        if (!element.current?.contains(document.activeElement)) hold(false);
      },
      onFocus: () => hold(true),
      onBlur: (event: FocusEvent) => {
        if (!event.currentTarget.contains(event.relatedTarget)) hold(false);
      },
    },
  };
}
