/** Moving an item of a list. Pure. */

/** Returns the list with the item at `from` at the place `to`. */
export function moved<T>(list: readonly T[], from: number, to: number): T[] {
  const rest = list.toSpliced(from, 1);
  return rest.toSpliced(to, 0, list[from]!);
}

/** Returns the place to which a key moves an item; undefined for other keys and beyond the ends. */
export function placeAfterKey(key: string, from: number, count: number): number | undefined {
  const to = { ArrowUp: from - 1, ArrowDown: from + 1, Home: 0, End: count - 1 }[key];
  return to !== undefined && to !== from && to >= 0 && to < count ? to : undefined;
}
