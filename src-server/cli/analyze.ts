/** `outpost analyze`: runs the importers and analytics of a site on files, without a site. */
import { CHANNEL_INTERVALS_MS, RecordingPasses, whyNothing } from '../analytics/index.ts';
import { bodySiteOf } from '../analytics/motion/body-site.ts';
import type { Span } from '../analytics/types.ts';
import { OutpostError, toOutpostError } from '../errors.ts';
import { sampleTimeUs } from '../signals/codec/page.ts';
import { isTimeZone } from '../study/zones.ts';
import { type AnalysisParameters, DEFAULT_ANALYSIS_PARAMETERS } from '../vocabulary/analysis-parameters.ts';
import { LOCATIONS } from '../vocabulary/placements.ts';
import { Analysis, LONGEST_EMPTY_MS } from './analysis.ts';
import { writeJson } from './analysis-json.ts';
import { answer, startProgress } from './output.ts';
import { parseSensorFile, type SensorFile } from './sensor-files.ts';
import { keepNurserySmall } from './small-nursery.ts';
import { SourceTwice } from './source-twice.ts';

interface AnalyzeCommand {
  sensor: string[];
  batch?: string;
  timeZone: string;
  interval: string;
  json: boolean;
  cutPoints: string[];
  nonWear?: string;
  parameters?: string;
}

interface Task {
  name?: string;
  timeZone: string;
  intervalMs: number;
  parameters: AnalysisParameters;
  sensors: SensorFile[];
}

export async function analyze(options: AnalyzeCommand): Promise<number | undefined> {
  keepNurserySmall();
  const parameters = await parametersOf(options);
  if (options.batch !== undefined) return analyzeBatch(options.batch, parameters);
  if (options.sensor.length === 0) {
    throw new OutpostError('INVALID_INPUT', 'No recording given. Add --sensor LOCATION=FILE, or a --batch list.');
  }
  const task = {
    timeZone: options.timeZone,
    intervalMs: Number(options.interval),
    parameters,
    sensors: options.sensor.map(parseSensorFile),
  };
  const progress = await startProgress('Analysis');
  const print = options.json ? writeJson : (await import('./analyze-tables.ts')).printTables;
  await analyseFiles(
    task,
    async (analysis) => {
      progress.stop();
      await print(analysis);
    },
    (done, total, step) => progress.update(done, total, step),
  ).finally(() => progress.stop());
  return undefined;
}

async function parametersOf({ cutPoints, nonWear, parameters }: AnalyzeCommand): Promise<AnalysisParameters> {
  if (cutPoints.length === 0 && nonWear === undefined && parameters === undefined) return DEFAULT_ANALYSIS_PARAMETERS;
  const { parametersFrom } = await import('./analysis-parameters.ts');
  return await parametersFrom({ cutPoints, ...(nonWear && { nonWear }), ...(parameters && { parameters }) });
}

/** Prints one JSON line per entry, which may have parameters of its own. An entry that fails prints its error and does not stop the others. */
async function analyzeBatch(listFile: string, common: AnalysisParameters): Promise<number> {
  const { readBatchList } = await import('./batch-list.ts');
  let failures = 0;
  for (const { name, timeZone, interval, sensors, parameters = common } of await readBatchList(listFile)) {
    try {
      const files = sensors.map(({ location, file }) => ({ path: file, ...(location && { location }) }));
      await analyseFiles({ name, timeZone, intervalMs: interval, parameters, sensors: files }, writeJson);
    } catch (thrown) {
      failures++;
      answer({ name, error: toOutpostError(thrown).toJSON() });
    }
  }
  return failures > 0 ? 1 : 0;
}

type OnProgress = (done: number, total: number, step: string) => void;

/** Analyses the files and hands over the result, which is valid only during the call. */
async function analyseFiles(
  task: Task,
  use: (analysis: Analysis) => Promise<void>,
  onProgress: OnProgress = () => undefined,
): Promise<void> {
  if (!isTimeZone(task.timeZone)) {
    throw new OutpostError('INVALID_INPUT', `Unknown time zone ${task.timeZone}. Use a name such as Asia/Tokyo.`);
  }
  if (!(CHANNEL_INTERVALS_MS as readonly number[]).includes(task.intervalMs)) {
    throw new OutpostError('INVALID_INPUT', `The interval must be one of ${CHANNEL_INTERVALS_MS.join(', ')} ms.`);
  }
  const analysis = new Analysis(task.name, task.timeZone, task.intervalMs, task.parameters);
  try {
    const covered: Span[] = [];
    for (const [index, sensor] of task.sensors.entries()) {
      await readFeatures(sensor, analysis, covered, (step) => onProgress(index, task.sensors.length, step));
    }
    if (analysis.recordings.length === 0) {
      throw new OutpostError('FILE_EMPTY', 'The files contain no samples to analyse.');
    }
    await analysis.compute(covered, (done, total, date) => onProgress(done, total, `computing ${date}`));
    await use(analysis);
  } finally {
    analysis.close();
  }
}

/** Reads one file or folder, adds its recordings to the analysis, and the time that its pages cover to `covered`. */
async function readFeatures(
  sensor: SensorFile,
  analysis: Analysis,
  covered: Span[],
  onStep: (step: string) => void,
): Promise<void> {
  const source = await SourceTwice.open(sensor.path, {
    timeZone: analysis.timeZone,
    defaultStartUs: 0,
    withoutHash: true,
    ...(sensor.location && { location: sensor.location }),
  });
  try {
    for (const index of source.first.recordings.keys())
      await readRecording(sensor, source, index, analysis, covered, onStep);
    analysis.addLabels(source.first.labels);
  } finally {
    await source.close();
  }
}

/** Reads a recording in one pass, or in two where a sensor is calibrated first, as a site does. */
async function readRecording(
  sensor: SensorFile,
  source: SourceTwice,
  index: number,
  analysis: Analysis,
  covered: Span[],
  onStep: (step: string) => void,
): Promise<void> {
  let recording = source.first.recordings[index]!;
  const { channels, physicalConfig } = recording.header;
  const { location } = physicalConfig;
  const reading = new RecordingPasses(sensor.path, location, channels, analysis.arrays);
  const samples = channels.map(() => 0);
  let startUs = Infinity;
  let stopUs = -Infinity;
  for (const pass of reading.over()) {
    if (pass.kind === 'SURVEY') {
      onStep(`calibrating ${sensor.path}`);
      for await (const page of recording.pages()) {
        pass.take(page);
        if (pass.isEnough) break;
      }
      recording = await source.again(index);
      continue;
    }
    onStep(`reading ${sensor.path}`);
    for await (const page of recording.pages()) {
      pass.take(page);
      const firstUs = sampleTimeUs(page, 0);
      const lastUs = sampleTimeUs(page, page.count - 1);
      startUs = Math.min(startUs, firstUs);
      stopUs = Math.max(stopUs, lastUs);
      samples[page.channel]! += page.count;
      addCovered(covered, firstUs, lastUs);
    }
  }
  if (startUs === Infinity) return;
  const { features } = reading;
  features.finish(startUs, stopUs + 1);
  analysis.stored.push(features);
  analysis.addLabels(recording.labels);
  analysis.recordings.push({
    file: sensor.path,
    format: source.first.format,
    location,
    startMs: Math.floor(startUs / 1000),
    stopMs: Math.floor(stopUs / 1000),
    channels: channels.map(({ type, dimensions, nominalRateHz }, channel) => {
      const calibration = reading.calibrationOf(channel);
      return { type, dimensions, nominalRateHz, samples: samples[channel]!, ...(calibration && { calibration }) };
    }),
    notes: [...recording.notes, ...placeNotes(location), ...whyNothing(reading.sources, features.found)],
  });
}

/** Any place may be named. An unknown one, such as LEFT_WRIST, means that no rule of a place applies, which a person should know. */
function placeNotes(location: string): string[] {
  if (bodySiteOf(location) !== 'other' || (LOCATIONS as readonly string[]).includes(location)) return [];
  return [
    `${location} is none of the known places, so nothing that depends on the place was computed. Known are ${LOCATIONS.join(', ')}.`,
  ];
}

/** Extends the last span by a page that follows it, since a file may have hundreds of thousands of pages; else adds one. */
function addCovered(covered: Span[], firstUs: number, lastUs: number): void {
  const span = { startMs: Math.floor(firstUs / 1000), stopMs: Math.floor(lastUs / 1000) };
  const last = covered.at(-1);
  const follows = last && span.startMs >= last.startMs && span.startMs - last.stopMs < LONGEST_EMPTY_MS;
  if (follows) last.stopMs = Math.max(last.stopMs, span.stopMs);
  else covered.push(span);
}
