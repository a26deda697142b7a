/** The lifecycle of a study: INITIALIZED -> start -> IN_PROGRESS -> stop -> COMPLETE -> reopen (with a reason) -> IN_PROGRESS. */

import { OutpostError } from '../errors.ts';
import { LIFECYCLE_STATES } from '../vocabulary/study.ts';

export { LIFECYCLE_STATES };
export type LifecycleState = (typeof LIFECYCLE_STATES)[number];

export type LifecycleStep = 'start' | 'stop' | 'reopen';

const STEPS: Readonly<Record<LifecycleStep, { from: LifecycleState; to: LifecycleState; needsReason: boolean }>> = {
  start: { from: 'INITIALIZED', to: 'IN_PROGRESS', needsReason: false },
  stop: { from: 'IN_PROGRESS', to: 'COMPLETE', needsReason: false },
  reopen: { from: 'COMPLETE', to: 'IN_PROGRESS', needsReason: true },
};

const STATE_WORDS: Readonly<Record<LifecycleState, string>> = {
  INITIALIZED: 'has not been started',
  IN_PROGRESS: 'is running',
  COMPLETE: 'is complete',
};

/**
 * Returns the state after a step.
 * @throws STUDY_STATE when the step does not start from this state; INVALID_INPUT when the required reason is blank
 */
export function nextState(state: LifecycleState, step: LifecycleStep, reason?: string): LifecycleState {
  const rule = STEPS[step];
  if (state !== rule.from) {
    throw new OutpostError(
      'STUDY_STATE',
      `The study ${STATE_WORDS[state]}, so it cannot be ${step === 'stop' ? 'stopped' : `${step}ed`}.`,
    );
  }
  if (rule.needsReason && !reason?.trim()) {
    throw new OutpostError('INVALID_INPUT', 'Give a reason for reopening the study.', {
      errors: [{ path: 'reason', message: 'A reason is required.' }],
    });
  }
  return rule.to;
}

/** @throws STUDY_STATE for a running study, which would disappear from the lists while subjects still take part */
export function requireArchivable(state: LifecycleState): void {
  if (state !== 'IN_PROGRESS') return;
  throw new OutpostError('STUDY_STATE', 'The study is running. Stop it before you archive it.');
}

/** Kinds of changes to a study, each allowed in some of its states. */
export type StudyEdit =
  | 'rename' // names and texts that only describe
  | 'add-definition' // new activities, diaries, questions, device configs, metadata fields, options
  | 'remove-definition' // removing parts or changing their meaning
  | 'add-subject'
  | 'edit-subject'
  | 'add-data' // recordings, annotations of subjects, messages, equipment handed out
  | 'label'; // labels by staff

const EDITS: Readonly<Record<LifecycleState, readonly StudyEdit[]>> = {
  INITIALIZED: ['rename', 'add-definition', 'remove-definition', 'add-subject', 'edit-subject', 'add-data', 'label'],
  IN_PROGRESS: ['rename', 'add-definition', 'add-subject', 'edit-subject', 'add-data', 'label'],
  COMPLETE: [],
};

export function mayEdit(state: LifecycleState, edit: StudyEdit): boolean {
  return EDITS[state].includes(edit);
}

/** @throws STUDY_STATE when the state does not allow the change */
export function requireEdit(state: LifecycleState, edit: StudyEdit): void {
  if (mayEdit(state, edit)) return;
  throw new OutpostError(
    'STUDY_STATE',
    state === 'COMPLETE'
      ? 'The study is complete and read-only. Reopen it with a reason to change it.'
      : 'The study is running: parts of its definition can be added, but not removed or changed in meaning.',
  );
}

/**
 * Beats, sleep and wear are still corrected after the end, with a reason.
 * @throws STUDY_STATE when the study is complete and there is no reason
 */
export function requireCorrection(state: LifecycleState, reason: string | undefined): void {
  if (mayEdit(state, 'label') || (state === 'COMPLETE' && reason?.trim())) return;
  throw new OutpostError(
    'STUDY_STATE',
    'The study is complete. Give a reason for corrections of its data; it is kept with them.',
    { errors: [{ path: 'reason', message: 'A reason is required because the study is complete.' }] },
  );
}

/**
 * The data is still reviewed after the end, so labels of a complete study may change, each with a reason for the audit trail.
 * @throws STUDY_STATE when the study is complete and there is no reason
 */
export function requireLabelEdit(state: LifecycleState, reason: string | undefined): void {
  if (mayEdit(state, 'label') || (state === 'COMPLETE' && reason?.trim())) return;
  throw new OutpostError(
    'STUDY_STATE',
    'The study is complete. Give a reason to change its labels; it is kept in the audit trail.',
    { errors: [{ path: 'reason', message: 'A reason is required because the study is complete.' }] },
  );
}
