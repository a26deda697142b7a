/**
 * Statements on erasures: the orders, what is left to recognise an erased person's data by, and the removal of all that is theirs.
 * The rules are in `services/erasures.ts`.
 */
import { sql } from 'kysely';
import { sha256Hex } from '../../../files/content-hash.ts';
import type { InsertOf, PatchOf, RecordOf } from '../../columns.ts';
import { TABLES } from '../../schema.ts';
import { Queries } from '../queries.ts';
import { anyOf } from '../shared.ts';
import {
  digestOf,
  emptyAudit,
  findPersonAudit,
  isFilterFor,
  mentionsName,
  type PersonWords,
  personNames,
} from './person-audit.ts';
import {
  deletePersonRows,
  markOf,
  type PersonRows,
  type PersonWear,
  personExports,
  personIds,
  personMarks,
  personRows,
} from './person-rows.ts';

const { erasure: ERASURE } = TABLES;

export type ErasureRecord = RecordOf<typeof ERASURE>;

/** By what a site recognises the data of an erased person. */
export interface ErasureTraces {
  marks: string[];
  wears: PersonWear[];
}

/** What an erasure removes. */
export interface ErasureCounts {
  recordings: number;
  recordingBytes: number;
  uploads: number;
  days: number;
  annotations: number;
  messages: number;
  signatures: number;
  devices: number;
  /** Exports whose file holds the person. */
  exports: number;
}

/** The name under which a list of erasures, and their entry in the trail, knows a subject. */
export const subjectHash = (subjectId: string): string => sha256Hex(subjectId);

/** In place of a text about others that named the person. */
const ERASED_TEXT = '[erased]';

export class ErasureQueries extends Queries {
  async get(id: string): Promise<ErasureRecord | undefined> {
    const row = await this.session.db.selectFrom('erasure').selectAll().where('id', '=', id).executeTakeFirst();
    return row && ERASURE.toRecord(row);
  }

  /** In order. */
  async list(): Promise<ErasureRecord[]> {
    const rows = await this.session.db.selectFrom('erasure').selectAll().orderBy('requestedTs').orderBy('id').execute();
    return rows.map((row) => ERASURE.toRecord(row));
  }

  async unfinished(): Promise<ErasureRecord[]> {
    return (await this.list()).filter(({ finishedTs }) => finishedTs === undefined);
  }

  async ofSubject(subjectId: string): Promise<ErasureRecord | undefined> {
    const sha256 = subjectHash(subjectId);
    return (await this.list()).find(({ subjectSha256 }) => subjectSha256 === sha256);
  }

  /** The subject of this hash, if there is one in the database. */
  async subjectWithHash(sha256: string): Promise<{ id: string; studyId: string } | undefined> {
    const rows = await this.session.db.selectFrom('subject').select(['id', 'studyId']).execute();
    return rows.find(({ id }) => subjectHash(id) === sha256);
  }

  async traces(erasureId: string): Promise<ErasureTraces> {
    const { db } = this.session;
    const marks = await db.selectFrom('erasedMark').select('sha256').where('erasureId', '=', erasureId).execute();
    const wears = await db
      .selectFrom('erasedWear')
      .select(['equipmentId', 'fromTs', 'toTs'])
      .where('erasureId', '=', erasureId)
      .orderBy('equipmentId')
      .orderBy('fromTs')
      .execute();
    return { marks: marks.map(({ sha256 }) => sha256).sort(), wears };
  }

  /** Whether any of these marks is of an erased person. */
  async isErased(marks: readonly string[]): Promise<boolean> {
    const row = await this.session.db
      .selectFrom('erasedMark')
      .select('sha256')
      .where('sha256', 'in', anyOf(marks))
      .limit(1)
      .executeTakeFirst();
    return row !== undefined;
  }

  /**
   * Which of these recordings are of an erased person: known by an id or a content, or made by a sensor while the person wore it and
   * nobody of today's subjects.
   * @param recordings `startMs` by the best clock, epoch ms
   */
  async erasedAmong(
    recordings: readonly { recordingId: string; sensorId: string; startMs: number; contents?: readonly string[] }[],
  ): Promise<Set<string>> {
    const { db } = this.session;
    const sensors = anyOf([...new Set(recordings.map(({ sensorId }) => sensorId))]);
    const wears = await db.selectFrom('erasedWear').selectAll().where('equipmentId', 'in', sensors).execute();
    const holdings = await db
      .selectFrom('equipmentAssignment')
      .select(['equipmentId', 'assignedTs', 'unassignedTs'])
      .where('equipmentId', 'in', anyOf(wears.map(({ equipmentId }) => equipmentId)))
      .execute();
    const isWorn = (sensorId: string, atMs: number) =>
      wears.some(({ equipmentId, fromTs, toTs }) => equipmentId === sensorId && fromTs <= atMs && atMs < toTs) &&
      !holdings.some(
        ({ equipmentId, assignedTs, unassignedTs }) =>
          equipmentId === sensorId && assignedTs <= atMs && atMs < (unassignedTs ?? Number.POSITIVE_INFINITY),
      );
    const marksOf = new Map(
      recordings.map(({ recordingId, contents = [] }) => [recordingId, [recordingId, ...contents].map(markOf)]),
    );
    const known = await db
      .selectFrom('erasedMark')
      .select('sha256')
      .where('sha256', 'in', anyOf([...marksOf.values()].flat()))
      .execute();
    const marked = new Set(known.map(({ sha256 }) => sha256));
    const erased = recordings.filter(
      ({ recordingId, sensorId, startMs }) =>
        marksOf.get(recordingId)?.some((mark) => marked.has(mark)) || isWorn(sensorId, startMs),
    );
    return new Set(erased.map(({ recordingId }) => recordingId));
  }

  /** What an erasure would remove, from indexes alone: files that devices sent are only counted by the erasure itself. */
  async counts({
    subjectId,
    studyId,
  }: {
    subjectId: string;
    studyId: string;
  }): Promise<Omit<ErasureCounts, 'uploads'>> {
    const { db } = this.session;
    const { size } = await db
      .selectFrom('recording')
      .select(({ fn }) => fn.coalesce(fn.sum<number>('sizeBytes'), sql<number>`0`).as('size'))
      .where('subjectId', '=', subjectId)
      .executeTakeFirstOrThrow();
    const countOf = async (
      table: 'recording' | 'analyticsDay' | 'annotation' | 'message' | 'signature' | 'deviceCredential',
    ) => {
      let query = db
        .selectFrom(table)
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .where('subjectId', '=', subjectId);
      // Signatures have an index by study.
      if (table === 'signature') query = query.where('studyId', '=', studyId);
      return (await query.executeTakeFirstOrThrow()).count;
    };
    const exports = await personExports(this.session, subjectId, studyId);
    return {
      recordings: await countOf('recording'),
      recordingBytes: size,
      days: await countOf('analyticsDay'),
      annotations: await countOf('annotation'),
      messages: await countOf('message'),
      signatures: await countOf('signature'),
      devices: await countOf('deviceCredential'),
      exports: exports.filter(({ isFinished, isRemoved }) => isFinished && !isRemoved).length,
    };
  }

  /** Jobs about the person, and jobs that write files with the person in them, that have not ended. */
  async workOn(subjectId: string): Promise<string[]> {
    const rows = await personRows(this.session, subjectId, this.session.clock());
    const ids = [...rows.jobs, ...rows.exports].map(({ id }) => id);
    const open = await this.session.db
      .selectFrom('job')
      .select('id')
      .where('id', 'in', anyOf(ids))
      .where('state', 'in', ['queued', 'running', 'parked'])
      .execute();
    return open.map(({ id }) => id);
  }

  /** What the site knows now to recognise the person's data by. */
  async presentTraces(subjectId: string): Promise<ErasureTraces> {
    const rows = await personRows(this.session, subjectId, this.session.clock());
    return { marks: personMarks(rows), wears: rows.wears };
  }

  /** What names the person in the audit trail, and the entries that do, so far. Reads the whole trail, with pauses. */
  async auditOf(subjectId: string): Promise<{ words: PersonWords; sequences: number[]; upTo: number }> {
    const rows = await personRows(this.session, subjectId, this.session.clock());
    const names = await personNames(this.session, subjectId);
    const words = { subjectId, ids: personIds(rows), names };
    return { words, ...(await findPersonAudit(this.session, words, { after: 0, withPauses: true })) };
  }

  protected async insert(erasure: InsertOf<typeof ERASURE>): Promise<void> {
    await this.session.db.insertInto('erasure').values(ERASURE.toRow(erasure)).execute();
  }

  protected async patch(id: string, fields: PatchOf<typeof ERASURE>): Promise<void> {
    await this.session.db.updateTable('erasure').set(ERASURE.toRow(fields)).where('id', '=', id).execute();
  }

  protected async addTraces(erasureId: string, { marks, wears }: ErasureTraces): Promise<void> {
    const { db } = this.session;
    await db
      .insertInto('erasedMark')
      .columns(['sha256', 'erasureId'])
      .expression(
        db
          .selectFrom(sql<{ value: string }>`json_each(${JSON.stringify(marks)})`.as('mark'))
          .select((eb) => ['mark.value', eb.val(erasureId).as('erasureId')])
          // Without it SQLite takes ON CONFLICT for a join (sqlite.org/lang_upsert.html, "Parsing Ambiguity").
          .where(sql<boolean>`true`),
      )
      .onConflict((conflict) => conflict.doNothing())
      .execute();
    for (const wear of wears) {
      await db
        .insertInto('erasedWear')
        .values({ ...wear, erasureId })
        .onConflict((conflict) => conflict.doNothing())
        .execute();
    }
  }

  protected async rowsOf(subjectId: string): Promise<PersonRows> {
    return await personRows(this.session, subjectId, this.session.clock());
  }

  /** Entries of the trail about the person that were written after one. */
  protected async laterAudit(words: PersonWords, rows: PersonRows, after: number): Promise<number[]> {
    const all = { ...words, ids: new Set([...words.ids, ...personIds(rows)]) };
    return (await findPersonAudit(this.session, all, { after, withPauses: false })).sequences;
  }

  protected async digest(sequences: readonly number[]): ReturnType<typeof digestOf> {
    return await digestOf(this.session, sequences);
  }

  protected async emptyAudit(bare: Parameters<typeof emptyAudit>[1], erasedBy: number): Promise<void> {
    await emptyAudit(this.session, bare, erasedBy);
  }

  /** Mails, put-off items and saved filters that name the person; notes about the study lose their text where it does. */
  protected async deleteMentions({ subjectId, ids, names }: PersonWords): Promise<void> {
    const { db } = this.session;
    const isNamed = (...texts: string[]) =>
      texts.some(
        (text) => text.includes(subjectId) || mentionsName(text, names) || [...ids].some((id) => text.includes(id)),
      );
    for (const { id, subject, body } of await db.selectFrom('outbox').select(['id', 'subject', 'body']).execute()) {
      if (isNamed(subject, body)) await db.deleteFrom('outbox').where('id', '=', id).execute();
    }
    for (const { accountId, itemId, evidenceKey, reason } of await db
      .selectFrom('attentionSnooze')
      .selectAll()
      .execute()) {
      if (!isNamed(itemId, evidenceKey, reason)) continue;
      await db.deleteFrom('attentionSnooze').where('accountId', '=', accountId).where('itemId', '=', itemId).execute();
    }
    for (const { id, displayName, search } of await db
      .selectFrom('savedFilter')
      .select(['id', 'displayName', 'search'])
      .execute()) {
      const isFor = isFilterFor({ displayName, search: JSON.parse(search) as unknown }, names);
      if (isFor || isNamed(displayName, search)) await db.deleteFrom('savedFilter').where('id', '=', id).execute();
    }
    for (const table of ['note', 'noteVersion'] as const) {
      for (const { id, body } of await db
        .selectFrom(table)
        .select(['id', 'body'])
        .where('subjectId', 'is', null)
        .execute()) {
        if (isNamed(body)) await db.updateTable(table).set({ body: ERASED_TEXT }).where('id', '=', id).execute();
      }
    }
    for (const { id, withdrawnReason } of await db
      .selectFrom('note')
      .select(['id', 'withdrawnReason'])
      .where('subjectId', 'is', null)
      .where('withdrawnReason', 'is not', null)
      .execute()) {
      if (isNamed(withdrawnReason ?? '')) {
        await db.updateTable('note').set({ withdrawnReason: ERASED_TEXT }).where('id', '=', id).execute();
      }
    }
  }

  /** An export that named its subjects no longer names this one. */
  protected async forgetInExports({ exports, subjectId }: PersonRows): Promise<void> {
    for (const { id, subjectIds } of exports) {
      if (subjectIds === null) continue;
      await this.session.db
        .updateTable('studyExport')
        .set({ subjectIds: JSON.stringify(subjectIds.filter((one) => one !== subjectId)) })
        .where('id', '=', id)
        .execute();
    }
  }

  /** @returns the places in the site that have to follow; a `*` ends a prefix */
  protected async deletePerson(rows: PersonRows): Promise<string[]> {
    return await deletePersonRows(this.session, rows);
  }
}
