import type { SignalHeader, SignalMark, SignalPage } from '../signals/types.ts';
import type { ImportHints } from '../study/jobs.ts';

/** A label that a foreign file carries (EDF+ annotation, WFDB beat mark, MC10 annotations.csv row). */
export interface ImportedLabel {
  startUs: number;
  stopUs: number;
  displayName: string;
  /** Free value, such as the code of a beat annotation. */
  value?: string;
}

export interface ImportOptions extends ImportHints {
  /** Ends the reading early with CANCELLED. */
  signal?: AbortSignal;
}

/** One recording found in a source. `pages` can be iterated once and streams: memory stays flat for any size. */
export interface ImportedRecording {
  /** `recordingId` is filled in by whoever stores it. */
  header: Omit<SignalHeader, 'recordingId'>;
  pages(): AsyncIterable<SignalPage>;
  /** Complete once `pages()` has ended. */
  labels: ImportedLabel[];
  marks: SignalMark[];
  /** Things that were read in a particular way and that a person should know (unit guessed, padding cut). */
  notes: string[];
  /** Bytes read so far and in all, for progress. */
  progress(): { doneBytes: number; totalBytes: number };
}

export interface ImportSource {
  /** Name of the format, such as `EDF+C`, `MC10 ZIP`, `WFDB`. */
  format: string;
  recordings: ImportedRecording[];
  /** Labels of a file that has no signal of its own (EDF+ with annotations only). */
  labels: ImportedLabel[];
  /** Of a source without recordings, which have notes of their own. */
  notes?: string[];
  close(): Promise<void>;
}
