/** Retention, location and checks of backups. */
import { existsSync } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import { diagnostic } from '../../diagnostics.ts';
import { OutpostError } from '../../errors.ts';
import type { Store } from '../../services/index.ts';
import { type BackupSchedule, backupsToKeep, type KeepReason, reasonsToKeep } from '../../study/backup-schedule.ts';
import type { JobRow, RestorePayload } from '../../study/jobs.ts';
import { siteTimeZone } from '../../study/zones.ts';
import type { DamagedMember } from './check.ts';
import { listDrives } from './drives/drives.ts';
import {
  type BackupCheck,
  backupPath,
  type FoundBackup,
  listBackups,
  lockBackups,
  removeBackups,
  setAsideContent,
  writeCheck,
} from './folder.ts';
import { driveOf, presentFolder } from './identity.ts';
import { MANIFEST_FILE } from './manifest.ts';
import { readBackupPlaces } from './places.ts';

/**
 * How a job names a folder of backups: the one inside the site relative to it, because a site may be moved or reached by
 * another path before the job runs.
 */
export function storedDirectory(backupsDir: string, directory: string): string {
  return directory === resolve(backupsDir) ? basename(backupsDir) : directory;
}

/** The folder that a job names. */
export function namedDirectory(backupsDir: string, stored: string): string {
  return resolve(dirname(backupsDir), stored);
}

/** Returns the backup schedule, and the requested folder or, by default, that of the schedule. */
export async function directoryOf(
  store: Pick<Store, 'settings'>,
  backupsDir: string,
  asked?: string,
): Promise<{ schedule: BackupSchedule; directory: string }> {
  const schedule = await store.settings.get('backup.schedule');
  const siteDir = dirname(backupsDir);
  if (asked === undefined && schedule.folder !== null)
    return { schedule, directory: await presentFolder(siteDir, schedule.folder, listDrives) };
  return { schedule, directory: namedDirectory(backupsDir, asked ?? backupsDir) };
}

/** The removable drive of the schedule's folder, where it is on one, and whether it is connected now. */
export async function driveOfSchedule(
  store: Pick<Store, 'settings'>,
  backupsDir: string,
): Promise<{ name: string; isConnected: boolean; seenTs?: number } | undefined> {
  const { schedule, directory } = await directoryOf(store, backupsDir);
  if (schedule.folder === null) return undefined;
  const places = (await readBackupPlaces(dirname(backupsDir)))?.places ?? [];
  const noted = places.find(({ path }) => path === directory) ?? places.find(({ path }) => path === schedule.folder);
  const present = driveOf(directory, await listDrives());
  const name = present?.name ?? noted?.drive;
  if (name === undefined) return undefined;
  const isConnected = existsSync(directory);
  return { name, isConnected, ...(noted?.seenTs !== undefined && { seenTs: noted.seenTs }) };
}

/** For whom a backup in this folder has to be encrypted: only the folder of the schedule may ask for that. */
export async function recipientOf(
  store: Pick<Store, 'settings'>,
  backupsDir: string,
  directory: string,
): Promise<string | undefined> {
  const scheduled = await directoryOf(store, backupsDir);
  if (scheduled.directory !== directory) return undefined;
  return (await store.settings.get('backup.recipient')) ?? undefined;
}

/** Why the backups of a site are kept; scheduled ones by the rule, the others until a person deletes them. */
export function keptFor(
  found: readonly FoundBackup[],
  siteId: string,
  rule: Pick<BackupSchedule, 'keepDaily' | 'keepWeekly'>,
  nowTs: number,
): Map<string, (KeepReason | 'manual')[]> {
  const own = found.flatMap(({ id, summary }) => (summary?.siteId === siteId ? [{ ...summary, id }] : []));
  const scheduled = own.filter(({ reason }) => reason === 'scheduled');
  const reasons = reasonsToKeep(scheduled, rule, siteTimeZone(), nowTs);
  return new Map(own.map(({ id, reason }) => [id, reason === 'manual' ? ['manual'] : (reasons.get(id) ?? [])]));
}

/** Restores that wait, run or can be tried again. Their backups must not be removed under them. */
export async function openRestores({ jobs }: Pick<Store, 'jobs'>): Promise<(JobRow & { payload: RestorePayload })[]> {
  const open = await jobs.list({
    studyIds: [],
    withSiteJobs: true,
    kind: 'restore',
    states: ['queued', 'running', 'parked'],
    limit: 100,
  });
  return open.map((job) => ({ ...job, payload: job.payload as RestorePayload }));
}

/** The restore of a backup in a folder that waits, runs or can be tried again. */
export async function restoreOf(
  store: Pick<Store, 'jobs'>,
  backupsDir: string,
  { id, directory }: { id: string; directory: string },
): Promise<(JobRow & { payload: RestorePayload }) | undefined> {
  return (await openRestores(store)).find(
    ({ payload: { backup } }) => backup.id === id && namedDirectory(backupsDir, backup.directory) === directory,
  );
}

/**
 * Removes the scheduled backups of a site that the rule does not keep. Those that a person made stay.
 * @param inUse backups that stay although the rule does not keep them
 * @param remove where the removal runs: it reads the manifests of all that stay
 * @returns their ids
 */
export async function removeOutdated(
  directory: string,
  newestId: string,
  rule: Pick<BackupSchedule, 'keepDaily' | 'keepWeekly'>,
  nowTs: number,
  inUse: ReadonlySet<string> = new Set(),
  remove: (directory: string, ids: readonly string[]) => Promise<unknown> = removeLocked,
): Promise<string[]> {
  const found = await listBackups(directory);
  const siteId = found.find(({ id }) => id === newestId)?.summary?.siteId;
  const scheduled = found.flatMap(({ id, summary }) =>
    summary?.reason === 'scheduled' && summary.siteId === siteId ? [{ id, createdTs: summary.createdTs }] : [],
  );
  const kept = backupsToKeep(scheduled, rule, siteTimeZone(), nowTs);
  const outdated = scheduled.filter(({ id }) => !kept.has(id) && !inUse.has(id)).map(({ id }) => id);
  if (outdated.length > 0) await remove(directory, outdated);
  return outdated;
}

/** @throws NOT_FOUND, BACKUP_BUSY */
export async function removeLocked(directory: string, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  const lock = await lockBackups(directory);
  try {
    await removeBackups(directory, ids);
  } finally {
    lock.release();
  }
}

/**
 * Marks the backups of a site that were made after its database was last known to be sound, and may therefore hold damage that
 * was found in it later. They can still be restored: a restore reads the database itself.
 */
export async function markSuspect(
  directory: string,
  { siteId, goodSequence, checkedTs }: { siteId: string; goodSequence: number; checkedTs: number },
): Promise<void> {
  for (const { path, summary, check } of await listBackups(directory)) {
    if (summary?.siteId !== siteId || summary.auditHead.sequence <= goodSequence) continue;
    const suspect = diagnostic('BACKUP_SUSPECT');
    await writeCheck(path, {
      checkedTs,
      problems: [...(check?.problems ?? []), suspect.message],
      diagnostics: [...(check?.diagnostics ?? []), suspect],
    });
  }
}

/**
 * Has all of a backup read by `read` and keeps the diagnostic beside it.
 * @throws NOT_FOUND when it no longer exists
 */
export async function checkedBackup(
  directory: string,
  id: string,
  nowTs: number,
  read: (source: { path: string; contentRoot: string }) => Promise<DamagedMember[]>,
): Promise<BackupCheck> {
  const path = backupPath(directory, id);
  if (!(await listBackups(directory)).some((found) => found.id === id)) {
    throw new OutpostError('NOT_FOUND', `The backup ${id} is not in ${directory} any more.`);
  }
  let damaged: DamagedMember[];
  try {
    damaged = await read({ path, contentRoot: directory });
  } catch (thrown) {
    if (!(thrown instanceof OutpostError && thrown.code === 'FILE_DAMAGED')) throw thrown;
    damaged = [{ ...diagnostic('BACKUP_UNREADABLE', { path }), message: thrown.message, name: MANIFEST_FILE }];
  }
  const diagnostics = damaged.map(({ name: _name, path: _path, sha256: _sha256, ...found }) => found);
  const check = { checkedTs: nowTs, problems: diagnostics.map(({ message }) => message), diagnostics };
  const shared = damaged.flatMap((member) => (member.path?.startsWith('files/') ? [basename(member.path)] : []));
  if (shared.length > 0) {
    const lock = await lockBackups(directory);
    try {
      await setAsideContent(directory, shared);
    } finally {
      lock.release();
    }
  }
  await writeCheck(path, check);
  return check;
}
