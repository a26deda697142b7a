/**
 * Signs a folder of installers, from which the desktop program updates itself, and makes the keys. Run as a script:
 * `sign-updates.ts new-key <file>` makes a private key and `<file>.pub`; `sign-updates.ts <folder> --key <file> [--key <file>]
 * [--notes-en <text> --notes-ja <text>]` writes the signed list of the installers that lie there.
 */
import { createHash, createPrivateKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { signatureLines } from '../../src-main/updates/signatures.ts';
import {
  compareVersions,
  LIST_FILE,
  PRODUCT,
  type Release,
  type ReleaseFile,
  SIGNATURE_FILE,
  type UpdateList,
} from '../../src-main/updates/update-list.ts';
import { MIGRATIONS } from '../../src-server/db/migrations/index.ts';
import { writeDurably } from '../../src-server/files/durable-files.ts';

/** Names that `desktop.ts` gives to installers. */
const INSTALLER = /^Outpost-(\d+\.\d+\.\d+)-(linux|win|mac)-(x64|x86_64|arm64)\.(AppImage|exe|zip)$/;
const PLATFORMS = { linux: 'linux', win: 'win32', mac: 'darwin' } as const;

export interface SignOptions {
  keys: readonly KeyObject[];
  nowTs: number;
  notes?: Release['notes'];
  /** Schemas of a site that these releases open; default: those of this checkout. */
  schema?: Release['schema'];
}

/** The installers of a folder by version. */
function installersIn(folder: string): Map<string, ReleaseFile[]> {
  const found = new Map<string, ReleaseFile[]>();
  for (const name of readdirSync(folder).sort()) {
    const [, version, system, processor] = INSTALLER.exec(name) ?? [];
    if (version === undefined) continue;
    const bytes = readFileSync(join(folder, name));
    const file: ReleaseFile = {
      platform: PLATFORMS[system as keyof typeof PLATFORMS],
      arch: processor === 'arm64' ? 'arm64' : 'x64',
      name,
      sizeBytes: bytes.length,
      sha512: createHash('sha512').update(bytes).digest('base64'),
    };
    found.set(version, [...(found.get(version) ?? []), file]);
  }
  return found;
}

/** What an earlier list says of a version; this checkout knows only its own schema. */
function releasesBefore(folder: string): Release[] {
  const path = join(folder, LIST_FILE);
  return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as UpdateList).releases : [];
}

/**
 * Writes the list of a folder and its signatures. Older installers that still lie there stay in the list: they are the way back.
 * @throws Error without an installer, or when the folder holds a version that an earlier list does not describe
 */
export async function signUpdates(folder: string, { keys, nowTs, notes, schema }: SignOptions): Promise<UpdateList> {
  if (keys.length === 0) throw new Error('Name a private key.');
  const before = releasesBefore(folder);
  const versions = [...installersIn(folder)].sort(([a], [b]) => compareVersions(b, a));
  if (versions.length === 0) throw new Error(`${folder} holds no installer such as Outpost-1.2.3-linux-x64.AppImage.`);
  const releases = versions.map(([version, files], index): Release => {
    const known = before.find((release) => release.version === version);
    if (!known && index > 0) {
      throw new Error(
        `Version ${version} is older than ${versions[0]?.[0]} and no list describes it. Sign it first, alone.`,
      );
    }
    if (known) return { ...known, files };
    const own = schema ?? { from: MIGRATIONS[0]?.version ?? 0, to: MIGRATIONS.at(-1)?.version ?? 0 };
    return { version, releasedTs: nowTs, schema: own, ...(notes && { notes }), files };
  });
  const list: UpdateList = {
    format: 'outpost-updates',
    formatVersion: 1,
    product: PRODUCT,
    createdTs: nowTs,
    releases,
  };
  const bytes = Buffer.from(`${JSON.stringify(list, null, 2)}\n`);
  await writeDurably(join(folder, LIST_FILE), bytes);
  await writeDurably(join(folder, SIGNATURE_FILE), signatureLines(bytes, keys));
  return list;
}

/** Makes a private key and its public half. @throws Error for a place that is in a repository, or exists */
export function makeUpdateKey(path: string): void {
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    if (existsSync(join(folder, '.git')))
      throw new Error(`${folder} is a repository. A private key must not lie in one.`);
    if (folder === dirname(folder)) break;
  }
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  writeFileSync(path, privateKey.export({ type: 'pkcs8', format: 'pem' }), { mode: 0o600, flag: 'wx' });
  writeFileSync(`${path}.pub`, publicKey.export({ type: 'spki', format: 'pem' }), { flag: 'wx' });
}

/** @throws Error for a key that others may read */
async function privateKeyIn(path: string): Promise<KeyObject> {
  if (process.platform !== 'win32' && (statSync(path).mode & 0o077) !== 0) {
    throw new Error(`Others can read ${path}. Run "chmod 600" on it first.`);
  }
  return createPrivateKey(await readFile(path));
}

if (import.meta.main) {
  const { values, positionals } = parseArgs({
    options: {
      key: { type: 'string', multiple: true, default: [] },
      'notes-en': { type: 'string' },
      'notes-ja': { type: 'string' },
    },
    allowPositionals: true,
  });
  const [first, second] = positionals;
  if (first === 'new-key' && second) {
    makeUpdateKey(resolve(second));
    process.stdout.write(`${resolve(second)}\n${resolve(second)}.pub\n`);
  } else if (first) {
    const keys = await Promise.all(values.key.map(privateKeyIn));
    const en = values['notes-en'];
    const notes = en === undefined ? {} : { notes: { en, ja: values['notes-ja'] ?? en } };
    const list = await signUpdates(resolve(first), { keys, nowTs: Date.now(), ...notes });
    for (const { version, files } of list.releases) {
      process.stdout.write(`${version}: ${files.map(({ name }) => name).join(', ')}\n`);
    }
  } else throw new Error('Name a folder with installers, or "new-key" and a file.');
}
