/** Writes a study export from a database snapshot on a separate read-only connection, atomically. */

import { createWriteStream, existsSync } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { dirname } from 'node:path';
import { openReadStore, type ReadStore } from '../../db/index.ts';
import { MINUTE_MS } from '../../durations.ts';
import { OutpostError } from '../../errors.ts';
import { Deidentifier } from '../../exporters/study-export/deidentifier.ts';
import type { PartMaker } from '../../exporters/study-export/part-task.ts';
import { STUDY_EXPORT_WRITERS } from '../../exporters/study-export/writers.ts';
import { syncDirectory } from '../../files/durable-files.ts';
import { openZipArchive } from '../../files/zip-archive.ts';
import type { ExportPace } from '../../study/jobs.ts';
import { partialPath } from './export-recording.ts';
import { WorkerPool } from './pool.ts';
import type { StudyExportOutcome, StudyExportTask, WorkerContext } from './tasks.ts';

/**
 * These threads are the export's own, so that uploads never wait for one. They inherit its low priority and lower it once more.
 * Each takes some 30 MB, which bounds the memory of an export on a computer of many cores.
 */
const MOST_PARTS_AT_ONCE = 4;

/** At-least-once: a row is timestamped before it and its audit row commit, so consecutive exports overlap and none misses it. */
const OVERLAP_MS = MINUTE_MS;

/** @param entry the file of worker threads, in which recordings are encoded in parallel */
export async function exportStudy(
  task: StudyExportTask,
  context: WorkerContext,
  entry: URL,
): Promise<StudyExportOutcome> {
  const partial = partialPath(task.outputPath);
  const atOnce = Math.min(MOST_PARTS_AT_ONCE, availableParallelism());
  const threads = new WorkerPool({ entry, threads: atOnce });
  const store = openReadStore(task.databasePath, { isChecked: true });
  try {
    store.holdSnapshot();
    await rm(partial, { force: true });
    const { signal } = context;
    const writerContext = {
      store,
      signalsDir: task.signalsDir,
      imagesDir: task.imagesDir,
      signal,
      throwIfCancelled: () => context.throwIfCancelled(),
      progress: (done: number, total: number, step: string, pace?: ExportPace) =>
        context.progress({ done, total, step, ...(pace && { pace }) }),
      workshop: { dir: task.partsDir, atOnce, make: makeIn(threads) },
    };
    const options = {
      ...task.options,
      asOfTs: await latestAtRequest(store, task.options),
      deidentify: task.deidentificationKey ? new Deidentifier(task.deidentificationKey) : null,
      sinceTs: task.since ? await earliestChange(store, task.since) : null,
      baseManifest: task.basePath === undefined ? null : await manifestOf(task.basePath),
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
    await threads.close();
  }
}

/** A file of the site itself, in which samples that never change pack as well as they can. */
const OWN_ZIP = { maxMembers: 10_000_000, maxBytes: Number.MAX_SAFE_INTEGER, maxRatio: 1100 };

/** @throws CONFLICT when the file was removed since the export was requested, FILE_DAMAGED */
async function manifestOf(path: string): Promise<unknown> {
  if (!existsSync(path)) {
    throw new OutpostError('CONFLICT', 'The file of the earlier export was removed. Request a full export.');
  }
  const zip = await openZipArchive(path, OWN_ZIP);
  try {
    const manifest = zip.members.find(({ name }) => name === 'manifest.json');
    const chunks = manifest ? await Array.fromAsync(manifest.open()) : [];
    return JSON.parse(Buffer.concat(chunks).toString() || 'null') as unknown;
  } finally {
    zip.close();
  }
}

const makeIn =
  (threads: WorkerPool): PartMaker =>
  async (task, { signal, onSamples }) => {
    await threads.run('exportPart', task, { signal, onProgress: ({ done }) => onSamples(done) });
  };

/**
 * Returns the time from which changes are included. The audit has the order of writes, so a clock set back since the earlier
 * export hides no change.
 */
async function earliestChange(store: ReadStore, since: NonNullable<StudyExportTask['since']>): Promise<number> {
  if (since.auditSequence === undefined) return since.ts;
  const first = await store.audit.earliestTimeAfter(since.auditSequence);
  return Math.min(since.ts, first ?? since.ts) - OVERLAP_MS;
}

/** Returns the latest time written up to the request: rows dated later by a clock that was ahead are included. */
async function latestAtRequest(
  store: ReadStore,
  { exportId, requestedTs }: StudyExportTask['options'],
): Promise<number> {
  const latest = await store.audit.latestTimeUpTo({ entityType: 'export', entityId: exportId });
  return Math.max(requestedTs, latest ?? requestedTs);
}
