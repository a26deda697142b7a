/**
 * Gait rhythm by autocorrelation, independent of sensor orientation. The vector magnitude repeats after one step, all three axes
 * after one stride of two steps (Moe-Nilssen and Helbostad 2004, J Biomech 37:121, for the trunk; on the thigh the stride
 * dominates). The period that explains both is chosen, so that neither a thigh's stride nor a trunk's half-stride is mistaken
 * for a step.
 */
import type { BodySite } from '../types.ts';
import { GRID_HZ } from './resample-page.ts';

/** The autocorrelation runs on pairs of grid cells. */
const HALF_RATE_HZ = GRID_HZ / 2;
/** Long enough for two strides of slow walking. */
const WINDOW_SECONDS = 5;
const SHORTEST_WINDOW_SECONDS = 3;
/** Stride lags at 15 Hz: 0.53 s (225 steps/min, sprinting) to 1.87 s (64 steps/min, very slow walking). */
const SHORTEST_LAG = 8;
const LONGEST_LAG = 28;
/** Such acceleration does not occur below 96 steps/min; without this bound a runner's stride would pass for a slow step. */
const LONGEST_VIGOROUS_LAG = 18;
const VIGOROUS_TRUNK_G = 0.55;
const VIGOROUS_LIMB_G = 0.9;
/** Prior of the step period: 110 steps/min, weak enough to decide only between near-equal multiples. */
const PREFERRED_STEP_SECONDS = 0.55;
const PREFERENCE = 0.2;
/** Below this SD of acceleration there is no gait: the slow shuffle of an old person has 0.04 g at the trunk. */
const QUIET_G = 0.025;

/** Columns that `findRhythm` fills, one row per second of the segment. */
export interface RhythmColumns {
  stepPeriod: Float32Array;
  stepRhythm: Float32Array;
  strideRhythm: Float32Array;
}

const MAX_CELLS = WINDOW_SECONDS * HALF_RATE_HZ;

/** Buffers of one run, reused from second to second. */
interface Window {
  x: Float64Array;
  y: Float64Array;
  z: Float64Array;
  m: Float64Array;
  trace: Float64Array;
  magnitude: Float64Array;
}

/** The lags are taken in pairs: the sums of both are independent, so the CPU overlaps them, and a cell is read once for both. */
function autocorrelate(window: Window, n: number): void {
  const { x, y, z, m, trace, magnitude } = window;
  let variance = 0;
  let magnitudeVariance = 0;
  for (let i = 0; i < n; i++) {
    variance += x[i]! * x[i]! + y[i]! * y[i]! + z[i]! * z[i]!;
    magnitudeVariance += m[i]! * m[i]!;
  }
  const perCell = variance / n || 1;
  const magnitudePerCell = magnitudeVariance / n || 1;
  for (let lag = SHORTEST_LAG - 1; lag <= LONGEST_LAG + 1; lag += 2) {
    const pairs = n - lag;
    let sum = 0;
    let next = 0;
    let i = 0;
    for (let j = lag; i < pairs - 1; i++, j++) {
      const ax = x[i]!;
      const ay = y[i]!;
      const az = z[i]!;
      sum += ax * x[j]! + ay * y[j]! + az * z[j]!;
      next += ax * x[j + 1]! + ay * y[j + 1]! + az * z[j + 1]!;
    }
    if (i < pairs) sum += x[i]! * x[i + lag]! + y[i]! * y[i + lag]! + z[i]! * z[i + lag]!;
    trace[lag] = sum / pairs / perCell;
    trace[lag + 1] = next / (pairs - 1) / perCell;
  }
  for (let lag = SHORTEST_LAG / 2; lag <= LONGEST_LAG / 2 + 1; lag += 2) {
    const pairs = n - lag;
    let sum = 0;
    let next = 0;
    let i = 0;
    for (let j = lag; i < pairs - 1; i++, j++) {
      const am = m[i]!;
      sum += am * m[j]!;
      next += am * m[j + 1]!;
    }
    if (i < pairs) sum += m[i]! * m[i + lag]!;
    magnitude[lag] = sum / pairs / magnitudePerCell;
    magnitude[lag + 1] = next / (pairs - 1) / magnitudePerCell;
  }
}

function removeMean(values: Float64Array, n: number): void {
  let sum = 0;
  for (let i = 0; i < n; i++) sum += values[i]!;
  const mean = sum / n;
  for (let i = 0; i < n; i++) values[i]! -= mean;
}

/**
 * Fills the rhythm columns of the seconds in the gapless run [start, stop) of grid cells.
 *
 * @param deviation per second SD of the acceleration, g: quiet seconds are skipped
 */
export function findRhythm(
  x: Float32Array,
  y: Float32Array,
  z: Float32Array,
  start: number,
  stop: number,
  deviation: Float32Array,
  site: BodySite,
  out: RhythmColumns,
): void {
  const vigorous = site === 'chest' || site === 'back' ? VIGOROUS_TRUNK_G : VIGOROUS_LIMB_G;
  const window: Window = {
    x: new Float64Array(MAX_CELLS),
    y: new Float64Array(MAX_CELLS),
    z: new Float64Array(MAX_CELLS),
    m: new Float64Array(MAX_CELLS),
    trace: new Float64Array(LONGEST_LAG + 3),
    magnitude: new Float64Array(LONGEST_LAG + 2),
  };
  const firstSecond = Math.floor(start / GRID_HZ);
  const lastSecond = Math.ceil(stop / GRID_HZ);
  const reach = ((WINDOW_SECONDS - 1) / 2) * GRID_HZ;
  for (let second = firstSecond; second < lastSecond; second++) {
    if (deviation[second]! < QUIET_G) continue;
    const middle = second * GRID_HZ;
    const from = Math.max(start, middle - reach);
    const to = Math.min(stop, middle + GRID_HZ + reach);
    const n = (to - from) >> 1;
    if (n < SHORTEST_WINDOW_SECONDS * HALF_RATE_HZ) continue;
    for (let i = 0, cell = from; i < n; i++, cell += 2) {
      const ax = (x[cell]! + x[cell + 1]!) / 2;
      const ay = (y[cell]! + y[cell + 1]!) / 2;
      const az = (z[cell]! + z[cell + 1]!) / 2;
      window.x[i] = ax;
      window.y[i] = ay;
      window.z[i] = az;
      window.m[i] = Math.sqrt(ax * ax + ay * ay + az * az);
    }
    removeMean(window.x, n);
    removeMean(window.y, n);
    removeMean(window.z, n);
    removeMean(window.m, n);
    autocorrelate(window, n);
    const { trace, magnitude } = window;
    let best = 0;
    let bestScore = Number.NEGATIVE_INFINITY;
    const longest = deviation[second]! > vigorous ? LONGEST_VIGOROUS_LAG : LONGEST_LAG;
    for (let lag = SHORTEST_LAG; lag <= longest; lag++) {
      const step = stepCorrelation(magnitude, lag);
      const octaves = Math.log2(lag / 2 / HALF_RATE_HZ / PREFERRED_STEP_SECONDS);
      const score = trace[lag]! + step - PREFERENCE * octaves * octaves;
      if (score > bestScore) {
        bestScore = score;
        best = lag;
      }
    }
    const before = trace[best - 1]!;
    const after = trace[best + 1]!;
    const curve = before - 2 * trace[best]! + after;
    const shift = curve < 0 ? Math.max(-0.5, Math.min(0.5, (before - after) / (2 * curve))) : 0;
    out.stepPeriod[second] = (best + shift) / 2 / HALF_RATE_HZ;
    out.stepRhythm[second] = stepCorrelation(magnitude, best);
    out.strideRhythm[second] = trace[best]!;
  }
}

/** Autocorrelation of the magnitude at half of a stride lag. */
function stepCorrelation(magnitude: Float64Array, strideLag: number): number {
  const lag = strideLag >> 1;
  return (strideLag & 1) === 0 ? magnitude[lag]! : Math.max(magnitude[lag]!, magnitude[lag + 1]!);
}
