import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeBackup } from '../../integrity/backup/make.ts';
import { databaseMembers } from '../../integrity/backup/manifest.ts';
import { restoreSite } from '../../integrity/backup/restore.ts';
import { openBackup } from '../../integrity/backup/sources.ts';
import { verifySite } from '../../integrity/verify.ts';
import { requestDueBackup } from '../../site/backup-scheduler.ts';
import { type RunningSite, startSite } from '../../site/server.ts';
import { addTestRecording } from '../../testing/test-recording.ts';
import { jobEnd, makeTestSite, signIn, type TestSite } from '../../testing/test-site.ts';
import type { Client } from '../contract/client.ts';

let parent: string;
let place: TestSite;
let site: RunningSite;
let client: Client;
const clock = { now: Date.now() };
beforeEach(async () => {
  parent = mkdtempSync(join(tmpdir(), 'outpost-backups-'));
  clock.now = Date.now();
  place = await makeTestSite();
  site = await startSite({ dir: place.dir, port: 0, clock: () => clock.now });
  client = await signIn(site.url);
  await addTestRecording(site.folder.store, site.folder.signalsDir, {
    studyId: place.studyId,
    subjectId: place.subjectIds[0]!,
  });
});
afterEach(async () => {
  await site.close();
  await place.remove();
  rmSync(parent, { recursive: true, force: true });
});

describe('backups of a running site', () => {
  it('are created, listed, verified, restored and deleted', async () => {
    const done = await jobEnd(client, (await client.call('createBackup', { body: {} })).id);
    expect(done).toMatchObject({ kind: 'backup', state: 'done', result: { recordings: 1, problems: [] } });
    const { items } = await client.call('listBackups', {});
    expect(items).toMatchObject([{ state: 'complete', reason: 'manual', isOwn: true, countRecordings: 1 }]);
    const { id: backupId, directory } = items[0]!;
    expect(await client.call('getBackupStatus')).toMatchObject({ directory, isEnabled: true, isOverdue: false });

    await restoreSite(directory, join(parent, 'restored'));
    expect((await verifySite(join(parent, 'restored'))).problems).toEqual([]);

    const verified = await jobEnd(client, (await client.call('verifyBackup', { params: { backupId } })).id);
    expect(verified).toMatchObject({ kind: 'verify', state: 'done', result: { backupId, problems: [] } });
    const { manifest } = await openBackup(join(directory, `backup-${backupId}`));
    const database = join(directory, databaseMembers(manifest.database)[1]!.path);
    const bytes = readFileSync(database);
    bytes[bytes.length >> 1]! ^= 1;
    writeFileSync(database, bytes);
    await jobEnd(client, (await client.call('verifyBackup', { params: { backupId } })).id);
    expect((await client.call('listBackups', {})).items).toMatchObject([
      { state: 'damaged', check: { problems: [expect.stringContaining('site.db')] } },
    ]);

    await client.call('deleteBackup', { params: { backupId } });
    expect((await client.call('listBackups', {})).size).toBe(0);
    await expect(client.call('deleteBackup', { params: { backupId } })).rejects.toMatchObject({ status: 404 });
    const { items: entries } = await client.call('listAccountAudit', {
      params: { accountId: place.accountId },
      query: { entityType: 'site' },
    });
    expect(entries).toMatchObject([{ action: 'backup.delete', changes: [{ field: 'backup', old: backupId }] }]);
  });

  it('of damaged files are reported as incomplete in the job, the list, the recordings and Today', async () => {
    const row = (await site.folder.store.recordings.filesAfter('', 1))[0]!;
    const path = join(site.folder.signalsDir, `${row.id}.sig`);
    const bytes = readFileSync(path);
    bytes[bytes.length >> 1]! ^= 1;
    writeFileSync(path, bytes);
    const done = await jobEnd(client, (await client.call('createBackup', { body: {} })).id);
    const file = `signals/${row.id}.sig`;
    expect(done).toMatchObject({ state: 'done', result: { outcome: 'incomplete', lacking: [file] } });
    const diagnostics = [{ code: 'BACKUP_OF_DAMAGED', facts: { file } }];
    expect((await client.call('listBackups', {})).items).toMatchObject([{ state: 'incomplete', diagnostics }]);
    expect(await client.call('getBackupStatus')).toMatchObject({
      isOverdue: false,
      damage: { state: 'incomplete', diagnostics },
    });
    expect((await site.folder.store.recordings.require(row.id)).fileState).toBe('DAMAGED');
    const { items } = await client.call('listAttention', { params: { accountId: place.accountId } });
    expect(items.find(({ reason }) => reason === 'DATA_DAMAGED')).toMatchObject({
      sentence: expect.stringMatching(/Subject 1, .*older backup/),
      evidence: { count: 1, detail: expect.stringContaining('Subject 1, ') },
      action: { kind: 'CHECK_BACKUP' },
    });
  });

  it('are written only to an existing folder, and a missing folder is not recreated', async () => {
    const disk = join(parent, 'disk');
    for (const directory of [disk, 'relative', '/nowhere/\u0000']) {
      await expect(client.call('createBackup', { body: { directory } })).rejects.toMatchObject({ status: 400 });
    }
    mkdirSync(disk);
    await jobEnd(client, (await client.call('createBackup', { body: { directory: disk } })).id);
    expect((await client.call('listBackups', { query: { directory: disk } })).size).toBe(1);
    // Also without its name: who made it finds it again, until the disk is unplugged.
    expect((await client.call('listBackups', {})).items).toMatchObject([{ directory: disk, state: 'complete' }]);
    renameSync(disk, `${disk} unplugged`);
    expect((await client.call('listBackups', {})).size).toBe(0);
    renameSync(`${disk} unplugged`, disk);
    const schedule = { isEnabled: true, timeOfDay: '02:00', keepDaily: 7, keepWeekly: 4, folder: disk };
    await client.call('updateSiteSettings', { body: { backup: { schedule } } });
    const { disk: room, ...there } = await client.call('getBackupStatus');
    expect(room).toBeDefined();
    rmSync(disk, { recursive: true });
    // The backup is still listed, but its folder cannot be reached.
    const away = await client.call('getBackupStatus');
    expect(away.disk).toBeUndefined();
    expect(Math.abs((away.lastTs ?? 0) - (there.lastTs ?? Number.NaN))).toBeLessThan(60_000);
    const job = await site.engine.jobs.enqueue('backup', { reason: 'scheduled' });
    expect(await jobEnd(client, job.id)).toMatchObject({
      state: 'failed',
      error: { code: 'NOT_FOUND', message: expect.stringContaining('Connect its disk') },
    });
    expect(existsSync(disk)).toBe(false);
    expect(await client.call('getBackupStatus')).toMatchObject({ problem: expect.stringContaining('Connect') });
  });

  it('are listed wherever they were made, also with the command line', async () => {
    const disk = join(parent, 'disk');
    mkdirSync(disk);
    const request = { siteDir: place.dir, reason: 'manual', nowTs: clock.now } as const;
    const { id: backupId } = await makeBackup({ ...request, to: disk });
    await makeBackup({ ...request, to: join(parent, 'site.zip') });
    expect((await client.call('listBackups', {})).items).toMatchObject([{ id: backupId, directory: disk }]);
    const verified = await jobEnd(client, (await client.call('verifyBackup', { params: { backupId } })).id);
    expect(verified).toMatchObject({ state: 'done', result: { backupId, problems: [] } });
  });

  it('run once a day, catch up after a missed time, and delete old ones', async () => {
    const { store, backupsDir, site: facts } = site.folder;
    const due = () =>
      requestDueBackup({
        store,
        jobs: site.engine.jobs,
        backupsDir,
        siteCreatedTs: facts.createdTs,
        clock: () => clock.now,
      });
    expect(await due()).toBe(false);
    const made: boolean[] = [];
    for (let day = 0; day < 3; day++) {
      clock.now += 25 * 3_600_000;
      made.push(await due(), await due());
      await site.engine.jobs.whenIdle();
    }
    expect(made).toEqual([true, false, true, false, true, false]);
    const schedule = { isEnabled: true, timeOfDay: '02:00', keepDaily: 2, keepWeekly: 0, folder: null };
    await store.settings.set('backup.schedule', schedule, { actor: { type: 'SYSTEM' } });
    clock.now += 25 * 3_600_000;
    await due();
    await site.engine.jobs.whenIdle();
    client = await signIn(site.url);
    const { items } = await client.call('listBackups', {});
    expect(items.map(({ reason }) => reason)).toEqual(['scheduled', 'scheduled']);
    await store.settings.set('backup.schedule', { ...schedule, isEnabled: false }, { actor: { type: 'SYSTEM' } });
    clock.now += 25 * 3_600_000;
    expect(await due()).toBe(false);
  });

  it('are encrypted once a person chose a passphrase, which nothing keeps, and never become open unnoticed', async () => {
    const passphrase = 'correct horse battery staple';
    const directory = join(parent, 'encrypted');
    const encrypt = (body: { directory: string; passphrase: string }) => client.call('encryptBackups', { body });
    await expect(encrypt({ directory, passphrase: 'short' })).rejects.toMatchObject({ status: 400 });
    await expect(encrypt({ directory: join(parent, 'no', 'disk'), passphrase })).rejects.toMatchObject({ status: 400 });
    const { recipient, isNew } = await encrypt({ directory, passphrase });
    expect(isNew).toBe(true);
    expect(await client.call('getBackupStatus')).toMatchObject({
      directory,
      encryption: { recipient, state: 'ready' },
    });
    const back = async () => await jobEnd(client, (await client.call('createBackup', { body: {} })).id);
    expect(await back()).toMatchObject({ state: 'done', result: { outcome: 'complete' } });
    expect((await client.call('listBackups', {})).items).toMatchObject([{ isEncrypted: true, state: 'complete' }]);
    const body = { passphrase: 'not the passphrase', newPassphrase: 'another eight words on paper' };
    await expect(client.call('changeBackupPassphrase', { body })).rejects.toMatchObject({
      status: 403,
      code: 'PASSPHRASE_WRONG',
    });
    await client.call('changeBackupPassphrase', { body: { ...body, passphrase } });
    // Another disk takes the place of the first, then none does.
    renameSync(directory, join(parent, 'elsewhere'));
    expect(await client.call('getBackupStatus')).toMatchObject({ encryption: { recipient, state: 'unreachable' } });
    mkdirSync(directory);
    expect(await client.call('getBackupStatus')).toMatchObject({ encryption: { recipient, state: 'other-folder' } });
    expect(await back()).toMatchObject({ state: 'failed', error: { code: 'BACKUP_ENCRYPTED' } });
    expect(readdirSync(directory)).toEqual([]);
    const { backup } = await client.call('getSiteSettings');
    await client.call('updateSiteSettings', { body: { backup: { schedule: { ...backup.schedule, folder: null } } } });
    expect(await client.call('getBackupStatus')).not.toHaveProperty('encryption');
    const folder = join(parent, 'elsewhere');
    await client.call('updateSiteSettings', { body: { backup: { schedule: { ...backup.schedule, folder } } } });
    expect(await client.call('getBackupStatus')).toMatchObject({ encryption: { recipient, state: 'ready' } });
    const { items } = await client.call('listAccountAudit', {
      params: { accountId: place.accountId },
      query: { entityType: 'site' },
    });
    expect(items.map(({ action }) => action)).toEqual(['backup.change-passphrase', 'backup.encrypt']);
    await site.close();
    for (const name of readdirSync(place.dir).filter((file) => file.startsWith('site.'))) {
      const bytes = readFileSync(join(place.dir, name));
      expect(
        [passphrase, body.newPassphrase].some((secret) => bytes.includes(secret)),
        name,
      ).toBe(false);
    }
  });

  it('and verifications are visible to administrators only', async () => {
    const job = await client.call('verifySite');
    await jobEnd(client, job.id);
    expect((await client.call('listJobs', {})).items.map(({ id }) => id)).toContain(job.id);
    const password = 'correct horse 2';
    const body = {
      email: 'c@example.org',
      password,
      user: {
        accountId: place.accountId,
        email: 'c@example.org',
        firstName: 'C',
        lastName: 'O',
        locale: 'en_US' as const,
        timezone: 'US/Eastern',
      },
    };
    const { id: userId } = await client.call('createUser', { body });
    const session = await client.call('login', { body: { email: body.email, password } });
    client.credentials = { userId, accessToken: session.accessToken };
    expect((await client.call('listJobs', {})).items.map(({ id }) => id)).not.toContain(job.id);
    await expect(client.call('getJob', { params: { jobId: job.id } })).rejects.toMatchObject({ status: 404 });
    for (const route of ['listBackups', 'getBackupStatus', 'verifySite', 'getDiagnostics'] as const) {
      await expect(client.call(route, {})).rejects.toMatchObject({ status: 403 });
    }
  });
});

describe('the verification of a running site', () => {
  it('passes, and then finds a row that was changed with SQL', async () => {
    const clean = await jobEnd(client, (await client.call('verifySite')).id);
    expect(clean.result).toMatchObject({ problems: [], countProblems: 0, audit: { isIntact: true } });
    const database = new Database(join(place.dir, 'site.db'));
    database.exec("DROP TRIGGER auditNoUpdate; UPDATE audit SET actorId = 'someone else' WHERE sequence = 3");
    database.close();
    const found = await jobEnd(client, (await client.call('verifySite')).id);
    expect(found.result).toMatchObject({
      countProblems: 1,
      problems: [{ step: 'audit', id: '3', code: 'AUDIT_CHANGED', facts: { sequence: 3 } }],
      audit: { isIntact: false, message: 'Audit row 3 was changed after it was written.' },
    });
  });

  it('exports support facts without personal data', async () => {
    const diagnostics = await client.call('getDiagnostics');
    expect(diagnostics).toMatchObject({
      counts: { subject: 2, recording: 1 },
      recordings: { byFileState: { PRESENT: 1 } },
      jobs: { lastErrors: [] },
    });
    const text = JSON.stringify(diagnostics);
    for (const word of ['Subject 1', 'Test study', 'example.org', 'Test clinic', place.dir, tmpdir()]) {
      expect(text).not.toContain(word);
    }
  });
});
