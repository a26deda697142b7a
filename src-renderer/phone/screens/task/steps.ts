/** The steps of a task in progress, and their addresses. Pure. */
import { pathOf } from '../../kit/route.ts';
import type { Draft, PhoneTask } from '../../model.ts';
import { askedOf } from './answers.ts';

export interface StepProps {
  draft: Draft;
  task: PhoneTask;
}

/** A number is the index of a question; its address counts from 1. */
export type Step = 'timer' | 'check' | 'all' | number;

export const stepPath = (draftId: string, step: Step): string =>
  pathOf('draft', draftId, typeof step === 'number' ? step + 1 : step);

/** Where a draft continues. */
export function stepOf(draft: Draft, task: PhoneTask): Step {
  if (task.type === 'activity' && draft.stoppedTs === undefined) return 'timer';
  return nextStep(draft, task, Math.max(0, draft.position));
}

/** The first question from an index on that is asked; the list of answers behind the last. */
export const nextStep = ({ answers }: Pick<Draft, 'answers'>, { questions }: PhoneTask, from: number): Step =>
  askedOf(questions, answers).find(({ index }) => index >= from)?.index ?? 'check';

/** The last question before an index that is asked; undefined before the first. */
export const stepBefore = ({ answers }: Pick<Draft, 'answers'>, { questions }: PhoneTask, index: number) =>
  askedOf(questions, answers).findLast((asked) => asked.index < index)?.index;
