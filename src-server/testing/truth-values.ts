/** Compares samples with the values of `truth.json` beside recordings of real devices. */
import { expect } from 'vitest';

/** One number per dimension; the sums over all samples. A truth holds what can be known of its file. */
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

export type TruthNumbers = Pick<TruthValues, 'first'> & Partial<TruthValues>;

/**
 * @param columns values per dimension, in the unit of the truth
 * @param tolerance of single values; sums may differ by it for each sample, since the truth prints few decimals
 */
export function expectTruth(columns: readonly (readonly number[])[], truth: TruthNumbers, tolerance: number): void {
  const count = columns[0]?.length ?? 0;
  const close = (actual: number | undefined, expected: number, within: number, what: string): void => {
    expect(actual, what).toBeDefined();
    expect(Math.abs(actual! - expected), `${what}: ${actual} for ${expected}`).toBeLessThanOrEqual(within);
  };
  const rowIs = (index: number, row: readonly number[]): void => {
    for (const [d, value] of row.entries()) close(columns[d]?.[index], value, tolerance, `sample ${index}`);
  };
  if (truth.count !== undefined) expect(count, 'count').toBe(truth.count);
  for (const [i, row] of truth.first.entries()) rowIs(i, row);
  for (const [i, row] of (truth.last ?? []).entries()) rowIs(count - truth.last!.length + i, row);
  for (const [index, row] of Object.entries(truth.at ?? {})) rowIs(Number(index), row);
  // Sums are printed with few decimals.
  const ofSums = Math.max(1e-3, tolerance * Math.sqrt(count), tolerance * count * 1e-3);
  for (const [d, column] of columns.entries()) {
    const least = column.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY);
    const most = column.reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY);
    const sum = column.reduce((a, b) => a + b, 0);
    const sumAbs = column.reduce((a, b) => a + Math.abs(b), 0);
    if (truth.min) close(least, truth.min[d]!, tolerance, 'min');
    if (truth.max) close(most, truth.max[d]!, tolerance, 'max');
    if (truth.sum) close(sum, truth.sum[d]!, ofSums, 'sum');
    if (truth.sumAbs) close(sumAbs, truth.sumAbs[d]!, ofSums, 'sumAbs');
  }
}
