/** Writes a study archive from a snapshot of the database, on a connection of its own that cannot write. */
import { createWriteStream } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { openDatabase } from '../../db/index.ts';
import { syncDirectory } from '../../durable-files.ts';
import { exportStudyArchive } from '../../exporters/study-archive/archive.ts';
import { partialPath } from './export-recording.ts';
import type { ArchiveOutcome, ArchiveTask, WorkerContext } from './tasks.ts';

export async function archiveStudy(task: ArchiveTask, context: WorkerContext): Promise<ArchiveOutcome> {
  const { databasePath, outputPath, ...request } = task;
  const partial = partialPath(outputPath);
  const store = openDatabase(databasePath, { readonly: true, isChecked: true });
  try {
    store.holdSnapshot();
    await rm(partial, { force: true });
    const outcome = await exportStudyArchive(store, request, createWriteStream(partial, { flags: 'wx' }), {
      onProgress: (done, total) => context.progress({ done, total, step: 'writing days' }),
      throwIfCancelled: () => context.throwIfCancelled(),
    });
    const handle = await open(partial, 'r+');
    await handle.sync().finally(() => handle.close());
    await rename(partial, outputPath);
    await syncDirectory(dirname(outputPath));
    return outcome;
  } catch (thrown) {
    await rm(partial, { force: true });
    throw thrown;
  } finally {
    await store.close();
  }
}
