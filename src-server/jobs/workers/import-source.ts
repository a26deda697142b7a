/** The bulk part of an import: reads a source and writes signal files. Storing their rows is the job handler's part. */

import { mkdir, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { v7 as uuidv7 } from 'uuid';
import { hashFile, recordingContent } from '../../files/content-hash.ts';
import { openImport } from '../../importers/index.ts';
import type { ImportedRecording } from '../../importers/types.ts';
import { createSignalFile, OverviewBuilder, overviewPath, writeOverview } from '../../signals/index.ts';
import type { SignalHeader, SignalPage } from '../../signals/types.ts';
import type { ImportOutcome, ImportTask, WorkerContext, WrittenRecording } from './tasks.ts';

/** Reads a source and writes each of its recordings as a signal file. On failure, removes `outputDir`. */
export async function importSource(task: ImportTask, context: WorkerContext): Promise<ImportOutcome> {
  try {
    await rm(task.outputDir, { recursive: true, force: true });
    await mkdir(task.outputDir, { recursive: true });
    const source = await openImport(task.paths, { ...task.options, signal: context.signal });
    try {
      const recordings: WrittenRecording[] = [];
      const name = basename(task.paths[0] ?? '');
      for (const [index, recording] of source.recordings.entries()) {
        const step = source.recordings.length > 1 ? `${name}, ${index + 1} of ${source.recordings.length}` : name;
        const contentSha256 = recordingContent(recording.header.source.sha256, index);
        const header = {
          ...recording.header,
          recordingId: (await idToRestore(task.stored, contentSha256)) ?? uuidv7(),
        };
        const written = await writeRecording(recording, header, task.outputDir, `reading ${step}`, context);
        recordings.push({ ...written, contentSha256 });
      }
      return { format: source.format, recordings, labels: source.labels, ...(source.notes && { notes: source.notes }) };
    } finally {
      await source.close();
    }
  } catch (thrown) {
    await rm(task.outputDir, { recursive: true, force: true });
    throw thrown;
  }
}

/** Returns the id of the stored recording whose file must be rebuilt; undefined when none is stored or its file is intact. */
async function idToRestore(stored: ImportTask['stored'], contentSha256: string): Promise<string | undefined> {
  const known = stored?.recordings[contentSha256];
  if (!stored || !known) return undefined;
  if (!known.isPresent) return known.id;
  const found = await hashFile(join(stored.signalsDir, `${known.id}.sig`)).catch(() => undefined);
  return found?.sha256 === known.sha256 ? undefined : known.id;
}

async function writeRecording(
  recording: ImportedRecording,
  header: SignalHeader,
  directory: string,
  step: string,
  context: WorkerContext,
): Promise<Omit<WrittenRecording, 'contentSha256'>> {
  const path = join(directory, `${header.recordingId}.sig`);
  const writer = await createSignalFile(path, header);
  const overview = new OverviewBuilder(header.channels);
  try {
    for await (const page of recording.pages()) {
      context.throwIfCancelled();
      await writer.append(page);
      overview.add(page);
      if (recording.hasOwnArrays) freePage(page);
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

/** Gives the memory of a page back: of a long recording, gigabytes of arrays would otherwise pile up before garbage collection. */
function freePage({ columns, timeResidualsUs }: SignalPage): void {
  for (const array of timeResidualsUs ? [...columns, timeResidualsUs] : columns) {
    if (array.byteLength === array.buffer.byteLength) (array.buffer as ArrayBuffer).transfer(0);
  }
}
