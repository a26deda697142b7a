/**
 * The angle between the z axis of a sensor and the horizontal plane (van Hees et al. 2015, PLoS ONE 10:e0142533): of the medians of
 * the axes over five seconds around each moment, at 10 Hz.
 */
const ANGLE_HZ = 10;
const WINDOW_SECONDS = 5;
const TO_DEGREES = 180 / Math.PI;

/** The median of the last values of a series, which are kept in order. */
class RollingMedian {
  readonly #sorted: Float64Array;
  readonly #ring: Float64Array;
  #count = 0;
  #next = 0;

  constructor(length: number) {
    this.#sorted = new Float64Array(length);
    this.#ring = new Float64Array(length);
  }

  clear(): void {
    this.#count = 0;
    this.#next = 0;
  }

  add(value: number): void {
    const sorted = this.#sorted;
    const length = this.#ring.length;
    let at: number;
    if (this.#count < length) at = this.#count++;
    else {
      const oldest = this.#ring[this.#next]!;
      at = 0;
      while (sorted[at] !== oldest) at++;
    }
    this.#ring[this.#next] = value;
    this.#next = this.#next + 1 === length ? 0 : this.#next + 1;
    // The place of the value that left moves to that of the new one.
    while (at + 1 < this.#count && sorted[at + 1]! < value) {
      sorted[at] = sorted[at + 1]!;
      at++;
    }
    while (at > 0 && sorted[at - 1]! > value) {
      sorted[at] = sorted[at - 1]!;
      at--;
    }
    sorted[at] = value;
  }

  get median(): number {
    const half = this.#count >> 1;
    return this.#count % 2 === 1 ? this.#sorted[half]! : (this.#sorted[half - 1]! + this.#sorted[half]!) / 2;
  }
}

/** Samples per value of the angle. */
export const angleStep = (rateHz: number): number => Math.max(1, Math.floor(rateHz / ANGLE_HZ + 1e-6));

/** One gapless run at a time. Results come half a window late; the first and the last ones of a run repeat their neighbour. */
export class RollingAngle {
  readonly #take: (epoch: number, degrees: number) => void;
  readonly #half: number;
  readonly #length: number;
  readonly #medians: readonly [RollingMedian, RollingMedian, RollingMedian];
  /** Epochs of the samples whose angle is still to come. */
  readonly #waiting: Float64Array;
  #count = 0;
  #degrees = Number.NaN;

  /** @param take receives the angle of each moment with its epoch, in order of time */
  constructor(rateHz: number, take: (epoch: number, degrees: number) => void) {
    const length = Math.round(WINDOW_SECONDS * (angleStep(rateHz) > 1 ? ANGLE_HZ : rateHz));
    this.#length = length % 2 === 0 ? length + 1 : length;
    this.#half = (this.#length - 1) / 2;
    this.#take = take;
    this.#medians = [new RollingMedian(this.#length), new RollingMedian(this.#length), new RollingMedian(this.#length)];
    this.#waiting = new Float64Array(this.#length);
  }

  add(x: number, y: number, z: number, epoch: number): void {
    const [medianX, medianY, medianZ] = this.#medians;
    medianX.add(x);
    medianY.add(y);
    medianZ.add(z);
    this.#waiting[this.#count % this.#length] = epoch;
    this.#count++;
    if (this.#count < this.#length) return;
    const centre = this.#count - 1 - this.#half;
    this.#measure();
    if (this.#count === this.#length) for (let i = 0; i < centre; i++) this.#give(i);
    this.#give(centre);
  }

  /** Ends the run. */
  finish(): void {
    if (this.#count > 0) {
      const given = Math.max(0, this.#count - this.#half);
      const isShort = this.#count < this.#length;
      if (isShort) this.#measure();
      for (let i = isShort ? 0 : given; i < this.#count; i++) this.#give(i);
    }
    for (const median of this.#medians) median.clear();
    this.#count = 0;
  }

  #measure(): void {
    const [x, y, z] = this.#medians;
    this.#degrees = Math.atan2(z.median, Math.hypot(x.median, y.median)) * TO_DEGREES;
  }

  #give(sample: number): void {
    this.#take(this.#waiting[sample % this.#length]!, this.#degrees);
  }
}
