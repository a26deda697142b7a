/**
 * Epochs of five seconds of one accelerometer, in one pass after its calibration: ENMO and MAD of the samples as they were recorded,
 * the angle of the z axis, and the spread of quarters of an hour by which wear is decided.
 */
import { type Scaling, scalingOf, usablePage } from '../motion/usable-page.ts';
import type { SignalChunk, SignalSource } from '../types.ts';
import { angleStep, RollingAngle } from './rolling-angle.ts';
import type { Autocalibration, EpochPiece } from './types.ts';

export const EPOCH_SECONDS = 5;
const EPOCH_US = EPOCH_SECONDS * 1e6;
/** Pieces begin at multiples of six hours of UTC. */
export const PIECE_EPOCHS = (6 * 3600) / EPOCH_SECONDS;
export const QUARTER_EPOCHS = 900 / EPOCH_SECONDS;
const PIECE_QUARTERS = PIECE_EPOCHS / QUARTER_EPOCHS;
/** Samples of a quarter, then mean, SD, lowest and highest value of x, of y and of z. */
export const QUARTER_VALUES = 13;
/** A longer step between two samples is a gap. */
const LONGEST_STEP = 2.5;

/** A piece that is being filled. */
class OpenPiece {
  readonly firstEpoch: number;
  readonly enmo = new Float32Array(PIECE_EPOCHS).fill(Number.NaN);
  readonly enmoa = new Float32Array(PIECE_EPOCHS).fill(Number.NaN);
  readonly mad = new Float32Array(PIECE_EPOCHS).fill(Number.NaN);
  readonly coverage = new Uint8Array(PIECE_EPOCHS);
  readonly quarters = new Float32Array(PIECE_QUARTERS * QUARTER_VALUES);
  readonly #angleSums = new Float64Array(PIECE_EPOCHS);
  readonly #angles = new Uint16Array(PIECE_EPOCHS);

  constructor(firstEpoch: number) {
    this.firstEpoch = firstEpoch;
  }

  addAngle(row: number, degrees: number): void {
    this.#angleSums[row]! += degrees;
    this.#angles[row]!++;
  }

  finished(): EpochPiece {
    const { firstEpoch, enmo, enmoa, mad, coverage, quarters } = this;
    const angle = Float32Array.from(this.#angleSums, (sum, i) => sum / this.#angles[i]!);
    return { firstEpoch, enmo, enmoa, mad, angle, coverage, quarters };
  }
}

/** Sums of one axis over a quarter of an hour. */
class Spread {
  sum = 0;
  squares = 0;
  low = Number.POSITIVE_INFINITY;
  high = Number.NEGATIVE_INFINITY;

  /** Writes mean, SD, lowest and highest of `n` values, and begins again. */
  write(n: number, target: Float32Array, at: number): void {
    const mean = this.sum / n;
    target[at] = mean;
    target[at + 1] = n > 1 ? Math.sqrt(Math.max(0, (this.squares - n * mean * mean) / (n - 1))) : 0;
    target[at + 2] = this.low;
    target[at + 3] = this.high;
    this.sum = 0;
    this.squares = 0;
    this.low = Number.POSITIVE_INFINITY;
    this.high = Number.NEGATIVE_INFINITY;
  }
}

/** Memory does not grow with the recording. */
export class EpochExtractor {
  readonly #scaling: Scaling | null;
  readonly #calibration: Pick<Autocalibration, 'offsetG' | 'gain'>;
  readonly #take: (piece: EpochPiece) => void;
  /** The piece that samples go to, and before it one that waits for its last angles. */
  readonly #pieces: OpenPiece[] = [];
  #lastUs: number;
  readonly #stopUs: number;
  #lastPeriodUs = 0;
  #epoch = Number.NaN;
  /** Vector magnitudes of the open epoch. */
  #norms = new Float32Array(512);
  #n = 0;
  #epochPeriodUs = 1;
  #quarter = Number.NaN;
  #quarterSamples = 0;
  readonly #spreads: readonly [Spread, Spread, Spread] = [new Spread(), new Spread(), new Spread()];
  #angle: RollingAngle | null = null;
  #angleStep = 1;
  #angleRateHz = 0;
  /** Samples until the next one that the angle uses. */
  #untilAngle = 0;
  #angleEpoch = Number.NEGATIVE_INFINITY;

  /**
   * @param startUs first instant to use, epoch microseconds; `stopUs` the end, exclusive
   * @param take receives the pieces in order of time; times without samples have none
   */
  constructor(
    source: SignalSource,
    calibration: Pick<Autocalibration, 'offsetG' | 'gain'>,
    startUs: number,
    stopUs: number,
    take: (piece: EpochPiece) => void,
  ) {
    this.#scaling = scalingOf(source);
    this.#lastUs = startUs - 1;
    this.#stopUs = stopUs;
    this.#calibration = calibration;
    this.#take = take;
  }

  add(chunk: SignalChunk): void {
    if (this.#scaling === null) return;
    const page = usablePage(chunk, this.#scaling, this.#lastUs + 1, this.#stopUs);
    if (page === null) return;
    const { columns, first, stop, startUs, periodUs } = page;
    this.#beginRun(startUs + first * periodUs, periodUs);
    const [columnX, columnY, columnZ] = columns;
    const { gain, offsetG } = this.#calibration;
    const scaleX = page.scale[0] * gain[0];
    const scaleY = page.scale[1] * gain[1];
    const scaleZ = page.scale[2] * gain[2];
    const offsetX = (page.offset[0] + offsetG[0]) * gain[0];
    const offsetY = (page.offset[1] + offsetG[1]) * gain[1];
    const offsetZ = (page.offset[2] + offsetG[2]) * gain[2];
    const [spreadX, spreadY, spreadZ] = this.#spreads;
    const angle = this.#angle!;
    for (let i = first; i < stop; ) {
      const epoch = Math.floor((startUs + i * periodUs) / EPOCH_US);
      if (epoch !== this.#epoch) this.#beginEpoch(epoch, periodUs);
      const edge = Math.min(stop, Math.max(i + 1, Math.ceil(((epoch + 1) * EPOCH_US - startUs) / periodUs)));
      this.#reserve(edge - i);
      const norms = this.#norms;
      let n = this.#n;
      let sumX = 0;
      let sumY = 0;
      let sumZ = 0;
      let squaresX = 0;
      let squaresY = 0;
      let squaresZ = 0;
      let { low: lowX, high: highX } = spreadX;
      let { low: lowY, high: highY } = spreadY;
      let { low: lowZ, high: highZ } = spreadZ;
      const from = i;
      for (; i < edge; i++) {
        const x = columnX[i]! * scaleX + offsetX;
        const y = columnY[i]! * scaleY + offsetY;
        const z = columnZ[i]! * scaleZ + offsetZ;
        const xx = x * x;
        const yy = y * y;
        const zz = z * z;
        norms[n++] = Math.sqrt(xx + yy + zz);
        sumX += x;
        sumY += y;
        sumZ += z;
        squaresX += xx;
        squaresY += yy;
        squaresZ += zz;
        if (x < lowX) lowX = x;
        if (x > highX) highX = x;
        if (y < lowY) lowY = y;
        if (y > highY) highY = y;
        if (z < lowZ) lowZ = z;
        if (z > highZ) highZ = z;
      }
      this.#quarterSamples += edge - from;
      this.#n = n;
      spreadX.sum += sumX;
      spreadY.sum += sumY;
      spreadZ.sum += sumZ;
      spreadX.squares += squaresX;
      spreadY.squares += squaresY;
      spreadZ.squares += squaresZ;
      spreadX.low = lowX;
      spreadX.high = highX;
      spreadY.low = lowY;
      spreadY.high = highY;
      spreadZ.low = lowZ;
      spreadZ.high = highZ;
      let sample = from + this.#untilAngle;
      for (; sample < edge; sample += this.#angleStep) {
        const x = columnX[sample]! * scaleX + offsetX;
        const y = columnY[sample]! * scaleY + offsetY;
        const z = columnZ[sample]! * scaleZ + offsetZ;
        angle.add(x, y, z, epoch);
      }
      this.#untilAngle = sample - edge;
    }
    this.#lastUs = startUs + (stop - 1) * periodUs;
    this.#lastPeriodUs = periodUs;
    while (this.#pieces.length > 1 && this.#angleEpoch >= this.#pieces[1]!.firstEpoch) this.#close();
  }

  finish(): void {
    this.#endEpoch();
    this.#endQuarter();
    this.#angle?.finish();
    while (this.#pieces.length > 0) this.#close();
  }

  /** Ends a run before a gap, or where the rate changes. */
  #beginRun(firstUs: number, periodUs: number): void {
    const isJoined = firstUs - this.#lastUs <= LONGEST_STEP * Math.max(periodUs, this.#lastPeriodUs);
    const rateHz = 1e6 / periodUs;
    if (this.#angle !== null && isJoined && Math.abs(rateHz / this.#angleRateHz - 1) < 0.05) return;
    this.#angle?.finish();
    this.#untilAngle = 0;
    if (this.#angle !== null && rateHz === this.#angleRateHz) return;
    this.#angleRateHz = rateHz;
    this.#angleStep = angleStep(rateHz);
    this.#angle = new RollingAngle(rateHz, (epoch, degrees) => this.#takeAngle(epoch, degrees));
  }

  #takeAngle(epoch: number, degrees: number): void {
    this.#angleEpoch = epoch;
    for (const piece of this.#pieces) {
      const row = epoch - piece.firstEpoch;
      if (row >= 0 && row < PIECE_EPOCHS) piece.addAngle(row, degrees);
    }
  }

  #reserve(samples: number): void {
    if (this.#n + samples <= this.#norms.length) return;
    const larger = new Float32Array(Math.max(2 * this.#norms.length, this.#n + samples));
    larger.set(this.#norms.subarray(0, this.#n));
    this.#norms = larger;
  }

  #beginEpoch(epoch: number, periodUs: number): void {
    this.#endEpoch();
    const quarter = Math.floor(epoch / QUARTER_EPOCHS);
    if (quarter !== this.#quarter) {
      this.#endQuarter();
      this.#quarter = quarter;
    }
    const firstEpoch = Math.floor(epoch / PIECE_EPOCHS) * PIECE_EPOCHS;
    if (this.#pieces.at(-1)?.firstEpoch !== firstEpoch) this.#pieces.push(new OpenPiece(firstEpoch));
    this.#epoch = epoch;
    this.#epochPeriodUs = periodUs;
  }

  #endEpoch(): void {
    const n = this.#n;
    this.#n = 0;
    if (n === 0) return;
    const piece = this.#pieces.at(-1)!;
    const row = this.#epoch - piece.firstEpoch;
    const norms = this.#norms;
    let sum = 0;
    let above = 0;
    for (let i = 0; i < n; i++) {
      const norm = norms[i]!;
      sum += norm;
      if (norm > 1) above += norm - 1;
    }
    const mean = sum / n;
    let distance = 0;
    for (let i = 0; i < n; i++) distance += Math.abs(norms[i]! - mean);
    piece.enmo[row] = above / n;
    piece.enmoa[row] = (2 * above) / n - (mean - 1);
    piece.mad[row] = distance / n;
    piece.coverage[row] = Math.min(100, Math.round((100 * n * this.#epochPeriodUs) / EPOCH_US));
  }

  #endQuarter(): void {
    const n = this.#quarterSamples;
    this.#quarterSamples = 0;
    if (n === 0) return;
    const piece = this.#pieces.at(-1)!;
    const at = (this.#quarter - piece.firstEpoch / QUARTER_EPOCHS) * QUARTER_VALUES;
    piece.quarters[at] = n;
    for (const [axis, spread] of this.#spreads.entries()) spread.write(n, piece.quarters, at + 1 + 4 * axis);
  }

  #close(): void {
    this.#take(this.#pieces.shift()!.finished());
  }
}
