/**
 * Autocalibration after van Hees et al. 2014 (J Appl Physiol 117:738): without movement the vector magnitude is 1 g, so offset and
 * gain of each axis follow from still stretches in many orientations. The coefficients belong to an analysis; stored samples stay
 * as they were recorded.
 */
import type { StillWindows } from './still-windows.ts';
import type { Autocalibration, CalibrationDetails, CalibrationFault } from './types.ts';

/** Fewer still windows do not carry six coefficients (the limit of actipy). */
const LEAST_WINDOWS = 50;
const MOST_ROUNDS = 1000;
const TOLERANCE = 1e-10;
const LARGEST_WEIGHT = 100;
/** A worse fit is not used: something else than the sensor's offset is wrong. */
const LARGEST_ERROR_G = 0.01;

type Axes = [number, number, number];

function meanError({ means, count }: Pick<StillWindows, 'means' | 'count'>, offset: Axes, gain: Axes): number {
  let sum = 0;
  for (let i = 0; i < count; i++) {
    let squared = 0;
    for (let axis = 0; axis < 3; axis++) squared += ((means[3 * i + axis]! + offset[axis]!) * gain[axis]!) ** 2;
    sum += Math.abs(Math.sqrt(squared) - 1);
  }
  return count > 0 ? sum / count : Number.NaN;
}

/** Weighted least squares of `target` on `value`: target = at + slope * value. */
class Line {
  #w = 0;
  #x = 0;
  #y = 0;
  #xx = 0;
  #xy = 0;

  clear(): void {
    this.#w = 0;
    this.#x = 0;
    this.#y = 0;
    this.#xx = 0;
    this.#xy = 0;
  }

  add(weight: number, value: number, target: number): void {
    this.#w += weight;
    this.#x += weight * value;
    this.#y += weight * target;
    this.#xx += weight * value * value;
    this.#xy += weight * value * target;
  }

  solve(): { at: number; slope: number } {
    const slope = (this.#w * this.#xy - this.#x * this.#y) / (this.#w * this.#xx - this.#x * this.#x);
    return { at: (this.#y - slope * this.#x) / this.#w, slope };
  }
}

/** The fit to the unit sphere, by repeated weighted least squares. */
function fitSphere({ means, count }: Pick<StillWindows, 'means' | 'count'>): { offset: Axes; gain: Axes } {
  const offset: Axes = [0, 0, 0];
  const gain: Axes = [1, 1, 1];
  const current = new Float64Array(3 * count);
  const closest = new Float64Array(3 * count);
  const weights = new Float64Array(count).fill(1);
  const line = new Line();
  let before = Number.POSITIVE_INFINITY;
  for (let round = 0; round < MOST_ROUNDS; round++) {
    for (let i = 0; i < 3 * count; i += 3) {
      const x = (means[i]! + offset[0]) * gain[0];
      const y = (means[i + 1]! + offset[1]) * gain[1];
      const z = (means[i + 2]! + offset[2]) * gain[2];
      const norm = Math.sqrt(x * x + y * y + z * z);
      current[i] = x;
      current[i + 1] = y;
      current[i + 2] = z;
      closest[i] = x / norm;
      closest[i + 1] = y / norm;
      closest[i + 2] = z / norm;
    }
    for (let axis = 0; axis < 3; axis++) {
      line.clear();
      for (let i = 0; i < count; i++) line.add(weights[i]!, current[3 * i + axis]!, closest[3 * i + axis]!);
      const { at, slope } = line.solve();
      if (!Number.isFinite(at) || !Number.isFinite(slope) || slope === 0) return { offset, gain };
      for (let i = axis; i < 3 * count; i += 3) current[i] = at + slope * current[i]!;
      offset[axis]! += at / (gain[axis]! * slope);
      gain[axis]! *= slope;
    }
    let weighted = 0;
    let weightSum = 0;
    for (let i = 0; i < count; i++) {
      const dx = current[3 * i]! - closest[3 * i]!;
      const dy = current[3 * i + 1]! - closest[3 * i + 1]!;
      const dz = current[3 * i + 2]! - closest[3 * i + 2]!;
      const squared = dx * dx + dy * dy + dz * dz;
      weighted += weights[i]! * squared;
      weightSum += weights[i]!;
      weights[i] = Math.min(1 / Math.sqrt(squared), LARGEST_WEIGHT);
    }
    const residual = weighted / weightSum / count;
    if (Math.abs(residual - before) < TOLERANCE) break;
    before = residual;
  }
  return { offset, gain };
}

/** Calibrates a sensor by its still windows; a fit that does not bring the error below 10 mg is not used. */
export function autocalibrate(still: Pick<StillWindows, 'means' | 'count' | 'isSpherePopulated'>): Autocalibration {
  const errorBeforeG = meanError(still, [0, 0, 0], [1, 1, 1]);
  const without = (fault: CalibrationFault): Autocalibration => ({
    fault,
    offsetG: [0, 0, 0],
    gain: [1, 1, 1],
    errorBeforeG,
    errorAfterG: errorBeforeG,
    windows: still.count,
  });
  if (still.count < LEAST_WINDOWS) return without('TOO_FEW_WINDOWS');
  if (!still.isSpherePopulated) return without('SPHERE_NOT_COVERED');
  const { offset, gain } = fitSphere(still);
  const errorAfterG = meanError(still, offset, gain);
  if (!(errorAfterG < errorBeforeG && errorAfterG < LARGEST_ERROR_G)) return without('NO_IMPROVEMENT');
  return { fault: null, offsetG: offset, gain, errorBeforeG, errorAfterG, windows: still.count };
}

const orNull = (value: number): number | null => (Number.isNaN(value) ? null : value);

/** A calibration as it is stored with results and shown. */
export function calibrationDetails(calibration: Autocalibration): CalibrationDetails {
  const { fault, offsetG, gain, errorBeforeG, errorAfterG, windows } = calibration;
  return {
    fault,
    offsetG: [...offsetG],
    gain: [...gain],
    errorBeforeG: orNull(errorBeforeG),
    errorAfterG: orNull(errorAfterG),
    windows,
  };
}
