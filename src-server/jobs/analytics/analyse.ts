/** From signal files to stored windows and days. The work of the analytics process; it reads files and writes nothing. */
import {
  analyseRecording,
  analyseWindow,
  dailyMetrics,
  type FeaturesBetween,
  type NoonSleeps,
  restsAround,
  WINDOW_MARGIN_SECONDS,
} from '../../analytics/index.ts';
import type { DailyMetrics, RecordingFeatures, SecondColumns, WindowResult } from '../../analytics/types.ts';
import { decodeArrays, encodeArrays } from '../../db/array-codec.ts';
import { OutpostError } from '../../errors.ts';
import { openSignalFileSync } from '../../signals/index.ts';
import type { AnalyseRequest, AnalyseResult, AnalysisDay, AnalysisRecording, StoredWindow } from './contract.ts';
import { signalInputs } from './signal-inputs.ts';

export interface AnalyseHooks {
  progress(done: number, total: number, step: string): void;
  /** Processes pending messages between recordings; true if the call was cancelled meanwhile. */
  isCancelled(): Promise<boolean>;
}

interface ReadFeatures {
  features: RecordingFeatures;
  /** What was found damaged in the file. */
  problems: string[];
}

/** Features of recordings already read: days that share a recording read it once. Recordings never change. */
const featuresById = new Map<string, ReadFeatures>();
const MARGIN_MS = WINDOW_MARGIN_SECONDS * 1000;
/** Some 4 MB a day of one sensor; a subject's neighbouring days fit, a whole study does not. */
const MAX_KEPT_FEATURES = 8;

/**
 * Computes the windows and days that a change affects.
 * @throws CANCELLED, SIGNAL_FILE_DAMAGED when a file cannot be opened at all
 */
export async function analyse(request: AnalyseRequest, hooks: AnalyseHooks): Promise<AnalyseResult> {
  const near = request.recordings.filter((recording) =>
    request.windows.some(({ startMs, stopMs }) => touches(recording, startMs - MARGIN_MS, stopMs + MARGIN_MS)),
  );
  const total = near.length + request.windows.length;
  const timing = { featuresMs: 0, windowsMs: 0 };
  let done = 0;
  const problems: string[] = [];
  const read = new Map<string, RecordingFeatures | null>();
  const readOnce = (recording: AnalysisRecording): RecordingFeatures | null => {
    const known = read.get(recording.recordingId);
    if (known !== undefined) return known;
    const started = performance.now();
    const found = featuresOf(recording);
    problems.push(...(found?.problems ?? [`Nothing of recording ${recording.recordingId} can be read.`]));
    read.set(recording.recordingId, found?.features ?? null);
    timing.featuresMs += performance.now() - started;
    return found?.features ?? null;
  };
  const between: FeaturesBetween = (fromMs, toMs) =>
    request.recordings.filter((recording) => touches(recording, fromMs, toMs)).flatMap((one) => readOnce(one) ?? []);
  for (const recording of near) {
    hooks.progress(done, total, `reading recording ${done + 1} of ${near.length}`);
    readOnce(recording);
    done++;
    await throwIfCancelled(hooks);
  }

  const byDate = new Map<string, WindowResult>();
  for (const stored of request.neighbours) byDate.set(stored.window.date, unpackWindow(stored));
  const reached = request.reached.filter(({ noonMs }) => restsAround(noonMs, between, request.labels));
  const wanted = [...request.windows, ...reached.map(({ window }) => window)].sort((a, b) => a.startMs - b.startMs);
  const windows: StoredWindow[] = [];
  const noons: NoonSleeps = new Map();
  for (const window of wanted) {
    hooks.progress(Math.min(done, total), total, `computing ${window.date}`);
    const started = performance.now();
    const featuresMs = timing.featuresMs;
    const result = analyseWindow(window, between, request.labels, noons);
    timing.windowsMs += performance.now() - started - (timing.featuresMs - featuresMs);
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
    if (!wanted.some(({ startMs, stopMs }) => startMs < day.stopMs && stopMs > day.startMs)) continue;
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

function touches({ startUs, stopUs }: AnalysisRecording, fromMs: number, toMs: number): boolean {
  return startUs / 1000 < toMs && stopUs / 1000 >= fromMs;
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

export function packWindow(result: WindowResult): StoredWindow {
  return { window: result.window, columns: encodeArrays(result.seconds), sleep: result.sleep };
}

export function unpackWindow(stored: StoredWindow): WindowResult {
  return { window: stored.window, seconds: decodeArrays(stored.columns) as SecondColumns, sleep: stored.sleep };
}
