/**
 * Times of beats from the times of rows. A program stamps an interval when it arrives, up to seconds late; the beat lies an interval after
 * the one before. The running sum counts as long as it stays near the stamps; beyond that beats are missing and the stamp counts.
 */

const MOST_LAG_US = 2_000_000;

export class BeatTimes {
  readonly #scale: number;
  readonly #offset: number;
  #lastUs = Number.NaN;

  /** @param scale seconds per count */
  constructor(scale: number, offset: number) {
    this.#scale = scale;
    this.#offset = offset;
  }

  /** Replaces stamps by the times of the beats, which ascend. */
  place(times: Float64Array, counts: Int32Array, rows: number): void {
    for (let row = 0; row < rows; row++) {
      const summedUs = this.#lastUs + Math.round((counts[row]! * this.#scale + this.#offset) * 1e6);
      const isFollowing = Math.abs(summedUs - times[row]!) <= MOST_LAG_US;
      const timeUs = isFollowing ? summedUs : Math.max(times[row]!, this.#lastUs + 1 || Number.NEGATIVE_INFINITY);
      times[row] = timeUs;
      this.#lastUs = timeUs;
    }
  }
}
