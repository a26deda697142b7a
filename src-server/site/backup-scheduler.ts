/**
 * Enqueues the scheduled backup when it is due. A backup missed while the site was closed is made after the next start, so a
 * computer that is off at night is backed up too.
 */
import { dirname } from 'node:path';
import { CLOCK_SLACK_MS } from '../clock-rules.ts';
import { MINUTE_MS } from '../durations.ts';
import { directoryOf, driveOfSchedule, storedDirectory } from '../integrity/backup/keep.ts';
import { notePlaceSeen } from '../integrity/backup/places.ts';
import type { JobQueue } from '../jobs/queue.ts';
import type { Store } from '../services/index.ts';
import { dueTimes } from '../study/backup-schedule.ts';
import type { BackupPayload } from '../study/jobs.ts';
import { siteTimeZone } from '../study/zones.ts';

const CHECK_INTERVAL_MS = MINUTE_MS;
/** Upper bound on manual backups since the last scheduled one; more would mean one every few minutes. */
const RECENT_JOBS = 200;

export interface BackupSchedulerOptions {
  store: Store;
  jobs: Pick<JobQueue, 'enqueue'>;
  backupsDir: string;
  /** Epoch ms. No backup is due from before the site was created. */
  siteCreatedTs: number;
  clock: () => number;
  onProblem: (problem: unknown) => void;
}

/** Enqueues the scheduled backup if it is due and not yet enqueued. Returns true if it enqueued one. */
export async function requestDueBackup(options: Omit<BackupSchedulerOptions, 'onProblem'>): Promise<boolean> {
  const { store, jobs, backupsDir, clock } = options;
  const { schedule, directory } = await directoryOf(store, backupsDir);
  if (!schedule.isEnabled) return false;
  const nowTs = clock();
  const drive = await driveOfSchedule(store, backupsDir);
  // A drive that is elsewhere is not a failure. Its backup is made as soon as it is back; Today says when that takes too long.
  if (drive && !drive.isConnected) return false;
  if (drive) await notePlaceSeen(dirname(backupsDir), directory, nowTs);
  const { lastTs } = dueTimes(schedule, siteTimeZone(), nowTs);
  if (lastTs < options.siteCreatedTs) return false;
  const recent = await store.jobs.list({ kind: 'backup', limit: RECENT_JOBS });
  // Ignore jobs from the future: they were enqueued while the clock was ahead.
  const isEnqueued = recent.some(
    ({ payload, createdTs }) =>
      (payload as BackupPayload).reason === 'scheduled' && createdTs >= lastTs && createdTs <= nowTs + CLOCK_SLACK_MS,
  );
  if (isEnqueued) return false;
  await jobs.enqueue('backup', { reason: 'scheduled', directory: storedDirectory(backupsDir, directory) });
  return true;
}

/** Checks every minute. Returns a function that stops it. */
export function startBackupScheduler(options: BackupSchedulerOptions): () => void {
  const timer = setInterval(() => {
    requestDueBackup(options).catch(options.onProblem);
  }, CHECK_INTERVAL_MS);
  timer.unref();
  return () => clearInterval(timer);
}
