import type { MethodId } from '../../src-server/analytics/dictionary/methods.ts';

/** One figure of a benchmark, next to a peer or limit of the same run, and whether it met the bar. */
export interface BenchRow {
  name: string;
  value: number;
  unit: string;
  /** The peer or limit measured in the same run, such as `DuckDB over Parquet`. */
  peer?: string;
  peerValue?: number;
  /** value / peerValue. */
  ratio?: number;
  /** The required value in words, such as `<= 10 ms`. */
  bar?: string;
  pass: boolean;
  /** The method in the data dictionary (analytics/dictionary/methods.ts) that shows the figure, and the data it was measured on. */
  accuracy?: { method: MethodId; data: string };
}

export interface Bench {
  run(): Promise<BenchRow[]>;
}
