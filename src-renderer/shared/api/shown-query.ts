/** Queries as screens show them. */
import type { UseQueryResult } from '@tanstack/react-query';
import { useMemo } from 'react';

/** What a screen shows of a query. */
export interface ShownQuery<T> {
  data: T | undefined;
  error: Error | null;
  refetch: () => unknown;
  /** Of the data, epoch ms. */
  dataUpdatedAt: number;
}

/**
 * The shown members of a query, as the same object until one of them changes. A query renders at once and without a pause
 * whatever reads it; `useDeferredValue` of this object lets a large part of a page follow in short tasks.
 */
export function useShown<T>(query: UseQueryResult<T, Error>): ShownQuery<T> {
  const { data, error, refetch } = query;
  // Reading it would render with every refetch; only an error shows it.
  const dataUpdatedAt = error ? query.dataUpdatedAt : 0;
  return useMemo(() => ({ data, error, refetch, dataUpdatedAt }), [data, error, refetch, dataUpdatedAt]);
}
