/** Statements on the definition of a study: tasks with their questions, device configs, and every version of the definition. */

import { OutpostError } from '../../../errors.ts';
import { canonicalJson } from '../../../study/changes.ts';
import {
  type ActivityDefinition,
  type Definition,
  type DeviceConfigDefinition,
  optionsOf,
  type TaskDefinition,
} from '../../../study/definition.ts';
import type { DeviceConfigRecord, TaskRecord } from '../../../study/definition-input.ts';
import type { TaskType } from '../../../study/program.ts';
import { TABLES } from '../../schema.ts';
import { Queries } from '../queries.ts';
import { anyOf } from '../shared.ts';

/** Rejects an id of another study's record where the caller meant to keep one of its own. */
function requireOwnId(storedRows: bigint | undefined, id: string): void {
  if (storedRows === 1n) return;
  throw new OutpostError('INVALID_INPUT', `The id ${id} belongs to another record. Omit it to create a new one.`);
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
    return rows.map(({ position: _position, ...row }) => TABLES.deviceConfig.toRecord(row));
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
      ...TABLES.task.toRecord(row),
      order: position,
      ...(durationSec !== null && { durationSec }),
      ...(instructions !== null && { instructions }),
      questions: (byTask.get(row.id) ?? []).map((question) => {
        const { id, text, type, choices, createdTs, options } = TABLES.question.toRecord(question);
        return { id, text, type, values: choices, createdTs, ...options };
      }),
    }));
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
        csvTemplates: canonicalJson(after.csvTemplates),
        analysisParameters: after.analysisParameters ? canonicalJson(after.analysisParameters) : null,
        qualityTargets: after.qualityTargets ? canonicalJson(after.qualityTargets) : null,
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
        guide: type === 'activity' ? (task.guide ?? null) : null,
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
      const options = optionsOf(question);
      const columns = {
        position,
        text: question.text,
        type: question.type,
        choices: JSON.stringify(question.values),
        options: Object.keys(options).length > 0 ? JSON.stringify(options) : null,
      };
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
