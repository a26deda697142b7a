/** Site administration, as query options: settings, users, backups, webhooks, mail. */
import { queryOptions } from '@tanstack/react-query';
import type { Routes } from '../../../src-server/api/contract/index.ts';
import type { QueryInputOf } from '../../../src-server/api/contract/route.ts';
import { client } from './client.ts';
import { longListQuery } from './long-list.ts';

export const settingsQuery = () =>
  queryOptions({
    queryKey: ['setting'],
    queryFn: ({ signal }) => client.call('getSiteSettings', { signal }),
  });

/** Not cached: a snapshot of one moment. */
export const diagnosticsQuery = () =>
  queryOptions({
    queryKey: ['diagnostics'],
    queryFn: ({ signal }) => client.call('getDiagnostics', { signal }),
    staleTime: 0,
    gcTime: 0,
  });

export const digestQuery = (userId: string) =>
  queryOptions({
    queryKey: ['user', 'digest', userId],
    queryFn: ({ signal }) => client.call('getDigest', { params: { userId }, signal }),
  });

export const sessionsQuery = (userId: string) =>
  queryOptions({
    queryKey: ['user', 'sessions', userId],
    queryFn: ({ signal }) => client.call('listSessions', { params: { userId }, signal }),
    staleTime: 0,
  });

export const secondFactorQuery = (userId: string) =>
  queryOptions({
    queryKey: ['user', 'secondFactor', userId],
    queryFn: ({ signal }) => client.call('getSecondFactor', { params: { userId }, signal }),
  });

export type AccessFilter = NonNullable<QueryInputOf<Routes['exportStudyAccess']>>;

const LONGEST_ACCESS_PAGE = 500;

/** Newest first. Not announced by `/live`: reading the log would be an entry of it. */
export const accessPagesQuery = (scope: { studyId: string } | { accountId: string }, filter: AccessFilter) =>
  longListQuery(
    ['access', 'studyId' in scope ? scope.studyId : 'account', JSON.stringify(filter)],
    ({ limit, cursor }, signal) => {
      const size = String(Math.min(LONGEST_ACCESS_PAGE, Number(limit) / 2));
      const query = { ...filter, limit: size, ...(cursor !== undefined && { before: cursor }) };
      return 'studyId' in scope
        ? client.call('listStudyAccess', { params: scope, query, signal })
        : client.call('listAccountAccess', { params: scope, query, signal });
    },
  );

export const usersQuery = (accountId: string) =>
  queryOptions({
    queryKey: ['user', accountId],
    queryFn: ({ signal }) => client.call('listUsers', { params: { accountId }, signal }),
  });

export const membersQuery = (studyId: string) =>
  queryOptions({
    queryKey: ['membership', studyId],
    queryFn: ({ signal }) => client.call('listStudyMembers', { params: { studyId }, signal }),
  });

/** Under the topic of jobs, because jobs create and delete backups. */
export const backupsQuery = () =>
  queryOptions({
    queryKey: ['job', 'backups'],
    queryFn: ({ signal }) => client.call('listBackups', { signal }),
  });

/** Not cached: the room on a disk changes. */
export const restorePlanQuery = (backupId: string, directory: string) =>
  queryOptions({
    queryKey: ['restorePlan', directory, backupId],
    queryFn: ({ signal }) => client.call('planRestore', { params: { backupId }, query: { directory }, signal }),
    staleTime: 0,
    gcTime: 0,
  });

export const backupStatusQuery = () =>
  queryOptions({
    queryKey: ['job', 'backupStatus'],
    queryFn: ({ signal }) => client.call('getBackupStatus', { signal }),
  });

/** Polled while it is looked at, because `/live` does not announce what is read. */
export const scrubQuery = () =>
  queryOptions({
    queryKey: ['scrub'],
    queryFn: ({ signal }) => client.call('getScrub', { signal }),
    refetchInterval: 10_000,
  });

/** Not cached: it is asked for while somebody makes room. */
export const diskUseQuery = () =>
  queryOptions({
    queryKey: ['diskUse'],
    queryFn: ({ signal }) => client.call('getDiskUse', { signal }),
    staleTime: 0,
    gcTime: 0,
  });

/** Asked again while it is shown: a drive is plugged in meanwhile. */
export const drivesQuery = () =>
  queryOptions({
    queryKey: ['job', 'drives'],
    queryFn: ({ signal }) => client.call('listBackupDrives', { signal }),
    refetchInterval: 5000,
  });

export const lostFilesQuery = () =>
  queryOptions({
    queryKey: ['job', 'lostFiles'],
    queryFn: ({ signal }) => client.call('listLostFiles', { signal }),
  });

export const webhooksQuery = (accountId: string) =>
  queryOptions({
    queryKey: ['webhook', accountId],
    queryFn: ({ signal }) => client.call('listWebhooks', { params: { accountId }, signal }),
  });

/** Polled while deliveries wait, because `/live` does not announce single attempts. */
export const deliveriesQuery = (accountId: string, webhookId: string) =>
  queryOptions({
    queryKey: ['webhook', accountId, webhookId, 'deliveries'],
    queryFn: ({ signal }) => client.call('listWebhookDeliveries', { params: { accountId, webhookId }, signal }),
    refetchInterval: (query) => (query.state.data?.items.some(({ state }) => state === 'waiting') ? 2_000 : 15_000),
  });

export const outboxQuery = (accountId: string) =>
  queryOptions({
    queryKey: ['mail', accountId],
    queryFn: ({ signal }) => client.call('listOutbox', { params: { accountId }, signal }),
  });
