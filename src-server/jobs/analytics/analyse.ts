/** From signal files to stored windows and days. The work of the analytics process; it reads files and writes nothing. */
import {
  analyseWindow,
  dailyMetrics,
  NOON_REACH_SECONDS,
  type NoonSleeps,
  restsAround,
  SubjectCorrections,
  WINDOW_MARGIN_SECONDS,
} from '../../analytics/index.ts';
import type { DailyMetrics, SecondColumns, Span, WindowResult } from '../../analytics/types.ts';
import { decodeArrays, encodeArrays } from '../../db/array-codec.ts';
import { OutpostError } from '../../errors.ts';
import { canonicalJson } from '../../study/changes.ts';
import type { AnalyseRequest, AnalyseResult, AnalysisDay, StoredWindow } from './contract.ts';
import { RecordingReader } from './read-recordings.ts';
import { concerns } from './touched-spans.ts';

export interface AnalyseHooks {
  progress(done: number, total: number, step: string): void;
  /** The recording that is read from now on; undefined once all are read. */
  reading(recordingId: string | undefined): void;
  /** Takes a window once it is computed; ascending. Resolves when there is room for the next one. */
  window(window: StoredWindow): Promise<void>;
  /** Processes pending messages between recordings; true if the call was cancelled meanwhile. */
  isCancelled(): Promise<boolean>;
}

const MARGIN_MS = WINDOW_MARGIN_SECONDS * 1000;
/** A window asks for recordings up to so long before it, where the subject rests at its noon. */
const REACH_MS = NOON_REACH_SECONDS * 1000;

/**
 * Computes the windows and days that a change affects.
 * @throws CANCELLED, SIGNAL_FILE_DAMAGED when a file cannot be opened at all
 */
export async function analyse(request: AnalyseRequest, hooks: AnalyseHooks): Promise<AnalyseResult> {
  const reader = new RecordingReader(request.recordings);
  const { between } = reader;
  const aroundOf = ({ startMs, stopMs }: Span) => ({ fromMs: startMs - MARGIN_MS, toMs: stopMs + MARGIN_MS });
  const nearTotal = reader.unread(request.windows.map(aroundOf)).length;
  const total = nearTotal + request.windows.length;
  let nearDone = 0;
  let windowsDone = 0;
  const report = (step: string): void => hooks.progress(Math.min(nearDone + windowsDone, total), total, step);
  const readAround = async (spans: readonly Span[]): Promise<void> => {
    for (const recording of reader.unread(spans.map(aroundOf))) {
      hooks.reading(recording.recordingId);
      report(`reading recording ${Math.min(nearDone + 1, nearTotal)} of ${nearTotal}`);
      // Lets the message out before a file is opened that may end this process.
      await throwIfCancelled(hooks);
      await reader.read(recording, () => throwIfCancelled(hooks));
      nearDone = Math.min(nearDone + 1, nearTotal);
      await throwIfCancelled(hooks);
    }
    hooks.reading(undefined);
  };

  const { parameters } = request;
  const corrections = request.corrections && new SubjectCorrections(request.corrections);
  const isTouched = (window: Span): boolean =>
    request.corrections?.some((one) => concerns(one, window, MARGIN_MS, request.recordings)) ?? false;
  const byDate = new Map<string, WindowResult>();
  /** The windows that corrections touch as they are without any. */
  const plainByDate = new Map<string, WindowResult>();
  for (const stored of request.neighbours) byDate.set(stored.window.date, unpackWindow(stored));
  await readAround(request.reached.map(({ noonMs }) => ({ startMs: noonMs, stopMs: noonMs })));
  const reached = request.reached.filter(({ noonMs }) => restsAround(noonMs, between, request.labels, parameters));
  const wanted = [...request.windows, ...reached.map(({ window }) => window)].sort((a, b) => a.startMs - b.startMs);
  const noons: NoonSleeps = new Map();
  const plainNoons: NoonSleeps = new Map();
  const days: DailyMetrics[] = [];
  const uncorrected: DailyMetrics[] = [];
  const pending = request.days.filter((day) =>
    wanted.some(({ startMs, stopMs }) => startMs < day.stopMs && stopMs > day.startMs),
  );
  /** Computes the days that no window from `fromMs` on can change, and forgets the windows that no other day needs. */
  const settleDays = (fromMs: number): void => {
    while (pending.length > 0 && pending[0]!.stopMs <= fromMs) {
      const day = pending.shift()!;
      const windows = windowsOf(day, byDate);
      const metrics = dailyMetrics(day, windows);
      if (metrics) days.push(metrics);
      const plain = windows.map((one) => plainByDate.get(one.window.date) ?? one);
      const without = plain.some((one, i) => one !== windows[i]) && dailyMetrics(day, plain);
      if (without && corrections && (corrections.touch(day.startMs, day.stopMs) || differ(metrics, without)))
        uncorrected.push(without);
    }
    const neededMs = pending[0]?.startMs ?? Number.POSITIVE_INFINITY;
    for (const [date, { window }] of byDate) {
      if (window.stopMs > Math.min(neededMs, fromMs)) continue;
      byDate.delete(date);
      plainByDate.delete(date);
    }
  };
  let windowsMs = 0;
  for (const window of wanted) {
    settleDays(window.startMs);
    reader.forgetBefore(window.startMs - REACH_MS);
    await readAround([window]);
    report(`computing ${window.date}`);
    const started = performance.now();
    const { featuresMs } = reader;
    const result = analyseWindow(window, between, request.labels, noons, parameters, corrections);
    if (isTouched(window))
      plainByDate.set(window.date, analyseWindow(window, between, request.labels, plainNoons, parameters));
    windowsMs += performance.now() - started - (reader.featuresMs - featuresMs);
    windowsDone++;
    if (!result.seconds.recorded.includes(1)) byDate.delete(window.date);
    else {
      byDate.set(window.date, result);
      await hooks.window(packWindow(result));
    }
    await throwIfCancelled(hooks);
  }

  settleDays(Number.POSITIVE_INFINITY);
  reader.forgetBefore(Number.POSITIVE_INFINITY);
  hooks.progress(total, total, 'storing');
  return {
    days,
    ...(corrections && { uncorrected }),
    problems: reader.problems,
    timing: { featuresMs: reader.featuresMs, windowsMs },
  };
}

/** Whether the metrics of a day are others with corrections. */
const differ = (one: DailyMetrics | null, other: DailyMetrics): boolean =>
  !one || canonicalJson(one.metrics) !== canonicalJson(other.metrics);

/** The windows that share time with a day, ascending, and the one that holds its sleep. */
function windowsOf(day: AnalysisDay, byDate: ReadonlyMap<string, WindowResult>): WindowResult[] {
  return [...byDate.values()]
    .filter(({ window }) => window.date === day.date || (window.startMs < day.stopMs && window.stopMs > day.startMs))
    .sort((a, b) => a.window.startMs - b.window.startMs);
}

async function throwIfCancelled(hooks: AnalyseHooks): Promise<void> {
  if (await hooks.isCancelled()) throw new OutpostError('CANCELLED', 'The analysis was cancelled.');
}

export function packWindow(result: WindowResult): StoredWindow {
  return { window: result.window, columns: encodeArrays(result.seconds), sleep: result.sleep };
}

export function unpackWindow(stored: StoredWindow): WindowResult {
  return { window: stored.window, seconds: decodeArrays(stored.columns) as SecondColumns, sleep: stored.sleep };
}
