import type { MethodId } from '../../src-server/analytics/dictionary/methods.ts';

/** One figure of a bench: what was measured, beside a peer or limit of the same run, and whether the bar was met. */
export interface BenchRow {
  name: string;
  value: number;
  unit: string;
  /** The peer or limit measured in the same run, such as `DuckDB over Parquet`. */
  peer?: string;
  peerValue?: number;
  /** value / peerValue. */
  ratio?: number;
  /** The bar in words, such as `<= 10 ms`. */
  bar?: string;
  pass: boolean;
  /** Where the data dictionary shows the figure (a method of analytics/dictionary/methods.ts), and the data it is of. */
  accuracy?: { method: MethodId; data: string };
}

export interface Bench {
  run(): Promise<BenchRow[]>;
}
