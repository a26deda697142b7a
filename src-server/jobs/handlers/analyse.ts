/**
 * Recomputes exactly the windows and days that new data affects; of an analysis run, all of a subject, by the method of the run and
 * beside what is in use. Deterministic: the same input gives the same bytes.
 */

import { join } from 'node:path';
import type { Correction } from '../../analytics/index.ts';
import { ANALYTICS_VERSION, joinedVersion, NOON_REACH_SECONDS, WINDOW_MARGIN_SECONDS } from '../../analytics/index.ts';
import type { CalibrationLabel, DailyMetrics, NoonWindow, Span } from '../../analytics/types.ts';
import { type RecordingRecord, type StudyRecord, SYSTEM } from '../../db/index.ts';
import { DAY_MS, MINUTE_MS } from '../../durations.ts';
import { OutpostError, toOutpostError } from '../../errors.ts';
import { type Content, sha256Hex } from '../../files/content-hash.ts';
import { versionNotAvailable, waitsForVersion } from '../../study/analysis-runs.ts';
import { canonicalJson } from '../../study/changes.ts';
import { midnightWindowsBetween, zoneAt } from '../../study/day-windows.ts';
import type { AnalysePayload, JobRow } from '../../study/jobs.ts';
import { studyLocked } from '../../study/lock-rules.ts';
import { CALIBRATION_NAMES, calibrationPosture } from '../../study/posture-calibration.ts';
import {
  type AnalysisParameters,
  canonicalParameters,
  chosenParameters,
  completeParameters,
  DEFAULT_ANALYSIS_PARAMETERS,
  isDefaultParameters,
} from '../../vocabulary/analysis-parameters.ts';
import type { AnalysisDay, AnalysisRecording, StoredWindow } from '../analytics/contract.ts';
import { concerns, timeOfCorrections, touchedSpans } from '../analytics/touched-spans.ts';
import type { JobHandler } from '../queue.ts';
import type { JobDeps } from './deps.ts';

/** A day of several sensors takes seconds; this also allows weeks on a slow computer, and years in proportion. */
const DEADLINE_MS = 30 * MINUTE_MS;
const DEADLINE_PER_WINDOW_MS = MINUTE_MS;
const REACH_MS = NOON_REACH_SECONDS * 1000;
const MARGIN_MS = WINDOW_MARGIN_SECONDS * 1000;

export function analyseHandler(deps: JobDeps): JobHandler {
  return async (context) => {
    const { studyId, subjectId, recordingIds, runId, ...span } = context.job.payload as AnalysePayload;
    const { store } = deps;
    const study = await store.studies.require(studyId);
    const run = runId === undefined ? undefined : await openRun(deps, runId, subjectId);
    if (!run) requireOpen(study);
    const { fromMs, toMs } = run?.span ?? span;
    const parameters = run?.parameters ?? completeParameters(study.analysisParameters);
    const isDefault = isDefaultParameters(parameters);
    const clock = await store.subjects.zones(subjectId);
    const spans = touchedSpans(fromMs, toMs, clock);
    const { windows: changed, days } = spans;
    const all = {
      startMs: Math.min(changed[0]!.startMs, days[0]!.startMs) - DAY_MS,
      stopMs: Math.max(changed.at(-1)!.stopMs, days.at(-1)!.stopMs) + DAY_MS,
    };
    const around = await store.recordings.listForSubject(subjectId, {
      fromUs: all.startMs * 1000,
      toUs: all.stopMs * 1000,
    });
    const corrections = await store.corrections.appliedIn(subjectId, timeOfCorrections(all, around.map(asRecorded)));
    const isCorrected = (window: Span): boolean =>
      corrections.some((one) => concerns(one, window, MARGIN_MS, around.map(asRecorded)));
    // A run computes every window of the subject: none of those in use is part of its days.
    const { neighbours, lost } = run
      ? { neighbours: [], lost: [] }
      : await storedNeighbours(deps, subjectId, changed, days, isCorrected, parameters);
    const windows = [...changed, ...lost].sort((a, b) => a.startMs - b.startMs);
    const reached = spans.reached.filter(({ window }) => lost.every(({ date }) => date !== window.date));
    const touched = [...windows, ...reached.map(({ window }) => window)];
    const first = Math.min(...touched.map((window) => window.startMs));
    const last = Math.max(...touched.map((window) => window.stopMs));
    const rows = await store.recordings.listForSubject(subjectId, {
      fromUs: (first - REACH_MS) * 1000,
      toUs: (last + REACH_MS) * 1000,
    });
    // A run without one of its recordings would not be what it says: its subject fails instead.
    const leftOut = run ? undefined : recordingToLeaveOut(context.job);
    const present = rows.filter(
      (row) => row.fileState === 'PRESENT' && row.status === 'COMPLETE' && row.id !== leftOut,
    );
    const recordings = present.map(
      (row): AnalysisRecording => ({
        recordingId: row.id,
        path: join(deps.signalsDir, `${row.id}.sig`),
        location: row.physicalConfig.location,
        startUs: row.startUs,
        stopUs: row.stopUs,
      }),
    );
    const labels = await calibrationLabels(deps, studyId, subjectId);
    const computed: ComputedWindow[] = [];
    const result = await deps.analytics.call(
      'analyse',
      subjectId,
      {
        ...{ recordings, windows, reached, days, neighbours, labels },
        ...(corrections.length > 0 && { corrections }),
        ...(!isDefault && { parameters }),
      },
      {
        deadlineMs: Math.max(DEADLINE_MS, windows.length * DEADLINE_PER_WINDOW_MS),
        signal: context.signal,
        onProgress: ({ done, total, step }) => context.progress(done, total, step),
        onWindow: async ({ window, columns, sleep }) => {
          const content = await deps.disk.with(columns.length, () => store.analytics.stage(columns));
          computed.push({ window, sleep, content });
        },
      },
    );
    const inputsHash = (startMs: number, stopMs: number, applied: readonly Correction[] = corrections) =>
      inputsHashOf({ startMs, stopMs }, present, labels, applied, parameters);
    const computedDates = new Set(computed.map(({ window }) => window.date));
    // A day is computed from two windows, one of which may still have an older version.
    const dayVersion = ({ date, dayStartMs, dayStopMs }: DailyMetrics): string =>
      joinedVersion([
        ANALYTICS_VERSION,
        ...neighbours.flatMap(({ window, algorithmVersion }) => {
          const isPart = window.date === date || (window.startMs < dayStopMs && window.stopMs > dayStartMs);
          return isPart && !computedDates.has(window.date) ? [algorithmVersion] : [];
        }),
      ]);
    const dayOf = (metrics: DailyMetrics, applied: readonly Correction[]) => ({
      metrics,
      timezone: zoneAt(metrics.dayStartMs, clock),
      inputsHash: inputsHash(metrics.dayStartMs, metrics.dayStopMs, applied),
      algorithmVersion: dayVersion(metrics),
    });
    const resultDates = new Set([...computedDates, ...result.days.map((day) => day.date)]);
    const touchedDates = new Set([
      ...changed.map((window) => window.date),
      ...midnightWindowsBetween(changed[0]!.startMs, changed.at(-1)!.stopMs, clock).map(({ date }) => date),
    ]);
    const analytics = {
      studyId,
      subjectId,
      algorithmVersion: ANALYTICS_VERSION,
      ...(!isDefault && { parameters: chosenParameters(parameters) }),
      windows: computed.map(({ window, sleep, content }) => ({
        window,
        timezone: zoneAt(window.stopMs, clock),
        seconds: content,
        sleep,
        inputsHash: inputsHash(window.startMs, window.stopMs),
      })),
      days: result.days.map((metrics) => dayOf(metrics, corrections)),
      uncorrected: (result.uncorrected ?? []).map((metrics) => dayOf(metrics, [])),
      removedDates: [...touchedDates].filter(
        (date) =>
          !resultDates.has(date) &&
          ![...neighbours.map(({ window }) => window), ...lost].some((window) => window.date === date),
      ),
      causeRecordingId: recordingIds.at(-1),
      ...(run && { removedDates: [], run: { id: run.id, dataHash: run.dataHash } }),
    };
    await store.analytics.store(analytics, SYSTEM);
    for (const row of present) {
      if (!run && recordingIds.includes(row.id)) await store.recordings.setDataState(row.id, 'ANALYSED', SYSTEM);
    }
    return {
      windows: [...computedDates],
      days: result.days.map((day) => day.date),
      problems: [...(leftOut === undefined ? [] : [leftOutProblem(leftOut)]), ...result.problems],
      timing: result.timing,
    };
  };
}

/**
 * Before hours of work whose result could not be stored, or would be of another version than the study's.
 * @throws STUDY_LOCKED, VERSION_NOT_AVAILABLE
 */
function requireOpen({ lockedTs, pinnedVersion }: StudyRecord): void {
  if (lockedTs !== undefined) throw studyLocked();
  if (pinnedVersion !== undefined && pinnedVersion !== ANALYTICS_VERSION)
    throw waitsForVersion(pinnedVersion, ANALYTICS_VERSION);
}

/**
 * What a run computes of a subject: all of its present data, whose hash is taken before any is read, so that what changes meanwhile
 * makes the result outdated.
 * @throws CANCELLED, VERSION_NOT_AVAILABLE
 */
async function openRun({ store }: JobDeps, runId: string, subjectId: string) {
  const run = await store.analysisRuns.get(runId);
  if (!run || run.cancelledTs !== undefined) throw new OutpostError('CANCELLED', 'The analysis run was cancelled.');
  if (run.version !== ANALYTICS_VERSION) throw versionNotAvailable(run.version, ANALYTICS_VERSION);
  const dataHash = await store.analysisRuns.dataHash(subjectId);
  const span = await store.analysisRuns.dataSpan(subjectId);
  return { id: runId, parameters: run.parameters, dataHash, ...(span && { span }) };
}

/** A recording during whose reading the analytics process died so often is left out of the next run of the job. */
const CRASHES_TO_LEAVE_OUT = 2;

/** The one that was read when the process died, if it did repeatedly: the other recordings of its days must not wait for it. */
function recordingToLeaveOut({ crashCount, error }: JobRow): string | undefined {
  const recordingId = error?.code === 'ANALYTICS_CRASHED' ? error.details?.recordingId : undefined;
  return crashCount >= CRASHES_TO_LEAVE_OUT && recordingId !== undefined ? String(recordingId) : undefined;
}

const leftOutProblem = (recordingId: string) =>
  `Recording ${recordingId} stopped the analytics process each time it was read, so it was left out. Check its file with "outpost verify --deep", or import it again.`;

/** A window whose columns are in a durable file, but in no row yet. */
type ComputedWindow = Omit<StoredWindow, 'columns'> & { content: Content };

/** A stored window and the algorithm version that computed it. */
type Neighbour = StoredWindow & { algorithmVersion: string };

/**
 * Stored windows that overlap the days but are not recomputed: a day is computed from two windows. One whose columns are
 * missing or damaged is `lost`: without it the day would silently be half a day, so it is computed again. So is one that corrections
 * touch, since the day is computed without them too, and one of other parameters, which would mix two methods in a day.
 */
async function storedNeighbours(
  deps: JobDeps,
  subjectId: string,
  windows: NoonWindow[],
  days: AnalysisDay[],
  isCorrected: (window: Span) => boolean,
  parameters: AnalysisParameters,
): Promise<{ neighbours: Neighbour[]; lost: NoonWindow[] }> {
  const computed = new Set(windows.map((window) => window.date));
  const known = await deps.store.analytics.windows(subjectId, {
    fromTs: days[0]!.startMs,
    toTs: days.at(-1)!.stopMs,
  });
  const neighbours: Neighbour[] = [];
  const lost: NoonWindow[] = [];
  for (const row of known) {
    if (computed.has(row.date)) continue;
    const window = { date: row.date, startMs: row.startTs, stopMs: row.stopTs };
    const isOfOthers = canonicalParameters(completeParameters(row.parameters)) !== canonicalParameters(parameters);
    const columns = isCorrected(window) || isOfOthers ? undefined : await readableColumns(deps, subjectId, row.date);
    if (!columns) {
      lost.push(window);
      continue;
    }
    neighbours.push({
      window,
      columns,
      sleep: row.sleep,
      algorithmVersion: row.algorithmVersion,
    });
  }
  return { neighbours, lost };
}

async function readableColumns(deps: JobDeps, subjectId: string, date: string): Promise<Uint8Array | undefined> {
  try {
    return await deps.store.analytics.windowBytes(subjectId, date);
  } catch (thrown) {
    if (toOutpostError(thrown).code !== 'SITE_CORRUPT') throw thrown;
    return undefined;
  }
}

async function calibrationLabels(deps: JobDeps, studyId: string, subjectId: string): Promise<CalibrationLabel[]> {
  // By name: imported labels of beats may be 100,000 rows.
  const annotations = await deps.store.annotations.list(subjectId, { displayNames: CALIBRATION_NAMES });
  return annotations.flatMap((label) => {
    const posture = calibrationPosture(label);
    return posture && label.studyId === studyId ? [{ startMs: label.startTs, stopMs: label.stopTs, posture }] : [];
  });
}

const asRecorded = ({
  startUs,
  stopUs,
  physicalConfig,
}: Pick<RecordingRecord, 'physicalConfig' | 'startUs' | 'stopUs'>) => ({
  startUs,
  stopUs,
  location: physicalConfig.location,
});

/** Hash of a span's inputs, independent of their order: the same hash means the same result. */
export function inputsHashOf(
  span: Span,
  recordings: readonly Pick<RecordingRecord, 'sha256' | 'startUs' | 'stopUs' | 'physicalConfig'>[],
  labels: readonly CalibrationLabel[],
  corrections: readonly Correction[] = [],
  parameters: AnalysisParameters = DEFAULT_ANALYSIS_PARAMETERS,
): string {
  const chosen = canonicalParameters(parameters);
  const parts = [
    ANALYTICS_VERSION,
    ...recordings
      .filter((row) => row.startUs / 1000 < span.stopMs + REACH_MS && row.stopUs / 1000 >= span.startMs - REACH_MS)
      .map((row) => `${row.sha256} ${row.physicalConfig.location}`)
      .sort(),
    ...labels.map(({ startMs, stopMs, posture }) => `${startMs} ${stopMs} ${posture}`).sort(),
    // In the order in which they apply.
    ...corrections
      .filter((one) => concerns(one, span, REACH_MS, recordings.map(asRecorded)))
      .map((correction) => canonicalJson(correction)),
    // The defaults add nothing, so the hashes of studies that chose nothing stay as they were.
    ...(chosen === '' ? [] : [`parameters ${chosen}`]),
  ];
  return sha256Hex(parts.join('\n'));
}
