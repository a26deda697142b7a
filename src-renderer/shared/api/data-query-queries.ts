/** Data queries as query options. Keys as in `queries.ts`. */
import { queryOptions } from '@tanstack/react-query';
import { client } from './client.ts';
import { longListQuery } from './long-list.ts';
import type { NotePlace } from './note-queries.ts';

export interface DataQueryFilter {
  state?: 'OPEN' | 'ANSWERED' | 'RESOLVED';
  assigneeId?: string;
  /** In the list of a study. */
  ofSubjectId?: string;
}

/** Newest first. */
export const dataQueryPagesQuery = ({ studyId, subjectId }: NotePlace, filter: DataQueryFilter) =>
  longListQuery(['query', studyId, subjectId ?? 'study', JSON.stringify(filter)], (page, signal) => {
    const { ofSubjectId, ...rest } = filter;
    const query = { ...page, ...rest, newest: true };
    return subjectId === undefined
      ? client.call('listQueries', {
          params: { studyId },
          query: { ...query, ...(ofSubjectId !== undefined && { subjectId: ofSubjectId }) },
          signal,
        })
      : client.call('listSubjectQueries', { params: { studyId, subjectId }, query, signal });
  });

export const dataQueryQuery = (studyId: string, queryId: string) =>
  queryOptions({
    queryKey: ['query', studyId, 'one', queryId],
    queryFn: ({ signal }) => client.call('getQuery', { params: { studyId, queryId }, signal }),
  });

export const queryCountsQuery = (studyId: string) =>
  queryOptions({
    queryKey: ['query', studyId, 'counts'],
    queryFn: ({ signal }) => client.call('countQueries', { params: { studyId }, signal }),
  });

/** What is open or answered of a subject, for the marks where it is shown. */
export const unresolvedQuery = (studyId: string, subjectId: string) =>
  queryOptions({
    queryKey: ['query', studyId, subjectId, 'unresolved'],
    queryFn: async ({ signal }) => {
      const params = { studyId, subjectId };
      const open = await client.call('listSubjectQueries', { params, query: { state: 'OPEN' }, signal });
      const answered = await client.call('listSubjectQueries', { params, query: { state: 'ANSWERED' }, signal });
      return [...open.items, ...answered.items];
    },
  });
