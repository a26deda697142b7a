import type { Selectable } from 'kysely';
import { sql } from 'kysely';
import { OutpostError } from '../../../errors.ts';
import type { DayClock, ZonePeriod } from '../../../study/day-windows.ts';
import { requireEdit } from '../../../study/lifecycle.ts';
import { type MetadataValue, subjectFieldErrors } from '../../../study/subject-fields.ts';
import { hashToken, newReadableSecret } from '../../credentials.ts';
import type { Tables } from '../../schema.ts';
import { authorOf, type Change, changesBetween, changesFromNothing } from '../../session.ts';
import { foldText, nameKeyOf } from '../../text.ts';
import { Queries } from '../queries.ts';
import { absent, anyOf, flag, likeContains, notFound, parseJson } from '../shared.ts';
import { Studies } from './studies.ts';

export interface SubjectRecord {
  id: string;
  accountId: string;
  studyId: string;
  displayName: string;
  age?: number;
  gender?: 'MALE' | 'FEMALE';
  /** Meters. */
  height?: number;
  /** Kilograms. */
  weight?: number;
  dominantHand?: 'LEFT' | 'RIGHT';
  timezone: string;
  metadataFields: MetadataValue[];
  isHidden: boolean;
  isTest: boolean;
  legaleseVersionAccepted: number;
  legaleseVersionRequired: number;
  createdTs: number;
  modifiedTs: number;
  programStartTs?: number;
}

export interface NewSubject {
  id?: string;
  displayName: string;
  timezone: string;
  age?: number;
  gender?: string;
  height?: number;
  weight?: number;
  dominantHand?: string;
  metadataFields?: MetadataValue[];
  isTest?: boolean;
  /** Default: the creation, when the study runs. */
  programStartTs?: number;
}

/** A member that is null is taken away, one that is absent stays. */
export interface SubjectUpdate {
  displayName?: string;
  timezone?: string;
  /** From when the new zone counts; default now. 0: it was always so (a correction). */
  timezoneFromTs?: number;
  age?: number | null;
  gender?: string | null;
  height?: number | null;
  weight?: number | null;
  dominantHand?: string | null;
  metadataFields?: MetadataValue[];
  isHidden?: boolean;
}

/** A token that was printed or photographed and never used should not sign a phone in for ever. */
const TOKEN_LIFETIME_MS = 7 * 24 * 3_600_000;

type SubjectRow = Selectable<Tables['subject']> & { accountId: string };

function toRecord(row: SubjectRow): SubjectRecord {
  return {
    id: row.id,
    accountId: row.accountId,
    studyId: row.studyId,
    displayName: row.displayName,
    age: absent(row.age),
    gender: absent(row.gender) as SubjectRecord['gender'],
    height: absent(row.height),
    weight: absent(row.weight),
    dominantHand: absent(row.dominantHand) as SubjectRecord['dominantHand'],
    timezone: row.timezone,
    metadataFields: parseJson<MetadataValue[]>(row.metadataFields),
    isHidden: row.isHidden === 1,
    isTest: row.isTest === 1,
    legaleseVersionAccepted: row.legaleseVersionAccepted,
    legaleseVersionRequired: row.legaleseVersionRequired,
    createdTs: row.createdTs,
    modifiedTs: row.modifiedTs,
    programStartTs: absent(row.programStartTs),
  };
}

export class Subjects extends Queries {
  /**
   * Adds a subject and writes SUBJECT_CREATED. In a running study its program starts at once.
   * @throws NOT_FOUND (study), STUDY_STATE, INVALID_INPUT with the fields at fault, DUPLICATE_NAME
   */
  async create(studyId: string, input: NewSubject, change: Change): Promise<SubjectRecord> {
    return await this.session.write(async (session) => {
      const study = await new Studies(session).require(studyId);
      requireEdit(study.lifecycleState, 'add-subject');
      refuse(subjectFieldErrors(input, study.metadataFields));
      const subjects = new Subjects(session);
      await subjects.#requireFreeName(studyId, input.displayName);
      const now = session.clock();
      const programStartTs = input.programStartTs ?? (study.lifecycleState === 'IN_PROGRESS' ? now : null);
      const visible = {
        id: input.id ?? session.newId(),
        studyId,
        displayName: input.displayName.trim(),
        age: input.age ?? null,
        gender: input.gender ?? null,
        height: input.height ?? null,
        weight: input.weight ?? null,
        dominantHand: input.dominantHand ?? null,
        timezone: input.timezone,
        metadataFields: input.metadataFields ?? [],
        isTest: input.isTest ?? false,
      };
      await session.db
        .insertInto('subject')
        .values({
          ...visible,
          nameKey: nameKeyOf(visible.displayName),
          metadataFields: JSON.stringify(visible.metadataFields),
          isTest: flag(visible.isTest),
          createdTs: now,
          modifiedTs: now,
          programStartTs,
        })
        .execute();
      await session.db
        .insertInto('subjectZone')
        .values({ subjectId: visible.id, fromTs: 0, timezone: visible.timezone })
        .execute();
      await session.audit(change, {
        action: 'subject.create',
        entityType: 'subject',
        entityId: visible.id,
        studyId,
        subjectId: visible.id,
        changes: changesFromNothing(visible),
      });
      await session.event({
        action: 'SUBJECT_CREATED',
        studyId,
        subjectId: visible.id,
        referenceId: visible.id,
        author: authorOf(change),
      });
      return await subjects.require(visible.id);
    });
  }

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
  async list(studyId: string): Promise<SubjectRecord[]> {
    const rows = await this.#select()
      .where('subject.studyId', '=', studyId)
      .orderBy('subject.createdTs')
      .orderBy('subject.id')
      .execute();
    return rows.map(toRecord);
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

  /** @throws NOT_FOUND, STUDY_STATE, INVALID_INPUT with the fields at fault, DUPLICATE_NAME */
  async update(id: string, fields: SubjectUpdate, change: Change): Promise<SubjectRecord> {
    return await this.session.write(async (session) => {
      const subjects = new Subjects(session);
      const old = await subjects.require(id);
      const study = await new Studies(session).require(old.studyId);
      requireEdit(study.lifecycleState, 'edit-subject');
      refuse(subjectFieldErrors(fields, study.metadataFields));
      const { timezoneFromTs, ...given } = fields;
      if (given.displayName !== undefined) {
        given.displayName = given.displayName.trim();
        await subjects.#requireFreeName(old.studyId, given.displayName, id);
      }
      const since = timezoneFromTs === undefined ? undefined : (await subjects.zones(id)).at(-1)?.fromTs;
      const changes = changesBetween(
        { ...old, timezoneFromTs: since },
        { ...given, ...(timezoneFromTs !== undefined && { timezoneFromTs }) },
      );
      if (Object.keys(changes).length === 0) return old;
      const now = session.clock();
      const { metadataFields, isHidden, displayName, ...plain } = given;
      await session.db
        .updateTable('subject')
        .set({
          ...plain,
          ...(displayName !== undefined && { displayName, nameKey: nameKeyOf(displayName) }),
          ...(metadataFields && { metadataFields: JSON.stringify(metadataFields) }),
          ...(isHidden !== undefined && { isHidden: flag(isHidden) }),
          modifiedTs: now,
        })
        .where('id', '=', id)
        .execute();
      if (changes.timezone || changes.timezoneFromTs) {
        await subjects.#moveZone(id, timezoneFromTs ?? now, given.timezone ?? old.timezone);
      }
      await session.audit(change, {
        action: 'subject.update',
        entityType: 'subject',
        entityId: id,
        studyId: old.studyId,
        subjectId: id,
        changes,
      });
      return await subjects.require(id);
    });
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
    const zones = new Map<string, ZonePeriod[]>();
    for (const { subjectId, fromTs, timezone } of rows) {
      const periods = zones.get(subjectId) ?? [];
      periods.push({ fromTs, timezone });
      zones.set(subjectId, periods);
    }
    return zones;
  }

  /** A sign-in token for the subject's phone, shown this once. Earlier ones that nobody used end. @throws NOT_FOUND */
  async createToken(id: string, change: Change): Promise<string> {
    return await this.session.write(async (session) => {
      const subject = await new Subjects(session).require(id);
      const now = session.clock();
      const token = newReadableSecret();
      await session.db
        .updateTable('subjectToken')
        .set({ revokedTs: now })
        .where('subjectId', '=', id)
        .where('revokedTs', 'is', null)
        .execute();
      await session.db
        .insertInto('subjectToken')
        .values({
          id: session.newId(),
          subjectId: id,
          tokenHash: hashToken(token),
          createdTs: now,
          usedTs: null,
          revokedTs: null,
        })
        .execute();
      await session.audit(change, {
        action: 'subject.token',
        entityType: 'subject',
        entityId: id,
        studyId: subject.studyId,
        subjectId: id,
      });
      return token;
    });
  }

  /** The subject whose sign-in token this is; undefined when it is unknown, revoked, or too old and never used. */
  async findByToken(token: string): Promise<SubjectRecord | undefined> {
    const oldestTs = this.session.clock() - TOKEN_LIFETIME_MS;
    const row = await this.session.db
      .selectFrom('subjectToken')
      .select('subjectId')
      .where('tokenHash', '=', hashToken(token.trim().toUpperCase()))
      .where('revokedTs', 'is', null)
      .where((eb) => eb.or([eb('usedTs', 'is not', null), eb('createdTs', '>', oldestTs)]))
      .executeTakeFirst();
    return row && (await this.get(row.subjectId));
  }

  #select() {
    return this.session.db
      .selectFrom('subject')
      .innerJoin('study', 'study.id', 'subject.studyId')
      .selectAll('subject')
      .select('study.accountId');
  }

  async #requireFreeName(studyId: string, displayName: string, exceptId = ''): Promise<void> {
    const taken = await this.session.db
      .selectFrom('subject')
      .select('id')
      .where('studyId', '=', studyId)
      .where('nameKey', '=', nameKeyOf(displayName))
      .where('id', '!=', exceptId)
      .executeTakeFirst();
    if (!taken) return;
    throw new OutpostError(
      'DUPLICATE_NAME',
      `The study has a subject called ${displayName.trim()} already. Choose another name.`,
      {
        errors: [{ path: 'displayName', message: 'This name is taken in the study.' }],
      },
    );
  }

  /** The subject lives in a zone from an instant on. A last period in that very zone is moved there, earlier or later. */
  async #moveZone(subjectId: string, fromTs: number, timezone: string): Promise<void> {
    const { db } = this.session;
    const periods = (await this.zones(subjectId)).filter((period) => period.fromTs < fromTs);
    while (periods.length > 1 && periods.at(-1)?.timezone === timezone) periods.pop();
    if (periods.at(-1)?.timezone !== timezone) periods.push({ fromTs, timezone });
    await db.deleteFrom('subjectZone').where('subjectId', '=', subjectId).execute();
    await db
      .insertInto('subjectZone')
      .values(periods.map((period) => ({ subjectId, ...period })))
      .execute();
  }
}

function refuse(errors: ReturnType<typeof subjectFieldErrors>): void {
  if (errors.length > 0) throw new OutpostError('INVALID_INPUT', errors[0].message, { errors });
}
