/**
 * Single files of a running site that are lost or damaged, and the copies that backups have of them. A copy counts by its hash alone, so
 * it is the same file whichever backup it is in. The site is only read here.
 */
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { columnPath } from '../../files/column-files.ts';
import type { Content } from '../../files/content-hash.ts';
import { quarantinePath } from '../../files/inbox.ts';
import type { Store } from '../../services/index.ts';
import { readScrubState } from '../scrub/state.ts';
import { sitePaths } from '../site-file.ts';
import { listBackups } from './folder.ts';
import { contentPath } from './manifest.ts';
import { readBackupPlaces } from './places.ts';
import { isSealedFolder, sealedName, sealingKeysOf } from './sealed/keys.ts';
import { sealedBytes } from './sealed/stored.ts';
import { openZipBackup } from './sources.ts';
import { scanHashes } from './summary.ts';

/** A file that is not what the database says. */
export interface LackingFile extends Content {
  /** Place in the site, with forward slashes. */
  file: string;
  /** Of its signal file. */
  recordingId?: string;
  state: 'MISSING' | 'DAMAGED';
}

/** Where a backup has a file that the site lacks. */
export interface FileCopy {
  /** Folder of backups. */
  directory: string;
  /** Its place in that folder. */
  path: string;
  isEncrypted: boolean;
  /** `directory` is one backup in a ZIP. */
  isZip?: boolean;
  /** The newest backup in the folder that has it. */
  backupId?: string;
  createdTs?: number;
}

const COLUMN_SLICE = 5000;
/** More are found in turns: each turn puts some back. */
const MOST_FILES = 500;

/** Files whose rows say that they are lost or damaged, and others that are missing. At most 500. */
export async function lackingSiteFiles(store: Store, siteDir: string): Promise<LackingFile[]> {
  const lacking: LackingFile[] = (await store.recordings.lost(MOST_FILES)).map(({ id, fileState, ...content }) => ({
    ...content,
    file: `signals/${id}.sig`,
    recordingId: id,
    state: fileState === 'MISSING' ? 'MISSING' : 'DAMAGED',
  }));
  const { inboxDir, dir } = sitePaths(siteDir);
  for (const { id, sizeBytes, sha256 } of await store.uploads.list({ states: ['QUARANTINED'] })) {
    const path = quarantinePath(inboxDir, id);
    const state = stateOf(path, sizeBytes);
    if (state) lacking.push({ file: `inbox/quarantine/${id}.sig`, sizeBytes, sha256, state });
  }
  for (let after = ''; lacking.length < MOST_FILES; ) {
    const contents = await store.analytics.columnFilesAfter(after, COLUMN_SLICE);
    for (const { sha256, sizeBytes } of contents) {
      const file = columnPath(sha256);
      const state = stateOf(join(dir, file), sizeBytes);
      if (state) lacking.push({ file, sizeBytes, sha256, state });
      after = sha256;
    }
    if (contents.length < COLUMN_SLICE) break;
  }
  // Damage that keeps the size of a file is known from reading it.
  const named = new Set(lacking.map(({ file }) => file));
  for (const { file, state, sizeBytes, sha256, directory } of (await readScrubState(dir)).findings) {
    if (directory !== undefined || state === 'HEALED' || sizeBytes === undefined || sha256 === undefined) continue;
    if (!named.has(file) && !/\.(?:overview|clock)$/.test(file) && !file.startsWith('signals/'))
      lacking.push({ file, sizeBytes, sha256, state });
  }
  return lacking.slice(0, MOST_FILES);
}

function stateOf(path: string, sizeBytes: number): LackingFile['state'] | undefined {
  const found = statSync(path, { throwIfNoEntry: false });
  if (!found) return 'MISSING';
  return found.size === sizeBytes ? undefined : 'DAMAGED';
}

/** Folders in which backups of the site are, the newest place first. */
export async function backupFoldersOf(siteDir: string, more: readonly string[] = []): Promise<string[]> {
  const { dir, backupsDir } = sitePaths(siteDir);
  const noted = (await readBackupPlaces(dir))?.places.map(({ path }) => path) ?? [];
  const all = [...more, ...noted, backupsDir];
  return [...new Set(all)].filter((path) => statSync(path, { throwIfNoEntry: false })?.isDirectory());
}

/** The same with single backups in ZIPs, and with the places that are not there now. */
export async function backupPlacesOf(
  siteDir: string,
  more: readonly string[] = [],
): Promise<{ reached: string[]; unreached: string[] }> {
  const { dir } = sitePaths(siteDir);
  const noted = (await readBackupPlaces(dir))?.places.map(({ path }) => path) ?? [];
  const folders = await backupFoldersOf(siteDir, more);
  const zips = noted.filter((path) => statSync(path, { throwIfNoEntry: false })?.isFile());
  const unreached = noted.filter((path) => !existsSync(path));
  return { reached: [...folders, ...zips], unreached };
}

/** The copies of each content that folders of backups have, by hash; in the order of the folders. */
export async function copiesOf(
  wanted: readonly Content[],
  folders: readonly string[],
  siteDir: string,
): Promise<Map<string, FileCopy[]>> {
  const copies = new Map<string, FileCopy[]>();
  for (const directory of folders) {
    if (isFile(directory)) {
      for (const [sha256, copy] of await copiesInZip(wanted, directory))
        copies.set(sha256, [...(copies.get(sha256) ?? []), copy]);
      continue;
    }
    const found = new Map<string, FileCopy>();
    const keys = await sealingKeysOf(directory, siteDir).catch(() => undefined);
    // The names of its pieces tell nothing without the key of the names.
    if (isSealedFolder(directory) && !keys) continue;
    for (const { sha256, sizeBytes } of wanted) {
      const name = keys ? sealedName(keys, sha256) : sha256;
      const size = keys ? sealedBytes(sizeBytes) : sizeBytes;
      const path = contentPath(name);
      if (statSync(join(directory, path), { throwIfNoEntry: false })?.size !== size) continue;
      found.set(name, { directory, path, isEncrypted: keys !== undefined });
      copies.set(sha256, [...(copies.get(sha256) ?? []), found.get(name)!]);
    }
    await nameBackups(directory, found);
  }
  return copies;
}

const isFile = (path: string) => statSync(path, { throwIfNoEntry: false })?.isFile() === true;

/** One that cannot be opened has no copies. */
async function copiesInZip(wanted: readonly Content[], directory: string): Promise<Map<string, FileCopy>> {
  const copies = new Map<string, FileCopy>();
  const zip = await openZipBackup(directory).catch(() => undefined);
  if (!zip) return copies;
  try {
    const { id: backupId, createdTs, files } = zip.manifest;
    const held = new Set(files.map(({ sha256 }) => sha256));
    for (const { sha256 } of wanted) {
      if (!held.has(sha256)) continue;
      copies.set(sha256, {
        directory,
        path: contentPath(sha256),
        isEncrypted: false,
        isZip: true,
        backupId,
        createdTs,
      });
    }
  } finally {
    zip.close();
  }
  return copies;
}

/** Adds the newest backup that has each content. */
async function nameBackups(directory: string, found: ReadonlyMap<string, FileCopy>): Promise<void> {
  const unnamed = new Map(found);
  for (const { id, path, summary } of unnamed.size > 0 ? await listBackups(directory) : []) {
    if (unnamed.size === 0) return;
    const named: string[] = [];
    await scanHashes(path, (hash) => {
      if (unnamed.has(hash)) named.push(hash);
    });
    for (const name of named) {
      Object.assign(unnamed.get(name) ?? {}, { backupId: id, ...(summary && { createdTs: summary.createdTs }) });
      unnamed.delete(name);
    }
  }
}
