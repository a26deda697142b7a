/** Decimates chest acceleration for respiration. */
import type { SlowMotion } from '../types.ts';
import type { GridBlock } from './resample.ts';
import { GRID_HZ } from './resample-page.ts';

/** Nyquist limit 1.5 Hz: above the breathing band (to 0.55 Hz), and heartbeats up to 90 beats/min do not alias into it. */
export const SLOW_HZ = 3;
const CELLS = GRID_HZ / SLOW_HZ;

/** Returns the grid averaged to `SLOW_HZ`; NaN where any cell of a sample is missing. */
export function slowMotion(grid: GridBlock): SlowMotion['axes'] {
  const samples = grid.count * SLOW_HZ;
  return [grid.x, grid.y, grid.z].map((axis) => {
    const out = new Float32Array(samples).fill(Number.NaN);
    for (let r = 0; r < grid.runs.length; r += 2) {
      const last = Math.floor(grid.runs[r + 1]! / CELLS);
      for (let i = Math.ceil(grid.runs[r]! / CELLS); i < last; i++) {
        let sum = 0;
        for (let cell = i * CELLS; cell < (i + 1) * CELLS; cell++) sum += axis[cell]!;
        out[i] = sum / CELLS;
      }
    }
    return out;
  }) as SlowMotion['axes'];
}
