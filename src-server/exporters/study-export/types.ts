/** Input and output of study export writers. */
import type { Writable } from 'node:stream';
import type { ReadStore } from '../../db/index.ts';
import type { AuditReceipt } from '../../study/audit-receipt.ts';
import type { DisclosedWords } from '../../study/export-formats.ts';
import type { ExportPace } from '../../study/jobs.ts';
import type { DataDecision } from '../../vocabulary/participation.ts';
import type { Deidentifier } from './deidentifier.ts';
import type { PartWorkshop } from './part-task.ts';

export interface StudyExportOptions {
  exportId: string;
  studyId: string;
  /** Only these subjects; null for every subject of the study. Test subjects are never exported. */
  subjectIds: readonly string[] | null;
  /** Time of the request, for the manifest. Epoch ms. */
  requestedTs: number;
  /** Subjects, recordings, annotations and faults created after this are omitted. Epoch ms. */
  asOfTs: number;
  /** When the data was read, for the manifest. Epoch ms. */
  dataTs: number;
  /** The signed head of the audit trail when the export began; absent for a site without anchors. */
  auditReceipt?: AuditReceipt;
  /** Null for an export that names its subjects. */
  deidentify: Deidentifier | null;
  /** Texts that a de-identified export includes on request. */
  words: DisclosedWords;
  /** Only what was added or changed since then, epoch ms; null for everything. */
  sinceTs: number | null;
  /** The export that this one continues. */
  sinceExportId: string | null;
  /** The manifest in its file, of formats that compare files; null for a full export. */
  baseManifest: unknown;
}

/** What a subject who withdrew decided on their data, where it limits exports. */
export interface AppliedDecision {
  subjectId: string;
  dataDecision: DataDecision;
  /** Local date of the withdrawal. */
  date: string;
  /** End of the last date whose data is used, epoch ms; -Infinity where none is. */
  untilMs: number;
}

export interface StudyExportContext {
  /** One state of the database throughout, read-only. */
  store: ReadStore;
  /** What withdrawn subjects decided on their data; the store leaves it out already. Absent: nothing is left out. */
  decisions?: readonly AppliedDecision[];
  /** Names of the plan, which a de-identified export discloses on request like texts of the definition; absent: none. */
  planTexts?: readonly string[];
  /** Folder of the recordings' files, `<recording>.sig`. */
  signalsDir: string;
  /** Folder of the pictures of messages. */
  imagesDir: string;
  /** Fires when the export is cancelled. */
  signal: AbortSignal;
  /** Call often. @throws OutpostError CANCELLED once the export is cancelled */
  throwIfCancelled(): void;
  /** In samples, or in tables and days where an export has no samples. */
  progress(done: number, total: number, step: string, pace?: ExportPace): void;
  /** Where the samples of recordings are encoded. */
  workshop: PartWorkshop;
}

export interface StudyExportFacts {
  sizeBytes: number;
  sha256: string;
  subjects: number;
  /** Further members of the job's result, such as the number of days or recordings. */
  [fact: string]: number | string;
}

/**
 * Streams one export and ends `out`; runs in a worker thread. Memory must not grow with the study. On failure `out` is destroyed
 * and the error thrown; the caller removes the partial file.
 */
export type StudyExportWriter = (
  context: StudyExportContext,
  options: StudyExportOptions,
  out: Writable,
) => Promise<StudyExportFacts>;
