/** Beat intervals as annotations of an EDF+ file. */
import { MINUTE_MS } from '../../durations.ts';
import { type SignalFile, sampleTimesUs } from '../../signals/index.ts';
import { type ExportOptions, throwIfAborted } from '../export-options.ts';
import type { AnnotationSheet } from './annotations.ts';

/** Data records of a file that holds annotations alone. */
export const BEAT_RECORD_US = MINUTE_MS * 1000;

/** Beats outside of the signals' time keep their own: readers that drop them lose nothing of the signals. */
export function addBeats(
  sheet: AnnotationSheet,
  file: SignalFile,
  index: number,
  { signal, onProgress }: ExportOptions,
): void {
  const { type, scale, offset } = file.header.channels[index]!;
  let done = 0;
  for (const page of file.pagesInTurn(index)) {
    throwIfAborted(signal);
    const times = sampleTimesUs(page);
    for (let i = 0; i < page.count; i++) {
      const seconds = page.columns[0]![i]! * scale[0]! + offset[0]!;
      sheet.add({ onsetUs: times[i]!, durationUs: 0, text: `${type} ${seconds.toFixed(4)} s` });
    }
    done += page.count;
    onProgress?.(done, file.sampleCounts[index]!);
  }
}
