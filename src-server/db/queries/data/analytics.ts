import { sql } from 'kysely';
import type { DailyMetrics, SecondColumns, SleepPeriod, WindowResult } from '../../../analytics/types.ts';
import { type ArrayPool, decodeArrays, encodeArrays } from '../../array-codec.ts';
import type { Change } from '../../session.ts';
import { Queries } from '../queries.ts';
import { anyOf, parseJson } from '../shared.ts';

/** A stored noon window without its columns. */
export interface WindowRecord {
  subjectId: string;
  /** The local date whose sleep it holds. */
  date: string;
  startTs: number;
  stopTs: number;
  timezone: string;
  sleep: SleepPeriod[];
  inputsHash: string;
  algorithmVersion: string;
  computedTs: number;
}

export interface DayRecord {
  subjectId: string;
  date: string;
  dayStartTs: number;
  dayStopTs: number;
  /** The zone in force at the start of the day. */
  timezone: string;
  dataStartTs: number;
  dataStopTs: number;
  metrics: Record<string, number>;
  validSeconds: Record<string, number>;
  inputsHash: string;
  algorithmVersion: string;
  computedTs: number;
}

/** What one run of analytics made for a subject; `columns` may come encoded from the analytics process. */
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
    /** Where it is made of windows of other versions too; default: that of the result. */
    algorithmVersion?: string;
  }[];
  /** Dates whose window or day no longer holds anything. */
  removedDates?: string[];
  /** The recording that caused it: the reference of METRICS_PROCESSED. */
  causeRecordingId?: string;
}

/** @throws SITE_CORRUPT when the bytes are damaged */
export function decodeSecondColumns(bytes: Uint8Array, pool?: ArrayPool): SecondColumns {
  return decodeArrays(bytes, pool) as SecondColumns;
}

const WINDOW_COLUMNS = [
  'subjectId',
  'date',
  'startTs',
  'stopTs',
  'timezone',
  'sleep',
  'inputsHash',
  'algorithmVersion',
  'computedTs',
] as const;

export class Analytics extends Queries {
  /** Replaces windows and days by a new result in one transaction, and writes METRICS_PROCESSED. */
  async store(result: AnalyticsResult, change: Change): Promise<void> {
    // Encoding takes milliseconds each, so it comes before the transaction.
    const windows = result.windows.map((entry) => ({
      ...entry,
      columns: entry.seconds instanceof Uint8Array ? entry.seconds : encodeArrays(entry.seconds),
    }));
    await this.session.write(async (session) => {
      const { subjectId, studyId, algorithmVersion } = result;
      const computedTs = session.clock();
      if (result.removedDates && result.removedDates.length > 0) {
        await session.db
          .deleteFrom('analyticsWindow')
          .where('subjectId', '=', subjectId)
          .where('date', 'in', anyOf(result.removedDates))
          .execute();
        await session.db
          .deleteFrom('analyticsDay')
          .where('subjectId', '=', subjectId)
          .where('date', 'in', anyOf(result.removedDates))
          .execute();
      }
      for (const entry of windows) {
        const columns = {
          startTs: entry.window.startMs,
          stopTs: entry.window.stopMs,
          timezone: entry.timezone,
          columns: entry.columns,
          sleep: JSON.stringify(entry.sleep),
          inputsHash: entry.inputsHash,
          algorithmVersion,
          computedTs,
        };
        await session.db
          .insertInto('analyticsWindow')
          .values({ subjectId, date: entry.window.date, ...columns })
          .onConflict((conflict) => conflict.columns(['subjectId', 'date']).doUpdateSet(columns))
          .execute();
      }
      for (const { metrics, timezone, inputsHash, ...day } of result.days) {
        const columns = {
          dayStartTs: metrics.dayStartMs,
          dayStopTs: metrics.dayStopMs,
          timezone,
          dataStartTs: metrics.dataStartMs,
          dataStopTs: metrics.dataStopMs,
          metrics: JSON.stringify(metrics.metrics),
          validSeconds: JSON.stringify(metrics.validSeconds),
          inputsHash,
          algorithmVersion: day.algorithmVersion ?? algorithmVersion,
          computedTs,
        };
        await session.db
          .insertInto('analyticsDay')
          .values({ subjectId, date: metrics.date, ...columns })
          .onConflict((conflict) => conflict.columns(['subjectId', 'date']).doUpdateSet(columns))
          .execute();
      }
      await session.audit(change, {
        action: 'analytics.store',
        entityType: 'analytics',
        entityId: subjectId,
        studyId,
        subjectId,
        changes: {
          algorithmVersion: { new: algorithmVersion },
          windows: { new: windows.map((entry) => entry.window.date) },
          days: { new: result.days.map((day) => day.metrics.date) },
          ...(result.removedDates && result.removedDates.length > 0 && { removedDates: { new: result.removedDates } }),
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

  /** Days of a subject, ascending; dates inclusive. */
  async days(subjectId: string, range: { fromDate?: string; toDate?: string } = {}): Promise<DayRecord[]> {
    let query = this.session.db.selectFrom('analyticsDay').selectAll().where('subjectId', '=', subjectId);
    if (range.fromDate !== undefined) query = query.where('date', '>=', range.fromDate);
    if (range.toDate !== undefined) query = query.where('date', '<=', range.toDate);
    const rows = await query.orderBy('date').execute();
    return rows.map((row) => ({
      ...row,
      metrics: parseJson<Record<string, number>>(row.metrics),
      validSeconds: parseJson<Record<string, number>>(row.validSeconds),
    }));
  }

  /** Windows that share time with [fromTs, toTs), ascending, without their columns. */
  /** Seconds worn per day of every subject of a study, by subject and date. */
  async wearOfStudy(studyId: string): Promise<{ subjectId: string; date: string; wearSeconds: number }[]> {
    const rows = await this.session.db
      .selectFrom('analyticsDay')
      .innerJoin('subject', 'subject.id', 'analyticsDay.subjectId')
      .select(['analyticsDay.subjectId', 'analyticsDay.date'])
      .select(sql<number | null>`analyticsDay.metrics ->> '$.SENSOR_WEAR_DURATION'`.as('wearSeconds'))
      .where('subject.studyId', '=', studyId)
      .orderBy('analyticsDay.subjectId')
      .orderBy('analyticsDay.date')
      .execute();
    return rows.flatMap(({ wearSeconds, ...day }) => (wearSeconds === null ? [] : [{ ...day, wearSeconds }]));
  }

  async windows(subjectId: string, span: { fromTs?: number; toTs?: number } = {}): Promise<WindowRecord[]> {
    let query = this.session.db.selectFrom('analyticsWindow').select(WINDOW_COLUMNS).where('subjectId', '=', subjectId);
    if (span.fromTs !== undefined) query = query.where('stopTs', '>', span.fromTs);
    if (span.toTs !== undefined) query = query.where('startTs', '<', span.toTs);
    const rows = await query.orderBy('startTs').execute();
    return rows.map((row) => ({ ...row, sleep: parseJson<SleepPeriod[]>(row.sleep) }));
  }

  /** The second columns of one window, encoded as stored: a worker or process may decode them. */
  async windowBytes(subjectId: string, date: string): Promise<Uint8Array | undefined> {
    const row = await this.session.db
      .selectFrom('analyticsWindow')
      .select('columns')
      .where('subjectId', '=', subjectId)
      .where('date', '=', date)
      .executeTakeFirst();
    return row?.columns;
  }

  /** The second columns of one window; one at a time keeps memory flat over a long history. */
  async seconds(subjectId: string, date: string, pool?: ArrayPool): Promise<SecondColumns | undefined> {
    const bytes = await this.windowBytes(subjectId, date);
    return bytes && decodeSecondColumns(bytes, pool);
  }

  /** Keys of every stored window in order, a slice at a time, for verification. */
  async windowKeysAfter(
    after: { subjectId: string; date: string } | null,
    limit: number,
  ): Promise<{ subjectId: string; date: string }[]> {
    let query = this.session.db.selectFrom('analyticsWindow').select(['subjectId', 'date']);
    if (after) {
      query = query.where((eb) =>
        eb.or([
          eb('subjectId', '>', after.subjectId),
          eb.and([eb('subjectId', '=', after.subjectId), eb('date', '>', after.date)]),
        ]),
      );
    }
    return await query.orderBy('subjectId').orderBy('date').limit(limit).execute();
  }
}
