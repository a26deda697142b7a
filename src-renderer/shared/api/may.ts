/** Who may do what, by the site's own table. Pure. */
import type { Role, StudyRole } from '../../../src-server/api/contract/index.ts';
import { isAllowed, type Operation, PERMISSIONS, roleInStudy } from '../../../src-server/study/permissions.ts';

export type { Operation };

/**
 * Answers whether the role that counts allows an operation: the one in the account, or the one in the study at hand.
 * Without a study, an operation of studies is allowed to whoever may do it in one of them.
 */
export type May = (operation: Operation, studyId?: string) => boolean;

/** Pure: what `useMay` answers with. */
export function mayOf(accountRole: Role, studyRoles: readonly StudyRole[]): May {
  return (operation, studyId) => {
    if (PERMISSIONS[operation].scope === 'account' || accountRole === 'ADMIN') return isAllowed(accountRole, operation);
    return studyRoles.some(
      (one) =>
        (studyId === undefined || one.studyId === studyId) && isAllowed(roleInStudy(accountRole, one.role), operation),
    );
  };
}
