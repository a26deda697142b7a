/**
 * The first stage of the published count algorithm (Neishabouri et al. 2022): ActiGraph's resampling of its own rates to 30 Hz.
 * Its low-pass is weak, so movement above 15 Hz aliases into the counts; at the published rates this aliasing is part of the
 * definition (up to a quarter of the counts at a thigh). Other rates have no published resampling and use the 30 Hz grid.
 */
const FACTORS = new Map<number, { up: number; down: number }>([
  [40, { up: 3, down: 4 }],
  [50, { up: 3, down: 5 }],
  [60, { up: 1, down: 2 }],
  [70, { up: 3, down: 7 }],
  [80, { up: 3, down: 8 }],
  [90, { up: 1, down: 3 }],
  [100, { up: 3, down: 10 }],
]);
/** At this error a page of a minute drifts by less than one grid cell. */
const RATE_TOLERANCE = 0.0005;

/** True when ActiGraph's resampling is defined for this sampling period. */
export function isPublishedRate(periodUs: number): boolean {
  const rateHz = 1e6 / periodUs;
  const nearest = Math.round(rateHz / 10) * 10;
  return FACTORS.has(nearest) && Math.abs(rateHz / nearest - 1) <= RATE_TOLERANCE;
}

/** Resamples one axis of one gapless run to 30 Hz. */
export class PublishedResampler {
  #before = 0;
  #filtered = 0;
  #tick = 0;

  /**
   * Writes the resampled samples [first, stop) of a column to the cells [from, to) of `out`; a cell without an output (rounding at
   * the seam of two pages) repeats the one before.
   */
  push(
    column: ArrayLike<number>,
    first: number,
    stop: number,
    periodUs: number,
    scale: number,
    offset: number,
    out: Float32Array,
    from: number,
    to: number,
  ): void {
    const { up, down } = FACTORS.get(Math.round(1e5 / periodUs) * 10)!;
    const gain = Math.PI / (Math.PI + 2 * up);
    const feedback = (Math.PI - 2 * up) / (Math.PI + 2 * up);
    let cell = from;
    for (let sample = first; sample < stop; sample++) {
      const value = column[sample]! * scale + offset;
      for (let phase = 0; phase < up; phase++) {
        const input = phase === 0 ? value : 0;
        this.#filtered = up === 1 ? value : gain * up * (input + this.#before) - feedback * this.#filtered;
        this.#before = input;
        if (this.#tick === 0 && cell < to) out[cell++] = this.#filtered;
        this.#tick = this.#tick + 1 === down ? 0 : this.#tick + 1;
      }
    }
    for (; cell < to; cell++) out[cell] = cell > 0 ? out[cell - 1]! : 0;
  }
}
