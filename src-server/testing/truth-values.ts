/** Compares samples with the values of `truth.json` beside recordings of real devices. */
import { expect } from 'vitest';

/** One number per dimension; the sums over all samples. */
export interface TruthValues {
  count: number;
  first: number[][];
  last: number[][];
  at: Record<string, number[]>;
  min: number[];
  max: number[];
  sum: number[];
  sumAbs: number[];
}

/**
 * @param columns values per dimension, in the unit of the truth
 * @param tolerance of a single value; sums get as much for each sample, up to rounding
 */
export function expectTruth(columns: readonly number[][], truth: TruthValues, tolerance: number): void {
  const close = (actual: number | undefined, expected: number, within: number, what: string): void => {
    expect(actual, what).toBeDefined();
    expect(Math.abs(actual! - expected), `${what}: ${actual} for ${expected}`).toBeLessThanOrEqual(within);
  };
  columns.forEach((values, d) => {
    expect(values.length, 'count').toBe(truth.count);
    truth.first.forEach((row, i) => {
      close(values[i], row[d]!, tolerance, `first ${i}`);
    });
    truth.last.forEach((row, i) => {
      close(values[values.length - truth.last.length + i], row[d]!, tolerance, `last ${i}`);
    });
    for (const [index, row] of Object.entries(truth.at))
      close(values[Number(index)], row[d]!, tolerance, `at ${index}`);
    close(Math.min(...values), truth.min[d]!, tolerance, 'min');
    close(Math.max(...values), truth.max[d]!, tolerance, 'max');
    const sum = values.reduce((a, b) => a + b, 0);
    const sumAbs = values.reduce((a, b) => a + Math.abs(b), 0);
    // Sums are printed with four decimals.
    const ofSums = 1e-4 + tolerance * values.length * 1e-3;
    close(sum, truth.sum[d]!, ofSums, 'sum');
    close(sumAbs, truth.sumAbs[d]!, ofSums, 'sumAbs');
  });
}
