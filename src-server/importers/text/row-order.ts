/**
 * Keeps the rows of a table whose times ascend. Text has no checksum: a flipped digit in a time shows only in that the row does not
 * fit between its neighbours.
 */
const HOUR_US = 3600e6;

export class RowOrder {
  readonly #backUs: number | null;
  #lastUs = Number.NEGATIVE_INFINITY;
  /** Rows left out. */
  dropped = 0;

  /** @param backUs how far times may step back, where they are arrivals; null where each must be later than the one before */
  constructor(backUs: number | null = null) {
    this.#backUs = backUs;
  }

  /**
   * Lists the rows to keep among the first `decided`; a row behind them is only looked at.
   *
   * @param times NaN where a row has no time
   * @param kept receives the indices
   */
  keep(times: Float64Array, rows: number, decided: number, kept: Int32Array): number {
    let count = 0;
    for (let row = 0; row < decided; row++) {
      if (this.#fits(times[row]!, row + 1 < rows ? times[row + 1]! : null)) {
        this.#lastUs = Math.max(this.#lastUs, times[row]!);
        kept[count++] = row;
      } else this.dropped++;
    }
    return count;
  }

  #fits(time: number, next: number | null): boolean {
    const last = this.#lastUs;
    if (!(this.#backUs === null ? time > last : time >= last - this.#backUs)) return false;
    // Ahead of a row that follows the one before.
    if (next !== null && time - (this.#backUs ?? 0) > next && next > last) return false;
    if (time - last <= HOUR_US) return true;
    // Alone, an hour from both neighbours; a file of a single row is not.
    return next === null ? last === Number.NEGATIVE_INFINITY : !(Math.abs(next - time) > HOUR_US);
  }
}
