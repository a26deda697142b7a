/** The contract between the site and its worker threads: task names, inputs, outputs, and the messages while one runs. */

import type { Correction } from '../../analytics/index.ts';
import type { SerializedError } from '../../errors.ts';
import type { BeatsMethod } from '../../exporters/beats/method.ts';
import type { PartTask } from '../../exporters/study-export/part-task.ts';
import type { StudyExportFacts, StudyExportOptions } from '../../exporters/study-export/types.ts';
import type { ImportedLabel, ImportOptions } from '../../importers/types.ts';
import type { BackgroundCheckOutcome, BackgroundCheckTask } from '../../integrity/background-check.ts';
import type { DamagedMember } from '../../integrity/backup/check.ts';
import type { BackupRequest, MadeBackup } from '../../integrity/backup/make.ts';
import type { RestoredSite } from '../../integrity/backup/restore.ts';
import type { ReturnOutcome, WantedFile } from '../../integrity/backup/return-files.ts';
import type { EncryptedFolder } from '../../integrity/backup/sealed/passphrase.ts';
import type { ScrubOutcome, ScrubRun } from '../../integrity/scrub/scrub.ts';
import type { VerifyReport } from '../../integrity/verify.ts';
import type { ClockCorrection } from '../../signals/index.ts';
import type { SignalHeader, SyncPoint } from '../../signals/types.ts';
import type { DayClock } from '../../study/day-windows.ts';
import type { StoredFormatName } from '../../study/export-formats.ts';
import type { JobProgress } from '../../study/jobs.ts';
import type { Recognition, RecognitionTask } from '../../study/recognition.ts';
import type { RecordingFormatName } from '../../study/recording-formats.ts';
import type { SitePart } from '../../vocabulary/disk.ts';

export interface ImportTask {
  paths: string[];
  options: Omit<ImportOptions, 'signal'>;
  /** Exclusive to this job; emptied first, so that a repeated run starts clean. */
  outputDir: string;
  /** Stored recordings by content hash. If the file of one is lost or damaged, it is rebuilt under the same id. */
  stored?: { signalsDir: string; recordings: Record<string, StoredRecording> };
}

export interface StoredRecording {
  id: string;
  /** SHA-256 of its file. */
  sha256: string;
  /** False when the file is known to be lost or damaged. */
  isPresent: boolean;
}

/** A recording written to `path` and fsynced, with its overview beside it. */
export interface WrittenRecording {
  path: string;
  header: SignalHeader;
  /** Hash of the source bytes and of the recording's index in them. */
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
  /** Labels of a source that has no signals. */
  labels: ImportedLabel[];
  notes?: string[];
}

export interface ExportTask {
  signalPath: string;
  /** Where subject and labels are looked up: the site's database, on a separate read-only connection. */
  subject?: { databasePath: string; recordingId: string };
  format: RecordingFormatName;
  /** By people, of the beats that the file holds. */
  corrections?: readonly Correction[];
  /** With what these are found. */
  method?: BeatsMethod;
  /** Path of the finished file; it is written to a partial file beside it first. */
  outputPath: string;
  /** Present for a de-identified file. */
  deidentification?: {
    /** Derives codes and shifts. */
    key: Uint8Array;
    subject: { id: string; createdTs: number };
    /** The subject's time zones. */
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
  format: StoredFormatName;
  options: Omit<StudyExportOptions, 'asOfTs' | 'deidentify' | 'sinceTs' | 'baseManifest'>;
  /** Derives codes and shifts; absent for an identified export. */
  deidentificationKey?: Uint8Array;
  /** Restricts the export to changes since this time; with `auditSequence`, since the audit row that the earlier export had reached. */
  since?: { ts: number; auditSequence?: number };
  /** The file of the earlier export, whose manifest says what has changed; of formats that compare files. */
  basePath?: string;
  /** The site's database, opened on a separate read-only connection. */
  databasePath: string;
  signalsDir: string;
  imagesDir: string;
  /** Path of the finished file; it is written to a partial file beside it first. */
  outputPath: string;
  /** Finished recordings of this export, which a repeated run continues with. */
  partsDir: string;
}

export interface StudyExportOutcome {
  facts: StudyExportFacts;
  /** Number of the newest audit row in the state that was exported. */
  auditSequence: number;
}

export interface UploadCheckTask {
  /** The received file; its clock map and overview are written beside it. */
  path: string;
  /** SHA-256 that the device announced. */
  sha256: string;
  recordingId: string;
  /** Readings of the sensor's clock by the delivering device, in addition to those in the file. */
  syncPoints: SyncPoint[];
  /** Readings of the sensor's clock by other devices. */
  reportedPoints: SyncPoint[];
  /** When the file was announced, epoch microseconds: an upper bound for the end of the recording. */
  arrivedUs: number;
  /** When restoring a stored recording's file: the clock correction behind its times, null for none. */
  storedClock?: { knots: SyncPoint[]; leftOut: number } | null;
}

/** Facts of a sound file. Times in epoch microseconds. */
export interface CheckedUpload {
  header: SignalHeader;
  sizeBytes: number;
  sampleCounts: number[];
  /** Start and end in corrected time. */
  startUs: number;
  stopUs: number;
  /** Start and end by the sensor's own clock. */
  sensorStartUs: number;
  sensorStopUs: number;
  /** All clock readings used, including those in the file. */
  syncPoints: SyncPoint[];
  clock?: ClockCorrection;
}

export type UploadCheckOutcome =
  | { kind: 'good'; upload: CheckedUpload }
  /** The bytes differ from the announced ones. */
  | { kind: 'other-hash'; sha256: string }
  | { kind: 'damaged'; message: string };

export interface WorkerTasks {
  checkUpload: { input: UploadCheckTask; output: UploadCheckOutcome };
  importSource: { input: ImportTask; output: ImportOutcome };
  recogniseFile: { input: RecognitionTask; output: Recognition };
  exportRecording: { input: ExportTask; output: ExportOutcome };
  exportStudy: { input: StudyExportTask; output: StudyExportOutcome };
  exportPart: { input: PartTask; output: null };
  makeBackup: { input: BackupRequest; output: MadeBackup };
  removeBackups: { input: { directory: string; ids: string[] }; output: null };
  checkBackup: { input: { path: string; contentRoot: string }; output: DamagedMember[] };
  encryptBackups: { input: { directory: string; siteDir: string; passphrase: string }; output: EncryptedFolder };
  /** Tells whether this is the passphrase of a folder of backups. */
  tryPassphrase: { input: { directory: string; passphrase: string }; output: null };
  restoreBackup: { input: RestoreTask; output: RestoredSite };
  findCopies: { input: { dir: string; folders: string[] }; output: WantedFile[] };
  returnFiles: { input: { dir: string; folders: string[]; passphrase?: string }; output: ReturnOutcome };
  overwriteDeleted: { input: { path: string }; output: boolean };
  measureSite: { input: { dir: string }; output: { part: SitePart; sizeBytes: number }[] };
  changePassphrase: { input: { directory: string; passphrase: string; newPassphrase: string }; output: null };
  checkInBackground: { input: BackgroundCheckTask; output: BackgroundCheckOutcome };
  scrubSite: { input: ScrubRun & { pace: SharedArrayBuffer; share?: number }; output: ScrubOutcome };
  verifySite: { input: { dir: string }; output: VerifyReport };
}

export interface RestoreTask {
  /** The folder of the backup. */
  from: string;
  /** Where the site is made; does not exist. */
  to: string;
  passphrase?: string;
  /** `site.key` of the same site. */
  keyFile?: string;
  erasuresIn: string[];
  /** See `RestoreOptions`. */
  copiesIn: string[];
}

/** How a task ended. */
export type WorkerAnswer<T extends keyof WorkerTasks> =
  | { output: WorkerTasks[T]['output'] }
  | { error: SerializedError };

/** Progress from a running worker, in bytes or samples. In the other direction, any message means cancel. */
export type WorkerMessage = JobProgress;

/** What a task receives besides its input. */
export interface WorkerContext {
  /** Fires when the task is cancelled. A loop must yield to the event loop, or the message never arrives. */
  signal: AbortSignal;
  progress(message: WorkerMessage): void;
  /** @throws CANCELLED once the task has been cancelled */
  throwIfCancelled(): void;
}
