/** Statements on subjects, the time zones they lived in, and their sign-in tokens. */
import { type Selectable, sql } from 'kysely';
import { DAY_MS } from '../../../durations.ts';
import type { DayClock, ZonePeriod } from '../../../study/day-windows.ts';
import { foldText } from '../../../study/text.ts';
import type { InsertOf, PatchOf, RecordOf } from '../../columns.ts';
import { hashToken } from '../../credentials.ts';
import { TABLES, type Tables } from '../../schema.ts';
import type { Session } from '../../session.ts';
import { rebuildSummary } from '../data/recording-summaries.ts';
import { inPages, type Keyset } from '../keyset.ts';
import { Queries } from '../queries.ts';
import { anyOf, likeContains, notFound } from '../shared.ts';
import { rebuildTaskDays } from './task-days.ts';

const { subject: SUBJECT } = TABLES;

export type SubjectRecord = Omit<RecordOf<typeof SUBJECT>, 'nameKey'> & { accountId: string };

/** A sign-in token that was handed out and never used expires, so that a photo of it does not stay valid. */
const UNUSED_TOKEN_LIFETIME_MS = 7 * DAY_MS;

type SubjectRow = Selectable<Tables['subject']> & { accountId: string };

export class SubjectQueries extends Queries {
  async get(id: string): Promise<SubjectRecord | undefined> {
    const row = await this.#select().where('subject.id', '=', id).executeTakeFirst();
    return row && toRecord(row);
  }

  /** @throws NOT_FOUND, also when the subject is of another study than the one given */
  async require(id: string, studyId?: string): Promise<SubjectRecord> {
    const subject = await this.get(id);
    if (!subject || (studyId !== undefined && subject.studyId !== studyId)) throw notFound('subject');
    return subject;
  }

  /** Display names by id; ids that are not known are absent. */
  async namesOf(ids: readonly string[]): Promise<Map<string, string>> {
    if (ids.length === 0) return new Map();
    const rows = await this.session.db
      .selectFrom('subject')
      .select(['id', 'displayName'])
      .where('id', 'in', anyOf(ids))
      .execute();
    return new Map(rows.map(({ id, displayName }) => [id, displayName]));
  }

  /** Subjects of a study by creation, then id, hidden and test subjects included. */
  async list(studyId: string, keyset?: Keyset): Promise<SubjectRecord[]> {
    const query = this.#select().where('subject.studyId', '=', studyId);
    const rows = await inPages(query, ['subject.createdTs', 'subject.id'], { keyset }).execute();
    return rows.map(toRecord);
  }

  /** Number of shown and hidden subjects of each study that has any. */
  async countByStudy(studyIds: readonly string[]): Promise<Map<string, { shown: number; hidden: number }>> {
    const rows = await this.session.db
      .selectFrom('subject')
      .select(({ fn }) => ['studyId', fn.countAll<number>().as('count'), fn.sum<number>('isHidden').as('hidden')])
      .where('studyId', 'in', anyOf(studyIds))
      .groupBy('studyId')
      .execute();
    return new Map(rows.map(({ studyId, count, hidden }) => [studyId, { shown: count - hidden, hidden }]));
  }

  /** Subjects of the studies whose name contains the text, in any script and letter case, by name; at most `limit`. */
  async search(studyIds: readonly string[], text: string, limit = 50): Promise<SubjectRecord[]> {
    if (studyIds.length === 0) return [];
    const rows = await this.#select()
      .where('subject.studyId', 'in', anyOf(studyIds))
      .where(sql<boolean>`fold(subject.displayName) LIKE ${likeContains(foldText(text))} ESCAPE '\\'`)
      .orderBy('subject.displayName')
      .orderBy('subject.id')
      .limit(limit)
      .execute();
    return rows.map(toRecord);
  }

  /** The zones the subject lived in, in time order. @throws NOT_FOUND */
  async zones(id: string): Promise<DayClock> {
    const rows: ZonePeriod[] = await this.session.db
      .selectFrom('subjectZone')
      .select(['fromTs', 'timezone'])
      .where('subjectId', '=', id)
      .orderBy('fromTs')
      .execute();
    if (rows.length === 0) throw notFound('subject');
    return rows;
  }

  /** Zones of subjects, by subject id. */
  async zonesOf(ids: readonly string[]): Promise<Map<string, DayClock>> {
    const rows = await this.session.db
      .selectFrom('subjectZone')
      .selectAll()
      .where('subjectId', 'in', anyOf(ids))
      .orderBy('subjectId')
      .orderBy('fromTs')
      .execute();
    return clocksOf(rows);
  }

  /** Zones of every subject of a study, by subject id. */
  async zonesOfStudy(studyId: string): Promise<Map<string, DayClock>> {
    const rows = await this.session.db
      .selectFrom('subjectZone')
      .innerJoin('subject', 'subject.id', 'subjectZone.subjectId')
      .select(['subjectZone.subjectId', 'subjectZone.fromTs', 'subjectZone.timezone'])
      .where('subject.studyId', '=', studyId)
      .orderBy('subjectZone.subjectId')
      .orderBy('subjectZone.fromTs')
      .execute();
    return clocksOf(rows);
  }

  /** The subject whose sign-in token this is; undefined when it is unknown, revoked, or too old and never used. */
  async findByToken(token: string): Promise<SubjectRecord | undefined> {
    const oldestTs = this.session.clock() - UNUSED_TOKEN_LIFETIME_MS;
    const row = await this.session.db
      .selectFrom('subjectToken')
      .select('subjectId')
      .where('tokenHash', '=', signInTokenHash(token))
      .where('revokedTs', 'is', null)
      .where((eb) => eb.or([eb('usedTs', 'is not', null), eb('createdTs', '>', oldestTs)]))
      .executeTakeFirst();
    return row && (await this.get(row.subjectId));
  }

  /** Those of the keys of names that subjects of the study have. */
  protected async namesTaken(studyId: string, nameKeys: readonly string[]): Promise<Set<string>> {
    const rows = await this.session.db
      .selectFrom('subject')
      .select('nameKey')
      .where('studyId', '=', studyId)
      .where('nameKey', 'in', anyOf(nameKeys))
      .execute();
    return new Set(rows.map(({ nameKey }) => nameKey));
  }

  protected async hasName(studyId: string, nameKey: string, exceptId: string): Promise<boolean> {
    const row = await this.session.db
      .selectFrom('subject')
      .select('id')
      .where('studyId', '=', studyId)
      .where('nameKey', '=', nameKey)
      .where('id', '!=', exceptId)
      .executeTakeFirst();
    return row !== undefined;
  }

  protected async insert(subject: InsertOf<typeof SUBJECT>): Promise<void> {
    await this.session.db.insertInto('subject').values(SUBJECT.toRow(subject)).execute();
  }

  protected async patch(id: string, fields: PatchOf<typeof SUBJECT>): Promise<void> {
    await this.session.db.updateTable('subject').set(SUBJECT.toRow(fields)).where('id', '=', id).execute();
  }

  protected async setProgramStartOfStudy(studyId: string, programStartTs: number): Promise<void> {
    await this.session.db
      .updateTable('subject')
      .set({ programStartTs })
      .where('studyId', '=', studyId)
      .where('programStartTs', 'is', null)
      .where('id', 'in', (eb) =>
        eb
          .selectFrom('participation')
          .select('subjectId')
          .where('participation.studyId', '=', studyId)
          .where('participation.status', '=', 'ENROLLED'),
      )
      .execute();
  }

  protected async replaceZones(subjectId: string, periods: readonly ZonePeriod[]): Promise<void> {
    const { db } = this.session;
    await db.deleteFrom('subjectZone').where('subjectId', '=', subjectId).execute();
    await db
      .insertInto('subjectZone')
      .values(periods.map((period) => ({ subjectId, ...period })))
      .execute();
    await rebuildSummary(this.session, subjectId);
    await rebuildTaskDays(this.session, subjectId);
  }

  protected async insertToken(subjectId: string, token: string): Promise<void> {
    const { db, clock, newId } = this.session;
    await db
      .insertInto('subjectToken')
      .values({ id: newId(), subjectId, tokenHash: signInTokenHash(token), createdTs: clock() })
      .execute();
  }

  #select() {
    return this.session.db
      .selectFrom('subject')
      .innerJoin('study', 'study.id', 'subject.studyId')
      .selectAll('subject')
      .select('study.accountId');
  }
}

function clocksOf(rows: readonly (ZonePeriod & { subjectId: string })[]): Map<string, DayClock> {
  const zones = new Map<string, ZonePeriod[]>();
  for (const { subjectId, fromTs, timezone } of rows) {
    const periods = zones.get(subjectId) ?? [];
    periods.push({ fromTs, timezone });
    zones.set(subjectId, periods);
  }
  return zones;
}

/** Revokes the sign-in tokens that were handed out for a subject's phone. */
export async function revokeSubjectTokens({ db, clock }: Session, subjectId: string): Promise<void> {
  await db
    .updateTable('subjectToken')
    .set({ revokedTs: clock() })
    .where('subjectId', '=', subjectId)
    .where('revokedTs', 'is', null)
    .execute();
}

/** Statements on the use of sign-in tokens. */
export class SubjectTokenQueries extends Queries {
  /** When a stored token was used; undefined when it was not. */
  protected async tokenUsedTs(token: string): Promise<number | undefined> {
    const { usedTs } = await this.session.db
      .selectFrom('subjectToken')
      .select('usedTs')
      .where('tokenHash', '=', signInTokenHash(token))
      .executeTakeFirstOrThrow();
    return usedTs ?? undefined;
  }

  protected async setTokenUsed(token: string, usedTs: number): Promise<void> {
    await this.session.db
      .updateTable('subjectToken')
      .set({ usedTs })
      .where('tokenHash', '=', signInTokenHash(token))
      .execute();
  }
}

/** Subjects type the token by hand, so blanks around it and letter case do not count. */
function signInTokenHash(token: string): string {
  return hashToken(token.trim().toUpperCase());
}

function toRecord({ nameKey: _, ...row }: SubjectRow): SubjectRecord {
  return SUBJECT.toRecord(row);
}
