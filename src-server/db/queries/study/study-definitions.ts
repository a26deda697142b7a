/** The definition of a study in its tables: tasks with their questions, device configs, and every version of the whole. */

import { OutpostError } from '../../../errors.ts';
import type { PhysicalConfig } from '../../../signals/types.ts';
import {
  type ActivityDefinition,
  type Definition,
  type DeviceConfigDefinition,
  type MetadataField,
  normalizeMetadataField,
  type QuestionDefinition,
  type TaskDefinition,
  type TaskType,
} from '../../../study/definition.ts';
import type { Program, ProgramTask } from '../../../study/program.ts';
import { canonicalJson } from '../../session.ts';
import { Queries } from '../queries.ts';
import { absent, anyOf, parseJson } from '../shared.ts';

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

/** The parts of a study that its definition is made of. */
export interface StudyParts {
  metadataFields: MetadataField[];
  activities: TaskRecord[];
  diaries: TaskRecord[];
  deviceConfigs: DeviceConfigRecord[];
  program: Program | null;
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

/** What of a study's parts its definition keeps. */
export function definitionOf(study: StudyParts): Definition {
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

export class StudyDefinitions extends Queries {
  /** Device configs by their order. */
  async deviceConfigs(studyId: string): Promise<DeviceConfigRecord[]> {
    const rows = await this.session.db
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

  /** Activities and diaries by their order, with their questions. */
  async tasks(studyId: string): Promise<TaskRecord[]> {
    const { db } = this.session;
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

  /** The definition with the parts that are given in place of the old ones; new records get an id. */
  merge(before: Definition, input: DefinitionInput): Definition {
    const { newId } = this.session;
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

  /** Writes what differs, and the whole as a version of its own. Runs inside the caller's transaction. */
  async store(study: { id: string; definitionVersion: number }, before: Definition, after: Definition): Promise<void> {
    const { db, clock } = this.session;
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
    const { db, clock } = this.session;
    const now = clock();
    const kept = new Set(after.map((task) => task.id));
    const removed = before.filter((task) => !kept.has(task.id)).map((task) => task.id);
    if (removed.length > 0) await db.deleteFrom('task').where('id', 'in', anyOf(removed)).execute();
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
    const { db, clock } = this.session;
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
    const { db, clock } = this.session;
    const now = clock();
    const kept = new Set(after.map((config) => config.id));
    const removed = before.filter((config) => !kept.has(config.id)).map((config) => config.id);
    if (removed.length > 0) await db.deleteFrom('deviceConfig').where('id', 'in', anyOf(removed)).execute();
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
