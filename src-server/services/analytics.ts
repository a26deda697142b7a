/** Storing the result of an analytics run. */
import type { DailyMetrics, SecondColumns, SleepPeriod, WindowResult } from '../analytics/types.ts';
import { AnalyticsQueries, type Change, encodeArrays } from '../db/index.ts';
import type { Content } from '../files/content-hash.ts';

/** The result of one analytics run for a subject; `seconds` may arrive encoded from the analytics process. */
export interface AnalyticsResult {
  studyId: string;
  subjectId: string;
  algorithmVersion: string;
  windows: {
    window: WindowResult['window'];
    timezone: string;
    seconds: SecondColumns | Uint8Array;
    sleep: SleepPeriod[];
    inputsHash: string;
  }[];
  days: {
    metrics: DailyMetrics;
    timezone: string;
    inputsHash: string;
    /** Differs when the day is made of windows of other versions too; default: that of the result. */
    algorithmVersion?: string;
  }[];
  /** Dates whose window or day is empty now. */
  removedDates?: string[];
  /** The recording that caused it: the reference of METRICS_PROCESSED. */
  causeRecordingId?: string;
}

export class Analytics extends AnalyticsQueries {
  /**
   * Replaces windows and days by a new result in one transaction, and writes METRICS_PROCESSED. The second columns are in
   * durable files before the transaction begins; ended in between, they are files without a row, which are removed later.
   * @throws DISK_FULL; nothing has changed then
   */
  async store(result: AnalyticsResult, change: Change): Promise<void> {
    const blocks = result.windows.map(({ seconds }) =>
      seconds instanceof Uint8Array ? seconds : encodeArrays(seconds),
    );
    const { columns } = this.session;
    await columns.exclusive(async () => {
      const contents = await columns.write(blocks);
      await this.#commit(result, contents, change);
    });
  }

  async #commit(result: AnalyticsResult, contents: readonly Content[], change: Change): Promise<void> {
    await this.session.write(async (session) => {
      const analytics = new Analytics(session);
      const { subjectId, studyId, algorithmVersion, removedDates = [] } = result;
      const computedTs = session.clock();
      if (removedDates.length > 0) await analytics.deleteDates(subjectId, removedDates);
      for (const [i, { window, timezone, sleep, inputsHash }] of result.windows.entries()) {
        const { date, startMs, stopMs } = window;
        await analytics.putWindow({
          subjectId,
          date,
          startTs: startMs,
          stopTs: stopMs,
          timezone,
          content: contents[i]!,
          sleep,
          inputsHash,
          algorithmVersion,
          computedTs,
        });
      }
      for (const { metrics, timezone, inputsHash, ...day } of result.days) {
        await analytics.putDay({
          subjectId,
          date: metrics.date,
          dayStartTs: metrics.dayStartMs,
          dayStopTs: metrics.dayStopMs,
          timezone,
          dataStartTs: metrics.dataStartMs,
          dataStopTs: metrics.dataStopMs,
          metrics: metrics.metrics,
          validSeconds: metrics.validSeconds,
          inputsHash,
          algorithmVersion: day.algorithmVersion ?? algorithmVersion,
          computedTs,
        });
      }
      await session.audit(change, {
        action: 'analytics.store',
        entityType: 'analytics',
        entityId: subjectId,
        studyId,
        subjectId,
        changes: {
          algorithmVersion: { new: algorithmVersion },
          windows: { new: result.windows.map(({ window }) => window.date) },
          days: { new: result.days.map((day) => day.metrics.date) },
          ...(removedDates.length > 0 && { removedDates: { new: removedDates } }),
        },
      });
      if (result.days.length > 0) {
        await session.event({
          action: 'METRICS_PROCESSED',
          studyId,
          subjectId,
          referenceId: result.causeRecordingId ?? subjectId,
        });
      }
    });
  }
}
