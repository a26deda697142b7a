/** What importers return and accept. */
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
  /** Aborts the import with CANCELLED. */
  signal?: AbortSignal;
  /** The source is read but not kept, so its hash is left empty: it would take a pass over all bytes. */
  withoutHash?: boolean;
}

/** One recording of a source. `pages` streams and can be iterated once; memory stays flat for any size. */
export interface ImportedRecording {
  /** The caller that stores the recording adds `recordingId`. */
  header: Omit<SignalHeader, 'recordingId'>;
  pages(): AsyncIterable<SignalPage>;
  /** No array of a page belongs to another page too, so the caller may free one as soon as it is stored. */
  hasOwnArrays?: true;
  /** The clock of the file followed daylight saving, and the notes say so. */
  followsClockChanges?: true;
  /** Complete once `pages()` has ended. */
  labels: ImportedLabel[];
  marks: SignalMark[];
  /** Assumptions that a person should know of (unit assumed, padding cut). */
  notes: string[];
  /** Bytes read so far and in all, for progress. */
  progress(): { doneBytes: number; totalBytes: number };
}

/** What the times of a file mean (one of three), and the start as its device showed it. */
export interface SourceClock {
  /** `WALL_CLOCK`: a local time without a zone; `ImportOptions.timeZone` says in which it is read. */
  kind: 'UTC' | 'OFFSET_IN_FILE' | 'WALL_CLOCK';
  /** ISO 8601 without an offset, of the first sample or block: `2019-02-26T10:55:06.062`. */
  wallStart?: string;
  /** The offset from UTC that the file states. */
  utcOffsetMinutes?: number;
}

export interface ImportSource {
  /** Name of the format, such as `EDF+C`, `MC10 ZIP`, `WFDB`. */
  format: string;
  clock?: SourceClock;
  recordings: ImportedRecording[];
  /** Labels of a file without signals (EDF+ with annotations only). */
  labels: ImportedLabel[];
  /** Notes of a source without recordings; recordings have their own. */
  notes?: string[];
  close(): Promise<void>;
}
