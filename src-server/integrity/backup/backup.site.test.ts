import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  appendFileSync,
  closeSync,
  existsSync,
  linkSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  rmSync,
  statfsSync,
  statSync,
  truncateSync,
  unlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { readDatabaseCheck, SYSTEM, writeDatabaseCheck } from '../../db/index.ts';
import { syncPointText } from '../../db/sync-point-text.ts';
import { DAY_MS } from '../../durations.ts';
import { OutpostError } from '../../errors.ts';
import { columnPath } from '../../files/column-files.ts';
import { sha256Hex } from '../../files/content-hash.ts';
import { clockPath, mapThrough, writeClockMap } from '../../signals/index.ts';
import { openSite, type SiteFolder } from '../../site/folder.ts';
import { storeTestAnalytics } from '../../testing/test-analytics.ts';
import { addTestRecording } from '../../testing/test-recording.ts';
import { makeTestSite, type TestSite } from '../../testing/test-site.ts';
import { verifySite } from '../verify.ts';
import { checkBackup } from './check.ts';
import { backupPath, listBackups } from './folder.ts';
import { checkedBackup, removeLocked, removeOutdated } from './keep.ts';
import { makeBackup } from './make.ts';
import { contentPath, databaseMembers, encodeManifest } from './manifest.ts';
import { restoreSite } from './restore.ts';
import { SECOND } from './second-copies.ts';
import { openBackup, openFolderBackup } from './sources.ts';
import { readSource, readSummary, SOURCE_FILE, summaryOf } from './summary.ts';

const NOW = Date.UTC(2026, 2, 2, 9);

const DATES = ['2026-03-01', '2026-03-02'];

let parent: string;
let site: TestSite;
let to: string;
beforeEach(async () => {
  parent = await mkdtemp(join(tmpdir(), 'outpost-backup-'));
  to = join(parent, 'backups');
  site = await makeTestSite();
  await inSite(async (folder) => {
    for (const startUs of [1, 2]) await addRecording(folder, startUs * 3600e6);
    await storeTestAnalytics(
      folder.store,
      { studyId: site.studyId, subjectId: site.subjectIds[0]! },
      'US/Eastern',
      DATES,
      [{ startMs: NOW - DAY_MS, stopMs: NOW }],
    );
    writeFileSync(join(folder.imagesDir, 'picture.jpg'), 'a picture');
    const place = { studyId: site.studyId, subjectId: site.subjectIds[0]! };
    const image = { file: 'picture.jpg', mimeType: 'image/jpeg', sizeBytes: 9 };
    await folder.store.messages.post({ ...place, body: 'Look', image }, SYSTEM_USER());
  });
});
afterEach(async () => {
  await site.remove();
  await rm(parent, { recursive: true, force: true });
});

const SYSTEM_USER = () => ({ actor: { type: 'USER', id: site.userId } }) as const;

async function inSite<T>(work: (folder: SiteFolder) => Promise<T>, dir = site.dir): Promise<T> {
  const folder = await openSite(dir);
  try {
    return await work(folder);
  } finally {
    await folder.close();
  }
}

function addRecording(folder: SiteFolder, startUs: number) {
  const place = { studyId: site.studyId, subjectId: site.subjectIds[0]! };
  return addTestRecording(folder.store, folder.signalsDir, place, { startUs });
}

function backUp(options: { to?: string; nowTs?: number; reason?: 'manual' | 'scheduled' } = {}) {
  return makeBackup({ siteDir: site.dir, to, reason: 'manual', nowTs: NOW, ...options });
}

/** Changes one byte of a file in place. */
function spoil(path: string): void {
  const handle = openSync(path, 'r+');
  const { size } = statSync(path);
  const byte = Buffer.alloc(1);
  readSync(handle, byte, 0, 1, size >> 1);
  writeSync(handle, Buffer.from([byte[0]! ^ 1]), 0, 1, size >> 1);
  closeSync(handle);
}

/** As an earlier version left a backup: its own files are there once. */
const withoutSecondCopies = (path: string) => rmSync(join(path, SECOND), { recursive: true });

const signalsOf = (dir: string) =>
  readdirSync(join(dir, 'signals'))
    .filter((name) => name.endsWith('.sig'))
    .sort();

/** Column files by their path, with their content. */
const columnsOf = (dir: string) =>
  readdirSync(join(dir, 'columns'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.opa'))
    .sort()
    .map((name) => [name, readFileSync(join(dir, 'columns', name)).toString('base64')]);

async function expectSame(restored: string) {
  const { problems, checked } = await verifySite(restored);
  expect(problems).toEqual([]);
  expect(checked).toMatchObject({ windows: DATES.length, unusedColumnFiles: 0 });
  expect(columnsOf(restored)).toEqual(columnsOf(site.dir));
  expect(signalsOf(restored)).toEqual(signalsOf(site.dir));
  for (const name of signalsOf(restored)) {
    const bytes = readFileSync(join(restored, 'signals', name));
    expect(bytes.equals(readFileSync(join(site.dir, 'signals', name)))).toBe(true);
  }
  expect(readFileSync(join(restored, 'images', 'picture.jpg'), 'utf8')).toBe('a picture');
  expect(readFileSync(join(restored, 'site.json'), 'utf8')).toBe(readFileSync(join(site.dir, 'site.json'), 'utf8'));
  expect(statSync(restored).mode & 0o077).toBe(0);
}

/** Bytes of the pieces of the database that the second backup has and the first has not. */
async function newPieces(first: string, second: string): Promise<number> {
  const [before, after] = await Promise.all(
    [first, second].map(async (path) => databaseMembers((await openBackup(path)).manifest.database)),
  );
  const known = new Set(before!.map(({ content }) => content.sha256));
  const added = new Map(after!.map(({ content }) => [content.sha256, content.sizeBytes]));
  for (const hash of known) added.delete(hash);
  return [...added.values()].reduce((sum, size) => sum + size, 0);
}

describe('a backup', () => {
  it.each(['folder', 'zip'])('as %s restores to the same site, which passes verification', async (kind) => {
    const place = kind === 'zip' ? join(parent, 'site.zip') : to;
    const made = await backUp({ to: place });
    expect(made).toMatchObject({ recordings: 2, problems: [] });
    expect(made.newBytes).toBeGreaterThan(10_000);
    const restored = join(parent, 'restored');
    expect(await restoreSite(place, restored)).toMatchObject({ backupId: made.id, createdTs: NOW, problems: [] });
    await expectSame(restored);
    await inSite(async ({ store }) => {
      const [newest] = await store.audit.list({ limit: 1 });
      expect(newest).toMatchObject({ action: 'site.restore', changes: { backup: { new: made.id } } });
    }, restored);
  });

  it('of a running site has everything stored when it began, and adds only new content', async () => {
    await inSite(async (folder) => {
      const first = await backUp();
      const later = await addRecording(folder, 9 * 3600e6);
      const second = await backUp({ nowTs: NOW + 1000 });
      // Of the database, the pieces that changed: not what the site already held.
      const pieces = await newPieces(first.path, second.path);
      expect(second.newBytes).toBe(pieces + later.sizeBytes);
      expect(existsSync(join(second.path, 'site.db'))).toBe(false);
      expect(second.recordings).toBe(first.recordings + 1);
      expect((await listBackups(to)).map(({ id }) => id)).toEqual([second.id, first.id]);
      await restoreSite(first.path, join(parent, 'first'));
      expect(signalsOf(join(parent, 'first'))).toHaveLength(2);
      await restoreSite(to, join(parent, 'newest'));
      expect(signalsOf(join(parent, 'newest'))).toHaveLength(3);
    });
  });

  it('in the folder of the site has copies that damage in place does not reach', async () => {
    const place = join(site.dir, 'backups');
    const first = await backUp({ to: place });
    const [name, other] = signalsOf(site.dir).map((signal) => join(site.dir, 'signals', signal));
    for (const path of [name, other]) expect(statSync(path!).nlink).toBe(1);
    const bytes = readFileSync(name!);
    spoil(name!);
    const second = await backUp({ to: place, nowTs: NOW + 1000 });
    expect(second).toMatchObject({ outcome: 'complete', lacking: [] });
    for (const { path } of [first, second]) {
      const restored = join(parent, path.slice(-8));
      expect(await restoreSite(path, restored)).toMatchObject({ outcome: 'complete', lost: [] });
      expect(readFileSync(join(restored, 'signals', basename(name!))).equals(bytes)).toBe(true);
    }
  });

  it('replaces hard links that an older version made to files of the site', async () => {
    const place = join(site.dir, 'backups');
    const { path } = await backUp({ to: place });
    const { manifest } = await openBackup(path);
    const signal = manifest.files.find((file) => file.path.endsWith('.sig'));
    const held = join(place, contentPath(signal?.sha256 ?? ''));
    const original = join(site.dir, signal?.path ?? '');
    rmSync(held);
    linkSync(original, held);
    await backUp({ to: place, nowTs: NOW + 1000 });
    expect([statSync(held).nlink, statSync(original).nlink]).toEqual([1, 1]);
  });

  it("detects damage on its disk or the site's within 28 backups, and repairs its own copy", async () => {
    const { path } = await backUp();
    const { manifest } = await openBackup(path);
    const [mine, sites] = manifest.files.filter((file) => file.path.endsWith('.sig'));
    spoil(join(to, contentPath(mine!.sha256)));
    spoil(join(site.dir, sites!.path));
    const found = new Set<string>();
    for (let i = 1; i <= 28; i++)
      for (const problem of (await backUp({ nowTs: NOW + i * 1000 })).problems) found.add(problem);
    expect([...found]).toEqual([
      expect.stringMatching(`${sites!.path} is missing or damaged in the site.* contains a good copy`),
    ]);
    expect(await checkBackup(await openBackup(path))).toEqual([]);
  });

  it('keeps the last good copy of a file lost in the site, regardless of which backups are deleted', async () => {
    const day = DAY_MS;
    await backUp({ nowTs: NOW - 2 * day, reason: 'scheduled' });
    const [damaged, missing] = signalsOf(site.dir);
    const whole = [damaged, missing].map((name) => readFileSync(join(site.dir, 'signals', name!)));
    appendFileSync(join(site.dir, 'signals', damaged!), 'x');
    unlinkSync(join(site.dir, 'signals', missing!));
    for (const nowTs of [NOW - day, NOW]) {
      const made = await backUp({ nowTs, reason: 'scheduled' });
      expect(made).toMatchObject({ outcome: 'complete', lacking: [] });
      expect(made.problems).toEqual([damaged, missing].map((name) => expect.stringContaining(`${name} is missing or`)));
      await removeOutdated(to, made.id, { keepDaily: 1, keepWeekly: 0 }, NOW);
    }
    expect(await listBackups(to)).toHaveLength(1);
    const restored = join(parent, 'restored');
    expect(await restoreSite(to, restored)).toMatchObject({ outcome: 'complete', lost: [] });
    expect([damaged, missing].map((name) => readFileSync(join(restored, 'signals', name!)))).toEqual(whole);
    expect((await verifySite(restored)).problems).toEqual([]);
  });

  it('keeps the clock map of a recording, also when it was lost or damaged in the site since', async () => {
    const [name] = signalsOf(site.dir);
    const path = clockPath(join(site.dir, 'signals', name!));
    const map = mapThrough([{ sensorUs: 5, hostUs: 5 }]);
    await writeClockMap(path, map);
    const recordingId = basename(name!, '.sig');
    const clock = { sensorStartUs: 0, sensorStopUs: 0, startOffsetUs: 0, driftPpm: 0, leftOut: 0 };
    const sqlite = new Database(join(site.dir, 'site.db'));
    const columns = { recordingId, ...clock, knots: syncPointText(map.knots) };
    const marks = Object.keys(columns).map((column) => `@${column}`);
    sqlite.prepare(`INSERT INTO recordingClock (${Object.keys(columns).join()}) VALUES (${marks.join()})`).run(columns);
    sqlite.close();
    const whole = readFileSync(path);
    expect(await backUp({ nowTs: NOW - DAY_MS })).toMatchObject({ problems: [], lacking: [] });

    truncateSync(path, 20);
    expect((await backUp()).problems).toEqual([expect.stringContaining(basename(path))]);
    unlinkSync(path);
    expect(await backUp({ nowTs: NOW + DAY_MS })).toMatchObject({ outcome: 'complete', lacking: [] });
    const restored = join(parent, 'restored');
    expect(await restoreSite(to, restored)).toMatchObject({ outcome: 'complete', lost: [] });
    expect(readFileSync(join(restored, 'signals', basename(path)))).toEqual(whole);
    expect((await verifySite(restored)).problems).toEqual([]);
  });

  it('stores content again that is truncated in its folder, and reads what it writes back', async () => {
    const { path, newBytes } = await backUp();
    const { manifest } = await openBackup(path);
    const [signal] = manifest.files.filter((file) => file.path.endsWith('.sig'));
    const [piece] = databaseMembers(manifest.database);
    truncateSync(join(to, contentPath(signal!.sha256)), 100);
    truncateSync(join(to, piece!.path), 100);
    const again = await backUp({ nowTs: NOW + 1000 });
    expect(again.newBytes).toBe(signal!.sizeBytes + piece!.content.sizeBytes);
    expect(again.newBytes).toBeLessThan(newBytes);
    expect(await checkBackup(await openBackup(path))).toEqual([]);
  });

  it('records that it read the whole of a large database, unless the site is in doubt about it', async () => {
    const database = join(site.dir, 'site.db');
    await backUp();
    expect(readDatabaseCheck(database)).toBeUndefined();
    const sqlite = new Database(database);
    sqlite.prepare('UPDATE message SET body = ?').run('x'.repeat(17 << 20));
    sqlite.close();
    const { path } = await backUp();
    const { manifest } = await openBackup(path);
    const sound = { checkedTs: NOW, problems: [], auditSequence: manifest.auditHead.sequence };
    expect(readDatabaseCheck(database)).toMatchObject(sound);
    const damaged = { ...readDatabaseCheck(database)!, problems: ['page 7 is damaged'] };
    writeDatabaseCheck(database, damaged);
    await backUp({ nowTs: NOW + 1000 });
    expect(readDatabaseCheck(database)).toEqual(damaged);
  });

  it('in the folder of the site survives the deletion of a file there', async () => {
    const made = await backUp({ to: join(site.dir, 'backups') });
    const [name] = signalsOf(site.dir);
    const bytes = readFileSync(join(site.dir, 'signals', name!));
    unlinkSync(join(site.dir, 'signals', name!));
    await restoreSite(made.path, join(parent, 'restored'));
    expect(readFileSync(join(parent, 'restored', 'signals', name!)).equals(bytes)).toBe(true);
    expect(statSync(join(parent, 'restored', 'signals', name!)).nlink).toBe(1);
    expect((await verifySite(join(parent, 'restored'))).problems).toEqual([]);
  });

  it('can be made of a site with a missing and a damaged file, and reports them', async () => {
    const [damaged, missing] = signalsOf(site.dir);
    appendFileSync(join(site.dir, 'signals', damaged!), 'x');
    unlinkSync(join(site.dir, 'signals', missing!));
    for (const place of [to, join(parent, 'site.zip')]) {
      const made = await backUp({ to: place });
      expect(made.problems).toEqual([
        expect.stringContaining(`${damaged} is damaged`),
        expect.stringContaining(`${missing} is missing`),
      ]);
      const lacking = [`signals/${damaged}`, `signals/${missing}`];
      expect(made).toMatchObject({ outcome: 'incomplete', lacking });
      const restored = join(parent, place === to ? 'a' : 'b');
      expect(await restoreSite(place, restored)).toMatchObject({
        outcome: 'incomplete',
        lost: [
          { file: lacking[0], recordingId: damaged!.slice(0, -4), state: 'DAMAGED' },
          { file: lacking[1], recordingId: missing!.slice(0, -4), state: 'MISSING' },
        ],
      });
      const problems = (await verifySite(restored)).problems.map(({ id }) => id);
      expect(new Set(problems)).toEqual(new Set([damaged!.slice(0, -4), missing!.slice(0, -4)]));
    }
  });

  it('can be made of a site in which files cannot be read, and has them from an earlier backup', async () => {
    const lacking = [...signalsOf(site.dir).map((name) => `signals/${name}`), 'images/picture.jpg'].sort();
    const earlier = join(parent, 'earlier');
    await backUp({ to: earlier });
    // A folder in place of a file can be opened and not read, as a file on a bad sector.
    for (const path of lacking) {
      rmSync(join(site.dir, path));
      mkdirSync(join(site.dir, path));
    }
    for (const [i, place] of [to, join(parent, 'site.zip')].entries()) {
      const made = await backUp({ to: place });
      expect({ ...made, lacking: made.lacking.sort() }).toMatchObject({ outcome: 'incomplete', lacking });
      expect(made.damagedInSite.map(({ file }) => file).sort()).toEqual(lacking);
      expect((await restoreSite(place, join(parent, `restored-${i}`))).lost.map(({ file }) => file)).toEqual(lacking);
    }
    const made = await backUp({ to: earlier });
    expect(made.damagedInSite).toHaveLength(lacking.length);
    expect(made.lacking).toEqual(['images/picture.jpg']);
  });

  it('of a database with broken pages is refused with SITE_CORRUPT and leaves nothing', async () => {
    const bytes = readFileSync(join(site.dir, 'site.db'));
    bytes.fill(0xa5, 4096, 4096 * 12);
    writeFileSync(join(site.dir, 'site.db'), bytes);
    await expect(backUp()).rejects.toMatchObject({ code: 'SITE_CORRUPT' });
    expect(readdirSync(to)).toEqual(['backups.lock']);
  });

  it('is refused with BACKUP_BUSY while another is made in the same folder', async () => {
    const both = await Promise.allSettled([backUp(), backUp({ nowTs: NOW + 1000 })]);
    expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(both.find(({ status }) => status === 'rejected')).toMatchObject({
      reason: { code: 'BACKUP_BUSY', message: expect.stringContaining(`process ${process.pid}`) },
    });
    expect(await listBackups(to)).toHaveLength(1);
  });

  it('on a full disk names the disk, leaves nothing, and works once there is room', async (context) => {
    const disk = join(parent, 'disk');
    mkdirSync(disk);
    try {
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=3m', 'tmpfs', disk], { stdio: 'ignore' });
    } catch {
      return context.skip('mounting needs root');
    }
    try {
      for (const freeKiB of [8, 300, 410]) {
        const filler = join(disk, 'filler');
        writeFileSync(filler, randomBytes(3 * 1024 * 1024 - 64 * 1024 - freeKiB * 1024));
        const full = { code: 'DISK_FULL', message: expect.stringContaining(disk) };
        await expect(backUp({ to: join(disk, 'b') })).rejects.toMatchObject(full);
        expect(existsSync(join(disk, 'b')) ? await listBackups(join(disk, 'b')) : []).toEqual([]);
        expect(readdirSync(join(disk, 'b')).filter((name) => name.endsWith('.partial'))).toEqual([]);
        await expect(backUp({ to: join(disk, 'site.zip') })).rejects.toMatchObject(full);
        unlinkSync(filler);
        expect(readdirSync(disk).filter((name) => /zip|\.db/.test(name))).toEqual([]);
      }
      const made = await backUp({ to: join(disk, 'b') });
      // A backup that finds no room leaves the older one as it was.
      const left = statfsSync(disk);
      writeFileSync(join(disk, 'filler'), randomBytes(left.bavail * left.bsize - 8 * 1024));
      await expect(backUp({ to: join(disk, 'b') })).rejects.toMatchObject({ code: 'DISK_FULL' });
      unlinkSync(join(disk, 'filler'));
      expect(await listBackups(join(disk, 'b'))).toHaveLength(1);
      expect(await checkBackup(await openBackup(made.path))).toEqual([]);
      const room = statfsSync(disk);
      // Less than the database of the restored site needs.
      writeFileSync(join(disk, 'filler'), randomBytes(room.bavail * room.bsize - 300 * 1024));
      await expect(restoreSite(made.path, join(disk, 'r'))).rejects.toMatchObject({
        code: 'DISK_FULL',
        message: expect.stringContaining(disk),
      });
      expect(
        existsSync(join(disk, 'r')) ? readdirSync(join(disk, 'r')).filter((name) => name !== 'site.lock') : [],
      ).toEqual([]);
    } finally {
      execFileSync('umount', ['-l', disk], { stdio: 'ignore' });
    }
  });
});

describe('column files', () => {
  const fileOf = (dir: string, i: number) => join(dir, 'columns', columnsOf(dir)[i]![0]!);

  it('that are damaged or lost are found by verify, and come back damaged from no backup made before', async () => {
    await backUp();
    spoil(fileOf(site.dir, 0));
    rmSync(fileOf(site.dir, 1));
    writeFileSync(join(site.dir, 'columns', 'notes.txt'), 'mine');
    const found = (await verifySite(site.dir)).problems.map(({ step, code, message }) => ({ step, code, message }));
    expect(found.map(({ step, code }) => [step, code])).toEqual([
      ['analytics', 'ANALYTICS_DAMAGED'],
      ['analytics', 'ANALYTICS_DAMAGED'],
      ['files', 'COLUMN_FILE_FOREIGN'],
    ]);
    for (const word of ['damaged', 'missing']) expect(found.map(({ message }) => message).join(' ')).toContain(word);
    const made = await backUp({ nowTs: NOW + 1 });
    expect(made).toMatchObject({ outcome: 'complete', damagedInSite: [expect.objectContaining({ isMissing: true })] });
    const restored = join(parent, 'restored');
    await restoreSite(to, restored);
    expect((await verifySite(restored)).problems).toEqual([]);
  });

  it('without a row are counted, not reported', async () => {
    const stray = join(site.dir, columnPath('ab'.repeat(32)));
    mkdirSync(join(stray, '..'), { recursive: true });
    writeFileSync(stray, 'never committed');
    expect(await verifySite(site.dir)).toMatchObject({ problems: [], checked: { unusedColumnFiles: 1 } });
  });

  it('named by the wrong row are found by verify', async () => {
    const database = new Database(join(site.dir, 'site.db'));
    database.exec(
      `UPDATE analyticsWindow SET (columnsSha256, columnsBytes) =
        (SELECT other.columnsSha256, other.columnsBytes FROM analyticsWindow AS other WHERE other.date = '2026-03-02')
       WHERE date = '2026-03-01'`,
    );
    database.close();
    const { problems } = await verifySite(site.dir);
    expect(problems).toMatchObject([{ code: 'ANALYTICS_DAMAGED', message: expect.stringMatching(/another time/) }]);
  });
});

describe('restore', () => {
  it('refuses a folder that holds a site or other files, and changes nothing in it', async () => {
    await backUp();
    const before = readFileSync(join(site.dir, 'site.db'));
    await expect(restoreSite(to, site.dir)).rejects.toMatchObject({ code: 'SITE_EXISTS' });
    expect(readFileSync(join(site.dir, 'site.db')).equals(before)).toBe(true);
    writeFileSync(join(parent, 'mine.txt'), 'mine');
    await expect(restoreSite(to, parent)).rejects.toMatchObject({ code: 'SITE_EXISTS' });
    mkdirSync(join(parent, 'empty'));
    await restoreSite(to, join(parent, 'empty'));
  });

  it.each([false, true])(
    'reads all of the backup first (strict: %s): nothing comes of one without a whole manifest, database and site.json',
    async (isStrict) => {
      const made = await backUp();
      withoutSecondCopies(made.path);
      const { manifest } = await openBackup(made.path);
      const members = [
        join(made.path, 'manifest.json'),
        ...manifest.database.chunks!.map((hash) => join(to, contentPath(hash))),
        join(made.path, 'site.json'),
        ...(isStrict ? manifest.files.map(({ sha256 }) => join(to, contentPath(sha256))) : []),
      ];
      for (const path of members) {
        const bytes = readFileSync(path);
        const spoilt = Buffer.from(bytes);
        spoilt[spoilt.length >> 1]! ^= 1;
        writeFileSync(path, spoilt);
        const target = join(parent, 'never');
        await expect(restoreSite(made.path, target, { isStrict })).rejects.toMatchObject({ code: 'FILE_DAMAGED' });
        expect(existsSync(target)).toBe(false);
        rmSync(path);
        await expect(restoreSite(made.path, target, { isStrict })).rejects.toMatchObject({ code: 'FILE_DAMAGED' });
        expect(existsSync(target)).toBe(false);
        writeFileSync(path, bytes);
      }
      await restoreSite(made.path, join(parent, 'restored'));
    },
  );

  it('restores every intact file, names the rest, and the site shows them as damaged or missing', async () => {
    const made = await backUp();
    const { manifest } = await openBackup(made.path);
    const [spoilt, gone] = manifest.files.filter(({ path }) => path.endsWith('.sig'));
    spoil(join(to, contentPath(spoilt!.sha256)));
    unlinkSync(join(to, contentPath(gone!.sha256)));
    const [spoiltId, goneId] = [spoilt!, gone!].map(({ path }) => path.slice('signals/'.length, -'.sig'.length));
    const restored = join(parent, 'restored');
    const outcome = await restoreSite(made.path, restored);
    expect(outcome).toMatchObject({
      outcome: 'incomplete',
      recordings: 1,
      lost: [
        { file: spoilt!.path, recordingId: spoiltId, state: 'DAMAGED' },
        { file: gone!.path, recordingId: goneId, state: 'MISSING' },
      ],
      problems: [expect.stringContaining('damaged'), expect.stringContaining('missing')],
    });
    await inSite(async ({ store }) => {
      expect(Object.fromEntries(await store.recordings.fileStates())).toEqual({
        [spoiltId!]: 'DAMAGED',
        [goneId!]: 'MISSING',
      });
    }, restored);
    const problems = (await verifySite(restored)).problems.map(({ id }) => id);
    expect(new Set(problems)).toEqual(new Set([spoiltId, goneId]));
    expect(readFileSync(join(restored, 'images', 'picture.jpg'), 'utf8')).toBe('a picture');
  });

  it('refuses a backup of a newer Outpost with advice', async () => {
    const made = await backUp();
    withoutSecondCopies(made.path);
    const { manifest } = await openBackup(made.path);
    const write = (value: object) => {
      const { text, sum } = encodeManifest({ ...manifest, ...value });
      writeFileSync(join(made.path, 'manifest.json'), text);
      writeFileSync(join(made.path, 'manifest.sha256'), sum);
    };
    for (const newer of [
      { schemaVersion: 99_990, programVersion: '9.1.0' },
      { format: 3, programVersion: '9.1.0' },
    ]) {
      write(newer);
      await expect(restoreSite(made.path, join(parent, 'never'))).rejects.toMatchObject({
        code: 'SITE_NEWER',
        message: expect.stringMatching(/newer Outpost \(9\.1\.0.*Install that version/),
      });
    }
    write({ files: [{ ...manifest.files[0], path: '../../evil.sig' }] });
    await expect(restoreSite(made.path, join(parent, 'never'))).rejects.toMatchObject({ code: 'FILE_DAMAGED' });
    expect(existsSync(join(parent, 'never'))).toBe(false);
  });

  it('ends pending imports, because their files are not in the backup', async () => {
    await inSite(async ({ store, inboxDir }) => {
      const paths = [join(inboxDir, 'upload', 'night.edf')];
      mkdirSync(join(inboxDir, 'upload'));
      writeFileSync(paths[0]!, 'x');
      const payload = { studyId: site.studyId, subjectId: site.subjectIds[0]!, paths, options: {}, ownsFiles: true };
      await store.jobs.add({ kind: 'import', payload }, SYSTEM);
    });
    await backUp();
    await restoreSite(to, join(parent, 'restored'));
    await inSite(
      async ({ store }) => {
        expect(await store.jobs.unfinished()).toEqual([]);
        expect(await store.jobs.list({ kind: 'import', limit: 9 })).toMatchObject([
          { state: 'failed', error: { message: expect.stringContaining('Import them again') } },
        ]);
      },
      join(parent, 'restored'),
    );
  });
});

describe('old backups', () => {
  it('are removed by the retention rule with content that no other uses; manual ones stay', async () => {
    const day = DAY_MS;
    const byHand = await backUp({ nowTs: NOW - 9 * day });
    const first = await backUp({ nowTs: NOW - 8 * day, reason: 'scheduled' });
    const lost = await inSite((folder) => addRecording(folder, 5 * 3600e6));
    const second = await backUp({ nowTs: NOW - day, reason: 'scheduled' });
    const database = new Database(join(site.dir, 'site.db'));
    database.pragma('foreign_keys = OFF');
    database.prepare('DELETE FROM recording WHERE id = ?').run(lost.id);
    database.close();
    const third = await backUp({ nowTs: NOW, reason: 'scheduled' });
    const content = join(to, contentPath(lost.sha256));
    expect(existsSync(content)).toBe(true);
    expect(await removeOutdated(to, third.id, { keepDaily: 1, keepWeekly: 0 }, NOW)).toEqual([second.id, first.id]);
    expect((await listBackups(to)).map(({ id }) => id)).toEqual([third.id, byHand.id]);
    expect(existsSync(content)).toBe(false);
    await restoreSite(byHand.path, join(parent, 'restored'));
    await expect(removeLocked(to, ['20200101T000000Z-00000000'])).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('that are damaged are detected by a check and repaired by the next backup', async () => {
    const made = await backUp();
    const { manifest } = await openBackup(made.path);
    const path = join(to, contentPath(manifest.files[0]!.sha256));
    const bytes = readFileSync(path);
    bytes[10]! ^= 1;
    writeFileSync(path, bytes);
    const read = async (source: { path: string; contentRoot: string }) =>
      await checkBackup(await openFolderBackup(source.path, source.contentRoot));
    const check = await checkedBackup(to, made.id, NOW, read);
    expect(check.problems).toEqual([expect.stringContaining('damaged')]);
    expect((await listBackups(to))[0]!.check).toEqual(check);
    const next = await backUp({ nowTs: NOW + 1000 });
    expect(next.newBytes).toBeGreaterThanOrEqual(manifest.files[0]!.sizeBytes);
    expect((await checkedBackup(to, made.id, NOW, read)).problems).toEqual([]);
    // So is a piece of the database.
    spoil(join(to, contentPath(manifest.database.chunks![3]!)));
    expect((await checkedBackup(to, made.id, NOW, read)).problems).toEqual([expect.stringContaining('site.db')]);
    await backUp({ nowTs: NOW + 2000 });
    expect((await checkedBackup(to, made.id, NOW, read)).problems).toEqual([]);
    await restoreSite(made.path, join(parent, 'restored'));
  });

  it('never look complete once their removal has begun', async () => {
    const made = await backUp();
    linkSync(join(made.path, 'manifest.json'), join(parent, 'kept.json'));
    await removeLocked(to, [made.id]);
    expect(existsSync(backupPath(to, made.id))).toBe(false);
    expect(readdirSync(join(to, 'files')).flatMap((folder) => readdirSync(join(to, 'files', folder)))).toEqual([]);
  });
});

describe('the summary of a backup', () => {
  it('is all that a list reads, and the manifest counts where content is removed', async () => {
    const first = await backUp();
    const second = await backUp({ nowTs: NOW + 1000 });
    const [listed] = await listBackups(to);
    expect(listed!.summary).toEqual(summaryOf((await openBackup(second.path)).manifest));
    withoutSecondCopies(first.path);
    // The manifest of the first is as long as it was: only its hash says that it changed.
    spoil(join(first.path, 'manifest.json'));
    expect((await listBackups(to)).map(({ id, problem }) => [id, problem])).toEqual([
      [second.id, undefined],
      [first.id, undefined],
    ]);
    const before = readdirSync(join(to, 'files'), { recursive: true }).length;
    await removeLocked(to, [second.id]);
    expect(readdirSync(join(to, 'files'), { recursive: true })).toHaveLength(before);
    expect((await listBackups(to))[0]).toMatchObject({ id: first.id, problem: { code: 'BACKUP_UNREADABLE' } });
  });

  it.each(['absent', 'damaged'])('that is %s is made again from the manifest by the next backup', async (what) => {
    const made = await backUp();
    const [listed] = await listBackups(to);
    const sums = join(made.path, 'manifest.sha256');
    const [line] = readFileSync(sums, 'utf8').split('\n');
    const summary = join(made.path, 'summary.json');
    if (what === 'damaged') spoil(summary);
    else {
      writeFileSync(sums, `${line}\n`);
      rmSync(summary);
    }
    expect(await readSummary(made.path)).toBeUndefined();
    expect(await listBackups(to)).toEqual([listed]);
    await backUp({ nowTs: NOW + 1000 });
    expect(await readSummary(made.path)).toEqual(listed!.summary);
    // The form of sha256sum, which checks both.
    for (const sum of readFileSync(sums, 'utf8').trimEnd().split('\n')) {
      const [hash, name] = sum.split('  ');
      expect(sha256Hex(readFileSync(join(made.path, name!)))).toBe(hash);
    }
    await restoreSite(made.path, join(parent, 'restored'));
  });
});

it('restores from the newest backup whose manifest is intact', async () => {
  const first = await backUp();
  const second = await backUp({ nowTs: NOW + 1000 });
  spoil(join(second.path, 'manifest.json'));
  expect(await restoreSite(to, join(parent, 'from-second-copy'))).toMatchObject({ backupId: second.id });
  for (const { path } of [first, second]) withoutSecondCopies(path);
  expect(await restoreSite(to, join(parent, 'restored'))).toMatchObject({ backupId: first.id });
  spoil(join(first.path, 'manifest.json'));
  await expect(restoreSite(to, join(parent, 'never'))).rejects.toMatchObject({
    code: 'NOT_FOUND',
    message: expect.stringContaining('does not match'),
  });
});

describe('the database in a backup', () => {
  const piecesIn = (folder: string) =>
    readdirSync(join(folder, 'files'), { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
      .length;

  it('is stored by pieces: one row more costs a few of them, and no change none', async () => {
    await inSite(async ({ store }) => {
      await backUp();
      expect((await backUp({ nowTs: NOW + 1000 })).newBytes).toBe(0);
      await store.audit.note(SYSTEM, { action: 'test', entityType: 'site', entityId: 'x' });
      const { newBytes } = await backUp({ nowTs: NOW + 2000 });
      expect(newBytes).toBeGreaterThan(0);
      expect(newBytes).toBeLessThanOrEqual(5 * 65_536);
    });
  });

  it('is read again only if something was written to its file since the last backup', async () => {
    const bytesIn = async (folder: string) => {
      const { manifest } = await openBackup(folder);
      return Buffer.concat(databaseMembers(manifest.database).map(({ path }) => readFileSync(join(to, path))));
    };
    const database = join(site.dir, 'site.db');
    // The last write may have been a moment ago, and another could have the same time.
    expect((await readSource((await backUp()).path))?.identity).toBeUndefined();
    const nowTs = Date.now();
    const clock = vi.spyOn(Date, 'now').mockImplementation(() => nowTs + 60_000);
    try {
      const first = await backUp({ nowTs: NOW + 1000 });
      const same = await backUp({ nowTs: NOW + 2000 });
      expect((await bytesIn(same.path)).equals(readFileSync(database))).toBe(true);
      expect(await readSource(same.path)).toEqual(await readSource(first.path));

      // What it would read from the file instead of the list of the backup before, it would store.
      const source = await readSource(same.path);
      const chunks = source!.database.chunks!.slice(1);
      const sizeBytes = source!.database.sizeBytes - source!.database.chunkBytes!;
      const text = JSON.stringify({ ...source, database: { ...source!.database, chunks, sizeBytes } });
      writeFileSync(join(same.path, SOURCE_FILE), text);
      expect(await readSource(same.path)).toBeUndefined();
      const whole = await backUp({ nowTs: NOW + 3000 });
      expect((await bytesIn(whole.path)).equals(readFileSync(database))).toBe(true);
      writeFileSync(join(whole.path, SOURCE_FILE), text);
      const sums = join(whole.path, 'manifest.sha256');
      const [manifestSum, summarySum] = readFileSync(sums, 'utf8').split('\n');
      writeFileSync(sums, `${manifestSum}\n${summarySum}\n${sha256Hex(text)}  ${SOURCE_FILE}\n`);
      const trusting = await backUp({ nowTs: NOW + 4000 });
      expect((await openBackup(trusting.path)).manifest.database.chunks).toEqual(chunks);

      const sqlite = new Database(database);
      sqlite.exec("UPDATE message SET body = 'Changed'");
      sqlite.close();
      const after = await backUp({ nowTs: NOW + 5000 });
      expect((await bytesIn(after.path)).equals(readFileSync(database))).toBe(true);
      await removeLocked(to, [trusting.id]);
      rmSync(join(to, databaseMembers((await openBackup(after.path)).manifest.database)[0]!.path));
      const mended = await backUp({ nowTs: NOW + 6000 });
      expect(mended.newBytes).toBe(source!.database.chunkBytes);
      expect(await checkBackup(await openBackup(mended.path))).toEqual([]);
    } finally {
      clock.mockRestore();
    }
  });

  it('is of one moment while the site writes, and holds no writer up', async () => {
    await inSite(async ({ store }) => {
      let written = 0;
      let isOver = false;
      const writer = (async () => {
        while (!isOver) {
          await store.audit.note(SYSTEM, { action: 'test', entityType: 'site', entityId: String(written) });
          written += 1;
          await new Promise((resolve) => setImmediate(resolve));
        }
      })();
      const made = [await backUp(), await backUp({ nowTs: NOW + 1000 }), await backUp({ nowTs: NOW + 2000 })];
      isOver = true;
      await writer;
      expect(written).toBeGreaterThan(10);
      for (const [i, { path }] of made.entries()) {
        const restored = join(parent, `moment-${i}`);
        await restoreSite(path, restored);
        const { problems } = await verifySite(restored);
        expect(problems.filter(({ step }) => step === 'database' || step === 'audit')).toEqual([]);
      }
    });
  });

  it('is copied page by page while another reader holds an older state, and shares its pieces all the same', async () => {
    await inSite(async ({ store }) => {
      await backUp();
      const reader = new Database(store.path, { readonly: true });
      reader.exec('BEGIN');
      reader.prepare('SELECT count(*) FROM audit').get();
      await store.audit.note(SYSTEM, { action: 'test', entityType: 'site', entityId: 'x' });
      const made = await backUp({ nowTs: NOW + 1000 });
      reader.close();
      expect(made.newBytes).toBeLessThanOrEqual(5 * 65_536);
      expect(readdirSync(made.path).sort()).toEqual([
        'manifest.json',
        'manifest.sha256',
        SECOND,
        'site.json',
        'summary.json',
      ]);
      const restored = join(parent, 'copied');
      await restoreSite(made.path, restored);
      await inSite(async (folder) => {
        expect((await folder.store.audit.list({ entityId: 'x' })).length).toBe(1);
      }, restored);
    });
  }, 30_000);

  it('loses the pieces that no remaining backup needs', async () => {
    const first = await backUp();
    const before = piecesIn(to);
    await inSite(async ({ store }) => {
      await store.audit.note(SYSTEM, { action: 'test', entityType: 'site', entityId: 'x' });
    });
    const second = await backUp({ nowTs: NOW + 1000 });
    expect(piecesIn(to)).toBeGreaterThan(before);
    await removeLocked(to, [first.id]);
    const { manifest } = await openBackup(second.path);
    const needed = [...manifest.database.chunks!, ...manifest.files.map(({ sha256 }) => sha256)];
    expect(piecesIn(to)).toBe(new Set(needed).size);
    await restoreSite(second.path, join(parent, 'restored'));
  });

  it('was a file of its own in backups of format 1, which are still listed, checked and restored', async () => {
    const made = await backUp();
    const { manifest, read } = await openBackup(made.path);
    const bytes: Uint8Array[] = [];
    for await (const chunk of await read('site.db')) bytes.push(chunk);
    writeFileSync(join(made.path, 'site.db'), Buffer.concat(bytes));
    const { chunks, chunkBytes: _, ...database } = manifest.database;
    const { text, sum } = encodeManifest({ ...manifest, format: 1, database });
    writeFileSync(join(made.path, 'manifest.json'), text);
    writeFileSync(join(made.path, 'manifest.sha256'), sum);
    for (const hash of new Set(chunks)) unlinkSync(join(to, contentPath(hash)));
    expect((await listBackups(to)).map(({ id, problem }) => [id, problem])).toEqual([[made.id, undefined]]);
    expect(await checkBackup(await openBackup(made.path))).toEqual([]);
    await backUp({ nowTs: NOW + 1000 });
    await restoreSite(made.path, join(parent, 'restored'));
    await expectSame(join(parent, 'restored'));
  });

  it('ends without a backup when its folder is removed meanwhile', async () => {
    let isRemoved = false;
    const onProgress = ({ step }: { step: string }) => {
      if (isRemoved || !step.includes('database')) return;
      isRemoved = true;
      rmSync(to, { recursive: true, force: true });
    };
    const request = { siteDir: site.dir, to, reason: 'manual', nowTs: NOW } as const;
    await expect(makeBackup(request, { onProgress })).rejects.toBeInstanceOf(OutpostError);
    expect(isRemoved).toBe(true);
    expect((await backUp({ nowTs: NOW + 1000 })).outcome).toBe('complete');
  });
});
