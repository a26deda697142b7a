/** How a study is analysed, and its analysis runs, as query options. */
import { queryOptions } from '@tanstack/react-query';
import { client } from './client.ts';

/** The first part of every key: adopting a run changes all of them. */
export const analysisKey = (studyId: string) => ['analysis-run', studyId];

export const analysisQuery = (studyId: string) =>
  queryOptions({
    queryKey: [...analysisKey(studyId), 'method'],
    queryFn: ({ signal }) => client.call('getAnalysis', { params: { studyId }, signal }),
  });

/** While a run is computed, its progress is asked for: changes announce subjects that are done, not those that begin or fail. */
const WHILE_RUNNING_MS = 5000;

export const analysisRunsQuery = (studyId: string) =>
  queryOptions({
    queryKey: [...analysisKey(studyId), 'list'],
    queryFn: async ({ signal }) =>
      (await client.call('listAnalysisRuns', { params: { studyId }, query: {}, signal })).items,
    refetchInterval: ({ state }) => (state.data?.some((run) => run.state === 'RUNNING') ? WHILE_RUNNING_MS : false),
  });

export const analysisRunQuery = (studyId: string, runId: string) =>
  queryOptions({
    queryKey: [...analysisKey(studyId), 'run', runId],
    queryFn: ({ signal }) => client.call('getAnalysisRun', { params: { studyId, runId }, signal }),
    refetchInterval: ({ state }) => (state.data?.state === 'RUNNING' ? WHILE_RUNNING_MS : false),
  });

export const comparisonQuery = (studyId: string, runId: string) =>
  queryOptions({
    queryKey: [...analysisKey(studyId), 'comparison', runId],
    queryFn: ({ signal }) => client.call('compareAnalysisRun', { params: { studyId, runId }, signal }),
  });

export const comparisonPointsQuery = (studyId: string, runId: string, metric: string) =>
  queryOptions({
    queryKey: [...analysisKey(studyId), 'points', runId, metric],
    queryFn: ({ signal }) => client.call('getComparisonPoints', { params: { studyId, runId, metric }, signal }),
  });
