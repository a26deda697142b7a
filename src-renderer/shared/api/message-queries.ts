/** Conversations, events and histories, as query options. Keys as in `queries.ts`. */
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { client } from './client.ts';

export const conversationsQuery = (accountId: string) =>
  queryOptions({
    queryKey: ['message', 'account', accountId],
    queryFn: ({ signal }) => client.call('listConversations', { params: { accountId }, signal }),
  });

export const messagesQuery = (studyId: string, subjectId: string) =>
  queryOptions({
    queryKey: ['message', studyId, subjectId],
    queryFn: ({ signal }) => client.call('listMessages', { params: { studyId, subjectId }, signal }),
  });

/** A signed address is valid for an hour; it is fetched again before that. */
const SIGNED_MS = 50 * 60_000;

export const messagePictureQuery = (studyId: string, subjectId: string, messageId: string) =>
  queryOptions({
    queryKey: ['messagePicture', messageId],
    queryFn: ({ signal }) => client.call('getMessageImage', { params: { studyId, subjectId, messageId }, signal }),
    select: ({ href }) => href,
    staleTime: SIGNED_MS,
    gcTime: SIGNED_MS,
  });

/** Narrows the audit trail of a study or the account to a subject, a record, or the user who acted. */
export interface HistoryFilter {
  subjectId?: string;
  userId?: string;
  entityType?: string;
  entityId?: string;
  /** Epoch milliseconds, both inclusive. */
  from?: number;
  to?: number;
}

const HISTORY_PAGE = 100;

/** Newest first, page by page. */
export const historyQuery = (scope: { studyId: string } | { accountId: string }, filter: HistoryFilter) =>
  infiniteQueryOptions({
    queryKey: ['audit', 'studyId' in scope ? scope.studyId : 'account', filter],
    queryFn: ({ pageParam, signal }) => {
      const query = { ...filter, limit: String(HISTORY_PAGE), ...(pageParam > 0 && { before: String(pageParam) }) };
      return 'studyId' in scope
        ? client.call('listStudyAudit', { params: scope, query, signal })
        : client.call('listAccountAudit', { params: scope, query, signal });
    },
    initialPageParam: 0,
    getNextPageParam: (page) => (page.links ? page.items.at(-1)?.sequence : undefined),
  });

/** Events of a window of at most 24 hours. Both ends are inclusive, as in the interface. */
export const eventsQuery = (studyId: string, fromMs: number, toMs: number) =>
  queryOptions({
    queryKey: ['event', studyId, fromMs, toMs],
    queryFn: ({ signal }) =>
      client.call('listEvents', { params: { studyId }, query: { from: fromMs, to: toMs }, signal }),
  });
