/**
 * Breathing from the acceleration of a chest sensor: each breath tips the chest wall by some tenths of a degree, which rotates
 * gravity in the sensor's axes (Bates, Ling, Mann and Arvind 2010, BSN). The power of the three axes is summed, so the
 * orientation of the sensor does not matter.
 */
import { SLOW_HZ } from '../motion/index.ts';
import type { MotionFeatures } from '../types.ts';
import { FROM_HZ, MAX_FREQUENCIES, STEP_HZ, WINDOW_SECONDS } from './band.ts';

/** Movement (SD of a second, g) beyond breathing and heartbeat: the same bound as for stirring in sleep. */
const STILL_G = 0.1;
const SAMPLES = WINDOW_SECONDS * SLOW_HZ;
const HALF = SAMPLES / 2;

/** Cosines and sines of all frequencies at the sample times after the middle, under a Hann taper. */
const COSINES = new Float32Array(MAX_FREQUENCIES * HALF);
const SINES = new Float32Array(MAX_FREQUENCIES * HALF);
for (let f = 0; f < MAX_FREQUENCIES; f++) {
  for (let k = 0; k < HALF; k++) {
    const t = (k + 0.5) / SLOW_HZ;
    const taper = 0.5 + 0.5 * Math.cos((2 * Math.PI * t) / WINDOW_SECONDS);
    const phase = 2 * Math.PI * (FROM_HZ + f * STEP_HZ) * t;
    COSINES[f * HALF + k] = taper * Math.cos(phase);
    SINES[f * HALF + k] = taper * Math.sin(phase);
  }
}

const even = new Float32Array(HALF);
const odd = new Float32Array(HALF);

/** Fills `into` with the breathing spectrum of the 64 s around a second; false when no still chest sensor covers them. */
export function chestSpectrum(motion: readonly MotionFeatures[], centreSecond: number, into: Float64Array): boolean {
  const firstSecond = centreSecond - WINDOW_SECONDS / 2;
  for (const { segments, slow } of motion) {
    if (slow === undefined) continue;
    for (const [index, { startSecond, count, columns }] of segments.entries()) {
      const row = firstSecond - startSecond;
      if (row < 0 || row + WINDOW_SECONDS > count) continue;
      if (isStill(columns.deviation, row) && addAxes(slow[index]!.axes, row * SLOW_HZ, into)) return true;
    }
  }
  return false;
}

function isStill(deviation: ArrayLike<number>, row: number): boolean {
  for (let i = row; i < row + WINDOW_SECONDS; i++) if (!(deviation[i]! < STILL_G)) return false;
  return true;
}

/** Adds the detrended power spectrum of all axes; false when a sample is missing. */
function addAxes(axes: readonly Float32Array[], from: number, into: Float64Array): boolean {
  into.fill(0);
  for (const axis of axes) {
    let sum = 0;
    let sumT = 0;
    let sumTT = 0;
    for (let k = 0; k < SAMPLES; k++) {
      const t = k - (SAMPLES - 1) / 2;
      sum += axis[from + k]!;
      sumT += t * axis[from + k]!;
      sumTT += t * t;
    }
    if (Number.isNaN(sum)) return false;
    const level = sum / SAMPLES;
    const slope = sumT / sumTT;
    for (let k = 0; k < HALF; k++) {
      const right = axis[from + HALF + k]!;
      const left = axis[from + HALF - 1 - k]!;
      even[k] = right + left - 2 * level;
      odd[k] = right - left - 2 * slope * (k + 0.5);
    }
    for (let f = 0; f < MAX_FREQUENCIES; f++) {
      let cos = 0;
      let sin = 0;
      for (let k = 0, at = f * HALF; k < HALF; k++, at++) {
        cos += even[k]! * COSINES[at]!;
        sin += odd[k]! * SINES[at]!;
      }
      // Posture drifts as 1/f noise; weighting by frequency keeps the drift from appearing as slow breathing.
      into[f]! += (cos * cos + sin * sin) * (FROM_HZ + f * STEP_HZ);
    }
  }
  return true;
}
