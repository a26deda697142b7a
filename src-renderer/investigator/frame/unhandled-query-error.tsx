/** A safety net: shows the error of a failed query that no part of the screen reports. */
import { type Query, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { ApiError } from '../../shared/api/queries.ts';
import { ErrorNotice, failedReads, isSameFailure } from '../../shared/kit/state.tsx';
import { useStore } from '../../shared/store.ts';
import styles from './frame.module.css';

/** Screens usually report their own errors at once; this notice waits for them. */
const GRACE_MS = 500;

/** Statuses that are not failures: screens leave out what the person may not see or what does not exist. */
const EXPECTED = [401, 403, 404];

const hasFailed = (query: Query) =>
  query.isActive() &&
  query.state.status === 'error' &&
  !(query.state.error instanceof ApiError && EXPECTED.includes(query.state.error.status));

const isReported = (error: Error) => failedReads.get().some((read) => isSameFailure(read.error, error));

export function UnhandledQueryError() {
  const queries = useQueryClient();
  useStore(failedReads);
  const [query, setQuery] = useState<Query>();
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const check = () => {
      const isUnreported = ({ state }: Query) => state.error !== null && !isReported(state.error);
      setQuery(queries.getQueryCache().findAll({ predicate: hasFailed }).find(isUnreported));
    };
    // Debounce: a screen's own notice appears a moment after its error.
    const checkSoon = () => {
      clearTimeout(timer);
      timer = setTimeout(check, GRACE_MS);
    };
    const unsubscribers = [queries.getQueryCache().subscribe(checkSoon), failedReads.subscribe(checkSoon)];
    return () => {
      for (const unsubscribe of unsubscribers) unsubscribe();
      clearTimeout(timer);
    };
  }, [queries]);
  if (!query?.state.error || isReported(query.state.error)) return null;
  const { error, data, dataUpdatedAt } = query.state;
  return (
    <div className={styles.banner}>
      <ErrorNotice
        error={error}
        asOf={data === undefined ? undefined : dataUpdatedAt}
        onRetry={() => void queries.refetchQueries({ queryKey: query.queryKey, exact: true })}
      />
    </div>
  );
}
