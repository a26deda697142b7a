/** State of the backups of the site. */
import { stat, statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { CLOCK_SLACK_MS } from '../../../clock-rules.ts';
import { diagnosticOf } from '../../../diagnostics.ts';
import { DAY_MS, HOUR_MS } from '../../../durations.ts';
import type { FoundBackup } from '../../../integrity/backup/folder.ts';
import { listBackups } from '../../../integrity/backup/folder.ts';
import { directoryOf, driveOfSchedule } from '../../../integrity/backup/keep.ts';
import { isSealedFolder, knownRecipient } from '../../../integrity/backup/sealed/keys.ts';
import { dueTimes } from '../../../study/backup-schedule.ts';
import { siteTimeZone } from '../../../study/zones.ts';
import type { Backup, BackupStatus, Routes } from '../../contract/index.ts';
import type { ResponseOf } from '../../contract/route.ts';
import type { ApiDeps } from '../../deps.ts';

/** Delay after which a scheduled backup counts as overdue. */
const OVERDUE_MS = 36 * HOUR_MS;

/** More jobs than a clock that was ahead can have left. */
const LOOK_BACK_JOBS = 200;

/** Returns the time in the id of a backup. */
function timeOfId(id: string): number {
  const [, year, month, day, hour, minute, second] = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z/.exec(id) ?? [];
  return Date.UTC(Number(year), Number(month) - 1, Number(day), Number(hour), Number(minute), Number(second));
}

export function toBackup({ id, summary, problem, check }: FoundBackup, directory: string, siteId: string): Backup {
  const isDamaged = check !== undefined && check.problems.length > 0;
  const isIncomplete = summary?.outcome === 'incomplete';
  const state = !summary ? 'unreadable' : isDamaged ? 'damaged' : isIncomplete ? 'incomplete' : 'complete';
  const diagnostics = problem ? [problem] : (summary?.diagnostics ?? summary?.problems.map(diagnosticOf) ?? []);
  return {
    id,
    directory,
    createdTs: summary?.createdTs ?? timeOfId(id),
    state,
    isOwn: summary?.siteId === siteId,
    ...(summary && {
      reason: summary.reason,
      sizeBytes: summary.sizeBytes,
      countRecordings: summary.countRecordings,
      ...(summary.isEncrypted && { isEncrypted: true }),
      programVersion: summary.programVersion,
      schemaVersion: summary.schemaVersion,
    }),
    problems: diagnostics.map(({ message }) => message),
    diagnostics,
    ...(check && { check: { ...check, diagnostics: check.diagnostics ?? check.problems.map(diagnosticOf) } }),
  };
}

export async function diskOf(directory: string) {
  const { bavail, blocks, bsize } = await statfs(directory);
  return { freeBytes: bavail * bsize, totalBytes: blocks * bsize };
}

/** Reads the folder of the schedule and the last backup jobs. */
export async function backupStatus(deps: ApiDeps): Promise<ResponseOf<Routes['getBackupStatus']>> {
  const { store } = deps;
  const nowTs = deps.clock();
  const { schedule, directory } = await directoryOf(store, deps.backupsDir);
  const own = (await listBackups(directory)).map((found) => toBackup(found, directory, deps.siteId));
  const newestOwn = own.find(({ isOwn }) => isOwn);
  // A file lost by the site cannot be in a new backup, so an incomplete backup counts too.
  const last = own.find(({ isOwn, state }) => isOwn && (state === 'complete' || state === 'incomplete'));
  const ended = await store.jobs.list({ kind: 'backup', states: ['done', 'failed', 'parked'], limit: LOOK_BACK_JOBS });
  const newest = ended.find(({ createdTs }) => createdTs <= nowTs + CLOCK_SLACK_MS);
  const { lastTs: dueTs, nextTs } = dueTimes(schedule, siteTimeZone(), nowTs);
  const disk = await diskOf(directory).catch(() => undefined);
  // While the disk is disconnected its backups cannot be listed, so the last job stands in.
  const drive = await driveOfSchedule(store, deps.backupsDir);
  const isAwayCalmly = drive !== undefined && !drive.isConnected && !isAwayForLong(drive, nowTs);
  const encryption = await encryptionOf(deps, directory, disk !== undefined);
  const [made] = disk ? [] : await store.jobs.list({ kind: 'backup', states: ['done'], limit: 1 });
  const lastTs = last?.createdTs ?? made?.finishedTs ?? undefined;
  // A backup dated in the future proves that one exists, not that it is recent.
  const recentTs = lastTs !== undefined && lastTs <= nowTs + CLOCK_SLACK_MS ? lastTs : deps.siteCreatedTs;
  return {
    directory,
    isEnabled: schedule.isEnabled,
    ...(schedule.isEnabled && { nextTs }),
    ...(lastTs !== undefined && { lastTs }),
    isOverdue: schedule.isEnabled && !isAwayCalmly && nowTs - recentTs > OVERDUE_MS && dueTs > recentTs,
    ...(newestOwn !== undefined &&
      newestOwn.diagnostics.length > 0 && {
        damage: {
          backupId: newestOwn.id,
          createdTs: newestOwn.createdTs,
          state: newestOwn.state,
          diagnostics: newestOwn.diagnostics,
        },
      }),
    ...(newest?.error && {
      problem: newest.error.message,
      diagnostic: { message: newest.error.message, code: newest.error.code },
    }),
    ...(drive && { drive }),
    ...(encryption && { encryption }),
    ...(disk && { disk }),
    ...(disk && { isOnSiteDisk: await isOnDiskOf(directory, dirname(deps.backupsDir)) }),
  };
}

/** Whether two folders are on one file system. */
async function isOnDiskOf(directory: string, siteDir: string): Promise<boolean> {
  const [folder, site] = await Promise.all([directory, siteDir].map((path) => stat(path)));
  return folder?.dev === site?.dev;
}

/** A drive is taken home over a week-end and a holiday. */
const AWAY_MS = 7 * DAY_MS;

/** True when the drive of the backups was not connected for a week. */
export function isAwayForLong({ isConnected, seenTs }: NonNullable<BackupStatus['drive']>, nowTs: number): boolean {
  return !isConnected && (seenTs === undefined || nowTs - seenTs > AWAY_MS);
}

/** How backups in a folder are encrypted; undefined where they are not and are not to be. */
async function encryptionOf(
  { store, backupsDir }: ApiDeps,
  directory: string,
  isReachable: boolean,
): Promise<BackupStatus['encryption']> {
  const wanted = await store.settings.get('backup.recipient');
  if (!isReachable || !isSealedFolder(directory)) {
    return wanted === null ? undefined : { recipient: wanted, state: isReachable ? 'other-folder' : 'unreachable' };
  }
  const recipient = await knownRecipient(directory, dirname(backupsDir));
  if (recipient === undefined) return { recipient: wanted ?? '', state: 'key-unknown' };
  return { recipient, state: wanted === null || wanted === recipient ? 'ready' : 'other-folder' };
}
