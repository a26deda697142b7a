/** Saved filters of tables, as query options. Keys as in `queries.ts`. */
import { queryOptions } from '@tanstack/react-query';
import type { FilterTable } from '../../../src-server/vocabulary/saved-filters.ts';
import { client } from './client.ts';

/** Own ones, and those that are shared with a study of the user. */
export const savedFiltersQuery = (accountId: string, table: FilterTable, studyId?: string) =>
  queryOptions({
    queryKey: ['savedFilter', accountId, table, studyId ?? 'site'],
    queryFn: ({ signal }) =>
      client.call('listSavedFilters', {
        params: { accountId },
        query: { table, ...(studyId !== undefined && { studyId }) },
        signal,
      }),
    // Live changes tell of shared filters only: a private one may have been saved on another computer.
    staleTime: 0,
  });
