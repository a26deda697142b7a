/** The definition of a study as one JSON document, to keep, to read and to bring into another study. */
import type { StudyDetailRecord, TaskRecord } from '../db/index.ts';

/** Set in every document, so that another file is not taken for one. */
export const DEFINITION_FORMAT = 'outpost-study-definition';
export const DEFINITION_VERSION = 1;

function taskOf(task: TaskRecord) {
  return {
    id: task.id,
    displayName: task.displayName,
    mode: task.mode,
    pipelineIds: task.pipelineIds,
    questions: task.questions.map(({ id, text, type, values }) => ({ id, text, type, values })),
  };
}

/** Times and owners are left out: they belong to the study, not to its definition. */
export function definitionDocument(study: StudyDetailRecord) {
  const { program } = study;
  return {
    format: DEFINITION_FORMAT,
    formatVersion: DEFINITION_VERSION,
    subjectMetadataFields: study.metadataFields,
    activities: study.activities.map((task) => ({
      ...taskOf(task),
      durationSec: task.durationSec ?? 0,
      instructions: task.instructions ?? '',
    })),
    diaries: study.diaries.map(taskOf),
    deviceConfigs: study.deviceConfigs.map(({ id, mode, pipelineIds, sourceId, physicalConfig, sensorConfig }) => ({
      id,
      mode,
      pipelineIds,
      ...(sourceId === undefined ? {} : { sourceId }),
      physicalConfig,
      sensorConfig,
    })),
    ...(program
      ? {
          program: {
            days: program.days,
            tasks: program.tasks.map(({ taskId, type, days, window }) => ({
              taskId,
              type,
              days,
              ...(window ? { window } : {}),
            })),
          },
        }
      : {}),
  };
}
