/**
 * ActiGraph activity counts after Neishabouri et al. 2022 (Sci Rep 12:11958, doi 10.1038/s41598-022-16003-x): acceleration
 * at 30 Hz rounded to mg, the published band-pass (0.29 to 1.63 Hz), scaling, dead band, ceiling, 10 Hz means, sums.
 */
import { GRID_HZ } from './resample-page.ts';

/** Feed-forward and feedback coefficients of the published band-pass. */
const INPUT = [
  -0.009341062898525, -0.02547028965936, -0.004235264826105, 0.04415241545642, 0.03649371834776, -0.01189396193474,
  -0.02291739062315, -0.00678816386231,
] as const;
const OUTPUT = [
  -3.63367395910957, 5.03689812757486, -3.09612247819666, 0.50620507633883, 0.32421701566682, -0.15685485875559,
  0.019491302059,
] as const;
/** ActiLife units per g: ADC steps of the first ActiGraph and its gain. */
const UNITS_PER_G = (3 / 4096 / (2.6 / 256)) * 237.5;
const DEAD_BAND = 4;
const CEILING = 128;
const CELLS_PER_MEAN = 3;
/**
 * The filter is skipped during stillness: after this many seconds within `STILL_G` its output is far below the dead band (the
 * slowest pole decays to 1 % in about 3 s), so the counts are zero and the filter restarts in its steady state.
 */
const STILL_SECONDS = 6;
const STILL_G = 0.06;

const [B0, B1, B2, B3, B4, B5, B6, B7] = INPUT;
const [A1, A2, A3, A4, A5, A6, A7] = OUTPUT;
const OUTPUT_SUM = OUTPUT.reduce<number>((sum, value) => sum + value, 1);

/** The counts of one axis of one gapless run, which may come in several pieces of whole seconds. */
export class RunCounter {
  readonly #filter = new CountFilter();
  readonly #stillness = new Stillness();
  #resting = true;

  /**
   * Adds the counts of the next piece of the run to its seconds.
   *
   * @param signal acceleration in g at 30 Hz; the piece is [start, stop)
   * @param counts per second of the same grid, added to
   */
  add(signal: Float32Array, start: number, stop: number, counts: Float32Array): void {
    for (let cell = start; cell < stop; ) {
      const second = Math.floor(cell / GRID_HZ);
      const end = Math.min(stop, (second + 1) * GRID_HZ);
      if (this.#stillness.includes(signal, cell, end)) this.#resting = true;
      else {
        if (this.#resting) this.#filter.restart(signal[cell]!);
        this.#resting = false;
        counts[second]! += this.#filter.count(signal, cell, end);
      }
      cell = end;
    }
  }
}

/** Rounds to mg like `Math.round`, which would take longer than the whole filter. */
const toMilli = (g: number): number => Math.floor(g * 1000 + 0.5) / 1000;

class CountFilter {
  /** The seven state variables of the filter in direct form II. */
  readonly #memory = new Float64Array(7);
  /** Counts and cells of the incomplete mean. */
  #sum = 0;
  #inMean = 0;

  /** Sets the steady state of a constant input, so that a run starts without a transient. */
  restart(level: number): void {
    this.#memory.fill(toMilli(level) / OUTPUT_SUM);
    this.#sum = 0;
    this.#inMean = 0;
  }

  /** Returns the counts of the cells [from, to), which must follow those of the call before. */
  count(signal: Float32Array, from: number, to: number): number {
    const memory = this.#memory;
    let w1 = memory[0]!;
    let w2 = memory[1]!;
    let w3 = memory[2]!;
    let w4 = memory[3]!;
    let w5 = memory[4]!;
    let w6 = memory[5]!;
    let w7 = memory[6]!;
    let sum = this.#sum;
    let inMean = this.#inMean;
    let total = 0;
    for (let cell = from; cell < to; cell++) {
      const value = toMilli(signal[cell]!);
      // Order of operations: only the last product depends on the previous cell, so the CPU can overlap cells.
      const fed = B1 * w1 + B2 * w2 + B3 * w3 + B4 * w4 + B5 * w5 + B6 * w6 + B7 * w7;
      const w0 = value - (A2 * w2 + A3 * w3 + A4 * w4 + A5 * w5 + A6 * w6 + A7 * w7) - A1 * w1;
      const output = UNITS_PER_G * (B0 * w0 + fed);
      w7 = w6;
      w6 = w5;
      w5 = w4;
      w4 = w3;
      w3 = w2;
      w2 = w1;
      w1 = w0;
      const size = Math.abs(output);
      if (size >= DEAD_BAND) sum += size > CEILING ? CEILING : size | 0;
      if (++inMean === CELLS_PER_MEAN) {
        total += (sum / CELLS_PER_MEAN) | 0;
        sum = 0;
        inMean = 0;
      }
    }
    memory[0] = w1;
    memory[1] = w2;
    memory[2] = w3;
    memory[3] = w4;
    memory[4] = w5;
    memory[5] = w6;
    memory[6] = w7;
    this.#sum = sum;
    this.#inMean = inMean;
    return total;
  }
}

/** Detects stillness of one axis from second to second. The time before a run is assumed to be as still as its start. */
class Stillness {
  #low = Number.POSITIVE_INFINITY;
  #high = Number.NEGATIVE_INFINITY;
  #seconds = STILL_SECONDS;

  /** True when the second [from, to) and the `STILL_SECONDS` before it stay within `STILL_G`. */
  includes(signal: Float32Array, from: number, to: number): boolean {
    let low = this.#low;
    let high = this.#high;
    // During stillness the bounds hardly change, so two comparisons per cell suffice.
    for (let cell = from; cell < to; cell++) {
      const value = signal[cell]!;
      if (value < low) low = value;
      if (value > high) high = value;
    }
    if (high - low <= STILL_G) this.#seconds++;
    else {
      low = signal[from]!;
      high = low;
      for (let cell = from + 1; cell < to; cell++) {
        const value = signal[cell]!;
        if (value < low) low = value;
        else if (value > high) high = value;
      }
      this.#seconds = high - low <= STILL_G ? 1 : 0;
    }
    this.#low = low;
    this.#high = high;
    return this.#seconds > STILL_SECONDS;
  }
}
