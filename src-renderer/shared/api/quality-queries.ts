/** Data quality, faults and board of a study as query options. Keys as in `queries.ts`; those of stored days as adherence has them. */
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { client } from './client.ts';
import { loadPages } from './list-queries.ts';
import { longListQuery } from './long-list.ts';

/** Subjects of one request, so that none of them is long for the site. */
const SUBJECTS_AT_ONCE = 100;

/** Every subject in a window of local dates, both included; without an end, up to now. */
export const qualityQuery = (studyId: string, window: { fromDate: string; toDate?: string }) =>
  queryOptions({
    queryKey: ['adherence', studyId, 'quality', window.fromDate, window.toDate ?? ''],
    queryFn: ({ signal }) =>
      loadPages(
        true,
        (page) => client.call('listQuality', { params: { studyId }, query: { ...page, ...window }, signal }),
        SUBJECTS_AT_ONCE,
      ),
    // The former window stays until the next one has arrived.
    placeholderData: keepPreviousData,
  });

/** Newest first. */
export const studyFaultsQuery = (studyId: string) =>
  longListQuery(['fault', studyId], (page, signal) =>
    client.call('listFaults', { params: { studyId }, query: { ...page, newest: true }, signal }),
  );

export const boardQuery = (studyId: string) =>
  queryOptions({
    queryKey: ['study', studyId, 'board'],
    queryFn: ({ signal }) => client.call('getBoard', { params: { studyId }, signal }),
  });

/** Chosen metrics of every subject on the dates of a window, both included. */
export const dailyValuesQuery = (studyId: string, name: readonly string[], fromDate: string, toDate: string) =>
  queryOptions({
    queryKey: ['adherence', studyId, 'board', fromDate, toDate, name.join(' ')],
    queryFn: async ({ signal }) => {
      const query = { name: [...name], fromDate, toDate };
      const { items } = await loadPages(
        true,
        (page) => client.call('listDailyValues', { params: { studyId }, query: { ...page, ...query }, signal }),
        SUBJECTS_AT_ONCE,
      );
      return { items, fromDate, toDate, names: name };
    },
    placeholderData: keepPreviousData,
  });
