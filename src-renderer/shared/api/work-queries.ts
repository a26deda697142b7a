/** Exports of studies, as query options. */
import { queryOptions } from '@tanstack/react-query';
import { client } from './client.ts';

/** Progress is not announced; while something is made it is asked for. */
export const exportsQuery = (studyId: string) =>
  queryOptions({
    queryKey: ['export', studyId],
    queryFn: ({ signal }) => client.call('listStudyExports', { params: { studyId }, signal }),
    refetchInterval: (query) =>
      query.state.data?.items.some(({ state }) => state === 'WAITING' || state === 'RUNNING') ? 1_000 : false,
  });
