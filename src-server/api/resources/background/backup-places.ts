/** Folders for backups that a person names or chooses by their drive. */
import { mkdir, stat, statfs } from 'node:fs/promises';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { syncDirectory } from '../../../files/durable-files.ts';
import { listDrives } from '../../../integrity/backup/drives/drives.ts';
import { listBackups } from '../../../integrity/backup/folder.ts';
import type { Routes } from '../../contract/index.ts';
import type { ResponseOf } from '../../contract/route.ts';
import { invalidField } from '../../framework/errors.ts';

type BackupDrive = ResponseOf<Routes['listBackupDrives']>['items'][number];

/** On a drive, backups lie in a folder of their own among whatever else is there. */
const FOLDER_ON_DRIVE = 'Outpost backups';

function requireAbsolute(directory: string, field: string): void {
  if (!isAbsolute(directory) || directory.includes('\0')) throw invalidField(field, 'must be an absolute path');
}

async function isFolder(path: string): Promise<boolean> {
  return (await stat(path).catch(() => null))?.isDirectory() === true;
}

/** Requires an existing folder: a disconnected disk must not be replaced by a new folder of the same name. */
export async function existingFolder(directory: string | undefined): Promise<string | undefined> {
  if (directory === undefined) return undefined;
  requireAbsolute(directory, 'directory');
  if (!(await isFolder(directory)))
    throw invalidField('directory', 'is not an existing folder. Connect the disk, or create the folder');
  return resolve(directory);
}

/** The same; directly on a removable drive that is connected now, the folder is made. */
export async function folderOnDrive(directory: string | undefined): Promise<string | undefined> {
  if (directory !== undefined && isAbsolute(directory) && !(await isFolder(directory))) {
    const parent = dirname(resolve(directory));
    if ((await listDrives()).some(({ mountPath }) => resolve(mountPath) === parent)) await makeFolder(directory);
  }
  return await existingFolder(directory);
}

/** Creates the last part of the path where it does not exist: an encrypted folder begins empty. */
export async function folderToEncrypt(directory: string): Promise<string> {
  requireAbsolute(directory, 'directory');
  if (!(await stat(directory).catch(() => null)) && (await isFolder(dirname(directory)))) await makeFolder(directory);
  return (await existingFolder(directory)) ?? directory;
}

async function makeFolder(directory: string): Promise<void> {
  await mkdir(directory, { mode: 0o700 });
  await syncDirectory(dirname(directory));
}

/** The drives that are connected, with the folder for backups on each: where this site has some already, that one. */
export async function drivesWithFolders(siteId: string): Promise<BackupDrive[]> {
  const drives = await Promise.all(
    (await listDrives()).map(async ({ name, mountPath, isReadOnly }) => {
      const own = join(mountPath, FOLDER_ON_DRIVE);
      const atRoot = (await listBackups(mountPath).catch(() => [])).some(({ summary }) => summary?.siteId === siteId);
      const room = await statfs(mountPath).catch(() => undefined);
      return {
        name,
        path: mountPath,
        folder: atRoot ? mountPath : own,
        isReadOnly,
        ...(room && { freeBytes: room.bavail * room.bsize, totalBytes: room.blocks * room.bsize }),
      };
    }),
  );
  return drives.sort((a, b) => a.name.localeCompare(b.name) || a.path.localeCompare(b.path));
}
