/** The states of an analysis run and of its subjects, which `study/analysis-runs.ts` gives their rules. */

/**
 * WAITING and RUNNING: its job has not ended. DONE: its results are those of the present data. OUTDATED: recordings, labels,
 * corrections or time zones changed since. FAILED, CANCELLED: the job ended without results.
 */
export const RUN_SUBJECT_STATES = ['WAITING', 'RUNNING', 'DONE', 'OUTDATED', 'FAILED', 'CANCELLED'] as const;

/**
 * REPLACED: results that were in use before another run was adopted. ADOPTED: its results are those of the study, or were. READY:
 * every subject is done.
 */
export const RUN_STATES = ['RUNNING', 'READY', 'OUTDATED', 'FAILED', 'CANCELLED', 'ADOPTED', 'REPLACED'] as const;
