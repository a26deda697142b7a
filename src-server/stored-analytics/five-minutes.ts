/** Streams the variability of a subject per five minutes from the stored analysis windows, which are decoded one by one. */
import { FIVE_MINUTES_MS } from '../analytics/hrv/five-minutes.ts';
import {
  FIVE_MINUTE_COLUMNS,
  type FiveMinuteColumn,
  type FiveMinutes,
  type SecondColumns,
} from '../analytics/types.ts';
import { ArrayPool, type ReadStore, type WindowRecord } from '../db/index.ts';

const SECONDS = FIVE_MINUTES_MS / 1000;

/** Undefined where normal intervals cover less than 80 % of the five minutes. */
export interface FiveMinuteValues extends Partial<Record<FiveMinuteColumn, number>> {
  startMs: number;
  /** Normal intervals that end in the five minutes, and successive differences of them. */
  nnCount: number;
  differences: number;
  rmssdMs?: number;
  /** Of the window that computed them. */
  algorithmVersion: string;
}

/** Every five minutes in which a normal interval ends, ascending. */
export async function* fiveMinuteValues(
  store: ReadStore,
  subjectId: string,
  windows: readonly WindowRecord[],
): AsyncGenerator<FiveMinuteValues> {
  const pool = new ArrayPool();
  for (const { date, algorithmVersion } of windows) {
    const seconds = await store.analytics.seconds(subjectId, date, { pool });
    if (!seconds) continue;
    if (seconds.fiveMinutes) yield* valuesOf(seconds, seconds.fiveMinutes, algorithmVersion);
    pool.detachBuffer(seconds);
  }
}

function* valuesOf(seconds: SecondColumns, of: FiveMinutes, algorithmVersion: string): Generator<FiveMinuteValues> {
  for (let i = 0; i < of.nnCount.length; i++) {
    const nnCount = of.nnCount[i]!;
    if (nnCount === 0) continue;
    const startMs = of.startMs + i * FIVE_MINUTES_MS;
    const found: FiveMinuteValues = { startMs, nnCount, differences: of.differences[i]!, algorithmVersion };
    for (const name of FIVE_MINUTE_COLUMNS) if (!Number.isNaN(of[name][i])) found[name] = of[name][i]!;
    const rmssdMs = found.sdnnMs === undefined ? undefined : rmssdOf(seconds, startMs, found.differences);
    if (rmssdMs !== undefined) found.rmssdMs = rmssdMs;
    yield found;
  }
}

/** From the seconds of the five minutes; undefined where some of them lie in the next window, as before 1972 in zones of odd seconds. */
function rmssdOf(seconds: SecondColumns, startMs: number, differences: number): number | undefined {
  const from = Math.round((startMs - seconds.startMs) / 1000);
  const stop = Math.min(seconds.count, from + SECONDS);
  let squares = 0;
  let count = 0;
  for (let i = from; i < stop; i++) {
    squares += seconds.rrDiffSquaredMs2[i]!;
    count += seconds.rrDiffCount[i]!;
  }
  return count === differences ? Math.sqrt(squares / count) : undefined;
}
