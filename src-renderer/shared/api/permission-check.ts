/**
 * Checks operations against the site's permission table, so that the desk offers only what the site would allow. Pure; the
 * hooks are in `permissions.ts`.
 */
import type { Role, Study, StudyRole } from '../../../src-server/api/contract/index.ts';
import { isAllowed, type Operation, PERMISSIONS, roleInStudy } from '../../../src-server/study/permissions.ts';

export type { Operation };

/**
 * Returns whether the user may perform an operation, by their role in the account or in the given study. Without a study, a
 * study operation is allowed if the user may perform it in any study, and a place operation is checked for the whole site.
 */
export type Permissions = (operation: Operation, studyId?: string) => boolean;

/** Operations that a complete or archived study rejects for every role. Labels are still allowed, with a reason. */
const OPEN_STUDY_OPERATIONS: readonly Operation[] = [
  'subject.create',
  'subject.update',
  'subject.token',
  'recording.import',
];

/** Operations that a locked study rejects besides. */
const CHANGES: readonly Operation[] = [
  'study.update',
  'study.start',
  'study.stop',
  'study.reopen',
  'study.archive',
  'annotation.write',
  'analysis.adopt',
  'analysis.delete',
  'message.send',
  'note.write',
  'note.follow-up',
  'participation.write',
  'query.open',
  'query.step',
];

/** Returns whether a study is read-only: complete, archived or locked. Only its lifecycle can still change. */
export const isLocked = ({
  lifecycleState,
  isArchived,
  lockedTs,
}: Pick<Study, 'lifecycleState' | 'isArchived' | 'lockedTs'>): boolean =>
  isArchived || lifecycleState === 'COMPLETE' || lockedTs !== undefined;

/** Builds the check for a user from their roles and the studies they see. */
export function permissionsOf(
  accountRole: Role,
  studyRoles: readonly StudyRole[],
  studies: readonly Study[] = [],
): Permissions {
  const locked = new Set(studies.filter(isLocked).map(({ id }) => id));
  const closed = new Set(studies.filter(({ lockedTs }) => lockedTs !== undefined).map(({ id }) => id));
  return (operation, studyId) => {
    if (studyId !== undefined && closed.has(studyId) && CHANGES.includes(operation)) return false;
    if (studyId !== undefined && locked.has(studyId) && OPEN_STUDY_OPERATIONS.includes(operation)) return false;
    const { scope } = PERMISSIONS[operation];
    const usesAccountRole = scope === 'account' || (scope === 'place' && studyId === undefined);
    if (usesAccountRole || accountRole === 'ADMIN') return isAllowed(accountRole, operation);
    return studyRoles.some(
      (grant) =>
        (studyId === undefined || grant.studyId === studyId) &&
        isAllowed(roleInStudy(accountRole, grant.role), operation),
    );
  };
}
