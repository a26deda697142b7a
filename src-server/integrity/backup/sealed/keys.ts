/**
 * The keys of an encrypted folder of backups (decision 0030). `key.age` in the folder holds them under the passphrase. The site keeps
 * only what making a backup needs: the public recipient and the key of the names. Neither opens anything.
 *
 * The site never encrypts to a recipient that it reads from the folder, where anyone with the disk could put another.
 */
import { createHmac, randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { OutpostError, toOutpostError } from '../../../errors.ts';
import { syncDirectory, writeDurably } from '../../../files/durable-files.ts';
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
const PLAIN_FILE = 'encryption.json';
const MIN_PASSPHRASE = 10;

const plainSchema = z.object({ format: z.literal(1), recipient: z.string() });
const siteKeysSchema = z.object({
  sets: z.array(z.object({ recipient: z.string(), nameKey: z.string().regex(/^[0-9a-f]{64}$/) })),
});

export function isSealedFolder(directory: string): boolean {
  return existsSync(join(directory, KEY_FILE));
}

export function isSealedBackup(path: string): boolean {
  return existsSync(join(path, SEALED_MANIFEST));
}

/** The name of a piece: equal content has one name within a folder, and nothing outside of it. */
export function sealedName({ nameKey }: SealingKeys, sha256: string): string {
  return createHmac('sha256', Buffer.from(nameKey, 'hex')).update(sha256).digest('hex');
}

/**
 * Makes a new folder of encrypted backups, and has the site remember it.
 * @throws INVALID_INPUT for a short passphrase; CONFLICT where the folder has backups already
 */
export async function sealFolder(directory: string, siteDir: string, passphrase: string): Promise<void> {
  if (passphrase.length < MIN_PASSPHRASE) {
    throw new OutpostError(
      'INVALID_INPUT',
      `A passphrase has at least ${MIN_PASSPHRASE} characters. Several words are best.`,
    );
  }
  const names = await readdir(directory).catch(() => []);
  if (names.some((name) => name.startsWith('backup-') || name === 'files' || name === KEY_FILE)) {
    throw new OutpostError(
      'CONFLICT',
      `${directory} has backups already. Choose an empty folder for encrypted ones; the others stay as they are.`,
    );
  }
  const keys = { ...(await newAgeKeys()), nameKey: randomBytes(32).toString('hex') };
  await mkdir(directory, { recursive: true, mode: 0o700 });
  await rememberKeys(siteDir, keys);
  await writeDurably(join(directory, PLAIN_FILE), `${JSON.stringify({ format: 1, recipient: keys.recipient })}\n`);
  // Last: a folder without it is not encrypted.
  await writeDurably(join(directory, KEY_FILE), await encryptWithPassphrase(passphrase, keyText(keys)));
  await syncDirectory(directory);
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
    `The backups in ${directory} are encrypted, and this site does not know their key. Run \`outpost backup --encrypt\` once with their passphrase, or choose another folder.`,
  );
}

async function readPlain(directory: string): Promise<z.output<typeof plainSchema>> {
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

/** Opens the keys of a folder with its passphrase. Each backup has a copy, for when the first is damaged. @throws PASSPHRASE_WRONG, FILE_DAMAGED */
export async function unlockFolder(directory: string, passphrase: string): Promise<OpeningKeys> {
  const backups = (await readdir(directory)).filter((name) => name.startsWith('backup-'));
  const places = [directory, ...backups.map((name) => join(directory, name))];
  let problem: OutpostError | undefined;
  for (const place of places) {
    const path = join(place, KEY_FILE);
    if (!existsSync(path)) continue;
    try {
      return parseKeys(await decryptWithPassphrase(passphrase, await readFile(path), path), path);
    } catch (thrown) {
      const error = toOutpostError(thrown);
      if (error.code !== 'FILE_DAMAGED') throw error;
      problem ??= error;
    }
  }
  throw problem ?? new OutpostError('FILE_DAMAGED', `There is no ${KEY_FILE} in ${directory}.`);
}

function parseKeys(text: string, path: string): OpeningKeys {
  const nameKey = /^# name-key: ([0-9a-f]{64})$/m.exec(text)?.[1];
  const recipient = /^# public key: (age1\S+)$/m.exec(text)?.[1];
  const identity = /^AGE-SECRET-KEY-1\S+$/m.exec(text)?.[0];
  if (nameKey && recipient && identity) return { nameKey, recipient, identity };
  throw new OutpostError('FILE_DAMAGED', `${path} does not hold the keys of a folder of backups.`);
}
