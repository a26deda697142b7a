/**
 * The definition of a study as a JSON document, to archive, read or import into another study. Its ids only link the program to its
 * tasks; in another study the records get new ids.
 */

import { type AnalysisParameters, completeParameters } from '../vocabulary/analysis-parameters.ts';
import type { CsvTemplate } from '../vocabulary/csv-mapping.ts';
import { DEFAULT_QUALITY_TARGETS, type QualityTargets } from '../vocabulary/quality.ts';
import {
  type ActivityDefinition,
  type DeviceConfigDefinition,
  type MetadataField,
  optionsOf,
  type TaskDefinition,
} from './definition.ts';
import type { DefinitionInput, StudyParts, TaskRecord } from './definition-input.ts';
import type { ProgramTask } from './program.ts';

/** Marks a file as such a document. */
const DEFINITION_FORMAT = 'outpost-study-definition';
const DEFINITION_VERSION = 1;

export interface DefinitionDocument {
  format: typeof DEFINITION_FORMAT;
  formatVersion: typeof DEFINITION_VERSION;
  subjectMetadataFields: MetadataField[];
  activities: ActivityDefinition[];
  diaries: TaskDefinition[];
  deviceConfigs: DeviceConfigDefinition[];
  program?: { days: number; tasks: ProgramTask[] };
  /** Absent in documents of earlier versions, which leave those of the study as they are. */
  csvTemplates?: CsvTemplate[];
  /** Absent in documents of earlier versions, which leave those of the study as they are. */
  analysisParameters?: AnalysisParameters;
  /** Absent in documents of earlier versions and where they are the defaults: those of the study stay. */
  qualityTargets?: QualityTargets;
}

function taskOf({ id, displayName, mode, pipelineIds, questions }: TaskRecord): TaskDefinition {
  return {
    id,
    displayName,
    mode,
    pipelineIds,
    questions: questions.map((question) => ({
      id: question.id,
      text: question.text,
      type: question.type,
      values: question.values,
      ...optionsOf(question),
    })),
  };
}

/** Returns the document of a study. Times and owners are left out; they are not part of the definition. */
export function definitionDocument(study: StudyParts): DefinitionDocument {
  const { program } = study;
  return {
    format: DEFINITION_FORMAT,
    formatVersion: DEFINITION_VERSION,
    subjectMetadataFields: study.metadataFields,
    activities: study.activities.map((task) => ({
      ...taskOf(task),
      durationSec: task.durationSec ?? 0,
      instructions: task.instructions ?? '',
      ...(task.guide && { guide: task.guide }),
    })),
    diaries: study.diaries.map(taskOf),
    deviceConfigs: study.deviceConfigs.map(({ id, mode, pipelineIds, sourceId, physicalConfig, sensorConfig }) => ({
      id,
      mode,
      pipelineIds,
      ...(sourceId !== undefined && { sourceId }),
      physicalConfig,
      sensorConfig,
    })),
    // Only where there are some: documents that were signed before stay as they were.
    ...(study.csvTemplates.length > 0 && { csvTemplates: study.csvTemplates }),
    analysisParameters: completeParameters(study.analysisParameters),
    // As the templates.
    ...(study.qualityTargets && { qualityTargets: study.qualityTargets }),
    ...(program && {
      program: {
        days: program.days,
        tasks: program.tasks.map(({ taskId, type, days, window }) => ({
          taskId,
          type,
          days,
          ...(window && { window }),
        })),
      },
    }),
  };
}

/**
 * The whole definition that a document describes, for a study. Records that the study has keep their ids, so that a
 * document changed by hand changes those records; all others get new ones.
 * @param newId makes the id of a new record
 */
export function definitionOfDocument(
  document: DefinitionDocument,
  study: StudyParts,
  newId: () => string,
): Required<DefinitionInput> {
  const ownTemplates = new Set(study.csvTemplates.map(({ id }) => id));
  const ownTasks = { activity: study.activities, diary: study.diaries };
  const taskIds = new Map<string, string>();
  const keyOf = (type: keyof typeof ownTasks, id: string) => `${type} ${id}`;
  const task = <T extends TaskDefinition>(type: keyof typeof ownTasks, given: T): T => {
    const own = ownTasks[type].find(({ id }) => id === given.id);
    const id = own ? own.id : newId();
    taskIds.set(keyOf(type, given.id), id);
    const isOwn = (questionId: string) => own?.questions.some((known) => known.id === questionId);
    const questionIds = new Map(given.questions.map(({ id: old }) => [old, isOwn(old) ? old : newId()]));
    const questions = given.questions.map((question) => ({
      ...question,
      id: questionIds.get(question.id) ?? newId(),
      // A question that the document does not define is kept, and the study's rules reject it with its path.
      ...(question.showIf && {
        showIf: {
          ...question.showIf,
          questionId: questionIds.get(question.showIf.questionId) ?? question.showIf.questionId,
        },
      }),
    }));
    return { ...given, id, questions };
  };
  const activities = document.activities.map((given) => task('activity', given));
  const diaries = document.diaries.map((given) => task('diary', given));
  const configIds = new Set(study.deviceConfigs.map(({ id }) => id));
  const { program } = document;
  return {
    metadataFields: document.subjectMetadataFields,
    activities,
    diaries,
    deviceConfigs: document.deviceConfigs.map((config) => ({
      ...config,
      id: configIds.has(config.id) ? config.id : newId(),
    })),
    csvTemplates: (document.csvTemplates ?? study.csvTemplates).map((template) => ({
      ...template,
      id: ownTemplates.has(template.id) ? template.id : newId(),
    })),
    analysisParameters: document.analysisParameters ?? completeParameters(study.analysisParameters),
    qualityTargets: document.qualityTargets ?? study.qualityTargets ?? DEFAULT_QUALITY_TARGETS,
    program: program
      ? {
          days: program.days,
          // An id that the document does not define is kept, and the study's rules reject it with its path.
          tasks: program.tasks.map((entry) => ({
            ...entry,
            taskId: taskIds.get(keyOf(entry.type, entry.taskId)) ?? entry.taskId,
          })),
        }
      : null,
  };
}
