/**
 * The newest backup of a site that is good: found where backups of this site were made, read whole, and its database read by SQLite.
 * Newer ones that are not good are named with the reason. Nothing is changed.
 */
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { databaseFileProblems, latestSchemaVersion } from '../../db/index.ts';
import { OutpostError, toOutpostError } from '../../errors.ts';
import type { BackupSource } from '../../integrity/backup/backup-source.ts';
import { checkBackup } from '../../integrity/backup/check.ts';
import { listBackups } from '../../integrity/backup/folder.ts';
import {
  type BackupManifest,
  DATABASE_MEMBER,
  lackingFiles,
  SITE_MEMBER,
  sizeOf,
} from '../../integrity/backup/manifest.ts';
import { readBackupPlaces } from '../../integrity/backup/places.ts';
import { type AskPassphrase, openBackup } from '../../integrity/backup/sources.ts';
import { writeNew } from '../../integrity/content.ts';
import { readSiteFile, sitePaths } from '../../integrity/site-file.ts';

export interface GoodBackup {
  id: string;
  path: string;
  siteId: string;
  siteName: string;
  createdTs: number;
  sizeBytes: number;
  countRecordings: number;
  programVersion: string;
  /** Files of the site that it lacks or holds damaged; the rest of it is whole. */
  lacking: string[];
}

export interface BackupSearch {
  good?: GoodBackup;
  /** Backups that are newer and cannot be used. */
  rejected: { path: string; createdTs?: number; message: string }[];
  /** Folders of encrypted backups that were not looked into, because their passphrase is not known. */
  locked: string[];
  /** Folders and files that were looked at, also those that are not there now. */
  places: { path: string; isThere: boolean }[];
}

export interface SearchOptions {
  /** More folders of backups, or ZIPs, that a person names. */
  places?: readonly string[];
  /** For encrypted backups; without it they are not looked into. */
  askPassphrase?: AskPassphrase;
  signal?: AbortSignal;
  onProgress?: (progress: { done: number; total: number; step: string }) => void;
}

/** A backup that may be a good one. */
export interface FoundCandidate {
  path: string;
  createdTs?: number;
  auditSequence: number;
  problem?: string;
}

/** Folders and ZIPs where backups of the site in `dir` may be, and the id of the site where something still tells it. */
async function placesOf(dir: string, asked: readonly string[] = []): Promise<{ siteId?: string; paths: string[] }> {
  const { dir: root, backupsDir } = sitePaths(dir);
  const known = await readBackupPlaces(root);
  const siteId = (await readSiteFile(dir).catch(() => undefined))?.id ?? known?.siteId;
  const all = [...asked.map((path) => resolve(path)), backupsDir, ...(known?.places.map(({ path }) => path) ?? [])];
  return { ...(siteId !== undefined && { siteId }), paths: [...new Set(all)] };
}

/** The backups of the site in `dir`, newest first, as their lists describe them. */
export async function backupsOfSite(dir: string, options: SearchOptions = {}): Promise<FoundCandidate[]> {
  const { siteId, paths } = await placesOf(dir, options.places);
  const found: FoundCandidate[] = [];
  for (const path of paths) if (existsSync(path)) found.push(...(await candidatesIn(path, siteId)));
  return found.sort((a, b) => b.auditSequence - a.auditSequence || (b.createdTs ?? 0) - (a.createdTs ?? 0));
}

/** Looks for the newest good backup of the site in `dir`, whatever the state of that folder. @throws CANCELLED */
export async function findGoodBackup(dir: string, options: SearchOptions = {}): Promise<BackupSearch> {
  const siteDir = sitePaths(dir).dir;
  const { paths } = await placesOf(dir, options.places);
  const places = paths.map((path) => ({ path, isThere: existsSync(path) }));
  const rejected: BackupSearch['rejected'] = [];
  const locked = new Set<string>();
  for (const { path, createdTs, problem } of await backupsOfSite(dir, options)) {
    const reject = (message: string) => rejected.push({ path, ...(createdTs !== undefined && { createdTs }), message });
    if (problem !== undefined) {
      reject(problem);
      continue;
    }
    try {
      return { good: await checkedBackup(path, siteDir, options), rejected, locked: [...locked], places };
    } catch (thrown) {
      const error = toOutpostError(thrown);
      if (error.kind === 'cancelled') throw error;
      if (error.code === 'BACKUP_ENCRYPTED') locked.add(dirname(path));
      else reject(error.message);
    }
  }
  return { rejected, locked: [...locked], places };
}

/** The backups of a site in a place, in no particular order. Of any site where the damaged one does not say which it is. */
async function candidatesIn(place: string, siteId: string | undefined): Promise<FoundCandidate[]> {
  try {
    if ((await stat(place)).isFile()) {
      const source = await openBackup(place);
      const { manifest } = source;
      source.close();
      if (siteId !== undefined && manifest.siteId !== siteId) return [];
      return [{ path: place, createdTs: manifest.createdTs, auditSequence: manifest.auditHead.sequence }];
    }
    return (await listBackups(place)).flatMap(({ path, summary, problem }): FoundCandidate[] => {
      if (!summary) return [{ path, auditSequence: 0, problem: problem?.message ?? 'It cannot be read.' }];
      if (siteId !== undefined && summary.siteId !== siteId) return [];
      return [{ path, createdTs: summary.createdTs, auditSequence: summary.auditHead.sequence }];
    });
  } catch (thrown) {
    return [{ path: place, auditSequence: 0, problem: toOutpostError(thrown).message }];
  }
}

/** Reads all of a backup. @throws FILE_DAMAGED, SITE_NEWER, CANCELLED */
async function checkedBackup(path: string, siteDir: string, options: SearchOptions): Promise<GoodBackup> {
  const source = await openBackup(path, options.askPassphrase);
  try {
    const { manifest } = source;
    if (manifest.schemaVersion > latestSchemaVersion()) {
      throw new OutpostError(
        'SITE_NEWER',
        `It was made by a newer Outpost (${manifest.programVersion}), which can restore it.`,
      );
    }
    const damaged = await checkBackup(source, {
      ...(options.signal && { signal: options.signal }),
      onProgress: (done, total) => options.onProgress?.({ done, total, step: 'reading the backup' }),
    });
    const hopeless = damaged.find(({ name }) => name === DATABASE_MEMBER || name === SITE_MEMBER);
    if (hopeless) throw new OutpostError('FILE_DAMAGED', hopeless.message);
    await requireSoundDatabase(source, siteDir, options);
    const lacking = [...new Set([...lackingFiles(manifest), ...damaged.map(({ name }) => name)])].sort();
    return { ...factsOf(manifest), path, lacking };
  } finally {
    source.close();
  }
}

function factsOf(manifest: BackupManifest): Omit<GoodBackup, 'path' | 'lacking'> {
  const { id, siteId, siteName, createdTs, programVersion, files } = manifest;
  const countRecordings = files.filter((file) => /^signals\/[^/]+\.sig$/.test(file.path)).length;
  return { id, siteId, siteName, createdTs, programVersion, sizeBytes: sizeOf(manifest), countRecordings };
}

/**
 * A backup has exactly the bytes that the site had, so it may be of a database that was damaged already. Where neither the disk of
 * the site nor the one for temporary files has room for a copy, the restore finds that out.
 * @throws FILE_DAMAGED
 */
async function requireSoundDatabase(source: BackupSource, siteDir: string, options: SearchOptions): Promise<void> {
  for (const folder of [dirname(siteDir), tmpdir()]) {
    const scratch = await mkdtemp(join(folder, '.outpost-check-')).catch(() => undefined);
    if (scratch === undefined) continue;
    try {
      const { sizeBytes } = source.manifest.database;
      let done = 0;
      const onBytes = (bytes: number) => {
        done += bytes;
        options.onProgress?.({ done, total: sizeBytes, step: 'checking its database' });
      };
      const copy = join(scratch, 'site.db');
      const { signal } = options;
      await writeNew(await source.read(DATABASE_MEMBER), copy, { mode: 0o600, onBytes, ...(signal && { signal }) });
      const [problem] = databaseFileProblems(copy);
      if (problem === undefined) return;
      throw new OutpostError('FILE_DAMAGED', `Its database was damaged already when it was made: ${problem}`);
    } catch (thrown) {
      const error = toOutpostError(thrown);
      if (error.code !== 'DISK_FULL') throw error;
    } finally {
      await rm(scratch, { recursive: true, force: true });
    }
  }
}

/** True for a folder that holds recordings of a site, whatever else is missing or damaged there. */
export async function holdsRecordings(dir: string): Promise<boolean> {
  const names = await readdir(sitePaths(dir).signalsDir).catch(() => []);
  return names.some((name) => name.endsWith('.sig'));
}
