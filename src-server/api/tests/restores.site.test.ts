import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { sha256Hex } from '../../files/content-hash.ts';
import { contentPath, isSignalFile } from '../../integrity/backup/manifest.ts';
import { unfinishedFolder } from '../../integrity/backup/restore-target.ts';
import { openBackup } from '../../integrity/backup/sources.ts';
import { verifySite } from '../../integrity/verify.ts';
import { openSite } from '../../site/folder.ts';
import { type RunningSite, startSite } from '../../site/server.ts';
import type { RestorePayload } from '../../study/jobs.ts';
import { addTestRecording } from '../../testing/test-recording.ts';
import { jobEnd, makeTestSite, signIn, TEST_PASSWORD, type TestSite } from '../../testing/test-site.ts';
import type { Client } from '../contract/client.ts';

const PASSPHRASE = 'correct horse battery staple';

let parent: string;
let place: TestSite;
let site: RunningSite;
let client: Client;
const clock = { now: Date.now(), passedMs: 0 };
beforeEach(async () => {
  clock.now = Date.now();
  parent = mkdtempSync(join(tmpdir(), 'outpost-restores-'));
  place = await makeTestSite();
  await start();
  for (let i = 0; i < 2; i++) {
    await addTestRecording(site.folder.store, site.folder.signalsDir, {
      studyId: place.studyId,
      subjectId: place.subjectIds[i]!,
    });
  }
});
afterEach(async () => {
  await site.close();
  await place.remove();
  rmSync(parent, { recursive: true, force: true });
});

async function start(): Promise<void> {
  site = await startSite({ dir: place.dir, port: 0, clock: () => clock.now, throttleTime: () => clock.passedMs });
  client = await signIn(site.url);
}

const backUp = async (directory?: string) => {
  await jobEnd(client, (await client.call('createBackup', { body: directory === undefined ? {} : { directory } })).id);
  return (await client.call('listBackups', {})).items[0]!;
};
const restore = (
  { id, directory }: { id: string; directory: string },
  body: { folder: string; password?: string; passphrase?: string },
) =>
  client.call('restoreBackup', {
    body: { backupId: id, directory, password: TEST_PASSWORD, ...body },
  });
const siteAudit = async () => {
  const query = { entityType: 'site' } as const;
  return (await client.call('listAccountAudit', { params: { accountId: place.accountId }, query })).items;
};

describe('a restore from the desk', () => {
  it('suggests a folder beside the site, makes a whole site there, and leaves the running one as it was', async () => {
    const backup = await backUp();
    const plan = await client.call('planRestore', { params: { backupId: backup.id } });
    expect(plan).toMatchObject({ siteName: 'Test clinic', neededBytes: backup.sizeBytes });
    expect(dirname(plan.folder)).toBe(dirname(place.dir));
    expect(plan.freeBytes).toBeGreaterThan(plan.neededBytes);
    const before = readFileSync(join(place.dir, 'site.json'), 'utf8');
    const job = await restore(backup, { folder: plan.folder });
    const done = await jobEnd(client, job.id);
    expect(done).toMatchObject({
      kind: 'restore',
      state: 'done',
      result: { folder: plan.folder, outcome: 'complete', recordings: 2, backupId: backup.id, countLost: 0, lost: [] },
    });
    expect(readFileSync(join(place.dir, 'site.json'), 'utf8')).toBe(before);
    expect((await verifySite(plan.folder)).problems).toEqual([]);
    const names = readdirSync(dirname(place.dir));
    expect(names.sort()).toEqual([basename(place.dir), basename(plan.folder)].sort());
    // The key of the site is in no backup; without it, codes of de-identified exports would differ.
    expect(readFileSync(join(plan.folder, 'site.key'), 'utf8')).toBe(readFileSync(join(place.dir, 'site.key'), 'utf8'));
    expect(await siteAudit()).toMatchObject([
      {
        action: 'backup.restore',
        changes: expect.arrayContaining([{ field: 'backup', new: backup.id }]),
      },
    ]);
    // The next suggestion is another folder, and an erasure names the copy.
    const { folder: second } = await client.call('planRestore', { params: { backupId: backup.id } });
    expect(second).toBe(`${plan.folder}-2`);
    const params = { studyId: place.studyId, subjectId: place.subjectIds[0]! };
    expect((await client.call('getErasurePreview', { params })).copies).toEqual([plan.folder]);
    rmSync(plan.folder, { recursive: true });
    expect((await client.call('getErasurePreview', { params })).copies).toEqual([]);
  });

  it('asks for the password of the administrator and refuses everybody else', async () => {
    const backup = await backUp();
    const folder = join(parent, 'new');
    await expect(restore(backup, { folder, password: 'another one' })).rejects.toMatchObject({
      status: 400,
      errors: [{ path: 'password' }],
    });
    expect((await siteAudit())[0]).toMatchObject({ action: 'refusal.password' });
    const password = 'correct horse 2';
    const body = {
      email: 'm@example.org',
      password,
      user: {
        accountId: place.accountId,
        email: 'm@example.org',
        firstName: 'M',
        lastName: 'O',
        locale: 'en_US' as const,
        timezone: 'US/Eastern',
        role: 'MONITOR' as const,
      },
    };
    const { id: userId } = await client.call('createUser', { body });
    const params = { studyId: place.studyId, userId };
    await client.call('setStudyMember', { params, body: { role: 'MONITOR' } });
    const session = await client.call('login', { body: { email: body.email, password } });
    client.credentials = { userId, accessToken: session.accessToken };
    await expect(restore(backup, { folder, password })).rejects.toMatchObject({ status: 403 });
    await expect(client.call('planRestore', { params: { backupId: backup.id } })).rejects.toMatchObject({
      status: 403,
    });
    expect(existsSync(folder)).toBe(false);
  });

  it('refuses folders that are in use, within a site or among backups, and follows links', async () => {
    const disk = join(parent, 'disk');
    mkdirSync(disk);
    const backup = await backUp(disk);
    const full = join(parent, 'full');
    mkdirSync(full);
    writeFileSync(join(full, 'notes.txt'), 'kept');
    symlinkSync(place.dir, join(parent, 'link'));
    const isField = { status: 400, errors: [{ path: 'folder' }] };
    for (const [folder, problem] of [
      [full, { status: 409, code: 'SITE_EXISTS' }],
      [join(full, 'notes.txt'), isField],
      ['relative', isField],
      [join(parent, 'no', 'parent'), isField],
      [place.dir, isField],
      [dirname(place.dir), isField],
      [join(place.dir, 'signals', 'new'), isField],
      [join(parent, 'link', 'new'), isField],
      [join(parent, 'link'), isField],
      [join(disk, 'new'), isField],
      ['/', isField],
    ] as const) {
      await expect(restore(backup, { folder }), folder).rejects.toMatchObject(problem);
    }
    expect(readFileSync(join(full, 'notes.txt'), 'utf8')).toBe('kept');
    expect((await client.call('listJobs', { query: { kind: 'restore' } })).size).toBe(0);
    // A folder beside one with a longer name is not within it, and an empty one can be used.
    const empty = join(parent, 'disk-2');
    mkdirSync(empty);
    expect(await jobEnd(client, (await restore(backup, { folder: empty })).id)).toMatchObject({ state: 'done' });
    await expect(restore(backup, { folder: empty })).rejects.toMatchObject({ status: 409, code: 'SITE_EXISTS' });
  });

  it('says how much room is missing before anything is written', async () => {
    const backup = await backUp();
    const path = join(backup.directory, `backup-${backup.id}`);
    const text = readFileSync(join(path, 'summary.json'), 'utf8');
    const huge = text.replace(/"sizeBytes": \d+/, '"sizeBytes": 9000000000000000');
    writeFileSync(join(path, 'summary.json'), huge);
    const sums = readFileSync(join(path, 'manifest.sha256'), 'utf8');
    writeFileSync(join(path, 'manifest.sha256'), sums.replace(sha256Hex(text), sha256Hex(huge)));
    const { neededBytes, freeBytes, folder } = await client.call('planRestore', { params: { backupId: backup.id } });
    expect(neededBytes).toBeGreaterThan(freeBytes);
    await expect(restore(backup, { folder })).rejects.toMatchObject({
      status: 507,
      code: 'DISK_FULL',
      message: expect.stringContaining('needs 9000000000 MB'),
    });
    expect(existsSync(folder)).toBe(false);
  });

  // Each use of a passphrase costs a second of processor time on purpose.
  it('of an encrypted backup needs its passphrase, limits guesses and stores it nowhere', async () => {
    const directory = join(parent, 'encrypted');
    await client.call('encryptBackups', { body: { directory, passphrase: PASSPHRASE } });
    const backup = await backUp();
    expect(backup).toMatchObject({ isEncrypted: true, directory });
    const folder = join(parent, 'new');
    await expect(restore(backup, { folder })).rejects.toMatchObject({ status: 400, errors: [{ path: 'passphrase' }] });
    const wrong = { folder, passphrase: 'not the passphrase' };
    for (let i = 0; i < 5; i++) {
      await expect(restore(backup, wrong)).rejects.toMatchObject({ status: 403, code: 'PASSPHRASE_WRONG' });
    }
    await expect(restore(backup, { folder, passphrase: PASSPHRASE })).rejects.toMatchObject({
      status: 429,
      code: 'THROTTLED',
    });
    const change = { passphrase: PASSPHRASE, newPassphrase: 'another eight words on paper' };
    await expect(client.call('changeBackupPassphrase', { body: change })).rejects.toMatchObject({ status: 429 });
    expect(readdirSync(parent)).toEqual(['encrypted']);
    clock.passedMs += 61_000;
    const job = await restore(backup, { folder, passphrase: PASSPHRASE });
    expect(await jobEnd(client, job.id)).toMatchObject({
      state: 'done',
      result: { outcome: 'complete', recordings: 2 },
    });
    expect((await verifySite(folder)).problems).toEqual([]);
    await site.close();
    for (const name of readdirSync(place.dir).filter((file) => file.startsWith('site.'))) {
      expect(readFileSync(join(place.dir, name)).includes(PASSPHRASE), name).toBe(false);
    }
    await start();
  }, 300_000);

  it('of a damaged backup lists what is left out, and restores nothing without an intact database', async () => {
    const backup = await backUp();
    const path = join(backup.directory, `backup-${backup.id}`);
    const { manifest } = await openBackup(path);
    const [lost] = manifest.files.filter(isSignalFile);
    rmSync(join(backup.directory, contentPath(lost!.sha256)));
    // What the running site still has is taken from there.
    const whole = join(parent, 'whole');
    expect(await jobEnd(client, (await restore(backup, { folder: whole })).id)).toMatchObject({
      result: { outcome: 'complete', countLost: 0 },
    });
    rmSync(whole, { recursive: true });
    rmSync(join(place.dir, lost!.path));
    const folder = join(parent, 'new');
    expect(await jobEnd(client, (await restore(backup, { folder })).id)).toMatchObject({
      state: 'done',
      result: { outcome: 'incomplete', recordings: 1, countLost: 1, lost: [{ file: lost!.path, state: 'MISSING' }] },
    });
    rmSync(join(backup.directory, contentPath(manifest.database.chunks![0]!)));
    const other = join(parent, 'other');
    expect(await jobEnd(client, (await restore(backup, { folder: other })).id)).toMatchObject({
      state: 'failed',
      error: { code: 'FILE_DAMAGED', message: expect.stringContaining('Nothing was restored') },
    });
    expect(readdirSync(parent)).toEqual(['new']);
    for (const name of ['manifest.json', 'second/manifest.json']) writeFileSync(join(path, name), '{}');
    await expect(restore(backup, { folder: other })).rejects.toMatchObject({ code: 'FILE_DAMAGED' });
  });

  it('of another site names it and does not give it the key of this one', async () => {
    const other = await makeTestSite();
    try {
      const running = await startSite({ dir: other.dir, port: 0 });
      const disk = join(parent, 'disk');
      mkdirSync(disk);
      const guest = await signIn(running.url);
      await jobEnd(guest, (await guest.call('createBackup', { body: { directory: disk } })).id);
      await running.close();
      const { items } = await client.call('listBackups', { query: { directory: disk } });
      expect(items).toMatchObject([{ isOwn: false }]);
      const folder = join(parent, 'new');
      expect(await jobEnd(client, (await restore(items[0]!, { folder })).id)).toMatchObject({ state: 'done' });
      expect(existsSync(join(folder, 'site.key'))).toBe(false);
      expect(readFileSync(join(folder, 'site.json'), 'utf8')).toBe(readFileSync(join(other.dir, 'site.json'), 'utf8'));
    } finally {
      await other.remove();
    }
  });
});

describe('a restore that the end of the program interrupted', () => {
  const interrupted = async (payload: Omit<RestorePayload, 'backup'>, runAfterTs?: number) => {
    const { id, directory } = await backUp();
    await site.close();
    const folder = await openSite(place.dir);
    const job = await folder.store.jobs.add(
      { kind: 'restore', payload: { backup: { id, directory }, ...payload }, ...(runAfterTs && { runAfterTs }) },
      { actor: { type: 'SYSTEM' } },
    );
    await folder.close();
    const unfinished = unfinishedFolder(payload.folder, job.id);
    mkdirSync(unfinished);
    writeFileSync(join(unfinished, 'site.db'), 'half');
    // The job was stored by a clock that did not stand still.
    clock.now = Date.now() + 1000;
    await start();
    return { job, unfinished };
  };

  it('begins again and removes what it had begun', async () => {
    const folder = join(parent, 'new');
    const { job, unfinished } = await interrupted({ folder });
    expect(basename(unfinished)).toMatch(/^new\.restoring-/);
    expect(await jobEnd(client, job.id)).toMatchObject({ state: 'done', result: { outcome: 'complete' } });
    expect(readdirSync(parent)).toEqual(['new']);
    expect((await verifySite(folder)).problems).toEqual([]);
  });

  it('asks for the passphrase again, which was in memory only', async () => {
    const { job } = await interrupted({ folder: join(parent, 'new'), passphraseId: 'of the run before' });
    expect(await jobEnd(client, job.id)).toMatchObject({
      state: 'failed',
      error: { code: 'BACKUP_ENCRYPTED', message: expect.stringContaining('enter it') },
    });
    expect(readdirSync(parent)).toEqual([]);
  });

  it('leaves nothing when it is cancelled before it continues', async () => {
    const { job } = await interrupted({ folder: join(parent, 'new') }, clock.now + 3_600_000);
    await client.call('cancelJob', { params: { jobId: job.id } });
    expect(await jobEnd(client, job.id)).toMatchObject({ state: 'cancelled', actions: [] });
    expect(readdirSync(parent)).toEqual([]);
  });

  it('keeps its backup: no person and no rule deletes it until the restore has ended', async () => {
    const { store } = site.folder;
    const schedule = { isEnabled: true, timeOfDay: '02:00', keepDaily: 1, keepWeekly: 0, folder: null };
    await store.settings.set('backup.schedule', schedule, { actor: { type: 'SYSTEM' } });
    const scheduled = async () => {
      clock.now += 60_000;
      await jobEnd(client, (await site.engine.jobs.enqueue('backup', { reason: 'scheduled' })).id);
      return (await client.call('listBackups', {})).items.map(({ id }) => id);
    };
    const [id = ''] = await scheduled();
    const folder = join(parent, 'new');
    const waiting = await store.jobs.add(
      {
        kind: 'restore',
        payload: { backup: { id, directory: 'backups' }, folder },
        runAfterTs: clock.now + 3_600_000,
      },
      { actor: { type: 'SYSTEM' } },
    );
    await expect(client.call('deleteBackup', { params: { backupId: id } })).rejects.toMatchObject({
      status: 409,
      code: 'CONFLICT',
      message: expect.stringContaining(`being restored into ${folder}`),
    });
    const [second = '', ...others] = await scheduled();
    expect(others).toEqual([id]);
    // One that was set aside can be tried again.
    await store.jobs.take(waiting.id, clock.now);
    await store.jobs.finish(waiting.id, { state: 'parked' }, clock.now);
    await expect(client.call('deleteBackup', { params: { backupId: id } })).rejects.toMatchObject({ code: 'CONFLICT' });
    await client.call('cancelJob', { params: { jobId: waiting.id } });
    const [third, ...rest] = await scheduled();
    expect(rest).toEqual([]);
    expect([id, second]).not.toContain(third);
  });

  it('is not continued by the restored site, whose backup was made meanwhile', async () => {
    await site.folder.store.jobs.add(
      {
        kind: 'restore',
        payload: { backup: { id: 'x', directory: 'backups' }, folder: join(parent, 'other') },
        runAfterTs: clock.now + 3_600_000,
      },
      { actor: { type: 'SYSTEM' } },
    );
    const backup = await backUp();
    const folder = join(parent, 'new');
    await jobEnd(client, (await restore(backup, { folder })).id);
    const restored = await openSite(folder);
    expect(await restored.store.jobs.unfinished()).toEqual([]);
    await restored.close();
  });
});
