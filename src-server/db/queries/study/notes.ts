/** Statements on notes and calls of staff. Their rules are in `study/notes.ts`. */
import { type SelectQueryBuilder, sql } from 'kysely';
import { personName } from '../../../study/person-name.ts';
import type { NoteKind } from '../../../vocabulary/notes.ts';
import type { InsertOf, PatchOf, RecordOf } from '../../columns.ts';
import { TABLES, type Tables } from '../../schema.ts';
import { inPages, type Keyset } from '../keyset.ts';
import { Queries } from '../queries.ts';
import { anyOf, notFound } from '../shared.ts';

const { note: NOTE, noteVersion: VERSION } = TABLES;

export type NoteRecord = RecordOf<typeof NOTE>;
export type NoteVersionRecord = RecordOf<typeof VERSION>;

/** Notes of a subject, or of a study: with `isOfStudy` only those about no subject. */
export interface NoteFilter {
  studyId: string;
  subjectId?: string | undefined;
  isOfStudy?: boolean | undefined;
  kind?: NoteKind | undefined;
}

export interface FollowUpFilter {
  studyId: string;
  subjectId?: string | undefined;
  assigneeId?: string | undefined;
}

const SLICE = 500;

/** Exactly the condition of the indexes of open follow-ups: with bound values SQLite would not use them. */
const isOpen = sql<boolean>`note.followUpDate IS NOT NULL AND note.followUpDoneTs IS NULL AND note.withdrawnTs IS NULL`;

export class NoteQueries extends Queries {
  async get(id: string): Promise<NoteRecord | undefined> {
    const row = await this.session.db.selectFrom('note').selectAll().where('id', '=', id).executeTakeFirst();
    return row && NOTE.toRecord(row);
  }

  /** @throws NOT_FOUND */
  async require(id: string, studyId: string): Promise<NoteRecord> {
    const note = await this.get(id);
    if (note?.studyId !== studyId) throw notFound('note');
    return note;
  }

  /** A page of notes by time, then id; withdrawn ones too. */
  async page(
    { studyId, subjectId, isOfStudy, kind }: NoteFilter,
    keyset: Keyset | undefined,
    isDescending = false,
  ): Promise<NoteRecord[]> {
    let query = this.session.db.selectFrom('note').selectAll();
    query = subjectId === undefined ? query.where('studyId', '=', studyId) : query.where('subjectId', '=', subjectId);
    if (isOfStudy) query = query.where('subjectId', 'is', null);
    if (kind !== undefined) query = query.where('kind', '=', kind);
    return (await inPages(query, ['createdTs', 'id'], { keyset, isDescending }).execute()).map(NOTE.toRecord);
  }

  /** A page of the follow-ups that are not done, by their date, then id. */
  async openFollowUps(
    { studyId, subjectId, assigneeId }: FollowUpFilter,
    keyset: Keyset | undefined,
  ): Promise<NoteRecord[]> {
    let query = this.session.db.selectFrom('note').selectAll().where(isOpen);
    query = subjectId === undefined ? query.where('studyId', '=', studyId) : query.where('subjectId', '=', subjectId);
    if (assigneeId !== undefined) query = query.where('assigneeId', '=', assigneeId);
    return (await inPages(query, ['followUpDate', 'id'], { keyset }).execute()).map(NOTE.toRecord);
  }

  /** Follow-ups of studies that are due on or before a date, with the name of whom they are assigned to. */
  async dueFollowUps(studyIds: readonly string[], date: string): Promise<(NoteRecord & { assigneeName?: string })[]> {
    const rows = await this.session.db
      .selectFrom('note')
      .leftJoin('user', 'user.id', 'note.assigneeId')
      .selectAll('note')
      .select(['user.firstName', 'user.lastName'])
      .where(isOpen)
      .where('studyId', 'in', anyOf(studyIds))
      .where('followUpDate', '<=', date)
      .orderBy('followUpDate')
      .orderBy('note.id')
      .execute();
    return rows.map(({ firstName, lastName, ...row }) => ({
      ...NOTE.toRecord(row),
      ...(firstName !== null && lastName !== null && { assigneeName: personName({ firstName, lastName }) }),
    }));
  }

  /** How many follow-ups of a study or subject are not done, and how many of them were due before a date. */
  async countFollowUps(place: { studyId: string; subjectId?: string | undefined }, date: string) {
    let query: SelectQueryBuilder<Tables, 'note', object> = this.session.db.selectFrom('note').where(isOpen);
    query =
      place.subjectId === undefined
        ? query.where('studyId', '=', place.studyId)
        : query.where('subjectId', '=', place.subjectId);
    return await query
      .select(({ fn }) => [
        fn.countAll<number>().as('open'),
        fn.coalesce(sql<number>`sum(note.followUpDate <= ${date})`, sql<number>`0`).as('due'),
      ])
      .executeTakeFirstOrThrow();
  }

  /** What edits of notes replaced, by note, oldest first. */
  async versionsOf(ids: readonly string[]): Promise<Map<string, NoteVersionRecord[]>> {
    const rows = await this.session.db
      .selectFrom('noteVersion')
      .selectAll()
      .where('noteId', 'in', anyOf(ids))
      .orderBy('noteId')
      .orderBy('version')
      .execute();
    return Map.groupBy(rows.map(VERSION.toRecord), ({ noteId }) => noteId);
  }

  /** All notes of a subject, or of a study about no subject, in slices by id: for exports. */
  async *slices(place: { studyId: string; subjectId?: string }): AsyncGenerator<NoteRecord[]> {
    let after = '';
    for (;;) {
      let query = this.session.db.selectFrom('note').selectAll().where('id', '>', after);
      query =
        place.subjectId === undefined
          ? query.where('studyId', '=', place.studyId).where('subjectId', 'is', null)
          : query.where('subjectId', '=', place.subjectId);
      const rows = await query.orderBy('id').limit(SLICE).execute();
      if (rows.length > 0) yield rows.map(NOTE.toRecord);
      if (rows.length < SLICE) return;
      after = rows.at(-1)!.id;
    }
  }

  protected async insert(note: InsertOf<typeof NOTE>): Promise<void> {
    await this.session.db.insertInto('note').values(NOTE.toRow(note)).execute();
  }

  protected async insertVersion(version: InsertOf<typeof VERSION>): Promise<void> {
    await this.session.db.insertInto('noteVersion').values(VERSION.toRow(version)).execute();
  }

  protected async patch(id: string, fields: PatchOf<typeof NOTE>): Promise<void> {
    await this.session.db.updateTable('note').set(NOTE.toRow(fields)).where('id', '=', id).execute();
  }
}
