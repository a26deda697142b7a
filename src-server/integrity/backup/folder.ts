/**
 * A folder of backups:
 *
 * ```
 * backup-<id>/manifest.json  manifest.sha256  summary.json  site.json  [database.json]  [checked.json]  second/
 *             [site.db, in backups of format 1]
 * files/<2 digits>/<sha256>   signal files, pictures and pieces of the databases of all backups, each content once
 * ```
 *
 * The backups of a folder share content: most of a site never changes, and a second copy on the same disk would double the cost
 * and be lost with that disk. To detect bit rot in shared content, each backup reads a share of it again and replaces damaged
 * content from the site. Nothing here is a hard link to a file of the site, because a write in place would damage both.
 *
 * A backup exists once its folder has its final name. Until then it is `backup-<id>.partial`, which the next backup removes.
 */

import { readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { type HeldLock, takeFileLock } from '../../db/index.ts';
import { type Diagnostic, diagnostic, withPresentNames } from '../../diagnostics.ts';
import { OutpostError, toOutpostError } from '../../errors.ts';
import { makeDirectoryDurably, syncDirectory, writeDurably } from '../../files/durable-files.ts';
import {
  type BackupManifest,
  contentPath,
  decodeManifest,
  diagnosticSchema,
  MANIFEST_FILE,
  MANIFEST_SUM_FILE,
} from './manifest.ts';
import { wholeManifest } from './second-copies.ts';
import { type BackupSummary, readSummary, SUMMARY_FILE, scanHashes, summaryOf, writeSummary } from './summary.ts';

const NAME = /^backup-(\d{8}T\d{6}Z-[0-9a-f]{8})$/;
const PARTIAL = /^backup-.*\.partial$/;
const LOCK_FILE = 'backups.lock';
const CHECKED_FILE = 'checked.json';
/** Ends the name of content that a check found damaged. */
export const DAMAGED = '.damaged';
const CONTENT_NAME = /^[0-9a-f]{64}(\.damaged)?$/;

const backupCheck = z.object({
  checkedTs: z.int(),
  problems: z.array(z.string()),
  diagnostics: z.array(diagnosticSchema).optional(),
});
/** The result of the last full check of a backup. */
export type BackupCheck = z.output<typeof backupCheck>;

export interface FoundBackup {
  id: string;
  path: string;
  /** Absent when it cannot be read; `problem` says why. */
  summary?: BackupSummary;
  problem?: Diagnostic;
  check?: BackupCheck;
}

export function isBackupName(name: string): boolean {
  return NAME.test(name);
}

export function backupPath(directory: string, id: string): string {
  return join(directory, `backup-${id}`);
}

export function partialBackupPath(directory: string, id: string): string {
  return `${backupPath(directory, id)}.partial`;
}

/** From the second copy where the first is damaged. @throws FILE_DAMAGED, SITE_NEWER */
export async function readManifest(folder: string): Promise<BackupManifest> {
  try {
    return await readFirstManifest(folder);
  } catch (thrown) {
    const whole = thrown instanceof OutpostError && thrown.code === 'FILE_DAMAGED' ? wholeManifest(folder) : undefined;
    if (!whole) throw thrown;
    return decodeManifest(whole.text, whole.sum, folder);
  }
}

async function readFirstManifest(folder: string): Promise<BackupManifest> {
  const read = async (name: string) =>
    await readFile(join(folder, name), 'utf8').catch((thrown: NodeJS.ErrnoException) => {
      if (thrown.code !== 'ENOENT') throw thrown;
      throw new OutpostError('FILE_DAMAGED', `The backup ${folder} cannot be used: ${name} is missing.`);
    });
  const [text, sum] = await Promise.all([read(MANIFEST_FILE), read(MANIFEST_SUM_FILE)]);
  return decodeManifest(text, sum, folder);
}

async function namesIn(directory: string): Promise<string[]> {
  try {
    return await readdir(directory);
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw toOutpostError(thrown);
  }
}

/** Returns the complete backups of every site in a folder, newest first. */
export async function listBackups(directory: string): Promise<FoundBackup[]> {
  const ids = (await namesIn(directory)).flatMap((name) => NAME.exec(name)?.[1] ?? []);
  const found = await Promise.all(ids.map(async (id) => await findBackup(directory, id)));
  return found.sort(byLastMade);
}

/**
 * Orders backups by when they were made, newest first, independently of the clock: by the folder's sequence number, then, for
 * backups older than that number, by the site's audit, which only grows. The time in the name decides the rest.
 */
function byLastMade(a: FoundBackup, b: FoundBackup): number {
  const keys = ({ id, summary }: FoundBackup) =>
    [summary?.sequence ?? 0, summary?.siteId ?? '', summary?.auditHead.sequence ?? 0, id] as const;
  const [left, right] = [keys(a), keys(b)];
  for (const [i, value] of left.entries()) {
    const other = right[i]!;
    if (value !== other) return value < other ? 1 : -1;
  }
  return 0;
}

/** The number of the next backup made in a folder. */
export async function nextSequence(directory: string): Promise<number> {
  return 1 + Math.max(0, ...(await listBackups(directory)).map(({ summary }) => summary?.sequence ?? 0));
}

async function findBackup(directory: string, id: string): Promise<FoundBackup> {
  const path = backupPath(directory, id);
  const check = await readCheck(path);
  try {
    const summary = (await readSummary(path)) ?? summaryOf(await readManifest(path));
    return { id, path, summary, ...(check && { check }) };
  } catch (thrown) {
    const { message } = toOutpostError(thrown);
    const problem = { ...diagnostic('BACKUP_UNREADABLE', { path }), message };
    return { id, path, problem, ...(check && { check }) };
  }
}

/** Adds the summary to backups that an earlier version made, so that lists need not read them whole. The caller holds the lock. */
export async function addSummaries(directory: string): Promise<void> {
  for (const name of (await namesIn(directory)).filter(isBackupName)) {
    const path = join(directory, name);
    if (await readSummary(path)) continue;
    try {
      const manifest = await readManifest(path);
      const sums = await readFile(join(path, MANIFEST_SUM_FILE), 'utf8');
      await writeSummary(path, manifest, `${sums.slice(0, 64)}  ${MANIFEST_FILE}\n`);
    } catch {
      // Lists say why it cannot be read; where a summary cannot be written, they read the manifest.
    }
  }
}

async function readCheck(path: string): Promise<BackupCheck | undefined> {
  try {
    return backupCheck.parse(withPresentNames(JSON.parse(await readFile(join(path, CHECKED_FILE), 'utf8'))));
  } catch {
    return undefined;
  }
}

/** Stores the result of a full check beside a backup. */
export async function writeCheck(path: string, check: BackupCheck): Promise<void> {
  await writeDurably(join(path, CHECKED_FILE), `${JSON.stringify(check)}\n`);
}

/**
 * Locks a folder of backups for writing. The system releases the lock if its owner dies.
 * @throws CONFLICT when another backup is being made there
 */
export async function lockBackups(directory: string): Promise<HeldLock> {
  await makeDirectoryDurably(directory, 0o700);
  const owner = { pid: process.pid, host: hostname(), sinceTs: Date.now() };
  const outcome = takeFileLock(join(directory, LOCK_FILE), owner);
  if ('lock' in outcome) return outcome.lock;
  throw new OutpostError(
    'BACKUP_BUSY',
    `Another backup is being made or removed in ${directory}${outcome.heldBy ? ` by process ${outcome.heldBy.pid} on ${outcome.heldBy.host}` : ''}. Try again when it has ended.`,
  );
}

/** Removes the remains of interrupted backups. The caller holds the lock. @returns whether there were any */
export async function removePartials(directory: string): Promise<boolean> {
  const names = (await namesIn(directory)).filter((name) => PARTIAL.test(name));
  for (const name of names) await rm(join(directory, name), { recursive: true, force: true });
  return names.length > 0;
}

/** Folders of content. */
export async function contentFolders(directory: string): Promise<string[]> {
  const pool = join(directory, 'files');
  return (await namesIn(pool)).map((name) => join(pool, name));
}

/**
 * Removes backups, then content that no remaining backup uses. The caller holds the lock.
 * @returns false when such content had to stay, because it is not known what a damaged backup uses
 * @throws NOT_FOUND
 */
export async function removeBackups(directory: string, ids: readonly string[]): Promise<boolean> {
  for (const id of ids) {
    const path = backupPath(directory, id);
    await stat(path).catch(() => {
      throw new OutpostError('NOT_FOUND', `There is no backup ${id} in ${directory}.`);
    });
    // Rename first: a partly deleted backup must never look complete.
    await rename(path, partialBackupPath(directory, id));
  }
  await syncDirectory(directory);
  await removePartials(directory);
  return await removeUnneeded(directory);
}

/**
 * Enough of a hash to distinguish content, as a number: the names of a quarter of a million files, each a string, would take 50 MB.
 * Two that agree in it cost the room of one file at worst.
 */
const hashKey = (hash: string) => Number.parseInt(hash.slice(0, 13), 16);

/** Removes nothing while any manifest is unreadable, because the content it uses is unknown. */
async function removeUnneeded(directory: string): Promise<boolean> {
  const backups = await listBackups(directory);
  if (backups.some(({ summary }) => !summary)) return false;
  const needed = new Set<number>();
  for (const { path } of backups) {
    if (await scanHashes(path, (hash) => needed.add(hashKey(hash)))) continue;
    // Without the summary, lists read the manifest and show that it cannot be used.
    await rm(join(path, SUMMARY_FILE), { force: true });
    return false;
  }
  for (const folder of await contentFolders(directory)) {
    for (const name of await namesIn(folder)) {
      if (CONTENT_NAME.test(name) && !needed.has(hashKey(name))) await rm(join(folder, name), { force: true });
    }
  }
  return true;
}

/**
 * Sets damaged content aside, so that the next backup stores it again from the site and repairs every backup that shares it.
 * The caller holds the lock.
 */
export async function setAsideContent(directory: string, hashes: readonly string[]): Promise<void> {
  for (const hash of hashes) {
    const path = join(directory, contentPath(hash));
    await rename(path, `${path}${DAMAGED}`).catch((thrown: NodeJS.ErrnoException) => {
      if (thrown.code !== 'ENOENT') throw thrown;
    });
  }
}
