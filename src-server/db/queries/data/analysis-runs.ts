/** Statements on analysis runs, and on their results, which lie in tables like those of the study. The rules are in `services/analysis-runs.ts`. */
import { sql } from 'kysely';
import { sha256Hex } from '../../../files/content-hash.ts';
import type { RunSubject } from '../../../study/analysis-runs.ts';
import { canonicalJson } from '../../../study/changes.ts';
import type { JobState } from '../../../study/jobs.ts';
import { CALIBRATION_NAMES } from '../../../study/posture-calibration.ts';
import type { InsertOf, PatchOf, RecordOf } from '../../columns.ts';
import { TABLES } from '../../schema.ts';
import { inPages, type Keyset } from '../keyset.ts';
import { Queries } from '../queries.ts';
import { absent, anyOf, notFound } from '../shared.ts';
import { AnnotationQueries } from '../study/annotations.ts';
import { CorrectionQueries } from '../study/corrections.ts';
import { SubjectQueries } from '../study/subjects.ts';

const { analysisRun: RUN, analysisRunSubject: SUBJECT } = TABLES;

export type AnalysisRunRecord = RecordOf<typeof RUN>;

/** A subject of a run, and the job that computes it. */
export interface RunSubjectRecord {
  runId: string;
  subjectId: string;
  jobId?: string | undefined;
  jobState?: JobState | undefined;
  /** What the job failed with. */
  problem?: string | undefined;
  dataHash?: string | undefined;
  /** Whether its data changed since, as far as triggers see: also when a change was taken back. */
  isChanged: boolean;
  storedTs?: number | undefined;
}

/** Tables of results: those in use, and those of runs with the same columns after the run. */
export const RESULT_TABLES = {
  analyticsWindow: 'analysisRunWindow',
  analyticsDay: 'analysisRunDay',
  uncorrectedDay: 'analysisRunUncorrectedDay',
} as const;
type ResultTable = keyof typeof RESULT_TABLES;

/** The columns of a table of results as SQL, in order. */
const columnsOf = (table: ResultTable) => sql.join(Object.keys(TABLES[table].columns).map((name) => sql.ref(name)));

export class AnalysisRunQueries extends Queries {
  /** Absent also when its deletion has begun. */
  async get(id: string): Promise<AnalysisRunRecord | undefined> {
    const row = await this.session.db
      .selectFrom('analysisRun')
      .selectAll()
      .where('id', '=', id)
      .where('deletedTs', 'is', null)
      .executeTakeFirst();
    return row && RUN.toRecord(row);
  }

  /** @throws NOT_FOUND also when it is of another study */
  async require(id: string, studyId: string): Promise<AnalysisRunRecord> {
    const run = await this.get(id);
    if (run?.studyId !== studyId) throw notFound('analysis run');
    return run;
  }

  /** Newest first. */
  async list(studyId: string, keyset?: Keyset): Promise<AnalysisRunRecord[]> {
    const query = this.session.db
      .selectFrom('analysisRun')
      .selectAll()
      .where('studyId', '=', studyId)
      .where('deletedTs', 'is', null);
    const rows = await inPages(query, ['createdTs', 'id'], { keyset, isDescending: true }).execute();
    return rows.map(RUN.toRecord);
  }

  async names(studyId: string): Promise<Set<string>> {
    const rows = await this.session.db
      .selectFrom('analysisRun')
      .select('name')
      .where('studyId', '=', studyId)
      .execute();
    return new Set(rows.map(({ name }) => name));
  }

  /** The subjects of a run with their jobs, in order of the subjects' making. */
  async subjectsOf(runId: string): Promise<RunSubjectRecord[]> {
    const rows = await this.session.db
      .selectFrom('analysisRunSubject as one')
      .innerJoin('subject', 'subject.id', 'one.subjectId')
      .leftJoin('job', 'job.id', 'one.jobId')
      .select([
        'one.runId',
        'one.subjectId',
        'one.jobId',
        'one.dataHash',
        'one.storedTs',
        'one.isChanged',
        'job.state as jobState',
      ])
      .select(sql<string | null>`job.error ->> '$.message'`.as('problem'))
      .where('one.runId', '=', runId)
      .orderBy('subject.createdTs')
      .orderBy('subject.id')
      .execute();
    return rows.map(({ jobId, dataHash, storedTs, isChanged, jobState, problem, ...place }) => ({
      ...place,
      isChanged: isChanged === 1,
      jobId: absent(jobId),
      jobState: absent(jobState),
      problem: absent(problem),
      dataHash: absent(dataHash),
      storedTs: absent(storedTs),
    }));
  }

  /** How many subjects of each of some runs are alike in what their state follows from. Reads no recording. */
  async subjectCounts(runIds: readonly string[]): Promise<Map<string, (RunSubject & { count: number })[]>> {
    const rows = await this.session.db
      .selectFrom('analysisRunSubject as one')
      .leftJoin('job', 'job.id', 'one.jobId')
      .select(['one.runId', 'one.isChanged', 'job.state as jobState'])
      .select(sql<0 | 1>`one.dataHash IS NOT NULL`.as('hasData'))
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .where('one.runId', 'in', anyOf(runIds))
      .groupBy(['one.runId', 'one.isChanged', 'job.state', 'hasData'])
      .execute();
    const found = new Map<string, (RunSubject & { count: number })[]>();
    for (const { runId, isChanged, jobState, hasData, count } of rows) {
      const ofRun = found.get(runId) ?? [];
      found.set(runId, ofRun);
      const dataHash = hasData === 1 ? '' : undefined;
      ofRun.push({ dataHash, isChanged: isChanged === 1, jobState: absent(jobState), count });
    }
    return found;
  }

  /** How many subjects with recordings each of some runs of whole studies does not have. */
  async missingCounts(runIds: readonly string[]): Promise<Map<string, number>> {
    const rows = await this.session.db
      .selectFrom('analysisRun as run')
      .innerJoin('subject', 'subject.studyId', 'run.studyId')
      .select('run.id')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .where('run.id', 'in', anyOf(runIds))
      .where('run.isWholeStudy', '=', 1)
      .where('run.adoptedTs', 'is', null)
      .where(({ not, exists, selectFrom }) =>
        not(
          exists(
            selectFrom('analysisRunSubject as one')
              .select('one.runId')
              .whereRef('one.runId', '=', 'run.id')
              .whereRef('one.subjectId', '=', 'subject.id'),
          ),
        ),
      )
      .where(({ exists, selectFrom }) =>
        exists(
          selectFrom('recording')
            .select('recording.id')
            .whereRef('recording.subjectId', '=', 'subject.id')
            .where('status', '=', 'COMPLETE')
            .where('fileState', '=', 'PRESENT'),
        ),
      )
      .groupBy('run.id')
      .execute();
    return new Map(rows.map(({ id, count }) => [id, count]));
  }

  /** Runs whose deletion has begun, oldest first. */
  async deletions(): Promise<string[]> {
    const rows = await this.session.db
      .selectFrom('analysisRun')
      .select('id')
      .where('deletedTs', 'is not', null)
      .orderBy('deletedTs')
      .orderBy('id')
      .execute();
    return rows.map(({ id }) => id);
  }

  /** Subjects of which a run has anything at all, also of a run whose deletion has begun. */
  async subjectIdsOf(runId: string): Promise<string[]> {
    const rows = await this.session.db
      .selectFrom('analysisRunSubject')
      .select('subjectId')
      .where('runId', '=', runId)
      .orderBy('subjectId')
      .execute();
    return rows.map(({ subjectId }) => subjectId);
  }

  /** Subjects of a study with recordings that can be analysed, in order of their making. */
  async subjectsWithData(studyId: string): Promise<string[]> {
    const rows = await this.session.db
      .selectFrom('subject')
      .select('id')
      .where('studyId', '=', studyId)
      .where(({ exists, selectFrom }) =>
        exists(
          selectFrom('recording')
            .select('recording.id')
            .whereRef('recording.subjectId', '=', 'subject.id')
            .where('status', '=', 'COMPLETE')
            .where('fileState', '=', 'PRESENT'),
        ),
      )
      .orderBy('createdTs')
      .orderBy('id')
      .execute();
    return rows.map(({ id }) => id);
  }

  /** From the first sample of the recordings of a subject that can be analysed to the last one, epoch ms. */
  async dataSpan(subjectId: string): Promise<{ fromMs: number; toMs: number } | undefined> {
    const { startUs, stopUs } = await this.session.db
      .selectFrom('recording')
      .select(({ fn }) => [
        fn.min<number | null>('startUs').as('startUs'),
        fn.max<number | null>('stopUs').as('stopUs'),
      ])
      .where('subjectId', '=', subjectId)
      .where('status', '=', 'COMPLETE')
      .where('fileState', '=', 'PRESENT')
      .executeTakeFirstOrThrow();
    if (startUs === null || stopUs === null) return undefined;
    return { fromMs: Math.floor(startUs / 1000), toMs: Math.ceil(stopUs / 1000) };
  }

  /**
   * Hash of everything about a subject that results follow from, but the version and parameters: recordings, labels of postures,
   * corrections and zones. Two results with the same one differ by their method alone.
   */
  async dataHash(subjectId: string): Promise<string> {
    const recordings = await this.session.db
      .selectFrom('recording')
      .leftJoin('sensorSetup', 'sensorSetup.setupId', 'recording.setupId')
      .select(['id', 'sha256', 'startUs', 'stopUs'])
      .select(sql<string | null>`physicalConfig ->> '$.location'`.as('location'))
      .where('subjectId', '=', subjectId)
      .where('status', '=', 'COMPLETE')
      .where('fileState', '=', 'PRESENT')
      .orderBy('id')
      .execute();
    const labels = await new AnnotationQueries(this.session).list(subjectId, { displayNames: CALIBRATION_NAMES });
    const corrections = await new CorrectionQueries(this.session).appliedIn(subjectId, {
      fromTs: 0,
      toTs: Number.MAX_SAFE_INTEGER,
    });
    const zones = await new SubjectQueries(this.session).zones(subjectId);
    const ofLabels = labels.map(({ displayName, startTs, stopTs }) => ({ displayName, startTs, stopTs }));
    return sha256Hex(canonicalJson([recordings, ofLabels, corrections, zones]));
  }

  /** How many days of a study were computed by each version. */
  async daysByVersion(studyId: string): Promise<{ algorithmVersion: string; days: number }[]> {
    return await this.session.db
      .selectFrom('analyticsDay')
      .innerJoin('subject', 'subject.id', 'analyticsDay.subjectId')
      .select(['algorithmVersion'])
      .select(({ fn }) => fn.countAll<number>().as('days'))
      .where('subject.studyId', '=', studyId)
      .groupBy('algorithmVersion')
      .orderBy('algorithmVersion')
      .execute();
  }

  /** Days of a study that bear a signature. */
  async signedDays(studyId: string): Promise<number> {
    const days = this.session.db
      .selectFrom('signature')
      .select(['subjectId', 'date'])
      .distinct()
      .where('studyId', '=', studyId)
      .where('kind', '=', 'subject-day');
    const { count } = await this.session.db
      .selectFrom(days.as('day'))
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow();
    return count;
  }

  /** Subjects of a study that have days in use. */
  async subjectsWithDays(studyId: string): Promise<string[]> {
    const rows = await this.session.db
      .selectFrom('subject')
      .select('id')
      .where('studyId', '=', studyId)
      .where(({ or, exists, selectFrom }) =>
        or(
          (['analyticsDay', 'analyticsWindow'] as const).map((table) =>
            exists(selectFrom(table).select(`${table}.date`).whereRef(`${table}.subjectId`, '=', 'subject.id')),
          ),
        ),
      )
      .orderBy('createdTs')
      .orderBy('id')
      .execute();
    return rows.map(({ id }) => id);
  }

  /** Jobs of a study that failed because it is pinned to a version that the program did not have, oldest first. */
  async waitingJobs(studyId: string): Promise<{ id: string; subjectId: string; createdTs: number }[]> {
    const rows = await this.session.db
      .selectFrom('job')
      .select(['id', 'subjectId', 'createdTs'])
      .where('studyId', '=', studyId)
      .where('kind', '=', 'analyse')
      .where('state', 'in', ['failed', 'parked'])
      .where(sql<boolean>`error ->> '$.code' = 'VERSION_NOT_AVAILABLE'`)
      .where(sql<boolean>`payload ->> '$.runId' IS NULL`)
      .orderBy('createdTs')
      .orderBy('id')
      .execute();
    return rows.flatMap(({ subjectId, ...job }) => (subjectId === null ? [] : [{ ...job, subjectId }]));
  }

  /** Studies with jobs as in {@link waitingJobs}. */
  async studiesWaiting(): Promise<string[]> {
    const rows = await this.session.db
      .selectFrom('job')
      .select('studyId')
      .distinct()
      .where('kind', '=', 'analyse')
      .where('state', 'in', ['failed', 'parked'])
      .where(sql<boolean>`error ->> '$.code' = 'VERSION_NOT_AVAILABLE'`)
      .where(sql<boolean>`payload ->> '$.runId' IS NULL`)
      .execute();
    return rows.flatMap(({ studyId }) => studyId ?? []);
  }

  /** Recordings of a subject that can be analysed and were not. */
  async notAnalysed(subjectId: string): Promise<string[]> {
    const rows = await this.session.db
      .selectFrom('recording')
      .select('id')
      .where('subjectId', '=', subjectId)
      .where('status', '=', 'COMPLETE')
      .where('fileState', '=', 'PRESENT')
      .where('dataState', '!=', 'ANALYSED')
      .orderBy('id')
      .execute();
    return rows.map(({ id }) => id);
  }

  /** Analyses of a study itself that wait or run. */
  async openAnalyses(studyId: string): Promise<string[]> {
    const rows = await this.session.db
      .selectFrom('job')
      .select('id')
      .where('studyId', '=', studyId)
      .where('kind', 'in', ['analyse', 'import'])
      .where('state', 'in', ['queued', 'running'])
      .where(sql<boolean>`payload ->> '$.runId' IS NULL`)
      .execute();
    return rows.map(({ id }) => id);
  }

  /** Dates of the days and windows in use of a subject. */
  async datesInUse(subjectId: string): Promise<{ days: string[]; windows: string[] }> {
    const datesOf = async (table: 'analyticsDay' | 'analyticsWindow') =>
      (
        await this.session.db
          .selectFrom(table)
          .select('date')
          .where('subjectId', '=', subjectId)
          .orderBy('date')
          .execute()
      ).map(({ date }) => date);
    return { days: await datesOf('analyticsDay'), windows: await datesOf('analyticsWindow') };
  }

  protected async insert(run: InsertOf<typeof RUN>): Promise<void> {
    await this.session.db.insertInto('analysisRun').values(RUN.toRow(run)).execute();
  }

  protected async patch(id: string, fields: PatchOf<typeof RUN>): Promise<void> {
    await this.session.db.updateTable('analysisRun').set(RUN.toRow(fields)).where('id', '=', id).execute();
  }

  /** Adds a subject, or gives one another job; what is stored of it stays until that has ended. */
  protected async putSubject(subject: InsertOf<typeof SUBJECT>): Promise<void> {
    const { runId, subjectId, ...columns } = SUBJECT.toRow(subject);
    await this.session.db
      .insertInto('analysisRunSubject')
      .values({ runId, subjectId, ...columns })
      .onConflict((conflict) => conflict.columns(['runId', 'subjectId']).doUpdateSet(columns))
      .execute();
  }

  /** Adds a subject with its analysis, or gives one another; what is stored of it stays as it is. */
  protected async setJob(runId: string, subjectId: string, jobId: string): Promise<void> {
    await this.session.db
      .insertInto('analysisRunSubject')
      .values({ runId, subjectId, jobId })
      .onConflict((conflict) => conflict.columns(['runId', 'subjectId']).doUpdateSet({ jobId }))
      .execute();
  }

  /** Notes that no row names a column file any more, unless that is noted. */
  protected async noteUnused(sha256: string, sinceTs: number): Promise<void> {
    await this.session.db
      .insertInto('unusedColumns')
      .values({ sha256, sinceTs })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  }

  protected async deleteSubject(runId: string, subjectId: string): Promise<void> {
    await this.session.db
      .deleteFrom('analysisRunSubject')
      .where('runId', '=', runId)
      .where('subjectId', '=', subjectId)
      .execute();
  }

  /** Of results whose files are lost: they are no longer those of any data. */
  protected async forgetData(runId: string, subjectId: string): Promise<void> {
    await this.session.db
      .updateTable('analysisRunSubject')
      .set({ dataHash: null })
      .where('runId', '=', runId)
      .where('subjectId', '=', subjectId)
      .execute();
  }

  /** Column files that the results of a run name, and no others do. */
  protected async ownColumns(runId: string, subjectId: string): Promise<string[]> {
    const rows = await this.session.db
      .selectFrom('analysisRunWindow as one')
      .select('one.columnsSha256 as sha256')
      .distinct()
      .where('one.runId', '=', runId)
      .where('one.subjectId', '=', subjectId)
      .where('one.columnsSha256', 'is not', null)
      .where(({ and, not, exists, selectFrom }) =>
        and([
          not(
            exists(
              selectFrom('analyticsWindow as used')
                .select('used.date')
                .whereRef('used.columnsSha256', '=', 'one.columnsSha256'),
            ),
          ),
          not(
            exists(
              selectFrom('analysisRunWindow as other')
                .select('other.date')
                .whereRef('other.columnsSha256', '=', 'one.columnsSha256')
                .where('other.runId', '!=', runId),
            ),
          ),
        ]),
      )
      .execute();
    return rows.flatMap(({ sha256 }) => sha256 ?? []);
  }

  protected async deleteRun(id: string): Promise<void> {
    await this.session.db.deleteFrom('analysisRun').where('id', '=', id).execute();
  }

  protected async deleteResults(runId: string, subjectId: string): Promise<void> {
    for (const table of Object.values(RESULT_TABLES)) {
      await this.session.db.deleteFrom(table).where('runId', '=', runId).where('subjectId', '=', subjectId).execute();
    }
  }

  /** Moves the results in use of a subject into a run. */
  protected async putAside(runId: string, subjectId: string): Promise<void> {
    for (const [table, ofRuns] of Object.entries(RESULT_TABLES) as [
      ResultTable,
      (typeof RESULT_TABLES)[ResultTable],
    ][]) {
      const columns = columnsOf(table);
      await sql`
        INSERT INTO ${sql.ref(ofRuns)} (runId, ${columns})
        SELECT ${runId}, ${columns} FROM ${sql.ref(table)} WHERE subjectId = ${subjectId}`.execute(this.session.db);
      await this.session.db.deleteFrom(table).where('subjectId', '=', subjectId).execute();
    }
  }

  /** Moves the results of a run into use. They were put into use at `nowTs`, by which exports find what changed. */
  protected async putInUse(runId: string, subjectId: string, nowTs: number): Promise<void> {
    for (const [table, ofRuns] of Object.entries(RESULT_TABLES) as [
      ResultTable,
      (typeof RESULT_TABLES)[ResultTable],
    ][]) {
      const columns = columnsOf(table);
      await sql`
        INSERT INTO ${sql.ref(table)} (${columns})
        SELECT ${columns} FROM ${sql.ref(ofRuns)} WHERE runId = ${runId} AND subjectId = ${subjectId}`.execute(
        this.session.db,
      );
      await this.session.db.updateTable(table).set({ computedTs: nowTs }).where('subjectId', '=', subjectId).execute();
    }
    await this.deleteResults(runId, subjectId);
  }

  protected async setPin(studyId: string, pinnedVersion: string | null): Promise<void> {
    await this.session.db
      .updateTable('study')
      .set({ pinnedVersion, modifiedTs: this.session.clock() })
      .where('id', '=', studyId)
      .execute();
  }

  /** Marks jobs as done whose work another one, or an adopted run, has done. */
  protected async settleJobs(ids: readonly string[], result: Record<string, unknown>): Promise<void> {
    await this.session.db
      .updateTable('job')
      .set({ state: 'done', error: null, result: JSON.stringify(result), finishedTs: this.session.clock() })
      .where('id', 'in', anyOf(ids))
      .execute();
  }
}
