/** The steps of a task in progress, and their addresses. Pure. */
import { pathOf } from '../../kit/route.ts';
import type { Draft, PhoneTask } from '../../model.ts';

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
  return draft.position < task.questions.length ? Math.max(0, draft.position) : 'check';
}
