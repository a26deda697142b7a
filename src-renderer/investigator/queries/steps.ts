/** The steps of data queries: who may take which, and what each needs. Pure. */
import type { DataQuery } from '../../../src-server/api/contract/index.ts';
import type { Permissions } from '../../shared/api/permission-check.ts';

export type Step = 'answer' | 'resolve' | 'reopen' | 'assign' | 'comment';
const KINDS = {
  answer: 'ANSWER',
  resolve: 'RESOLVE',
  reopen: 'REOPEN',
  assign: 'ASSIGN',
  comment: 'COMMENT',
} as const;

/** Whether a step says enough without a text. */
export const isTextOptional = (step: Step): boolean => step === 'resolve' || step === 'assign';
export const isTextMissing = (step: Step, text: string): boolean => !isTextOptional(step) && text.trim() === '';

/**
 * Returns the body of a request for a step.
 * @param assigneeId '' for anyone
 */
export const stepBody = (step: Step, id: string, text: string, assigneeId: string) => ({
  id,
  kind: KINDS[step],
  text,
  ...(step === 'assign' && assigneeId && { assigneeId }),
});

const EXCERPT = 60;

/** The beginning of the question, by which a query is named. */
export const excerptOf = ({ steps }: DataQuery): string => steps[0]?.text.slice(0, EXCERPT) ?? '';

/** The steps that the person may take now. */
export function stepsOf(
  { studyId, state, openedBy, assignee }: DataQuery,
  user: { id: string },
  can: Permissions,
): Step[] {
  if (!can('query.step', studyId)) return [];
  const mayAnswerAny = can('query.answer', studyId);
  const mayAnswer = mayAnswerAny || assignee?.id === user.id;
  const mayResolve = can('query.resolve', studyId) || openedBy.id === user.id;
  return [
    ...(state === 'OPEN' && mayAnswer ? (['answer'] as const) : []),
    ...(state === 'ANSWERED' && mayResolve ? (['resolve'] as const) : []),
    ...(state !== 'OPEN' && mayResolve ? (['reopen'] as const) : []),
    // Who it is assigned to matters while it waits for an answer.
    ...(state === 'OPEN' && (mayAnswerAny || mayResolve) ? (['assign'] as const) : []),
    'comment',
  ];
}

/** Whether the state of a query allows a step to those who may take it. */
export const isStepOfState = (query: DataQuery, step: Step): boolean =>
  stepsOf(query, query.openedBy, () => true).includes(step);
