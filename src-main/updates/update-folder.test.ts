import { createHash, generateKeyPairSync, type KeyObject } from 'node:crypto';
import {
  appendFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { makeUpdateKey, signUpdates } from '../../scripts/package/sign-updates.ts';
import type { RefusalReason } from './refusal.ts';
import { pinnedKey, signatureLines } from './signatures.ts';
import { type CheckedFolder, checkFolder, stageUpdate, verifyStaged } from './update-folder.ts';
import {
  compareVersions,
  type FoundUpdate,
  LIST_FILE,
  SIGNATURE_FILE,
  type ThisProgram,
  type UpdateList,
} from './update-list.ts';

const NAME = 'Outpost-1.2.0-linux-x64.AppImage';
const SCHEMA = { from: 10, to: 330 };

let root: string;
let folder: string;
let staged: string;
const [current, next, stranger] = [1, 2, 3].map(() => generateKeyPairSync('ed25519').privateKey) as [
  KeyObject,
  KeyObject,
  KeyObject,
];
const pinnedOf = (key: KeyObject) => pinnedKey(String(key.export({ type: 'pkcs8', format: 'pem' })));

const program: ThisProgram = {
  version: '1.1.0',
  platform: 'linux',
  arch: 'x64',
  schemaVersion: 320,
  keys: [current, next].map(pinnedOf),
};

beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), 'outpost-updates-'));
  folder = mkdtempSync(join(root, 'folder-'));
  staged = join(root, 'ready');
  writeFileSync(join(folder, NAME), Buffer.alloc(3_000_000, 'update '));
  await signUpdates(folder, { keys: [current], nowTs: 1000, schema: SCHEMA });
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const listOf = () => JSON.parse(readFileSync(join(folder, LIST_FILE), 'utf8')) as UpdateList;

/** Replaces the list, signed as a holder of the key would. */
const resign = (list: unknown, keys: KeyObject[] = [current]) => {
  const bytes = Buffer.from(typeof list === 'string' ? list : JSON.stringify(list));
  writeFileSync(join(folder, LIST_FILE), bytes);
  writeFileSync(join(folder, SIGNATURE_FILE), signatureLines(bytes, keys));
};
const withRelease = (change: (release: UpdateList['releases'][number]) => object) => {
  const list = listOf();
  resign({ ...list, releases: list.releases.map((release) => ({ ...release, ...change(release) })) });
};

/** The whole way of an update: checked, copied, judged again. */
const take = async (over: Partial<ThisProgram> = {}, newestTs = 0) => {
  const checked = await checkFolder(folder, { ...program, ...over }, newestTs);
  if (!checked.update) return undefined;
  await stageUpdate(checked as CheckedFolder & { update: FoundUpdate }, staged);
  return await verifyStaged(staged, checked.update.version, { ...program, ...over });
};

test('takes a signed update, and leaves one copy of exactly its bytes', async () => {
  const update = await take();
  expect(update?.version).toBe('1.2.0');
  expect(readFileSync(update!.path).equals(readFileSync(join(folder, NAME)))).toBe(true);
  expect(readdirSync(join(staged, '1.2.0')).sort()).toEqual([NAME, LIST_FILE, SIGNATURE_FILE].sort());
  // A newer one takes its place.
  writeFileSync(join(folder, 'Outpost-1.3.0-linux-x64.AppImage'), 'newer');
  const { releases } = await signUpdates(folder, { keys: [current], nowTs: 2000, schema: SCHEMA });
  expect(releases.map(({ version }) => version)).toEqual(['1.3.0', '1.2.0']);
  expect((await take())?.version).toBe('1.3.0');
  expect(readdirSync(staged)).toEqual(['1.3.0']);
});

test('says that a program of the newest version needs nothing', async () => {
  expect(await take({ version: '1.2.0' })).toBeUndefined();
});

test('trusts the next key alone, and the current one with a stranger beside it', async () => {
  const list = listOf();
  resign(list, [next]);
  expect((await take())?.version).toBe('1.2.0');
  resign(list, [stranger, current]);
  expect((await take())?.version).toBe('1.2.0');
});

interface Refusal {
  what: string;
  reason: RefusalReason;
  spoil: () => unknown;
  over?: Partial<ThisProgram>;
  newestTs?: number;
}

const REFUSALS: Refusal[] = [
  { what: 'a folder that is gone', reason: 'folder-missing', spoil: () => renameSync(folder, `${folder}-away`) },
  { what: 'a folder without a list', reason: 'no-list', spoil: () => rmSync(join(folder, LIST_FILE)) },
  { what: 'a list without a signature', reason: 'no-list', spoil: () => rmSync(join(folder, SIGNATURE_FILE)) },
  { what: 'a list that is too long', reason: 'list-unreadable', spoil: () => resign(' '.repeat(2 ** 20 + 1)) },
  { what: 'a signed list that is not JSON', reason: 'list-unreadable', spoil: () => resign('{"format":') },
  {
    what: 'a signed list of another form',
    reason: 'list-unreadable',
    spoil: () => resign({ ...listOf(), formatVersion: 2 }),
  },
  {
    what: 'a path out of the folder',
    reason: 'list-unreadable',
    spoil: () => withRelease(({ files }) => ({ files: files.map((file) => ({ ...file, name: '../outside' })) })),
  },
  { what: 'the key of a stranger', reason: 'not-signed', spoil: () => resign(listOf(), [stranger]) },
  { what: 'an empty signature', reason: 'not-signed', spoil: () => writeFileSync(join(folder, SIGNATURE_FILE), '') },
  {
    what: 'a list changed after it was signed',
    reason: 'signature-wrong',
    spoil: () => appendFileSync(join(folder, LIST_FILE), ' '),
  },
  {
    what: 'a stranger’s signature under the name of a pinned key',
    reason: 'signature-wrong',
    spoil: () => {
      const [, signature] = signatureLines(readFileSync(join(folder, LIST_FILE)), [stranger])
        .trim()
        .split(' ');
      writeFileSync(join(folder, SIGNATURE_FILE), `${pinnedOf(current).id} ${signature}\n`);
    },
  },
  {
    what: 'one wrong signature beside a right one',
    reason: 'signature-wrong',
    spoil: () => {
      const right = readFileSync(join(folder, SIGNATURE_FILE), 'utf8');
      writeFileSync(join(folder, SIGNATURE_FILE), `${right}${pinnedOf(next).id} ${right.split(' ')[1]}`);
    },
  },
  { what: 'another product', reason: 'other-product', spoil: () => resign({ ...listOf(), product: 'org.example' }) },
  { what: 'a list older than one seen before', reason: 'list-older', spoil: () => {}, newestTs: 1001 },
  { what: 'an older version', reason: 'version-older', spoil: () => {}, over: { version: '1.2.1' } },
  { what: 'another system', reason: 'other-computer', spoil: () => {}, over: { platform: 'win32' } },
  { what: 'another processor', reason: 'other-computer', spoil: () => {}, over: { arch: 'arm64' } },
  { what: 'a site too old for it', reason: 'schema-not-covered', spoil: () => {}, over: { schemaVersion: 5 } },
  { what: 'a site newer than it', reason: 'schema-not-covered', spoil: () => {}, over: { schemaVersion: 340 } },
  { what: 'a missing file', reason: 'file-missing', spoil: () => rmSync(join(folder, NAME)) },
  {
    what: 'a link to the right bytes',
    reason: 'file-not-plain',
    spoil: () => {
      renameSync(join(folder, NAME), join(root, NAME));
      symlinkSync(join(root, NAME), join(folder, NAME));
    },
  },
  {
    what: 'a link in place of the list',
    reason: 'file-not-plain',
    spoil: () => {
      renameSync(join(folder, LIST_FILE), join(root, LIST_FILE));
      symlinkSync(join(root, LIST_FILE), join(folder, LIST_FILE));
    },
  },
  { what: 'a longer file', reason: 'size-differs', spoil: () => appendFileSync(join(folder, NAME), 'x') },
  {
    what: 'a file of the right size with one other byte',
    reason: 'hash-differs',
    spoil: () => {
      const bytes = readFileSync(join(folder, NAME));
      bytes.writeUInt8(0, 2_000_000);
      writeFileSync(join(folder, NAME), bytes);
    },
  },
];

test.each(REFUSALS)('refuses $what', async ({ reason, spoil, over, newestTs }) => {
  await spoil();
  await expect(take(over, newestTs)).rejects.toMatchObject({ reason });
  expect(existsSync(join(staged, '1.2.0', NAME)), 'nothing is left to install').toBe(false);
});

test('installs what was checked, whatever becomes of the folder, and notices a change of its own copy', async () => {
  const checked = (await checkFolder(folder, program)) as CheckedFolder & { update: FoundUpdate };
  // Between the check and the copy the folder is given another update, which is signed too.
  writeFileSync(join(folder, NAME), Buffer.alloc(3_000_000, 'other bytes '));
  await signUpdates(folder, { keys: [current], nowTs: 2000, schema: SCHEMA });
  await expect(stageUpdate(checked, staged)).rejects.toMatchObject({ reason: 'hash-differs' });

  const again = await take();
  rmSync(folder, { recursive: true });
  expect((await verifyStaged(staged, '1.2.0', program)).path).toBe(again?.path);
  appendFileSync(again!.path, 'x');
  await expect(verifyStaged(staged, '1.2.0', program)).rejects.toMatchObject({ reason: 'size-differs' });
});

test('a copy that a power cut ended does not count, and the next one replaces it', async () => {
  const checked = (await checkFolder(folder, program)) as CheckedFolder & { update: FoundUpdate };
  let copiedBytes = 0;
  await expect(
    stageUpdate(checked, staged, (done) => {
      copiedBytes = done;
      if (done > 1_000_000) throw new Error('The power fails.');
    }),
  ).rejects.toThrow('The power fails.');
  expect(copiedBytes).toBeLessThan(3_000_000);
  await expect(verifyStaged(staged, '1.2.0', program)).rejects.toMatchObject({ reason: 'no-list' });
  // As a cut leaves it: half a copy under its temporary name, and one under the right name whose bytes never reached the disk.
  writeFileSync(join(staged, '1.2.0', `${NAME}.partial`), 'half');
  writeFileSync(join(staged, '1.2.0', NAME), Buffer.alloc(3_000_000));
  const { path } = await stageUpdate(checked, staged);
  expect(createHash('sha512').update(readFileSync(path)).digest('base64')).toBe(checked.update.file.sha512);
  expect((await verifyStaged(staged, '1.2.0', program)).version).toBe('1.2.0');
  expect(readdirSync(join(staged, '1.2.0'))).not.toContain(`${NAME}.partial`);
});

test('orders versions by number, a pre-release before its release', () => {
  expect(['1.10.0', '1.9.9', '2.0.0', '1.10.0-beta.1'].sort(compareVersions)).toEqual([
    '1.9.9',
    '1.10.0-beta.1',
    '1.10.0',
    '2.0.0',
  ]);
});

test('a private key is made for its owner alone, never in a repository', () => {
  const path = join(root, 'update.key');
  makeUpdateKey(path);
  expect(pinnedKey(readFileSync(`${path}.pub`, 'utf8')).id).toBe(pinnedKey(readFileSync(path, 'utf8')).id);
  expect(() => makeUpdateKey(path)).toThrow('EEXIST');
  expect(() => makeUpdateKey(join(import.meta.dirname, 'update.key'))).toThrow('is a repository');
});
