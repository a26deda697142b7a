/**
 * Sleep over a noon belongs wholly to the window in which it begins. The windows on both sides must agree on it to the second,
 * so both use one analysis of the hours around the noon.
 */
import type { SleepPeriod } from '../types.ts';
import type { SleepResult } from './detect.ts';

/** Span on either side of a noon that is analysed for a sleep over it; a sleep that fills the span is split at the noon. */
export const NOON_REACH_SECONDS = 12 * 3600;

/** A sleep that begins before a noon and ends after it. */
export interface NoonSleep {
  period: SleepPeriod;
  /** First second of the analysis, row 0 of the columns. */
  startSecond: number;
  asleep: Uint8Array;
  sleepingPosture: Uint8Array;
}

/** Returns the sleep over a noon from an analysis of the hours around it; null when there is none or it has no end there. */
export function noonSleepIn(found: SleepResult, startSecond: number, noonMs: number): NoonSleep | null {
  const period = found.periods.find(({ onsetMs, wakeMs }) => onsetMs < noonMs && wakeMs > noonMs);
  const stopMs = (startSecond + found.asleep.length) * 1000;
  if (!period || period.onsetMs <= startSecond * 1000 || period.wakeMs >= stopMs) return null;
  return { period, startSecond, asleep: found.asleep, sleepingPosture: found.sleepingPosture };
}

/**
 * Replaces a window's own view of the sleep over a noon by the shared one. Without a shared one, a sleep over the noon is split
 * there.
 *
 * @param own sleep of the window with its margins, changed in place
 * @param startSecond first second of `own`
 */
export function settleNoon(own: SleepResult, startSecond: number, noonMs: number, over: NoonSleep | null): void {
  const noonRow = noonMs / 1000 - startSecond;
  const rowOf = (ms: number): number => Math.min(own.asleep.length, Math.max(0, Math.round(ms / 1000) - startSecond));
  if (!over) {
    own.periods = own.periods.flatMap((period) =>
      period.onsetMs < noonMs && period.wakeMs > noonMs
        ? [
            { onsetMs: period.onsetMs, wakeMs: lastAsleep(own, startSecond, period.onsetMs, noonRow) },
            { onsetMs: firstAsleep(own, startSecond, noonRow), wakeMs: period.wakeMs },
          ]
        : [period],
    );
    return;
  }
  const { period } = over;
  for (const one of own.periods) {
    if (one.onsetMs >= period.wakeMs || one.wakeMs <= period.onsetMs) continue;
    own.asleep.fill(0, rowOf(one.onsetMs), rowOf(one.wakeMs));
    own.sleepingPosture.fill(0, rowOf(one.onsetMs), rowOf(one.wakeMs));
  }
  own.periods = own.periods.filter((one) => one.onsetMs >= period.wakeMs || one.wakeMs <= period.onsetMs);
  const shift = startSecond - over.startSecond;
  for (let row = rowOf(period.onsetMs); row < rowOf(period.wakeMs); row++) {
    own.asleep[row] = over.asleep[row + shift]!;
    own.sleepingPosture[row] = over.sleepingPosture[row + shift]!;
  }
  own.periods.push(period);
}

/** End of the last second asleep before a row, epoch ms, but not before the onset. */
function lastAsleep({ asleep }: SleepResult, startSecond: number, onsetMs: number, stopRow: number): number {
  let row = stopRow;
  while (row > 0 && !asleep[row - 1]) row--;
  return Math.max(onsetMs, (startSecond + row) * 1000);
}

/** Start of the first second asleep from a row on, epoch ms. */
function firstAsleep({ asleep }: SleepResult, startSecond: number, fromRow: number): number {
  const row = asleep.indexOf(1, fromRow);
  return (startSecond + (row < 0 ? fromRow : row)) * 1000;
}
