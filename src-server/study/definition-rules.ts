/**
 * Rules that every definition must meet, shared by the site, which rejects, and the desk, which warns while editing. They cover questions that a
 * subject could not answer and parts that could not be distinguished; lengths and formats are checked by the contract. Pure.
 */

import { DECIDING_TYPES } from '../vocabulary/study.ts';

export type DefinitionFault =
  | 'name'
  | 'question'
  | 'choices'
  | 'twice'
  | 'range'
  | 'condition'
  | 'sameField'
  | 'window';

export interface DefinitionProblem {
  /** As in the API: `diaries.0.questions.1.values`. */
  path: string;
  fault: DefinitionFault;
}

interface RuledQuestion {
  id?: string | undefined;
  showIf?: { questionId: string; values: readonly string[] } | undefined;
  text: string;
  type: string;
  values: readonly string[];
}

interface RuledTask {
  displayName: string;
  questions: readonly RuledQuestion[];
}

export interface RuledDefinition {
  subjectMetadataFields: readonly { displayName: string; type: string; values: readonly string[] }[];
  activities: readonly RuledTask[];
  diaries: readonly RuledTask[];
  /** Times of day as hh:mm. */
  program?: { tasks: readonly { taskId: string; window?: { start: string; end: string } }[] } | null;
}

/** A problem keyed by the content it is in, so that moving the content does not make it a new problem. */
interface Found extends DefinitionProblem {
  of: string;
}

function choicesFault(values: readonly string[]): DefinitionFault | undefined {
  if (values.length === 0) return 'choices';
  return new Set(values).size < values.length ? 'twice' : undefined;
}

function valuesFault({ type, values }: RuledQuestion): DefinitionFault | undefined {
  if (type === 'MULTIPLECHOICE') return choicesFault(values);
  if (type !== 'RANGE') return undefined;
  const [low = Number.NaN, high = Number.NaN] = values.map((value) =>
    value.trim() === '' ? Number.NaN : Number(value),
  );
  return values.length === 2 && low < high ? undefined : 'range';
}

function* faultsOfTask(path: string, task: RuledTask): Generator<Found> {
  const { displayName, questions } = task;
  if (displayName.trim() === '') yield { path: `${path}.displayName`, fault: 'name', of: path };
  for (const [at, question] of questions.entries()) {
    const of = JSON.stringify([displayName, question.text, question.values]);
    if (question.text.trim() === '') yield { path: `${path}.questions.${at}.text`, fault: 'question', of };
    const fault = valuesFault(question);
    if (fault) yield { path: `${path}.questions.${at}.values`, fault, of };
    if (!hasSoundCondition(question, questions.slice(0, at)))
      yield { path: `${path}.questions.${at}.showIf`, fault: 'condition', of };
  }
}

/** A condition on a question that comes later, or on an answer that cannot be given, would never hold. */
function hasSoundCondition({ showIf }: RuledQuestion, earlier: readonly RuledQuestion[]): boolean {
  if (!showIf) return true;
  const deciding = earlier.find(({ id }) => id !== undefined && id === showIf.questionId);
  if (!deciding || !DECIDING_TYPES.includes(deciding.type) || showIf.values.length === 0) return false;
  const possible = deciding.type === 'BOOLEAN' ? ['YES', 'NO'] : deciding.values;
  return showIf.values.every((value) => possible.includes(value));
}

function* faultsOfFields(fields: RuledDefinition['subjectMetadataFields']): Generator<Found> {
  const names = new Set<string>();
  for (const [index, { displayName, type, values }] of fields.entries()) {
    const path = `subjectMetadataFields.${index}`;
    const of = JSON.stringify([displayName, values]);
    if (displayName.trim() === '') yield { path: `${path}.displayName`, fault: 'name', of };
    else if (names.has(displayName)) yield { path: `${path}.displayName`, fault: 'sameField', of };
    names.add(displayName);
    const fault = type === 'MULTIPLECHOICE' ? choicesFault(values) : undefined;
    if (fault) yield { path: `${path}.values`, fault, of };
  }
}

function* faultsOf({ subjectMetadataFields, activities, diaries, program }: RuledDefinition): Generator<Found> {
  for (const [index, task] of activities.entries()) yield* faultsOfTask(`activities.${index}`, task);
  for (const [index, task] of diaries.entries()) yield* faultsOfTask(`diaries.${index}`, task);
  yield* faultsOfFields(subjectMetadataFields);
  for (const [index, { taskId, window }] of (program?.tasks ?? []).entries()) {
    // A window lies within one local day; one that ends before it starts would never open.
    if (!window || window.start < window.end) continue;
    yield { path: `program.tasks.${index}.window`, fault: 'window', of: `${taskId} ${window.start} ${window.end}` };
  }
}

/**
 * Returns problems in the order of the parts. Problems that `before` has already (stored by a version without the rule) are ignored:
 * in a running study they may be impossible to correct.
 */
export function definitionProblems(definition: RuledDefinition, before?: RuledDefinition): DefinitionProblem[] {
  const keyOf = ({ fault, of }: Found) => `${fault} ${of}`;
  const known = new Set(before ? [...faultsOf(before)].map(keyOf) : []);
  return [...faultsOf(definition)]
    .filter((found) => !known.has(keyOf(found)))
    .map(({ path, fault }) => ({ path, fault }));
}
