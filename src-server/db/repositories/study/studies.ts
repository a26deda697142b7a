import { type Selectable, sql } from 'kysely';
import { OutpostError } from '../../../errors.ts';
import type { PhysicalConfig } from '../../../signals/types.ts';
import {
  type ActivityDefinition,
  type Definition,
  type DeviceConfigDefinition,
  definitionErrors,
  type MetadataField,
  normalizeMetadataField,
  type QuestionDefinition,
  requireDefinitionChange,
  type TaskDefinition,
  type TaskType,
} from '../../../study/definition.ts';
import {
  type LifecycleState,
  type LifecycleStep,
  nextState,
  requireArchivable,
  requireEdit,
} from '../../../study/lifecycle.ts';
import type { Role } from '../../../study/permissions.ts';
import type { Program, ProgramHistory, ProgramTask, ProgramVersion } from '../../../study/program.ts';
import type { Tables } from '../../schema.ts';
import {
  authorOf,
  type Change,
  canonicalJson,
  changesBetween,
  changesFromNothing,
  type FieldChanges,
  type Session,
} from '../../session.ts';
import { absent, flag, notFound, parseJson } from '../shared.ts';

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

export interface QuestionRecord extends QuestionDefinition {
  createdTs: number;
}

export interface TaskRecord extends TaskDefinition {
  studyId: string;
  type: TaskType;
  order: number;
  questions: QuestionRecord[];
  /** Activities only. */
  durationSec?: number;
  instructions?: string;
  createdTs: number;
  modifiedTs: number;
}

export interface DeviceConfigRecord extends DeviceConfigDefinition {
  studyId: string;
  createdTs: number;
  modifiedTs: number;
}

export interface StudyDetailRecord extends StudyRecord {
  activities: TaskRecord[];
  diaries: TaskRecord[];
  deviceConfigs: DeviceConfigRecord[];
}

/** A record of a definition as it is given: without an id it is new. */
type Given<T extends { id: string }> = Omit<T, 'id' | 'pipelineIds'> & { id?: string; pipelineIds?: string[] };
type GivenTask<T extends TaskDefinition> = Omit<Given<T>, 'questions'> & {
  questions?: (Omit<QuestionDefinition, 'id'> & { id?: string })[];
};

/** Each part that is given replaces that part; records keep their id when it is given. */
export interface DefinitionInput {
  metadataFields?: MetadataField[];
  activities?: GivenTask<ActivityDefinition>[];
  diaries?: GivenTask<TaskDefinition>[];
  deviceConfigs?: Given<DeviceConfigDefinition>[];
  program?: { id?: string; days: number; tasks: ProgramTask[] } | null;
}

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

function definitionOf(study: StudyDetailRecord): Definition {
  return {
    metadataFields: study.metadataFields,
    activities: study.activities.map((task) => ({
      ...taskDefinitionOf(task),
      durationSec: task.durationSec ?? 0,
      instructions: task.instructions ?? '',
    })),
    diaries: study.diaries.map(taskDefinitionOf),
    deviceConfigs: study.deviceConfigs.map(({ id, mode, pipelineIds, sourceId, physicalConfig, sensorConfig }) => ({
      id,
      mode,
      pipelineIds,
      sourceId,
      physicalConfig,
      sensorConfig,
    })),
    program: study.program,
  };
}

function taskDefinitionOf(task: TaskRecord): TaskDefinition {
  const { id, displayName, mode, pipelineIds } = task;
  const questions = task.questions.map(({ id: questionId, text, type, values }) => ({
    id: questionId,
    text,
    type,
    values,
  }));
  return { id, displayName, mode, pipelineIds, questions };
}

/** An id that a caller gives to keep a record must be of that record, not of another study's. */
function requireOwnId(storedRows: bigint | undefined, id: string): void {
  if (storedRows === 1n) return;
  throw new OutpostError('INVALID_INPUT', `The id ${id} belongs to something else. Leave it out for a new record.`);
}

export class Studies {
  readonly #session: Session;

  constructor(session: Session) {
    this.#session = session;
  }

  async create(
    input: { id?: string; accountId: string; displayName: string; title?: string; definition?: DefinitionInput },
    change: Change,
  ): Promise<StudyRecord> {
    return await this.#session.write(async (session) => {
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
    const row = await this.#session.db.selectFrom('study').selectAll().where('id', '=', id).executeTakeFirst();
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
    const tasks = await this.#tasks(id);
    return {
      ...study,
      activities: tasks.filter((task) => task.type === 'activity'),
      diaries: tasks.filter((task) => task.type === 'diary'),
      deviceConfigs: await this.deviceConfigs(id),
    };
  }

  /** Studies of an account by creation, then id; with `userId`, only those in which that user is a member. */
  async list(accountId: string, filter: { memberId?: string } = {}): Promise<StudyRecord[]> {
    let query = this.#session.db.selectFrom('study').selectAll('study').where('study.accountId', '=', accountId);
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
    return await this.#session.write(async (session) => {
      const studies = new Studies(session);
      const old = await studies.require(id);
      requireEdit(old.lifecycleState, 'rename');
      return await studies.#set(old, fields, { ...fields }, 'study.update', change);
    });
  }

  /** Archived studies stay as they are but go out of sight. @throws NOT_FOUND, STUDY_STATE (archiving a running one) */
  async setArchived(id: string, isArchived: boolean, change: Change): Promise<StudyRecord> {
    return await this.#session.write(async (session) => {
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
    done: { file: string; requestedTs: number; sizeBytes: number },
    change: Change,
  ): Promise<StudyRecord> {
    return await this.#session.write(async (session) => {
      const studies = new Studies(session);
      const old = await studies.require(id);
      const columns = { exportFile: done.file, exportRequestedTs: done.requestedTs, exportSizeBytes: done.sizeBytes };
      return await studies.#set(old, columns, { export: done }, 'study.export', change);
    });
  }

  /**
   * Moves the study along its life. Starting sets the program's start of every subject that has none.
   * Writes STUDY_STARTED on start and reopen, STUDY_STOPPED on stop.
   * @throws NOT_FOUND, STUDY_STATE, INVALID_INPUT (reopen without a reason)
   */
  async move(id: string, step: LifecycleStep, change: Change): Promise<StudyRecord> {
    return await this.#session.write(async (session) => {
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
    return await this.#session.write(async (session) => {
      const studies = new Studies(session);
      const study = await studies.getDetail(id);
      if (!study) throw notFound('study');
      const before = definitionOf(study);
      const after = studies.#merge(before, input);
      requireDefinitionChange(study.lifecycleState, before, after);
      const errors = definitionErrors(after);
      if (errors.length > 0) {
        throw new OutpostError('INVALID_INPUT', `The definition was not saved: ${errors[0].message}`, { errors });
      }
      const changes = changesBetween({ ...before }, { ...after });
      if (Object.keys(changes).length === 0) return study;
      await studies.#storeDefinition(study, before, after);
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
    const rows = await this.#session.db
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
    const { db } = this.#session;
    const rows = await db.selectFrom('task').select(['id', 'displayName']).where('studyId', '=', studyId).execute();
    return new Map(rows.map(({ id, displayName }) => [id, displayName]));
  }

  /** The program as the study was started with it, then each change since; before the start only the present one. */
  async programHistory(study: Pick<StudyRecord, 'id' | 'startedTs' | 'program'>): Promise<ProgramHistory> {
    const { id, startedTs } = study;
    if (startedTs === undefined) return [{ fromTs: 0, program: study.program }];
    const rows = await this.#session.db
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
  async deviceConfigs(studyId: string): Promise<DeviceConfigRecord[]> {
    const rows = await this.#session.db
      .selectFrom('deviceConfig')
      .selectAll()
      .where('studyId', '=', studyId)
      .orderBy('position')
      .orderBy('id')
      .execute();
    return rows.map(({ position: _position, ...row }) => ({
      ...row,
      sourceId: absent(row.sourceId),
      pipelineIds: parseJson<string[]>(row.pipelineIds),
      physicalConfig: parseJson<PhysicalConfig>(row.physicalConfig),
      sensorConfig: parseJson<Record<string, unknown>>(row.sensorConfig),
    }));
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
    return await this.#session.write(async (session) => {
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
    const row = await this.#session.db
      .selectFrom('membership')
      .select('role')
      .where('studyId', '=', studyId)
      .where('userId', '=', userId)
      .executeTakeFirst();
    return (row?.role as Role | undefined) ?? null;
  }

  async members(studyId: string): Promise<{ userId: string; role: Role; createdTs: number }[]> {
    const rows = await this.#session.db
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
    await this.#session.write(async (session) => {
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
    const { db, clock } = this.#session;
    await db
      .updateTable('study')
      .set({ ...columns, modifiedTs: clock() })
      .where('id', '=', old.id)
      .execute();
    await this.#session.audit(change, { action, entityType: 'study', entityId: old.id, studyId: old.id, changes });
    return await this.require(old.id);
  }

  async #tasks(studyId: string): Promise<TaskRecord[]> {
    const { db } = this.#session;
    const rows = await db
      .selectFrom('task')
      .selectAll()
      .where('studyId', '=', studyId)
      .orderBy('position')
      .orderBy('id')
      .execute();
    const questions = await db
      .selectFrom('question')
      .innerJoin('task', 'task.id', 'question.taskId')
      .selectAll('question')
      .where('task.studyId', '=', studyId)
      .orderBy('question.position')
      .execute();
    const byTask = Map.groupBy(questions, (question) => question.taskId);
    return rows.map(({ position, durationSec, instructions, ...row }) => ({
      ...row,
      type: row.type as TaskType,
      order: position,
      pipelineIds: parseJson<string[]>(row.pipelineIds),
      ...(durationSec !== null && { durationSec }),
      ...(instructions !== null && { instructions }),
      questions: (byTask.get(row.id) ?? []).map(({ id, text, type, choices, createdTs }) => ({
        id,
        text,
        type,
        values: parseJson<string[]>(choices),
        createdTs,
      })),
    }));
  }

  #merge(before: Definition, input: DefinitionInput): Definition {
    const { newId } = this.#session;
    const task = <T extends TaskDefinition>(given: GivenTask<T>) => ({
      ...given,
      id: given.id ?? newId(),
      displayName: given.displayName.trim(),
      pipelineIds: given.pipelineIds ?? [],
      questions: (given.questions ?? []).map((question) => ({
        id: question.id ?? newId(),
        text: question.text.trim(),
        type: question.type,
        values: question.type === 'BOOLEAN' ? ['YES', 'NO'] : question.values,
      })),
    });
    let program = before.program;
    if (input.program !== undefined) {
      program = input.program && {
        id: input.program.id ?? before.program?.id ?? newId(),
        days: input.program.days,
        tasks: input.program.tasks,
      };
    }
    return {
      metadataFields: input.metadataFields?.map(normalizeMetadataField) ?? before.metadataFields,
      activities:
        (input.activities?.map((given) => task<ActivityDefinition>(given)) as ActivityDefinition[]) ??
        before.activities,
      diaries: (input.diaries?.map((given) => task<TaskDefinition>(given)) as TaskDefinition[]) ?? before.diaries,
      deviceConfigs:
        input.deviceConfigs?.map((config) => ({
          ...config,
          id: config.id ?? newId(),
          pipelineIds: config.pipelineIds ?? [],
        })) ?? before.deviceConfigs,
      program,
    };
  }

  async #storeDefinition(study: StudyRecord, before: Definition, after: Definition): Promise<void> {
    const { db, clock } = this.#session;
    const now = clock();
    await this.#storeTasks(study.id, 'activity', before.activities, after.activities);
    await this.#storeTasks(study.id, 'diary', before.diaries, after.diaries);
    await this.#storeDeviceConfigs(study.id, before.deviceConfigs, after.deviceConfigs);
    const version = study.definitionVersion + 1;
    await db
      .updateTable('study')
      .set({
        metadataFields: canonicalJson(after.metadataFields),
        program: after.program === null ? null : canonicalJson(after.program),
        definitionVersion: version,
        modifiedTs: now,
      })
      .where('id', '=', study.id)
      .execute();
    await db
      .insertInto('definitionVersion')
      .values({ studyId: study.id, version, createdTs: now, definition: canonicalJson(after) })
      .execute();
  }

  async #storeTasks(
    studyId: string,
    type: TaskType,
    before: readonly TaskDefinition[],
    after: readonly (TaskDefinition & Partial<ActivityDefinition>)[],
  ): Promise<void> {
    const { db, clock } = this.#session;
    const now = clock();
    const kept = new Set(after.map((task) => task.id));
    const removed = before.filter((task) => !kept.has(task.id)).map((task) => task.id);
    if (removed.length > 0) await db.deleteFrom('task').where('id', 'in', removed).execute();
    const old = new Map(before.map((task, position) => [task.id, canonicalJson({ task, position })]));
    for (const [position, task] of after.entries()) {
      if (old.get(task.id) === canonicalJson({ task, position })) continue;
      const columns = {
        displayName: task.displayName,
        mode: task.mode,
        position,
        pipelineIds: JSON.stringify(task.pipelineIds),
        durationSec: type === 'activity' ? (task.durationSec ?? 0) : null,
        instructions: type === 'activity' ? (task.instructions ?? '') : null,
        modifiedTs: now,
      };
      const stored = await db
        .insertInto('task')
        .values({ id: task.id, studyId, type, createdTs: now, ...columns })
        .onConflict((conflict) =>
          conflict.column('id').doUpdateSet(columns).where('task.studyId', '=', studyId).where('task.type', '=', type),
        )
        .executeTakeFirst();
      requireOwnId(stored.numInsertedOrUpdatedRows, task.id);
      await this.#storeQuestions(task);
    }
  }

  async #storeQuestions(task: TaskDefinition): Promise<void> {
    const { db, clock } = this.#session;
    const ids = task.questions.map((question) => question.id);
    let stale = db.deleteFrom('question').where('taskId', '=', task.id);
    if (ids.length > 0) stale = stale.where('id', 'not in', ids);
    await stale.execute();
    for (const [position, question] of task.questions.entries()) {
      const columns = { position, text: question.text, type: question.type, choices: JSON.stringify(question.values) };
      const stored = await db
        .insertInto('question')
        .values({ id: question.id, taskId: task.id, createdTs: clock(), ...columns })
        .onConflict((conflict) => conflict.column('id').doUpdateSet(columns).where('question.taskId', '=', task.id))
        .executeTakeFirst();
      requireOwnId(stored.numInsertedOrUpdatedRows, question.id);
    }
  }

  async #storeDeviceConfigs(
    studyId: string,
    before: readonly DeviceConfigDefinition[],
    after: readonly DeviceConfigDefinition[],
  ): Promise<void> {
    const { db, clock } = this.#session;
    const now = clock();
    const kept = new Set(after.map((config) => config.id));
    const removed = before.filter((config) => !kept.has(config.id)).map((config) => config.id);
    if (removed.length > 0) await db.deleteFrom('deviceConfig').where('id', 'in', removed).execute();
    const old = new Map(before.map((config, position) => [config.id, canonicalJson({ config, position })]));
    for (const [position, config] of after.entries()) {
      if (old.get(config.id) === canonicalJson({ config, position })) continue;
      const columns = {
        mode: config.mode,
        position,
        pipelineIds: JSON.stringify(config.pipelineIds),
        sourceId: config.sourceId ?? null,
        physicalConfig: JSON.stringify(config.physicalConfig),
        sensorConfig: JSON.stringify(config.sensorConfig),
        modifiedTs: now,
      };
      const stored = await db
        .insertInto('deviceConfig')
        .values({ id: config.id, studyId, createdTs: now, ...columns })
        .onConflict((conflict) =>
          conflict.column('id').doUpdateSet(columns).where('deviceConfig.studyId', '=', studyId),
        )
        .executeTakeFirst();
      requireOwnId(stored.numInsertedOrUpdatedRows, config.id);
    }
  }
}
