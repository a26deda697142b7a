import { execFileSync, fork } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { newId, SYSTEM } from '../db/index.ts';
import { OutpostError } from '../errors.ts';
import { verifySite } from '../integrity/verify.ts';
import { openStore, type Store } from '../services/index.ts';
import { createSignalFile } from '../signals/index.ts';
import { addTestStudy, testRecording } from '../testing/test-store.ts';
import { initSite, openSite } from './folder.ts';

const NEW_SITE = { account: 'Clinic', email: 'ada@example.org', password: 'correct horse', timeZone: 'US/Eastern' };

let root: string;
let dir: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'outpost-site-'));
  dir = join(root, 'site');
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

async function failure(work: Promise<unknown>): Promise<OutpostError> {
  const thrown: unknown = await work.then(
    () => null,
    (error: unknown) => error,
  );
  expect(thrown).toBeInstanceOf(OutpostError);
  return thrown as OutpostError;
}

/** A mount private to this test; null where the machine does not permit mounting. */
function mountTmpfs(path: string, options: string): (() => void) | null {
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', path], { stdio: 'ignore' });
    return () => execFileSync('umount', ['-l', path], { stdio: 'ignore' });
  } catch {
    return null;
  }
}

/** A recording with a real signal file of one page. */
async function addRecording(store: Store, signalsDir: string) {
  const study = await addTestStudy(store);
  const input = testRecording(study);
  const writer = await createSignalFile(join(signalsDir, `${input.id}.sig`), {
    version: 1,
    recordingId: input.id,
    deviceRecordingId: 7,
    udid: input.udid,
    hardwareId: input.hardwareId,
    firmwareId: input.firmwareId,
    physicalConfig: input.physicalConfig,
    sensorConfig: input.sensorConfig,
    channels: [
      { type: 'ECG', dimensions: ['v'], unit: 'V', nominalRateHz: 250, scale: [1e-6], offset: [0], sampleBits: 16 },
    ],
    syncPoints: [],
    source: { format: 'EDF', fileName: 'night.edf', sha256: 'b'.repeat(64) },
  });
  await writer.append({
    channel: 0,
    startUs: input.startUs,
    periodUs: 4000,
    count: 250,
    columns: [Int16Array.from({ length: 250 }, (_, i) => i)],
  });
  const done = await writer.finish();
  await store.recordings.add({ ...input, ...done }, SYSTEM);
  return { id: input.id, path: join(signalsDir, `${input.id}.sig`), study };
}

describe('a new site', () => {
  it('has its folders, account and first ADMIN, and can be reopened', async () => {
    const made = await initSite(dir, NEW_SITE);
    expect(statSync(dir).mode & 0o077).toBe(0);
    expect(readdirSync(dir).sort()).toEqual([
      'backups',
      'columns',
      'exports',
      'images',
      'inbox',
      'signals',
      'site.db',
      'site.json',
    ]);
    expect(statSync(join(dir, 'site.json')).mode & 0o077).toBe(0);
    const site = await openSite(dir);
    expect(site.site.id).toBe(made.siteId);
    expect(await site.store.users.list(made.accountId)).toMatchObject([
      { id: made.userId, role: 'ADMIN', timezone: 'US/Eastern' },
    ]);
    await site.close();
    await (await openSite(dir)).close();
    expect((await verifySite(dir)).problems).toEqual([]);
  });

  it('is not created over another site or other files: SITE_EXISTS', async () => {
    await initSite(dir, NEW_SITE);
    const before = readFileSync(join(dir, 'site.json'), 'utf8');
    expect(await failure(initSite(dir, NEW_SITE))).toMatchObject({
      code: 'SITE_EXISTS',
      message: expect.stringContaining(dir),
    });
    expect(readFileSync(join(dir, 'site.json'), 'utf8')).toBe(before);
    writeFileSync(join(root, 'mine.txt'), 'x');
    expect((await failure(initSite(root, NEW_SITE))).code).toBe('SITE_EXISTS');
  });

  it('leaves nothing behind when its input is invalid', async () => {
    const refused = await failure(initSite(dir, { ...NEW_SITE, password: 'short', timeZone: 'Mars/Olympus' }));
    expect(refused.errors?.map((error) => error.path)).toEqual(['password', 'timeZone']);
    expect(existsSync(dir)).toBe(false);
  });
});

describe('opening a site fails with', () => {
  it('SITE_MISSING', async () => {
    expect(await failure(openSite(dir))).toMatchObject({
      code: 'SITE_MISSING',
      message: expect.stringContaining('outpost init'),
    });
  });

  it('SITE_LOCKED, naming the process that holds the lock', async () => {
    await initSite(dir, NEW_SITE);
    const site = await openSite(dir);
    const locked = await failure(openSite(dir));
    expect(locked).toMatchObject({ code: 'SITE_LOCKED', details: { pid: process.pid } });
    expect(locked.message).toContain(`process ${process.pid}`);
    await site.close();
    await (await openSite(dir)).close();
  });

  it('SITE_CORRUPT when database pages are overwritten, and releases the lock', async () => {
    await initSite(dir, NEW_SITE);
    const path = join(dir, 'site.db');
    const bytes = readFileSync(path);
    bytes.fill(0xa5, 4096, 4096 * 12);
    writeFileSync(path, bytes);
    expect(await failure(openSite(dir))).toMatchObject({
      code: 'SITE_CORRUPT',
      message: expect.stringContaining('backup'),
    });
    expect((await failure(openSite(dir))).code).toBe('SITE_CORRUPT');
    expect(readFileSync(path).equals(bytes)).toBe(true);
  });

  it('SITE_CORRUPT when the database is not SQLite, from another program, truncated or missing', async () => {
    await initSite(dir, NEW_SITE);
    const path = join(dir, 'site.db');
    const whole = readFileSync(path);
    writeFileSync(path, 'this is a text file, long enough to have a header of its own');
    expect((await failure(openSite(dir))).code).toBe('SITE_CORRUPT');
    unlinkSync(path);
    expect((await failure(openSite(dir))).code).toBe('SITE_MISSING');
    const foreign = new Database(path);
    foreign.exec('CREATE TABLE recipe (name TEXT)');
    foreign.close();
    expect((await failure(openSite(dir))).message).toContain('not the database of an Outpost site');
    writeFileSync(path, whole);
    truncateSync(path, 4096 * 5);
    expect((await failure(openSite(dir))).code).toBe('SITE_CORRUPT');
  });

  it('SITE_CORRUPT when site.json is damaged, SITE_NEWER when its format is later', async () => {
    await initSite(dir, NEW_SITE);
    const path = join(dir, 'site.json');
    const good = JSON.parse(readFileSync(path, 'utf8')) as Record<string, unknown>;
    writeFileSync(path, '{"format": 1');
    expect((await failure(openSite(dir))).code).toBe('SITE_CORRUPT');
    writeFileSync(path, JSON.stringify({ ...good, format: 2 }));
    expect((await failure(openSite(dir))).code).toBe('SITE_NEWER');
  });

  it('SITE_CORRUPT when the lock file is damaged', async () => {
    await initSite(dir, NEW_SITE);
    writeFileSync(join(dir, 'site.lock'), 'x'.repeat(5000));
    expect(await failure(openSite(dir))).toMatchObject({
      code: 'SITE_CORRUPT',
      message: expect.stringContaining('lock file'),
    });
  });

  it('SITE_NEWER with advice when the database has a later schema, and changes nothing', async () => {
    await initSite(dir, NEW_SITE);
    const database = new Database(join(dir, 'site.db'));
    database.exec("INSERT INTO schemaMigration VALUES (99990, 'later', 'x', 0)");
    database.close();
    expect(await failure(openSite(dir))).toMatchObject({
      code: 'SITE_NEWER',
      message: expect.stringContaining('Install that version'),
      details: { schemaVersion: 99_990 },
    });
    expect((await failure(verifySite(dir))).code).toBe('SITE_NEWER');
    expect(readdirSync(join(dir, 'backups'))).toEqual([]);
  });

  it('SITE_READ_ONLY on a read-only medium', async (context) => {
    execFileSync('mkdir', [dir]);
    const unmount = mountTmpfs(dir, 'size=16m');
    if (!unmount) return context.skip('mounting needs root');
    try {
      await initSite(join(dir, 's'), NEW_SITE);
      await (await openSite(join(dir, 's'))).close();
      execFileSync('mount', ['-o', 'remount,ro', dir]);
      expect(await failure(openSite(join(dir, 's')))).toMatchObject({
        code: 'SITE_READ_ONLY',
        message: expect.stringContaining('permissions'),
      });
      expect((await failure(initSite(join(dir, 'new'), NEW_SITE))).code).toBe('SITE_READ_ONLY');
    } finally {
      unmount();
    }
  });

  it('DISK_FULL on a full disk, leaves nothing partial, and succeeds once there is space', async (context) => {
    execFileSync('mkdir', [dir]);
    const unmount = mountTmpfs(dir, 'size=4m');
    if (!unmount) return context.skip('mounting needs root');
    try {
      writeFileSync(join(dir, 'filler'), Buffer.alloc(4 * 1024 * 1024 - 64 * 1024));
      const inside = join(dir, 's');
      expect(await failure(initSite(inside, NEW_SITE))).toMatchObject({
        code: 'DISK_FULL',
        message: expect.stringContaining('space'),
      });
      expect(existsSync(inside)).toBe(false);
      unlinkSync(join(dir, 'filler'));
      const { accountId } = await initSite(inside, NEW_SITE);
      const site = await openSite(inside);
      const filler = join(dir, 'filler');
      try {
        for (;;) appendFileSync(filler, Buffer.alloc(4096));
      } catch (thrown) {
        expect((thrown as NodeJS.ErrnoException).code).toBe('ENOSPC');
      }
      const big = { accountId, displayName: 'x'.repeat(200_000) };
      expect(await failure(site.store.studies.create(big, SYSTEM))).toMatchObject({ code: 'DISK_FULL' });
      expect(await site.store.studies.list(accountId)).toEqual([]);
      unlinkSync(filler);
      await site.store.studies.create(big, SYSTEM);
      await site.close();
      expect((await verifySite(inside)).problems).toEqual([]);
    } finally {
      unmount();
    }
  });
});

describe('crash recovery', () => {
  it('cleans the inbox, sets orphaned signal files aside and marks rows without a file', async () => {
    await initSite(dir, NEW_SITE);
    let site = await openSite(dir);
    const kept = await addRecording(site.store, site.signalsDir);
    const lost = await addRecording(site.store, site.signalsDir);
    const claimed = newId();
    const [waiting, ended, unknown, upload] = [newId(), newId(), newId(), newId()];
    const cut = `${newId()}.partial`;
    const inInbox = (folder: string) => join(site.inboxDir, folder, 'night.edf');
    for (const folder of [waiting, ended, unknown, cut, `import-${newId()}`, 'laid there by a person']) {
      mkdirSync(join(site.inboxDir, folder));
      writeFileSync(inInbox(folder), 'x');
    }
    mkdirSync(join(site.inboxDir, 'uploads'), { recursive: true });
    writeFileSync(join(site.inboxDir, 'uploads', `${upload}.part`), 'x');
    writeFileSync(join(site.inboxDir, 'uploads', `${newId()}.part`), '');
    // A check of this file was killed while it wrote the overview and the clock map.
    const derived = ['overview', `overview.${newId()}.part`, 'clock.partial'].map((end) => `${upload}.part.${end}`);
    for (const name of derived) writeFileSync(join(site.inboxDir, 'uploads', name), 'x');
    const { studyId, subjectId } = kept.study;
    const job = await site.store.jobs.add(
      {
        kind: 'import',
        payload: { studyId, subjectId, paths: [`inbox/${waiting}/night.edf`], options: {}, ownsFiles: true },
      },
      SYSTEM,
    );
    const paths = [`inbox/${ended}/night.edf`];
    const done = { kind: 'import', payload: { studyId, subjectId, paths, options: {}, ownsFiles: true } } as const;
    await site.store.jobs.finish((await site.store.jobs.add(done, SYSTEM)).id, { state: 'failed' }, 1);
    await site.store.jobs.setCheckpoint(job.id, { recordingIds: [claimed] });
    await site.close();
    unlinkSync(lost.path);
    const orphan = `${newId()}.sig`;
    writeFileSync(join(dir, 'signals', orphan), 'only copy');
    writeFileSync(join(dir, 'signals', `${claimed}.sig`), 'will be made again');

    site = await openSite(dir);
    expect(site.reconciled).toEqual({
      removedFromInbox: expect.arrayContaining([ended, cut, ...derived.map((name) => join('uploads', name))]),
      setAside: expect.arrayContaining([unknown, `${upload}.part`]),
      removedSignals: [`${claimed}.sig`],
      orphanedSignals: [orphan],
      missingRecordings: [lost.id],
    });
    expect([site.reconciled.removedFromInbox.length, site.reconciled.setAside.length]).toEqual([7, 2]);
    expect(readdirSync(join(site.inboxDir, 'uploads'))).toEqual([]);
    expect(readdirSync(site.inboxDir).sort()).toEqual(
      [waiting, 'laid there by a person', 'orphaned', 'quarantine', 'uploads'].sort(),
    );
    expect(readFileSync(inInbox(waiting), 'utf8')).toBe('x');
    expect(readFileSync(join(site.inboxDir, 'orphaned', unknown, 'night.edf'), 'utf8')).toBe('x');
    expect(readFileSync(join(dir, 'inbox', 'orphaned', orphan), 'utf8')).toBe('only copy');
    expect(existsSync(kept.path)).toBe(true);
    expect((await site.store.recordings.require(lost.id)).fileState).toBe('MISSING');
    expect((await site.store.recordings.require(kept.id)).fileState).toBe('PRESENT');
    await site.close();
  });

  it('updates a row that is older than its file, and leaves a damaged file marked as damaged', async () => {
    await initSite(dir, NEW_SITE);
    let site = await openSite(dir);
    const behind = await addRecording(site.store, site.signalsDir);
    const damagedRow = await addRecording(site.store, site.signalsDir);
    const { sha256, sizeBytes } = await site.store.recordings.require(behind.id);
    await site.store.recordings.restoreFile(behind.id, { sha256: 'e'.repeat(64), sizeBytes: 1 }, SYSTEM);
    for (const { id } of [behind, damagedRow]) await site.store.recordings.setFileState(id, 'DAMAGED', SYSTEM);
    await site.close();
    appendFileSync(damagedRow.path, 'x');
    expect(new Set((await verifySite(dir)).problems.map(({ id }) => id))).toEqual(new Set([behind.id, damagedRow.id]));
    site = await openSite(dir);
    expect(await site.store.recordings.require(behind.id)).toMatchObject({ fileState: 'PRESENT', sha256, sizeBytes });
    expect(await site.store.recordings.require(damagedRow.id)).toMatchObject({ fileState: 'DAMAGED' });
    await site.close();
    expect(new Set((await verifySite(dir)).problems.map(({ id }) => id))).toEqual(new Set([damagedRow.id]));
  });

  it('ignores files and folders that Outpost did not create', async () => {
    await initSite(dir, NEW_SITE);
    const others = ['signals/notes.txt', 'signals/last week.sig', 'images/.thumbs/a.jpg', 'signals/old/a.sig'];
    for (const name of others) {
      mkdirSync(dirname(join(dir, name)), { recursive: true });
      writeFileSync(join(dir, name), 'not ours');
    }
    const site = await openSite(dir);
    expect(site.reconciled).toEqual({
      removedFromInbox: [],
      setAside: [],
      removedSignals: [],
      orphanedSignals: [],
      missingRecordings: [],
    });
    await site.close();
    for (const name of others) expect(readFileSync(join(dir, name), 'utf8')).toBe('not ours');
    const ids = (await verifySite(dir)).problems.map(({ id }) => id).sort();
    expect(ids).toEqual(['last week.sig', 'notes.txt', 'old']);
  });

  it('finds no partial file after kill -9 of the writing process', async () => {
    await initSite(dir, NEW_SITE);
    const script = join(root, 'writer.mjs');
    writeFileSync(
      script,
      `import { openSite } from ${JSON.stringify(new URL('./folder.ts', import.meta.url).href)};
       import { addTestStudy } from ${JSON.stringify(new URL('../testing/test-store.ts', import.meta.url).href)};
       const site = await openSite(${JSON.stringify(dir)});
       const study = await addTestStudy(site.store);
       for (let i = 0; ; i++) {
         const subject = await site.store.subjects.create(study.studyId, { displayName: 'S ' + i, timezone: 'Asia/Tokyo' }, study.byUser);
         process.send(subject.id);
       }`,
    );
    for (let run = 0; run < 3; run++) {
      const writer = fork(script, { execPath: process.execPath, silent: true });
      const acknowledged: string[] = [];
      writer.on('message', (id) => acknowledged.push(id as string));
      await once(writer, 'message');
      await new Promise((resolve) => setTimeout(resolve, 10 + Math.random() * 60));
      writer.kill('SIGKILL');
      await once(writer, 'exit');
      const site = await openSite(dir);
      for (const id of acknowledged) expect((await site.store.subjects.require(id)).timezone).toBe('Asia/Tokyo');
      await site.close();
      expect((await verifySite(dir)).problems).toEqual([]);
    }
  });
});

describe('verify', () => {
  it('finds a recording whose row has other times than its file', async () => {
    await initSite(dir, NEW_SITE);
    const site = await openSite(dir);
    const moved = await addRecording(site.store, site.signalsDir);
    await site.close();
    expect((await verifySite(dir)).problems).toEqual([]);
    const database = new Database(join(dir, 'site.db'));
    database.exec('UPDATE recording SET startUs = startUs - 3600000000, stopUs = stopUs - 3600000000');
    database.close();
    expect((await verifySite(dir)).problems).toMatchObject([
      { step: 'recordings', id: moved.id, message: expect.stringContaining('the database says') },
      // The summaries are those of the recording as it was stored.
      { step: 'summaries', id: moved.study.subjectId, code: 'SUMMARY_WRONG' },
    ]);
  });

  it('reports each kind of damage, and runs while the site is open', async () => {
    await initSite(dir, NEW_SITE);
    const site = await openSite(dir);
    const good = await addRecording(site.store, site.signalsDir);
    const bad = await addRecording(site.store, site.signalsDir);
    const lost = await addRecording(site.store, site.signalsDir);
    const steps = new Set<string>();
    const clean = await verifySite(dir, { onProgress: ({ step }) => steps.add(step) });
    expect(clean).toMatchObject({ problems: [], checked: { recordings: 3 } });
    expect([...steps]).toEqual(['database', 'recordings', 'audit', 'summaries', 'files']);

    const bytes = readFileSync(bad.path);
    bytes[bytes.length >> 1]! ^= 0x40;
    writeFileSync(bad.path, bytes);
    unlinkSync(lost.path);
    const stray = join(dir, 'signals', `${createHash('md5').update('x').digest('hex')}.sig`);
    writeFileSync(stray, 'x');
    utimesSync(stray, 1, 1);
    await site.store.analytics.store(
      {
        studyId: good.study.studyId,
        subjectId: good.study.subjectId,
        algorithmVersion: '1',
        windows: [
          {
            window: { date: '2026-03-02', startMs: 0, stopMs: 1 },
            timezone: 'UTC',
            seconds: new Uint8Array([1, 2, 3]),
            sleep: [],
            inputsHash: 'x',
          },
        ],
        days: [],
      },
      SYSTEM,
    );
    const report = await verifySite(dir, { auditSince: { sequence: 1, hash: 'f'.repeat(64) } });
    const about = (step: string) =>
      report.problems.filter((problem) => problem.step === step).map((problem) => problem.id);
    expect(new Set(about('recordings'))).toEqual(new Set([bad.id, lost.id]));
    expect(about('audit')).toEqual(['1']);
    expect(about('analytics')).toEqual([good.study.subjectId]);
    expect(about('files')).toHaveLength(1);
    await site.close();
  });

  it.each([
    ['changed', "DROP TRIGGER auditNoUpdate; UPDATE audit SET reason = 'forged' WHERE sequence = 2", '2', 'changed'],
    ['deleted', 'DROP TRIGGER auditNoDelete; DELETE FROM audit WHERE sequence = 1', '2', '1 to 1 are missing'],
    ['truncated', 'DROP TRIGGER auditNoDelete; DELETE FROM audit WHERE sequence = 2', '1', 'last 1 audit rows'],
  ])('finds an audit row that was %s', async (_how, sql, id, words) => {
    await initSite(dir, NEW_SITE);
    const database = new Database(join(dir, 'site.db'));
    expect(() => database.exec('DELETE FROM audit')).toThrow('append-only');
    expect(() => database.exec("UPDATE audit SET reason = 'x'")).toThrow('append-only');
    database.exec(sql);
    database.close();
    expect((await verifySite(dir)).problems).toMatchObject([
      { step: 'audit', id, message: expect.stringContaining(words) },
    ]);
  });
});

describe('a slow query', () => {
  it('is reported by name', async () => {
    const slow: string[] = [];
    const store = openStore(join(root, 'slow.db'), {
      mode: 'create',
      slowQueryMs: 0,
      onSlowQuery: ({ name }) => slow.push(name),
    });
    await store.accounts.list();
    await store.close();
    expect(slow).toEqual(['accounts.list']);
  });
});
