/** Background work of a site: the job queue with its workers, the analytics processes, and periodic maintenance. */
import { HOUR_MS } from '../durations.ts';
import { completeErasures } from '../integrity/erasure/complete.ts';
import { AnalyticsPool } from '../jobs/analytics/pool.ts';
import type { AnalyticsCrash, ForkProcess } from '../jobs/analytics/supervisor.ts';
import { removeExports } from '../jobs/handlers/export-eviction.ts';
import { JOB_CONCURRENCY, JOB_ORDERS, jobCleanUps, jobHandlers } from '../jobs/handlers/index.ts';
import { HeldPassphrases } from '../jobs/held-passphrases.ts';
import { JobQueue } from '../jobs/queue.ts';
import { WorkerPool } from '../jobs/workers/pool.ts';
import { PROGRAM_FILES } from '../program-files.ts';
import { startBackupScheduler } from './backup-scheduler.ts';
import type { SiteFolder } from './folder.ts';
import { ColumnMover } from './move-columns.ts';
import { SearchIndexer } from './search-indexer.ts';
import { startRepairingColumns, startTidyingColumns } from './tidy-columns.ts';
import { startVisitReminders } from './visit-reminders.ts';

export interface EngineOptions {
  /** Starts an analytics process; default: a Node child process. */
  fork?: ForkProcess;
  /** Entry files of the analytics process and the worker threads; default: the program's own. */
  entries?: { analytics: URL; worker: URL };
  clock?: () => number;
  /** Clock for the start and end of jobs; default: `clock`. In the demo, jobs take real seconds while `clock` skips days. */
  jobClock?: () => number;
  /** See {@link JobQueue}. */
  isSiteAway?: () => boolean;
  /** Learns of each analytics process that ended on its own or hung. */
  onAnalyticsCrash?: (crash: AnalyticsCrash) => void;
  /** Receives failures outside of jobs, for the log. */
  onProblem?: (problem: unknown) => void;
}

export interface Engine {
  jobs: JobQueue;
  /** For work that a request waits for. */
  workers: Pick<WorkerPool, 'run'>;
  /** For jobs, which store none. */
  passphrases: HeldPassphrases;
  analytics: AnalyticsPool;
  columnMover: ColumnMover;
  close(): Promise<void>;
}

/** Expired exports are also removed while none are requested. */
const MAINTENANCE_INTERVAL_MS = HOUR_MS;

/** Starts the queue, which resumes the jobs that the previous run left unfinished. */
export async function startEngine(folder: SiteFolder, options: EngineOptions = {}): Promise<Engine> {
  const entries = options.entries ?? PROGRAM_FILES;
  const analytics = new AnalyticsPool({
    entry: entries.analytics,
    fork: options.fork,
    onCrash: options.onAnalyticsCrash,
  });
  const workers = new WorkerPool({ entry: entries.worker });
  const passphrases = new HeldPassphrases();
  const jobs: JobQueue = new JobQueue({
    store: folder.store.jobs,
    subscribe: (listener) => folder.store.subscribe(listener),
    handlers: jobHandlers({
      store: folder.store,
      siteDir: folder.dir,
      databaseDescriptor: folder.databaseDescriptor,
      backupsDir: folder.backupsDir,
      clock: options.clock ?? Date.now,
      signalsDir: folder.signalsDir,
      inboxDir: folder.inboxDir,
      exportsDir: folder.exportsDir,
      disk: folder.disk,
      analytics,
      workers,
      passphrases,
      enqueue: (kind, payload) => jobs.enqueue(kind, payload),
    }),
    cleanUps: jobCleanUps({ ...folder, passphrases }),
    concurrency: JOB_CONCURRENCY,
    orders: JOB_ORDERS,
    clock: options.jobClock ?? options.clock ?? Date.now,
    ...(options.onProblem && { onProblem: options.onProblem }),
    ...(options.isSiteAway && { isSiteAway: options.isSiteAway }),
  });
  // The program may be the one that has the version which studies are pinned to.
  await folder.store.analysisRuns.releaseWaiting();
  await jobs.start();
  // Continues what a crash interrupted; the requests of people do not wait for it.
  const closing = new AbortController();
  const completeDeletions = () =>
    folder.store.analysisRuns.completeDeletions(closing.signal).catch(options.onProblem ?? (() => undefined));
  let deletingRuns = completeDeletions();
  let removing: Promise<unknown> = Promise.resolve();
  let erasing: Promise<unknown> = Promise.resolve();
  const removeExpiredExports = () => {
    removing = removeExports(folder).catch(options.onProblem ?? (() => undefined));
  };
  removeExpiredExports();
  const maintenanceTimer = setInterval(() => {
    removeExpiredExports();
    // One that failed, such as for a full disk.
    deletingRuns = completeDeletions();
    // What an erasure could not overwrite while somebody read the database.
    erasing = completeErasures(folder.dir, folder.store, () =>
      folder.store.whileIdle(() => workers.run('overwriteDeleted', { path: folder.store.path })),
    ).catch(options.onProblem ?? (() => undefined));
    // Keep the query planner's statistics current on a site that stays open for weeks.
    folder.store.refreshStatistics();
  }, MAINTENANCE_INTERVAL_MS);
  const stopScheduler = startBackupScheduler({
    store: folder.store,
    jobs,
    backupsDir: folder.backupsDir,
    siteCreatedTs: folder.site.createdTs,
    clock: options.clock ?? Date.now,
    onProblem: options.onProblem ?? (() => undefined),
  });
  const stopReminders = startVisitReminders(folder.store, options.onProblem ?? (() => undefined));
  const stopTidying = startTidyingColumns(
    folder.store,
    (kind, payload) => jobs.enqueue(kind, payload),
    options.onProblem ?? (() => undefined),
  );
  const stopRepairing = startRepairingColumns(
    folder.store,
    (kind, payload) => jobs.enqueue(kind, payload),
    options.onProblem ?? (() => undefined),
  );
  const columnMover = new ColumnMover(folder.dir, folder.store, options.onProblem ?? (() => undefined));
  columnMover.start();
  const searchIndexer = new SearchIndexer(folder.store, options.onProblem ?? (() => undefined));
  searchIndexer.start();
  return {
    jobs,
    workers,
    passphrases,
    analytics,
    columnMover,
    close: async () => {
      clearInterval(maintenanceTimer);
      closing.abort();
      await removing;
      await erasing;
      await deletingRuns;
      await columnMover.close();
      await stopReminders();
      await searchIndexer.close();
      await stopTidying();
      await stopRepairing();
      stopScheduler();
      await jobs.close();
      analytics.close();
      await workers.close();
    },
  };
}
