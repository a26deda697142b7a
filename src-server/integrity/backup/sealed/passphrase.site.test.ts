import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { sha256Hex } from '../../../files/content-hash.ts';
import { makeTestSite, type TestSite } from '../../../testing/test-site.ts';
import { makeBackup } from '../make.ts';
import { restoreSite } from '../restore.ts';
import { isSealedFolder, KEY_FILE, keyFilesIn, knownRecipient, unlockFolder } from './keys.ts';
import { changePassphrase, encryptFolder } from './passphrase.ts';

const FIRST = 'correct horse battery staple';
const SECOND = 'another eight words on paper';

let site: TestSite;
let parent: string;
let to: string;
let recipient: string;
const backUp = () => makeBackup({ siteDir: site.dir, to, reason: 'manual', nowTs: Date.now(), recipient });

const own = () => join(to, KEY_FILE);

beforeAll(async () => {
  site = await makeTestSite();
  parent = await mkdtemp(join(tmpdir(), 'outpost-passphrase-'));
  to = join(parent, 'backups');
  ({ recipient } = await encryptFolder(to, site.dir, FIRST));
  await backUp();
});
afterAll(async () => {
  await site.remove();
  await rm(parent, { recursive: true, force: true });
});

it('changes the passphrase of all backups of a folder, and the next backup needs none', async () => {
  await expect(changePassphrase(to, FIRST, 'too short')).rejects.toMatchObject({ code: 'INVALID_INPUT' });
  await changePassphrase(to, FIRST, SECOND);
  expect(keyFilesIn(to)).toHaveLength(2);
  for (const path of keyFilesIn(to)) expect(readFileSync(path)).toEqual(readFileSync(own()));
  await expect(unlockFolder(to, FIRST)).rejects.toMatchObject({ code: 'PASSPHRASE_WRONG' });
  await backUp();
  const dir = join(parent, 'restored');
  expect(await restoreSite(to, dir, { askPassphrase: async () => SECOND })).toMatchObject({ outcome: 'complete' });
});

it('finishes a change that a crash interrupted, or forgets it, with the next backup', async () => {
  const present = readFileSync(own());
  const facts = JSON.parse(readFileSync(join(to, 'encryption.json'), 'utf8')) as object;
  const next = Buffer.from(`another key ${present.toString('latin1')}`);
  // Before it counted.
  writeFileSync(join(to, 'key.age.new'), next);
  await backUp();
  for (const path of keyFilesIn(to)) expect(readFileSync(path)).toEqual(present);
  // After it counted, before any file was replaced.
  writeFileSync(join(to, 'key.age.new'), next);
  writeFileSync(join(to, 'encryption.json'), JSON.stringify({ ...facts, keySha256: sha256Hex(next) }));
  await backUp();
  for (const path of keyFilesIn(to)) expect(readFileSync(path)).toEqual(next);
  expect(readdirSync(to)).not.toContain('key.age.new');
  for (const path of keyFilesIn(to)) writeFileSync(path, present);
  writeFileSync(join(to, 'encryption.json'), JSON.stringify(facts));
});

it('replaces a damaged or lost key by a copy, and never gives the damage to a new backup', async () => {
  const whole = readFileSync(own());
  const damaged = Buffer.from(whole);
  damaged[30]! ^= 1;
  for (const isOlder of [false, true]) {
    const facts = JSON.parse(readFileSync(join(to, 'encryption.json'), 'utf8')) as { keySha256?: string };
    if (isOlder) writeFileSync(join(to, 'encryption.json'), JSON.stringify({ ...facts, keySha256: undefined }));
    writeFileSync(own(), damaged);
    await backUp();
    for (const path of keyFilesIn(to)) expect(readFileSync(path)).toEqual(whole);
  }
  rmSync(own());
  expect(isSealedFolder(to)).toBe(true);
  await backUp();
  expect(readFileSync(own())).toEqual(whole);
  const before = readdirSync(to);
  for (const path of keyFilesIn(to)) writeFileSync(path, damaged);
  await expect(backUp()).rejects.toMatchObject({ code: 'FILE_DAMAGED' });
  expect(readdirSync(to)).toEqual(before);
  for (const path of keyFilesIn(to)) writeFileSync(path, whole);
});

it('never makes an open backup in a folder or in place of one that is encrypted', async () => {
  const settings = readFileSync(join(to, 'encryption.json'));
  rmSync(join(to, 'encryption.json'));
  await expect(backUp()).rejects.toMatchObject({ code: 'FILE_DAMAGED' });
  writeFileSync(join(to, 'encryption.json'), settings);
  // Another disk at the same place: empty, or encrypted for somebody else.
  const other = join(parent, 'other');
  const request = { siteDir: site.dir, to: other, reason: 'scheduled', nowTs: Date.now(), recipient } as const;
  await expect(makeBackup(request)).rejects.toMatchObject({ code: 'BACKUP_ENCRYPTED' });
  expect(existsSync(other)).toBe(false);
  const second = await encryptFolder(other, site.dir, SECOND);
  expect(second.isNew).toBe(true);
  expect(second.recipient).not.toBe(recipient);
  await expect(makeBackup(request)).rejects.toMatchObject({ code: 'BACKUP_ENCRYPTED' });
});

it('teaches a site that lost the keys, or another one, with the passphrase', async () => {
  rmSync(join(site.dir, 'backup-keys.json'));
  expect(await knownRecipient(to, site.dir)).toBeUndefined();
  await expect(backUp()).rejects.toMatchObject({ code: 'BACKUP_ENCRYPTED' });
  expect(await encryptFolder(to, site.dir, SECOND)).toEqual({ recipient, isNew: false });
  await backUp();
});
