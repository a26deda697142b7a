/** The part of an import that reads and writes bulk data. */
import { mkdir, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { v7 as uuidv7 } from 'uuid';
import { openImport } from '../../importers/index.ts';
import type { ImportedRecording } from '../../importers/types.ts';
import { createSignalFile, OverviewBuilder, overviewPath, writeOverview } from '../../signals/index.ts';
import type { SignalHeader } from '../../signals/types.ts';
import type { ImportOutcome, ImportTask, WorkerContext, WrittenRecording } from './tasks.ts';

/** Reads a source and writes each recording in it as a signal file. On any failure nothing is left in `outputDir`. */
export async function importSource(task: ImportTask, context: WorkerContext): Promise<ImportOutcome> {
  try {
    await rm(task.outputDir, { recursive: true, force: true });
    await mkdir(task.outputDir, { recursive: true });
    const source = await openImport(task.paths, { ...task.options, signal: context.signal });
    try {
      const recordings: WrittenRecording[] = [];
      const name = basename(task.paths[0]);
      for (const [index, recording] of source.recordings.entries()) {
        const step = source.recordings.length > 1 ? `${name}, ${index + 1} of ${source.recordings.length}` : name;
        recordings.push(await writeRecording(recording, task.outputDir, `reading ${step}`, context));
      }
      return { format: source.format, recordings, labels: source.labels };
    } finally {
      await source.close();
    }
  } catch (thrown) {
    await rm(task.outputDir, { recursive: true, force: true });
    throw thrown;
  }
}

async function writeRecording(
  recording: ImportedRecording,
  directory: string,
  step: string,
  context: WorkerContext,
): Promise<WrittenRecording> {
  const recordingId = uuidv7();
  const header: SignalHeader = { ...recording.header, recordingId };
  const path = join(directory, `${recordingId}.sig`);
  const writer = await createSignalFile(path, header);
  const overview = new OverviewBuilder(header.channels);
  try {
    for await (const page of recording.pages()) {
      context.throwIfCancelled();
      await writer.append(page);
      overview.add(page);
      const { doneBytes, totalBytes } = recording.progress();
      context.progress({ done: doneBytes, total: totalBytes, step });
    }
    for (const mark of recording.marks) await writer.mark(mark);
    const facts = await writer.finish();
    await writeOverview(overviewPath(path), overview, facts.sha256);
    return { path, header, ...facts, labels: recording.labels, notes: recording.notes };
  } catch (thrown) {
    await writer.abort();
    throw thrown;
  }
}
