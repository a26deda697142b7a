/** Conversations, events and histories, as query options. Keys as in `queries.ts`. */
import { queryOptions } from '@tanstack/react-query';
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

/** A signed address is good for an hour; it is asked for anew before that. */
const SIGNED_MS = 50 * 60_000;

export const messagePictureQuery = (studyId: string, subjectId: string, messageId: string) =>
  queryOptions({
    queryKey: ['messagePicture', messageId],
    queryFn: ({ signal }) => client.call('getMessageImage', { params: { studyId, subjectId, messageId }, signal }),
    select: ({ href }) => href,
    staleTime: SIGNED_MS,
    gcTime: SIGNED_MS,
  });
