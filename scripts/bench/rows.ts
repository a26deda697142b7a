import type { MethodId } from '../../src-server/analytics/dictionary/methods.ts';
import type { BenchRow } from './types.ts';

/** A figure beside its bar. */
export const barRow = (name: string, value: number, unit: string, limit: number, atLeast = false): BenchRow => ({
  name,
  value,
  unit,
  bar: `${atLeast ? '>=' : '<='} ${limit} ${unit}`.trim(),
  pass: atLeast ? value >= limit : value <= limit,
});

/** A figure beside that of a peer on the same data. */
export const beside = (
  peer: string,
  peerValue: number,
  value: number,
): Pick<BenchRow, 'peer' | 'peerValue' | 'ratio'> => ({
  peer,
  peerValue,
  ratio: value / peerValue,
});

/** Places a figure in the data dictionary. */
export const of = (method: MethodId, data: string): BenchRow['accuracy'] => ({ method, data });
