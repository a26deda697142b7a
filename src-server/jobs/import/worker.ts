/** The part of an import that reads and writes bulk data; runs in a worker thread, touches no database. */
import { mkdir, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { MessagePort } from 'node:worker_threads';
import { v7 as uuidv7 } from 'uuid';
import { OutpostError, toOutpostError } from '../../errors.ts';
import { openImport } from '../../importers/index.ts';
import type { ImportedLabel, ImportOptions } from '../../importers/types.ts';
import { createSignalFile, OverviewBuilder, writeOverview } from '../../signals/index.ts';
import type { SignalHeader } from '../../signals/types.ts';

export interface ImportTask {
  paths: string[];
  options: ImportOptions;
  /** Folder of this job alone; emptied first, so that a repeated run starts clean. */
  outputDir: string;
  /** Progress goes here; a message to the worker on it means cancel. */
  port: MessagePort;
}

/** A recording as written to `path`, fsynced, with its overview beside it. */
export interface WrittenRecording {
  path: string;
  overviewPath: string;
  header: SignalHeader;
  sizeBytes: number;
  sha256: string;
  startUs: number;
  stopUs: number;
  sampleCounts: number[];
  labels: ImportedLabel[];
  notes: string[];
}

export interface ImportOutcome {
  format: string;
  recordings: WrittenRecording[];
  /** Labels of a source without signals. */
  labels: ImportedLabel[];
}

export type ImportMessage = { done: number; total: number; step: string };

/**
 * Reads a source and writes each recording in it as a signal file. On any failure nothing is left in `outputDir`.
 * @throws OutpostError as serialised by `toJSON` inside an Error: worker threads clone errors without their class.
 */
export async function importSource(task: ImportTask): Promise<ImportOutcome> {
  let cancelled = false;
  task.port.on('message', () => {
    cancelled = true;
  });
  try {
    await rm(task.outputDir, { recursive: true, force: true });
    await mkdir(task.outputDir, { recursive: true });
    const source = await openImport(task.paths, task.options);
    try {
      const recordings: WrittenRecording[] = [];
      for (const [index, recording] of source.recordings.entries()) {
        const recordingId = uuidv7();
        const header: SignalHeader = { ...recording.header, recordingId };
        const path = join(task.outputDir, `${recordingId}.sig`);
        const writer = await createSignalFile(path, header);
        const overview = new OverviewBuilder(header);
        const step = `reading ${basename(task.paths[0]!)}${source.recordings.length > 1 ? ` (${index + 1} of ${source.recordings.length})` : ''}`;
        try {
          for await (const page of recording.pages()) {
            if (cancelled) throw new OutpostError('CANCELLED', 'The import was cancelled.');
            await writer.append(page);
            overview.add(page);
            const { doneBytes, totalBytes } = recording.progress();
            task.port.postMessage({ done: doneBytes, total: totalBytes, step } satisfies ImportMessage);
          }
          for (const mark of recording.marks) await writer.mark(mark);
        } catch (thrown) {
          await writer.abort();
          throw thrown;
        }
        const facts = await writer.finish();
        const overviewPath = join(task.outputDir, `${recordingId}.overview`);
        await writeOverview(overviewPath, overview.finish(facts.sha256));
        recordings.push({ path, overviewPath, header, ...facts, labels: recording.labels, notes: recording.notes });
      }
      return { format: source.format, recordings, labels: source.labels };
    } finally {
      await source.close();
    }
  } catch (thrown) {
    await rm(task.outputDir, { recursive: true, force: true });
    throw Object.assign(new Error(), { outpost: toOutpostError(thrown).toJSON() });
  } finally {
    task.port.close();
  }
}
