/** What every writer of a study export gets and gives. */
import type { Writable } from 'node:stream';
import type { ReadStore } from '../../db/index.ts';
import type { DisclosedWords } from '../../study/export-formats.ts';
import type { Deidentifier } from './deidentifier.ts';

export interface StudyExportOptions {
  exportId: string;
  studyId: string;
  /** Only these subjects; null for every subject of the study. Test subjects are never exported. */
  subjectIds: readonly string[] | null;
  /** When it was asked for, for the manifest. Epoch ms. */
  requestedTs: number;
  /** What came later (subjects, recordings, annotations, faults) is left out: created after this. Epoch ms. */
  asOfTs: number;
  /** When the data was read, for the manifest. Epoch ms. */
  dataTs: number;
  /** Null for an export that names its subjects. */
  deidentify: Deidentifier | null;
  /** What a de-identified export holds beyond the rule, because it was asked to. */
  words: DisclosedWords;
  /** Only what was added or changed since then, epoch ms; null for everything. */
  sinceTs: number | null;
  /** The export that this one continues. */
  sinceExportId: string | null;
}

export interface StudyExportContext {
  /** One state of the database throughout, read-only. */
  store: ReadStore;
  /** Folder of the recordings' files, `<recording>.sig`. */
  signalsDir: string;
  /** Fires when the export is cancelled. */
  signal: AbortSignal;
  /** Call often. @throws OutpostError CANCELLED once a cancel has come */
  throwIfCancelled(): void;
  progress(done: number, total: number, step: string): void;
}

export interface StudyExportFacts {
  sizeBytes: number;
  sha256: string;
  subjects: number;
  /** What else the job's result should say, such as how many days or recordings there are. */
  [fact: string]: number | string;
}

/**
 * Writes one export as a stream and ends `out`; runs in a worker thread. Memory must not grow with the study. Whatever
 * fails, `out` is destroyed and the reason thrown; who called removes what was written.
 */
export type StudyExportWriter = (
  context: StudyExportContext,
  options: StudyExportOptions,
  out: Writable,
) => Promise<StudyExportFacts>;
