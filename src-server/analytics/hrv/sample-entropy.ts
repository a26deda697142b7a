/**
 * Sample entropy (Richman and Moorman, Am J Physiol 2000;278:H2039): minus the logarithm of the probability that two stretches of
 * a series that agree for `m` values within a tolerance also agree in the next one. No stretch is compared with itself.
 */

/** Length of the compared stretches, and the tolerance as a part of the standard deviation: usual for intervals since Pincus 1991. */
const M = 2;
const TOLERANCE_PART = 0.2;
/** Richman and Moorman: 10^m to 20^m values; fewer give a value by chance. */
export const LEAST_STRETCHES = 10 ** M;

/**
 * @param values of one series, in order
 * @param isNext 1 where a value follows the one before without a break; no stretch reaches over a break
 * @param sd standard deviation of the values, in their unit
 * @returns nats; NaN with fewer than 100 stretches of three values, or where none agree
 */
export function sampleEntropy(values: Float64Array, isNext: Uint8Array, sd: number): number {
  const tolerance = TOLERANCE_PART * sd;
  // The stretches of m + 1 values; those of m values begin at the same places, so that both counts are over the same pairs.
  const first = new Float64Array(values.length);
  const second = new Float64Array(values.length);
  const third = new Float64Array(values.length);
  let n = 0;
  for (let i = 0; i + M < values.length; i++) {
    if (!isNext[i + 1] || !isNext[i + 2]) continue;
    first[n] = values[i]!;
    second[n] = values[i + 1]!;
    third[n] = values[i + 2]!;
    n++;
  }
  if (n < LEAST_STRETCHES || !(tolerance > 0)) return Number.NaN;
  const { order, lastNear } = byFirstValue(first.subarray(0, n), tolerance);
  let alike = 0;
  let stayAlike = 0;
  for (let r = 0; r < n; r++) {
    const i = order[r]!;
    const a = first[i]!;
    const b = second[i]!;
    const c = third[i]!;
    const stop = lastNear[r]!;
    for (let q = r + 1; q < stop; q++) {
      const k = order[q]!;
      if (Math.abs(first[k]! - a) > tolerance || Math.abs(second[k]! - b) > tolerance) continue;
      alike++;
      if (Math.abs(third[k]! - c) <= tolerance) stayAlike++;
    }
  }
  return stayAlike > 0 ? Math.log(alike / stayAlike) : Number.NaN;
}

/** Most cells of a count sort: values spread over more tolerances share the last one. */
const MOST_CELLS = 1024;
/** Cells are wider than the tolerance by far more than a division rounds, so that values within it are in the same or the next cell. */
const CELL_PART = 1 + 1e-6;

/**
 * The values in cells of a tolerance: in `order`, those within the tolerance of the one at `r` that come after it lie before
 * `lastNear[r]`. Most pairs of stretches differ in their first value already and need no comparison.
 */
function byFirstValue(values: Float64Array, tolerance: number): { order: Uint32Array; lastNear: Uint32Array } {
  const n = values.length;
  const width = CELL_PART * tolerance;
  let least = Number.POSITIVE_INFINITY;
  for (let i = 0; i < n; i++) if (values[i]! < least) least = values[i]!;
  const cells = new Uint32Array(n);
  // Where each cell ends in the order; one more cell than there are, so that each has a next one.
  const ends = new Uint32Array(MOST_CELLS + 1);
  for (let i = 0; i < n; i++) {
    const cell = Math.min(MOST_CELLS - 1, Math.floor((values[i]! - least) / width));
    cells[i] = cell;
    ends[cell]!++;
  }
  for (let cell = 1; cell <= MOST_CELLS; cell++) ends[cell]! += ends[cell - 1]!;
  const next = new Uint32Array(MOST_CELLS);
  next.set(ends.subarray(0, MOST_CELLS - 1), 1);
  const order = new Uint32Array(n);
  const lastNear = new Uint32Array(n);
  for (let i = 0; i < n; i++) {
    const cell = cells[i]!;
    const r = next[cell]!++;
    order[r] = i;
    lastNear[r] = ends[cell + 1]!;
  }
  return { order, lastNear };
}
