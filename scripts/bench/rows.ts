import type { MethodId } from '../../src-server/analytics/dictionary/methods.ts';
import type { BenchRow } from './types.ts';

/** A figure and the bar it must meet. */
export const barRow = (name: string, value: number, unit: string, limit: number, atLeast = false): BenchRow => ({
  name,
  value,
  unit,
  bar: `${atLeast ? '>=' : '<='} ${limit} ${unit}`.trim(),
  pass: atLeast ? value >= limit : value <= limit,
});

/** The middle one of some figures, the upper one of two; NaN when there are none. */
export const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN;

/** The peer columns of a row: its figure on the same data, and the ratio to it. */
export const comparedTo = (
  peer: string,
  peerValue: number,
  value: number,
): Pick<BenchRow, 'peer' | 'peerValue' | 'ratio'> => ({
  peer,
  peerValue,
  ratio: value / peerValue,
});

/** Assigns a figure to a method of the data dictionary. */
export const accuracyOf = (method: MethodId, data: string): BenchRow['accuracy'] => ({ method, data });
