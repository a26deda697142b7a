/** What the desk can tell of a draft before the site is asked, in words that say where. Pure. */
import { LONGEST_NAME, LONGEST_QUESTION } from '../../../../src-server/api/contract/vocabulary/study.ts';
import { type DefinitionFault, definitionProblems } from '../../../../src-server/study/definition-rules.ts';
import type { Draft } from './draft.ts';

export type Part = 'activities' | 'diaries' | 'fields' | 'sensors' | 'program';

export interface DraftProblem {
  /** As the site would name it, but that an entry of the program goes by its task. */
  path: string;
  part: Part;
  word: DefinitionFault | 'long';
  /** What the problem is of, as far as it has a name. */
  name: string;
  taskId?: string;
}

const PARTS: Record<string, Part> = {
  activities: 'activities',
  diaries: 'diaries',
  subjectMetadataFields: 'fields',
  program: 'program',
};

/** Texts that are longer than the site takes. */
function* tooLong(draft: Draft): Generator<string> {
  const isLong = (text: string, longest = LONGEST_NAME) => text.trim().length > longest;
  for (const part of ['activities', 'diaries'] as const) {
    for (const [index, task] of draft[part].entries()) {
      const path = `${part}.${index}`;
      if (isLong(task.displayName)) yield `${path}.displayName`;
      for (const [at, { text, values }] of task.questions.entries()) {
        if (isLong(text, LONGEST_QUESTION)) yield `${path}.questions.${at}.text`;
        if (values.some((value) => isLong(value))) yield `${path}.questions.${at}.values`;
      }
    }
  }
  for (const [index, { displayName, values }] of draft.subjectMetadataFields.entries()) {
    if (isLong(displayName)) yield `subjectMetadataFields.${index}.displayName`;
    if (values.some((value) => isLong(value))) yield `subjectMetadataFields.${index}.values`;
  }
}

/** Which task, field or entry a path leads to. */
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

/** In the order of the parts; of a running study (`kept`) without what it has already and may not be able to change. */
export function problemsOf(draft: Draft, kept?: Draft): DraftProblem[] {
  const found: { path: string; word: DraftProblem['word'] }[] = [
    ...definitionProblems(draft, kept).map(({ path, fault }) => ({ path, word: fault })),
    ...[...tooLong(draft)].map((path) => ({ path, word: 'long' as const })),
  ];
  return found.map(({ path, word }) => ({ ...placeOf(path, draft), word }));
}
