/**
 * Job handlers for making and checking backups and for verifying the site; workers do the bulk of it. No rollback is needed: an
 * interrupted backup does not count, and the next one removes its leftovers.
 */
import { stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { SYSTEM } from '../../db/index.ts';
import { OutpostError } from '../../errors.ts';
import { noteComparison } from '../../integrity/anchors/compare-site.ts';
import { flushDisk } from '../../integrity/backup/drives/drives.ts';
import {
  checkedBackup,
  directoryOf,
  namedDirectory,
  openRestores,
  recipientOf,
  removeOutdated,
} from '../../integrity/backup/keep.ts';
import { recordingOf } from '../../integrity/backup/manifest.ts';
import type { BackupPayload, VerifyPayload } from '../../study/jobs.ts';
import type { JobHandler } from '../queue.ts';
import { computeAgain } from './compute-again.ts';
import type { JobDeps } from './deps.ts';

export function backupHandler(deps: JobDeps): JobHandler {
  return async (context) => {
    const payload = context.job.payload as BackupPayload;
    const { schedule, directory } = await directoryOf(deps.store, deps.backupsDir, payload.directory);
    await requireFolder(directory, deps.backupsDir);
    const recipient = await recipientOf(deps.store, deps.backupsDir, directory);
    const isOnDisk = await deps.disk.holds(directory);
    const made = await deps.disk.watchFolder(
      directory,
      context.signal,
      async (signal) =>
        await deps.workers.run(
          'makeBackup',
          {
            ...(isOnDisk && { keepFreeBytes: await deps.disk.keptBytes('other') }),
            siteDir: deps.siteDir,
            to: directory,
            reason: payload.reason,
            nowTs: deps.clock(),
            ...(recipient !== undefined && { recipient }),
            ...(deps.databaseDescriptor !== undefined && { databaseDescriptor: deps.databaseDescriptor }),
          },
          { signal, onProgress: ({ done, total, step }) => context.progress(done, total, step) },
        ),
    );
    const remove = (from: string, ids: readonly string[]) =>
      deps.workers.run('removeBackups', { directory: from, ids: [...ids] });
    const restoring = new Set(
      (await openRestores(deps.store))
        .map(({ payload }) => payload.backup)
        .filter((backup) => namedDirectory(deps.backupsDir, backup.directory) === directory)
        .map(({ id }) => id),
    );
    const removed =
      payload.reason === 'scheduled'
        ? await removeOutdated(directory, made.id, schedule, deps.clock(), restoring, remove)
        : [];
    for (const { file, isMissing } of made.damagedInSite) {
      const id = recordingOf(file);
      if (id !== undefined) await noteFileState(deps, id, isMissing ? 'MISSING' : 'DAMAGED');
    }
    const { path: _path, damagedInSite: _damaged, ...facts } = made;
    return { ...facts, directory, removed, isFlushed: await isFlushed(directory) };
  };
}

/** True when the system has written everything to the disk of a folder, so that it can be unplugged. */
async function isFlushed(directory: string): Promise<boolean> {
  return await flushDisk(directory).then(
    () => true,
    () => false,
  );
}

/** Prevents creating a folder in place of a disk that is not connected. @throws NOT_FOUND */
async function requireFolder(directory: string, backupsDir: string): Promise<void> {
  if (directory === resolve(backupsDir) || (await stat(directory).catch(() => null))?.isDirectory()) return;
  throw new OutpostError(
    'NOT_FOUND',
    `No backup was made: the folder ${directory} does not exist. Connect its disk, or choose another folder in the settings.`,
  );
}

/** Records damaged files in the rows of their recordings, so that lists show them and devices send them again. */
async function noteFileStates(deps: JobDeps, problems: readonly { step: string; id?: string }[]): Promise<void> {
  const ids = problems.flatMap(({ step, id }) => (step === 'recordings' && id !== undefined ? [id] : []));
  for (const id of new Set(ids)) {
    const isThere = await stat(join(deps.signalsDir, `${id}.sig`)).then(
      () => true,
      () => false,
    );
    await noteFileState(deps, id, isThere ? 'DAMAGED' : 'MISSING');
  }
}

/**
 * Does nothing for a recording that lists do not find: it is not stored yet or no longer, or its row is damaged. The site must still be
 * backed up and checked.
 */
async function noteFileState({ store }: JobDeps, id: string, state: 'DAMAGED' | 'MISSING'): Promise<void> {
  if (await store.recordings.get(id)) await store.recordings.setFileState(id, state, SYSTEM);
}

/** Has the days computed again whose stored columns are missing or damaged. */
async function computeDamagedAgain(
  { store, enqueue }: JobDeps,
  problems: readonly { step: string; id?: string; facts?: Readonly<Record<string, string | number>> }[],
): Promise<void> {
  for (const { step, id, facts } of problems) {
    if (step !== 'analytics' || id === undefined) continue;
    const window = (await store.analytics.windows(id)).find(({ date }) => date === facts?.date);
    if (window) await computeAgain(store, enqueue, window);
  }
}

/** Makes the summaries again that do not match the rows which they summarise. */
async function rebuildSummaries({ store }: JobDeps, problems: readonly { step: string; id?: string }[]): Promise<void> {
  for (const { step, id } of problems) {
    if (step === 'summaries' && id !== undefined) await store.summaries.rebuild(id);
  }
}

/** How many problems a job's result lists; the command line shows all. */
const LISTED_PROBLEMS = 200;

export function verifyHandler(deps: JobDeps): JobHandler {
  return async (context) => {
    const { backup } = context.job.payload as VerifyPayload;
    const options = {
      signal: context.signal,
      onProgress: ({ done, total, step }: { done: number; total: number; step: string }) =>
        context.progress(done, total, step),
    };
    if (backup) {
      const check = await checkedBackup(
        namedDirectory(deps.backupsDir, backup.directory),
        backup.id,
        deps.clock(),
        (source) => deps.workers.run('checkBackup', source, options),
      );
      return { ...check, backupId: backup.id };
    }
    const report = await deps.workers.run('verifySite', { dir: deps.siteDir }, options);
    await noteFileStates(deps, report.problems);
    await computeDamagedAgain(deps, report.problems);
    await rebuildSummaries(deps, report.problems);
    const contradictions = report.problems.filter(({ step, code }) => step === 'audit' && code !== 'CLOCK_BEHIND');
    if (report.anchors) await noteComparison(deps.store, { ...report.anchors, problems: contradictions }, deps.clock());
    const firstBroken = report.problems.find(({ step }) => step === 'audit');
    return {
      ...report,
      problems: report.problems.slice(0, LISTED_PROBLEMS),
      countProblems: report.problems.length,
      audit: {
        isIntact: firstBroken === undefined,
        message: firstBroken?.message ?? `All ${report.checked.auditRows} entries of the audit follow from each other.`,
      },
    };
  };
}
