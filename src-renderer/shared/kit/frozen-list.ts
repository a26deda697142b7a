/** Lists that hold still while the user is on them. */
import { type FocusEvent, useEffect, useMemo, useRef, useState } from 'react';

/**
 * Freezes a list while the pointer or the focus is on it: items keep their places, removed ones are marked as gone, and new
 * ones wait. Spread `holder` on the element around the list and around the control that shows the waiting items.
 */
export function useFrozenList<T, E extends HTMLElement = HTMLDivElement>(
  items: readonly T[],
  idOf: (item: T) => string,
) {
  const [frozen, setFrozen] = useState<readonly T[] | null>(null);
  const latest = useRef(items);
  const element = useRef<E>(null);
  useEffect(() => {
    latest.current = items;
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: `idOf` is a new function every render but gives the same ids
  const { shown, waiting } = useMemo(() => {
    const current = new Map(items.map((item) => [idOf(item), item]));
    const places = frozen ?? items;
    const known = new Set(places.map(idOf));
    return {
      shown: places.map((item) => ({ item: current.get(idOf(item)) ?? item, isGone: !current.has(idOf(item)) })),
      waiting: items.filter((item) => !known.has(idOf(item))).length,
    };
  }, [items, frozen]);
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
