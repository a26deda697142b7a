/** From signal files to stored windows and days. The work of the analytics process; it reads files and writes nothing. */
import {
  analyseWindow,
  dailyMetrics,
  type FeaturesBetween,
  type NoonSleeps,
  restsAround,
  StoredRecording,
  WINDOW_MARGIN_SECONDS,
} from '../../analytics/index.ts';
import type { DailyMetrics, SecondColumns, WindowResult } from '../../analytics/types.ts';
import { decodeArrays, encodeArrays } from '../../db/array-codec.ts';
import { OutpostError } from '../../errors.ts';
import { openSignalFileSync } from '../../signals/index.ts';
import { ArrayMemory, ArraySpill } from './array-spill.ts';
import type { AnalyseRequest, AnalyseResult, AnalysisDay, AnalysisRecording, StoredWindow } from './contract.ts';
import { signalSources } from './signal-sources.ts';

export interface AnalyseHooks {
  progress(done: number, total: number, step: string): void;
  /** Processes pending messages between recordings; true if the call was cancelled meanwhile. */
  isCancelled(): Promise<boolean>;
}

interface ReadFeatures {
  features: StoredRecording;
  spill: ArraySpill;
  /** What was found damaged in the file. */
  problems: string[];
}

/** Features of recordings already read: days that share a recording read it once. Recordings never change. */
const featuresById = new Map<string, ReadFeatures>();
const MARGIN_MS = WINDOW_MARGIN_SECONDS * 1000;
/** Kept for the days that share a recording. Their memory is bounded by `arrays`, but each may have a file open. */
const MAX_KEPT_FEATURES = 8;
const arrays = new ArrayMemory();
/** A day of minutes: a recording of weeks can be cancelled while it is read. */
const PAGES_PER_PAUSE = 1440;

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
  const read = new Map<string, StoredRecording | null>();
  const noteRead = ({ recordingId }: AnalysisRecording, found: ReadFeatures | null): StoredRecording | null => {
    problems.push(...(found?.problems ?? [`Nothing of recording ${recordingId} can be read.`]));
    read.set(recordingId, found?.features ?? null);
    return found?.features ?? null;
  };
  const readOnce = (recording: AnalysisRecording): StoredRecording | null => {
    const known = read.get(recording.recordingId);
    if (known !== undefined) return known;
    const started = performance.now();
    const found = completed(featuresOf(recording));
    timing.featuresMs += performance.now() - started;
    return noteRead(recording, found);
  };
  const between: FeaturesBetween = (fromMs, toMs) =>
    request.recordings
      .filter((recording) => touches(recording, fromMs, toMs))
      .flatMap((one) => readOnce(one)?.around(fromMs, toMs) ?? []);
  for (const recording of near) {
    hooks.progress(done, total, `reading recording ${done + 1} of ${near.length}`);
    const started = performance.now();
    const steps = featuresOf(recording);
    try {
      let step = steps.next();
      for (; !step.done; step = steps.next()) await throwIfCancelled(hooks);
      noteRead(recording, step.value);
    } finally {
      // After a cancel: closes the files of a recording that was read in part.
      steps.return(null);
    }
    timing.featuresMs += performance.now() - started;
    done++;
    await throwIfCancelled(hooks);
  }

  const byDate = new Map<string, WindowResult>();
  for (const stored of request.neighbours) byDate.set(stored.window.date, unpackWindow(stored));
  const reached = request.reached.filter(({ noonMs }) => restsAround(noonMs, between, request.labels));
  const wanted = [...request.windows, ...reached.map(({ window }) => window)].sort((a, b) => a.startMs - b.startMs);
  const windows: StoredWindow[] = [];
  const noons: NoonSleeps = new Map();
  const days: DailyMetrics[] = [];
  const pending = request.days.filter((day) =>
    wanted.some(({ startMs, stopMs }) => startMs < day.stopMs && stopMs > day.startMs),
  );
  /** Computes the days that no window from `fromMs` on can change, and forgets the windows that no other day needs. */
  const settleDays = (fromMs: number): void => {
    while (pending.length > 0 && pending[0]!.stopMs <= fromMs) {
      const day = pending.shift()!;
      const metrics = dailyMetrics(day, windowsOf(day, byDate));
      if (metrics) days.push(metrics);
    }
    const neededMs = pending[0]?.startMs ?? Number.POSITIVE_INFINITY;
    for (const [date, { window }] of byDate) if (window.stopMs <= Math.min(neededMs, fromMs)) byDate.delete(date);
  };
  for (const window of wanted) {
    settleDays(window.startMs);
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

  settleDays(Number.POSITIVE_INFINITY);
  forgetOldest();
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

function completed<T>(steps: Generator<undefined, T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

/** Reads one recording, page by page, with a pause now and then. Null when the file opens but holds no sample that can be read. */
function* featuresOf(recording: AnalysisRecording): Generator<undefined, ReadFeatures | null> {
  const kept = featuresById.get(recording.recordingId);
  if (kept) return kept;
  const file = openSignalFileSync(recording.path);
  const spill = new ArraySpill(arrays);
  let isComplete = false;
  try {
    if (Number.isNaN(file.startUs)) return null;
    const sources = signalSources(file.header.channels, recording.location);
    const features = new StoredRecording(
      recording.recordingId,
      recording.location,
      sources.map(({ source }) => source),
      spill,
    );
    for (const [index, { channel }] of sources.entries()) {
      let pages = 0;
      for (const page of file.pagesInTurn(channel)) {
        features.add(index, page);
        if (++pages % PAGES_PER_PAUSE === 0) yield;
      }
      features.finishSource(index);
    }
    features.finish(file.startUs, file.stopUs + 1);
    const read = { features, spill, problems: [...file.problems] };
    featuresById.set(recording.recordingId, read);
    isComplete = true;
    return read;
  } finally {
    if (!isComplete) spill.close();
    file.closeSync();
  }
}

/** Forgets recordings that were read first, between calls: a call may need any of its recordings until it ends. */
function forgetOldest(): void {
  for (const [recordingId, { spill }] of featuresById) {
    if (featuresById.size <= MAX_KEPT_FEATURES) return;
    featuresById.delete(recordingId);
    spill.close();
  }
}

export function packWindow(result: WindowResult): StoredWindow {
  return { window: result.window, columns: encodeArrays(result.seconds), sleep: result.sleep };
}

export function unpackWindow(stored: StoredWindow): WindowResult {
  return { window: stored.window, seconds: decodeArrays(stored.columns) as SecondColumns, sleep: stored.sleep };
}
