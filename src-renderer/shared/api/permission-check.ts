/** Who may do what, by the site's own table. Pure. */
import type { Role, Study, StudyRole } from '../../../src-server/api/contract/index.ts';
import { isAllowed, type Operation, PERMISSIONS, roleInStudy } from '../../../src-server/study/permissions.ts';

export type { Operation };

/**
 * Answers whether the role that counts allows an operation: the one in the account, or the one in the study at hand.
 * Without a study, an operation of studies is allowed to a caller who may do it in one of them, and one of places asks for the
 * site.
 */
export type Permissions = (operation: Operation, studyId?: string) => boolean;

/** What a study that is complete or archived takes no more, whoever asks. Labels it takes, with a reason. */
const OF_OPEN_STUDIES: readonly Operation[] = ['subject.create', 'subject.update', 'subject.token', 'recording.import'];

/** True for a study in which nothing is changed any more: only its own life can go on. */
export const isLocked = ({ lifecycleState, isArchived }: Pick<Study, 'lifecycleState' | 'isArchived'>): boolean =>
  isArchived || lifecycleState === 'COMPLETE';

/** Pure: what `usePermissions` answers with. */
export function permissionsOf(
  accountRole: Role,
  studyRoles: readonly StudyRole[],
  studies: readonly Study[] = [],
): Permissions {
  const locked = new Set(studies.filter(isLocked).map(({ id }) => id));
  return (operation, studyId) => {
    if (studyId !== undefined && locked.has(studyId) && OF_OPEN_STUDIES.includes(operation)) return false;
    const { scope } = PERMISSIONS[operation];
    const isOfAccount = scope === 'account' || (scope === 'place' && studyId === undefined);
    if (isOfAccount || accountRole === 'ADMIN') return isAllowed(accountRole, operation);
    return studyRoles.some(
      (one) =>
        (studyId === undefined || one.studyId === studyId) && isAllowed(roleInStudy(accountRole, one.role), operation),
    );
  };
}
