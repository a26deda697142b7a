/**
 * Asks for the scheduled backup when its time has come. A site that was closed then makes it up after its next start, so a
 * computer that is off at night is backed up too.
 */
import { CLOCK_SLACK_MS } from '../clock-rules.ts';
import { directoryOf, siteTimeZone, storedDirectory } from '../integrity/backup/keep.ts';
import type { JobQueue } from '../jobs/queue.ts';
import type { Store } from '../services/index.ts';
import { dueTimes } from '../study/backup-schedule.ts';
import type { BackupPayload } from '../study/jobs.ts';

const LOOK_EVERY_MS = 60_000;
/** More of them lie between two scheduled backups only if someone asks for one every few minutes. */
const LOOK_BACK_JOBS = 200;

export interface BackupSchedulerOptions {
  store: Store;
  jobs: Pick<JobQueue, 'enqueue'>;
  backupsDir: string;
  /** Epoch ms: what was due before the site was made is not. */
  siteCreatedTs: number;
  clock: () => number;
  onProblem: (problem: unknown) => void;
}

/** Adds the backup that is due, if it is due and was not asked for yet. Answers whether it did. */
export async function requestDueBackup(options: Omit<BackupSchedulerOptions, 'onProblem'>): Promise<boolean> {
  const { store, jobs, backupsDir, clock } = options;
  const { schedule, directory } = await directoryOf(store, backupsDir);
  if (!schedule.isEnabled) return false;
  const nowTs = clock();
  const { lastTs } = dueTimes(schedule, siteTimeZone(), nowTs);
  if (lastTs < options.siteCreatedTs) return false;
  const made = await store.jobs.list({ kind: 'backup', limit: LOOK_BACK_JOBS });
  // One of the future was asked for while the clock was ahead; it says nothing of today.
  const isAsked = made.some(
    ({ payload, createdTs }) =>
      (payload as BackupPayload).reason === 'scheduled' && createdTs >= lastTs && createdTs <= nowTs + CLOCK_SLACK_MS,
  );
  if (isAsked) return false;
  await jobs.enqueue('backup', { reason: 'scheduled', directory: storedDirectory(backupsDir, directory) });
  return true;
}

/** Looks every minute; returns a function that ends it. */
export function startBackupScheduler(options: BackupSchedulerOptions): () => void {
  const timer = setInterval(() => {
    requestDueBackup(options).catch(options.onProblem);
  }, LOOK_EVERY_MS);
  timer.unref();
  return () => clearInterval(timer);
}
