/** Recovery from a system clock that was a year ahead or behind: backups, retries, sign-ins, and the times stored meanwhile. */
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Client } from '../api/contract/client.ts';
import { newId, SYSTEM } from '../db/index.ts';
import { quarantinePath } from '../files/inbox.ts';
import { listBackups } from '../integrity/backup/folder.ts';
import { restoreSite } from '../integrity/backup/restore.ts';
import { verifySite } from '../integrity/verify.ts';
import { addTestRecording } from '../testing/test-recording.ts';
import { jobEnd, makeTestSite, signIn, TEST_EMAIL, TEST_PASSWORD, type TestSite } from '../testing/test-site.ts';
import { requestDueBackup } from './backup-scheduler.ts';
import { type RunningSite, startSite } from './server.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const YEAR = 365 * DAY;

let parent: string;
let place: TestSite;
let site: RunningSite;
let client: Client;
/** `now` is the adjustable wall clock, `passed` the monotonic one. */
const clock = { now: 0, passed: 0 };
const pass = (ms: number) => {
  clock.now += ms;
  clock.passed += ms;
};
const start = async () => {
  const times = { clock: () => clock.now, elapsed: () => clock.passed, throttleTime: () => clock.passed };
  site = await startSite({ dir: place.dir, port: 0, ...times });
};

beforeEach(async () => {
  parent = mkdtempSync(join(tmpdir(), 'outpost-clock-'));
  clock.now = Date.now();
  place = await makeTestSite();
  await start();
  client = await signIn(site.url);
});
afterEach(async () => {
  await site.close();
  await place.remove();
  rmSync(parent, { recursive: true, force: true });
});

const attention = async () =>
  (await client.call('listAttention', { params: { accountId: place.accountId } })).items.map(({ reason }) => reason);

describe('backups', () => {
  const backUpIfDue = async (): Promise<boolean> => {
    const { store, backupsDir, site: facts } = site.folder;
    const options = { store, jobs: site.engine.jobs, backupsDir, siteCreatedTs: facts.createdTs };
    const isDue = await requestDueBackup({ ...options, clock: () => clock.now });
    await site.engine.jobs.whenIdle();
    return isDue;
  };

  it.each([YEAR, -YEAR])(
    'are made, retained and restored in the right order after a clock was %i ms off',
    async (offBy) => {
      const { store, backupsDir } = site.folder;
      const schedule = { isEnabled: true, timeOfDay: '02:00', keepDaily: 2, keepWeekly: 0, folder: null };
      await store.settings.set('backup.schedule', schedule, SYSTEM);
      const days = async (count: number) => {
        const made: boolean[] = [];
        for (let day = 0; day < count; day++) {
          pass(25 * HOUR);
          made.push(await backUpIfDue(), await backUpIfDue());
        }
        return made;
      };
      expect(await days(2)).toEqual([true, false, true, false]);
      clock.now += offBy;
      // Nothing is due before the site was created.
      expect(await days(1)).toEqual([offBy > 0, false]);
      clock.now -= offBy;
      const owner = { studyId: place.studyId, subjectId: place.subjectIds[0]! };
      await addTestRecording(store, site.folder.signalsDir, owner);
      expect(await days(2)).toEqual([true, false, true, false]);

      const backups = await listBackups(backupsDir);
      const [last, ...older] = backups.map(({ summary }) => summary!);
      expect(Math.abs(last!.createdTs - clock.now)).toBeLessThan(HOUR);
      // The last two days are retained in any case.
      expect(older[0]!.createdTs).toBeCloseTo(clock.now - 25 * HOUR, -6);
      client = await signIn(site.url);
      expect(await client.call('getBackupStatus')).toMatchObject({ lastTs: last!.createdTs, isOverdue: false });
      expect((await client.call('listBackups', {})).items[0]!.id).toBe(last!.id);
      const restored = await restoreSite(backupsDir, join(parent, 'restored'));
      expect(restored).toMatchObject({ backupId: last!.id, recordings: 1 });
      pass(3 * DAY);
      client = await signIn(site.url);
      expect(await client.call('getBackupStatus')).toMatchObject({ isOverdue: true });
    },
  );
});

describe('work delayed while the clock was ahead', () => {
  it('retries a job that was waiting for another attempt', async () => {
    const job = await site.folder.store.jobs.add({ kind: 'verify', payload: {}, runAfterTs: clock.now + YEAR }, SYSTEM);
    site.engine.jobs.announce(job);
    expect(await jobEnd(client, job.id)).toMatchObject({ state: 'done' });
  });

  it('retries an email that was waiting for another attempt', async () => {
    const { outbox } = site.folder.store;
    clock.now += YEAR;
    await outbox.add({ accountId: place.accountId, recipient: 'a@example.org', subject: 'S', body: 'B' });
    clock.now -= YEAR;
    expect(await outbox.due(8 * HOUR)).toHaveLength(1);
    clock.now += YEAR - 9 * HOUR;
    expect(await outbox.due(8 * HOUR)).toHaveLength(1);
    clock.now += 8 * HOUR;
    expect(await outbox.due(8 * HOUR)).toHaveLength(0);
  });

  it('shows a snoozed attention item again', async () => {
    pass(3 * DAY);
    client = await signIn(site.url);
    const params = { accountId: place.accountId, itemId: 'BACKUP_OVERDUE:site' };
    clock.now += YEAR;
    client = await signIn(site.url);
    const body = { untilTs: clock.now + DAY, reason: 'The disk is away.' };
    await client.call('snoozeAttention', { params, body });
    expect(await attention()).not.toContain('BACKUP_OVERDUE');
    clock.now -= YEAR;
    client = await signIn(site.url);
    expect(await attention()).toContain('BACKUP_OVERDUE');
  });
});

describe('sign-ins while the clock was ahead', () => {
  it('do not extend access tokens and password codes by a year', async () => {
    const { tokens } = site.folder.store;
    clock.now += YEAR;
    const ahead = await signIn(site.url);
    const { code } = await tokens.createPasswordCode(place.userId, SYSTEM);
    await ahead.call('getBackupStatus');
    clock.now -= YEAR;
    await expect(ahead.call('getBackupStatus')).rejects.toMatchObject({ status: 401 });
    await expect(tokens.redeemPasswordCode(code, 'hash')).rejects.toMatchObject({ code: 'LOGIN_FAILED' });
  });

  it('lock people out for a minute of time that passes, wherever the clock stands', async () => {
    clock.now += YEAR;
    const wrong = { email: TEST_EMAIL, password: 'wrong horse 1' };
    for (let i = 0; i < 5; i++)
      await expect(client.call('login', { body: wrong })).rejects.toMatchObject({ status: 401 });
    await expect(client.call('login', { body: wrong })).rejects.toMatchObject({ status: 429 });
    clock.now -= YEAR;
    const right = { email: TEST_EMAIL, password: TEST_PASSWORD };
    await expect(client.call('login', { body: right })).rejects.toMatchObject({ status: 429, retryAfterSeconds: 60 });
    clock.passed += 61_000;
    await client.call('login', { body: right });
  });
});

it('reports missing data for a subject whose last recording is dated in the future', async () => {
  const { store, signalsDir } = site.folder;
  const owner = { studyId: place.studyId, subjectId: place.subjectIds[0]! };
  await client.call('startStudy', { params: { studyId: place.studyId } });
  await addTestRecording(store, signalsDir, owner, { startUs: clock.now * 1000 });
  await addTestRecording(store, signalsDir, owner, { startUs: (clock.now + YEAR) * 1000 });
  pass(4 * DAY);
  client = await signIn(site.url);
  const { items } = await client.call('listAttention', { params: { accountId: place.accountId } });
  const missed = items.filter(({ reason }) => reason === 'NO_DATA').map(({ subjectId }) => subjectId);
  expect(missed).toContain(owner.subjectId);
});

it('updates the last contact of a device that was last seen while the clock was ahead', async () => {
  const { equipment } = site.folder.store;
  const item = await equipment.register({ accountId: place.accountId, id: 'HUB-1', type: 'LINK_HUB' }, SYSTEM);
  for (const contactTs of [clock.now, clock.now + YEAR]) {
    clock.now = contactTs;
    await equipment.recordContact(item.id, { contactTs });
  }
  clock.now -= YEAR;
  await equipment.recordContact(item.id, { contactTs: clock.now });
  expect((await equipment.require(item.id)).lastContactTs).toBe(clock.now);
});

describe('a jump of the clock', () => {
  it('is detected in both directions while the site runs, but not after the computer slept', async () => {
    pass(HOUR);
    await site.clockWatch.check();
    clock.now += 5 * DAY;
    await site.clockWatch.check();
    expect(site.clockWatch.isTrusted).toBe(true);
    clock.now += YEAR;
    await site.clockWatch.check();
    expect(site.clockWatch.isTrusted).toBe(false);
    client = await signIn(site.url);
    expect(await attention()).toContain('CLOCK_AHEAD');
    pass(HOUR);
    clock.now -= YEAR;
    await site.clockWatch.check();
    client = await signIn(site.url);
    const { items } = await client.call('listAttention', { params: { accountId: place.accountId } });
    expect(items.find(({ reason }) => reason === 'CLOCK_SET_BACK')).toMatchObject({
      sentence: expect.stringContaining('went back by 365 d'),
      action: { kind: 'CHECK_CLOCK' },
    });
    expect((await client.call('getDiagnostics')).clockSteps).toHaveLength(2);
    pass(DAY);
    expect(site.clockWatch.isTrusted).toBe(true);
    pass(14 * DAY);
    client = await signIn(site.url);
    expect(await attention()).not.toContain('CLOCK_SET_BACK');
  });

  it('is detected once at the start, and by verify', async () => {
    clock.now += YEAR;
    await signIn(site.url);
    await client.call('login', { body: { email: TEST_EMAIL, password: TEST_PASSWORD } });
    await site.folder.store.studies.create({ accountId: place.accountId, displayName: 'Of the future' }, SYSTEM);
    await site.close();
    clock.now -= YEAR;
    const problems = async () => (await verifySite(place.dir, { nowTs: clock.now })).problems.map(({ code }) => code);
    expect(await problems()).toEqual(['CLOCK_BEHIND']);
    await start();
    client = await signIn(site.url);
    expect(await attention()).toContain('CLOCK_SET_BACK');
    expect(await problems()).toEqual([]);
    const count = (await site.folder.store.settings.get('clock.steps')).length;
    await site.close();
    await start();
    expect(await site.folder.store.settings.get('clock.steps')).toHaveLength(count);
  });

  it('delays the deletion of a rejected file by a day', async () => {
    const { store, inboxDir } = site.folder;
    const { accountId, studyId, subjectIds } = place;
    const id = newId();
    const facts = { sizeBytes: 1, sha256: '2'.repeat(64), formatVersion: 1, startUs: 0, syncPoints: [] };
    const about = { id, accountId, credentialId: 'h', deviceId: 'HUB-1', sensorId: 'S', recordingId: newId() };
    const decided = { studyId, subjectId: subjectIds[0], state: 'QUARANTINED', code: 'OVERLAP', message: 'M' } as const;
    await store.uploads.add({ ...about, ...facts, ...decided }, SYSTEM);
    await store.uploads.move(id, ['QUARANTINED'], { state: 'REJECTED' }, SYSTEM);
    const path = quarantinePath(inboxDir, id);
    writeFileSync(path, 'x');
    clock.now += YEAR;
    for (let starts = 0; starts < 2; starts++) {
      await site.close();
      await start();
      expect(existsSync(path)).toBe(true);
    }
    pass(2 * DAY);
    await site.close();
    await start();
    expect(existsSync(path)).toBe(false);
  });
});
