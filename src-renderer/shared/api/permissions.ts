/** Who may do what at the desk, by the site's own table; the site decides again at every request. */
import { queryOptions, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { StudyRole } from '../../../src-server/api/contract/index.ts';
import { client } from './client.ts';
import { type May, mayOf } from './may.ts';
import { useRole, useSession } from './session.ts';

export type { May, Operation } from './may.ts';

const studyRolesQuery = (userId: string) =>
  queryOptions({
    queryKey: ['membership', 'of', userId],
    queryFn: ({ signal }) => client.call('listStudyRoles', { params: { userId }, signal }),
  });

const NONE: readonly StudyRole[] = [];

/** Until the roles are known, whoever is no administrator may do nothing in a study. */
export function useMay(): May {
  const { user } = useSession();
  const role = useRole();
  const { data } = useQuery({ ...studyRolesQuery(user.id), enabled: role !== 'ADMIN' });
  const roles = data?.items ?? NONE;
  return useMemo(() => mayOf(role, roles), [role, roles]);
}
