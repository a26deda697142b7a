/** The kinds of jobs in the durable queue, their payloads, states and results. The queue itself is in `jobs/`. */
import type { SerializedError } from '../errors.ts';
import type { Actor } from './actor.ts';
import type { RecordingFormatName } from './recording-formats.ts';

/** What each kind of job is asked to do. */
export interface JobPayloads {
  import: ImportPayload;
  analyse: AnalysePayload;
  export: ExportPayload;
  archive: ArchivePayload;
  backup: BackupPayload;
  verify: VerifyPayload;
  receive: ReceivePayload;
}

export type JobKind = keyof JobPayloads;

/** What the person who imports says of a source; what a file says of itself wins only where these are absent. */
export interface ImportHints {
  /** Where the sensor was worn, such as MEDIAL_CHEST. */
  location?: string;
  side?: string;
  /** Epoch microseconds for files that carry no date (WFDB without base time). */
  defaultStartUs?: number;
  /** IANA zone in which a file's wall-clock start is to be read (EDF and WFDB hold local times). Default UTC. */
  timeZone?: string;
  /** What an electrode file without a name of its own (MC10 `elec.csv`) holds. Default: by location, else ECG. */
  electrodeSignal?: 'ECG' | 'EMG';
}

export interface ImportPayload {
  studyId: string;
  subjectId: string;
  /**
   * Files or folders that together are one source. Absolute paths, or relative to the site (`storedInboxPath`) when it owns
   * the files.
   */
  paths: string[];
  options: ImportHints;
  deviceConfigId?: string;
  /** Who asked for it; absent when it was done at the computer itself. */
  requestedBy?: Actor;
  /** True when the files lie in a folder of their own in the site's inbox and go away once imported. */
  ownsFiles: boolean;
}

export interface AnalysePayload {
  studyId: string;
  subjectId: string;
  /** The span of new or changed data; only the windows it touches are computed. */
  fromMs: number;
  toMs: number;
  /** The recordings that caused it, oldest first; the last one is the reference of the METRICS_PROCESSED event. */
  recordingIds: string[];
}

export interface ExportPayload {
  studyId: string;
  recordingId: string;
  format: RecordingFormatName;
  /** Tells this file apart from one made before the subject or its labels changed. */
  state?: string;
  /** Name of the file without its extension, for a de-identified one. */
  neutralName?: string;
}

export interface ArchivePayload {
  studyId: string;
  /** Epoch ms; what comes later is not in the archive. */
  requestedTs: number;
  /** Who is told when it is ready. */
  requestedBy?: Actor;
}

/** Work on the whole site: it belongs to no study, and administrators alone see it. */
interface SiteWide {
  studyId?: undefined;
  subjectId?: undefined;
}

export interface BackupPayload extends SiteWide {
  reason: 'manual' | 'scheduled';
  /** As `storedDirectory` names it; absent: the folder of the schedule. */
  directory?: string;
  requestedBy?: Actor;
}

/** Checks the site, or one of its backups. */
export interface VerifyPayload extends SiteWide {
  backup?: { id: string; directory: string };
  requestedBy?: Actor;
}

/** Check a file that came whole from a device, and store it. It belongs to no study before that is known. */
export interface ReceivePayload extends SiteWide {
  uploadId: string;
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
