import type { Selectable } from 'kysely';
import { latestEnd } from '../../../clock-rules.ts';
import type { SerializedError } from '../../../errors.ts';
import type { JobKind, JobPayloads, JobProgress, JobRow, JobState } from '../../../study/jobs.ts';
import type { Tables } from '../../schema.ts';
import { type Change, changesFromNothing } from '../../session.ts';
import { Queries } from '../queries.ts';
import { absent, anyOf, parseJson, parseOptionalJson } from '../shared.ts';

/** Windows are a day long, so nearly every window of a gap this short is computed anyway. */
const WIDEN_GAP_MS = 24 * 3_600_000;
/** No job is delayed for this long: one that seems to be was scheduled while the clock was ahead. */
const LONGEST_WAIT_MS = 3_600_000;

type Row = Selectable<Tables['job']>;

function toRow(row: Row): JobRow {
  return {
    id: row.id,
    kind: row.kind as JobKind,
    state: row.state as JobState,
    payload: parseJson<JobPayloads[JobKind]>(row.payload),
    progress: parseOptionalJson<JobProgress>(row.progress),
    checkpoint: parseOptionalJson<Record<string, unknown>>(row.checkpoint),
    result: parseOptionalJson<Record<string, unknown>>(row.result),
    error: parseOptionalJson<SerializedError>(row.error),
    attempts: row.attempts,
    crashCount: row.crashCount,
    createdTs: row.createdTs,
    startedTs: absent(row.startedTs),
    finishedTs: absent(row.finishedTs),
    runAfterTs: row.runAfterTs,
  };
}

/** The rows of the durable queue; the queue itself is in jobs/. */
export class Jobs extends Queries {
  async add<K extends JobKind>(
    input: { id?: string; kind: K; payload: JobPayloads[K]; runAfterTs?: number },
    change: Change,
  ): Promise<JobRow> {
    return await this.session.write(async (session) => {
      const now = session.clock();
      const payload: { studyId?: string; subjectId?: string } = input.payload;
      const id = input.id ?? session.newId();
      const place = { studyId: payload.studyId, subjectId: payload.subjectId };
      await session.db
        .insertInto('job')
        .values({
          id,
          kind: input.kind,
          state: 'queued',
          studyId: place.studyId ?? null,
          subjectId: place.subjectId ?? null,
          payload: JSON.stringify(input.payload),
          progress: null,
          checkpoint: null,
          result: null,
          error: null,
          runAfterTs: input.runAfterTs ?? now,
          createdTs: now,
          startedTs: null,
          finishedTs: null,
        })
        .execute();
      await session.audit(change, {
        action: 'job.add',
        entityType: 'job',
        entityId: id,
        ...place,
        changes: changesFromNothing({ kind: input.kind }),
      });
      return (await new Jobs(session).get(id)) as JobRow;
    });
  }

  /** Adds a job. An analysis widens one of the same subject that still waits: data often comes in several pieces. */
  async queue<K extends JobKind>(kind: K, payload: JobPayloads[K], change: Change): Promise<JobRow> {
    return await this.session.write(async (session) => {
      const jobs = new Jobs(session);
      const waiting = kind === 'analyse' && (await jobs.#widenQueued(payload as JobPayloads['analyse']));
      return waiting || (await jobs.add({ kind, payload }, change));
    });
  }

  async get(id: string): Promise<JobRow | undefined> {
    const row = await this.session.db.selectFrom('job').selectAll().where('id', '=', id).executeTakeFirst();
    return row && toRow(row);
  }

  /** Newest first. */
  async list(filter: {
    studyIds?: readonly string[];
    /** With `studyIds`: those of the whole site too. */
    withSiteJobs?: boolean;
    states?: readonly JobState[];
    kind?: JobKind;
    limit: number;
  }): Promise<JobRow[]> {
    let query = this.session.db.selectFrom('job').selectAll();
    const { studyIds, withSiteJobs } = filter;
    if (studyIds) {
      query = query.where((eb) => {
        const ofStudies = eb('studyId', 'in', anyOf(studyIds));
        return withSiteJobs ? eb.or([ofStudies, eb('studyId', 'is', null)]) : ofStudies;
      });
    }
    if (filter.states) query = query.where('state', 'in', [...filter.states]);
    if (filter.kind) query = query.where('kind', '=', filter.kind);
    const rows = await query.orderBy('createdTs', 'desc').orderBy('id', 'desc').limit(filter.limit).execute();
    return rows.map(toRow);
  }

  /**
   * Widens a waiting analysis of the same subject by a span that touches or nearly touches its own, so that data in
   * several pieces is computed once; undefined when none waits. Spans far apart stay apart, as all between would be
   * computed too; so does a job that has crashed, as it would take the new data along.
   */
  async #widenQueued(payload: JobPayloads['analyse']): Promise<JobRow | undefined> {
    return await this.session.write(async (session) => {
      const rows = await session.db
        .selectFrom('job')
        .selectAll()
        .where('kind', '=', 'analyse')
        .where('state', '=', 'queued')
        .where('subjectId', '=', payload.subjectId)
        .where('crashCount', '=', 0)
        .orderBy('id')
        .execute();
      for (const { id, payload: text } of rows) {
        const waiting = parseJson<JobPayloads['analyse']>(text);
        const gapMs = Math.max(payload.fromMs - waiting.toMs, waiting.fromMs - payload.toMs);
        if (gapMs > WIDEN_GAP_MS) continue;
        const wider = {
          ...waiting,
          fromMs: Math.min(waiting.fromMs, payload.fromMs),
          toMs: Math.max(waiting.toMs, payload.toMs),
          recordingIds: [...new Set([...waiting.recordingIds, ...payload.recordingIds])],
        };
        const row = await session.db
          .updateTable('job')
          .set({ payload: JSON.stringify(wider) })
          .where('id', '=', id)
          .returningAll()
          .executeTakeFirstOrThrow();
        return toRow(row);
      }
      return undefined;
    });
  }

  /** Marks the oldest due queued job of a kind as running (attempts + 1) and returns it. */
  async takeNext(kind: JobKind, nowTs: number): Promise<JobRow | undefined> {
    const row = await this.session.db
      .updateTable('job')
      .set((eb) => ({ state: 'running', attempts: eb('attempts', '+', 1), startedTs: nowTs }))
      .where('id', '=', (eb) =>
        eb
          .selectFrom('job')
          .select('id')
          .where('kind', '=', kind)
          .where('state', '=', 'queued')
          .where((due) =>
            due.or([due('runAfterTs', '<=', nowTs), due('runAfterTs', '>', latestEnd(LONGEST_WAIT_MS, nowTs))]),
          )
          .orderBy('runAfterTs')
          .orderBy('id')
          .limit(1),
      )
      .returningAll()
      .executeTakeFirst();
    return row && toRow(row);
  }

  /**
   * Puts what was running when the site ended back into the queue. A job that was running at `maxAttempts` such ends may be
   * their cause, so it is parked: otherwise the site would end with it at every start.
   */
  async requeueRunning(nowTs: number, maxAttempts: number): Promise<void> {
    const error: SerializedError = {
      code: 'INTERNAL',
      message: `The site ended ${maxAttempts} times while this job ran, so it was set aside. Other jobs go on.`,
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
    return row && toRow(row);
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
    return row && toRow(row);
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
    return row && toRow(row);
  }

  /**
   * Lets a parked job of any kind, or a failed or cancelled one of the kinds given, wait again as if it had never been
   * tried. Undefined when it is none of these.
   */
  async retry(id: string, repeatable: readonly JobKind[], change: Change): Promise<JobRow | undefined> {
    return await this.session.write(async (session) => {
      const row = await session.db
        .updateTable('job')
        .set({
          state: 'queued',
          attempts: 0,
          crashCount: 0,
          error: null,
          progress: null,
          finishedTs: null,
          runAfterTs: session.clock(),
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
      if (!row) return undefined;
      await session.audit(change, {
        action: 'job.retry',
        entityType: 'job',
        entityId: id,
        studyId: absent(row.studyId),
        subjectId: absent(row.subjectId),
        changes: changesFromNothing({ kind: row.kind }),
      });
      return toRow(row);
    });
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
      .selectFrom('job')
      .select(['kind', 'state', ({ fn }) => fn.countAll<number>().as('count')])
      .groupBy(['kind', 'state'])
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
    return rows.map(toRow);
  }

  /** Jobs that have not ended: what they name in payload or checkpoint (files in the inbox, ids begun) is theirs. */
  async unfinished(): Promise<JobRow[]> {
    const rows = await this.session.db
      .selectFrom('job')
      .selectAll()
      .where('state', 'in', ['queued', 'running', 'parked'])
      .orderBy('id')
      .execute();
    return rows.map(toRow);
  }
}
