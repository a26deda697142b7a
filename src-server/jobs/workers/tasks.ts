/** The contract between the site and its worker threads: task names, inputs, outputs, and the messages while one runs. */
import type { SerializedError } from '../../errors.ts';
import type { StudyExportFacts, StudyExportOptions } from '../../exporters/study-export/types.ts';
import type { ImportedLabel, ImportOptions } from '../../importers/types.ts';
import type { DamagedMember } from '../../integrity/backup/check.ts';
import type { BackupRequest, MadeBackup } from '../../integrity/backup/make.ts';
import type { VerifyReport } from '../../integrity/verify.ts';
import type { ClockCorrection } from '../../signals/index.ts';
import type { SignalHeader, SyncPoint } from '../../signals/types.ts';
import type { DayClock } from '../../study/day-windows.ts';
import type { ExportFormatName } from '../../study/export-formats.ts';
import type { RecordingFormatName } from '../../study/recording-formats.ts';

export interface ImportTask {
  paths: string[];
  options: Omit<ImportOptions, 'signal'>;
  /** Folder of this job alone; emptied first, so that a repeated run starts clean. */
  outputDir: string;
  /** Recordings that are stored, by the hash of their content: one whose file is lost or damaged is made again under its id. */
  stored?: { signalsDir: string; recordings: Record<string, StoredRecording> };
}

export interface StoredRecording {
  id: string;
  /** Of its file. */
  sha256: string;
  /** False when the file is known to be lost or damaged. */
  isPresent: boolean;
}

/** A recording as written to `path`, fsynced, with its overview beside it. */
export interface WrittenRecording {
  path: string;
  header: SignalHeader;
  /** Of the bytes that the recording was made from, and its place among them. */
  contentSha256: string;
  sizeBytes: number;
  sha256: string;
  startUs: number;
  stopUs: number;
  sampleCounts: number[];
  labels: ImportedLabel[];
  notes: string[];
}

export interface ImportOutcome {
  format: string;
  recordings: WrittenRecording[];
  /** Labels of a source without signals. */
  labels: ImportedLabel[];
  notes?: string[];
}

export interface ExportTask {
  signalPath: string;
  /** Where it is known whose recording it is and what its labels are: the site's database, read beside the site. */
  subject?: { databasePath: string; recordingId: string };
  format: RecordingFormatName;
  /** Where the finished file appears; it is written beside it under another name first. */
  outputPath: string;
  /** For a file without names and dates. */
  deidentification?: {
    /** Derives codes and shifts. */
    key: Uint8Array;
    subject: { id: string; createdTs: number };
    /** Where the subject lived. */
    zones: DayClock;
    /** Start of the recording, epoch microseconds. */
    startUs: number;
  };
}

export interface ExportOutcome {
  sizeBytes: number;
  sha256: string;
}

export interface StudyExportTask {
  format: ExportFormatName;
  options: Omit<StudyExportOptions, 'asOfTs' | 'deidentify' | 'sinceTs'>;
  /** Derives codes and shifts; absent for an export that names its subjects. */
  deidentificationKey?: Uint8Array;
  /** Only what changed since this instant, or since an export made then that had seen this row of the audit. */
  since?: { ts: number; auditSequence?: number };
  /** The site's database, read beside the site. */
  databasePath: string;
  signalsDir: string;
  /** Where the finished file appears; it is written beside it under another name first. */
  outputPath: string;
}

export interface StudyExportOutcome {
  facts: StudyExportFacts;
  /** Number of the newest audit row in the state that was exported. */
  auditSequence: number;
}

export interface UploadCheckTask {
  /** The file as it came; its clock map and overview are written beside it. */
  path: string;
  /** What the device announced. */
  sha256: string;
  recordingId: string;
  /** Readings of the sensor's clock by the device that delivers the file, beside those in it. */
  syncPoints: SyncPoint[];
  /** Readings that other devices reported. */
  reportedPoints: SyncPoint[];
  /** When the file was announced, epoch microseconds: its recording had ended by then. */
  arrivedUs: number;
  /** Of a stored recording whose file comes back: the correction that its times rest on, null for none. */
  storedClock?: { knots: SyncPoint[]; leftOut: number } | null;
}

/** What a check found. Times in epoch microseconds. */
export interface CheckedUpload {
  header: SignalHeader;
  sizeBytes: number;
  sampleCounts: number[];
  /** Corrected. */
  startUs: number;
  stopUs: number;
  /** By the sensor's own clock. */
  sensorStartUs: number;
  sensorStopUs: number;
  /** All readings that were at hand; those of the file among them. */
  syncPoints: SyncPoint[];
  clock?: ClockCorrection;
}

export type UploadCheckOutcome =
  | { kind: 'good'; upload: CheckedUpload }
  /** Other bytes than announced. */
  | { kind: 'other-hash'; sha256: string }
  | { kind: 'damaged'; message: string };

export interface WorkerTasks {
  checkUpload: { input: UploadCheckTask; output: UploadCheckOutcome };
  importSource: { input: ImportTask; output: ImportOutcome };
  exportRecording: { input: ExportTask; output: ExportOutcome };
  exportStudy: { input: StudyExportTask; output: StudyExportOutcome };
  makeBackup: { input: BackupRequest; output: MadeBackup };
  checkBackup: { input: { path: string; contentRoot: string }; output: DamagedMember[] };
  verifySite: { input: { dir: string }; output: VerifyReport };
}

/** How a task ended. */
export type WorkerAnswer<T extends keyof WorkerTasks> =
  | { output: WorkerTasks[T]['output'] }
  | { error: SerializedError };

/** From the worker while it runs: bytes or samples done of all. The other way, any message means cancel. */
export interface WorkerMessage {
  done: number;
  total: number;
  step: string;
}

/** What a task gets beside its input. */
export interface WorkerContext {
  /** Fires when the task is cancelled; a worker in a loop must let messages in for that. */
  signal: AbortSignal;
  progress(message: WorkerMessage): void;
  /** @throws OutpostError CANCELLED once a cancel has come */
  throwIfCancelled(): void;
}
