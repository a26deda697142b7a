/** Storing the result of an analytics run. */
import type { DailyMetrics, SecondColumns, SleepPeriod, WindowResult } from '../analytics/types.ts';
import { AnalyticsQueries, type Change, type DayRecord, decodeSecondColumns, encodeArrays } from '../db/index.ts';
import { DAY_MS } from '../durations.ts';
import { toOutpostError } from '../errors.ts';
import type { Content } from '../files/content-hash.ts';
import type { GivenAnalysisParameters } from '../vocabulary/analysis-parameters.ts';
import { AnalysisRuns } from './analysis-runs.ts';

/** The result of one analytics run for a subject; `seconds` may be encoded already, or in a file since `stage`. */
export interface AnalyticsResult {
  studyId: string;
  subjectId: string;
  algorithmVersion: string;
  /** What the study chose; absent: the defaults. */
  parameters?: GivenAnalysisParameters | undefined;
  windows: {
    window: WindowResult['window'];
    timezone: string;
    seconds: SecondColumns | Uint8Array | Content;
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
  /** Of the days that corrections touch: as computed without any. Other days of the result have none any more. */
  uncorrected?: AnalyticsResult['days'];
  /** Dates whose window or day is empty now. */
  removedDates?: string[];
  /** The recording that caused it: the reference of METRICS_PROCESSED. */
  causeRecordingId?: string;
  /** Of an analysis run: all that it has of the subject, kept beside what is in use. */
  run?: { id: string; dataHash: string };
}

interface WindowPlace {
  subjectId: string;
  date: string;
}

interface LostWindow {
  startTs: number;
  stopTs: number;
  /** Of an analysis run. */
  runId?: string;
}

/**
 * How long a column file stays that no row names. A backup, an export or a verification reads a snapshot of the database in
 * which the row may still be, without telling the site; none of them takes a week.
 */
export const KEPT_UNUSED_MS = 7 * DAY_MS;

function isDecodable(bytes: Uint8Array): boolean {
  try {
    decodeSecondColumns(bytes);
    return true;
  } catch (thrown) {
    if (toOutpostError(thrown).code !== 'SITE_CORRUPT') throw thrown;
    return false;
  }
}

const isStaged = (seconds: SecondColumns | Uint8Array | Content): seconds is Content => 'sha256' in seconds;

export class Analytics extends AnalyticsQueries {
  /**
   * Puts the encoded columns of a window into a durable file that no row names yet, so that a long analysis does not have to
   * hold all of them. Unless `store` follows within {@link KEPT_UNUSED_MS}, the file is removed like any that is not used.
   * @throws DISK_FULL
   */
  async stage(columns: Uint8Array): Promise<Content> {
    const { columns: files } = this.session;
    return await files.exclusive(async () => {
      const [content] = await files.write([columns]);
      const { sha256 } = content!;
      // Stored before and unused since: the week begins again.
      if ((await this.unusedColumns(sha256)).length > 0) {
        await this.session.write((session) => new Analytics(session).inUse(sha256));
      }
      return content!;
    });
  }

  /**
   * Replaces windows and days by a new result in one transaction, and writes METRICS_PROCESSED; of an analysis run, those of the run,
   * without the event. The second columns are in
   * durable files before the transaction begins; ended in between, they are files without a row, which are removed later.
   * @throws DISK_FULL, CANCELLED of a run that was cancelled; nothing has changed then
   */
  async store(result: AnalyticsResult, change: Change): Promise<void> {
    const blocks = result.windows.flatMap(({ seconds }) => {
      if (isStaged(seconds)) return [];
      return [seconds instanceof Uint8Array ? seconds : encodeArrays(seconds)];
    });
    const { columns } = this.session;
    await columns.exclusive(async () => {
      const written = (await columns.write(blocks)).values();
      const contents = result.windows.map(({ seconds }) => (isStaged(seconds) ? seconds : written.next().value!));
      await this.#commit(result, contents, change);
    });
  }

  /**
   * Moves the columns of some rows of older versions into files. A row gives up its columns only after the file was read back,
   * compared and decoded. Ended at any point, every row has its columns in one place or the other.
   * @returns the last row seen, none at the end; `damaged`: rows whose columns cannot be decoded, which stay as they are
   */
  async moveColumns(
    after: WindowPlace | undefined,
    limit: number,
  ): Promise<{ last?: WindowPlace; damaged: WindowPlace[] }> {
    const { columns } = this.session;
    return await columns.exclusive(async () => {
      const rows = await this.rowsWithColumns(after, limit);
      const contents = await columns.write(rows.map((row) => row.columns));
      const damaged: WindowPlace[] = [];
      const moved: [WindowPlace, Content][] = [];
      for (const [i, { subjectId, date }] of rows.entries()) {
        const place = { subjectId, date };
        const bytes = await columns.read(contents[i]!);
        if (isDecodable(bytes)) moved.push([place, contents[i]!]);
        else damaged.push(place);
      }
      await this.session.write(async (session) => {
        const analytics = new Analytics(session);
        for (const [place, content] of moved) await analytics.nameColumns(place, content);
      });
      const last = rows.at(-1);
      return { damaged, ...(last && { last: { subjectId: last.subjectId, date: last.date } }) };
    });
  }

  /**
   * Tidies the column files of one prefix. A file that no row names is noted, and removed once it has been noted for
   * {@link KEPT_UNUSED_MS} and still no row names it.
   * @returns the windows whose file is missing
   */
  async tidyColumns(prefix: string): Promise<{ removed: string[]; missing: (WindowPlace & LostWindow)[] }> {
    const { columns, clock } = this.session;
    await columns.removePartials(prefix, Date.now() - DAY_MS);
    return await columns.exclusive(async () => {
      const files = new Set(await columns.list(prefix));
      const windows = await this.windowsByColumns(prefix);
      const used = new Set(windows.map(({ sha256 }) => sha256));
      const noted = new Map((await this.unusedColumns(prefix)).map(({ sha256, sinceTs }) => [sha256, sinceTs]));
      const nowTs = clock();
      const removed: string[] = [];
      for (const sha256 of files) {
        const sinceTs = noted.get(sha256);
        if (used.has(sha256) || sinceTs === undefined || nowTs - sinceTs < KEPT_UNUSED_MS) continue;
        await columns.remove(sha256);
        files.delete(sha256);
        removed.push(sha256);
      }
      // A time ahead of the clock was noted by a clock that has been set back since: the week begins again.
      const isToNote = (sha256: string) => !used.has(sha256) && (noted.get(sha256) ?? Number.POSITIVE_INFINITY) > nowTs;
      const toNote = [...files].filter(isToNote);
      const toForget = [...noted.keys()].filter((sha256) => used.has(sha256) || !files.has(sha256));
      if (toNote.length + toForget.length > 0) {
        await this.session.write(async (session) => {
          const analytics = new Analytics(session);
          for (const sha256 of toNote) await analytics.noteUnused(sha256, nowTs);
          for (const sha256 of toForget) await analytics.inUse(sha256);
        });
      }
      return { removed, missing: windows.filter(({ sha256 }) => !files.has(sha256)) };
    });
  }

  async #commit(result: AnalyticsResult, contents: readonly Content[], change: Change): Promise<void> {
    await this.session.write(async (session) => {
      const analytics = new Analytics(session);
      const { subjectId, studyId, algorithmVersion, parameters, removedDates = [], run } = result;
      const computedTs = session.clock();
      if (run) await new AnalysisRuns(session).replaceSubject(run.id, subjectId, run.dataHash);
      else if (removedDates.length > 0) await analytics.deleteDates(subjectId, removedDates);
      for (const [i, { window, timezone, sleep, inputsHash }] of result.windows.entries()) {
        const { date, startMs, stopMs } = window;
        const row = {
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
          parameters,
        };
        await analytics.putWindow(row, run?.id);
      }
      const rowOf = ({ metrics, timezone, inputsHash, ...day }: AnalyticsResult['days'][number]): DayRecord => ({
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
        parameters,
        epochMethod: metrics.epochMethod,
      });
      for (const day of result.days) await analytics.putDay(rowOf(day), run?.id);
      if (!run) {
        await analytics.deleteUncorrected(
          subjectId,
          result.days.map(({ metrics }) => metrics.date),
        );
      }
      for (const day of result.uncorrected ?? []) await analytics.putUncorrected(rowOf(day), run?.id);
      await session.audit(change, {
        ...(run
          ? { action: 'analysis-run.store', entityType: 'analysis-run', entityId: run.id }
          : { action: 'analytics.store', entityType: 'analytics', entityId: subjectId }),
        studyId,
        subjectId,
        changes: {
          algorithmVersion: { new: algorithmVersion },
          ...(parameters && { parameters: { new: parameters } }),
          windows: { new: result.windows.map(({ window }) => window.date) },
          days: { new: result.days.map((day) => day.metrics.date) },
          ...(removedDates.length > 0 && { removedDates: { new: removedDates } }),
        },
      });
      if (result.days.length > 0 && !run) {
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
