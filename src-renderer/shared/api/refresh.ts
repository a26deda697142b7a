/** Reads again what a change made stale, without starvation: a read that is under way ends, and is followed by another. */
import type { Query, QueryClient } from '@tanstack/react-query';

/** Queries to be read again as soon as their present read has ended. */
const followed = new WeakSet<Query>();

/**
 * Invalidates queries and reads those on the screen again. `invalidateQueries` alone cancels reads that are under way: with a change every
 * other second, a read that takes longer would never end, and neither new data nor its error would ever show. A read may have begun
 * before the change, so a second one follows it, however many changes fall into the first.
 *
 * @param queryKey undefined: everything
 */
export function refreshQueries(queries: QueryClient, queryKey?: readonly string[]): void {
  const filters = queryKey ? { queryKey } : {};
  for (const query of queries.getQueryCache().findAll({ ...filters, type: 'active', fetchStatus: 'fetching' })) {
    if (followed.has(query)) continue;
    followed.add(query);
    const readAgain = () => {
      followed.delete(query);
      void queries.invalidateQueries({ queryKey: query.queryKey, exact: true }, { cancelRefetch: false });
    };
    query.promise?.then(readAgain, readAgain);
  }
  void queries.invalidateQueries(filters, { cancelRefetch: false });
}
