/** Judges the start times of data records, of which a damaged file may have wrong or missing ones. */

/**
 * The start of a continuous file by its first records, each of which states its own time. One wrong time must not move a whole
 * recording: the two after the first outvote it.
 */
export function agreedStart(
  onsets: readonly (number | null)[],
  durationUs: number,
): { startUs: number; isOutvoted: boolean } {
  const [first, second, third] = onsets.map((onset, r) => (onset === null ? null : onset - r * durationUs));
  const isSame = (a: number, b: number): boolean => Math.abs(a - b) < Math.max(1, durationUs / 2);
  if (second !== null && second !== undefined && third !== null && third !== undefined && isSame(second, third)) {
    if (first === null || first === undefined) return { startUs: second, isOutvoted: false };
    if (!isSame(first, second)) return { startUs: second, isOutvoted: true };
  }
  return { startUs: first ?? 0, isOutvoted: false };
}

/** Leaves out records without a time, with one before the record ahead, or with one that the next record contradicts. */
export class RecordOrder {
  readonly #durationUs: number;
  #lastUs = Number.NEGATIVE_INFINITY;
  #isInBreak = false;
  leftOut = 0;

  constructor(durationUs: number) {
    this.#durationUs = durationUs;
  }

  /**
   * @param onsets stated times, NaN where there is none
   * @param records whole records, which are moved together where some are left out
   * @returns times of the records that are kept, and the ends of those before a break
   */
  take(onsets: Float64Array, records: Buffer, recordBytes: number): { onsets: Float64Array; breaksAfterUs: number[] } {
    const breaksAfterUs: number[] = [];
    let kept = 0;
    for (let r = 0; r < onsets.length; r++) {
      if (!this.#isPlausible(onsets, r)) {
        this.leftOut++;
        if (!this.#isInBreak && Number.isFinite(this.#lastUs)) breaksAfterUs.push(this.#lastUs + this.#durationUs);
        this.#isInBreak = true;
        continue;
      }
      this.#isInBreak = false;
      this.#lastUs = onsets[r]!;
      if (kept < r) records.copyWithin(kept * recordBytes, r * recordBytes, (r + 1) * recordBytes);
      onsets[kept++] = onsets[r]!;
    }
    return { onsets: onsets.subarray(0, kept), breaksAfterUs };
  }

  #isPlausible(onsets: Float64Array, r: number): boolean {
    const onset = onsets[r]!;
    if (!(onset >= this.#lastUs)) return false;
    const next = onsets[r + 1];
    const isContradicted = next !== undefined && next < onset && next >= this.#lastUs;
    return !isContradicted;
  }
}
