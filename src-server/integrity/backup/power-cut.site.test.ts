/** What a power cut could take, told by the order of what is fsynced; `npm run check:power-cuts` cuts the power of real file systems. */
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { migrate } from '../../db/migrate.ts';
import { MIGRATIONS } from '../../db/migrations/index.ts';
import { initSite } from '../../site/folder.ts';
import { replaceSite } from '../../site/recovery/beside.ts';
import { makeBackedUpSite } from '../../testing/interrupted/backups.ts';
import { syncedPaths } from '../../testing/synced-paths.ts';
import { TEST_EMAIL, TEST_PASSWORD, type TestSite } from '../../testing/test-site.ts';
import { partialBackupPath } from './folder.ts';
import { makeBackup } from './make.ts';
import { restoreSite } from './restore.ts';

let parent: string;
let site: TestSite;
let round = 0;
let folder: string;
beforeAll(async () => {
  parent = mkdtempSync(join(tmpdir(), 'outpost-cut-'));
  site = await makeBackedUpSite();
});
beforeEach(() => {
  round += 1;
  folder = join(parent, String(round));
  mkdirSync(folder);
});
afterAll(async () => {
  await site.remove();
  rmSync(parent, { recursive: true, force: true });
});

const linux = process.platform === 'linux';
const backUp = (to: string) => makeBackup({ siteDir: site.dir, to, reason: 'manual', nowTs: Date.now() });

it.runIf(linux)('has the folders above a new site and a new folder of backups on the disk', async () => {
  const to = join(folder, 'a', 'b');
  const ofBackup = await syncedPaths(async () => void (await backUp(to)));
  expect(ofBackup).toEqual(expect.arrayContaining([folder, join(folder, 'a'), to]));
  const dir = join(folder, 'sites', 'new');
  const person = { account: 'Clinic', email: TEST_EMAIL, password: TEST_PASSWORD, timeZone: 'UTC' };
  const ofSite = await syncedPaths(async () => void (await initSite(dir, person)));
  expect(ofSite).toEqual(expect.arrayContaining([folder, join(folder, 'sites'), dir]));
});

it.runIf(linux)(
  'has on the disk under its name what an interrupted backup renamed, before another backup names it',
  async () => {
    await backUp(folder);
    const pool = join(folder, 'files');
    const folders = readdirSync(pool).map((name) => join(pool, name));
    expect(folders.length).toBeGreaterThan(2);
    const undisturbed = await syncedPaths(async () => void (await backUp(folder)));
    expect(folders.every((path) => undisturbed.includes(path))).toBe(false);
    mkdirSync(partialBackupPath(folder, 'interrupted'));
    const after = await syncedPaths(async () => void (await backUp(folder)));
    expect(after).toEqual(expect.arrayContaining(folders));
  },
);

it.runIf(linux)('has the copy of an old database on the disk before the first step changes it', async () => {
  const database = new BetterSqlite3(join(folder, 'site.db'));
  const backupsDir = join(folder, 'backups');
  migrate(database, { backupsDir, nowTs: 0, migrations: MIGRATIONS.slice(0, 2) });
  const { exec } = BetterSqlite3.prototype;
  const lines = await syncedPaths(async (note) => {
    database.exec = (sql) => {
      note('step');
      return exec.call(database, sql);
    };
    migrate(database, { backupsDir, nowTs: 0, migrations: MIGRATIONS.slice(0, 3) });
  });
  database.close();
  const copy = expect.stringMatching(/before-schema-.*\.db\.partial$/);
  expect(lines.slice(0, 4)).toEqual([folder, copy, backupsDir, 'step']);
});

it.runIf(linux)('has backups on the disk in the new site before they leave the damaged one', async () => {
  const dir = join(folder, 'site');
  mkdirSync(join(dir, 'backups', 'backup-1'), { recursive: true });
  let asideDir = '';
  const lines = await syncedPaths(async () => {
    ({ asideDir } = await replaceSite(dir, Date.now(), async (newDir) => void mkdirSync(newDir)));
  });
  expect(existsSync(join(dir, 'backups', 'backup-1'))).toBe(true);
  const [to, from] = [join(dir, 'backups'), join(asideDir, 'backups')].map((path) => lines.indexOf(path));
  expect(to).toBeGreaterThanOrEqual(0);
  expect(from).toBeGreaterThan(to!);
});

it('restores into a folder where the power failed while the lock was taken', async () => {
  const dir = join(folder, 'restored');
  mkdirSync(dir);
  for (const name of ['site.lock', 'site.lock-journal']) writeFileSync(join(dir, name), '');
  await restoreSite(join(site.dir, 'backups'), dir);
  expect(existsSync(join(dir, 'site.json'))).toBe(true);
});
