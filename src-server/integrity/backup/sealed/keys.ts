/**
 * The keys of an encrypted folder of backups (decision 0030). `key.age` in the folder holds them under the passphrase. The site keeps
 * only what making a backup needs: the public recipient and the key of the names. Neither opens anything.
 *
 * The site never encrypts to a recipient that it reads from the folder, where anyone with the disk could put another.
 */
import { createHmac, randomBytes } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { OutpostError, toOutpostError } from '../../../errors.ts';
import { sha256Hex } from '../../../files/content-hash.ts';
import { makeDirectoryDurably, syncDirectory, writeDurably } from '../../../files/durable-files.ts';
import { decryptWithPassphrase, encryptWithPassphrase, newAgeKeys } from '../../../secrets/age-files.ts';
import { SITE_KEYS_FILE } from '../../site-file.ts';
import { SEALED_MANIFEST } from '../manifest.ts';

/** What making a backup needs. */
export interface SealingKeys {
  recipient: string;
  /** In hex. Without it, nobody can tell from a name which content a piece has. */
  nameKey: string;
}

/** What reading one needs too. */
export interface OpeningKeys extends SealingKeys {
  identity: string;
}

export const KEY_FILE = 'key.age';
/** While the passphrase is changed. */
export const NEW_KEY_FILE = 'key.age.new';
export const PLAIN_FILE = 'encryption.json';
export const MIN_PASSPHRASE = 10;

const sha256 = z.string().regex(/^[0-9a-f]{64}$/);
/** `keySha256` is what `key.age` and its copies have to be; earlier versions did not write it. */
const plainSchema = z.object({ format: z.literal(1), recipient: z.string(), keySha256: sha256.optional() });
export type PlainFacts = z.output<typeof plainSchema>;
const siteKeysSchema = z.object({
  sets: z.array(z.object({ recipient: z.string(), nameKey: z.string().regex(/^[0-9a-f]{64}$/) })),
});

/** Also when some of its own files are lost: an open backup must never be made among encrypted ones. */
export function isSealedFolder(directory: string): boolean {
  return existsSync(join(directory, KEY_FILE)) || existsSync(join(directory, PLAIN_FILE)) || hasSealedBackup(directory);
}

function hasSealedBackup(directory: string): boolean {
  return backupsIn(directory).some(isSealedBackup);
}

function backupsIn(directory: string): string[] {
  if (!existsSync(directory)) return [];
  return readdirSync(directory)
    .filter((name) => name.startsWith('backup-'))
    .map((name) => join(directory, name));
}

/** Places of the keys of a folder: its own file, then the copies in its backups. */
export function keyFilesIn(directory: string): string[] {
  const copies = backupsIn(directory).sort().reverse();
  return [
    join(directory, KEY_FILE),
    ...copies.map((path) => join(path, KEY_FILE)),
    join(directory, NEW_KEY_FILE),
  ].filter((path) => existsSync(path));
}

/** The copies of `encryption.json` in the backups of a folder. */
export function plainCopiesIn(directory: string): string[] {
  return backupsIn(directory)
    .map((path) => join(path, PLAIN_FILE))
    .filter((path) => existsSync(path));
}

export function isSealedBackup(path: string): boolean {
  return existsSync(join(path, SEALED_MANIFEST));
}

/** The name of a piece: equal content has one name within a folder, and nothing outside of it. */
export function sealedName({ nameKey }: SealingKeys, sha256: string): string {
  return createHmac('sha256', Buffer.from(nameKey, 'hex')).update(sha256).digest('hex');
}

/** @throws INVALID_INPUT for a short passphrase */
export function requirePassphrase(passphrase: string): void {
  if (passphrase.length >= MIN_PASSPHRASE) return;
  throw new OutpostError(
    'INVALID_INPUT',
    `A passphrase has at least ${MIN_PASSPHRASE} characters. Several words are best.`,
  );
}

/**
 * Makes a new folder of encrypted backups, and has the site remember it.
 * @throws INVALID_INPUT for a short passphrase; CONFLICT where the folder has backups already
 */
export async function sealFolder(directory: string, siteDir: string, passphrase: string): Promise<SealingKeys> {
  requirePassphrase(passphrase);
  const names = await readdir(directory).catch(() => []);
  if (names.some((name) => name.startsWith('backup-') || name === 'files' || name === KEY_FILE)) {
    throw new OutpostError(
      'CONFLICT',
      `${directory} has backups already. Choose an empty folder for encrypted ones; the others stay as they are.`,
    );
  }
  const keys = { ...(await newAgeKeys()), nameKey: randomBytes(32).toString('hex') };
  await makeDirectoryDurably(directory, 0o700);
  await rememberKeys(siteDir, keys);
  const keyFile = await encryptKeys(keys, passphrase);
  await writePlain(directory, { format: 1, recipient: keys.recipient, keySha256: sha256Hex(keyFile) });
  // Last: without it, the folder can be set up again, and no backup is made there.
  await writeDurably(join(directory, KEY_FILE), keyFile);
  await syncDirectory(directory);
  return { recipient: keys.recipient, nameKey: keys.nameKey };
}

/** The content of `key.age`. */
export async function encryptKeys(keys: OpeningKeys, passphrase: string): Promise<Uint8Array> {
  return await encryptWithPassphrase(passphrase, keyText(keys));
}

/** An identity file as the `age` program reads it. */
function keyText({ identity, recipient, nameKey }: OpeningKeys): string {
  return `# Outpost: key of a folder of backups\n# name-key: ${nameKey}\n# public key: ${recipient}\n${identity}\n`;
}

/** The keys for a backup to a folder. Undefined for one that is not encrypted. @throws BACKUP_ENCRYPTED when the site has none for it */
export async function sealingKeysOf(directory: string, siteDir: string): Promise<SealingKeys | undefined> {
  if (!isSealedFolder(directory)) return undefined;
  const { recipient } = await readPlain(directory);
  const keys = (await siteKeys(siteDir)).find((set) => set.recipient === recipient);
  if (keys) return keys;
  throw new OutpostError(
    'BACKUP_ENCRYPTED',
    `The backups in ${directory} are encrypted, and this site does not know their key. Enter their passphrase once on the Backups page or with \`outpost backup --encrypt\`, or choose another folder.`,
  );
}

/** For whom this site encrypts in a folder; undefined when it does not, or cannot. */
export async function knownRecipient(directory: string, siteDir: string): Promise<string | undefined> {
  try {
    return (await sealingKeysOf(directory, siteDir))?.recipient;
  } catch {
    return undefined;
  }
}

export async function writePlain(directory: string, facts: PlainFacts): Promise<void> {
  await writeDurably(join(directory, PLAIN_FILE), `${JSON.stringify(facts)}\n`);
}

/** @throws FILE_DAMAGED */
export async function readPlain(directory: string): Promise<PlainFacts> {
  try {
    return plainSchema.parse(JSON.parse(await readFile(join(directory, PLAIN_FILE), 'utf8')));
  } catch (thrown) {
    throw new OutpostError(
      'FILE_DAMAGED',
      `${join(directory, PLAIN_FILE)} is damaged. Run \`outpost backup --encrypt\` with the passphrase and a new folder.`,
      { cause: thrown },
    );
  }
}

/**
 * Whether `encryption.json` is what was written: in its form, for a recipient that the site knows, and of keys that are there.
 * @param keyHashes of `key.age` and its copies
 */
export async function arePlainFactsWhole(
  directory: string,
  siteDir: string,
  keyHashes: ReadonlySet<string>,
): Promise<boolean> {
  try {
    const text = await readFile(join(directory, PLAIN_FILE), 'utf8');
    const facts = plainSchema.parse(JSON.parse(text));
    const known = await siteKeys(siteDir);
    const isKnown = known.length === 0 || known.some(({ recipient }) => recipient === facts.recipient);
    const isOfKeys = facts.keySha256 === undefined || keyHashes.has(facts.keySha256);
    return isKnown && isOfKeys && text === `${JSON.stringify(facts)}\n`;
  } catch {
    return false;
  }
}

/**
 * Writes a damaged `encryption.json` again, for the recipient that the copies in its backups name. The caller holds the lock.
 * @param keySha256 of the keys as most copies have them
 * @throws FILE_DAMAGED when it is not known for whom the folder is encrypted
 */
export async function writePlainAgain(directory: string, siteDir: string, keySha256: string): Promise<void> {
  const known = await siteKeys(siteDir);
  const copies = await Promise.all(backupsIn(directory).map((path) => readPlain(path).catch(() => undefined)));
  const recipient =
    copies.find((copy) => copy && known.some((set) => set.recipient === copy.recipient))?.recipient ??
    (known.length === 1 ? known[0]?.recipient : undefined);
  if (recipient === undefined)
    throw new OutpostError(
      'FILE_DAMAGED',
      `${join(directory, PLAIN_FILE)} is damaged, and no copy says for whom its backups are encrypted. Enter the passphrase once on the Backups page.`,
    );
  await writePlain(directory, { format: 1, recipient, keySha256 });
}

async function siteKeys(siteDir: string): Promise<SealingKeys[]> {
  const path = join(siteDir, SITE_KEYS_FILE);
  if (!existsSync(path)) return [];
  try {
    return siteKeysSchema.parse(JSON.parse(await readFile(path, 'utf8'))).sets;
  } catch {
    return [];
  }
}

export async function rememberKeys(siteDir: string, { recipient, nameKey }: SealingKeys): Promise<void> {
  const others = (await siteKeys(siteDir)).filter((set) => set.recipient !== recipient);
  const text = `${JSON.stringify({ sets: [{ recipient, nameKey }, ...others] })}\n`;
  await writeDurably(join(siteDir, SITE_KEYS_FILE), text, 0o600);
}

/**
 * Opens the keys of a folder with its passphrase. Each backup has a copy, for when the first is damaged: some damage looks like
 * another passphrase, so copies that differ are tried too.
 * @throws PASSPHRASE_WRONG, FILE_DAMAGED
 */
export async function unlockFolder(directory: string, passphrase: string): Promise<OpeningKeys> {
  const tried = new Set<string>();
  let problem: OutpostError | undefined;
  for (const path of keyFilesIn(directory)) {
    const bytes = await readFile(path);
    const hash = sha256Hex(bytes);
    if (tried.has(hash)) continue;
    tried.add(hash);
    try {
      return await openKeys(bytes, passphrase, path);
    } catch (thrown) {
      const error = toOutpostError(thrown);
      if (error.code !== 'FILE_DAMAGED' && error.code !== 'PASSPHRASE_WRONG') throw error;
      if (problem?.code !== 'PASSPHRASE_WRONG') problem = error;
    }
  }
  throw problem ?? new OutpostError('FILE_DAMAGED', `There is no ${KEY_FILE} in ${directory}.`);
}

/** Opens the content of a `key.age`. @throws PASSPHRASE_WRONG, FILE_DAMAGED */
export async function openKeys(bytes: Uint8Array, passphrase: string, path: string): Promise<OpeningKeys> {
  return parseKeys(await decryptWithPassphrase(passphrase, bytes, path), path);
}

function parseKeys(text: string, path: string): OpeningKeys {
  const nameKey = /^# name-key: ([0-9a-f]{64})$/m.exec(text)?.[1];
  const recipient = /^# public key: (age1\S+)$/m.exec(text)?.[1];
  const identity = /^AGE-SECRET-KEY-1\S+$/m.exec(text)?.[0];
  if (nameKey && recipient && identity) return { nameKey, recipient, identity };
  throw new OutpostError('FILE_DAMAGED', `${path} does not hold the keys of a folder of backups.`);
}
