/**
 * Variability of the normal intervals of five minutes (Task Force, Circulation 1996;93:1043): each row depends on the intervals
 * that end in its five minutes alone, and says how many they are.
 */
import { FIVE_MINUTE_COLUMNS, type FiveMinuteColumn, type FiveMinutes } from '../types.ts';
import { type BandPowers, MIN_COVERAGE } from './frequency.ts';
import type { IntervalSeries } from './intervals.ts';
import { sampleEntropy } from './sample-entropy.ts';

export const FIVE_MINUTES_MS = 300_000;
/** More than 50 ms; 18 samples at 360 Hz are just that, whatever the rounding of their times. */
const PNN_MS = 50 + 1e-6;

/** First row of a window: five minutes belong to the window in which they begin. */
const firstRowMs = (startMs: number): number => Math.ceil(startMs / FIVE_MINUTES_MS) * FIVE_MINUTES_MS;

/**
 * @param series intervals of a span that reaches five minutes beyond the window
 * @param powers of each minute of that span, over the five minutes around it
 * @param spanSecond first second of the span
 * @param startMs start of the window
 * @param stopMs its end, exclusive
 */
export function fiveMinutesOf(
  series: IntervalSeries,
  powers: BandPowers,
  spanSecond: number,
  startMs: number,
  stopMs: number,
): FiveMinutes {
  const fromMs = firstRowMs(startMs);
  const rows = Math.max(0, (firstRowMs(stopMs) - fromMs) / FIVE_MINUTES_MS);
  const columns = Object.fromEntries(
    FIVE_MINUTE_COLUMNS.map((name) => [name, new Float32Array(rows).fill(Number.NaN)]),
  ) as Record<FiveMinuteColumn, Float32Array>;
  const found: FiveMinutes = {
    startMs: fromMs,
    ...columns,
    nnCount: new Uint16Array(rows),
    differences: new Uint16Array(rows),
    differencesOver50: new Uint16Array(rows),
  };
  const { endUs } = series;
  let stop = 0;
  while (stop < endUs.length && endUs[stop]! < fromMs * 1000) stop++;
  for (let row = 0; row < rows; row++) {
    const from = stop;
    const rowMs = fromMs + row * FIVE_MINUTES_MS;
    while (stop < endUs.length && endUs[stop]! < (rowMs + FIVE_MINUTES_MS) * 1000) stop++;
    // The powers of the middle minute are those of its five minutes. All zone offsets since 1972 are whole minutes.
    writeRow(found, row, series, from, stop, powers, Math.floor((rowMs / 1000 - spanSecond) / 60) + 2);
  }
  return found;
}

function writeRow(
  found: FiveMinutes,
  row: number,
  { intervalMs, normal, follows }: IntervalSeries,
  from: number,
  stop: number,
  powers: BandPowers,
  minute: number,
): void {
  const values = new Float64Array(stop - from);
  const isNext = new Uint8Array(stop - from);
  let n = 0;
  let sum = 0;
  let differences = 0;
  let over50 = 0;
  let differenceSum = 0;
  let differenceSquares = 0;
  for (let i = from; i < stop; i++) {
    if (!normal[i]) continue;
    values[n] = intervalMs[i]!;
    sum += intervalMs[i]!;
    if (i > 0 && follows[i] && normal[i - 1]) {
      // The first difference may begin in the five minutes before, as that of RMSSD does.
      if (i > from) isNext[n] = 1;
      const difference = intervalMs[i]! - intervalMs[i - 1]!;
      differences++;
      differenceSum += difference;
      differenceSquares += difference * difference;
      if (Math.abs(difference) > PNN_MS) over50++;
    }
    n++;
  }
  found.nnCount[row] = n;
  found.differences[row] = differences;
  found.differencesOver50[row] = over50;
  if (sum < MIN_COVERAGE * FIVE_MINUTES_MS || n < 2 || differences < 2) return;
  const mean = sum / n;
  let squares = 0;
  for (let i = 0; i < n; i++) squares += (values[i]! - mean) ** 2;
  const variance = squares / (n - 1);
  const differenceVariance = (differenceSquares - differenceSum ** 2 / differences) / (differences - 1);
  found.nnMeanMs[row] = mean;
  found.sdnnMs[row] = Math.sqrt(variance);
  found.pnn50Percent[row] = (100 * over50) / differences;
  // Brennan, Palaniswami and Kamen 2001: the widths of the Poincare plot from SDNN and the SD of successive differences.
  found.sd1Ms[row] = Math.sqrt(differenceVariance / 2);
  found.sd2Ms[row] = Math.sqrt(Math.max(0, 2 * variance - differenceVariance / 2));
  found.sampleEntropy[row] = sampleEntropy(values.subarray(0, n), isNext, Math.sqrt(variance));
  found.lfMs2[row] = powers.low[minute] ?? Number.NaN;
  found.hfMs2[row] = powers.high[minute] ?? Number.NaN;
  found.totalMs2[row] = powers.total[minute] ?? Number.NaN;
}
