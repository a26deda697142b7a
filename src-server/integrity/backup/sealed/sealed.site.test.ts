import { execFile, execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openSite } from '../../../site/folder.ts';
import { addTestRecording } from '../../../testing/test-recording.ts';
import { makeTestSite, OUTPOST_COMMAND, type TestSite } from '../../../testing/test-site.ts';
import { verifySite } from '../../verify.ts';
import { listBackups, removeBackups } from '../folder.ts';
import { makeBackup } from '../make.ts';
import { restoreSite } from '../restore.ts';
import { isSealedFolder, sealFolder, sealingKeysOf, unlockFolder } from './keys.ts';
import { checkStored, sealedBytes } from './stored.ts';

const PASSPHRASE = 'correct horse battery staple';
const SECONDS = 3000;

let site: TestSite;
let parent: string;
let to: string;
const backUp = (siteDir = site.dir) => makeBackup({ siteDir, to, reason: 'manual', nowTs: Date.now() });

beforeAll(async () => {
  site = await makeTestSite();
  parent = await mkdtemp(join(tmpdir(), 'outpost-sealed-'));
  to = join(parent, 'backups');
  const folder = await openSite(site.dir);
  const place = { studyId: site.studyId, subjectId: site.subjectIds[0]! };
  // Samples that do not compress, so that the file is larger than what is encrypted in one call.
  let state = 1;
  const ecgCount = () => {
    state = (state * 48_271) % 2_147_483_647;
    return (state % 60_000) - 30_000;
  };
  const { id } = await addTestRecording(folder.store, folder.signalsDir, place, { durationSeconds: SECONDS, ecgCount });
  expect(statSync(join(folder.signalsDir, `${id}.sig`)).size).toBeGreaterThan(2 ** 20);
  await addTestRecording(folder.store, folder.signalsDir, place, { startUs: 3600e6 });
  await folder.close();
  await sealFolder(to, site.dir, PASSPHRASE);
  await backUp();
});
afterAll(async () => {
  await site.remove();
  await rm(parent, { recursive: true, force: true });
});

const filesIn = (folder: string) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));

it('shows nothing of the site to somebody with the disk', async () => {
  const siteId = (JSON.parse(readFileSync(join(site.dir, 'site.json'), 'utf8')) as { urlSigningKey: string })
    .urlSigningKey;
  for (const path of filesIn(to)) {
    // An empty SQLite file, which holds the lock.
    if (path.endsWith('backups.lock')) continue;
    const bytes = readFileSync(path).toString('latin1');
    for (const secret of ['Test clinic', 'Subject 1', 'SQLite format', site.subjectIds[0]!, siteId])
      expect(bytes.includes(secret), `${secret} in ${path}`).toBe(false);
  }
  // The hash of content that somebody has tells no name.
  const keys = await sealingKeysOf(to, site.dir);
  expect(filesIn(to).some((path) => readFileSync(path).toString('latin1').includes(keys!.nameKey))).toBe(false);
});

it('adds only what changed, and removes what no backup needs', async () => {
  const folder = await openSite(site.dir);
  await folder.store.settings.set('clock.steps', [{ fromTs: 1, toTs: 2 }], { actor: { type: 'SYSTEM' } } as never);
  await folder.close();
  const second = await backUp();
  expect(second.outcome).toBe('complete');
  expect(second.newBytes).toBeLessThan(second.sizeBytes / 4);
  const [newest, oldest] = await listBackups(to);
  expect(newest).toMatchObject({ id: second.id, summary: { isEncrypted: true, countRecordings: 2 } });
  const before = filesIn(join(to, 'files')).length;
  await removeBackups(to, [oldest!.id]);
  expect(filesIn(join(to, 'files')).length).toBeLessThan(before);
  expect(await checkStored(newest!.path, to, {})).toEqual([]);
});

it('restores with the passphrase alone, and the restored site adds to the same folder', async () => {
  const dir = join(parent, 'restored');
  await expect(restoreSite(to, dir)).rejects.toMatchObject({ code: 'BACKUP_ENCRYPTED' });
  await expect(restoreSite(to, dir, { askPassphrase: async () => 'another passphrase' })).rejects.toMatchObject({
    code: 'PASSPHRASE_WRONG',
  });
  expect(existsSync(dir)).toBe(false);
  const restored = await restoreSite(to, dir, { askPassphrase: async () => PASSPHRASE });
  expect(restored).toMatchObject({ outcome: 'complete', recordings: 2 });
  expect((await verifySite(dir)).problems).toEqual([]);
  const again = await backUp(dir);
  expect(again.newBytes).toBeLessThan(again.sizeBytes / 4);
});

it('finds a changed bit without the key, and does not restore it as if it were whole', async () => {
  const [newest] = await listBackups(to);
  const signal = filesIn(join(to, 'files')).sort((a, b) => statSync(b).size - statSync(a).size)[0]!;
  const whole = readFileSync(signal);
  const damaged = Buffer.from(whole);
  damaged[damaged.length >> 1]! ^= 1;
  writeFileSync(signal, damaged);
  expect(await checkStored(newest!.path, to, {})).toMatchObject([{ code: 'BACKUP_FILE_CHANGED' }]);
  const dir = join(parent, 'partly');
  const restored = await restoreSite(to, dir, { askPassphrase: async () => PASSPHRASE });
  writeFileSync(signal, whole);
  expect(restored).toMatchObject({ outcome: 'incomplete', lost: [{ state: 'MISSING' }] });
});

it('predicts the size of an encrypted piece', async () => {
  const sizes = new Set(filesIn(join(to, 'files')).map((path) => statSync(path).size));
  expect(sizes).toContain(sealedBytes(16_384));
});

it('takes the passphrase from a file, never from an argument, and refuses a folder with open backups', async () => {
  const file = join(parent, 'passphrase');
  writeFileSync(file, `${PASSPHRASE}\n`, { mode: 0o600 });
  const run = promisify(execFile);
  const other = join(parent, 'by-command');
  const words = ['backup', '--data', site.dir, '--to', other, '--encrypt', '--passphrase-file', file, '--json'];
  const { stdout, stderr } = await run(process.execPath, [OUTPOST_COMMAND, ...words]);
  expect(stdout + stderr).not.toContain(PASSPHRASE);
  expect(isSealedFolder(other)).toBe(true);
  const open = join(parent, 'open');
  await makeBackup({ siteDir: site.dir, to: open, reason: 'manual', nowTs: Date.now() });
  await expect(sealFolder(open, site.dir, PASSPHRASE)).rejects.toMatchObject({ code: 'CONFLICT' });
  await expect(sealFolder(join(parent, 'x'), site.dir, 'short')).rejects.toMatchObject({ code: 'INVALID_INPUT' });
});

it('changes the passphrase by command, without a site', async () => {
  const other = join(parent, 'to-change');
  await sealFolder(other, site.dir, PASSPHRASE);
  const [file, next] = [join(parent, 'passphrase'), join(parent, 'next')];
  writeFileSync(file, PASSPHRASE);
  writeFileSync(next, 'eight other words that nobody has guessed yet');
  const run = (...words: string[]) => promisify(execFile)(process.execPath, [OUTPOST_COMMAND, ...words]);
  const change = ['change-passphrase', '--passphrase-file', file, '--new-passphrase-file', next];
  await expect(run(...change, '--backups', parent)).rejects.toThrow('no folder of encrypted backups');
  const { stdout } = await run(...change, '--backups', other, '--json');
  expect(JSON.parse(stdout)).toEqual({ directory: other });
  await expect(unlockFolder(other, PASSPHRASE)).rejects.toMatchObject({ code: 'PASSPHRASE_WRONG' });
  await unlockFolder(other, 'eight other words that nobody has guessed yet');
  await expect(run(...change, '--backups', other)).rejects.toThrow();
});

const hasAge = ['age', 'script'].every((program) => spawnSync('which', [program]).status === 0);

/** The commands of the document, as a person would type them. */
it.skipIf(!hasAge)('can be read with the age program and a shell alone', async () => {
  const document = readFileSync('resources/encrypted-backups.md', 'utf8');
  const [, keyStep, rest] = /```sh\n(.*?)```.*?```sh\n(.*?)```/s.exec(document)!;
  const out = join(parent, 'by-hand');
  await mkdir(out);
  const environment = { ...process.env, BACKUPS: to, OUT: out };
  // age asks the terminal.
  const typed = spawnSync('script', ['-qec', `sh -ec '${keyStep}'`, '/dev/null'], {
    input: `${PASSPHRASE}\n`,
    env: environment,
  });
  expect(existsSync(join(out, 'key.txt')), String(typed.stdout)).toBe(true);
  execFileSync('sh', ['-ec', rest!], { env: environment });
  expect((await verifySite(join(out, 'site'))).problems).toEqual([]);
  await (await openSite(join(out, 'site'))).close();
});
