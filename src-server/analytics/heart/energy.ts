/** QRS energy of an ECG block: band-pass filter, rectification and a moving average over the width of a QRS complex. */
import type { EcgBlock } from './segments.ts';

/**
 * QRS energy lies between about 5 and 25 Hz, P and T waves below 10 Hz (Thakor 1984). Elgendi 2010 found 8 to 20 Hz best; the
 * band here is slightly higher because second-order sections roll off slowly.
 */
const BAND_HZ: readonly [number, number] = [10, 25];
/** Width of a QRS complex: the length of the moving average. */
const QRS_SECONDS = 0.08;
/** Windows whose maxima give the QRS level. */
const LEVEL_SECONDS = 2;

/**
 * Second-order Butterworth section by the bilinear transform: [b0, a1, a2]. b1 is 2 b0 (low-pass) or -2 b0 (high-pass), b2 is
 * b0.
 */
function butterworth(kind: 'low' | 'high', cutHz: number, rateHz: number): [number, number, number] {
  const k = Math.tan((Math.PI * Math.min(cutHz, 0.45 * rateHz)) / rateHz);
  const norm = 1 / (1 + Math.SQRT2 * k + k * k);
  const a1 = 2 * (k * k - 1) * norm;
  const a2 = (1 - Math.SQRT2 * k + k * k) * norm;
  return [kind === 'low' ? k * k * norm : norm, a1, a2];
}

/**
 * High-pass and low-pass in cascade. Their zeros combine to (1 - z^-2)^2, which is applied first, so each section reduces to its
 * poles. The signal before its start is assumed to equal the first sample.
 */
class BandPass {
  readonly #gain: number;
  readonly #high1: number;
  readonly #high2: number;
  readonly #low1: number;
  readonly #low2: number;
  /** The last two outputs of the high-pass, then of the cascade. */
  readonly #memory = new Float64Array(4);

  constructor(rateHz: number) {
    const [high, high1, high2] = butterworth('high', BAND_HZ[0], rateHz);
    const [low, low1, low2] = butterworth('low', BAND_HZ[1], rateHz);
    this.#gain = high * low;
    this.#high1 = high1;
    this.#high2 = high2;
    this.#low1 = low1;
    this.#low2 = low2;
  }

  /**
   * Writes the absolute value of the band-passed samples [from, to) to `out`, sample i at `i + shift`. Calls must follow each
   * other without a hole.
   */
  rectify(x: Float32Array, from: number, to: number, out: Float32Array, shift: number): void {
    const start = Math.min(to, 4);
    for (let i = from; i < start; i++) out[i + shift] = this.#next(x[i]! - 2 * x[Math.max(0, i - 2)]! + x[0]!);
    const gain = this.#gain;
    const a1 = this.#high1;
    const a2 = this.#high2;
    const b1 = this.#low1;
    const b2 = this.#low2;
    const memory = this.#memory;
    // No destructuring: an iterator would box every number.
    let high1 = memory[0]!;
    let high2 = memory[1]!;
    let band1 = memory[2]!;
    let band2 = memory[3]!;
    for (let i = Math.max(start, from); i < to; i++) {
      // Order of operations: only the last product depends on the previous sample, so the CPU can overlap samples.
      const high = gain * (x[i]! - 2 * x[i - 2]! + x[i - 4]!) - a2 * high2 - a1 * high1;
      const band = high - b2 * band2 - b1 * band1;
      high2 = high1;
      high1 = high;
      band2 = band1;
      band1 = band;
      out[i + shift] = Math.abs(band);
    }
    memory[0] = high1;
    memory[1] = high2;
    memory[2] = band1;
    memory[3] = band2;
  }

  /** @param zeros the input after the zeros of the cascade */
  #next(zeros: number): number {
    const memory = this.#memory;
    const high = this.#gain * zeros - this.#high2 * memory[1]! - this.#high1 * memory[0]!;
    const band = high - this.#low2 * memory[3]! - this.#low1 * memory[2]!;
    memory.set([high, memory[0]!, band, memory[2]!]);
    return Math.abs(band);
  }
}

/** Energy of a block, and its maximum per window of `LEVEL_SECONDS`; the last window is up to twice as long. */
export interface Energy {
  energy: Float32Array;
  tops: Float32Array;
}

/** Buffers, reused from block to block. */
let rectified = new Float32Array(0);
let energies = new Float32Array(0);

/** Length of a window, samples. */
export const windowWidth = (rateHz: number): number => Math.max(1, Math.round(LEVEL_SECONDS * rateHz));

/**
 * Returns the mean absolute band-passed signal over the width of a QRS complex, centred; valid until the next call. Filter and
 * average run window by window, so that the average reads the filter output from the CPU cache.
 */
export function qrsEnergy(block: EcgBlock): Energy {
  const { samples: x, count, rateHz } = block;
  // The group delay of the two sections is about 15 ms in the QRS band; the energy is shifted back by it.
  const delay = Math.round(0.015 * rateHz);
  const half = Math.max(1, Math.round((QRS_SECONDS * rateHz) / 2));
  // Zeros before and after the block, and during the filter's start-up transient.
  const ahead = half + delay;
  const shift = half + 1;
  if (rectified.length < count + shift + ahead) rectified = new Float32Array(count + shift + ahead);
  if (energies.length < count) energies = new Float32Array(count);
  const filter = new BandPass(rateHz);
  const width = windowWidth(rateHz);
  const tops = new Float32Array(Math.max(1, Math.floor(count / width)));
  rectified.fill(0, 0, shift);
  rectified.fill(0, count + shift, count + shift + ahead);
  const mean = new SlidingMean(2 * half + 1);
  let done = 0;
  for (let w = 0; w < tops.length; w++) {
    const stop = w === tops.length - 1 ? count : (w + 1) * width;
    const filtered = Math.min(count, stop + ahead);
    filter.rectify(x, done, filtered, rectified, shift);
    done = filtered;
    if (w === 0) {
      rectified.fill(0, shift, shift + Math.min(delay, count));
      mean.begin(rectified, shift, shift + Math.min(ahead, count));
    }
    tops[w] = mean.slide(rectified, shift + ahead, energies, w * width, stop);
  }
  return { energy: energies.subarray(0, count), tops };
}

/** Moving average by a running sum. */
class SlidingMean {
  readonly #width: number;
  #sum = 0;

  constructor(width: number) {
    this.#width = width;
  }

  begin(values: Float32Array, from: number, to: number): void {
    for (let k = from; k < to; k++) this.#sum += values[k]!;
  }

  /** Writes the means that end at `values[i + shift]` to `out[i]` for i in [from, to); returns the highest. */
  slide(values: Float32Array, shift: number, out: Float32Array, from: number, to: number): number {
    const width = this.#width;
    const share = 1 / width;
    let sum = this.#sum;
    let top = 0;
    for (let i = from, k = from + shift; i < to; i++, k++) {
      // Subtracting first leaves a single addition that depends on the previous sum.
      sum += values[k]! - values[k - width]!;
      const value = sum * share;
      out[i] = value;
      if (value > top) top = value;
    }
    this.#sum = sum;
    return top;
  }
}
