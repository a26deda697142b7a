/**
 * Permissions of the signed-in user, for showing and hiding actions. The rules are in `permission-check.ts`; the site checks
 * every request again.
 */
import { queryOptions, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { Study, StudyRole } from '../../../src-server/api/contract/index.ts';
import { client } from './client.ts';
import { isLocked, type Permissions, permissionsOf } from './permission-check.ts';
import { studiesQuery } from './queries.ts';
import { useRole, useSession } from './session.ts';

export type { Operation, Permissions } from './permission-check.ts';

const studyRolesQuery = (userId: string) =>
  queryOptions({
    queryKey: ['membership', 'of', userId],
    queryFn: ({ signal }) => client.call('listStudyRoles', { params: { userId }, signal }),
  });

const NONE: readonly StudyRole[] = [];

/** Until the study roles have loaded, only administrators may do anything in a study. */
export function usePermissions(): Permissions {
  const { user } = useSession();
  const role = useRole();
  const { data } = useQuery({ ...studyRolesQuery(user.id), enabled: role !== 'ADMIN' });
  const { data: studies } = useQuery(studiesQuery(user.accountId));
  const roles = data?.items ?? NONE;
  return useMemo(() => permissionsOf(role, roles, studies), [role, roles, studies]);
}

/** Returns the study if it is read-only (complete or archived); undefined otherwise, or while the list loads. */
export function useLockedStudy(studyId: string | undefined): Study | undefined {
  const { user } = useSession();
  const { data } = useQuery(studiesQuery(user.accountId));
  return data?.find((study) => study.id === studyId && isLocked(study));
}
