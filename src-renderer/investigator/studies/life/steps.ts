/** The steps of a study's life, from which state each goes, and who may take it. */
import type { Role, Study, StudyDetail } from '../../../../src-server/api/contract/index.ts';

export const STEPS = ['start', 'stop', 'reopen', 'archive', 'unarchive'] as const;
export type Step = (typeof STEPS)[number];

const STAFF: readonly Role[] = ['ADMIN', 'COORDINATOR'];

/** Steps that make sense now; what an administrator alone may do shows to nobody else. */
export function stepsOf(study: Pick<Study, 'lifecycleState' | 'isArchived'>, role: Role): Step[] {
  const isAdmin = role === 'ADMIN';
  if (!STAFF.includes(role)) return [];
  if (study.isArchived) return isAdmin ? ['unarchive'] : [];
  if (study.lifecycleState === 'IN_PROGRESS') return ['stop'];
  const archive: Step[] = isAdmin ? ['archive'] : [];
  if (study.lifecycleState === 'INITIALIZED') return ['start', ...archive];
  return isAdmin ? ['reopen', ...archive] : [];
}

/** What may have been forgotten before a start; none of it keeps a study from starting. */
export type Gap = 'subjects' | 'program' | 'sensors';

export function gapsOf(study: Pick<StudyDetail, 'subjects' | 'program' | 'deviceConfigs'>): Gap[] {
  return [
    ...(study.subjects.some((subject) => !subject.isTest) ? [] : ['subjects' as const]),
    ...(study.program.tasks.length > 0 ? [] : ['program' as const]),
    ...(study.deviceConfigs.length > 0 ? [] : ['sensors' as const]),
  ];
}
