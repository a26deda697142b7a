/** Writes a study export from a snapshot of the database, on a connection of its own that cannot write. */
import { createWriteStream } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { openReadStore, type ReadStore } from '../../db/index.ts';
import { Deidentifier } from '../../exporters/study-export/deidentifier.ts';
import { STUDY_EXPORT_WRITERS } from '../../exporters/study-export/writers.ts';
import { syncDirectory } from '../../files/durable-files.ts';
import { partialPath } from './export-recording.ts';
import type { StudyExportOutcome, StudyExportTask, WorkerContext } from './tasks.ts';

/** Rows are given to two exports rather than to none: a row's time is taken before it is written and before its audit row. */
const OVERLAP_MS = 60_000;

export async function exportStudy(task: StudyExportTask, context: WorkerContext): Promise<StudyExportOutcome> {
  const partial = partialPath(task.outputPath);
  const store = openReadStore(task.databasePath, { isChecked: true });
  try {
    store.holdSnapshot();
    await rm(partial, { force: true });
    const { signal } = context;
    const writerContext = {
      store,
      signalsDir: task.signalsDir,
      signal,
      throwIfCancelled: () => context.throwIfCancelled(),
      progress: (done: number, total: number, step: string) => context.progress({ done, total, step }),
    };
    const options = {
      ...task.options,
      asOfTs: await latestAtRequest(store, task.options),
      deidentify: task.deidentificationKey ? new Deidentifier(task.deidentificationKey) : null,
      sinceTs: task.since ? await earliestChange(store, task.since) : null,
    };
    const out = createWriteStream(partial, { flags: 'wx' });
    const facts = await STUDY_EXPORT_WRITERS[task.format](writerContext, options, out);
    const { sequence: auditSequence } = await store.audit.head();
    const handle = await open(partial, 'r+');
    await handle.sync().finally(() => handle.close());
    await rename(partial, task.outputPath);
    await syncDirectory(dirname(task.outputPath));
    return { facts, auditSequence };
  } catch (thrown) {
    await rm(partial, { force: true });
    throw thrown;
  } finally {
    await store.close();
  }
}

/**
 * From when changes are taken. The audit knows in which order things were written, so a clock that was turned back since
 * the earlier export hides nothing.
 */
async function earliestChange(store: ReadStore, since: NonNullable<StudyExportTask['since']>): Promise<number> {
  if (since.auditSequence === undefined) return since.ts;
  const first = await store.audit.earliestTimeAfter(since.auditSequence);
  return Math.min(since.ts, first ?? since.ts) - OVERLAP_MS;
}

/** The newest entry at the time of the request, by order of writing rather than by time: a clock that was ahead dates entries later. */
async function latestAtRequest(
  store: ReadStore,
  { exportId, requestedTs }: StudyExportTask['options'],
): Promise<number> {
  const latest = await store.audit.latestTimeUpTo({ entityType: 'export', entityId: exportId });
  return Math.max(requestedTs, latest ?? requestedTs);
}
