import { useEffect, useRef, useState } from 'react';

/**
 * A list that does not move under the pointer or the keyboard: while it is held, its items keep their places, those that
 * went are marked, and new ones wait.
 */
export function useHeldStill<T extends { id: string }>(
  items: readonly T[],
): { shown: { item: T; isGone: boolean }[]; waiting: number; hold: (isHeld: boolean) => void } {
  const [held, setHeld] = useState<readonly T[] | null>(null);
  const latest = useRef(items);
  useEffect(() => {
    latest.current = items;
  });
  const now = new Map(items.map((item) => [item.id, item]));
  const places = held ?? items;
  return {
    shown: places.map((item) => ({ item: now.get(item.id) ?? item, isGone: !now.has(item.id) })),
    waiting: held ? items.filter(({ id }) => !held.some((old) => old.id === id)).length : 0,
    hold: (isHeld) => setHeld((old) => (isHeld ? (old ?? latest.current) : null)),
  };
}
