/** Client-side validation of a draft: the problems that the site would report, with the place of each. */

import { type DefinitionFault, definitionProblems } from '../../../../src-server/study/definition-rules.ts';
import { LONGEST_NAME, LONGEST_QUESTION, LONGEST_UNIT } from '../../../../src-server/vocabulary/study.ts';
import type { Draft } from './draft.ts';

export type Part = 'activities' | 'diaries' | 'fields' | 'sensors' | 'program' | 'analysis' | 'quality';

export interface DraftProblem {
  /** The path that the site would report, except that a program entry is named by its task. */
  path: string;
  part: Part;
  word: DefinitionFault | 'long';
  /** Name of the task or field with the problem; may be empty. */
  name: string;
  taskId?: string;
}

const PARTS: Record<string, Part> = {
  activities: 'activities',
  diaries: 'diaries',
  subjectMetadataFields: 'fields',
  program: 'program',
};

/** Yields the paths of texts that are longer than the site accepts. */
function* tooLong(draft: Draft): Generator<string> {
  const isLong = (text: string, longest = LONGEST_NAME) => text.trim().length > longest;
  for (const part of ['activities', 'diaries'] as const) {
    for (const [index, task] of draft[part].entries()) {
      const path = `${part}.${index}`;
      if (isLong(task.displayName)) yield `${path}.displayName`;
      for (const [at, { text, values, unit = '' }] of task.questions.entries()) {
        if (isLong(text, LONGEST_QUESTION)) yield `${path}.questions.${at}.text`;
        if (values.some((value) => isLong(value))) yield `${path}.questions.${at}.values`;
        if (isLong(unit, LONGEST_UNIT)) yield `${path}.questions.${at}.unit`;
      }
    }
  }
  for (const [index, { displayName, values }] of draft.subjectMetadataFields.entries()) {
    if (isLong(displayName)) yield `subjectMetadataFields.${index}.displayName`;
    if (values.some((value) => isLong(value))) yield `subjectMetadataFields.${index}.values`;
  }
}

/** Finds the task, field or program entry that a path points to. */
function placeOf(path: string, draft: Draft): Omit<DraftProblem, 'word'> {
  const [root = '', ...rest] = path.split('.');
  const part = PARTS[root] ?? 'activities';
  if (part === 'program') {
    const entry = draft.program?.tasks[Number(rest[1])];
    const task = [...draft.activities, ...draft.diaries].find(({ id }) => id === entry?.taskId);
    return { path: `program.tasks.${entry?.taskId}.window`, part, name: task?.displayName ?? '' };
  }
  const index = Number(rest[0]);
  if (part === 'fields') return { path, part, name: draft.subjectMetadataFields[index]?.displayName ?? '' };
  const task = draft[part === 'diaries' ? 'diaries' : 'activities'][index];
  return { path, part, name: task?.displayName ?? '', taskId: task?.id };
}

/**
 * Returns the problems in the order of the parts.
 * @param kept the definition of a running study; its problems are left out, because they can no longer be changed
 */
export function problemsOf(draft: Draft, kept?: Draft): DraftProblem[] {
  const found: { path: string; word: DraftProblem['word'] }[] = [
    ...definitionProblems(draft, kept).map(({ path, fault }) => ({ path, word: fault })),
    ...[...tooLong(draft)].map((path) => ({ path, word: 'long' as const })),
  ];
  return found.map(({ path, word }) => ({ ...placeOf(path, draft), word }));
}
