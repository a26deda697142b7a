/** What every exporter takes besides its input and output. */
import { OutpostError } from '../errors.ts';
import type { SignalView } from '../signals/index.ts';

export interface ExportOptions {
  /** Ends the export early with CANCELLED; the caller removes what was written. */
  signal?: AbortSignal;
  /** Samples (rows) written so far and in all. */
  onProgress?: (doneSamples: number, totalSamples: number) => void;
  /** How the signal is shown; absent: as it is. */
  view?: SignalView | undefined;
}

export function throwIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw new OutpostError('CANCELLED', 'The export was cancelled.');
}

/** Refuses to export what the signal file could not give, instead of leaving a silent gap. */
export function throwIfDamaged(path: string, problems: readonly string[]): void {
  if (problems.length === 0) return;
  throw new OutpostError('SIGNAL_FILE_DAMAGED', `${path} is damaged and was not exported: ${problems[0]}`);
}
