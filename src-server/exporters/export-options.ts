/** Options of every exporter. */
import type { Correction } from '../analytics/index.ts';
import { OutpostError } from '../errors.ts';
import type { SignalView } from '../signals/index.ts';
import type { BeatsMethod } from './beats/method.ts';

export interface ExportOptions {
  /** Aborts the export with CANCELLED; the caller removes the partial file. */
  signal?: AbortSignal;
  /** Samples (rows) written so far and in all. */
  onProgress?: (doneSamples: number, totalSamples: number) => void;
  /** De-identified view of the signal; by default the signal as it is. */
  view?: SignalView | undefined;
  /** By people of the recording's beats, in force, in their order; at the times of the recording as it is stored. */
  corrections?: readonly Correction[] | undefined;
  /** With what the beats in the file are found, for files that say it. */
  method?: BeatsMethod | undefined;
}

export function throwIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw new OutpostError('CANCELLED', 'The export was cancelled.');
}

/** Rejects an export with unreadable samples, instead of leaving a silent gap. */
export function throwIfDamaged(path: string, problems: readonly string[]): void {
  if (problems.length === 0) return;
  throw new OutpostError('SIGNAL_FILE_DAMAGED', `${path} is damaged and was not exported: ${problems[0]}`);
}
