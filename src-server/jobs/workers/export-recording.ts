/** Writes one recording's export file atomically: to a partial file, fsynced, then renamed. */

import { open, rename, rm } from 'node:fs/promises';
import { openReadStore } from '../../db/index.ts';
import type { ExportOptions } from '../../exporters/export-options.ts';
import { writeRecordingFile } from '../../exporters/recording-file.ts';
import { subjectOfRecording } from '../../exporters/recording-subject.ts';
import { recordingView } from '../../exporters/study-export/recording-view.ts';
import { hashFile } from '../../files/content-hash.ts';
import { RECORDING_FORMATS } from '../../study/recording-formats.ts';
import type { ExportOutcome, ExportTask, WorkerContext } from './tasks.ts';

/** Returns the path of the partial file that becomes `outputPath`. */
export function partialPath(outputPath: string): string {
  return `${outputPath}.partial`;
}

export async function exportRecording(task: ExportTask, context: WorkerContext): Promise<ExportOutcome> {
  const partial = partialPath(task.outputPath);
  const options = {
    signal: context.signal,
    onProgress: (done: number, total: number) => context.progress({ done, total, step: 'writing the file' }),
    corrections: task.corrections,
    method: task.method,
    view: task.deidentification && recordingView(task.deidentification, task.format),
  };
  try {
    await rm(partial, { force: true });
    await writeFile(task, partial, options);
    const handle = await open(partial, 'r+');
    try {
      await handle.sync();
    } finally {
      await handle.close();
    }
    const { sizeBytes, sha256 } = await hashFile(partial);
    await rename(partial, task.outputPath);
    return { sizeBytes, sha256 };
  } catch (thrown) {
    await rm(partial, { force: true });
    throw thrown;
  }
}

async function writeFile(task: ExportTask, path: string, options: ExportOptions): Promise<void> {
  const { format, signalPath, subject } = task;
  if (!subject || !RECORDING_FORMATS[format].hasAnnotations) {
    return await writeRecordingFile(format, signalPath, path, options);
  }
  const store = openReadStore(subject.databasePath, { isChecked: true });
  try {
    const facts = await subjectOfRecording(store, await store.recordings.require(subject.recordingId));
    await writeRecordingFile(format, signalPath, path, { ...options, ...facts });
  } finally {
    await store.close();
  }
}
