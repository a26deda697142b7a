/**
 * The one contract between the site and its analytics process. The process reads signal files itself, writes nothing
 * and hands over packed typed arrays, window by window; the site stores them. Every request has an id and a deadline; `cancel`
 * ends it.
 */
import type { Correction } from '../../analytics/index.ts';
import type { CalibrationLabel, DailyMetrics, NoonWindow, SleepPeriod } from '../../analytics/types.ts';
import type { SerializedError } from '../../errors.ts';
import type { AnalysisParameters } from '../../vocabulary/analysis-parameters.ts';

/** A recording to analyse. `location` decides which body site the sensor is taken to be on. */
export interface AnalysisRecording {
  recordingId: string;
  path: string;
  location: string;
  /** Of the first sample and the last, epoch microseconds: tells whether the file is needed at all. */
  startUs: number;
  stopUs: number;
}

/** A local day, midnight to midnight, whose metrics are wanted. */
export interface AnalysisDay {
  date: string;
  startMs: number;
  stopMs: number;
}

/** A window as stored: encoded second columns (see db/array-codec.ts) and its sleep periods. */
export interface StoredWindow {
  window: NoonWindow;
  columns: Uint8Array;
  sleep: SleepPeriod[];
}

export interface AnalyseRequest {
  recordings: AnalysisRecording[];
  /** Windows to compute, ascending. */
  windows: NoonWindow[];
  /** More distant windows, each computed only if the subject rests at its `noonMs`, so that sleep may cross it. */
  reached: { window: NoonWindow; noonMs: number }[];
  /** Days to compute from those windows and `neighbours`, ascending. */
  days: AnalysisDay[];
  /** Stored windows that the days need but that need no recomputing. */
  neighbours: StoredWindow[];
  labels: CalibrationLabel[];
  /** By people, in the order in which they apply; absent without any. No neighbour is touched by one. */
  corrections?: Correction[];
  /** Of the study, or of an analysis run; absent: the defaults. The neighbours were computed with the same. */
  parameters?: AnalysisParameters;
}

/** What remains once the windows are handed over; one without a recorded second is not. */
export interface AnalyseResult {
  days: DailyMetrics[];
  /** Of the days that corrections touch: as they are without any; absent without corrections. */
  uncorrected?: DailyMetrics[];
  /** Sentences about damaged parts of signal files; such parts count as not recorded. */
  problems: string[];
  /** Milliseconds spent, for the bench and the diagnostics page. */
  timing: { featuresMs: number; windowsMs: number };
}

/** Requests and results by method. */
export interface AnalyticsMethods {
  analyse: { request: AnalyseRequest; result: AnalyseResult };
}

export type AnalyticsMethod = keyof AnalyticsMethods;

export type ToAnalytics =
  | { type: 'call'; id: number; method: AnalyticsMethod; request: AnalyticsMethods[AnalyticsMethod]['request'] }
  /** The site has stored a window. Few may be on the way at a time, so that neither side holds many. */
  | { type: 'taken'; id: number }
  | { type: 'cancel'; id: number }
  /** Answered `alive`, unless the process hangs. */
  | { type: 'ask' };

export type FromAnalytics =
  | { type: 'ready' }
  | { type: 'alive' }
  /** The recording that is read from now on, none at the end: if the process dies, this one may be why. */
  | { type: 'reading'; id: number; recordingId: string | undefined }
  | { type: 'progress'; id: number; done: number; total: number; step: string }
  | { type: 'window'; id: number; window: StoredWindow }
  | { type: 'result'; id: number; result: AnalyticsMethods[AnalyticsMethod]['result'] }
  | { type: 'error'; id: number; error: SerializedError };
