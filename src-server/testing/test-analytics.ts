/** Analytics of a subject stored as a job would store them: heart beats, steps and counts while something was recorded. */
import { createSecondColumns } from '../analytics/seconds.ts';
import type { EpochMethod } from '../analytics/types.ts';
import { SYSTEM } from '../db/index.ts';
import type { Store } from '../services/index.ts';
import { fixedZone, midnightWindow, noonWindow } from '../study/day-windows.ts';

/** Stores windows and daily metrics of `dates`; `spans` are the recorded segments, epoch ms. */
export async function storeTestAnalytics(
  store: Store,
  place: { studyId: string; subjectId: string },
  timezone: string,
  dates: readonly string[],
  spans: readonly { startMs: number; stopMs: number }[],
  algorithmVersion = 'test',
  /** Further metrics of each date. */
  further: (date: string) => Record<string, number> = () => ({}),
  /** With what acceleration of each date was classified. */
  methodOf: (date: string) => EpochMethod | undefined = () => undefined,
): Promise<void> {
  const clock = fixedZone(timezone);
  const windows = dates.map((date) => {
    const window = noonWindow(date, clock);
    const seconds = createSecondColumns(window.startMs, (window.stopMs - window.startMs) / 1000);
    for (const { startMs, stopMs } of spans) {
      const first = Math.max(0, (startMs - window.startMs) / 1000);
      const last = Math.min(seconds.count, (stopMs - window.startMs) / 1000);
      for (let i = first; i < last; i++) {
        seconds.recorded[i] = 1;
        seconds.worn[i] = 1;
        seconds.rrCount[i] = 1;
        seconds.rrSumMs[i] = 800 + (i % 50);
        seconds.steps[i] = i % 3;
        seconds.activity[i] = 1;
      }
    }
    return { window, seconds, timezone, sleep: [], inputsHash: date };
  });
  const days = dates.map((date, i) => {
    const { startMs, stopMs } = midnightWindow(date, clock);
    const metrics = {
      date,
      dayStartMs: startMs,
      dayStopMs: stopMs,
      dataStartMs: startMs,
      dataStopMs: stopMs,
      metrics: { SENSOR_WEAR_DURATION: 3600 + i, MOVING_AVG_HR: 72.345, ...further(date) },
      validSeconds: { MOVING: 600 },
      ...(methodOf(date) && { epochMethod: methodOf(date)! }),
    };
    return { metrics, timezone, inputsHash: date };
  });
  await store.analytics.store({ ...place, algorithmVersion, windows, days }, SYSTEM);
}
