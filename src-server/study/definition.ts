/** The definition of a study (what interface.md calls activities, diaries, device configs, program, metadata fields) and its rules. */
import { type FieldError, OutpostError } from '../errors.ts';
import { type AnalysisParameters, canonicalParameters, completeParameters } from '../vocabulary/analysis-parameters.ts';
import { type CsvTemplate, mappingFaults } from '../vocabulary/csv-mapping.ts';
import type { TaskGuide } from '../vocabulary/problems.ts';
import type { QualityTargets } from '../vocabulary/quality.ts';
import { type DefinitionFault, definitionProblems } from './definition-rules.ts';
import { type LifecycleState, requireEdit } from './lifecycle.ts';
import type { Program } from './program.ts';
import type { PhysicalConfig } from './recording.ts';

export const METADATA_FIELD_TYPES = ['MULTIPLECHOICE', 'FREETEXT', 'NUMBER', 'BOOLEAN'] as const;
export type MetadataFieldType = (typeof METADATA_FIELD_TYPES)[number];

export interface MetadataField {
  displayName: string;
  type: MetadataFieldType;
  values: string[];
}

/** What a question may have beyond text, type and choices; absent members are what every question was before there were any. */
export interface QuestionOptions {
  /** NUMERIC: shown beside the number, and kept with the answer. */
  unit?: string | undefined;
  /** MULTIPLECHOICE: `false` allows one choice only. */
  isMultiple?: boolean | undefined;
  /** The subject is asked once more before skipping it. */
  isRequired?: boolean | undefined;
  /** Asked only after one of these answers to an earlier question of the task. */
  showIf?: { questionId: string; values: string[] } | undefined;
}

export interface QuestionDefinition extends QuestionOptions {
  id: string;
  text: string;
  type: string;
  values: string[];
}

/** The options that say something: what was signed and stored before there were any stays as it was. */
export function optionsOf(question: QuestionOptions & { type: string }): QuestionOptions {
  const { type, isMultiple, isRequired, showIf } = question;
  const unit = type === 'NUMERIC' ? question.unit?.trim() : undefined;
  return {
    ...(unit && { unit }),
    ...(type === 'MULTIPLECHOICE' && isMultiple === false && { isMultiple }),
    ...(isRequired && { isRequired }),
    ...(showIf && { showIf: { questionId: showIf.questionId, values: [...showIf.values] } }),
  };
}

export interface TaskDefinition {
  id: string;
  displayName: string;
  mode: string;
  pipelineIds: string[];
  questions: QuestionDefinition[];
}

export interface ActivityDefinition extends TaskDefinition {
  durationSec: number;
  instructions: string;
  /** The phone guides the subject through it itself. */
  guide?: TaskGuide;
}

export interface DeviceConfigDefinition {
  id: string;
  mode: string;
  pipelineIds: string[];
  sourceId?: string;
  physicalConfig: PhysicalConfig;
  sensorConfig: Record<string, unknown>;
}

export interface Definition {
  metadataFields: MetadataField[];
  activities: ActivityDefinition[];
  diaries: TaskDefinition[];
  deviceConfigs: DeviceConfigDefinition[];
  program: Program | null;
  /** How delimited texts of the study are read. */
  csvTemplates: CsvTemplate[];
  /** Absent: the defaults. */
  analysisParameters?: AnalysisParameters | undefined;
  /** Absent: the defaults. */
  qualityTargets?: QualityTargets | undefined;
}

/** Normalizes a metadata field: YES and NO for BOOLEAN, no values for FREETEXT and NUMBER. */
export function normalizeMetadataField(field: MetadataField): MetadataField {
  const values = field.type === 'MULTIPLECHOICE' ? field.values : field.type === 'BOOLEAN' ? ['YES', 'NO'] : [];
  return { displayName: field.displayName, type: field.type, values: [...values] };
}

const SENTENCES: Record<DefinitionFault, string> = {
  name: 'Every task and every field needs a name.',
  question: 'A question needs a text.',
  choices: 'A choice needs at least one option.',
  twice: 'The options of a choice must differ from one another.',
  range: 'A range needs exactly two values, which are numbers: the lower bound, then the upper bound.',
  sameField: 'Two fields have the same name.',
  condition:
    'A condition needs an earlier question of the task, which is a choice or yes/no, and at least one of its answers.',
  window: 'A window must end later than it starts, on the same day.',
};

/** Returns the errors of a definition, with paths as in the API. Errors that `before` has already are left out. */
export function definitionErrors(definition: Definition, before?: Definition): FieldError[] {
  const ruled = (one: Definition) => ({ ...one, subjectMetadataFields: one.metadataFields });
  const errors: FieldError[] = definitionProblems(ruled(definition), before && ruled(before)).map(
    ({ path, fault }) => ({ path, message: SENTENCES[fault] }),
  );
  const ids = [...definition.activities, ...definition.diaries].map((task) => task.id);
  if (new Set(ids).size < ids.length) errors.push({ path: 'activities', message: 'Two tasks have the same id.' });
  return [...errors, ...programReferenceErrors(definition), ...templateErrors(definition)];
}

function templateErrors({ csvTemplates }: Definition): FieldError[] {
  const errors: FieldError[] = [];
  const names = new Set<string>();
  for (const [index, { displayName, mapping }] of csvTemplates.entries()) {
    const path = `csvTemplates.${index}`;
    if (names.has(displayName))
      errors.push({ path: `${path}.displayName`, message: 'Two file templates have the same name.' });
    names.add(displayName);
    for (const { path: place, fault } of mappingFaults(mapping))
      errors.push({ path: `${path}.mapping.${place}`, message: `The mapping of columns cannot be used (${fault}).` });
  }
  return errors;
}

function programReferenceErrors(definition: Definition): FieldError[] {
  const { program } = definition;
  if (!program) return [];
  const ids = {
    activity: new Set(definition.activities.map((task) => task.id)),
    diary: new Set(definition.diaries.map((task) => task.id)),
  };
  const errors: FieldError[] = [];
  program.tasks.forEach((task, index) => {
    if (!ids[task.type].has(task.taskId)) {
      errors.push({
        path: `program.tasks.${index}.taskId`,
        message: `The study has no ${task.type} with this id.`,
      });
    }
  });
  return errors;
}

/**
 * Checks a change of definition against the state of the study: in a running study the definition may only grow.
 * @throws STUDY_STATE when something would be removed or change its meaning, as parameters of the analysis would, or the study is
 *   complete
 */
export function requireDefinitionChange(state: LifecycleState, before: Definition, after: Definition): void {
  requireEdit(state, 'add-definition');
  if (state === 'INITIALIZED') return;
  if (!haveSameParameters(before, after)) {
    throw new OutpostError(
      'STUDY_STATE',
      'The study has started, so the parameters of its analysis are fixed: results of two methods would mix. They change only when an analysis run with other parameters is adopted.',
    );
  }
  const lost = lostBy(before, after);
  if (lost) {
    throw new OutpostError('STUDY_STATE', `The study is running, so its definition only grows: ${lost}`);
  }
}

const haveSameParameters = (before: Definition, after: Definition): boolean =>
  canonicalParameters(completeParameters(before.analysisParameters)) ===
  canonicalParameters(completeParameters(after.analysisParameters));

function lostBy(before: Definition, after: Definition): string | null {
  for (const [kind, old, now] of [
    ['activity', before.activities, after.activities],
    ['diary', before.diaries, after.diaries],
  ] as const) {
    const byId = new Map<string, TaskDefinition>(now.map((task) => [task.id, task]));
    for (const task of old) {
      const next = byId.get(task.id);
      if (!next) return `the ${kind} ${task.displayName} cannot be removed.`;
      const questions = new Map(next.questions.map((question) => [question.id, question]));
      for (const question of task.questions) {
        const kept = questions.get(question.id);
        if (!kept) return `a question of ${task.displayName} cannot be removed.`;
        if (kept.type !== question.type || !question.values.every((value) => kept.values.includes(value))) {
          return `a question of ${task.displayName} cannot change its type or lose choices.`;
        }
        if (kept.unit !== question.unit) return `a question of ${task.displayName} cannot change its unit.`;
        if (question.isMultiple !== false && kept.isMultiple === false) {
          return `a question of ${task.displayName} cannot be limited to one choice.`;
        }
      }
    }
  }
  const configs = new Set(after.deviceConfigs.map((config) => config.id));
  if (before.deviceConfigs.some((config) => !configs.has(config.id)))
    return 'a device configuration cannot be removed.';
  for (const field of before.metadataFields) {
    const kept = after.metadataFields.find((candidate) => candidate.displayName === field.displayName);
    if (!kept) return `the field ${field.displayName} cannot be removed.`;
    if (kept.type !== field.type || !field.values.every((value) => kept.values.includes(value))) {
      return `the field ${field.displayName} cannot change its type or lose options.`;
    }
  }
  if (before.program) {
    if (!after.program || after.program.days < before.program.days) return 'the program cannot become shorter.';
    for (const task of before.program.tasks) {
      if (!after.program.tasks.some((next) => next.taskId === task.taskId && coversDays(next.days, task.days))) {
        return 'a scheduled task cannot be taken out of the program.';
      }
    }
  }
  return null;
}

function coversDays(days: 'daily' | number[], needed: 'daily' | number[]): boolean {
  if (days === 'daily') return true;
  return needed !== 'daily' && needed.every((day) => days.includes(day));
}
