/** Backups, which administrators create, verify and delete; jobs do the work. Also diagnostics for support. */
import { dirname, resolve } from 'node:path';
import { OutpostError } from '../../../errors.ts';
import { type FoundBackup, listBackups } from '../../../integrity/backup/folder.ts';
import { directoryOf, keptFor, removeLocked, restoreOf, storedDirectory } from '../../../integrity/backup/keep.ts';
import { readBackupPlaces } from '../../../integrity/backup/places.ts';
import type { Backup } from '../../contract/index.ts';
import type { backupRoutes } from '../../contract/resources/backups.ts';
import type { ApiDeps } from '../../deps.ts';
import { type Caller, changeBy } from '../../framework/authenticate.ts';
import { notFound } from '../../framework/errors.ts';
import type { Handlers } from '../../framework/mount.ts';
import { drivesWithFolders, existingFolder, folderOnDrive, folderToEncrypt } from './backup-places.ts';
import { backupStatus, toBackup } from './backup-status.ts';
import { siteDiagnostics } from './diagnostics.ts';
import { toJob } from './job-record.ts';
import { lostFileHandlers } from './lost-files.ts';
import { withThrottle } from './passphrase-throttle.ts';
import { restoreHandlers } from './restores.ts';
import { scrubHandlers } from './scrub.ts';

const NO_DISK = {
  freeBytes: 0,
  totalBytes: 0,
  neededBytes: 0,
  neededForAllBytes: 0,
  promisedBytes: 0,
  emergencyBytes: 0,
  level: 'ok',
} as const;

export function backupHandlers(deps: ApiDeps): Handlers<typeof backupRoutes> {
  const { store } = deps;

  const enqueue = async (caller: Caller, payload: { backup?: { id: string; directory: string } }) => {
    const change = changeBy(caller);
    return toJob(await deps.jobs.enqueue('verify', { ...payload, requestedBy: change.actor }, change));
  };

  return {
    ...lostFileHandlers(deps),
    ...restoreHandlers(deps, (backupId, directory) => findBackup(deps, backupId, directory)),
    getDiskUse: async () => {
      const { freeBytes, totalBytes, ...state } = (await deps.disk.state()) ?? NO_DISK;
      const parts = await deps.backupFolders.measure();
      const ownBytes = parts.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
      const othersBytes = Math.max(0, totalBytes - freeBytes - ownBytes);
      return { disk: { freeBytes, totalBytes }, ...state, othersBytes, parts };
    },
    listBackupDrives: async () => {
      const items = await drivesWithFolders(deps.siteId);
      return { items, size: items.length };
    },
    listBackups: async ({ query }) => {
      const items: Backup[] = [];
      const folders = await foldersFor(deps, query.directory);
      const rule = await store.settings.get('backup.schedule');
      for (const { folder, found } of folders) {
        const kept = keptFor(found, deps.siteId, rule, deps.clock());
        for (const one of found) {
          const reasons = kept.get(one.id);
          items.push({ ...toBackup(one, folder, deps.siteId), ...(reasons && { keptFor: reasons }) });
        }
      }
      // Within a folder, backups keep their order of creation, which restoring relies on; across folders only times compare.
      if (folders.length > 1) items.sort((a, b) => b.createdTs - a.createdTs);
      return { items, size: items.length };
    },
    createBackup: async ({ body, caller }) => {
      const asked = await folderOnDrive(body.directory);
      const found = await directoryOf(store, deps.backupsDir, asked);
      const directory = storedDirectory(deps.backupsDir, found.directory);
      const waiting = await store.jobs.list({ kind: 'backup', states: ['queued'], limit: 20 });
      const same = waiting.find(({ payload }) => 'directory' in payload && payload.directory === directory);
      if (same) return toJob(same);
      const change = changeBy(caller);
      const payload = { reason: 'manual' as const, directory, requestedBy: change.actor };
      return toJob(await deps.jobs.enqueue('backup', payload, change));
    },
    encryptBackups: async ({ body, caller, request }) => {
      const directory = await folderToEncrypt(body.directory);
      const { recipient, isNew } = await withThrottle(deps, request, directory, () =>
        deps.backupFolders.encrypt(directory, body.passphrase),
      );
      await store.transaction(async ({ settings, audit }) => {
        const change = changeBy(caller);
        const schedule = await settings.get('backup.schedule');
        await settings.set('backup.schedule', { ...schedule, folder: directory }, change);
        await settings.set('backup.recipient', recipient, change);
        await audit.note(change, {
          action: 'backup.encrypt',
          entityType: 'site',
          entityId: deps.siteId,
          changes: { directory: { new: directory }, recipient: { new: recipient } },
        });
      });
      return { directory, recipient, isNew };
    },
    changeBackupPassphrase: async ({ body, caller, request }) => {
      const { directory } = await directoryOf(store, deps.backupsDir, await existingFolder(body.directory));
      await withThrottle(deps, request, directory, () =>
        deps.backupFolders.changePassphrase(directory, body.passphrase, body.newPassphrase),
      );
      await store.audit.note(changeBy(caller), {
        action: 'backup.change-passphrase',
        entityType: 'site',
        entityId: deps.siteId,
        changes: { directory: { new: directory } },
      });
    },
    getBackupStatus: () => backupStatus(deps),
    ...scrubHandlers(deps),
    verifyBackup: async ({ params: { backupId }, query, caller }) => {
      const directory = await folderOf(deps, backupId, query.directory);
      return await enqueue(caller, {
        backup: { id: backupId, directory: storedDirectory(deps.backupsDir, directory) },
      });
    },
    deleteBackup: async ({ params: { backupId }, query, caller }) => {
      const directory = await folderOf(deps, backupId, query.directory);
      const restore = await restoreOf(store, deps.backupsDir, { id: backupId, directory });
      if (restore)
        throw new OutpostError(
          'CONFLICT',
          `This backup is being restored into ${restore.payload.folder}. Wait until that has ended, or cancel it, and delete the backup then.`,
        );
      await removeLocked(directory, [backupId]);
      await store.audit.note(changeBy(caller), {
        action: 'backup.delete',
        entityType: 'site',
        entityId: deps.siteId,
        changes: { backup: { old: backupId } },
      });
    },
    verifySite: ({ caller }) => enqueue(caller, {}),
    getDiagnostics: () => siteDiagnostics(deps),
  };
}

interface ReadFolder {
  folder: string;
  found: FoundBackup[];
}

/** Reads the given folder, or else those in which the site keeps backups. */
async function foldersFor({ store, backupsDir }: ApiDeps, directory: string | undefined): Promise<ReadFolder[]> {
  const read = async (folder: string): Promise<ReadFolder> => ({ folder, found: await listBackups(folder) });
  const given = await existingFolder(directory);
  if (given !== undefined) return [await read(given)];
  const scheduled = await directoryOf(store, backupsDir);
  const own = new Set([scheduled.directory, resolve(backupsDir)]);
  const noted = (await readBackupPlaces(dirname(backupsDir)))?.places.map(({ path }) => path) ?? [];
  const others = new Set(noted).difference(own);
  // Skip other places that cannot be listed: ZIPs, and disks that fail.
  const readable = [...others].map(async (folder) => await read(folder).catch(() => []));
  return [...(await Promise.all([...own].map(read))), ...(await Promise.all(readable)).flat()];
}

/** @throws NOT_FOUND */
async function findBackup(
  deps: ApiDeps,
  backupId: string,
  directory: string | undefined,
): Promise<FoundBackup & { folder: string }> {
  const folders = await foldersFor(deps, directory);
  for (const { folder, found } of folders) {
    const backup = found.find(({ id }) => id === backupId);
    if (backup) return { ...backup, folder };
  }
  throw notFound('backup');
}

/** Returns the folder that holds a backup. */
async function folderOf(deps: ApiDeps, backupId: string, directory: string | undefined): Promise<string> {
  return (await findBackup(deps, backupId, directory)).folder;
}
