/** The subjects of one study or of several with their summaries and last days, as far as the list needs them. */
import { useQueries, useQueryClient } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { ListedStudy, ListedSubject, SubjectAdherence } from '../../../src-server/api/contract/index.ts';
import { lastDaysQuery, type PagesQuery, subjectSummariesQuery } from '../../shared/api/list-queries.ts';

/** Days of the strip in each row. */
export const STRIP_DAYS = 7;

export interface SubjectList {
  subjects: readonly ListedSubject[];
  /** By subject id; without an entry while they load. */
  lastDays: ReadonlyMap<string, SubjectAdherence['days']>;
  /** True where more subjects follow those that are loaded. */
  hasMore: boolean;
  isPending: boolean;
  /** True while the rest of the list is fetched. */
  isLoadingRest: boolean;
  failed: { error: Error; refetch: () => void } | undefined;
}

/**
 * Reads the first page of a list of each study, and the whole list where it is wanted and longer. The first page shows until the
 * whole list has loaded: `useQueries` keeps no previous data under another key.
 */
function usePages<T>(
  studyIds: readonly string[],
  isWhole: boolean,
  queryOf: (id: string, isWhole: boolean) => PagesQuery<T>,
) {
  const client = useQueryClient();
  const firstPages = studyIds.map((id) => queryOf(id, false));
  const isLonger = firstPages.map(({ queryKey }) => isWhole && client.getQueryData(queryKey)?.hasMore !== false);
  return useQueries({
    queries: [
      ...firstPages.map((query, index) => ({ ...query, enabled: !isLonger[index] })),
      ...(isWhole ? studyIds.map((id, index) => ({ ...queryOf(id, true), enabled: isLonger[index] === true })) : []),
    ],
    combine: (results) => {
      const lists = studyIds.map((_, index) => {
        const first = results[index];
        const active = isLonger[index] ? results[studyIds.length + index] : first;
        return { active, data: active?.data ?? first?.data };
      });
      const failed = lists.find(({ active }) => active?.error)?.active;
      return {
        items: lists.flatMap(({ data }) => data?.items ?? []),
        hasMore: lists.some(({ data }) => data?.hasMore),
        isPending: lists.some(({ active, data }) => !data && active?.isPending),
        isLoadingRest: lists.some(({ active, data }) => data?.hasMore && active?.isFetching && !active.data),
        failed: failed?.error ? { error: failed.error, refetch: () => void failed.refetch() } : undefined,
      };
    },
  });
}

/**
 * @param studies undefined until they have loaded
 * @param isWhole whether every subject is needed: for a search, a filter or another order; the first page otherwise
 */
export function useSubjectList(studies: readonly Pick<ListedStudy, 'id'>[] | undefined, isWhole: boolean): SubjectList {
  const studyIds = studies?.map(({ id }) => id) ?? [];
  const { items: subjects, ...state } = usePages(studyIds, isWhole, subjectSummariesQuery);
  const { items: lastDayItems } = usePages(studyIds, isWhole, (id, isWholeList) =>
    lastDaysQuery(id, isWholeList, STRIP_DAYS, Date.now()),
  );
  const lastDays = useMemo(
    () => new Map(lastDayItems.map((item) => [item.subjectId, item.days] as const)),
    [lastDayItems],
  );
  return { ...state, subjects, lastDays };
}
