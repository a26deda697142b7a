/** Conversations, events and histories, as query options. Keys as in `queries.ts`. */
import { queryOptions } from '@tanstack/react-query';
import { client } from './client.ts';
import type { PageQuery } from './list-queries.ts';
import { type Around, keyOfAround, longListQuery, pageAround } from './long-list.ts';

export const conversationsQuery = (accountId: string) =>
  queryOptions({
    queryKey: ['message', 'account', accountId],
    queryFn: ({ signal }) => client.call('listConversations', { params: { accountId }, signal }),
  });

/** Unread messages from subjects, in all conversations. */
export const unreadCountQuery = (accountId: string) =>
  queryOptions({
    queryKey: ['message', 'account', accountId, 'unread'],
    queryFn: ({ signal }) => client.call('listConversations', { params: { accountId }, query: { limit: '1' }, signal }),
    select: ({ unreadCount }) => unreadCount,
  });

export const messageTemplatesQuery = (studyId: string) =>
  queryOptions({
    queryKey: ['messageTemplate', studyId],
    queryFn: ({ signal }) => client.call('listMessageTemplates', { params: { studyId }, signal }),
  });

export const fetchMessages = (
  params: { studyId: string; subjectId: string },
  page: PageQuery,
  signal?: AbortSignal,
  around?: Around,
) => client.call('listMessages', { params, query: pageAround(page, around), signal });

/** Newest first, or from one message on. */
export const messagePagesQuery = (studyId: string, subjectId: string, around?: Around) =>
  longListQuery(['message', studyId, subjectId, ...keyOfAround(around)], (page, signal) =>
    fetchMessages({ studyId, subjectId }, page, signal, around),
  );

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

/** Entries are longer than the items of other lists, and a page has at most 500. */
const entriesOf = (limit: string) => Math.min(500, Number(limit) / 2);

/** Newest first. */
export const historyPagesQuery = (scope: { studyId: string } | { accountId: string }, filter: HistoryFilter) =>
  longListQuery(
    ['audit', 'studyId' in scope ? scope.studyId : 'account', JSON.stringify(filter)],
    ({ limit, cursor }, signal) => {
      const query = { ...filter, limit: String(entriesOf(limit)), ...(cursor !== undefined && { before: cursor }) };
      return 'studyId' in scope
        ? client.call('listStudyAudit', { params: scope, query, signal })
        : client.call('listAccountAudit', { params: scope, query, signal });
    },
  );

interface EventWindow {
  studyId: string;
  /** Both ends are inclusive, as in the interface, and at most 24 hours apart. */
  fromMs: number;
  toMs: number;
}

export const fetchEvents = (
  { studyId, fromMs, toMs }: EventWindow,
  page: PageQuery,
  signal?: AbortSignal,
  around?: Around,
) =>
  client.call('listEvents', {
    params: { studyId },
    query: { ...pageAround(page, around), from: fromMs, to: toMs },
    signal,
  });

/** Newest first, or from one event on. */
export const eventPagesQuery = (window: EventWindow, around?: Around) =>
  longListQuery(
    ['event', window.studyId, String(window.fromMs), String(window.toMs), ...keyOfAround(around)],
    (page, signal) => fetchEvents(window, page, signal, around),
  );
