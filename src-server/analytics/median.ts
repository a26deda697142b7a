/**
 * Median of the first `n` values, which are left sorted. Insertion sort: for the dozen intervals around a beat it is several
 * times faster than a sort with a comparison function.
 */
export function medianInPlace(values: Float64Array, n: number): number {
  for (let i = 1; i < n; i++) {
    const value = values[i]!;
    let k = i - 1;
    while (k >= 0 && values[k]! > value) {
      values[k + 1] = values[k]!;
      k--;
    }
    values[k + 1] = value;
  }
  return n === 0 ? 0 : values[n >> 1]!;
}

/** The values in a window that slides, kept in order: one enters, one leaves, and only those between the two move. */
export class OrderedWindow {
  /** Values held. */
  count = 0;
  readonly #values: Float64Array;

  constructor(room: number) {
    this.#values = new Float64Array(room);
  }

  /** Lets one value go, which must be held, and takes another in; NaN for none. Values are not negative. */
  replace(leave: number, enter: number): void {
    const values = this.#values;
    const enters = enter >= 0;
    let place: number;
    if (leave >= 0) place = this.#placeOf(leave);
    else if (enters) place = this.count++;
    else return;
    if (!enters) {
      this.count--;
      for (; place < this.count; place++) values[place] = values[place + 1]!;
      return;
    }
    for (; place > 0 && values[place - 1]! > enter; place--) values[place] = values[place - 1]!;
    for (; place + 1 < this.count && values[place + 1]! < enter; place++) values[place] = values[place + 1]!;
    values[place] = enter;
  }

  /** The median, of an even number the upper one; the window must hold a value. */
  median(): number {
    return this.#values[this.count >> 1]!;
  }

  /** The median of all values but one, which must be held; of all where that is NaN. */
  medianWithout(left: number): number {
    if (!(left >= 0)) return this.median();
    const middle = (this.count - 1) >> 1;
    return this.#values[middle < this.#placeOf(left) ? middle : middle + 1]!;
  }

  /** The first place of a value. */
  #placeOf(value: number): number {
    let low = 0;
    let high = this.count - 1;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#values[middle]! < value) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
