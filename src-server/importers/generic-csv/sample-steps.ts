/** Steps between the samples of a channel: for its rate, and whether stamps are coarser than the period. */
import { medianInPlace } from '../timed-pages.ts';

const STEPS_FOR_RATE = 65_536;
/** A few repeated rows are repeated rows; this share of them is a stamp coarser than the period. */
const COARSE_SHARE = 0.1;

export class SampleSteps {
  readonly #steps = new Float64Array(STEPS_FOR_RATE);
  #count = 0;
  #runRows = 0;
  #runUs = Number.NaN;
  #repeated = 0;
  rows = 0;
  lastUs = Number.NEGATIVE_INFINITY;

  add(times: Float64Array, rows: number): void {
    for (let row = 0; row < rows; row++) {
      const timeUs = times[row]!;
      if (timeUs === this.#runUs) this.#repeated++;
      else {
        if (this.#runRows > 0 && this.#count < STEPS_FOR_RATE)
          this.#steps[this.#count++] = (timeUs - this.#runUs) / this.#runRows;
        this.#runUs = timeUs;
        this.#runRows = 0;
      }
      this.#runRows++;
    }
    this.rows += rows;
    if (rows > 0) this.lastUs = times[rows - 1]!;
  }

  get isCoarse(): boolean {
    return this.#repeated > this.rows * COARSE_SHARE;
  }

  medianUs(): number {
    return medianInPlace(this.#steps.slice(0, this.#count));
  }
}
