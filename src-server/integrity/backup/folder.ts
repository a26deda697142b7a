/**
 * A folder of backups:
 *
 * ```
 * backup-<id>/manifest.json  manifest.sha256  site.db  site.json  [checked.json]
 * files/<2 digits>/<sha256>   signal files and pictures of all backups, each content once
 * ```
 *
 * The backups of a folder share content: nearly all of a site never changes, and a second set of bytes on the same disk would
 * double the cost and fall with the same disk. So that one spoilt file does not stay in all of them unnoticed, each backup
 * reads a share of the content again and replaces what is damaged from the site. Another copy is one on another disk. Nothing
 * here is ever a hard link to a file of the site, which a write in place would spoil on both sides.
 *
 * A backup is there once its folder has its name: until then it is `backup-<id>.partial`, which the next backup clears away.
 */

import { mkdir, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { type HeldLock, takeFileLock } from '../../db/index.ts';
import { type Diagnostic, diagnostic, withPresentNames } from '../../diagnostics.ts';
import { OutpostError, toOutpostError } from '../../errors.ts';
import { syncDirectory, writeDurably } from '../../files/durable-files.ts';
import {
  type BackupManifest,
  contentPath,
  decodeManifest,
  diagnosticSchema,
  MANIFEST_FILE,
  MANIFEST_SUM_FILE,
} from './manifest.ts';

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
/** What the last reading of all of a backup found. */
export type BackupCheck = z.output<typeof backupCheck>;

export interface FoundBackup {
  id: string;
  path: string;
  /** Absent when it cannot be read; `problem` says why. */
  manifest?: BackupManifest;
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

/** @throws FILE_DAMAGED, SITE_NEWER */
export async function readManifest(folder: string): Promise<BackupManifest> {
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

/** Complete backups of every site in a folder, the one that was made last first. */
export async function listBackups(directory: string): Promise<FoundBackup[]> {
  const ids = (await namesIn(directory)).flatMap((name) => NAME.exec(name)?.[1] ?? []);
  const found = await Promise.all(ids.map(async (id) => await findBackup(directory, id)));
  return found.sort(byLastMade);
}

/**
 * The order of making, last first, by what a wrong clock does not move: the count of the folder, then for backups from before
 * there was one the audit of their site, which only grows. The names begin with a time, which decides what is left.
 */
function byLastMade(a: FoundBackup, b: FoundBackup): number {
  const keys = ({ id, manifest }: FoundBackup) =>
    [manifest?.sequence ?? 0, manifest?.siteId ?? '', manifest?.auditHead.sequence ?? 0, id] as const;
  const [left, right] = [keys(a), keys(b)];
  for (const [i, value] of left.entries()) {
    const other = right[i]!;
    if (value !== other) return value < other ? 1 : -1;
  }
  return 0;
}

/** The number of the next backup made in a folder. */
export async function nextSequence(directory: string): Promise<number> {
  return 1 + Math.max(0, ...(await listBackups(directory)).map(({ manifest }) => manifest?.sequence ?? 0));
}

async function findBackup(directory: string, id: string): Promise<FoundBackup> {
  const path = backupPath(directory, id);
  const check = await readCheck(path);
  try {
    return { id, path, manifest: await readManifest(path), ...(check && { check }) };
  } catch (thrown) {
    const { message } = toOutpostError(thrown);
    const problem = { ...diagnostic('BACKUP_UNREADABLE', { path }), message };
    return { id, path, problem, ...(check && { check }) };
  }
}

async function readCheck(path: string): Promise<BackupCheck | undefined> {
  try {
    return backupCheck.parse(withPresentNames(JSON.parse(await readFile(join(path, CHECKED_FILE), 'utf8'))));
  } catch {
    return undefined;
  }
}

/** Keeps beside a backup what reading all of it found. */
export async function writeCheck(path: string, check: BackupCheck): Promise<void> {
  await writeDurably(join(path, CHECKED_FILE), `${JSON.stringify(check)}\n`);
}

/**
 * One at a time may write to a folder of backups. The system drops the lock when its owner dies.
 * @throws CONFLICT when another backup is being made there
 */
export async function lockBackups(directory: string): Promise<HeldLock> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const owner = { pid: process.pid, host: hostname(), sinceTs: Date.now() };
  const outcome = takeFileLock(join(directory, LOCK_FILE), owner);
  if ('lock' in outcome) return outcome.lock;
  throw new OutpostError(
    'BACKUP_BUSY',
    `Another backup is being made or removed in ${directory}${outcome.heldBy ? ` by process ${outcome.heldBy.pid} on ${outcome.heldBy.host}` : ''}. Try again when it has ended.`,
  );
}

/** Clears away what a backup left that was cut short. Under the lock only. */
export async function removePartials(directory: string): Promise<void> {
  for (const name of await namesIn(directory)) {
    if (PARTIAL.test(name)) await rm(join(directory, name), { recursive: true, force: true });
  }
}

/** Removes backups, then the content that none of those left needs. Under the lock only. @throws NOT_FOUND */
export async function removeBackups(directory: string, ids: readonly string[]): Promise<void> {
  for (const id of ids) {
    const path = backupPath(directory, id);
    await stat(path).catch(() => {
      throw new OutpostError('NOT_FOUND', `There is no backup ${id} in ${directory}.`);
    });
    // Renamed first: half of a backup must never look like one.
    await rename(path, partialBackupPath(directory, id));
  }
  await syncDirectory(directory);
  await removePartials(directory);
  await removeUnneeded(directory);
}

/** Nothing is removed while any manifest cannot be read: what it needs is not known then. */
async function removeUnneeded(directory: string): Promise<void> {
  const backups = await listBackups(directory);
  if (backups.some(({ manifest }) => !manifest)) return;
  const needed = new Set(backups.flatMap(({ manifest }) => manifest?.files.map(({ sha256 }) => sha256) ?? []));
  const pool = join(directory, 'files');
  for (const folder of await namesIn(pool)) {
    for (const name of await namesIn(join(pool, folder))) {
      if (CONTENT_NAME.test(name) && !needed.has(name.slice(0, 64)))
        await rm(join(pool, folder, name), { force: true });
    }
  }
}

/**
 * Puts damaged content out of the way, so that the next backup stores it anew from the site and heals every backup that
 * shares it. Under the lock only.
 */
export async function setAsideContent(directory: string, hashes: readonly string[]): Promise<void> {
  for (const hash of hashes) {
    const path = join(directory, contentPath(hash));
    await rename(path, `${path}${DAMAGED}`).catch((thrown: NodeJS.ErrnoException) => {
      if (thrown.code !== 'ENOENT') throw thrown;
    });
  }
}
