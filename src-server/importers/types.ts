import type { SignalHeader, SignalMark, SignalPage } from '../signals/types.ts';

/** A label that a foreign file carries (EDF+ annotation, WFDB beat mark, MC10 annotations.csv row). */
export interface ImportedLabel {
  startUs: number;
  stopUs: number;
  displayName: string;
  /** Free value, such as the code of a beat annotation. */
  value?: string;
}

/** Given by the person who imports; a file's own word wins only where these are absent. */
export interface ImportOptions {
  /** Where the sensor was worn, such as MEDIAL_CHEST. */
  location?: string;
  side?: string;
  /** Epoch microseconds for files that carry no date (WFDB without base time). */
  defaultStartUs?: number;
  /** IANA zone in which a file's wall-clock start is to be read (EDF and WFDB hold local times). Default UTC. */
  timeZone?: string;
  /** What an electrode file without a name of its own (MC10 `elec.csv`) holds. Default: by location, else ECG. */
  electrodeSignal?: 'ECG' | 'EMG';
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
