/**
 * Rules of data queries: OPEN -> answer -> ANSWERED -> resolve -> RESOLVED, and back to OPEN by reopening. Each step is a row that is never
 * changed. A query changes no data, so all members of a study may ask; the one who asked decides on the answer. Pure.
 */
import { OutpostError } from '../errors.ts';
import type { QueryState, QueryStep } from '../vocabulary/queries.ts';

type LaterStep = Exclude<QueryStep, 'OPEN'>;

const STEPS: Readonly<Record<LaterStep, { from: readonly QueryState[]; to?: QueryState; needsText: boolean }>> = {
  ANSWER: { from: ['OPEN'], to: 'ANSWERED', needsText: true },
  RESOLVE: { from: ['ANSWERED'], to: 'RESOLVED', needsText: false },
  REOPEN: { from: ['ANSWERED', 'RESOLVED'], to: 'OPEN', needsText: true },
  COMMENT: { from: ['OPEN', 'ANSWERED', 'RESOLVED'], needsText: true },
  ASSIGN: { from: ['OPEN', 'ANSWERED'], needsText: false },
};

const WORDS: Readonly<Record<QueryState, string>> = { OPEN: 'open', ANSWERED: 'answered', RESOLVED: 'resolved' };

/**
 * Returns the state after a step.
 * @throws CONFLICT when the step does not begin in this state; INVALID_INPUT without the text that it needs
 */
export function stateAfter(state: QueryState, step: LaterStep, text: string): QueryState {
  const { from, to = state, needsText } = STEPS[step];
  if (!from.includes(state)) {
    throw new OutpostError('CONFLICT', `The query is ${WORDS[state]}, so this step does not apply. Load it again.`);
  }
  if (needsText && text.trim() === '') {
    throw new OutpostError('INVALID_INPUT', 'The step needs a text.', {
      errors: [{ path: 'text', message: 'must not be empty' }],
    });
  }
  return to;
}

/** What the person of a step is to the query, besides their role. */
export interface QueryPerson {
  isOpener: boolean;
  isAssignee: boolean;
  /** May answer or resolve any query of the study, by role. */
  mayAnswer: boolean;
  mayResolve: boolean;
}

/** @throws FORBIDDEN */
export function requireQueryPerson(step: LaterStep, person: QueryPerson): void {
  const { isOpener, isAssignee, mayAnswer, mayResolve } = person;
  const mayDo: Record<LaterStep, boolean> = {
    ANSWER: mayAnswer || isAssignee,
    RESOLVE: mayResolve || isOpener,
    REOPEN: mayResolve || isOpener,
    COMMENT: true,
    ASSIGN: mayAnswer || mayResolve || isOpener,
  };
  if (mayDo[step]) return;
  throw new OutpostError(
    'FORBIDDEN',
    step === 'ANSWER'
      ? 'Only the person it is assigned to, or who may label data, can answer this query.'
      : 'Only the person who opened the query, a monitor or an administrator can do this.',
  );
}
