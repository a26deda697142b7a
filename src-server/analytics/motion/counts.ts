import { GRID_HZ } from './resample.ts';

/**
 * ActiGraph activity counts after Neishabouri et al. 2022 (Sci Rep 12:11958, doi 10.1038/s41598-022-16003-x): acceleration
 * at 30 Hz rounded to mg, the published band-pass (0.29 to 1.63 Hz), scaling, dead band, ceiling, 10 Hz means, sums.
 */
const INPUT = [
  -0.009341062898525, -0.02547028965936, -0.004235264826105, 0.04415241545642, 0.03649371834776, -0.01189396193474,
  -0.02291739062315, -0.00678816386231,
];
const OUTPUT = [
  -3.63367395910957, 5.03689812757486, -3.09612247819666, 0.50620507633883, 0.32421701566682, -0.15685485875559,
  0.019491302059,
];
/** ActiLife units per g: ADC steps of the first ActiGraph and its gain. */
const UNITS_PER_G = (3 / 4096 / (2.6 / 256)) * 237.5;
const DEAD_BAND = 4;
const CEILING = 128;
const CELLS_PER_MEAN = 3;
/**
 * The filter is not run through stillness: after this many seconds within `STILL_G` its output is far below the dead band
 * (the slowest pole dies to 1 % in about 3 s), so those counts are zero and the filter restarts charged to the level.
 */
const STILL_SECONDS = 6;
const STILL_G = 0.06;

const OUTPUT_SUM = OUTPUT.reduce((sum, value) => sum + value, 1);

/**
 * Adds the counts of one axis of one gapless run to the seconds they fall in.
 *
 * @param signal acceleration in g at 30 Hz; the run is [start, stop)
 * @param counts per second of the same grid, added to
 */
export function countsPerSecond(signal: Float32Array, start: number, stop: number, counts: Float32Array): void {
  const still = stillSeconds(signal, start, stop);
  const firstSecond = Math.floor(start / GRID_HZ);
  const level = charged(signal[start]);
  let w1 = level;
  let w2 = level;
  let w3 = level;
  let w4 = level;
  let w5 = level;
  let w6 = level;
  let w7 = level;
  const [b0, b1, b2, b3, b4, b5, b6, b7] = INPUT;
  const [a1, a2, a3, a4, a5, a6, a7] = OUTPUT;
  let cell = start;
  let sum = 0;
  let inMean = 0;
  let resting = false;
  while (cell < stop) {
    const second = Math.floor(cell / GRID_HZ);
    const end = Math.min(stop, (second + 1) * GRID_HZ);
    if (still[second - firstSecond] === 1) {
      resting = true;
      cell = end;
      sum = 0;
      inMean = 0;
      continue;
    }
    if (resting) {
      w1 = charged(signal[cell]);
      w2 = w1;
      w3 = w1;
      w4 = w1;
      w5 = w1;
      w6 = w1;
      w7 = w1;
      resting = false;
    }
    let total = 0;
    for (; cell < end; cell++) {
      const value = Math.round(signal[cell] * 1000) / 1000;
      // In this order only the last product waits for the cell before, so that cells overlap in the processor.
      const fed = b1 * w1 + b2 * w2 + b3 * w3 + b4 * w4 + b5 * w5 + b6 * w6 + b7 * w7;
      const w0 = value - (a2 * w2 + a3 * w3 + a4 * w4 + a5 * w5 + a6 * w6 + a7 * w7) - a1 * w1;
      const output = UNITS_PER_G * (b0 * w0 + fed);
      w7 = w6;
      w6 = w5;
      w5 = w4;
      w4 = w3;
      w3 = w2;
      w2 = w1;
      w1 = w0;
      const size = output < 0 ? -output : output;
      if (size >= DEAD_BAND) sum += size > CEILING ? CEILING : size | 0;
      if (++inMean === CELLS_PER_MEAN) {
        total += (sum / CELLS_PER_MEAN) | 0;
        sum = 0;
        inMean = 0;
      }
    }
    counts[second] += total;
  }
}

/** Each state of the filter (direct form II) after an endless constant input: no transient at the start of a run. */
function charged(level: number): number {
  return Math.round(level * 1000) / 1000 / OUTPUT_SUM;
}

/** Per second of the run: 1 when it and the `STILL_SECONDS` before it stay within `STILL_G` on this axis. */
function stillSeconds(signal: Float32Array, start: number, stop: number): Uint8Array {
  const firstSecond = Math.floor(start / GRID_HZ);
  const count = Math.ceil(stop / GRID_HZ) - firstSecond;
  const still = new Uint8Array(count);
  let low = 0;
  let high = 0;
  let quiet = STILL_SECONDS;
  let fresh = true;
  for (let second = 0; second < count; second++) {
    const from = Math.max(start, (firstSecond + second) * GRID_HZ);
    const to = Math.min(stop, (firstSecond + second + 1) * GRID_HZ);
    let min = signal[from];
    let max = min;
    for (let cell = from + 1; cell < to; cell++) {
      const value = signal[cell];
      if (value < min) min = value;
      else if (value > max) max = value;
    }
    const joinedLow = fresh ? min : Math.min(low, min);
    const joinedHigh = fresh ? max : Math.max(high, max);
    if (joinedHigh - joinedLow <= STILL_G) {
      low = joinedLow;
      high = joinedHigh;
      quiet++;
      fresh = false;
    } else {
      low = min;
      high = max;
      quiet = max - min <= STILL_G ? 1 : 0;
    }
    if (quiet > STILL_SECONDS) still[second] = 1;
  }
  return still;
}
