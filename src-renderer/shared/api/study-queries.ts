/** Adherence, statistics and exports of a study as query options; keys as in `queries.ts`. */
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { SubjectAdherence } from '../../../src-server/api/contract/index.ts';
import { client } from './client.ts';

const NO_DAYS: SubjectAdherence['days'] = [];

export const timeZonesQuery = () =>
  queryOptions({
    queryKey: ['timeZones'],
    queryFn: ({ signal }) => client.call('listTimeZones', { signal }),
    staleTime: Number.POSITIVE_INFINITY,
  });

/**
 * Tasks and wear of every subject on the dates of a window, both included, with the window. Every new annotation and analysis
 * invalidates it (`change-keys.ts`).
 */
export const adherenceBetweenQuery = (studyId: string, fromDate: string, toDate: string) =>
  queryOptions({
    queryKey: ['adherence', studyId, 'between', fromDate, toDate],
    queryFn: async ({ signal }) => {
      const query = { fromDate, toDate };
      return { ...query, items: (await client.call('listAdherence', { params: { studyId }, query, signal })).items };
    },
    // The former window stays until the next one has arrived.
    placeholderData: keepPreviousData,
  });

/** Tasks and wear of all days of one subject. */
export const subjectAdherenceQuery = (studyId: string, subjectId: string) =>
  queryOptions({
    queryKey: ['adherence', studyId, subjectId, 'days'],
    queryFn: ({ signal }) => client.call('listAdherence', { params: { studyId }, query: { subjectId }, signal }),
    select: ({ items }) => items[0]?.days ?? NO_DAYS,
  });

export const programAuditQuery = (studyId: string, subjectId: string) =>
  queryOptions({
    queryKey: ['adherence', studyId, subjectId, 'audit'],
    queryFn: ({ signal }) => client.call('listProgramAudit', { params: { studyId, subjectId }, signal }),
  });

export const taskReportsQuery = (studyId: string, subjectId: string) =>
  queryOptions({
    queryKey: ['adherence', studyId, subjectId, 'reports'],
    queryFn: ({ signal }) => client.call('listTaskReports', { params: { studyId, subjectId }, signal }),
  });

export const faultStatsQuery = (studyId: string) =>
  queryOptions({
    queryKey: ['recording', studyId, 'faults'],
    queryFn: ({ signal }) => client.call('getFaultStats', { params: { studyId }, signal }),
  });

export const dailyRecordingsQuery = (studyId: string) =>
  queryOptions({
    queryKey: ['recording', studyId, 'daily'],
    queryFn: ({ signal }) => client.call('listDailyRecordingStats', { params: { studyId }, signal }),
  });

export const programStatsQuery = (studyId: string) =>
  queryOptions({
    queryKey: ['adherence', studyId, 'stats'],
    queryFn: ({ signal }) => client.call('listProgramStats', { params: { studyId }, signal }),
  });

/** Reads the definition of a study: the same document that is exported as a file. */
export const fetchDefinition = (studyId: string, signal?: AbortSignal) =>
  client.call('getDefinition', { params: { studyId }, signal });

export const definitionQuery = (studyId: string) =>
  queryOptions({
    queryKey: ['study', studyId, 'definition'],
    queryFn: ({ signal }) => fetchDefinition(studyId, signal),
  });

/** Polled while an export is being made: `/live` does not announce progress. */
export const exportsQuery = (studyId: string) =>
  queryOptions({
    queryKey: ['export', studyId],
    queryFn: ({ signal }) => client.call('listStudyExports', { params: { studyId }, signal }),
    refetchInterval: (query) =>
      query.state.data?.items.some(({ state }) => state === 'WAITING' || state === 'RUNNING') ? 1_000 : false,
  });
