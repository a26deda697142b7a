/** Daily metrics and intraday channels, as JSON and CSV. */
import { type BinnedChannels, binStartMs } from '../../analytics/channels.ts';
import type { DayRecord } from '../../db/index.ts';
import { formatOffset, isCalendarDate, midnightWindow, offsetMsAt } from '../../study/day-windows.ts';
import { type DailyMetricsItem, MASTER_ID, PIPELINE_ID } from '../contract/index.ts';
import type { analyticsRoutes } from '../contract/resources/analytics.ts';
import type { ApiDeps } from '../deps.ts';
import { invalidField, notFound } from '../framework/errors.ts';
import { type Handlers, SENT } from '../framework/mount.ts';
import { TextStream } from '../framework/stream.ts';
import { channelsCsv, metricsCsv } from './channels/csv.ts';
import { writeChannels } from './channels/json.ts';
import { BinReader, binRuns } from './channels/windows.ts';

const DEFAULT_INTERVAL_MS = 60_000;

function toDailyMetrics(day: DayRecord): DailyMetricsItem {
  return {
    dayStartMsUtc: day.dayStartTs,
    dataStartTs: day.dataStartTs,
    dataStopTs: day.dataStopTs,
    errorTypes: [],
    libraryConfigId: MASTER_ID,
    subjectTz: day.timezone,
    subjectTzOffset: formatOffset(offsetMsAt(day.dayStartTs, day.timezone)),
    metrics: day.metrics,
    validSeconds: day.validSeconds,
  };
}

export function analyticsHandlers(deps: ApiDeps): Handlers<typeof analyticsRoutes> {
  const { analytics, recordings, subjects } = deps.store;
  return {
    listMetrics: async ({ params }) => {
      const items = (await analytics.days(params.subjectId)).map(toDailyMetrics);
      return { items, size: items.length };
    },
    getChannels: async ({ params, query, response }) => {
      if (params.pipelineId !== PIPELINE_ID) throw notFound('pipeline');
      if (query.masterId !== MASTER_ID) throw invalidField('masterId', `must be ${MASTER_ID}`);
      if (query.from > query.to) throw invalidField('from', 'must not be after `to`');
      const { subjectId } = params;
      const intervalMs = query.interval ?? DEFAULT_INTERVAL_MS;
      const request = { fromMs: query.from, toMs: query.to, intervalMs };
      const windows = await analytics.windows(subjectId, {
        fromTs: binStartMs(query.from, intervalMs),
        toTs: binStartMs(query.to, intervalMs) + intervalMs,
      });
      const extentUs = await recordings.extent(subjectId);
      const extent = extentUs && { startMs: extentUs.startUs / 1000, stopMs: extentUs.stopUs / 1000 };
      const reader = new BinReader(deps.store, subjectId, windows);
      response.status(200).type('application/json');
      await writeChannels(new TextStream(response), reader.pieces(binRuns(windows, extent, request), intervalMs));
      return SENT;
    },
    downloadMetricsCsv: async ({ params, response }) => {
      const csv = metricsCsv(await analytics.days(params.subjectId));
      response.status(200).type('text/csv').attachment('metrics.csv').send(csv);
      return SENT;
    },
    downloadChannelsCsv: async ({ params, response }) => {
      if (!isCalendarDate(params.date)) throw invalidField('date', 'must be a day of the calendar, YYYY-MM-DD');
      const { subjectId } = params;
      const clock = await subjects.zones(subjectId);
      const { startMs, stopMs } = midnightWindow(params.date, clock);
      const recorded = await recordings.listForSubject(subjectId, { fromUs: startMs * 1000, toUs: stopMs * 1000 - 1 });
      const windows = await analytics.windows(subjectId, { fromTs: startMs, toTs: stopMs });
      if (recorded.length === 0 || windows.length === 0) throw notFound('day with data');
      const reader = new BinReader(deps.store, subjectId, windows);
      const intervalMs = DEFAULT_INTERVAL_MS;
      const run = { firstMs: binStartMs(startMs, intervalMs), lastMs: binStartMs(stopMs - 1, intervalMs) };
      const pieces: BinnedChannels[] = [];
      for await (const piece of reader.pieces([run], intervalMs)) pieces.push(piece);
      response.status(200).type('text/csv').attachment(`channels-${params.date}.csv`).send(channelsCsv(pieces, clock));
      return SENT;
    },
  };
}
