/** Who may change what, as far as the desk can tell; the site decides. */
import { useQuery } from '@tanstack/react-query';
import type { Study } from '../../../../src-server/api/contract/index.ts';
import { studiesQuery } from '../../../shared/api/queries.ts';
import { useRole, useSession } from '../../../shared/api/session.ts';

/** Administrators and coordinators run studies. */
export const useMayEdit = () => ['ADMIN', 'COORDINATOR'].includes(useRole());

/** Studies that take subjects, for whoever may enrol. */
export function useOpenStudies(): Study[] {
  const { user } = useSession();
  const mayEdit = useMayEdit();
  const studies = useQuery(studiesQuery(user.accountId));
  if (!mayEdit) return [];
  return (studies.data ?? []).filter((study) => !study.isArchived && study.lifecycleState !== 'COMPLETE');
}
