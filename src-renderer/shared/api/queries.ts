/**
 * The query client, and the queries that several screens share. The first part of a query key is the topic under which
 * `/live` announces changes; study and subject ids follow, so that a change invalidates only what it affects.
 */
import { keepPreviousData, MutationCache, QueryCache, QueryClient, queryOptions } from '@tanstack/react-query';
import { channelsOfTable, fetchChannelTable } from '../../../src-server/api/contract/channel-table.ts';
import { MASTER_ID, PIPELINE_ID } from '../../../src-server/api/contract/channels.ts';
import { ApiError } from '../../../src-server/api/contract/client-core.ts';
import type { Job, RecordingOverview, SubjectDetail } from '../../../src-server/api/contract/index.ts';
import { MAX_GAPS_WINDOW_MS } from '../../../src-server/vocabulary/coverage.ts';
import { client } from './client.ts';
import type { PageQuery } from './list-queries.ts';
import { type Around, keyOfAround, longListQuery, pageAround } from './long-list.ts';
import { endSession } from './session.ts';

export { ApiError };

/** Whether a retry can help: it can for an unreachable or busy site, but not for a rejected request. */
const isTransient = (error: Error) => !(error instanceof ApiError) || error.status === 0 || error.status >= 500;

export function createQueryClient(): QueryClient {
  const onError = (error: Error) => {
    if (error instanceof ApiError && error.status === 401) endSession();
  };
  return new QueryClient({
    queryCache: new QueryCache({ onError }),
    mutationCache: new MutationCache({ onError }),
    defaultOptions: {
      queries: {
        networkMode: 'always',
        staleTime: 15_000,
        gcTime: 30 * 60_000,
        retry: (failures, error) => failures < 2 && isTransient(error),
        retryDelay: (attempt) => 400 * 2 ** attempt,
      },
      mutations: { networkMode: 'always' },
    },
  });
}

export const statusQuery = () =>
  queryOptions({
    queryKey: ['status'],
    queryFn: ({ signal }) => client.call('getStatus', { signal }),
    refetchInterval: 15_000,
    retry: 0,
  });

export const siteQuery = () =>
  queryOptions({
    queryKey: ['site'],
    queryFn: ({ signal }) => client.call('getSite', { signal }),
    refetchInterval: 60_000,
  });

type MetricDefinitions = Awaited<ReturnType<typeof fetchMetricDefinitions>>;
const fetchMetricDefinitions = ({ signal }: { signal: AbortSignal }) =>
  client.call('listMetricDefinitions', { signal });

/** Defined once: React Query runs a new `select` on every render of every reader. */
const byName = ({ items }: MetricDefinitions) => new Map(items.map((item) => [item.name, item]));
const withMethods = ({ items, methods }: MetricDefinitions) => ({
  items,
  methods: new Map(methods.map((method) => [method.id as string, method])),
});

/** Never stale: the definitions change only with the version of the program. */
export const metricDefinitionsQuery = () =>
  queryOptions({
    queryKey: ['metricDefinitions'],
    queryFn: fetchMetricDefinitions,
    select: byName,
    staleTime: Number.POSITIVE_INFINITY,
  });

/** With the methods behind the metrics. */
export const metricDictionaryQuery = () =>
  queryOptions({
    queryKey: ['metricDefinitions'],
    queryFn: fetchMetricDefinitions,
    select: withMethods,
    staleTime: Number.POSITIVE_INFINITY,
  });

export type AnnotationType = 'activity' | 'diary' | 'question' | 'recording' | 'subject';

/** A page of annotations, newest first. */
export const fetchAnnotations = (
  params: { studyId: string; subjectId: string },
  type: readonly AnnotationType[] | undefined,
  page: PageQuery,
  signal?: AbortSignal,
  around?: Around,
) =>
  client.call('listAnnotations', {
    params,
    query: { ...pageAround(page, around), ...(type && { type: [...type] }) },
    signal,
  });

/** Annotations of some types, or of all, newest first, or from one on. */
export const annotationPagesQuery = (
  params: { studyId: string; subjectId: string },
  types: readonly AnnotationType[] | undefined,
  around?: Around,
) =>
  longListQuery(
    ['annotation', params.studyId, params.subjectId, types?.join() ?? 'all', ...keyOfAround(around)],
    (page, signal) => fetchAnnotations(params, types, page, signal, around),
  );

/** Annotations that overlap a span. */
export const annotationsBetweenQuery = (studyId: string, subjectId: string, startMs: number, stopMs: number) =>
  queryOptions({
    queryKey: ['annotation', studyId, subjectId, startMs, stopMs],
    queryFn: ({ signal }) =>
      client.call('listAnnotations', {
        params: { studyId, subjectId },
        query: { endFrom: Math.floor(startMs), to: Math.ceil(stopMs) },
        signal,
      }),
  });

export const studiesQuery = (accountId: string) =>
  queryOptions({
    queryKey: ['study', 'list', accountId],
    queryFn: ({ signal }) => client.call('listStudies', { params: { accountId }, signal }),
  });

export const studyQuery = (studyId: string) =>
  queryOptions({
    queryKey: ['study', studyId],
    queryFn: ({ signal }) => client.call('getStudy', { params: { studyId }, signal }),
  });

export const subjectsQuery = (studyId: string) =>
  queryOptions({
    queryKey: ['subject', studyId],
    queryFn: ({ signal }) => client.call('listSubjects', { params: { studyId }, signal }),
  });

/** A subject and when something was recorded. The recordings themselves are read by span: a subject may have a thousand. */
export type DeskSubject = Omit<SubjectDetail, 'recordings' | 'recorded'> & Required<Pick<SubjectDetail, 'recorded'>>;

export const subjectQuery = (studyId: string, subjectId: string) =>
  queryOptions({
    queryKey: ['subject', studyId, subjectId],
    queryFn: async ({ signal }): Promise<DeskSubject> => {
      const params = { studyId, subjectId };
      const {
        recordings: _,
        recorded = [],
        ...subject
      } = await client.call('getSubject', {
        params,
        query: { recordings: false },
        signal,
      });
      return { ...subject, recorded };
    },
  });

/** Newest first. */
export const recordingPagesQuery = (studyId: string, subjectId: string) =>
  longListQuery(['recording', studyId, subjectId], (page, signal) =>
    client.call('listSubjectRecordings', { params: { studyId, subjectId }, query: { ...page, newest: true }, signal }),
  );

/** Recordings that overlap a span. */
export const recordingsBetweenQuery = (studyId: string, subjectId: string, startMs: number, stopMs: number) =>
  queryOptions({
    queryKey: ['recording', studyId, subjectId, startMs, stopMs],
    queryFn: ({ signal }) =>
      client.call('listSubjectRecordings', {
        params: { studyId, subjectId },
        query: { from: Math.floor(startMs), to: Math.ceil(stopMs) },
        signal,
      }),
  });

/** A recording, and those of the same subject that overlap it. Empty when the recording is not of this subject. */
export const recordingsBesideQuery = (studyId: string, subjectId: string, recordingId: string) =>
  queryOptions({
    queryKey: ['recording', studyId, subjectId, 'beside', recordingId],
    queryFn: ({ signal }) =>
      client.call('listSubjectRecordings', {
        params: { studyId, subjectId },
        query: { overlapping: recordingId },
        signal,
      }),
  });

/**
 * The whole recording in about as many bins as a wide screen has pixels, and where its signal first becomes readable. Never stale: a
 * recording does not change.
 */
export const recordingOverviewQuery = (studyId: string, recordingId: string) =>
  queryOptions({
    queryKey: ['recordingOverview', studyId, recordingId],
    queryFn: ({ signal }) =>
      client.call('getRecordingOverview', {
        params: { studyId, recordingId },
        query: { bins: 1500, readable: true },
        signal,
      }),
    staleTime: Number.POSITIVE_INFINITY,
  });

/** Returns the gaps inside a recording, by channel. */
export const breaksOf = (recordingId: string, { channels }: Pick<RecordingOverview, 'channels'>) => ({
  recordingId,
  channels: channels.map(({ gaps }) => gaps.map(({ startTs, stopTs }) => ({ startMs: startTs, stopMs: stopTs }))),
});

/** Gaps inside a recording, by channel. Never stale: a recording does not change. */
export const recordingGapsQuery = (studyId: string, recordingId: string) =>
  queryOptions({
    queryKey: ['recordingGaps', studyId, recordingId],
    queryFn: ({ signal }) =>
      client.call('getRecordingOverview', { params: { studyId, recordingId }, query: { bins: 1 }, signal }),
    select: (overview) => breaksOf(recordingId, overview),
    staleTime: Number.POSITIVE_INFINITY,
  });

/** Gaps in the signals of a span, with their causes. */
export const gapsQuery = (studyId: string, subjectId: string, startMs: number, stopMs: number) =>
  queryOptions({
    queryKey: ['recording', studyId, subjectId, 'gaps', startMs, stopMs],
    queryFn: ({ signal }) =>
      client.call('listGaps', {
        params: { studyId, subjectId },
        // A recording may be longer than the interface allows for one request; then only its beginning has causes.
        query: { from: startMs, to: Math.min(stopMs, startMs + MAX_GAPS_WINDOW_MS) },
        signal,
      }),
  });

/** Some metrics of all days. */
export const metricsQuery = (studyId: string, subjectId: string, names: readonly string[]) =>
  queryOptions({
    queryKey: ['analytics', studyId, subjectId, 'metrics', names.join()],
    queryFn: ({ signal }) =>
      client.call('listMetrics', { params: { studyId, subjectId }, query: { name: [...names] }, signal }),
  });

/** Metrics of the local dates from `fromDate` to `toDate`, both included. */
export const metricsBetweenQuery = (studyId: string, subjectId: string, fromDate: string, toDate: string) =>
  queryOptions({
    queryKey: ['analytics', studyId, subjectId, 'metrics', fromDate, toDate],
    queryFn: ({ signal }) =>
      client.call('listMetrics', { params: { studyId, subjectId }, query: { fromDate, toDate }, signal }),
  });

/** Channels of [startMs, stopMs), in use or of an analysis run. In the interface both ends are inclusive. */
export const channelsQuery = (
  studyId: string,
  subjectId: string,
  startMs: number,
  stopMs: number,
  interval: number,
  run?: string,
) =>
  queryOptions({
    queryKey: ['analytics', studyId, subjectId, 'channels', startMs, stopMs, interval, ...(run ? [run] : [])],
    queryFn: async ({ signal }) => {
      const table = await fetchChannelTable(client, {
        params: { studyId, subjectId, pipelineId: PIPELINE_ID },
        query: { masterId: MASTER_ID, from: startMs, to: stopMs - 1, interval, ...(run && { run }) },
        signal,
      });
      return { channels: channelsOfTable(table) };
    },
    // A comparison with the former answer, value by value, would cost more than the lanes that it could save.
    structuralSharing: false,
    staleTime: 60_000,
  });

/** Named channels of [startMs, stopMs), among them further ones than the nine. */
export const channelsOfTypesQuery = (
  studyId: string,
  subjectId: string,
  {
    startMs,
    stopMs,
    interval,
    types,
    run,
  }: { startMs: number; stopMs: number; interval: number; types: readonly string[]; run?: string | undefined },
) =>
  queryOptions({
    queryKey: ['analytics', studyId, subjectId, 'channels', startMs, stopMs, interval, types, run ?? ''],
    queryFn: async ({ signal }) => {
      const { channels } = await client.call('getChannels', {
        params: { studyId, subjectId, pipelineId: PIPELINE_ID },
        query: { masterId: MASTER_ID, from: startMs, to: stopMs - 1, interval, type: [...types], ...(run && { run }) },
        signal,
      });
      return channels;
    },
    staleTime: 60_000,
  });

export const jobQuery = (jobId: string) =>
  queryOptions({
    queryKey: ['job', 'one', jobId],
    queryFn: ({ signal }) => client.call('getJob', { params: { jobId }, signal }),
    refetchInterval: ({ state: { data } }) =>
      data && data.state !== 'running' && data.state !== 'queued' ? false : 1_000,
  });

type JobState = Job['state'];

/** Polled while a job runs, because `/live` does not announce progress. */
const pollJobs = (jobs: readonly Pick<Job, 'state'>[] | undefined) =>
  jobs?.some(({ state }) => state === 'running' || state === 'queued') ? 2_000 : 30_000;

/** Some of the newest jobs: those in some of the states or of a kind, or any. */
const newestJobsQuery = (name: string, limit: number, filter: { state?: JobState[]; kind?: Job['kind'] } = {}) =>
  queryOptions({
    queryKey: ['job', name],
    queryFn: ({ signal }) => client.call('listJobs', { query: { limit: String(limit), ...filter }, signal }),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state: { data } }) => pollJobs(data?.items),
  });

/** Jobs that run, wait or need a decision; at most a hundred. */
export const openJobsQuery = () => newestJobsQuery('open', 100, { state: ['queued', 'running', 'failed', 'parked'] });

export const recentJobsQuery = () => newestJobsQuery('recent', 12);

/** The last checks of the site, whatever else has run since. Those of backups have another result. */
export const siteChecksQuery = () => ({
  ...newestJobsQuery('checks', 50, { kind: 'verify' }),
  select: ({ items }: { items: Job[] }) => items.filter(({ result }) => result?.backupId === undefined),
});

/** The backup that runs or waits. */
export const openBackupQuery = () => newestJobsQuery('backup', 1, { kind: 'backup', state: ['queued', 'running'] });

/** The last restore of a backup. */
export const lastRestoreQuery = () => newestJobsQuery('restore', 1, { kind: 'restore' });

/** Jobs in some of the states, or all, newest first. */
export const jobPagesQuery = (state: readonly JobState[] | null) => ({
  ...longListQuery(['job', state?.join() ?? 'all'], (page, signal) =>
    client.call('listJobs', { query: { ...page, ...(state && { state: [...state] }) }, signal }),
  ),
  refetchInterval: ({ state: { data } }: { state: { data?: { pages: { items: Job[] }[] } | undefined } }) =>
    pollJobs(data?.pages.flatMap(({ items }) => items)),
});
