/**
 * Times of samples whose stamps are coarser than their period: all rows of one second share its stamp. A run of equal stamps is a block:
 * its samples are spread evenly up to the next stamp, or by the last good period where a gap follows.
 */

const GAP_STEPS = 1.5;
const MAX_RUN_ROWS = 1 << 20;

interface Run {
  stampUs: number;
  /** Rows of counts, one array per dimension. */
  counts: number[][];
  rows: number;
}

export type TimedCounts = (times: Float64Array, counts: Int32Array[], rows: number) => void;

export class StampSpreader {
  readonly #dimensions: number;
  readonly #emit: TimedCounts;
  /** The first run, held until the second shows the period: a recording usually starts within a second. */
  #first: Run | null = null;
  #run: Run | null = null;
  #periodUs = 0;

  constructor(dimensions: number, emit: TimedCounts) {
    this.#dimensions = dimensions;
    this.#emit = emit;
  }

  /** Returns false when a run is longer than any real one. */
  push(times: Float64Array, counts: readonly Int32Array[], rows: number): boolean {
    for (let row = 0; row < rows; row++) {
      if (this.#run?.stampUs !== times[row]) this.#endRun(times[row]!);
      const run = this.#run!;
      if (run.rows >= MAX_RUN_ROWS) return false;
      for (let d = 0; d < this.#dimensions; d++) run.counts[d]!.push(counts[d]![row]!);
      run.rows++;
    }
    return true;
  }

  end(): void {
    const run = this.#run;
    if (this.#first) this.#place(this.#first, this.#first.stampUs, this.#spanOf(this.#first, run?.stampUs));
    if (run) this.#place(run, run.stampUs, this.#periodUs);
    this.#first = null;
    this.#run = null;
  }

  #endRun(nextUs: number): void {
    const run = this.#run;
    this.#run = { stampUs: nextUs, counts: Array.from({ length: this.#dimensions }, () => []), rows: 0 };
    if (!run) return;
    if (this.#first === null && this.#periodUs === 0) {
      this.#first = run;
      return;
    }
    const periodUs = this.#spanOf(run, nextUs);
    if (this.#first) {
      const first = this.#first;
      this.#first = null;
      const isPart = first.rows < run.rows && run.stampUs - first.rows * periodUs >= first.stampUs;
      if (isPart) this.#place(first, run.stampUs - first.rows * periodUs, periodUs);
      else this.#place(first, first.stampUs, (run.stampUs - first.stampUs) / first.rows);
    }
    this.#place(run, run.stampUs, periodUs);
  }

  #spanOf(run: Run, nextUs: number | undefined): number {
    if (nextUs === undefined) return this.#periodUs;
    const periodUs = (nextUs - run.stampUs) / run.rows;
    if (this.#periodUs > 0 && periodUs > GAP_STEPS * this.#periodUs) return this.#periodUs;
    this.#periodUs = periodUs;
    return periodUs;
  }

  #place(run: Run, startUs: number, periodUs: number): void {
    const times = Float64Array.from({ length: run.rows }, (_, i) => Math.round(startUs + i * periodUs));
    this.#emit(
      times,
      run.counts.map((values) => Int32Array.from(values)),
      run.rows,
    );
  }
}
