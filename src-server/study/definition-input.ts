/** The parts of a study's definition: as stored, as a caller gives them, and how given parts replace stored ones. */

import { type AnalysisParameters, isDefaultParameters } from '../vocabulary/analysis-parameters.ts';
import type { CsvTemplate } from '../vocabulary/csv-mapping.ts';
import type { TaskGuide } from '../vocabulary/problems.ts';
import { isDefaultTargets, type QualityTargets } from '../vocabulary/quality.ts';
import {
  type ActivityDefinition,
  type Definition,
  type DeviceConfigDefinition,
  type MetadataField,
  normalizeMetadataField,
  optionsOf,
  type QuestionDefinition,
  type TaskDefinition,
} from './definition.ts';
import type { Program, ProgramTask, TaskType } from './program.ts';

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
  guide?: TaskGuide;
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
  csvTemplates: CsvTemplate[];
  /** Absent: the defaults. */
  analysisParameters?: AnalysisParameters | undefined;
  /** Absent: the defaults. */
  qualityTargets?: QualityTargets | undefined;
}

/** A record of a definition as a caller gives it; without an id it is new. */
type Given<T extends { id: string }> = Omit<T, 'id' | 'pipelineIds'> & { id?: string; pipelineIds?: string[] };
type GivenTask<T extends TaskDefinition> = Omit<Given<T>, 'questions'> & {
  questions?: (Omit<QuestionDefinition, 'id'> & { id?: string })[];
};

/** Each part given replaces the stored one; a record keeps its identity when its id is given. */
export interface DefinitionInput {
  metadataFields?: MetadataField[];
  activities?: GivenTask<ActivityDefinition>[];
  diaries?: GivenTask<TaskDefinition>[];
  deviceConfigs?: Given<DeviceConfigDefinition>[];
  program?: { id?: string; days: number; tasks: ProgramTask[] } | null;
  csvTemplates?: CsvTemplate[];
  analysisParameters?: AnalysisParameters;
  qualityTargets?: QualityTargets;
}

/** The definition in a study's parts: without owners and times. */
export function definitionOf(study: StudyParts): Definition {
  return {
    metadataFields: study.metadataFields,
    activities: study.activities.map((task) => ({
      ...taskDefinitionOf(task),
      durationSec: task.durationSec ?? 0,
      instructions: task.instructions ?? '',
      ...(task.guide && { guide: task.guide }),
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
    csvTemplates: study.csvTemplates,
    // Only where something is chosen: what was signed before stays as it was.
    ...(study.analysisParameters && { analysisParameters: study.analysisParameters }),
    ...(study.qualityTargets && { qualityTargets: study.qualityTargets }),
  };
}

function taskDefinitionOf(task: TaskRecord): TaskDefinition {
  const { id, displayName, mode, pipelineIds } = task;
  const questions = task.questions.map((question) => {
    const { id: questionId, text, type, values } = question;
    return { id: questionId, text, type, values, ...optionsOf(question) };
  });
  return { id, displayName, mode, pipelineIds, questions };
}

/**
 * Returns the definition with the given parts in place of the old ones.
 * @param newId makes the ids of new records
 */
export function mergeDefinition(before: Definition, input: DefinitionInput, newId: () => string): Definition {
  const task = (given: GivenTask<TaskDefinition>) => ({
    ...given,
    id: given.id ?? newId(),
    displayName: given.displayName.trim(),
    pipelineIds: given.pipelineIds ?? [],
    questions: (given.questions ?? []).map((question) => ({
      id: question.id ?? newId(),
      text: question.text.trim(),
      type: question.type,
      values: question.type === 'BOOLEAN' ? ['YES', 'NO'] : question.values,
      ...optionsOf(question),
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
      input.activities?.map((given) => ({
        ...task(given),
        durationSec: given.durationSec,
        instructions: given.instructions,
        ...(given.guide && { guide: given.guide }),
      })) ?? before.activities,
    diaries: input.diaries?.map(task) ?? before.diaries,
    deviceConfigs:
      input.deviceConfigs?.map((config) => ({
        ...config,
        id: config.id ?? newId(),
        pipelineIds: config.pipelineIds ?? [],
      })) ?? before.deviceConfigs,
    program,
    csvTemplates: input.csvTemplates ?? before.csvTemplates,
    ...chosenOf(input.analysisParameters ?? before.analysisParameters),
    ...chosenTargets(input.qualityTargets ?? before.qualityTargets),
  };
}

/** The defaults are stored as nothing, like those of a study that never chose. */
const chosenOf = (parameters: AnalysisParameters | undefined): Pick<Definition, 'analysisParameters'> =>
  parameters === undefined || isDefaultParameters(parameters) ? {} : { analysisParameters: parameters };

const chosenTargets = (targets: QualityTargets | undefined): Pick<Definition, 'qualityTargets'> =>
  targets === undefined || isDefaultTargets(targets) ? {} : { qualityTargets: targets };

/**
 * Returns the device config that a recording belongs to: same place and side (a config of side ANY takes LEFT and RIGHT), same
 * signal and sensing type. Undefined when there is none.
 */
export function matchingDeviceConfig<C extends Pick<DeviceConfigRecord, 'physicalConfig' | 'sensorConfig'>>(
  configs: readonly C[],
  { physicalConfig, sensorConfig }: Pick<DeviceConfigRecord, 'physicalConfig' | 'sensorConfig'>,
): C | undefined {
  const sameSensor = configs.filter(
    (config) =>
      config.physicalConfig.location === physicalConfig.location &&
      (config.physicalConfig.signal ?? null) === (physicalConfig.signal ?? null) &&
      sensingTypeOf(config) === sensingTypeOf({ sensorConfig }),
  );
  return (
    sameSensor.find((config) => config.physicalConfig.side === physicalConfig.side) ??
    sameSensor.find((config) => ['ANY', 'DOMINANT'].includes(config.physicalConfig.side))
  );
}

/** Null and an empty text mean the same: the sensor named none. */
function sensingTypeOf({ sensorConfig }: Pick<DeviceConfigRecord, 'sensorConfig'>): unknown {
  return sensorConfig.sensingType || null;
}
