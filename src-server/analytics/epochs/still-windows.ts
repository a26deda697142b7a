/** The first pass over an accelerometer: stretches without movement, which show gravity alone, for its calibration. */
import { type Scaling, scalingOf, usablePage } from '../motion/usable-page.ts';
import type { SignalChunk, SignalSource } from '../types.ts';

/** Parameters of van Hees et al. 2014 (J Appl Physiol 117:738). */
const WINDOW_US = 10e6;
const STILL_SD_G = 0.013;
const LARGEST_MEAN_G = 2;
/** Part of a window that samples must cover. */
const LEAST_COVERAGE = 0.9;
/** The means must reach this far on both sides of every axis: from one side, gain and offset look the same. */
export const SPHERE_G = 0.3;
/** With this much data and a populated sphere more does not help: a device worn for months is not read twice as a whole. */
const ENOUGH_WINDOWS = (168 * 3600e6) / WINDOW_US;

/** Collects the mean acceleration of still windows, g. */
export class StillWindows {
  /** x, y, z of each window. */
  means: Float64Array = new Float64Array(3 * 1024);
  count = 0;
  readonly #scaling: Scaling | null;
  readonly #low: [number, number, number] = [0, 0, 0];
  readonly #high: [number, number, number] = [0, 0, 0];
  #lastUs: number;
  readonly #stopUs: number;
  #windows = 0;
  #window = Number.NaN;
  #n = 0;
  #periodUs = 1;
  readonly #sum: [number, number, number] = [0, 0, 0];
  readonly #squares: [number, number, number] = [0, 0, 0];

  constructor(source: SignalSource, startUs: number, stopUs: number) {
    this.#scaling = scalingOf(source);
    this.#lastUs = startUs - 1;
    this.#stopUs = stopUs;
  }

  /** Whether the means lie all around the sphere. */
  get isSpherePopulated(): boolean {
    return this.#low.every((low) => low < -SPHERE_G) && this.#high.every((high) => high > SPHERE_G);
  }

  /** Whether more data would not help. */
  get isEnough(): boolean {
    return this.#windows >= ENOUGH_WINDOWS && this.isSpherePopulated;
  }

  add(chunk: SignalChunk): void {
    if (this.#scaling === null) return;
    const page = usablePage(chunk, this.#scaling, this.#lastUs + 1, this.#stopUs);
    if (page === null) return;
    const { columns, first, stop, startUs, periodUs, scale, offset } = page;
    const [columnX, columnY, columnZ] = columns;
    const [scaleX, scaleY, scaleZ] = scale;
    const [offsetX, offsetY, offsetZ] = offset;
    for (let i = first; i < stop; ) {
      const window = Math.floor((startUs + i * periodUs) / WINDOW_US);
      if (window !== this.#window) this.#begin(window, periodUs);
      const edge = Math.min(stop, Math.max(i + 1, Math.ceil(((window + 1) * WINDOW_US - startUs) / periodUs)));
      let sumX = 0;
      let sumY = 0;
      let sumZ = 0;
      let squaresX = 0;
      let squaresY = 0;
      let squaresZ = 0;
      this.#n += edge - i;
      for (; i < edge; i++) {
        const x = columnX[i]! * scaleX + offsetX;
        const y = columnY[i]! * scaleY + offsetY;
        const z = columnZ[i]! * scaleZ + offsetZ;
        sumX += x;
        sumY += y;
        sumZ += z;
        squaresX += x * x;
        squaresY += y * y;
        squaresZ += z * z;
      }
      this.#sum[0] += sumX;
      this.#sum[1] += sumY;
      this.#sum[2] += sumZ;
      this.#squares[0] += squaresX;
      this.#squares[1] += squaresY;
      this.#squares[2] += squaresZ;
    }
    this.#lastUs = startUs + (stop - 1) * periodUs;
  }

  finish(): void {
    this.#begin(Number.NaN, 1);
  }

  #begin(window: number, periodUs: number): void {
    this.#close();
    this.#window = window;
    this.#periodUs = periodUs;
    this.#n = 0;
    this.#sum.fill(0);
    this.#squares.fill(0);
  }

  #close(): void {
    const n = this.#n;
    if (n < 2 || n * this.#periodUs < LEAST_COVERAGE * WINDOW_US) return;
    this.#windows++;
    let moved = 0;
    for (let axis = 0; axis < 3; axis++) {
      const mean = this.#sum[axis]! / n;
      const variance = Math.max(0, (this.#squares[axis]! - n * mean * mean) / (n - 1));
      if (variance >= STILL_SD_G * STILL_SD_G || Math.abs(mean) >= LARGEST_MEAN_G) return;
      moved += variance;
    }
    // Values that do not even show noise were filled in by a device or its software.
    if (moved < 1e-12) return;
    if (3 * (this.count + 1) > this.means.length) {
      const larger = new Float64Array(2 * this.means.length);
      larger.set(this.means);
      this.means = larger;
    }
    for (let axis = 0; axis < 3; axis++) {
      const mean = this.#sum[axis]! / n;
      this.means[3 * this.count + axis] = mean;
      if (mean < this.#low[axis]!) this.#low[axis] = mean;
      if (mean > this.#high[axis]!) this.#high[axis] = mean;
    }
    this.count++;
  }
}
