/**
 * The folder into which the desk restores a backup: a new one, outside of every site and of the backups. The site is made under
 * another name beside it, which says that it is unfinished, and gets its own name when it is complete.
 */
import { constants, existsSync } from 'node:fs';
import { access, realpath, rename, rm, rmdir, stat, statfs } from 'node:fs/promises';
import { homedir } from 'node:os';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { OutpostError } from '../../errors.ts';
import { reserveOf } from '../../files/disk-budget.ts';
import { syncDirectory } from '../../files/durable-files.ts';
import { sitePaths } from '../site-file.ts';
import { requireEmpty, requireRoom } from './restore.ts';

/** Where the site is made until it is complete. The name belongs to one job, so that a repeated run may remove what it finds. */
export function unfinishedFolder(folder: string, jobId: string): string {
  return `${folder}.restoring-${jobId.slice(-12)}`;
}

export function removeUnfinished(unfinished: string): Promise<void> {
  return rm(unfinished, { recursive: true, force: true, maxRetries: 3 });
}

/**
 * Gives a complete site its own name. Repeating it is harmless.
 * @throws SITE_EXISTS when something else was put there meanwhile
 */
export async function nameFinished(unfinished: string, folder: string): Promise<void> {
  if (!existsSync(unfinished) && existsSync(sitePaths(folder).siteFile)) return;
  await requireEmpty(folder);
  // Windows renames no folder onto another one, even if that is empty.
  if (existsSync(folder)) await rmdir(folder);
  await rename(unfinished, folder);
  await syncDirectory(dirname(folder));
}

/** Why a folder cannot be restored into. */
export type TargetProblem = 'no-parent' | 'in-site' | 'in-backups' | 'no-folder';

/**
 * What is wrong with the place of a folder, regardless of its content; undefined when nothing is. Links are followed: the name of a link
 * does not tell that it leads into the site.
 */
export async function targetProblem(
  folder: string,
  { siteDir, backupFolders }: { siteDir: string; backupFolders: readonly string[] },
): Promise<TargetProblem | undefined> {
  if (dirname(folder) === folder) return 'in-site';
  const parent = await realpath(dirname(folder)).catch(() => undefined);
  if (parent === undefined || !(await stat(parent)).isDirectory()) return 'no-parent';
  const found = await stat(folder).catch(() => undefined);
  if (found && !found.isDirectory()) return 'no-folder';
  const place = found ? await realpath(folder) : join(parent, basename(folder));
  const roots = await Promise.all([siteDir, ...backupFolders].map((path) => realpath(path).catch(() => resolve(path))));
  const [site = '', ...backups] = roots;
  // The site in a folder of the new site would be a folder of the new site too.
  if (isWithin(place, site) || isWithin(site, place) || isInAnySite(parent)) return 'in-site';
  return backups.some((path) => isWithin(place, path) || isWithin(path, place)) ? 'in-backups' : undefined;
}

function isWithin(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way === '' || !(way === '..' || /^\.\.[\\/]/.test(way) || resolve(folder, way) === way);
}

function isInAnySite(path: string): boolean {
  for (let folder = path; ; folder = dirname(folder)) {
    if (existsSync(sitePaths(folder).siteFile)) return true;
    if (dirname(folder) === folder) return false;
  }
}

/**
 * Checks whether a folder could take a site of this size now.
 * @throws SITE_EXISTS, FILE_FORBIDDEN, DISK_FULL with the numbers
 */
export async function requireTarget(folder: string, neededBytes: number, siteDir: string): Promise<void> {
  await requireEmpty(folder);
  const parent = dirname(folder);
  await access(parent, constants.W_OK).catch((thrown: unknown) => {
    const message = `Outpost may not write in ${parent}. Choose a folder elsewhere, or change its permissions.`;
    throw new OutpostError('FILE_FORBIDDEN', message, { cause: thrown });
  });
  await requireRoom(parent, neededBytes, await reserveFor(parent, siteDir));
}

/** On the disk of the running site, the reserve of its database stays free. */
async function reserveFor(parent: string, siteDir: string): Promise<number> {
  const [here, site] = await Promise.all([stat(parent), stat(siteDir)]);
  if (here.dev !== site.dev) return 0;
  const { blocks, bsize } = await statfs(parent);
  return reserveOf(blocks * bsize);
}

/** Bytes that a restore may use on the disk of a folder. */
export async function roomFor(folder: string, siteDir: string): Promise<number> {
  const parent = dirname(folder);
  const { bavail, bsize } = await statfs(parent);
  return Math.max(0, Math.floor(bavail * bsize - (await reserveFor(parent, siteDir))));
}

/** A free name beside the site; in the home folder of the user where nothing can be made beside the site. */
export async function suggestedTarget(siteDir: string, createdTs: number): Promise<string> {
  const own = await realpath(siteDir);
  const name = `${basename(own)}-restored-${new Date(createdTs).toISOString().slice(0, 10)}`;
  const beside = dirname(own);
  const isWritable = await access(beside, constants.W_OK).then(
    () => true,
    () => false,
  );
  const parent = isWritable ? beside : homedir();
  for (let i = 1; ; i++) {
    const path = join(parent, i === 1 ? name : `${name}-${i}`);
    if (!existsSync(path)) return path;
  }
}
