/** Statements on annotations: completed tasks with their answers, and labels. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Selectable, sql } from 'kysely';
import { DAY_MS, HOUR_MS } from '../../../durations.ts';
import type { AnnotationType } from '../../../study/annotations.ts';
import type { InsertOf, PatchOf, RecordOf } from '../../columns.ts';
import { TABLES, type Tables } from '../../schema.ts';
import { comparison, type Key, type Keyset } from '../keyset.ts';
import { Queries } from '../queries.ts';
import { notFound } from '../shared.ts';
import { addTaskDay } from './task-days.ts';

const { annotation: ANNOTATION } = TABLES;

type Row = Selectable<Tables['annotation']>;
export type NewAnnotation = InsertOf<typeof ANNOTATION>;

export interface AnnotationRecord
  extends Omit<RecordOf<typeof ANNOTATION>, 'position' | 'eventId' | 'eventDisplayName' | 'relationshipId'> {
  event?: { id: string; displayName: string; type: 'activity' | 'diary' | 'question'; relationshipId?: string };
}

export interface AnnotationFilter {
  /** Inclusive, by start. */
  fromTs?: number;
  toTs?: number;
  /** Inclusive, by end. Slow without `fromTs`: see {@link AnnotationQueries.endingFrom}. */
  endFromTs?: number;
  types?: readonly AnnotationType[];
  recordingId?: string;
  /** In lower case; case and space around it do not matter. */
  displayNames?: readonly string[];
  /** The reverse of the order of `list`. Only for pages. */
  isNewestFirst?: boolean | undefined;
}

function toRecord(row: Row): AnnotationRecord {
  const { position: _, eventId, eventDisplayName = '', relationshipId, ...annotation } = ANNOTATION.toRecord(row);
  const { type } = annotation;
  if (eventId === undefined || type === 'recording' || type === 'subject') return annotation;
  return { ...annotation, event: { id: eventId, displayName: eventDisplayName, type, relationshipId } };
}

const keyOf = (row: Row): Key => [
  ...[row.startTs, row.parentId ?? row.id, row.parentId === null ? 0 : 1, row.position, row.id],
];

/** 20 columns each, far below SQLite's 32,766 parameters of a statement. */
const ROWS_PER_INSERT = 250;
/** A slice is read in a few milliseconds. */
const ROWS_PER_SLICE = 1000;

export class AnnotationQueries extends Queries {
  async get(id: string): Promise<AnnotationRecord | undefined> {
    const row = await this.session.db.selectFrom('annotation').selectAll().where('id', '=', id).executeTakeFirst();
    return row && toRecord(row);
  }

  /** @throws NOT_FOUND */
  async require(id: string): Promise<AnnotationRecord> {
    const annotation = await this.get(id);
    if (!annotation) throw notFound('annotation');
    return annotation;
  }

  /** By start, then a task before its answers in their order, then id. `from` and `to` are inclusive and go by start. */
  async list(subjectId: string, filter: AnnotationFilter = {}): Promise<AnnotationRecord[]> {
    return (await this.#inOrder(subjectId, filter).execute()).map(toRecord);
  }

  /**
   * Yields what `list` returns, in slices, and lets the event loop turn in between: an imported day of beat labels is 100,000
   * rows. Not within a transaction.
   */
  async *slices(subjectId: string, filter: AnnotationFilter = {}): AsyncGenerator<AnnotationRecord[]> {
    let after: Key | undefined;
    for (;;) {
      const rows = await this.page(subjectId, filter, { limit: ROWS_PER_SLICE, ...(after && { after }) });
      if (rows.length > 0) yield rows.map(({ record }) => record);
      if (rows.length < ROWS_PER_SLICE) return;
      after = rows.at(-1)?.key;
      await nextTurn();
    }
  }

  /** A part of what `list` returns, each with its key in that order. */
  async page(
    subjectId: string,
    filter: AnnotationFilter,
    { limit, after, isFrom = false }: Keyset,
  ): Promise<{ key: Key; record: AnnotationRecord }[]> {
    let query = this.#inOrder(subjectId, filter).limit(limit);
    if (after) {
      const isAfter = comparison(filter.isNewestFirst === true, isFrom);
      // The first condition is contained in the second, but lets the index begin there.
      query = query
        .where('startTs', filter.isNewestFirst ? '<=' : '>=', after[0] as number)
        .where(
          sql<boolean>`(startTs, coalesce(parentId, id), parentId IS NOT NULL, position, id) ${isAfter} (${sql.join(after)})`,
        );
    }
    const rows = await query.execute();
    return rows.map((row) => ({ key: keyOf(row), record: toRecord(row) }));
  }

  /** The key of one annotation in the order of `list`; undefined if the subject has none of that id. */
  async keyOf(subjectId: string, id: string): Promise<Key | undefined> {
    const row = await this.session.db
      .selectFrom('annotation')
      .selectAll()
      .where('id', '=', id)
      .where('subjectId', '=', subjectId)
      .executeTakeFirst();
    return row && keyOf(row);
  }

  /**
   * A fingerprint that changes when annotations that start in the span are added, changed or removed. Reads hour by hour and
   * yields to the event loop in between, so not within a transaction.
   */
  async stateBetween(subjectId: string, fromTs: number, toTs: number): Promise<string> {
    let count = 0;
    let stamps = 0n;
    for (let hourTs = fromTs; hourTs <= toTs; hourTs += HOUR_MS) {
      const row = await this.session.db
        .selectFrom('annotation')
        .select(({ fn }) => [fn.countAll<number>().as('count'), fn.sum<number | null>('modifiedTs').as('stamps')])
        .where('subjectId', '=', subjectId)
        .where('startTs', '>=', hourTs)
        .where('startTs', '<', Math.min(hourTs + HOUR_MS, toTs + 1))
        .executeTakeFirstOrThrow();
      count += row.count;
      stamps += BigInt(row.stamps ?? 0);
      await nextTurn();
    }
    return `${count} ${stamps}`;
  }

  /**
   * The filter for annotations that end at or after an instant. Annotations are indexed by start, so it also bounds the start: by a
   * day, or by the longest annotation of the subject where that is more.
   */
  async endingFrom(subjectId: string, endFromTs: number, fromTs = Number.NEGATIVE_INFINITY): Promise<AnnotationFilter> {
    const { longestMs } = await this.session.db
      .selectFrom('annotation')
      .select(sql<number | null>`max(stopTs - startTs)`.as('longestMs'))
      .where('subjectId', '=', subjectId)
      // The condition of the index, word for word.
      .where(sql<boolean>`stopTs - startTs > 86400000`)
      .executeTakeFirstOrThrow();
    return { endFromTs, fromTs: Math.max(fromTs, endFromTs - (longestMs ?? DAY_MS)) };
  }

  #inOrder(subjectId: string, filter: AnnotationFilter) {
    let query = this.session.db.selectFrom('annotation').selectAll().where('subjectId', '=', subjectId);
    if (filter.fromTs !== undefined) query = query.where('startTs', '>=', filter.fromTs);
    if (filter.toTs !== undefined) query = query.where('startTs', '<=', filter.toTs);
    if (filter.endFromTs !== undefined) query = query.where('stopTs', '>=', filter.endFromTs);
    if (filter.types) query = query.where('type', 'in', [...filter.types]);
    if (filter.recordingId !== undefined) query = query.where('recordingId', '=', filter.recordingId);
    if (filter.displayNames) {
      query = query.where(sql<string>`lower(trim(displayName))`, 'in', [...filter.displayNames]);
    }
    const direction = filter.isNewestFirst ? 'desc' : 'asc';
    return query
      .orderBy('startTs', direction)
      .orderBy((eb) => eb.fn.coalesce('parentId', 'id'), direction)
      .orderBy((eb) => eb('parentId', 'is not', null), direction)
      .orderBy('position', direction)
      .orderBy('id', direction);
  }

  /** How many tasks the subject reported since an instant, epoch ms. */
  async countFromSubject(subjectId: string, sinceTs: number): Promise<number> {
    const { count } = await this.session.db
      .selectFrom('annotation')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .where('subjectId', '=', subjectId)
      .where('type', 'in', ['activity', 'diary'])
      .where('authorType', '=', 'SUBJECT')
      .where('reportedTs', '>=', sinceTs)
      .executeTakeFirstOrThrow();
    return count;
  }

  /** Answers of a completed task, in order. */
  async answers(parentId: string): Promise<AnnotationRecord[]> {
    const rows = await this.session.db
      .selectFrom('annotation')
      .selectAll()
      .where('parentId', '=', parentId)
      .orderBy('position')
      .orderBy('id')
      .execute();
    return rows.map(toRecord);
  }

  /** The answers of completed tasks by the id of the task's annotation, in order; tasks without answers are left out. */
  async answersOf(
    parentIds: readonly string[],
  ): Promise<Map<string, { displayName: string; value: string | undefined }[]>> {
    const answers = new Map<string, { displayName: string; value: string | undefined }[]>();
    for (let at = 0; at < parentIds.length; at += ROWS_PER_SLICE) {
      const rows = await this.session.db
        .selectFrom('annotation')
        .select(['parentId', 'displayName', 'value'])
        .where('parentId', 'in', parentIds.slice(at, at + ROWS_PER_SLICE))
        .orderBy('parentId')
        .orderBy('position')
        .orderBy('id')
        .execute();
      for (const { parentId, displayName, value } of rows) {
        if (parentId === null) continue;
        const known = answers.get(parentId) ?? [];
        known.push({ displayName, value: value ?? undefined });
        answers.set(parentId, known);
      }
    }
    return answers;
  }

  /** Tasks that a subject began in a span, both ends inclusive. */
  async completions(
    subjectId: string,
    { fromTs, toTs }: { fromTs: number; toTs: number },
  ): Promise<{ taskId: string; startTs: number; completedTs: number }[]> {
    const rows = await this.session.db
      .selectFrom('annotation')
      .innerJoin('task', 'task.id', 'annotation.eventId')
      .select(['task.id as taskId', 'annotation.startTs', 'annotation.stopTs', 'annotation.completedTs'])
      .where('annotation.subjectId', '=', subjectId)
      .where('annotation.startTs', '>=', fromTs)
      .where('annotation.startTs', '<=', toTs)
      .where('annotation.type', 'in', ['activity', 'diary'])
      .execute();
    return rows.map(({ taskId, startTs, stopTs, completedTs }) => ({
      taskId,
      startTs,
      completedTs: completedTs ?? stopTs,
    }));
  }

  protected async insert(annotation: NewAnnotation): Promise<void> {
    await this.session.db.insertInto('annotation').values(ANNOTATION.toRow(annotation)).execute();
    const { type, subjectId, eventId, startTs } = annotation;
    const isTask = type === 'activity' || type === 'diary';
    if (isTask && eventId) await addTaskDay(this.session, { subjectId, taskId: eventId, startTs });
  }

  /** Inserts labels whose id is not stored yet and returns their ids. */
  protected async insertNew(annotations: readonly NewAnnotation[]): Promise<Set<string>> {
    const inserted = new Set<string>();
    for (let start = 0; start < annotations.length; start += ROWS_PER_INSERT) {
      const rows = await this.session.db
        .insertInto('annotation')
        .values(annotations.slice(start, start + ROWS_PER_INSERT).map(ANNOTATION.toRow))
        .onConflict((conflict) => conflict.column('id').doNothing())
        .returning('id')
        .execute();
      for (const { id } of rows) inserted.add(id);
    }
    return inserted;
  }

  /** For labels: what a subject did stays as it was reported. */
  protected async patch(id: string, fields: PatchOf<typeof ANNOTATION>): Promise<void> {
    await this.session.db.updateTable('annotation').set(ANNOTATION.toRow(fields)).where('id', '=', id).execute();
  }

  /** For labels. */
  protected async delete(id: string): Promise<void> {
    await this.session.db.deleteFrom('annotation').where('id', '=', id).execute();
  }
}
