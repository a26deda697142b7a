/** A safety net: something that a screen reads failed, and no part of the screen says so. */
import { type Query, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { ApiError } from '../../shared/api/queries.ts';
import { ErrorNotice, failedReads, isSameFailure } from '../../shared/kit/state.tsx';
import { useStore } from '../../shared/store.ts';
import styles from './frame.module.css';

/** Screens say by themselves what their error is, most often at once. */
const PATIENCE_MS = 500;

/** What somebody may not see, or what is not there, is no failure: screens show less of it. */
const EXPECTED = [401, 403, 404];

const hasFailed = (query: Query) =>
  query.isActive() &&
  query.state.status === 'error' &&
  !(query.state.error instanceof ApiError && EXPECTED.includes(query.state.error.status));

const isTold = (error: Error) => failedReads.get().some((read) => isSameFailure(read.error, error));

export function UnhandledQueryError() {
  const queries = useQueryClient();
  useStore(failedReads);
  const [query, setQuery] = useState<Query>();
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const look = () => {
      const untold = ({ state }: Query) => state.error !== null && !isTold(state.error);
      setQuery(queries.getQueryCache().findAll({ predicate: hasFailed }).find(untold));
    };
    // Once all is quiet: the notice of a screen appears a moment after its error.
    const lookSoon = () => {
      clearTimeout(timer);
      timer = setTimeout(look, PATIENCE_MS);
    };
    const ends = [queries.getQueryCache().subscribe(lookSoon), failedReads.subscribe(lookSoon)];
    return () => {
      for (const end of ends) end();
      clearTimeout(timer);
    };
  }, [queries]);
  if (!query?.state.error || isTold(query.state.error)) return null;
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
