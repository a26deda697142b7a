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
}

export interface Bench {
  run(): Promise<BenchRow[]>;
}
