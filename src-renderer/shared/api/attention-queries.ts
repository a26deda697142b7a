/** Attention items, data coverage and reasons for missing data, as query options. Any change in a study may affect them. */
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { MINUTE_MS } from '../../../src-server/durations.ts';
import { client } from './client.ts';

/** Polled, because much of it changes with time alone. */
const POLL_INTERVAL_MS = MINUTE_MS;

export const attentionQuery = (accountId: string) =>
  queryOptions({
    queryKey: ['attention', 'list', accountId],
    queryFn: ({ signal }) => client.call('listAttention', { params: { accountId }, query: { snoozed: true }, signal }),
    refetchInterval: POLL_INTERVAL_MS,
  });

/** Events counted on Today at most; a busier day reads as at least so many. */
const MOST_ARRIVALS = '1000';

export const arrivalsQuery = (studyId: string) =>
  queryOptions({
    queryKey: ['attention', 'arrivals', studyId],
    queryFn: ({ signal }) =>
      client.call('listEvents', { params: { studyId }, query: { limit: MOST_ARRIVALS, newest: true }, signal }),
    refetchInterval: POLL_INTERVAL_MS,
  });

/** Coverage of the last two weeks, or of the local dates of `span`, both included. */
export const coverageQuery = (studyId: string, subjectId: string, span: { from?: string; to?: string } = {}) =>
  queryOptions({
    queryKey: ['attention', 'coverage', studyId, subjectId, span],
    queryFn: ({ signal }) => client.call('listCoverage', { params: { studyId, subjectId }, query: span, signal }),
  });

export const whyQuery = (studyId: string, subjectId: string, date: string) =>
  queryOptions({
    queryKey: ['attention', 'why', studyId, subjectId, date],
    queryFn: ({ signal }) => client.call('getWhyNoData', { params: { studyId, subjectId }, query: { date }, signal }),
    placeholderData: keepPreviousData,
  });
