/** Reads the definition of a study as the document that is also its file. */
import { queryOptions } from '@tanstack/react-query';
import { client } from '../../../shared/api/client.ts';

export const fetchDefinition = (studyId: string, signal?: AbortSignal) =>
  client.call('getDefinition', { params: { studyId }, signal });

export const definitionQuery = (studyId: string) =>
  queryOptions({
    queryKey: ['study', studyId, 'definition'],
    queryFn: ({ signal }) => fetchDefinition(studyId, signal),
  });
