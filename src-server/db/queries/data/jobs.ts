/** Statements on the rows of the durable queue; the queue itself is in `jobs/`. */
import { type Selectable, sql } from 'kysely';
import { latestEnd } from '../../../clock-rules.ts';
import { HOUR_MS } from '../../../durations.ts';
import type { SerializedError } from '../../../errors.ts';
import type { JobKind, JobPayloads, JobProgress, JobRow, JobState } from '../../../study/jobs.ts';
import type { InsertOf } from '../../columns.ts';
import { TABLES, type Tables } from '../../schema.ts';
import { inPages, type Key } from '../keyset.ts';
import { Queries } from '../queries.ts';
import { absent, anyOf, parseJson } from '../shared.ts';

const { job: JOB } = TABLES;

/** No job is delayed for this long; one that seems to be was scheduled while the clock was ahead. */
const LONGEST_WAIT_MS = HOUR_MS;

type Row = Selectable<Tables['job']>;

function toRecord({ studyId: _studyId, subjectId: _subjectId, ...row }: Row): JobRow {
  return JOB.toRecord(row);
}

export class JobQueries extends Queries {
  async get(id: string): Promise<JobRow | undefined> {
    const row = await this.session.db.selectFrom('job').selectAll().where('id', '=', id).executeTakeFirst();
    return row && toRecord(row);
  }

  /** Newest first. */
  async list(filter: {
    studyIds?: readonly string[];
    /** With `studyIds`: those of the whole site too. */
    withSiteJobs?: boolean;
    states?: readonly JobState[];
    kind?: JobKind;
    limit: number;
    /** Time and id of the job before the first one wanted. */
    after?: Key | undefined;
  }): Promise<JobRow[]> {
    let query = this.session.db.selectFrom('job').selectAll();
    const { studyIds, withSiteJobs, states, kind } = filter;
    const isByStudy = studyIds !== undefined && !states && !kind;
    if (studyIds && !isByStudy) {
      query = query.where((eb) => {
        const ofStudies = eb('studyId', 'in', anyOf(studyIds));
        return withSiteJobs ? eb.or([ofStudies, eb('studyId', 'is', null)]) : ofStudies;
      });
    }
    if (kind) query = query.where('kind', '=', kind);
    const { limit, after } = filter;
    const keyset = { limit, ...(after && { after }) };
    // One bounded read per state or study, each from an index in this order: few of all jobs wait or have failed.
    let parts = states ? states.map((state) => query.where('state', '=', state)) : [query];
    if (isByStudy) {
      parts = studyIds.map((studyId) => query.where('studyId', '=', studyId));
      if (withSiteJobs) parts.push(query.where('studyId', 'is', null));
    }
    const rows = [];
    for (const part of parts)
      rows.push(...(await inPages(part, ['createdTs', 'id'], { keyset, isDescending: true }).execute()));
    if (parts.length > 1) rows.sort((a, b) => b.createdTs - a.createdTs || (a.id < b.id ? 1 : -1));
    return rows.slice(0, limit).map(toRecord);
  }

  /** Marks the oldest due queued job of a kind as running (attempts + 1) and returns it. */
  async takeNext(kind: JobKind, nowTs: number): Promise<JobRow | undefined> {
    const row = await this.#start(nowTs)
      .where('id', '=', this.#due(kind, nowTs, 1).select('id'))
      .executeTakeFirst();
    return row && toRecord(row);
  }

  /** The due queued jobs of a kind that have waited longest, or with `isLatest` those that came last, in this order. */
  async waiting(
    kind: JobKind,
    nowTs: number,
    limit: number,
    isLatest = false,
  ): Promise<Pick<JobRow, 'id' | 'payload'>[]> {
    const rows = await this.#due(kind, nowTs, limit, isLatest).select(['id', 'payload']).execute();
    if (isLatest) rows.reverse();
    return rows.map((row) => JOB.toRecord(row));
  }

  /** Marks a queued job as running (attempts + 1) and returns it; undefined when it is no longer queued. */
  async take(id: string, nowTs: number): Promise<JobRow | undefined> {
    const row = await this.#start(nowTs).where('id', '=', id).where('state', '=', 'queued').executeTakeFirst();
    return row && toRecord(row);
  }

  #due(kind: JobKind, nowTs: number, limit: number, isLatest = false) {
    return (
      this.session.db
        .selectFrom('job')
        .where('kind', '=', kind)
        // Not a bound value: only so does SQLite use the index of waiting jobs alone.
        .where(sql<boolean>`state = 'queued'`)
        .where((due) =>
          due.or([due('runAfterTs', '<=', nowTs), due('runAfterTs', '>', latestEnd(LONGEST_WAIT_MS, nowTs))]),
        )
        .orderBy('runAfterTs', isLatest ? 'desc' : 'asc')
        .orderBy('id', isLatest ? 'desc' : 'asc')
        .limit(limit)
    );
  }

  #start(nowTs: number) {
    return this.session.db
      .updateTable('job')
      .set((eb) => ({ state: 'running', attempts: eb('attempts', '+', 1), startedTs: nowTs }))
      .returningAll();
  }

  /**
   * Queues again what was running when the site ended. A job that was running at `maxAttempts` such ends may be their cause, so
   * it is parked; otherwise it could end the site at every start.
   */
  async requeueRunning(nowTs: number, maxAttempts: number): Promise<void> {
    const error: SerializedError = {
      code: 'INTERNAL',
      message: `The site ended ${maxAttempts} times while this job ran, so it was set aside. Other jobs continue.`,
    };
    await this.session.db
      .updateTable('job')
      .set({ state: 'parked', finishedTs: nowTs, error: JSON.stringify(error) })
      .where('state', '=', 'running')
      .where('attempts', '>=', maxAttempts)
      .execute();
    await this.session.db
      .updateTable('job')
      .set({ state: 'queued', runAfterTs: nowTs })
      .where('state', '=', 'running')
      .execute();
  }

  async requeue(
    id: string,
    change: { runAfterTs: number; crashCount?: number; attempts?: number; error?: SerializedError },
  ): Promise<JobRow | undefined> {
    const row = await this.session.db
      .updateTable('job')
      .set({
        state: 'queued',
        runAfterTs: change.runAfterTs,
        ...(change.crashCount !== undefined && { crashCount: change.crashCount }),
        ...(change.attempts !== undefined && { attempts: change.attempts }),
        ...(change.error && { error: JSON.stringify(change.error) }),
      })
      .where('id', '=', id)
      .returningAll()
      .executeTakeFirst();
    return row && toRecord(row);
  }

  async finish(
    id: string,
    end: { state: JobState; result?: Record<string, unknown>; error?: SerializedError; crashCount?: number },
    nowTs: number,
  ): Promise<JobRow | undefined> {
    const row = await this.session.db
      .updateTable('job')
      .set({
        state: end.state,
        finishedTs: nowTs,
        result: end.result ? JSON.stringify(end.result) : null,
        error: end.error ? JSON.stringify(end.error) : null,
        ...(end.crashCount !== undefined && { crashCount: end.crashCount }),
      })
      .where('id', '=', id)
      .returningAll()
      .executeTakeFirst();
    return row && toRecord(row);
  }

  /** Ends a job that has not begun; undefined when it runs or has ended. */
  async finishUnlessRunning(id: string, state: JobState, nowTs: number): Promise<JobRow | undefined> {
    const row = await this.session.db
      .updateTable('job')
      .set({ state, finishedTs: nowTs })
      .where('id', '=', id)
      .where('state', 'in', ['queued', 'parked'])
      .returningAll()
      .executeTakeFirst();
    return row && toRecord(row);
  }

  async setProgress(id: string, progress: JobProgress): Promise<void> {
    await this.session.db
      .updateTable('job')
      .set({ progress: JSON.stringify(progress) })
      .where('id', '=', id)
      .execute();
  }

  async setCheckpoint(id: string, checkpoint: Record<string, unknown>): Promise<void> {
    await this.session.db
      .updateTable('job')
      .set({ checkpoint: JSON.stringify(checkpoint) })
      .where('id', '=', id)
      .execute();
  }

  /** Such as `import failed`. */
  async countByKindAndState(): Promise<Record<string, number>> {
    const rows = await this.session.db
      .selectFrom('jobCount')
      .selectAll()
      .where('count', '>', 0)
      .orderBy('kind')
      .orderBy('state')
      .execute();
    return Object.fromEntries(rows.map(({ kind, state, count }) => [`${kind} ${state}`, count]));
  }

  /** Queued and running jobs. */
  async countWaiting(): Promise<number> {
    const { count } = await this.session.db
      .selectFrom('job')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .where('state', 'in', ['queued', 'running'])
      .executeTakeFirstOrThrow();
    return count;
  }

  /** When the next of the queued jobs that are not due yet at `nowTs` becomes due. */
  async nextDue(nowTs: number): Promise<number | undefined> {
    const row = await this.session.db
      .selectFrom('job')
      .select('runAfterTs')
      .where('state', '=', 'queued')
      .where('runAfterTs', '>', nowTs)
      .orderBy('runAfterTs')
      .limit(1)
      .executeTakeFirst();
    return row?.runAfterTs;
  }

  /** Imports, ended or not, whose payload names a folder of the inbox by its random name. */
  async importsFrom(folder: string): Promise<JobRow[]> {
    const rows = await this.session.db
      .selectFrom('job')
      .selectAll()
      .where('kind', '=', 'import')
      .where((eb) => eb(eb.fn<number>('instr', ['payload', eb.val(folder)]), '>', 0))
      .execute();
    return rows.map(toRecord);
  }

  /** Jobs that have not ended: what they name in payload or checkpoint (files in the inbox, ids begun) is theirs. */
  async unfinished(): Promise<JobRow[]> {
    const rows = await this.session.db
      .selectFrom('job')
      .selectAll()
      .where('state', 'in', ['queued', 'running', 'parked'])
      .orderBy('id')
      .execute();
    return rows.map(toRecord);
  }

  protected async insert(job: InsertOf<typeof JOB>): Promise<JobRow> {
    const row = await this.session.db.insertInto('job').values(JOB.toRow(job)).returningAll().executeTakeFirstOrThrow();
    return toRecord(row);
  }

  /** Queued analyses of a subject that never crashed, oldest first. */
  protected async queuedAnalyses(subjectId: string): Promise<{ id: string; payload: JobPayloads['analyse'] }[]> {
    const rows = await this.session.db
      .selectFrom('job')
      .select(['id', 'payload'])
      .where('kind', '=', 'analyse')
      .where('state', '=', 'queued')
      .where('subjectId', '=', subjectId)
      .where('crashCount', '=', 0)
      .orderBy('id')
      .execute();
    return rows.map(({ id, payload }) => ({ id, payload: parseJson<JobPayloads['analyse']>(payload) }));
  }

  protected async setPayload(id: string, payload: JobPayloads[JobKind]): Promise<JobRow> {
    const row = await this.session.db
      .updateTable('job')
      .set(JOB.toRow({ payload }))
      .where('id', '=', id)
      .returningAll()
      .executeTakeFirstOrThrow();
    return toRecord(row);
  }

  /** Queues a parked job of any kind, or a failed or cancelled one of the kinds given, as if it had never run. */
  protected async reset(
    id: string,
    repeatable: readonly JobKind[],
  ): Promise<{ job: JobRow; studyId?: string; subjectId?: string } | undefined> {
    const row = await this.session.db
      .updateTable('job')
      .set({
        state: 'queued',
        attempts: 0,
        crashCount: 0,
        error: null,
        progress: null,
        finishedTs: null,
        runAfterTs: this.session.clock(),
      })
      .where('id', '=', id)
      .where((eb) =>
        eb.or([
          eb('state', '=', 'parked'),
          eb('state', 'in', ['failed', 'cancelled']).and('kind', 'in', [...repeatable]),
        ]),
      )
      .returningAll()
      .executeTakeFirst();
    return row && { job: toRecord(row), studyId: absent(row.studyId), subjectId: absent(row.subjectId) };
  }
}
