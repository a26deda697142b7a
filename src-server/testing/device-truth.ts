/** Recordings of real devices next to the repository, and comparisons with the counts and sums of their `truth.json`. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { realData } from './real-data.ts';

// biome-ignore lint/suspicious/noExplicitAny: each set has facts of its own
type TruthFile = Record<string, any> & { file: string; path: string };

/** The recordings of one folder with their truth; null where they are absent. */
export function deviceTruth(folder: string): { files: TruthFile[] } | null {
  const path = realData(`devices/${folder}`);
  if (path === null) return null;
  const { files } = JSON.parse(readFileSync(join(path, 'truth.json'), 'utf8')) as { files: TruthFile[] };
  return { files: files.map((file) => ({ ...file, path: join(path, file.file) })) };
}

export interface TruthNumbers {
  count?: number;
  first: number[][];
  last?: number[][];
  at?: Record<string, number[]>;
  min?: number[];
  max?: number[];
  sum?: number[];
  sumAbs?: number[];
}

/** @param tolerance of single values; sums may differ by it for each sample, since the truth prints few decimals */
export function expectTruth(columns: number[][], truth: TruthNumbers, tolerance: number): void {
  const count = columns[0]!.length;
  const close = (value: number, expected: number, width: number): void => {
    expect(Math.abs(value - expected), `${value} for ${expected}`).toBeLessThanOrEqual(width);
  };
  const rowIs = (index: number, row: number[]): void => {
    for (const [d, value] of row.entries()) close(columns[d]![index]!, value, tolerance);
  };
  if (truth.count !== undefined) expect(count).toBe(truth.count);
  for (const [i, row] of truth.first.entries()) rowIs(i, row);
  for (const [i, row] of (truth.last ?? []).entries()) rowIs(count - truth.last!.length + i, row);
  for (const [index, row] of Object.entries(truth.at ?? {})) rowIs(Number(index), row);
  const sums = Math.max(1e-3, tolerance * Math.sqrt(count));
  for (const [d, column] of columns.entries()) {
    if (truth.min) close(Math.min(...column), truth.min[d]!, tolerance);
    if (truth.max) close(Math.max(...column), truth.max[d]!, tolerance);
    if (truth.sum)
      close(
        column.reduce((sum, value) => sum + value, 0),
        truth.sum[d]!,
        sums,
      );
    if (truth.sumAbs)
      close(
        column.reduce((sum, value) => sum + Math.abs(value), 0),
        truth.sumAbs[d]!,
        sums,
      );
  }
}
