/** Reads all rows of one subject for the subject's own copy of the data (GDPR 15 and 20), and who else must not be in it. */
import { sql } from 'kysely';
import { TABLES } from '../../schema.ts';
import { Queries } from '../queries.ts';
import { anyOf } from '../shared.ts';

/** Tables whose rows are of one subject. Summaries that are computed from them are left out. */
const TABLES_OF_SUBJECT = [
  'subjectToken',
  'deviceCredential',
  'deviceUpload',
  'transfer',
  'recording',
  'annotation',
  'correction',
  'fault',
  'message',
  'note',
  'noteVersion',
  'dataQuery',
  'dataQueryStep',
  'participationStep',
  'visit',
  'signature',
] as const;

export type TableOfSubject = (typeof TABLES_OF_SUBJECT)[number];

export type SubjectRow = Readonly<Record<string, unknown>>;

/** Of which nothing may leave the site. */
const SECRETS = ['tokenHash'];

const SLICE = 500;

export interface OtherSubjects {
  ids: Set<string>;
  names: string[];
}

export class SubjectDataQueries extends Queries {
  /** Rows of a table in the order of their ids, which is that of their creation. NULL is an absent member. */
  async *slices(table: TableOfSubject, subjectId: string): AsyncGenerator<SubjectRow[]> {
    let after = '';
    for (;;) {
      const rows = await this.session.db
        .selectFrom(table)
        .selectAll()
        .where('subjectId', '=', subjectId)
        .where('id', '>', after)
        .orderBy('id')
        .limit(SLICE)
        .execute();
      if (rows.length > 0) {
        yield rows.map((row) => {
          const record = { ...(TABLES[table].toRecord(row as never) as Record<string, unknown>) };
          for (const secret of SECRETS) delete record[secret];
          return record;
        });
      }
      if (rows.length < SLICE) return;
      after = rows.at(-1)!.id;
    }
  }

  /** Which sensors and devices the subject had, from when to when; without what became of them under others. */
  async equipment(subjectId: string): Promise<SubjectRow[]> {
    return await this.session.db
      .selectFrom('equipmentAssignment')
      .innerJoin('equipment', 'equipment.id', 'equipmentAssignment.equipmentId')
      .select([
        'equipmentAssignment.equipmentId',
        'equipment.type',
        'equipment.displayName',
        'equipment.udid',
        'equipmentAssignment.assignedTs',
        'equipmentAssignment.unassignedTs',
      ])
      .where('equipmentAssignment.subjectId', '=', subjectId)
      .orderBy('equipmentAssignment.assignedTs')
      .execute();
  }

  /** Study events of the subject, oldest first. */
  async *events(subjectId: string): AsyncGenerator<SubjectRow[]> {
    let after = 0;
    for (;;) {
      const rows = await this.session.db
        .selectFrom('event')
        .selectAll()
        .where('subjectId', '=', subjectId)
        .where('sequence', '>', after)
        .orderBy('sequence')
        .limit(SLICE)
        .execute();
      if (rows.length > 0) yield rows.map((row) => TABLES.event.toRecord(row));
      if (rows.length < SLICE) return;
      after = rows.at(-1)!.sequence;
    }
  }

  /** Exports with the subject in them, deleted ones too: to whom the data may have gone. */
  async exportsWith(subjectId: string, studyId: string): Promise<SubjectRow[]> {
    const rows = await this.session.db
      .selectFrom('studyExport')
      .select(['id', 'format', 'isDeidentified', 'sinceTs', 'requestedTs', 'finishedTs', 'removedTs'])
      .where('studyId', '=', studyId)
      .where((eb) =>
        eb.or([
          eb('subjectIds', 'is', null),
          eb(sql<string>`${subjectId}`, 'in', sql<string>`(SELECT value FROM json_each(subjectIds))`),
        ]),
      )
      .orderBy('requestedTs')
      .execute();
    return rows.map(({ isDeidentified, ...row }) => ({ ...row, isDeidentified: isDeidentified === 1 }));
  }

  /** Other programs to which the site sends events of the study. */
  async webhooksOf(accountId: string, studyId: string): Promise<string[]> {
    const rows = await this.session.db
      .selectFrom('webhook')
      .select(['url', 'studyIds'])
      .where('accountId', '=', accountId)
      .execute();
    return rows.flatMap(({ url, studyIds }) => {
      const ids = JSON.parse(studyIds) as string[];
      return ids.length === 0 || ids.includes(studyId) ? [new URL(url).host] : [];
    });
  }

  /** Every other subject of the site, with the name that each has now. */
  async others(subjectId: string): Promise<OtherSubjects> {
    const rows = await this.session.db
      .selectFrom('subject')
      .select(['id', 'displayName'])
      .where('id', '!=', subjectId)
      .execute();
    return { ids: new Set(rows.map(({ id }) => id)), names: [...new Set(rows.map(({ displayName }) => displayName))] };
  }

  /** Which of these ids are of recordings, devices and reports of other subjects. */
  async idsOfOthers(subjectId: string, ids: readonly string[]): Promise<string[]> {
    const found: string[] = [];
    for (const table of [
      'recording',
      'deviceCredential',
      'annotation',
      'message',
      'note',
      'equipmentAssignment',
    ] as const) {
      const rows = await this.session.db
        .selectFrom(table)
        .select('id')
        .where('id', 'in', anyOf(ids))
        .where('subjectId', '!=', subjectId)
        .execute();
      found.push(...rows.map(({ id }) => id));
    }
    return found;
  }
}
