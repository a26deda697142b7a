/**
 * The passphrase of a folder of backups: chosen once, and changed without touching a backup, because it only protects the key. A change
 * replaces `key.age` and its copies one by one. `encryption.json` has the hash that they are to have, so what a crash interrupts is
 * finished by the next change or backup.
 */
import { readFile, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { OutpostError } from '../../../errors.ts';
import { sha256Hex } from '../../../files/content-hash.ts';
import { syncDirectory, writeDurably } from '../../../files/durable-files.ts';
import { lockBackups } from '../folder.ts';
import {
  arePlainFactsWhole,
  encryptKeys,
  KEY_FILE,
  keyFilesIn,
  NEW_KEY_FILE,
  openKeys,
  PLAIN_FILE,
  plainCopiesIn,
  readPlain,
  rememberKeys,
  requirePassphrase,
  sealFolder,
  unlockFolder,
  writePlain,
  writePlainAgain,
} from './keys.ts';

export interface EncryptedFolder {
  recipient: string;
  /** False when the folder was encrypted before, and the site has learned its key. */
  isNew: boolean;
}

/**
 * Makes a new folder one of encrypted backups, or has the site learn the key of one that is.
 * @throws INVALID_INPUT, CONFLICT, PASSPHRASE_WRONG, FILE_DAMAGED
 */
export async function encryptFolder(directory: string, siteDir: string, passphrase: string): Promise<EncryptedFolder> {
  const isKnown = keyFilesIn(directory).length > 0;
  const { recipient, nameKey } = isKnown
    ? await unlockFolder(directory, passphrase)
    : await sealFolder(directory, siteDir, passphrase);
  if (isKnown) await rememberKeys(siteDir, { recipient, nameKey });
  return { recipient, isNew: !isKnown };
}

/**
 * Puts the key of a folder under another passphrase. Copies of the folder that are elsewhere keep the old one.
 * @throws INVALID_INPUT, PASSPHRASE_WRONG, FILE_DAMAGED, BACKUP_BUSY
 */
export async function changePassphrase(directory: string, passphrase: string, newPassphrase: string): Promise<void> {
  requirePassphrase(newPassphrase);
  const keys = await unlockFolder(directory, passphrase);
  const bytes = await encryptKeys(keys, newPassphrase);
  // The old key is not given up for one that cannot be read.
  const again = await openKeys(bytes, newPassphrase, KEY_FILE);
  if (again.identity !== keys.identity || again.nameKey !== keys.nameKey) {
    throw new OutpostError('FILE_DAMAGED', 'The new key could not be read back. The passphrase is as it was.');
  }
  const lock = await lockBackups(directory);
  try {
    const facts = await readPlain(directory);
    await writeDurably(join(directory, NEW_KEY_FILE), bytes);
    await syncDirectory(directory);
    // From here on the new passphrase counts.
    await writePlain(directory, { ...facts, keySha256: sha256Hex(bytes) });
    await syncDirectory(directory);
    await settleKeyFiles(directory);
  } finally {
    lock.release();
  }
}

/** Hashes of `key.age` and its copies, those that most of them have first. */
async function keyHashesIn(directory: string): Promise<string[]> {
  const counts = new Map<string, number>();
  for (const path of keyFilesIn(directory)) {
    const hash = sha256Hex(await readFile(path));
    counts.set(hash, (counts.get(hash) ?? 0) + 1);
  }
  return [...counts].sort(([, a], [, b]) => b - a).map(([hash]) => hash);
}

/** Which of the files with the keys of an encrypted folder are damaged. */
export async function damagedKeyFiles(directory: string, siteDir: string): Promise<string[]> {
  const hashes = await keyHashesIn(directory);
  const damaged: string[] = [];
  if (!(await arePlainFactsWhole(directory, siteDir, new Set(hashes)))) damaged.push(PLAIN_FILE);
  if (hashes.length !== 1 || (await stalePlainCopies(directory)).length > 0) damaged.push(KEY_FILE);
  return damaged;
}

/** Repairs `encryption.json`, `key.age` and its copies. The caller holds the lock. @throws FILE_DAMAGED */
export async function healKeyFiles(directory: string, siteDir: string): Promise<void> {
  const hashes = await keyHashesIn(directory);
  const [mostCommon] = hashes;
  if (mostCommon !== undefined && !(await arePlainFactsWhole(directory, siteDir, new Set(hashes))))
    await writePlainAgain(directory, siteDir, mostCommon);
  await settleKeyFiles(directory);
}

/** Copies of `encryption.json` in backups that differ from it. */
async function stalePlainCopies(directory: string): Promise<string[]> {
  const own = await readFile(join(directory, PLAIN_FILE)).catch(() => undefined);
  const stale: string[] = [];
  for (const path of plainCopiesIn(directory)) {
    const copy = await readFile(path).catch(() => undefined);
    if (own && !copy?.equals(own)) stale.push(path);
  }
  return stale;
}

/**
 * Compares `key.age` and its copies with their hash: finishes an interrupted change of the passphrase, and replaces a lost or damaged file
 * by a copy before the damage could spread to new backups. The caller holds the lock.
 * @throws FILE_DAMAGED when no copy is whole: a backup that nobody can restore is not made
 */
export async function settleKeyFiles(directory: string): Promise<void> {
  const facts = await readPlain(directory);
  const own = join(directory, KEY_FILE);
  const found = new Map<string, { bytes: Uint8Array; count: number }>();
  const files = new Map<string, string>();
  for (const path of keyFilesIn(directory)) {
    const bytes = await readFile(path);
    const hash = sha256Hex(bytes);
    files.set(path, hash);
    found.set(hash, { bytes, count: (found.get(hash)?.count ?? 0) + 1 });
  }
  // A folder of an earlier version does not say which it is: what most copies are.
  const [mostCommon] = [...found].sort(([, a], [, b]) => b.count - a.count);
  const wanted = facts.keySha256 ?? mostCommon?.[0];
  const whole = wanted === undefined ? undefined : found.get(wanted);
  if (wanted === undefined || !whole) {
    throw new OutpostError(
      'FILE_DAMAGED',
      `No backup was made: ${own} and its copies are missing or damaged, so nobody could restore it. Set up encryption again in an empty folder.`,
    );
  }
  for (const path of new Set([own, ...files.keys()])) {
    if (files.get(path) === wanted || basename(path) === NEW_KEY_FILE) continue;
    await writeDurably(path, whole.bytes);
    await syncDirectory(dirname(path));
  }
  if (facts.keySha256 === undefined) await writePlain(directory, { ...facts, keySha256: wanted });
  await rm(join(directory, NEW_KEY_FILE), { force: true });
  const text = await readFile(join(directory, PLAIN_FILE));
  for (const path of await stalePlainCopies(directory)) await writeDurably(path, text);
}
