import { type FocusEvent, useEffect, useMemo, useRef, useState } from 'react';

/**
 * A list that does not move under the pointer or the keyboard: while it is held, its items keep their places, those that
 * went are marked, and new ones wait. `holder` goes to the element around the list and what shows those that wait.
 */
export function useFrozenList<T, E extends HTMLElement = HTMLDivElement>(
  items: readonly T[],
  idOf: (item: T) => string,
) {
  const [held, setHeld] = useState<readonly T[] | null>(null);
  const latest = useRef(items);
  const element = useRef<E>(null);
  useEffect(() => {
    latest.current = items;
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: the id of an item is the same however it is asked for
  const { shown, waiting } = useMemo(() => {
    const now = new Map(items.map((item) => [idOf(item), item]));
    const places = held ?? items;
    const known = new Set(places.map(idOf));
    return {
      shown: places.map((item) => ({ item: now.get(idOf(item)) ?? item, isGone: !now.has(idOf(item)) })),
      waiting: items.filter((item) => !known.has(idOf(item))).length,
    };
  }, [items, held]);
  const hold = (isHeld: boolean) => setHeld((old) => (isHeld ? (old ?? latest.current) : null));
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
