/** The lifecycle steps of a study: in which state each is possible, and which permission it needs. */
import type { Study, StudyDetail } from '../../../../src-server/api/contract/index.ts';
import type { Operation } from '../../../shared/api/permissions.ts';

export const STEPS = ['start', 'stop', 'reopen', 'archive', 'unarchive'] as const;
export type Step = (typeof STEPS)[number];

/** The permission that each step needs. */
const OPERATIONS = {
  start: 'study.start',
  stop: 'study.stop',
  reopen: 'study.reopen',
  archive: 'study.archive',
  unarchive: 'study.archive',
} as const satisfies Record<Step, Operation>;

function sensibleSteps({ lifecycleState, isArchived }: Pick<Study, 'lifecycleState' | 'isArchived'>): Step[] {
  if (isArchived) return ['unarchive'];
  if (lifecycleState === 'IN_PROGRESS') return ['stop'];
  return lifecycleState === 'INITIALIZED' ? ['start', 'archive'] : ['reopen', 'archive'];
}

/** Returns the steps that are possible in the study's state and permitted. */
export function stepsOf(
  study: Pick<Study, 'lifecycleState' | 'isArchived'>,
  may: (operation: Operation) => boolean,
): Step[] {
  return sensibleSteps(study).filter((step) => may(OPERATIONS[step]));
}

/** What may have been forgotten before a start. A gap warns; it does not prevent the start. */
export type Gap = 'subjects' | 'program' | 'sensors';

export function gapsOf(study: Pick<StudyDetail, 'subjects' | 'program' | 'deviceConfigs'>): Gap[] {
  return [
    ...(study.subjects.some((subject) => !subject.isTest) ? [] : ['subjects' as const]),
    ...(study.program.tasks.length > 0 ? [] : ['program' as const]),
    ...(study.deviceConfigs.length > 0 ? [] : ['sensors' as const]),
  ];
}
