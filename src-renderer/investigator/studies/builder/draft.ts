/** The definition of a study while it is edited: the exported document, sent back as a whole. */
import { DECIDING_TYPES } from '../../../../src-server/vocabulary/study.ts';
import type { fetchDefinition } from '../../../shared/api/study-queries.ts';

export type Draft = Awaited<ReturnType<typeof fetchDefinition>>;
export type Activity = Draft['activities'][number];
export type Diary = Draft['diaries'][number];
export type Question = Diary['questions'][number];
export type MetadataField = Draft['subjectMetadataFields'][number];
export type DeviceConfig = Draft['deviceConfigs'][number];
export type ProgramEntry = NonNullable<Draft['program']>['tasks'][number];

/** A task of the study with its entry in the program; undefined while it is due on no day. */
export interface ProgramRow {
  taskId: string;
  type: 'activity' | 'diary';
  name: string;
  entry: ProgramEntry | undefined;
}

/** What an editor chooses from: the types of questions, with the two kinds of choices apart. */
export const QUESTION_KINDS = [
  'MULTIPLECHOICE',
  'SEVERAL',
  'RANGE',
  'BOOLEAN',
  'NUMERIC',
  'TIMEOFDAY',
  'DATE',
  'FREETEXT',
] as const;
export const FIELD_TYPES = ['MULTIPLECHOICE', 'FREETEXT', 'NUMBER', 'BOOLEAN'] as const;

const BOOLEAN_VALUES = ['YES', 'NO'];

/** Returns the initial values of a question or field type. */
export function firstValues(type: string): string[] {
  if (type === 'BOOLEAN') return [...BOOLEAN_VALUES];
  return type === 'RANGE' ? ['0', '10'] : [];
}

const task = () => ({
  id: crypto.randomUUID(),
  displayName: '',
  mode: 'UNSUPERVISED',
  pipelineIds: [],
  questions: [],
});
export const newActivity = (): Activity => ({ ...task(), durationSec: 60, instructions: '' });
export const newDiary = (): Diary => task();
export const newQuestion = (): Question => ({
  id: crypto.randomUUID(),
  text: '',
  type: 'BOOLEAN',
  values: [...BOOLEAN_VALUES],
});
export const newField = (): MetadataField => ({ displayName: '', type: 'FREETEXT', values: [] });

/** Returns a copy of a question, asked under the same condition. */
export const copyOfQuestion = (question: Question): Question => ({ ...question, id: crypto.randomUUID() });

/** Returns a copy of a task: its records are new, and its conditions name the copied questions. */
export function copyOfTask<T extends Activity | Diary>(task: T, displayName: string): T {
  const ids = new Map(task.questions.map(({ id }) => [id, crypto.randomUUID() as string]));
  const questions = task.questions.map((question) => ({
    ...question,
    id: ids.get(question.id),
    ...(question.showIf && {
      showIf: { ...question.showIf, questionId: ids.get(question.showIf.questionId) ?? question.showIf.questionId },
    }),
  }));
  return { ...task, id: crypto.randomUUID(), displayName, questions };
}

/** The kind of a question; its type where this program does not know it. */
export const kindOf = ({ type, isMultiple }: Question): string =>
  type === 'MULTIPLECHOICE' && isMultiple !== false ? 'SEVERAL' : type;

/** The question as one of another kind: what only the former kind had is gone, choices stay choices. */
export function ofKind(question: Question, kind: string): Question {
  const { isMultiple: _several, unit: _unit, ...rest } = question;
  const isChoice = kind === 'MULTIPLECHOICE' || kind === 'SEVERAL';
  const type = isChoice ? 'MULTIPLECHOICE' : kind;
  const values = isChoice && question.type === 'MULTIPLECHOICE' ? question.values : firstValues(type);
  return { ...rest, type, values, ...(kind === 'MULTIPLECHOICE' && { isMultiple: false }) };
}

/** The answers to a question that can decide whether a later one is asked. */
export const decidingValues = ({ type, values }: Question): readonly string[] =>
  type === 'BOOLEAN' ? BOOLEAN_VALUES : values.map((value) => value.trim()).filter(Boolean);

/** Earlier questions of a task whose answers can decide whether the one at `at` is asked, with their numbers. */
export const decidingQuestions = (
  questions: readonly Question[],
  at: number,
): { question: Question; number: number }[] =>
  questions
    .slice(0, at)
    .map((question, index) => ({ question, number: index + 1 }))
    .filter(({ question }) => DECIDING_TYPES.includes(question.type));

/** Returns the draft to send: without empty options, with plain digits, and without program entries of deleted tasks. */
export function cleaned(draft: Draft): Draft {
  const values = <T extends { type: string; values: string[] }>(one: T): T => ({
    ...one,
    values: one.values.map((value) => (one.type === 'RANGE' ? value.normalize('NFKC') : value).trim()).filter(Boolean),
  });
  const task = <T extends Diary>(one: T): T => ({ ...one, questions: one.questions.map(values) });
  const ids = new Set([...draft.activities, ...draft.diaries].map(({ id }) => id));
  const { program } = draft;
  return {
    ...draft,
    subjectMetadataFields: draft.subjectMetadataFields.map(values),
    activities: draft.activities.map(task),
    diaries: draft.diaries.map(task),
    ...(program && { program: { ...program, tasks: program.tasks.filter(({ taskId }) => ids.has(taskId)) } }),
  };
}

/** What a running study must keep: everything in its definition as it was loaded. */
export interface Locks {
  ids: ReadonlySet<string>;
  fields: ReadonlyMap<string, MetadataField>;
  choices: ReadonlyMap<string, readonly string[]>;
  entries: ReadonlyMap<string, ProgramEntry['days']>;
  days: number;
}

export function locksOf(saved: Draft, isRunning: boolean): Locks {
  const from = isRunning ? saved : undefined;
  const tasks = [...(from?.activities ?? []), ...(from?.diaries ?? [])];
  const questions = tasks.flatMap((one) => one.questions);
  return {
    ids: new Set(
      [...tasks, ...questions, ...(from?.deviceConfigs ?? [])].flatMap(({ id }) => (id === undefined ? [] : [id])),
    ),
    fields: new Map(from?.subjectMetadataFields.map((field) => [field.displayName, field])),
    choices: new Map(questions.map((question) => [question.id ?? '', question.values])),
    entries: new Map(from?.program?.tasks.map((entry) => [entry.taskId, entry.days])),
    days: from?.program?.days ?? 0,
  };
}

/** Returns whether an entry is due on a day. */
export function isDue(days: ProgramEntry['days'] | undefined, day: number): boolean {
  return days === 'daily' || (days?.includes(day) ?? false);
}

/** Adds a day to an entry or removes it; a daily entry becomes the list of its other days. */
export function toggled(days: ProgramEntry['days'] | undefined, day: number, programDays: number): number[] {
  const listed = days === 'daily' ? Array.from({ length: programDays }, (_, one) => one) : (days ?? []);
  return listed.includes(day) ? listed.filter((one) => one !== day) : [...listed, day].sort((a, b) => a - b);
}
