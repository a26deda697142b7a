/** Statements on studies, their memberships and the versions of their definitions. */
import { type Selectable, sql } from 'kysely';
import type { Definition } from '../../../study/definition.ts';
import type { DeviceConfigRecord, StudyParts } from '../../../study/definition-input.ts';
import { type Role, roleInStudy } from '../../../study/permissions.ts';
import { personName } from '../../../study/person-name.ts';
import type { Program, ProgramHistory, ProgramVersion } from '../../../study/program.ts';
import type { InsertOf, PatchOf, RecordOf } from '../../columns.ts';
import { TABLES, type Tables } from '../../schema.ts';
import { Queries } from '../queries.ts';
import { notFound, parseJson } from '../shared.ts';
import { StudyDefinitions } from './study-definitions.ts';

const { study: STUDY, definitionVersion: DEFINITION_VERSION } = TABLES;

export interface StudyRecord
  extends Omit<RecordOf<typeof STUDY>, 'program' | 'exportFile' | 'exportRequestedTs' | 'exportSizeBytes'> {
  program: Program | null;
  /** The newest finished study archive. */
  export?: { file: string; requestedTs: number; sizeBytes: number };
}

export type StudyPatch = PatchOf<typeof STUDY>;

export interface StudyDetailRecord extends StudyRecord, StudyParts {}

function toRecord(row: Selectable<Tables['study']>): StudyRecord {
  const { exportFile, exportRequestedTs = 0, exportSizeBytes = 0, ...study } = STUDY.toRecord(row);
  return {
    ...study,
    program: study.program ?? null,
    ...(exportFile !== undefined && {
      export: { file: exportFile, requestedTs: exportRequestedTs, sizeBytes: exportSizeBytes },
    }),
  };
}

export class StudyQueries extends Queries {
  async get(id: string): Promise<StudyRecord | undefined> {
    const row = await this.session.db.selectFrom('study').selectAll().where('id', '=', id).executeTakeFirst();
    return row && toRecord(row);
  }

  /** @throws NOT_FOUND */
  async require(id: string): Promise<StudyRecord> {
    const study = await this.get(id);
    if (!study) throw notFound('study');
    return study;
  }

  /** With activities and diaries by order, device configs by order. */
  async getDetail(id: string): Promise<StudyDetailRecord | undefined> {
    const study = await this.get(id);
    if (!study) return undefined;
    const tasks = await new StudyDefinitions(this.session).tasks(id);
    return {
      ...study,
      activities: tasks.filter((task) => task.type === 'activity'),
      diaries: tasks.filter((task) => task.type === 'diary'),
      deviceConfigs: await this.deviceConfigs(id),
    };
  }

  /** @throws NOT_FOUND */
  async requireDetail(id: string): Promise<StudyDetailRecord> {
    const study = await this.getDetail(id);
    if (!study) throw notFound('study');
    return study;
  }

  /** Studies of an account by creation, then id; with `userId`, only those in which that user is a member. */
  async list(accountId: string, filter: { memberId?: string } = {}): Promise<StudyRecord[]> {
    let query = this.session.db.selectFrom('study').selectAll('study').where('study.accountId', '=', accountId);
    if (filter.memberId !== undefined) {
      query = query
        .innerJoin('membership', 'membership.studyId', 'study.id')
        .where('membership.userId', '=', filter.memberId);
    }
    const rows = await query.orderBy('study.createdTs').orderBy('study.id').execute();
    return rows.map(toRecord);
  }

  /** Versions of the definition, newest first. */
  async definitionVersions(studyId: string): Promise<{ version: number; createdTs: number; definition: Definition }[]> {
    const rows = await this.session.db
      .selectFrom('definitionVersion')
      .select(['version', 'createdTs', 'definition'])
      .where('studyId', '=', studyId)
      .orderBy('version', 'desc')
      .execute();
    return rows.map(DEFINITION_VERSION.toRecord);
  }

  /** Texts of the questions that any version of the definition asked. */
  async questionTexts(studyId: string): Promise<Set<string>> {
    const rows = await this.session.db
      .selectFrom([
        'definitionVersion',
        sql<{ value: string }>`json_each('["$.activities", "$.diaries"]')`.as('tasks'),
        sql<{ value: string }>`json_each(definition, tasks.value)`.as('oneTask'),
        sql<{ value: string }>`json_each(oneTask.value, '$.questions')`.as('oneQuestion'),
      ])
      .select(sql<string>`json_extract("oneQuestion".value, '$.text')`.as('text'))
      .distinct()
      .where('studyId', '=', studyId)
      .execute();
    return new Set(rows.map(({ text }) => text));
  }

  /** Names of the activities and diaries of a study, by id. */
  async taskNames(studyId: string): Promise<Map<string, string>> {
    const { db } = this.session;
    const rows = await db.selectFrom('task').select(['id', 'displayName']).where('studyId', '=', studyId).execute();
    return new Map(rows.map(({ id, displayName }) => [id, displayName]));
  }

  /** The program as the study was started with it, then each change since; before the start only the present one. */
  async programHistory(study: Pick<StudyRecord, 'id' | 'startedTs' | 'program'>): Promise<ProgramHistory> {
    const { id, startedTs } = study;
    if (startedTs === undefined) return [{ fromTs: 0, program: study.program }];
    const rows = await this.session.db
      .selectFrom('definitionVersion')
      .select(['createdTs', sql<string | null>`json_extract(definition, '$.program')`.as('program')])
      .where('studyId', '=', id)
      .orderBy('version')
      .execute();
    const history: ProgramVersion[] = [];
    let last: string | null = null;
    for (const { createdTs, program } of rows) {
      if (createdTs <= startedTs) history.length = 0;
      if (history.length > 0 && program === last) continue;
      history.push({ fromTs: createdTs, program: program === null ? null : parseJson<Program>(program) });
      last = program;
    }
    return history;
  }

  /** Device configs by their order. */
  deviceConfigs(studyId: string): Promise<DeviceConfigRecord[]> {
    return new StudyDefinitions(this.session).deviceConfigs(studyId);
  }

  /** Role of a user in a study, or null without a membership. */
  async membershipRole(studyId: string, userId: string): Promise<Role | null> {
    const row = await this.session.db
      .selectFrom('membership')
      .select('role')
      .where('studyId', '=', studyId)
      .where('userId', '=', userId)
      .executeTakeFirst();
    return row?.role ?? null;
  }

  /** Enabled users who may see a study, in the order of their creation: its members, and the administrators of the account. */
  async people(studyId: string): Promise<{ id: string; displayName: string; role: Role }[]> {
    const rows = await this.session.db
      .selectFrom('study')
      .innerJoin('user', 'user.accountId', 'study.accountId')
      .leftJoin('membership', (join) =>
        join.onRef('membership.studyId', '=', 'study.id').onRef('membership.userId', '=', 'user.id'),
      )
      .select(['user.id', 'user.firstName', 'user.lastName', 'user.role', 'membership.role as memberRole'])
      .where('study.id', '=', studyId)
      .where('user.disabledTs', 'is', null)
      .orderBy('user.createdTs')
      .orderBy('user.id')
      .execute();
    return rows.flatMap(({ id, role, memberRole, ...name }) => {
      const own = roleInStudy(role, memberRole);
      return own === null ? [] : [{ id, displayName: personName(name), role: own }];
    });
  }

  /** The studies that a user is a member of, by id. */
  async rolesOf(userId: string): Promise<{ studyId: string; role: Role }[]> {
    return await this.session.db
      .selectFrom('membership')
      .select(['studyId', 'role'])
      .where('userId', '=', userId)
      .orderBy('studyId')
      .execute();
  }

  async members(studyId: string): Promise<{ userId: string; role: Role; createdTs: number }[]> {
    return await this.session.db
      .selectFrom('membership')
      .select(['userId', 'role', 'createdTs'])
      .where('studyId', '=', studyId)
      .orderBy('createdTs')
      .orderBy('userId')
      .execute();
  }

  protected async insert(study: InsertOf<typeof STUDY>): Promise<void> {
    await this.session.db.insertInto('study').values(STUDY.toRow(study)).execute();
  }

  protected async patch(id: string, fields: StudyPatch): Promise<void> {
    await this.session.db.updateTable('study').set(STUDY.toRow(fields)).where('id', '=', id).execute();
  }

  /** Makes a user a member of a study in the role that the user has in the account. */
  protected async insertMembershipOf(userId: string, studyId: string): Promise<void> {
    const { db, clock } = this.session;
    await db
      .insertInto('membership')
      .expression((eb) =>
        eb
          .selectFrom('user')
          .where('user.id', '=', userId)
          .select((select) => [
            select.val(studyId).as('studyId'),
            'user.id',
            'user.role',
            select.val(clock()).as('createdTs'),
          ]),
      )
      .columns(['studyId', 'userId', 'role', 'createdTs'])
      .execute();
  }

  protected async putMembership(studyId: string, userId: string, role: Role): Promise<void> {
    await this.session.db
      .insertInto('membership')
      .values({ studyId, userId, role, createdTs: this.session.clock() })
      .onConflict((conflict) => conflict.columns(['studyId', 'userId']).doUpdateSet({ role }))
      .execute();
  }

  protected async deleteMembership(studyId: string, userId: string): Promise<void> {
    await this.session.db
      .deleteFrom('membership')
      .where('studyId', '=', studyId)
      .where('userId', '=', userId)
      .execute();
  }
}
