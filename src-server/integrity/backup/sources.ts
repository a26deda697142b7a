/** Sources of a restore: a folder of backups, or one ZIP. */
import { readFileSync, statSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { Readable } from 'node:stream';
import { OutpostError, toOutpostError } from '../../errors.ts';
import { hashFile } from '../../files/content-hash.ts';
import { openZipArchive, type ZipMember } from '../../files/zip-archive.ts';
import { readChunks, SMALL_BYTES } from '../content.ts';
import type { BackupSource } from './backup-source.ts';
import { DAMAGED, isBackupName, listBackups, readManifest } from './folder.ts';
import {
  type BackupManifest,
  contentPath,
  DATABASE_MEMBER,
  decodeManifest,
  MANIFEST_FILE,
  MANIFEST_SUM_FILE,
  SITE_MEMBER,
} from './manifest.ts';
import { isSealedBackup, type OpeningKeys, unlockFolder } from './sealed/keys.ts';
import { openSealedBackup } from './sealed/source.ts';
import { wholeCopy } from './second-copies.ts';
import { readSummary } from './summary.ts';

const missing = (where: string, what: string) =>
  new OutpostError('FILE_DAMAGED', `The backup ${where} is incomplete: ${what} is missing.`);

/** A backup in a folder whose content lies in `contentRoot`. */
export async function openFolderBackup(path: string, contentRoot: string): Promise<BackupSource> {
  return folderSource(await readManifest(path), path, contentRoot);
}

/** The same for a backup whose manifest was just written: its bytes are compared, not read as JSON. @throws FILE_DAMAGED */
export async function reopenFolderBackup(
  path: string,
  contentRoot: string,
  manifest: BackupManifest,
): Promise<BackupSource> {
  const [{ sha256 }, sums] = await Promise.all([
    hashFile(join(path, MANIFEST_FILE)),
    readFile(join(path, MANIFEST_SUM_FILE), 'utf8'),
  ]);
  if (sums.slice(0, sha256.length) === sha256 && (await readSummary(path)))
    return folderSource(manifest, path, contentRoot);
  throw new OutpostError('FILE_DAMAGED', `${MANIFEST_FILE} reads differently from what was written.`);
}

function folderSource(manifest: BackupManifest, path: string, contentRoot: string): BackupSource {
  const read = async (memberPath: string): Promise<AsyncIterable<Uint8Array>> => {
    const chunks = memberPath === DATABASE_MEMBER ? manifest.database.chunks : undefined;
    if (chunks)
      return joined(
        chunks.map((hash) => contentPath(hash)),
        read,
      );
    const own = memberPath === SITE_MEMBER ? wholeCopy(path, SITE_MEMBER, manifest.siteFile.sha256) : undefined;
    if (own) return Readable.from([own]);
    const file = join(memberPath.startsWith('files/') ? contentRoot : path, memberPath);
    // What a check found damaged and put out of the way still has good pages, and may be all there is.
    for (const place of [file, `${file}${DAMAGED}`]) if (await stat(place).catch(() => null)) return readChunks(place);
    throw missing(path, memberPath);
  };
  const readSmall = (memberPath: string) => {
    if (memberPath === SITE_MEMBER) return undefined;
    const file = join(memberPath.startsWith('files/') ? contentRoot : path, memberPath);
    const size = statSync(file, { throwIfNoEntry: false })?.size ?? SMALL_BYTES + 1;
    return size <= SMALL_BYTES ? readFileSync(file) : undefined;
  };
  return { manifest, path, read, readSmall, close: () => undefined };
}

/** Content in pieces, as one. */
async function* joined(paths: readonly string[], read: BackupSource['read']): AsyncGenerator<Uint8Array> {
  for (const path of paths) yield* await read(path);
}

/**
 * A backup holds a site of any size, and the manifest tells the length and hash of each member. Only the list of members
 * has to be honest; the ratio is deflate's own limit, so that no database is too sparse to come back.
 */
const ZIP_LIMITS = { maxMembers: 10_000_000, maxBytes: Number.MAX_SAFE_INTEGER, maxRatio: 1100 };
const MAX_MANIFEST_BYTES = 1 << 30;

/** @throws FILE_DAMAGED, ZIP_UNSAFE */
export async function openZipBackup(path: string): Promise<BackupSource> {
  const zip = await openZipArchive(path, ZIP_LIMITS);
  try {
    const members = new Map(zip.members.map((member) => [member.name, member]));
    const memberOf = (name: string): ZipMember => {
      const member = members.get(name);
      if (!member) throw missing(path, name);
      return member;
    };
    const textOf = async (name: string): Promise<string> => {
      const member = memberOf(name);
      if (member.sizeBytes > MAX_MANIFEST_BYTES) {
        throw new OutpostError(
          'FILE_DAMAGED',
          `The backup ${path} cannot be used: its ${name} is too large to be one.`,
        );
      }
      const chunks: Uint8Array[] = [];
      for await (const chunk of member.open()) chunks.push(chunk);
      return Buffer.concat(chunks).toString('utf8');
    };
    const manifest = decodeManifest(await textOf(MANIFEST_FILE), await textOf(MANIFEST_SUM_FILE), path);
    return { manifest, path, read: async (name) => memberOf(name).open(), close: () => zip.close() };
  } catch (thrown) {
    zip.close();
    throw thrown;
  }
}

/** Asks for the passphrase of the encrypted backups in a folder. */
export type AskPassphrase = (folder: string) => Promise<string>;

/** A function that opens backups of one folder, with the passphrase where they are encrypted. @throws BACKUP_ENCRYPTED, PASSPHRASE_WRONG */
function opener(directory: string, ask: AskPassphrase | undefined): (path: string) => Promise<BackupSource> {
  let keys: Promise<OpeningKeys> | undefined;
  return async (path) => {
    if (!isSealedBackup(path)) return await openFolderBackup(path, directory);
    if (!ask) {
      throw new OutpostError(
        'BACKUP_ENCRYPTED',
        `The backups in ${directory} are encrypted. Restore one with \`outpost restore\` and their passphrase.`,
      );
    }
    keys ??= ask(directory).then((passphrase) => unlockFolder(directory, passphrase));
    return await openSealedBackup(path, directory, await keys);
  };
}

/**
 * The backup that a person names: one backup's folder, a folder of backups (the newest that can be read), or a ZIP.
 * @throws NOT_FOUND, FILE_DAMAGED, SITE_NEWER, BACKUP_ENCRYPTED without `ask`, PASSPHRASE_WRONG
 */
export async function openBackup(from: string, ask?: AskPassphrase): Promise<BackupSource> {
  const found = await stat(from).catch(() => null);
  if (!found) throw new OutpostError('NOT_FOUND', `There is nothing at ${from}. Check the path of the backup.`);
  if (found.isFile()) return await openZipBackup(from);
  if (isBackupName(basename(from)) || (await stat(join(from, MANIFEST_FILE)).catch(() => null)))
    return await opener(join(from, '..'), ask)(from);
  const open = opener(from, ask);
  let problem: string | undefined;
  for (const { path, problem: known } of await listBackups(from)) {
    try {
      if (!known) return await open(path);
      problem ??= known.message;
    } catch (thrown) {
      // A list trusts the summary of a backup; its manifest may be damaged all the same.
      const error = toOutpostError(thrown);
      if (error.code !== 'FILE_DAMAGED' && error.code !== 'SITE_NEWER') throw error;
      problem ??= error.message;
    }
  }
  throw new OutpostError(
    'NOT_FOUND',
    problem === undefined
      ? `There is no backup in ${from}. Give the folder or the file that \`outpost backup\` made.`
      : `No backup in ${from} can be used. ${problem}`,
  );
}
