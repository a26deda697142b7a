/** From signal files to stored windows and days. The work of the analytics process; it reads files and writes nothing. */
import { analyseRecording, analyseWindow, dailyMetrics, WINDOW_MARGIN_SECONDS } from '../../analytics/index.ts';
import type {
  DailyMetrics,
  RecordingFeatures,
  SecondColumns,
  SignalInput,
  WindowResult,
} from '../../analytics/types.ts';
import { decodeArrays, encodeArrays } from '../../db/array-codec.ts';
import { OutpostError } from '../../errors.ts';
import { openSignalFileSync } from '../../signals/index.ts';
import type { SignalChannel, SignalPage } from '../../signals/types.ts';
import type { AnalyseRequest, AnalyseResult, AnalysisDay, AnalysisRecording, StoredWindow } from './contract.ts';

export interface AnalyseHooks {
  progress(done: number, total: number, step: string): void;
  /** Lets messages in between recordings; true when the call was cancelled meanwhile. */
  isCancelled(): Promise<boolean>;
}

interface ReadFeatures {
  features: RecordingFeatures;
  /** What was found damaged in the file. */
  problems: string[];
}

/** Features of recordings already read: days that share a recording read it once. Recordings never change. */
const featuresById = new Map<string, ReadFeatures>();
/** Some 4 MB a day of one sensor; a subject's neighbouring days fit, a whole study does not. */
const MAX_KEPT_FEATURES = 8;

/**
 * Computes the windows and days that a change touches.
 * @throws CANCELLED, SIGNAL_FILE_DAMAGED when a file cannot be opened at all
 */
export async function analyse(request: AnalyseRequest, hooks: AnalyseHooks): Promise<AnalyseResult> {
  const total = request.recordings.length + request.windows.length;
  const timing = { featuresMs: 0, windowsMs: 0 };
  let done = 0;
  const features: RecordingFeatures[] = [];
  const problems: string[] = [];
  for (const recording of request.recordings) {
    hooks.progress(done, total, `reading recording ${done + 1} of ${request.recordings.length}`);
    const started = performance.now();
    const read = featuresOf(recording);
    if (read) features.push(read.features);
    problems.push(...(read?.problems ?? [`Nothing of recording ${recording.recordingId} can be read.`]));
    timing.featuresMs += performance.now() - started;
    done++;
    await throwIfCancelled(hooks);
  }

  const byDate = new Map<string, WindowResult>();
  for (const stored of request.neighbours) byDate.set(stored.window.date, unpackWindow(stored));
  const windows: StoredWindow[] = [];
  for (const window of request.windows) {
    hooks.progress(done, total, `computing ${window.date}`);
    const started = performance.now();
    const near = features.filter((recording) => touches(recording, window.startMs, window.stopMs));
    const result = analyseWindow(window, near, request.labels);
    timing.windowsMs += performance.now() - started;
    done++;
    if (!result.seconds.recorded.includes(1)) byDate.delete(window.date);
    else {
      byDate.set(window.date, result);
      windows.push(packWindow(result));
    }
    await throwIfCancelled(hooks);
  }

  const days: DailyMetrics[] = [];
  for (const day of request.days) {
    const metrics = dailyMetrics(day, windowsOf(day, byDate));
    if (metrics) days.push(metrics);
  }
  hooks.progress(total, total, 'storing');
  return { windows, days, problems, timing };
}

/** The windows that share time with a day, ascending, and the one that holds its sleep. */
function windowsOf(day: AnalysisDay, byDate: ReadonlyMap<string, WindowResult>): WindowResult[] {
  return [...byDate.values()]
    .filter(({ window }) => window.date === day.date || (window.startMs < day.stopMs && window.stopMs > day.startMs))
    .sort((a, b) => a.window.startMs - b.window.startMs);
}

async function throwIfCancelled(hooks: AnalyseHooks): Promise<void> {
  if (await hooks.isCancelled()) throw new OutpostError('CANCELLED', 'The analysis was cancelled.');
}

function touches(recording: RecordingFeatures, startMs: number, stopMs: number): boolean {
  const marginMs = WINDOW_MARGIN_SECONDS * 1000;
  return recording.startUs / 1000 < stopMs + marginMs && recording.stopUs / 1000 >= startMs - marginMs;
}

/** Null when the file opens but holds no sample that can be read. */
function featuresOf(recording: AnalysisRecording): ReadFeatures | null {
  const kept = featuresById.get(recording.recordingId);
  if (kept) return kept;
  const file = openSignalFileSync(recording.path);
  try {
    if (Number.isNaN(file.startUs)) return null;
    const features = analyseRecording(
      recording.recordingId,
      recording.location,
      signalInputs(file.header.channels, (channel) => file.pagesInTurn(channel), recording.location),
      file.startUs,
      file.stopUs + 1,
    );
    if (featuresById.size >= MAX_KEPT_FEATURES) featuresById.delete(featuresById.keys().next().value as string);
    const read = { features, problems: [...file.problems] };
    featuresById.set(recording.recordingId, read);
    return read;
  } finally {
    file.closeSync();
  }
}

/** The channels that analytics reads; their pages are asked for only while they are used. */
export function signalInputs(
  channels: readonly SignalChannel[],
  pagesOf: (channel: number) => Iterable<SignalPage>,
  location: string,
): SignalInput[] {
  const inputs: SignalInput[] = [];
  for (const [index, channel] of channels.entries()) {
    if (channel.type !== 'ECG' && channel.type !== 'ACCEL') continue;
    if (channel.type === 'ACCEL' && channel.dimensions.length < 3) continue;
    inputs.push({
      type: channel.type,
      location,
      scale: channel.scale,
      offset: channel.offset,
      nominalRateHz: channel.nominalRateHz,
      chunks: pagesOf(index),
    });
  }
  return inputs;
}

export function packWindow(result: WindowResult): StoredWindow {
  return { window: result.window, columns: encodeArrays(result.seconds), sleep: result.sleep };
}

export function unpackWindow(stored: StoredWindow): WindowResult {
  return { window: stored.window, seconds: decodeArrays(stored.columns) as SecondColumns, sleep: stored.sleep };
}
