/** Statements on data queries and their steps. Their rules are in `study/queries.ts`. */
import { sql } from 'kysely';
import type { QueryState, QueryTarget } from '../../../vocabulary/queries.ts';
import type { InsertOf, PatchOf, RecordOf } from '../../columns.ts';
import { TABLES } from '../../schema.ts';
import { inPages, type Keyset } from '../keyset.ts';
import { Queries } from '../queries.ts';
import { anyOf, notFound } from '../shared.ts';

const { dataQuery: QUERY, dataQueryStep: STEP } = TABLES;

export type DataQueryRecord = RecordOf<typeof QUERY>;
export type DataQueryStepRecord = RecordOf<typeof STEP>;

export interface DataQueryFilter {
  studyId: string;
  subjectId?: string | undefined;
  assigneeId?: string | undefined;
  state?: QueryState | undefined;
  target?: QueryTarget | undefined;
  targetId?: string | undefined;
  date?: string | undefined;
}

/** What is not resolved of a subject. */
export interface DataQueryCount {
  studyId: string;
  subjectId: string;
  open: number;
  answered: number;
  /** When the oldest of them was opened. */
  oldestTs: number;
}

/** Exactly the condition of the index: with a bound value SQLite would not use it. */
const isUnresolved = sql<boolean>`state <> 'RESOLVED'`;

export class DataQueries extends Queries {
  async get(id: string): Promise<DataQueryRecord | undefined> {
    const row = await this.session.db.selectFrom('dataQuery').selectAll().where('id', '=', id).executeTakeFirst();
    return row && QUERY.toRecord(row);
  }

  /** @throws NOT_FOUND */
  async require(id: string, studyId: string): Promise<DataQueryRecord> {
    const query = await this.get(id);
    if (query?.studyId !== studyId) throw notFound('query');
    return query;
  }

  async step(id: string): Promise<DataQueryStepRecord | undefined> {
    const row = await this.session.db.selectFrom('dataQueryStep').selectAll().where('id', '=', id).executeTakeFirst();
    return row && STEP.toRecord(row);
  }

  /** Steps by query, in their order. */
  async stepsOf(ids: readonly string[]): Promise<Map<string, DataQueryStepRecord[]>> {
    const rows = await this.session.db
      .selectFrom('dataQueryStep')
      .selectAll()
      .where('queryId', 'in', anyOf(ids))
      .orderBy('queryId')
      .orderBy('position')
      .execute();
    return Map.groupBy(rows.map(STEP.toRecord), ({ queryId }) => queryId);
  }

  /** A page by the time of opening, then id. */
  async page(
    { studyId, subjectId, ...filter }: DataQueryFilter,
    keyset: Keyset | undefined,
    isDescending = false,
  ): Promise<DataQueryRecord[]> {
    let query = this.session.db.selectFrom('dataQuery').selectAll();
    if (subjectId === undefined || filter.assigneeId !== undefined) query = query.where('studyId', '=', studyId);
    if (subjectId !== undefined) query = query.where('subjectId', '=', subjectId);
    for (const name of ['assigneeId', 'state', 'target', 'targetId', 'date'] as const) {
      const value = filter[name];
      if (value !== undefined) query = query.where(name, '=', value as never);
    }
    return (await inPages(query, ['openedTs', 'id'], { keyset, isDescending }).execute()).map(QUERY.toRecord);
  }

  /** Open and answered queries of each subject that has any, by study and subject. */
  async counts(studyIds: readonly string[]): Promise<DataQueryCount[]> {
    return await this.session.db
      .selectFrom('dataQuery')
      .select(({ fn }) => [
        'studyId',
        'subjectId',
        sql<number>`sum(state = 'OPEN')`.as('open'),
        sql<number>`sum(state = 'ANSWERED')`.as('answered'),
        fn.min('openedTs').as('oldestTs'),
      ])
      .where(isUnresolved)
      .where('studyId', 'in', anyOf(studyIds))
      .groupBy(['studyId', 'subjectId'])
      .orderBy('studyId')
      .orderBy('subjectId')
      .execute();
  }

  /** What is not resolved in studies, the oldest first: for those whom it concerns. */
  async unresolved(studyIds: readonly string[]): Promise<DataQueryRecord[]> {
    const rows = await this.session.db
      .selectFrom('dataQuery')
      .selectAll()
      .where(isUnresolved)
      .where('studyId', 'in', anyOf(studyIds))
      .orderBy('openedTs')
      .orderBy('id')
      .execute();
    return rows.map(QUERY.toRecord);
  }

  /** All queries of a subject, by the time of opening: for exports. */
  async ofSubject(subjectId: string): Promise<DataQueryRecord[]> {
    const rows = await this.session.db
      .selectFrom('dataQuery')
      .selectAll()
      .where('subjectId', '=', subjectId)
      .orderBy('openedTs')
      .orderBy('id')
      .execute();
    return rows.map(QUERY.toRecord);
  }

  protected async insert(query: InsertOf<typeof QUERY>): Promise<void> {
    await this.session.db.insertInto('dataQuery').values(QUERY.toRow(query)).execute();
  }

  protected async insertStep(step: Omit<InsertOf<typeof STEP>, 'position'>): Promise<void> {
    const { last } = await this.session.db
      .selectFrom('dataQueryStep')
      .select(sql<number | null>`max(position)`.as('last'))
      .where('queryId', '=', step.queryId)
      .executeTakeFirstOrThrow();
    await this.session.db
      .insertInto('dataQueryStep')
      .values(STEP.toRow({ ...step, position: (last ?? 0) + 1 }))
      .execute();
  }

  protected async patch(id: string, fields: PatchOf<typeof QUERY>): Promise<void> {
    await this.session.db.updateTable('dataQuery').set(QUERY.toRow(fields)).where('id', '=', id).execute();
  }
}
