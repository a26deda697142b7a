/** Daily metrics and intraday channels, as JSON and CSV. */
import type { Response } from 'express';
import { binChannels, binStartMs } from '../../analytics/channels.ts';
import { binFurtherChannels } from '../../analytics/further-channels.ts';
import { libraryConfigId } from '../../analytics/library-config.ts';
import { joinedVersion } from '../../analytics/version.ts';
import type { DayRecord } from '../../db/index.ts';
import { sha256Hex } from '../../files/content-hash.ts';
import { BinReader, binRuns } from '../../stored-analytics/bin-reader.ts';
import { metricsCsv } from '../../stored-analytics/csv.ts';
import { DayChannels } from '../../stored-analytics/day-channels.ts';
import { formatOffset, isCalendarDate, midnightWindow, offsetMsAt } from '../../study/day-windows.ts';
import {
  completeParameters,
  distinctParameters,
  type GivenAnalysisParameters,
} from '../../vocabulary/analysis-parameters.ts';
import { CHANNEL_TABLE, CHANNELS, FURTHER_CHANNELS } from '../contract/channels.ts';
import { type DailyMetricsItem, MASTER_ID, PIPELINE_ID } from '../contract/index.ts';
import type { analyticsRoutes } from '../contract/resources/analytics.ts';
import type { ApiDeps } from '../deps.ts';
import { ByteStream } from '../framework/byte-stream.ts';
import { dateSpanOf } from '../framework/date-window.ts';
import { invalidField, notFound } from '../framework/errors.ts';
import { type Handlers, SENT } from '../framework/mount.ts';
import { TextStream } from '../framework/stream.ts';
import { answeredUnchanged } from '../framework/validators.ts';
import { writeChannelTable } from './channels/binary.ts';
import { type Bins, writeChannels } from './channels/json.ts';
import type { ResultMethod } from './channels/result-method.ts';
import { dataUseOf, requireUsable } from './data-use.ts';

const DEFAULT_INTERVAL_MS = 60_000;

function toDailyMetrics(day: DayRecord, without: DayRecord | undefined): DailyMetricsItem {
  const parameters = completeParameters(day.parameters);
  return {
    dayStartMsUtc: day.dayStartTs,
    dataStartTs: day.dataStartTs,
    dataStopTs: day.dataStopTs,
    errorTypes: [],
    libraryConfigId: libraryConfigId(day.algorithmVersion, [parameters]),
    algorithmVersion: day.algorithmVersion,
    inputsHash: day.inputsHash,
    parameters,
    ...(day.epochMethod && { epochMethod: day.epochMethod }),
    subjectTz: day.timezone,
    subjectTzOffset: formatOffset(offsetMsAt(day.dayStartTs, day.timezone)),
    metrics: day.metrics,
    validSeconds: day.validSeconds,
    ...(without && {
      uncorrected: {
        algorithmVersion: without.algorithmVersion,
        metrics: without.metrics,
        validSeconds: without.validSeconds,
      },
    }),
  };
}

type Computed = readonly {
  date: string;
  algorithmVersion: string;
  inputsHash: string;
  parameters?: GivenAnalysisParameters | undefined;
}[];

/** Returns the joined version of results, their parameters and the hash of their inputs, or null without any. */
function methodOf(results: Computed): ResultMethod | null {
  if (results.length === 0) return null;
  const algorithmVersion = joinedVersion(results.map((one) => one.algorithmVersion));
  const parameters = distinctParameters(results.map((one) => one.parameters));
  const inputsHash = sha256Hex(results.map((one) => `${one.date} ${one.inputsHash}`).join('\n'));
  return { libraryConfigId: libraryConfigId(algorithmVersion, parameters), algorithmVersion, parameters, inputsHash };
}

/** Sends the version, the parameters and the inputs as headers, because the columns of the CSV downloads are fixed. */
function setMethod(response: Response, results: Computed): void {
  const method = methodOf(results);
  if (method === null) return;
  response.set('Outpost-Algorithm-Version', method.algorithmVersion);
  response.set('Outpost-Analysis-Parameters', JSON.stringify(method.parameters));
  response.set('Outpost-Inputs-Hash', method.inputsHash);
}

const onlyNames = (metrics: Readonly<Record<string, number>>, names: readonly string[]): Record<string, number> =>
  Object.fromEntries(names.flatMap((name) => (metrics[name] === undefined ? [] : [[name, metrics[name]]])));

/** Bins of the nine channels and the further ones. */
const allBins = (...request: Parameters<typeof binChannels>): Bins => {
  const { times, values } = binChannels(...request);
  return { times, values: { ...values, ...binFurtherChannels(...request).values } };
};

export function analyticsHandlers(deps: ApiDeps): Handlers<typeof analyticsRoutes> {
  const { analysisRuns, analytics, recordings, subjects } = deps.store;
  return {
    listMetrics: async ({ params, query }) => {
      const { run: runId } = query;
      if (runId !== undefined) await analysisRuns.require(runId, params.studyId);
      const span = { ...dateSpanOf(query), runId };
      const without = await analytics.uncorrectedDays(params.subjectId, span);
      const byDate = new Map(without.map((day) => [day.date, day]));
      const days = (await analytics.days(params.subjectId, span)).map((day) =>
        toDailyMetrics(day, byDate.get(day.date)),
      );
      const { name } = query;
      const items = name
        ? days.map(({ uncorrected, ...day }) => ({
            ...day,
            metrics: onlyNames(day.metrics, name),
            ...(uncorrected && { uncorrected: { ...uncorrected, metrics: onlyNames(uncorrected.metrics, name) } }),
          }))
        : days;
      return { items, size: items.length };
    },
    getChannels: async ({ params, query, request: httpRequest, response }) => {
      if (params.pipelineId !== PIPELINE_ID) throw notFound('pipeline');
      if (query.masterId !== MASTER_ID) throw invalidField('masterId', `must be ${MASTER_ID}`);
      if (query.from > query.to) throw invalidField('from', 'must not be after `to`');
      const { run: runId } = query;
      if (runId !== undefined) await analysisRuns.require(runId, params.studyId);
      const { subjectId } = params;
      const intervalMs = query.interval ?? DEFAULT_INTERVAL_MS;
      const request = { fromMs: query.from, toMs: query.to, intervalMs };
      const windows = await analytics.windows(subjectId, {
        fromTs: binStartMs(query.from, intervalMs),
        toTs: binStartMs(query.to, intervalMs) + intervalMs,
        runId,
      });
      const extentUs = await recordings.extent(subjectId);
      const extent = extentUs && { startMs: extentUs.startUs / 1000, stopMs: extentUs.stopUs / 1000 };
      const runs = binRuns(windows, extent, request);
      const { type: types } = query;
      // The binary form has the nine channels alone.
      const mediaType = types ? 'application/json' : httpRequest.accepts(['application/json', CHANNEL_TABLE]);
      response.vary('Accept');
      if (answeredUnchanged(httpRequest, response, [deps.version, mediaType, types ?? [], runs, windows, runId ?? '']))
        return SENT;
      const reader = new BinReader(deps.store, subjectId, windows, { runId });
      const method = methodOf(windows);
      response.status(200);
      if (mediaType === CHANNEL_TABLE) {
        response.type(CHANNEL_TABLE);
        await writeChannelTable(new ByteStream(response), reader.chunks(runs, intervalMs), intervalMs, method);
      } else {
        response.type('application/json');
        const channels = types
          ? [...CHANNELS, ...FURTHER_CHANNELS].filter(({ type }) => types.includes(type))
          : CHANNELS;
        const bins = reader.binned<Bins>(runs, intervalMs, types ? allBins : binChannels);
        await writeChannels(new TextStream(response), channels, bins, method);
      }
      return SENT;
    },
    downloadMetricsCsv: async ({ params, response }) => {
      const use = await dataUseOf(deps.store, params.subjectId);
      const days = await analytics.days(params.subjectId, { toDate: use?.date });
      setMethod(response, days);
      const csv = metricsCsv(days);
      response.status(200).type('text/csv').attachment('metrics.csv').send(csv);
      return SENT;
    },
    downloadChannelsCsv: async ({ params, query, response }) => {
      if (!isCalendarDate(params.date)) throw invalidField('date', 'must be a day of the calendar, YYYY-MM-DD');
      const { run: runId } = query;
      if (runId !== undefined) await analysisRuns.require(runId, params.studyId);
      const { subjectId, date } = params;
      const clock = await subjects.zones(subjectId);
      requireUsable(await dataUseOf(deps.store, subjectId), midnightWindow(date, clock).stopMs);
      const channels = new DayChannels(deps.store, subjectId, clock, { runId });
      const windows = await channels.windows(date);
      const csv = await channels.csv(date, { windows, hasFurther: query.further === true });
      if (csv === undefined) throw notFound('day with data');
      setMethod(response, windows);
      response.status(200).type('text/csv').attachment(`channels-${date}.csv`).send(csv);
      return SENT;
    },
  };
}
