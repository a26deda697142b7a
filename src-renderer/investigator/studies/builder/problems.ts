/** What the desk can tell of a draft before the site is asked, in words that say where. Pure. */
import type { Activity, Diary, Draft, Question } from './draft.ts';

export type Part = 'activities' | 'diaries' | 'fields' | 'sensors' | 'program';

export type ProblemWord = 'name' | 'long' | 'question' | 'choices' | 'twice' | 'range' | 'sameField' | 'window';

export interface DraftProblem {
  /** As the site would name it. */
  path: string;
  part: Part;
  word: ProblemWord;
  /** What the problem is of, as far as it has a name. */
  name: string;
  taskId?: string;
}

const MAX_NAME = 200;
const MAX_QUESTION = 1000;

const nameProblem = (name: string): ProblemWord | undefined =>
  name.trim() === '' ? 'name' : name.trim().length > MAX_NAME ? 'long' : undefined;

function choicesProblem(values: readonly string[]): ProblemWord | undefined {
  if (values.length === 0) return 'choices';
  if (values.some((value) => value.length > MAX_NAME)) return 'long';
  return new Set(values).size < values.length ? 'twice' : undefined;
}

function valuesProblem({ type, values }: Question): ProblemWord | undefined {
  if (type === 'MULTIPLECHOICE') return choicesProblem(values);
  if (type !== 'RANGE') return undefined;
  const [low, high] = values.map((value) => (value.trim() === '' ? Number.NaN : Number(value)));
  return values.length === 2 && low < high ? undefined : 'range';
}

function* ofTask(part: 'activities' | 'diaries', task: Activity | Diary, index: number): Generator<DraftProblem> {
  const found = { part, name: task.displayName, taskId: task.id };
  const path = `${part}.${index}`;
  const named = nameProblem(task.displayName);
  if (named) yield { ...found, path: `${path}.displayName`, word: named };
  for (const [at, question] of task.questions.entries()) {
    const of = `${path}.questions.${at}`;
    const length = question.text.trim().length;
    if (length === 0 || length > MAX_QUESTION)
      yield { ...found, path: `${of}.text`, word: length === 0 ? 'question' : 'long' };
    const word = valuesProblem(question);
    if (word) yield { ...found, path: `${of}.values`, word };
  }
}

function* ofField(field: Draft['subjectMetadataFields'][number], index: number, draft: Draft): Generator<DraftProblem> {
  const found = { part: 'fields' as const, name: field.displayName };
  const path = `subjectMetadataFields.${index}`;
  const isSecond = draft.subjectMetadataFields.findIndex((one) => one.displayName === field.displayName) < index;
  const word = nameProblem(field.displayName) ?? (isSecond ? 'sameField' : undefined);
  if (word) yield { ...found, path: `${path}.displayName`, word };
  const values = field.type === 'MULTIPLECHOICE' ? choicesProblem(field.values) : undefined;
  if (values) yield { ...found, path: `${path}.values`, word: values };
}

/** In the order of the parts. */
export function problemsOf(draft: Draft): DraftProblem[] {
  const tasks = new Map([...draft.activities, ...draft.diaries].map((task) => [task.id, task.displayName]));
  return [
    ...draft.activities.flatMap((task, index) => [...ofTask('activities', task, index)]),
    ...draft.diaries.flatMap((task, index) => [...ofTask('diaries', task, index)]),
    ...draft.subjectMetadataFields.flatMap((field, index) => [...ofField(field, index, draft)]),
    ...(draft.program?.tasks ?? []).flatMap(({ taskId, window }): DraftProblem[] => {
      if (!window || window.start < window.end) return [];
      return [
        { part: 'program', path: `program.tasks.${taskId}.window`, word: 'window', name: tasks.get(taskId) ?? '' },
      ];
    }),
  ];
}
