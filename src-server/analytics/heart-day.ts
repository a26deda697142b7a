/** Metrics of the heart over a whole local day, awake and asleep, from the stored columns of its windows. */
import { HEART_MINIMUM } from './heart-metric-names.ts';
import { FIVE_MINUTES_MS } from './hrv/five-minutes.ts';
import type { FiveMinuteColumn, FiveMinutes, Span, WindowResult } from './types.ts';

/** Daily metrics that are the mean of the five minutes with a value, with their columns. */
const MEANS = {
  HEART_SDNN_INDEX: 'sdnnMs',
  HEART_LF_POWER: 'lfMs2',
  HEART_HF_POWER: 'hfMs2',
  HEART_TOTAL_POWER: 'totalMs2',
  HEART_SD1: 'sd1Ms',
  HEART_SD2: 'sd2Ms',
  HEART_SAMPLE_ENTROPY: 'sampleEntropy',
} as const satisfies Record<string, FiveMinuteColumn>;

/** What a day adds to its metrics and to the valid data behind them. */
export interface HeartDay {
  metrics: Record<string, number>;
  validSeconds: Record<string, number>;
}

/** A row of five minutes with its columns. */
interface Row {
  of: FiveMinutes;
  i: number;
}

/** The five minutes that begin in a day and have variability. */
function rowsOf(day: Span, windows: readonly WindowResult[]): Row[] {
  const rows: Row[] = [];
  for (const { seconds } of windows) {
    const of = seconds.fiveMinutes;
    if (!of) continue;
    for (let i = 0; i < of.nnCount.length; i++) {
      const startMs = of.startMs + i * FIVE_MINUTES_MS;
      if (startMs >= day.startMs && startMs < day.stopMs && !Number.isNaN(of.sdnnMs[i]!)) rows.push({ of, i });
    }
  }
  return rows;
}

export function heartDay(day: Span, windows: readonly WindowResult[]): HeartDay {
  const rows = rowsOf(day, windows);
  const found: HeartDay = { metrics: {}, validSeconds: {} };
  if (rows.length === 0) return found;
  const { metrics } = found;
  for (const [name, column] of Object.entries(MEANS)) {
    const values = rows.map(({ of, i }) => of[column][i]!).filter((value) => !Number.isNaN(value));
    if (values.length > 0) metrics[name] = values.reduce((sum, value) => sum + value, 0) / values.length;
  }
  const sumOf = (valueIn: (row: Row) => number): number => rows.reduce((sum, row) => sum + valueIn(row), 0);
  const differences = sumOf(({ of, i }) => of.differences[i]!);
  metrics.HEART_PNN50 = (100 * sumOf(({ of, i }) => of.differencesOver50[i]!)) / differences;
  const beats = sumOf(({ of, i }) => of.nnCount[i]!);
  const nnMs = sumOf(({ of, i }) => of.nnCount[i]! * of.nnMeanMs[i]!);
  if (rows.length >= HEART_MINIMUM.longTermFiveMinutes) {
    const mean = nnMs / beats;
    // The variance of all intervals, from that of each five minutes and the distance of its mean from that of the day.
    const squares = sumOf(({ of, i }) => {
      const n = of.nnCount[i]!;
      return (n - 1) * of.sdnnMs[i]! ** 2 + n * (of.nnMeanMs[i]! - mean) ** 2;
    });
    metrics.HEART_SDNN = Math.sqrt(squares / (beats - 1));
    const meanOfMeans = sumOf(({ of, i }) => of.nnMeanMs[i]!) / rows.length;
    const between = sumOf(({ of, i }) => (of.nnMeanMs[i]! - meanOfMeans) ** 2);
    metrics.HEART_SDANN = Math.sqrt(between / (rows.length - 1));
  }
  found.validSeconds.HEART_NN = Math.round(nnMs / 1000);
  found.validSeconds.HEART_FIVE_MINUTES = rows.length;
  return found;
}
