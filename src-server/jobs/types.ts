/** The words of the durable queue: kinds of jobs, their payloads and results, and what the queue needs of the store. */
import type { SerializedError } from '../errors.ts';
import type { ImportOptions } from '../importers/types.ts';

/** What each kind of job is asked to do. */
export interface JobPayloads {
  import: ImportPayload;
  analyse: AnalysePayload;
  export: ExportPayload;
}

export type JobKind = keyof JobPayloads;

export interface ImportPayload {
  studyId: string;
  subjectId: string;
  /** Absolute paths of files or folders that together are one source. */
  paths: string[];
  options: ImportOptions;
  deviceConfigId?: string;
  /** True when the files lie in the site's inbox and go away once imported. */
  ownsFiles: boolean;
}

export interface AnalysePayload {
  studyId: string;
  subjectId: string;
  /** The span of new or changed data; only the windows it touches are computed. */
  fromMs: number;
  toMs: number;
  /** The recording that caused it: the reference of the METRICS_PROCESSED event. */
  recordingId?: string;
}

export interface ExportPayload {
  studyId: string;
  recordingId: string;
  format: 'mc10-zip' | 'edf';
}

export type JobState = 'queued' | 'running' | 'done' | 'failed' | 'parked' | 'cancelled';

export interface JobProgress {
  done: number;
  total: number;
  step: string;
}

export interface JobRow {
  id: string;
  kind: JobKind;
  state: JobState;
  payload: JobPayloads[JobKind];
  progress?: JobProgress;
  checkpoint?: Record<string, unknown>;
  result?: Record<string, unknown>;
  error?: SerializedError;
  attempts: number;
  crashCount: number;
  createdTs: number;
  startedTs?: number;
  finishedTs?: number;
  runAfterTs: number;
}

/** What the queue needs of the job repository. Every method is one short statement or transaction. */
export interface JobsStore {
  /** Marks the oldest due queued job of a kind as running (attempts + 1) and returns it. */
  takeNext(kind: JobKind, nowTs: number): Promise<JobRow | undefined>;
  requeueRunning(nowTs: number): Promise<void>;
  requeue(
    id: string,
    change: { runAfterTs: number; crashCount?: number; attempts?: number; error?: SerializedError },
  ): Promise<JobRow | undefined>;
  finish(
    id: string,
    end: { state: JobState; result?: Record<string, unknown>; error?: SerializedError; crashCount?: number },
    nowTs: number,
  ): Promise<JobRow | undefined>;
  finishUnlessRunning(id: string, state: JobState, nowTs: number): Promise<JobRow | undefined>;
  setProgress(id: string, progress: JobProgress): Promise<void>;
  setCheckpoint(id: string, checkpoint: Record<string, unknown>): Promise<void>;
  /** Queued and running jobs. */
  countWaiting(): Promise<number>;
  /** The earliest time at which a queued job becomes due, if it lies in the future. */
  nextRunAfter(): Promise<number | undefined>;
}
