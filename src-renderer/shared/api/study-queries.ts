/** What the screens of a study read beside `queries.ts`: adherence, definition, statistics. */
import { queryOptions } from '@tanstack/react-query';
import { client } from './client.ts';

export const timeZonesQuery = () =>
  queryOptions({
    queryKey: ['timeZones'],
    queryFn: ({ signal }) => client.call('listTimeZones', { signal }),
    staleTime: Number.POSITIVE_INFINITY,
  });

/** Tasks and wear per day. Old with every new annotation and analysis: `change-keys.ts` says so. */
export const adherenceQuery = (studyId: string) =>
  queryOptions({
    queryKey: ['adherence', studyId],
    queryFn: ({ signal }) => client.call('listAdherence', { params: { studyId }, signal }),
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
