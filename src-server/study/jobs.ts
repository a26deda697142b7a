/** The kinds of jobs in the durable queue, their payloads, states and results. The queue itself is in `jobs/`. */
import type { SerializedError } from '../errors.ts';
import type { CsvMapping, CsvTemplate } from '../vocabulary/csv-mapping.ts';
import type { Actor } from './actor.ts';
import type { RecordingFormatName } from './recording-formats.ts';

/** The payload of each kind of job. */
export interface JobPayloads {
  import: ImportPayload;
  analyse: AnalysePayload;
  export: ExportPayload;
  archive: ArchivePayload;
  backup: BackupPayload;
  verify: VerifyPayload;
  restore: RestorePayload;
  receive: ReceivePayload;
}

export type JobKind = keyof JobPayloads;

/** Facts of a source that the importing user states; those in the file apply only where these are absent. */
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
  /** How a delimited text is read, by the importing person. */
  csvMapping?: CsvMapping;
  /** Of the study, for a text that no importer knows: the one with its header line is used. */
  csvTemplates?: CsvTemplate[];
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
  /** The registered recorder that the files come from, where it is known. */
  sensorSerial?: string;
  /** The importing person knows that a stored recording of the same device shares time with the files, and wants both. */
  acceptsOverlap?: true;
  /** Who requested it; absent when it was started at the computer itself. */
  requestedBy?: Actor;
  /** True when the files are in their own folder of the site's inbox, which is removed after the import. */
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
  /** Of an analysis run, whose results lie beside those in use. */
  runId?: string;
}

export interface ExportPayload {
  studyId: string;
  recordingId: string;
  format: RecordingFormatName;
  /** Distinguishes this file from one made before the subject or its labels changed. */
  state?: string;
  /** Name of the file without its extension, for a de-identified one. */
  neutralName?: string;
}

export interface ArchivePayload {
  studyId: string;
  /** Epoch ms; later changes are not in the archive. */
  requestedTs: number;
  /** Who gets a message when it is ready. */
  requestedBy?: Actor;
}

/** Work on the whole site: it belongs to no study, and only administrators see it. */
interface SiteWide {
  studyId?: undefined;
  subjectId?: undefined;
}

export interface BackupPayload extends SiteWide {
  reason: 'manual' | 'scheduled';
  /** A path as `storedDirectory` writes it; absent: the folder of the schedule. */
  directory?: string;
  requestedBy?: Actor;
}

/** Checks the site, or one of its backups. */
export interface VerifyPayload extends SiteWide {
  backup?: { id: string; directory: string };
  requestedBy?: Actor;
}

/** Restores a backup as a site of its own; the running site is only read. */
export interface RestorePayload extends SiteWide {
  /** `directory` is a path as `storedDirectory` writes it. */
  backup: { id: string; directory: string };
  /** New or empty, absolute. */
  folder: string;
  /** Of an encrypted backup: where the passphrase is held in memory. It is in no job, which would be stored. */
  passphraseId?: string;
  requestedBy?: Actor;
}

/** Checks and stores a file that a device has sent completely. It belongs to no study until its subject is known. */
export interface ReceivePayload extends SiteWide {
  uploadId: string;
  /** The device that delivered the file; devices take turns. Absent in jobs of earlier versions. */
  deviceId?: string;
}

export type JobState = 'queued' | 'running' | 'done' | 'failed' | 'parked' | 'cancelled';

export interface JobProgress {
  done: number;
  total: number;
  step: string;
  /** Of an export of samples. */
  pace?: ExportPace;
}

/** How far an export of samples is, and how fast. */
export interface ExportPace {
  recordingsDone: number;
  recordingsTotal: number;
  /** Absent in the first second, and while no samples were encoded. */
  samplesPerSecond?: number;
  remainingMs?: number;
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
