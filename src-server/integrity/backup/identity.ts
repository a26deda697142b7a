/**
 * What a folder of backups is known by when its disk comes back at another path: an id in a file of its own. It says nothing of the site, and
 * a folder that is copied to another disk keeps it, because it holds the same backups.
 */
import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { z } from 'zod';
import { writeDurably } from '../../files/durable-files.ts';
import type { Drive } from './drives/parse.ts';
import { readBackupPlaces } from './places.ts';

const IDENTITY_FILE = 'backup-folder.json';
const identitySchema = z.object({ format: z.literal(1), id: z.uuid() });

/** Undefined for a folder that no backup was made in yet, or that is not there. */
export async function identityOf(directory: string): Promise<string | undefined> {
  try {
    return identitySchema.parse(JSON.parse(await readFile(join(directory, IDENTITY_FILE), 'utf8'))).id;
  } catch {
    return undefined;
  }
}

/** The id of a folder of backups, which gets one where it has none. The caller holds its lock, or has just made a backup in it. */
export async function identify(directory: string): Promise<string> {
  const known = await identityOf(directory);
  if (known !== undefined) return known;
  const id = randomUUID();
  await writeDurably(join(directory, IDENTITY_FILE), `${JSON.stringify({ format: 1, id })}\n`);
  return id;
}

/** Whether a path is on a drive. Windows has no case in paths. */
export function driveOf(path: string, drives: readonly Drive[]): Drive | undefined {
  const fold = (text: string) => (process.platform === 'win32' ? text.toLowerCase() : text);
  const isBelow = (mountPath: string) => {
    const root = /[\\/]$/.test(mountPath) ? mountPath : `${mountPath}${process.platform === 'win32' ? '\\' : '/'}`;
    return fold(`${path}/`).startsWith(fold(root)) || fold(path) === fold(mountPath);
  };
  return drives
    .filter(({ mountPath }) => isBelow(mountPath))
    .sort((a, b) => b.mountPath.length - a.mountPath.length)[0];
}

/** Longest tail of a path that is looked for on other drives. */
const MOST_PARTS = 4;

/** Where a folder of backups is now: at its path or, by its id, on a drive at another one. Its path when it is nowhere. */
export async function presentFolder(
  siteDir: string,
  folder: string,
  listDrives: () => Promise<readonly Drive[]>,
): Promise<string> {
  const place = (await readBackupPlaces(siteDir))?.places.find(({ path }) => path === folder);
  if (place?.folderId === undefined || (await identityOf(folder)) === place.folderId) return folder;
  for (const { mountPath } of await listDrives()) {
    const tails: string[] = [''];
    for (let rest = folder; tails.length <= MOST_PARTS && dirname(rest) !== rest; rest = dirname(rest)) {
      tails.push(join(basename(rest), tails.at(-1) ?? ''));
    }
    for (const tail of tails) {
      const candidate = join(mountPath, tail).replace(/(?<=.)[\\/]$/, '');
      if ((await identityOf(candidate)) === place.folderId) return candidate;
    }
  }
  return folder;
}
