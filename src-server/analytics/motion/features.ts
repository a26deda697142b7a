/** Stage 1 of an accelerometer: features per second in the sensor's own frame. */
import {
  type BodySite,
  MOTION_COLUMNS,
  type MotionColumn,
  type MotionFeatures,
  type MotionSegment,
  type SignalInput,
  type SlowMotion,
} from '../types.ts';
import { bodySiteOf } from './body-site.ts';
import { countsPerSecond } from './counts.ts';
import { GRID_HZ, type GridSegment, resampleSegments } from './resample.ts';
import { findRhythm } from './rhythm.ts';
import { STEP_SETTINGS, type StepSettings } from './settings.ts';
import { slowMotion } from './slow.ts';
import { findSteps } from './steps.ts';

/**
 * Returns the motion features of one accelerometer channel in one pass over its pages, at any rate of 8 Hz and more. A channel
 * without a usable scale or samples yields no segments.
 *
 * @param startUs first instant to use, epoch microseconds
 * @param stopUs end of the span to use, exclusive
 * @param settings thresholds of the step rule other than the fixed ones, for benches
 */
export function extractMotionFeatures(
  input: SignalInput,
  startUs: number,
  stopUs: number,
  settings: StepSettings = STEP_SETTINGS,
): MotionFeatures {
  const steps: number[] = [];
  const site = bodySiteOf(input.location);
  const segments: MotionSegment[] = [];
  const slow: SlowMotion[] = [];
  for (const grid of resampleSegments(input, startUs, stopUs)) {
    segments.push(describeSegment(grid, site, steps, settings));
    if (site === 'chest') slow.push(slowMotion(grid));
  }
  return { kind: 'motion', site, segments, ...(site === 'chest' && { slow }), stepsUs: Float64Array.from(steps) };
}

function describeSegment(grid: GridSegment, site: BodySite, steps: number[], settings: StepSettings): MotionSegment {
  const { count, x, y, z, runs } = grid;
  const columns = Object.fromEntries(
    MOTION_COLUMNS.map((name) => [
      name,
      name === 'coverage' || name === 'saturated' ? new Uint8Array(count) : new Float32Array(count),
    ]),
  ) as Record<MotionColumn, Float32Array>;
  const magnitude = new Float32Array(x.length);
  for (let i = 0; i < runs.length; i += 2) {
    describeSeconds(grid, runs[i]!, runs[i + 1]!, magnitude, columns);
  }
  finishSeconds(grid, columns);
  const rhythm = columns;
  for (let i = 0; i < runs.length; i += 2) {
    const start = runs[i]!;
    const stop = runs[i + 1]!;
    countsPerSecond(grid.countInput[0], start, stop, columns.countsX);
    countsPerSecond(grid.countInput[1], start, stop, columns.countsY);
    countsPerSecond(grid.countInput[2], start, stop, columns.countsZ);
    findRhythm(x, y, z, start, stop, columns.deviation, site, rhythm);
    const found: number[] = [];
    findSteps(magnitude, start, stop, rhythm, columns.deviation, site, found, settings);
    for (const seconds of found) steps.push(Math.round((grid.startSecond + seconds) * 1e6));
  }
  return { startSecond: grid.startSecond, count, columns };
}

/** Adds the sums of one gapless run to the columns; `finishSeconds` turns them into means and SDs. */
function describeSeconds(
  grid: GridSegment,
  start: number,
  stop: number,
  magnitude: Float32Array,
  columns: Record<MotionColumn, Float32Array>,
): void {
  const { x, y, z } = grid;
  let cell = start;
  while (cell < stop) {
    const second = Math.floor(cell / GRID_HZ);
    const end = Math.min(stop, (second + 1) * GRID_HZ);
    const n = end - cell;
    let sumX = 0;
    let sumY = 0;
    let sumZ = 0;
    let sumXX = 0;
    let sumYY = 0;
    let sumZZ = 0;
    let sumM = 0;
    let sumMM = 0;
    let change = 0;
    let beforeX = x[cell > start ? cell - 1 : cell]!;
    let beforeY = y[cell > start ? cell - 1 : cell]!;
    let beforeZ = z[cell > start ? cell - 1 : cell]!;
    for (; cell < end; cell++) {
      const ax = x[cell]!;
      const ay = y[cell]!;
      const az = z[cell]!;
      const squared = ax * ax + ay * ay + az * az;
      const m = Math.sqrt(squared);
      magnitude[cell] = m;
      sumX += ax;
      sumY += ay;
      sumZ += az;
      sumXX += ax * ax;
      sumYY += ay * ay;
      sumZZ += az * az;
      sumM += m;
      sumMM += squared;
      const dx = ax - beforeX;
      const dy = ay - beforeY;
      const dz = az - beforeZ;
      change += dx * dx + dy * dy + dz * dz;
      beforeX = ax;
      beforeY = ay;
      beforeZ = az;
    }
    columns.coverage[second]! += n;
    columns.meanX[second]! += sumX;
    columns.meanY[second]! += sumY;
    columns.meanZ[second]! += sumZ;
    columns.sdX[second]! += sumXX;
    columns.sdY[second]! += sumYY;
    columns.sdZ[second]! += sumZZ;
    columns.magnitude[second]! += sumM;
    columns.magnitudeSd[second]! += sumMM;
    columns.jerk[second]! += change;
  }
}

function finishSeconds(grid: GridSegment, columns: Record<MotionColumn, Float32Array>): void {
  for (let second = 0; second < grid.count; second++) {
    const n = columns.coverage[second]!;
    if (n === 0) continue;
    const meanX = columns.meanX[second]! / n;
    const meanY = columns.meanY[second]! / n;
    const meanZ = columns.meanZ[second]! / n;
    const mean = columns.magnitude[second]! / n;
    const varianceX = Math.max(0, columns.sdX[second]! / n - meanX * meanX);
    const varianceY = Math.max(0, columns.sdY[second]! / n - meanY * meanY);
    const varianceZ = Math.max(0, columns.sdZ[second]! / n - meanZ * meanZ);
    columns.meanX[second] = meanX;
    columns.meanY[second] = meanY;
    columns.meanZ[second] = meanZ;
    columns.sdX[second] = Math.sqrt(varianceX);
    columns.sdY[second] = Math.sqrt(varianceY);
    columns.sdZ[second] = Math.sqrt(varianceZ);
    columns.magnitude[second] = mean;
    columns.magnitudeSd[second] = Math.sqrt(Math.max(0, columns.magnitudeSd[second]! / n - mean * mean));
    columns.deviation[second] = Math.sqrt(varianceX + varianceY + varianceZ);
    columns.jerk[second] = Math.sqrt(columns.jerk[second]! / n);
    columns.coverage[second] = Math.round((100 * n) / GRID_HZ);
    columns.saturated[second] = Math.round((100 * grid.saturatedCells[second]!) / GRID_HZ);
  }
}
