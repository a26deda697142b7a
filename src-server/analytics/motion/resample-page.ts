/** The inner loops of resampling: from the samples of one page to the cells of the 30 Hz grid. */

/** The rate of ActiGraph's count filter; its Nyquist limit of 15 Hz is far above gait and posture. */
export const GRID_HZ = 30;
export const GRID_US = 1e6 / GRID_HZ;

export type Column = Int16Array | Int32Array;
/** One value per axis: x, y, z. */
export type AxisValues = readonly [number, number, number];

/** The usable samples [first, stop) of one page of three axes. */
export interface GridPage {
  columns: readonly [Column, Column, Column];
  first: number;
  stop: number;
  startUs: number;
  periodUs: number;
  /** g = count * scale + offset, per axis. */
  scale: AxisValues;
  offset: AxisValues;
}

/** The grid that is filled. */
interface GridTarget {
  axes: readonly [Float32Array, Float32Array, Float32Array];
  /** 1 where a cell comes from a sample at the rail. */
  saturated: Uint8Array;
  /** Cells before the first of the arrays: those already taken away. */
  firstCell: number;
}

const railOf = (column: Column): number => (column instanceof Int16Array ? 32767 : 2147483647);

/** Fills the cells [from, to) with the means of their samples; a cell without samples repeats the one before. */
export function averagePage(page: GridPage, target: GridTarget, baseUs: number, from: number, to: number): void {
  const [columnX, columnY, columnZ] = page.columns;
  const { first, stop, startUs, periodUs, scale, offset } = page;
  const [x, y, z] = target.axes;
  const { saturated, firstCell } = target;
  const rail = railOf(columnX);
  const [scaleX, scaleY, scaleZ] = scale;
  const [offsetX, offsetY, offsetZ] = offset;
  let sample = first;
  for (let cell = from, i = from - firstCell; cell < to; cell++, i++) {
    const edge = Math.min(stop, Math.ceil((baseUs + (cell + 0.5) * GRID_US - startUs) / periodUs));
    let sumX = 0;
    let sumY = 0;
    let sumZ = 0;
    const begin = sample;
    let railed = 0;
    for (; sample < edge; sample++) {
      const valueX = columnX[sample]!;
      const valueY = columnY[sample]!;
      const valueZ = columnZ[sample]!;
      if (Math.abs(valueX) >= rail || Math.abs(valueY) >= rail || Math.abs(valueZ) >= rail) railed = 1;
      sumX += valueX;
      sumY += valueY;
      sumZ += valueZ;
    }
    const n = sample - begin;
    if (n > 0) {
      x[i] = (sumX / n) * scaleX + offsetX;
      y[i] = (sumY / n) * scaleY + offsetY;
      z[i] = (sumZ / n) * scaleZ + offsetZ;
      saturated[i] = railed;
    } else if (i > 0) {
      x[i] = x[i - 1]!;
      y[i] = y[i - 1]!;
      z[i] = z[i - 1]!;
    }
  }
}

/**
 * Fills the cells [from, to) by Catmull-Rom interpolation, which unlike linear interpolation preserves the harmonics of gait up to
 * 10 Hz. No cell may lie before the first sample.
 */
export function interpolatePage(page: GridPage, target: GridTarget, baseUs: number, from: number, to: number): void {
  const [columnX, columnY, columnZ] = page.columns;
  const { first, startUs, periodUs, scale, offset } = page;
  const [x, y, z] = target.axes;
  const { saturated, firstCell } = target;
  const rail = railOf(columnX);
  const [scaleX, scaleY, scaleZ] = scale;
  const [offsetX, offsetY, offsetZ] = offset;
  const last = page.stop - 1;
  const samplesPerCell = GRID_US / periodUs;
  let position = (baseUs + from * GRID_US - startUs) / periodUs;
  const stop = to - firstCell;
  for (let cell = from - firstCell; cell < stop; cell++, position += samplesPerCell) {
    const index = Math.min(position | 0, last);
    const before = index > first ? index - 1 : index;
    const after = index < last ? index + 1 : index;
    const next = after < last ? after + 1 : after;
    const t = position - index;
    const half = 0.5 * t;
    const weightBefore = half * (t * (2 - t) - 1);
    const weightAfter = half * (1 + t * (4 - 3 * t));
    const weightNext = half * t * (t - 1);
    const weight = 1 - weightBefore - weightAfter - weightNext;
    const valueX = columnX[index]!;
    const valueY = columnY[index]!;
    const valueZ = columnZ[index]!;
    x[cell] =
      (weightBefore * columnX[before]! +
        weight * valueX +
        weightAfter * columnX[after]! +
        weightNext * columnX[next]!) *
        scaleX +
      offsetX;
    y[cell] =
      (weightBefore * columnY[before]! +
        weight * valueY +
        weightAfter * columnY[after]! +
        weightNext * columnY[next]!) *
        scaleY +
      offsetY;
    z[cell] =
      (weightBefore * columnZ[before]! +
        weight * valueZ +
        weightAfter * columnZ[after]! +
        weightNext * columnZ[next]!) *
        scaleZ +
      offsetZ;
    if (Math.abs(valueX) >= rail || Math.abs(valueY) >= rail || Math.abs(valueZ) >= rail) saturated[cell] = 1;
  }
}
