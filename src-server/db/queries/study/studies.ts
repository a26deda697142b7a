import { type Selectable, sql } from 'kysely';
import { OutpostError } from '../../../errors.ts';
import {
  type Definition,
  definitionErrors,
  type MetadataField,
  requireDefinitionChange,
} from '../../../study/definition.ts';
import {
  type DefinitionInput,
  type DeviceConfigRecord,
  definitionOf,
  mergeDefinition,
  type StudyParts,
} from '../../../study/definition-input.ts';
import {
  type LifecycleState,
  type LifecycleStep,
  nextState,
  requireArchivable,
  requireEdit,
} from '../../../study/lifecycle.ts';
import type { Role } from '../../../study/permissions.ts';
import type { Program, ProgramHistory, ProgramVersion } from '../../../study/program.ts';
import type { PhysicalConfig } from '../../../study/recording.ts';
import type { Tables } from '../../schema.ts';
import { authorOf, type Change, changesBetween, changesFromNothing, type FieldChanges } from '../../session.ts';
import { Queries } from '../queries.ts';
import { absent, flag, notFound, parseJson } from '../shared.ts';
import { StudyDefinitions } from './study-definitions.ts';

export interface StudyRecord {
  id: string;
  accountId: string;
  displayName: string;
  title: string;
  lifecycleState: LifecycleState;
  isArchived: boolean;
  metadataFields: MetadataField[];
  program: Program | null;
  definitionVersion: number;
  /** The newest finished study archive. */
  export?: { file: string; requestedTs: number; sizeBytes: number };
  createdTs: number;
  modifiedTs: number;
  startedTs?: number;
  stoppedTs?: number;
}

export interface StudyDetailRecord extends StudyRecord, StudyParts {}

type StudyRow = Selectable<Tables['study']>;

function toRecord(row: StudyRow): StudyRecord {
  const { exportFile, exportRequestedTs, exportSizeBytes, startedTs, stoppedTs, ...rest } = row;
  return {
    ...rest,
    lifecycleState: row.lifecycleState as LifecycleState,
    isArchived: row.isArchived === 1,
    metadataFields: parseJson<MetadataField[]>(row.metadataFields),
    program: row.program === null ? null : parseJson<Program>(row.program),
    ...(exportFile !== null && {
      export: { file: exportFile, requestedTs: exportRequestedTs ?? 0, sizeBytes: exportSizeBytes ?? 0 },
    }),
    startedTs: absent(startedTs),
    stoppedTs: absent(stoppedTs),
  };
}

export class Studies extends Queries {
  async create(
    input: { id?: string; accountId: string; displayName: string; title?: string; definition?: DefinitionInput },
    change: Change,
  ): Promise<StudyRecord> {
    return await this.session.write(async (session) => {
      const now = session.clock();
      const study = {
        id: input.id ?? session.newId(),
        accountId: input.accountId,
        displayName: input.displayName.trim(),
        title: input.title ?? '',
        lifecycleState: 'INITIALIZED',
      };
      await session.db
        .insertInto('study')
        .values({
          ...study,
          program: null,
          exportFile: null,
          exportRequestedTs: null,
          exportSizeBytes: null,
          createdTs: now,
          modifiedTs: now,
          startedTs: null,
          stoppedTs: null,
        })
        .execute();
      await session.audit(change, {
        action: 'study.create',
        entityType: 'study',
        entityId: study.id,
        studyId: study.id,
        changes: changesFromNothing(study),
      });
      const studies = new Studies(session);
      // Who makes a study works in it: without a membership only an account's ADMIN would see it.
      if (change.actor.type === 'USER') {
        await session.db
          .insertInto('membership')
          .expression((eb) =>
            eb
              .selectFrom('user')
              .where('user.id', '=', change.actor.id ?? '')
              .select((select) => [
                select.val(study.id).as('studyId'),
                'user.id',
                'user.role',
                select.val(now).as('createdTs'),
              ]),
          )
          .columns(['studyId', 'userId', 'role', 'createdTs'])
          .execute();
      }
      if (input.definition) await studies.putDefinition(study.id, input.definition, change);
      return await studies.require(study.id);
    });
  }

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

  /** @throws NOT_FOUND, STUDY_STATE */
  async update(id: string, fields: { displayName?: string; title?: string }, change: Change): Promise<StudyRecord> {
    return await this.session.write(async (session) => {
      const studies = new Studies(session);
      const old = await studies.require(id);
      requireEdit(old.lifecycleState, 'rename');
      return await studies.#set(old, fields, { ...fields }, 'study.update', change);
    });
  }

  /** Archived studies stay as they are but go out of sight. @throws NOT_FOUND, STUDY_STATE (archiving a running one) */
  async setArchived(id: string, isArchived: boolean, change: Change): Promise<StudyRecord> {
    return await this.session.write(async (session) => {
      const studies = new Studies(session);
      const old = await studies.require(id);
      if (isArchived) requireArchivable(old.lifecycleState);
      const action = isArchived ? 'study.archive' : 'study.unarchive';
      return await studies.#set(old, { isArchived: flag(isArchived) }, { isArchived }, action, change);
    });
  }

  /** Facts of the newest study archive. @throws NOT_FOUND */
  async setExport(
    id: string,
    done: { file: string; requestedTs: number; sizeBytes: number } | null,
    change: Change,
  ): Promise<StudyRecord> {
    return await this.session.write(async (session) => {
      const studies = new Studies(session);
      const old = await studies.require(id);
      const columns = {
        exportFile: done?.file ?? null,
        exportRequestedTs: done?.requestedTs ?? null,
        exportSizeBytes: done?.sizeBytes ?? null,
      };
      return await studies.#set(old, columns, { export: done }, 'study.export', change);
    });
  }

  /**
   * Moves the study along its life. Starting sets the program's start of every subject that has none.
   * Writes STUDY_STARTED on start and reopen, STUDY_STOPPED on stop.
   * @throws NOT_FOUND, STUDY_STATE, INVALID_INPUT (reopen without a reason)
   */
  async move(id: string, step: LifecycleStep, change: Change): Promise<StudyRecord> {
    return await this.session.write(async (session) => {
      const studies = new Studies(session);
      const old = await studies.require(id);
      if (old.isArchived) {
        throw new OutpostError('STUDY_STATE', 'The study is archived. Bring it back from the archive first.');
      }
      const lifecycleState = nextState(old.lifecycleState, step, change.reason);
      const now = session.clock();
      const times = step === 'start' ? { startedTs: now } : step === 'stop' ? { stoppedTs: now } : { stoppedTs: null };
      const study = await studies.#set(old, { lifecycleState, ...times }, { lifecycleState }, `study.${step}`, change);
      if (step === 'start') {
        await session.db
          .updateTable('subject')
          .set({ programStartTs: now })
          .where('studyId', '=', id)
          .where('programStartTs', 'is', null)
          .execute();
      }
      await session.event({
        action: step === 'stop' ? 'STUDY_STOPPED' : 'STUDY_STARTED',
        studyId: id,
        referenceId: id,
        author: authorOf(change),
      });
      return study;
    });
  }

  /**
   * Replaces the parts that are given and keeps a version of the whole. While the study runs the definition only grows.
   * @throws NOT_FOUND, STUDY_STATE, INVALID_INPUT with the fields at fault
   */
  async putDefinition(id: string, input: DefinitionInput, change: Change): Promise<StudyDetailRecord> {
    return await this.session.write(async (session) => {
      const studies = new Studies(session);
      const study = await studies.getDetail(id);
      if (!study) throw notFound('study');
      const before = definitionOf(study);
      const after = mergeDefinition(before, input, session.newId);
      requireDefinitionChange(study.lifecycleState, before, after);
      const errors = definitionErrors(after, before);
      if (errors.length > 0) {
        throw new OutpostError('INVALID_INPUT', `The definition was not saved: ${errors[0].message}`, { errors });
      }
      const changes = changesBetween({ ...before }, { ...after });
      if (Object.keys(changes).length === 0) return study;
      await new StudyDefinitions(session).store(study, before, after);
      await session.audit(change, {
        action: 'study.definition',
        entityType: 'study',
        entityId: id,
        studyId: id,
        changes,
      });
      return (await studies.getDetail(id)) as StudyDetailRecord;
    });
  }

  /** Versions of the definition, newest first. */
  async definitionVersions(studyId: string): Promise<{ version: number; createdTs: number; definition: Definition }[]> {
    const rows = await this.session.db
      .selectFrom('definitionVersion')
      .selectAll()
      .where('studyId', '=', studyId)
      .orderBy('version', 'desc')
      .execute();
    return rows.map((row) => ({
      version: row.version,
      createdTs: row.createdTs,
      definition: parseJson<Definition>(row.definition),
    }));
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

  /**
   * The device config that a recording belongs to: same place and side (a config of side ANY takes LEFT and RIGHT), same
   * signal and sensing type. When the study has none it is added, which a running study allows.
   * @throws NOT_FOUND, STUDY_STATE
   */
  async matchDeviceConfig(
    studyId: string,
    recording: { physicalConfig: PhysicalConfig; sensorConfig: Record<string, unknown> },
    change: Change,
  ): Promise<DeviceConfigRecord> {
    return await this.session.write(async (session) => {
      const studies = new Studies(session);
      const configs = await studies.deviceConfigs(studyId);
      const { physicalConfig, sensorConfig } = recording;
      const sameSensor = configs.filter(
        (config) =>
          config.physicalConfig.location === physicalConfig.location &&
          (config.physicalConfig.signal ?? null) === (physicalConfig.signal ?? null) &&
          (config.sensorConfig.sensingType ?? null) === (sensorConfig.sensingType ?? null),
      );
      const match =
        sameSensor.find((config) => config.physicalConfig.side === physicalConfig.side) ??
        sameSensor.find((config) => ['ANY', 'DOMINANT'].includes(config.physicalConfig.side));
      if (match) return match;
      const id = session.newId();
      await studies.putDefinition(
        studyId,
        { deviceConfigs: [...configs, { id, mode: 'UNSUPERVISED', physicalConfig, sensorConfig }] },
        change,
      );
      return (await studies.deviceConfigs(studyId)).find((config) => config.id === id) as DeviceConfigRecord;
    });
  }

  /** Role of a user in a study, or null without a membership. */
  async membershipRole(studyId: string, userId: string): Promise<Role | null> {
    const row = await this.session.db
      .selectFrom('membership')
      .select('role')
      .where('studyId', '=', studyId)
      .where('userId', '=', userId)
      .executeTakeFirst();
    return (row?.role as Role | undefined) ?? null;
  }

  /** The studies that a user is a member of, by id. */
  async rolesOf(userId: string): Promise<{ studyId: string; role: Role }[]> {
    const rows = await this.session.db
      .selectFrom('membership')
      .select(['studyId', 'role'])
      .where('userId', '=', userId)
      .orderBy('studyId')
      .execute();
    return rows.map(({ studyId, role }) => ({ studyId, role: role as Role }));
  }

  async members(studyId: string): Promise<{ userId: string; role: Role; createdTs: number }[]> {
    const rows = await this.session.db
      .selectFrom('membership')
      .select(['userId', 'role', 'createdTs'])
      .where('studyId', '=', studyId)
      .orderBy('createdTs')
      .orderBy('userId')
      .execute();
    return rows.map((row) => ({ ...row, role: row.role as Role }));
  }

  /** Gives a user a role in the study, or takes it away with null. @throws NOT_FOUND */
  async setMember(studyId: string, userId: string, role: Role | null, change: Change): Promise<void> {
    await this.session.write(async (session) => {
      const studies = new Studies(session);
      await studies.require(studyId);
      const old = await studies.membershipRole(studyId, userId);
      if (old === role) return;
      if (role === null) {
        await session.db.deleteFrom('membership').where('studyId', '=', studyId).where('userId', '=', userId).execute();
      } else {
        await session.db
          .insertInto('membership')
          .values({ studyId, userId, role, createdTs: session.clock() })
          .onConflict((conflict) => conflict.columns(['studyId', 'userId']).doUpdateSet({ role }))
          .execute();
      }
      await session.audit(change, {
        action: 'study.member',
        entityType: 'membership',
        entityId: userId,
        studyId,
        changes: { role: { old, new: role } },
      });
    });
  }

  async #set(
    old: StudyRecord,
    columns: Partial<StudyRow>,
    fields: Record<string, unknown>,
    action: string,
    change: Change,
  ): Promise<StudyRecord> {
    const changes: FieldChanges = changesBetween({ ...old }, fields);
    if (Object.keys(changes).length === 0) return old;
    const { db, clock } = this.session;
    await db
      .updateTable('study')
      .set({ ...columns, modifiedTs: clock() })
      .where('id', '=', old.id)
      .execute();
    await this.session.audit(change, { action, entityType: 'study', entityId: old.id, studyId: old.id, changes });
    return await this.require(old.id);
  }
}
