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
  let alike = 0;
  let stayAlike = 0;
  for (let i = 0; i < n; i++) {
    const a = first[i]!;
    const b = second[i]!;
    const c = third[i]!;
    for (let k = i + 1; k < n; k++) {
      if (Math.abs(first[k]! - a) > tolerance || Math.abs(second[k]! - b) > tolerance) continue;
      alike++;
      if (Math.abs(third[k]! - c) <= tolerance) stayAlike++;
    }
  }
  return stayAlike > 0 ? Math.log(alike / stayAlike) : Number.NaN;
}
