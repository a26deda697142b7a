/** What administrators see of the site, as query options. */
import { queryOptions } from '@tanstack/react-query';
import { client } from './client.ts';

/** Not kept: it is a picture of one moment. */
export const diagnosticsQuery = () =>
  queryOptions({
    queryKey: ['diagnostics'],
    queryFn: ({ signal }) => client.call('getDiagnostics', { signal }),
    staleTime: 0,
    gcTime: 0,
  });
