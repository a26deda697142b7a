/** What works in a site beside answering requests: the job queue, its workers and the analytics process. */
import { AnalyticsSupervisor, type ForkProcess } from '../jobs/analytics/supervisor.ts';
import { removeExports } from '../jobs/handlers/export-eviction.ts';
import { jobCleanUps, jobHandlers } from '../jobs/handlers/index.ts';
import { JobQueue } from '../jobs/queue.ts';
import { WorkerPool } from '../jobs/workers/pool.ts';
import { startBackupScheduler } from './backup-scheduler.ts';
import type { SiteFolder } from './folder.ts';

export interface EngineOptions {
  /** How the analytics process is started; default: a child of Node. */
  fork?: ForkProcess;
  /** Entry files of the analytics process and of the worker threads; default: the sources. */
  entries?: { analytics: URL; worker: URL };
  clock?: () => number;
  /** When jobs begin and end; default: `clock`. The demo's computations take real seconds while its story leaps over days. */
  jobClock?: () => number;
  /** Hears of what goes wrong around the jobs, for the log. */
  onProblem?: (problem: unknown) => void;
}

export interface Engine {
  jobs: JobQueue;
  analytics: AnalyticsSupervisor;
  close(): Promise<void>;
}

const SOURCES = {
  analytics: new URL('../jobs/analytics/entry.ts', import.meta.url),
  worker: new URL('../jobs/workers/entry.ts', import.meta.url),
};

/** Exports also go by their age while nobody asks for any. */
const UPKEEP_EVERY_MS = 3_600_000;

/** Starts the queue; jobs that a former run left unfinished go on. */
export async function startEngine(folder: SiteFolder, options: EngineOptions = {}): Promise<Engine> {
  const entries = options.entries ?? SOURCES;
  const analytics = new AnalyticsSupervisor({ entry: entries.analytics, fork: options.fork });
  const workers = new WorkerPool({ entry: entries.worker });
  const jobs: JobQueue = new JobQueue({
    store: folder.store.jobs,
    handlers: jobHandlers({
      store: folder.store,
      siteDir: folder.dir,
      backupsDir: folder.backupsDir,
      clock: options.clock ?? Date.now,
      signalsDir: folder.signalsDir,
      inboxDir: folder.inboxDir,
      exportsDir: folder.exportsDir,
      disk: folder.disk,
      analytics,
      workers,
      enqueue: (kind, payload) => jobs.enqueue(kind, payload),
    }),
    cleanUps: jobCleanUps(folder.inboxDir),
    concurrency: { import: 1, analyse: 1, export: 2, archive: 1, receive: 1 },
    clock: options.jobClock ?? options.clock ?? Date.now,
    ...(options.onProblem && { onProblem: options.onProblem }),
  });
  await jobs.start();
  let lookingOver: Promise<unknown> = Promise.resolve();
  const lookOverExports = () => {
    lookingOver = removeExports(folder).catch(options.onProblem ?? (() => undefined));
  };
  lookOverExports();
  const upkeepTimer = setInterval(() => {
    lookOverExports();
    // A site that is never closed grows past the statistics of the day it was opened.
    folder.store.refreshStatistics();
  }, UPKEEP_EVERY_MS);
  const stopScheduler = startBackupScheduler({
    store: folder.store,
    jobs,
    backupsDir: folder.backupsDir,
    siteCreatedTs: folder.site.createdTs,
    clock: options.clock ?? Date.now,
    onProblem: options.onProblem ?? (() => undefined),
  });
  return {
    jobs,
    analytics,
    close: async () => {
      clearInterval(upkeepTimer);
      await lookingOver;
      stopScheduler();
      await jobs.close();
      analytics.close();
      await workers.close();
    },
  };
}
