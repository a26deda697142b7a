import { useQuery } from '@tanstack/react-query';
import type { Study } from '../../../../src-server/api/contract/index.ts';
import { usePermissions } from '../../../shared/api/permissions.ts';
import { studiesQuery } from '../../../shared/api/queries.ts';
import { useSession } from '../../../shared/api/session.ts';

/** Returns the studies in which the person may enrol subjects. */
export function useOpenStudies(): Study[] {
  const { user } = useSession();
  const can = usePermissions();
  const studies = useQuery(studiesQuery(user.accountId));
  return (studies.data ?? []).filter(
    ({ id, isArchived, lifecycleState }) => !isArchived && lifecycleState !== 'COMPLETE' && can('subject.create', id),
  );
}
