/** `outpost analyze`: runs the importers and analytics of a site on files, without a site. */
import {
  ANALYTICS_VERSION,
  analyseRecording,
  analyseWindow,
  type BinnedChannels,
  binChannels,
  CHANNEL_INTERVALS_MS,
  CHANNEL_TYPES,
  CHANNEL_UNITS,
  dailyMetrics,
  featuresFrom,
  type NoonSleeps,
  whyNothing,
} from '../analytics/index.ts';
import type { RecordingFeatures, Span } from '../analytics/types.ts';
import { DAY_MS } from '../durations.ts';
import { OutpostError, toOutpostError } from '../errors.ts';
import { openImport } from '../importers/index.ts';
import { signalInputs } from '../jobs/analytics/signal-inputs.ts';
import { touchedSpans } from '../jobs/analytics/touched-spans.ts';
import type { SignalPage } from '../signals/types.ts';
import { fixedZone, formatOffset, offsetMsAt } from '../study/day-windows.ts';
import { isTimeZone } from '../study/zones.ts';
import { type AnalysedFile, type Analysis, beatTimes } from './analysis.ts';
import { answer, startProgress } from './output.ts';
import { parseSensorFile, type SensorFile } from './sensor-files.ts';

interface AnalyzeCommand {
  sensor: string[];
  batch?: string;
  timeZone: string;
  interval: string;
  json: boolean;
}

interface Task {
  name?: string;
  timeZone: string;
  intervalMs: number;
  sensors: SensorFile[];
}

export async function analyze(options: AnalyzeCommand): Promise<number | undefined> {
  if (options.batch !== undefined) return analyzeBatch(options.batch);
  if (options.sensor.length === 0) {
    throw new OutpostError('INVALID_INPUT', 'No recording given. Add --sensor LOCATION=FILE, or a --batch list.');
  }
  const task = {
    timeZone: options.timeZone,
    intervalMs: Number(options.interval),
    sensors: options.sensor.map(parseSensorFile),
  };
  const progress = await startProgress('Analysis');
  const result = await analyseFiles(task, (done, total, step) => progress.update(done, total, step)).finally(() =>
    progress.stop(),
  );
  if (options.json) answer(toJson(result));
  else (await import('./analyze-tables.ts')).printTables(result);
  return undefined;
}

/** Prints one JSON line per entry. An entry that fails prints its error and does not stop the others. */
async function analyzeBatch(listFile: string): Promise<number> {
  const { readBatchList } = await import('./batch-list.ts');
  let failures = 0;
  for (const { name, timeZone, interval, sensors } of await readBatchList(listFile)) {
    try {
      const result = await analyseFiles({
        name,
        timeZone,
        intervalMs: interval,
        sensors: sensors.map(({ location, file }) => ({ path: file, ...(location && { location }) })),
      });
      answer(toJson(result));
    } catch (thrown) {
      failures++;
      answer({ name, error: toOutpostError(thrown).toJSON() });
    }
  }
  return failures > 0 ? 1 : 0;
}

async function analyseFiles(
  task: Task,
  onProgress: (done: number, total: number, step: string) => void = () => undefined,
): Promise<Analysis> {
  if (!isTimeZone(task.timeZone)) {
    throw new OutpostError('INVALID_INPUT', `Unknown time zone ${task.timeZone}. Use a name such as Asia/Tokyo.`);
  }
  if (!(CHANNEL_INTERVALS_MS as readonly number[]).includes(task.intervalMs)) {
    throw new OutpostError('INVALID_INPUT', `The interval must be one of ${CHANNEL_INTERVALS_MS.join(', ')} ms.`);
  }
  const recordings: AnalysedFile[] = [];
  const features: RecordingFeatures[] = [];
  const covered: Span[] = [];
  for (const [index, sensor] of task.sensors.entries()) {
    onProgress(index, task.sensors.length, `reading ${sensor.path}`);
    covered.push(...(await readFeatures(sensor, task.timeZone, recordings, features)));
  }
  if (recordings.length === 0) throw new OutpostError('FILE_EMPTY', 'The files contain no samples to analyse.');
  const clock = fixedZone(task.timeZone);
  const spans = joinSpans(covered);
  const touched = spans.map(({ startMs, stopMs }) => touchedSpans(startMs, stopMs + 1, clock));
  const between = featuresFrom(features);
  const noons: NoonSleeps = new Map();
  const windows = byDate(touched.flatMap((span) => span.windows))
    .map((window) => analyseWindow(window, between, [], noons))
    .filter((result) => result.seconds.recorded.includes(1));
  const seconds = windows.map((result) => result.seconds);
  return {
    name: task.name,
    timeZone: task.timeZone,
    intervalMs: task.intervalMs,
    recordings,
    features,
    windows,
    channels: spans
      .map(({ startMs, stopMs }) => binChannels(seconds, task.intervalMs, startMs, stopMs))
      .reduce(appendBins),
    days: byDate(touched.flatMap((span) => span.days)).flatMap((day) => {
      const near = windows.filter(
        ({ window }) => window.date === day.date || (window.startMs < day.stopMs && window.stopMs > day.startMs),
      );
      return dailyMetrics(day, near) ?? [];
    }),
  };
}

/** Breaks of this length get no bins: a file may hold minutes of data that lie years apart. */
const LONGEST_EMPTY_MS = DAY_MS;

/** Sorts spans by time and joins those less than a day apart. Both ends are sample times. */
function joinSpans(spans: readonly Span[]): Span[] {
  const joined: Span[] = [];
  for (const { startMs, stopMs } of [...spans].sort((a, b) => a.startMs - b.startMs)) {
    const last = joined.at(-1);
    if (last && startMs - last.stopMs < LONGEST_EMPTY_MS) last.stopMs = Math.max(last.stopMs, stopMs);
    else joined.push({ startMs, stopMs });
  }
  return joined;
}

/** Keeps the first entry of each date, sorted by date. */
function byDate<T extends { date: string }>(entries: readonly T[]): T[] {
  return [...new Map(entries.toReversed().map((entry) => [entry.date, entry])).values()].sort((a, b) =>
    a.date < b.date ? -1 : 1,
  );
}

function appendBins(bins: BinnedChannels, more: BinnedChannels): BinnedChannels {
  bins.times = bins.times.concat(more.times);
  for (const type of CHANNEL_TYPES) bins.values[type] = bins.values[type].concat(more.values[type] as never[]) as never;
  return bins;
}

/** Reads one file or folder, adds to `recordings` and `features`, and returns the time that its pages cover. */
async function readFeatures(
  sensor: SensorFile,
  timeZone: string,
  recordings: AnalysedFile[],
  features: RecordingFeatures[],
): Promise<Span[]> {
  const covered: Span[] = [];
  const source = await openImport([sensor.path], {
    timeZone,
    defaultStartUs: 0,
    ...(sensor.location && { location: sensor.location }),
  });
  try {
    for (const recording of source.recordings) {
      const pages: SignalPage[][] = recording.header.channels.map(() => []);
      for await (const page of recording.pages()) pages[page.channel]!.push(page);
      const all = pages.flat();
      if (all.length === 0) continue;
      const lastUs = (page: SignalPage): number => Math.round(page.startUs + (page.count - 1) * page.periodUs);
      const startUs = all.reduce((least, page) => Math.min(least, page.startUs), Infinity);
      const stopUs = all.reduce((most, page) => Math.max(most, lastUs(page)), -Infinity);
      for (const page of all)
        covered.push({ startMs: Math.floor(page.startUs / 1000), stopMs: Math.floor(lastUs(page) / 1000) });
      const location = sensor.location ?? recording.header.physicalConfig.location;
      const inputs = signalInputs(recording.header.channels, (channel) => pages[channel]!, location);
      const found = analyseRecording(sensor.path, location, inputs, startUs, stopUs + 1);
      features.push(found);
      recordings.push({
        file: sensor.path,
        format: source.format,
        location,
        startMs: Math.floor(startUs / 1000),
        stopMs: Math.floor(stopUs / 1000),
        channels: recording.header.channels.map(({ type, dimensions, nominalRateHz }, channel) => ({
          type,
          dimensions,
          nominalRateHz,
          samples: pages[channel]!.reduce((sum, page) => sum + page.count, 0),
        })),
        notes: [...recording.notes, ...whyNothing(inputs, found)],
      });
    }
  } finally {
    await source.close();
  }
  return covered;
}

function toJson(analysis: Analysis): object {
  const { channels, days, windows, timeZone } = analysis;
  return {
    ...(analysis.name !== undefined && { name: analysis.name }),
    timeZone,
    interval: analysis.intervalMs,
    recordings: analysis.recordings,
    beatTs: beatTimes(analysis.features),
    stepTs: windows.flatMap((result) => Array.from(result.stepsUs ?? [], (us) => Math.round(us / 1000))),
    channels: CHANNEL_TYPES.map((type) => ({
      type,
      units: CHANNEL_UNITS[type],
      times: channels.times,
      values: channels.values[type],
    })),
    algorithmVersion: ANALYTICS_VERSION,
    metrics: days.map((day) => ({
      date: day.date,
      dayStartMsUtc: day.dayStartMs,
      dataStartTs: day.dataStartMs,
      dataStopTs: day.dataStopMs,
      subjectTz: timeZone,
      subjectTzOffset: formatOffset(offsetMsAt(day.dayStartMs, timeZone)),
      metrics: day.metrics,
    })),
    sleep: windows.flatMap((result) =>
      result.sleep
        .filter(({ onsetMs }) => onsetMs >= result.window.startMs)
        .sort((a, b) => a.onsetMs - b.onsetMs)
        .map((period) => ({ onsetTs: period.onsetMs, wakeTs: period.wakeMs })),
    ),
  };
}
