/**
 * Lists that grow with the years of a site, read page by page as far as they show. The server orders them, newest first where a
 * reader wants the newest; its pages continue after the last row read, so rows that arrive meanwhile neither repeat nor skip any.
 */
import { type InfiniteData, infiniteQueryOptions, useInfiniteQuery } from '@tanstack/react-query';
import { useEffect, useMemo, useState } from 'react';
import { ApiError } from '../../../src-server/api/contract/client-core.ts';
import { FIRST_PAGE, LARGEST_PAGE, nextCursor, type Page, type PageQuery } from './list-queries.ts';
import type { ShownQuery } from './shown-query.ts';

interface Place {
  cursor?: string;
  limit: number;
}

/**
 * Each page may be as long as all before it, so that a reader who goes far does so in few steps, and no more is read than twice
 * what has been shown.
 */
export const nextPlace = (page: Page<unknown>, before: Place): Place | undefined => {
  const cursor = nextCursor(page);
  return cursor === undefined ? undefined : { cursor, limit: Math.min(LARGEST_PAGE, before.limit * 2) };
};

/** @param key begins with the topic under which `/live` announces changes */
export function longListQuery<T>(
  key: readonly string[],
  fetchPage: (page: PageQuery, signal: AbortSignal) => Promise<Page<T>>,
) {
  return infiniteQueryOptions<Page<T>, Error, InfiniteData<Page<T>, Place>, readonly string[], Place>({
    queryKey: [...key, 'pages'],
    queryFn: ({ pageParam: { limit, cursor }, signal }) =>
      fetchPage({ limit: String(limit), ...(cursor !== undefined && { cursor }) }, signal),
    initialPageParam: { limit: FIRST_PAGE },
    getNextPageParam: (page, _, place) => nextPlace(page, place),
  });
}
export type LongListQuery<T> = ReturnType<typeof longListQuery<T>>;

export interface LongList<T> {
  /** As far as they have been read. */
  items: T[];
  /** By page, for what is read beside each. */
  pages: readonly (readonly T[])[];
  /** True where the list continues after `items`. */
  hasMore: boolean;
  isLoadingMore: boolean;
  /** False at the end, and while pages are read: `more` then does nothing. */
  canReadMore: boolean;
  /** Of the last page that was asked for. */
  moreError: Error | null;
  /** Reads the next page. */
  more: () => void;
  /** Reads all further pages: for another order than the server's. */
  rest: () => void;
  query: ShownQuery<readonly T[]>;
}

/** @param isEnabled false while what the list is of is not known yet */
export function useLongList<T>(options: LongListQuery<T>, isEnabled = true): LongList<T> {
  const result = useInfiniteQuery({ ...options, enabled: isEnabled });
  const { data, hasNextPage, isFetching, isFetchNextPageError, fetchNextPage, error, refetch, dataUpdatedAt } = result;
  const listId = options.queryKey.join(' ');
  const [restOf, setRestOf] = useState<string>();
  const wantsRest = restOf === listId;
  const pages = useMemo(() => data?.pages.map(({ items }) => items) ?? [], [data]);
  const items = useMemo(() => pages.flat(), [pages]);
  // Not while the pages are read again: that request would be cancelled, and with it the change that it was to show.
  const canRead = hasNextPage && !isFetching;
  useEffect(() => {
    if (wantsRest && canRead && !isFetchNextPageError) void fetchNextPage();
  }, [wantsRest, canRead, isFetchNextPageError, fetchNextPage]);
  return {
    items,
    pages,
    hasMore: hasNextPage,
    isLoadingMore: result.isFetchingNextPage || (wantsRest && hasNextPage && !isFetchNextPageError),
    canReadMore: canRead,
    moreError: isFetchNextPageError ? error : null,
    more: () => {
      if (canRead) void fetchNextPage();
    },
    rest: () => setRestOf(listId),
    query: {
      data: data && items,
      // A page that failed is shown at the end of the list.
      error: isFetchNextPageError ? null : error,
      refetch,
      dataUpdatedAt,
    },
  };
}

/** Where a list that is read around one of its items begins, and in which direction from there. */
export interface Around {
  id: string;
  isNewer: boolean;
}

export const keyOfAround = (around: Around | undefined): string[] =>
  around ? [around.isNewer ? 'newer' : 'older', around.id] : [];

/** What a request adds to the query of a page. */
export const pageAround = (page: PageQuery, around: Around | undefined) => ({
  ...page,
  newest: around?.isNewer !== true,
  ...(around && page.cursor === undefined && { at: around.id }),
});

export interface ListAround<T> extends LongList<T> {
  /** The rows above the item, while `items` does not begin with the newest; undefined where it does. */
  newer: LongList<T> | undefined;
  /** Of the item among `items`; -1 where the list is not read around one. */
  shownIndex: number;
  /** True where the list does not hold the item: the newest rows are shown instead. */
  isMissing: boolean;
}

/**
 * A list, newest first, that is read around one of its items in both directions, however far that is from the newest.
 *
 * @param shownId undefined to begin with the newest
 * @param optionsOf the list as a whole, or its part in one direction
 */
export function useListAround<T>(
  shownId: string | undefined,
  optionsOf: (around: Around | undefined) => LongListQuery<T>,
  isEnabled = true,
): ListAround<T> {
  const isAround = shownId !== undefined && isEnabled;
  const older = useLongList(optionsOf({ id: shownId ?? '', isNewer: false }), isAround);
  const newer = useLongList(optionsOf({ id: shownId ?? '', isNewer: true }), isAround);
  const isMissing = isAround && older.query.error instanceof ApiError && older.query.error.status === 404;
  const whole = useLongList(optionsOf(undefined), isEnabled && (!isAround || isMissing));
  const isReady = older.query.data !== undefined && newer.query.data !== undefined;
  // Both parts begin with the item.
  const above = useMemo(() => newer.items.slice(1).reverse(), [newer.items]);
  const items = useMemo(() => (isReady ? [...above, ...older.items] : []), [isReady, above, older.items]);
  const pages = useMemo(() => [above, ...older.pages], [above, older.pages]);
  if (!isAround || isMissing) return { ...whole, newer: undefined, shownIndex: -1, isMissing };
  return {
    ...older,
    items,
    pages,
    rest: () => {
      newer.rest();
      older.rest();
    },
    newer: newer.hasMore ? newer : undefined,
    shownIndex: isReady ? above.length : -1,
    isMissing,
    query: {
      data: isReady ? items : undefined,
      error: older.query.error ?? newer.query.error,
      refetch: () => {
        void older.query.refetch();
        void newer.query.refetch();
      },
      dataUpdatedAt: Math.min(older.query.dataUpdatedAt, newer.query.dataUpdatedAt),
    },
  };
}
