/** What needs attention, where the data is and why there is none, as query options. Any change of a study may alter them. */
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { client } from './client.ts';

/** Much of it comes with time alone. */
const LOOK_EVERY_MS = 60_000;

export const attentionQuery = (accountId: string) =>
  queryOptions({
    queryKey: ['attention', 'list', accountId],
    queryFn: ({ signal }) => client.call('listAttention', { params: { accountId }, query: { snoozed: true }, signal }),
    refetchInterval: LOOK_EVERY_MS,
  });

export const arrivalsQuery = (studyId: string) =>
  queryOptions({
    queryKey: ['attention', 'arrivals', studyId],
    queryFn: ({ signal }) => client.call('listEvents', { params: { studyId }, signal }),
    refetchInterval: LOOK_EVERY_MS,
  });

/** The last two weeks, or the local dates from one to another. */
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
