/** Index of the first of ascending values that is at least `least`; their number when there is none. */
export function lowerBound(values: Float64Array | Int32Array, least: number): number {
  let low = 0;
  let high = values.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (values[middle]! < least) low = middle + 1;
    else high = middle;
  }
  return low;
}
