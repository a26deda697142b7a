/** Assembles the job handlers by kind, and the callbacks after a job has ended. */

import type { AnalysePayload, JobKind, JobRow, ReceivePayload } from '../../study/jobs.ts';
import { ANALYTICS_PROCESSES } from '../analytics/pool.ts';
import { NewestFirst } from '../newest-first.ts';
import type { JobHandler } from '../queue.ts';
import { type JobOrder, Turns } from '../turns.ts';
import { analyseHandler } from './analyse.ts';
import { backupHandler, verifyHandler } from './backup.ts';
import type { JobDeps } from './deps.ts';
import { exportHandler } from './export.ts';
import { removeParts } from './export-parts.ts';
import { importHandler, removeOwnedFiles } from './import.ts';
import { receiveHandler } from './receive.ts';
import { endRestore, restoreHandler } from './restore.ts';
import { studyExportHandler } from './study-export.ts';

export type { JobDeps } from './deps.ts';

export function jobHandlers(deps: JobDeps): Record<JobKind, JobHandler> {
  /** Work whose output can be recreated stops before it uses the disk's reserve. */
  const withinBudget =
    (handler: JobHandler): JobHandler =>
    (context) =>
      deps.disk.watch(context.signal, (signal) => handler({ ...context, signal }));
  return {
    import: withinBudget(importHandler(deps)),
    analyse: analyseHandler(deps),
    export: withinBudget(exportHandler(deps)),
    archive: withinBudget(studyExportHandler(deps)),
    // These two watch the disk only where they write to it: a full disk is a good reason for a backup to another one.
    backup: backupHandler(deps),
    verify: verifyHandler(deps),
    restore: restoreHandler(deps),
    receive: receiveHandler(deps),
  };
}

/** Callbacks after a job has ended, by kind. */
export function jobCleanUps({
  inboxDir,
  exportsDir,
  passphrases,
}: Pick<JobDeps, 'inboxDir' | 'exportsDir' | 'passphrases'>): Partial<Record<JobKind, (job: JobRow) => Promise<void>>> {
  return {
    import: (job) => removeOwnedFiles(inboxDir, job),
    archive: ({ id }) => removeParts(exportsDir, id),
    restore: (job) => endRestore(passphrases, job),
  };
}

/** How many jobs of a kind may run at once. */
export const JOB_CONCURRENCY: Partial<Record<JobKind, number>> = {
  import: 1,
  analyse: ANALYTICS_PROCESSES,
  export: 2,
  archive: 1,
  // Received files are checked on as many worker threads as there are: the day of one hub need not wait for another's.
  receive: 2,
};

/** Kinds whose jobs do not simply run in order of arrival. */
export const JOB_ORDERS: Partial<Record<JobKind, () => JobOrder>> = {
  // By device: a hub with a hundred files must not delay the day of another hub.
  receive: () => new Turns(({ payload }) => (payload as ReceivePayload).deviceId ?? ''),
  analyse: () =>
    new NewestFirst((payload) => {
      const { subjectId, toMs, recordingIds, runId } = payload as AnalysePayload;
      // Runs of hours share one lane, so that they never hold every process while devices deliver.
      const lane = runId === undefined ? subjectId : 'runs';
      // Without a recording it repeats what is known.
      return { lane, newestMs: recordingIds.length > 0 ? toMs : 0 };
    }),
};
