/**
 * Every file of a place with backups and the content that it must have. A folder needs no key for that: content is named by its hash or,
 * where it is encrypted, listed with the hash of what was written.
 */
import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { sha256Hex } from '../../files/content-hash.ts';
import { isBackupName, readManifest } from '../backup/folder.ts';
import { contentPath, DATABASE_MEMBER, databaseMembers, MANIFEST_SUM_FILE, SITE_MEMBER } from '../backup/manifest.ts';
import { isSealedBackup, isSealedFolder } from '../backup/sealed/keys.ts';
import { readStored } from '../backup/sealed/stored.ts';
import { ownSums, SECOND } from '../backup/second-copies.ts';

export interface BackupItem {
  /**
   * OWN: of one backup, with a second copy. CONTENT: shared by backups. KEY: of an encrypted folder. NOTED: no list names its content.
   * LOST: the lists of a backup are damaged, both copies.
   */
  kind: 'OWN' | 'CONTENT' | 'KEY' | 'NOTED' | 'LOST';
  key: string;
  /** Place in the folder, with forward slashes. */
  file: string;
  sha256?: string;
  /** Of the plain content, where it is known. */
  sizeBytes?: number;
  backupId?: string;
}

const KEY_FILES = ['encryption.json', 'key.age'];
/** Small files of a folder that other programs than a backup write. */
const NOTED_FILES = ['backup-folder.json', 'erasures.json'];

export async function* itemsOfFolder(directory: string, after: string): AsyncGenerator<BackupItem> {
  const names = (await readdir(directory).catch(() => [])).filter(isBackupName).sort();
  for (const item of ownItems(directory, names, await manifestHashes(directory, names)))
    if (item.key > after) yield item;
  if (isSealedFolder(directory)) {
    for (const name of KEY_FILES) {
      const key = `1 ${name}`;
      if (key > after) yield { kind: 'KEY', key, file: name };
    }
  }
  for (const name of [...NOTED_FILES, ...names.map((backup) => `${backup}/checked.json`)]) {
    const key = `2 ${name}`;
    if (key > after && existsSync(join(directory, name))) yield { kind: 'NOTED', key, file: name };
  }
  const content = await contentOfFolder(directory, names);
  for (const name of [...content.keys()].sort()) {
    const key = `3 ${name}`;
    if (key > after) yield { kind: 'CONTENT', key, file: contentPath(name), ...content.get(name)! };
  }
}

/** Hashes of `site.json`, which manifests alone name, by backup. */
async function manifestHashes(directory: string, names: readonly string[]): Promise<Map<string, string>> {
  const hashes = new Map<string, string>();
  for (const name of names) {
    const folder = join(directory, name);
    if (isSealedBackup(folder)) continue;
    const manifest = await readManifest(folder).catch(() => undefined);
    if (manifest) hashes.set(name, manifest.siteFile.sha256);
  }
  return hashes;
}

function* ownItems(
  directory: string,
  names: readonly string[],
  siteFiles: ReadonlyMap<string, string>,
): Generator<BackupItem> {
  for (const name of names) {
    const sums = ownSums(join(directory, name));
    const backupId = name.slice('backup-'.length);
    const at = (file: string) => ({ key: `0 ${name}/${file}`, file: `${name}/${file}`, backupId });
    if (!sums) {
      yield { kind: 'LOST', ...at(MANIFEST_SUM_FILE) };
      continue;
    }
    const siteFile = siteFiles.get(name);
    const hashes = new Map([
      ...sums.hashes,
      [MANIFEST_SUM_FILE, sha256Hex(sums.text)],
      ...(siteFile === undefined ? [] : ([[SITE_MEMBER, siteFile]] as const)),
    ]);
    for (const [file, sha256] of [...hashes].sort(([a], [b]) => (a < b ? -1 : 1)))
      yield { kind: 'OWN', ...at(file), sha256 };
  }
}

interface Needed {
  sha256: string;
  sizeBytes?: number;
  file?: string;
}

/** What the backups of a folder need, by name. A backup whose lists are lost needs nothing that is known. */
async function contentOfFolder(directory: string, names: readonly string[]): Promise<Map<string, Needed>> {
  const needed = new Map<string, Needed>();
  for (const name of names) {
    const folder = join(directory, name);
    if (isSealedBackup(folder)) {
      for (const [piece, sha256] of await readStored(folder).catch(() => [])) needed.set(piece, { sha256 });
      continue;
    }
    const manifest = await readManifest(folder).catch(() => undefined);
    if (!manifest) continue;
    const pieces = manifest.database.chunks ? databaseMembers(manifest.database).map(({ content }) => content) : [];
    for (const { sha256, sizeBytes } of [...pieces, ...manifest.files]) needed.set(sha256, { sha256, sizeBytes });
    // Backups of format 1 have a database of their own.
    const { sha256, sizeBytes, chunks } = manifest.database;
    if (!chunks) needed.set(`${sha256} ${name}`, { sha256, sizeBytes, file: `${name}/${DATABASE_MEMBER}` });
  }
  return needed;
}

/** True for a backup of a version that kept no second copies. */
export function lacksSecondCopies(folder: string): boolean {
  return !existsSync(join(folder, SECOND, MANIFEST_SUM_FILE));
}
