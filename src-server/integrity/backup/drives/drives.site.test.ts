/** A drive that comes and goes. lsblk is a script that prints what the test says; everything else is real. */
import { chmodSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Client } from '../../../api/contract/client.ts';
import { DAY_MS, HOUR_MS } from '../../../durations.ts';
import { requestDueBackup } from '../../../site/backup-scheduler.ts';
import { type RunningSite, startSite } from '../../../site/server.ts';
import { jobEnd, makeTestSite, signIn, type TestSite } from '../../../testing/test-site.ts';

const SOON = { timeout: 30_000 };
const isLinux = process.platform === 'linux';

let parent: string;
let place: TestSite;
let site: RunningSite;
let client: Client;
const clock = { now: Date.now() };
const pathBefore = process.env.PATH;

beforeAll(async () => {
  parent = mkdtempSync(join(tmpdir(), 'outpost-drives-'));
  const programs = join(parent, 'bin');
  mkdirSync(programs);
  writeFileSync(join(programs, 'lsblk'), `#!/bin/sh\nexec cat '${join(parent, 'drives.json')}'\n`);
  chmodSync(join(programs, 'lsblk'), 0o755);
  process.env.PATH = `${programs}${delimiter}${pathBefore}`;
  plug();
  place = await makeTestSite();
  site = await startSite({ dir: place.dir, port: 0, clock: () => clock.now });
  client = await signIn(site.url);
});
afterAll(async () => {
  process.env.PATH = pathBefore;
  await site.close();
  await place.remove();
  rmSync(parent, { recursive: true, force: true });
});

function plug(...mounts: string[]): void {
  const flags = { rm: true, hotplug: true, tran: 'usb', model: null, ro: false };
  const blockdevices = mounts.map((mountpoint) => ({ name: 'sdb1', label: 'OFFICE', mountpoint, ...flags }));
  writeFileSync(join(parent, 'drives.json'), JSON.stringify({ blockdevices }));
}

const due = () =>
  requestDueBackup({
    store: site.folder.store,
    jobs: site.engine.jobs,
    backupsDir: site.folder.backupsDir,
    siteCreatedTs: site.folder.site.createdTs,
    clock: () => clock.now,
  });
const status = () => client.call('getBackupStatus');
const reasons = async () =>
  (await client.call('listAttention', { params: { accountId: place.accountId } })).items.map(({ reason }) => reason);
const drives = async () => (await client.call('listBackupDrives')).items;

it.runIf(isLinux)('is chosen by name, missed calmly, and recognised at another path by what is on it', async () => {
  const mount = join(parent, 'media', 'OFFICE');
  mkdirSync(mount, { recursive: true });
  plug(mount);
  const folder = join(mount, 'Outpost backups');
  await expect.poll(drives, SOON).toMatchObject([{ name: 'OFFICE', path: mount, folder, isReadOnly: false }]);
  const { backup } = await client.call('getSiteSettings');
  await client.call('updateSiteSettings', { body: { backup: { schedule: { ...backup.schedule, folder } } } });
  expect(existsSync(folder)).toBe(true);
  const made = await jobEnd(client, (await client.call('createBackup', { body: {} })).id);
  expect(made).toMatchObject({ state: 'done', result: { isFlushed: true } });
  expect(await status()).toMatchObject({ directory: folder, drive: { name: 'OFFICE', isConnected: true } });
  expect((await client.call('listBackups', {})).items).toMatchObject([{ keptFor: ['manual'] }]);

  // Unplugged for two days: no failed job, nothing on Today.
  const shelf = join(parent, 'shelf');
  renameSync(mount, shelf);
  plug();
  await expect.poll(async () => (await status()).drive, SOON).toMatchObject({ name: 'OFFICE', isConnected: false });
  clock.now += 2 * DAY_MS;
  client = await signIn(site.url);
  expect(await due()).toBe(false);
  expect(existsSync(mount)).toBe(false);
  expect(await status()).toMatchObject({ isOverdue: false, drive: { seenTs: expect.any(Number) } });
  expect((await reasons()).filter((reason) => reason.startsWith('BACKUP'))).toEqual([]);
  clock.now += 6 * DAY_MS;
  client = await signIn(site.url);
  expect((await reasons()).filter((reason) => reason.startsWith('BACKUP'))).toEqual(['BACKUP_DRIVE_AWAY']);

  // Back, where the system had a free name: the missed backup is made there.
  const other = join(parent, 'media', 'OFFICE1');
  renameSync(shelf, other);
  plug(other);
  const found = join(other, 'Outpost backups');
  await expect.poll(async () => (await status()).directory, SOON).toBe(found);
  expect(await due()).toBe(true);
  await site.engine.jobs.whenIdle();
  expect(await status()).toMatchObject({ isOverdue: false, drive: { name: 'OFFICE', isConnected: true } });
  expect((await reasons()).filter((reason) => reason.startsWith('BACKUP'))).toEqual([]);
  const { items } = await client.call('listBackups', {});
  expect(items.map(({ directory, keptFor }) => [directory, keptFor])).toEqual([
    [found, ['newest', 'daily', 'weekly']],
    [found, ['manual']],
  ]);
  clock.now += HOUR_MS;
  // A folder without this identity in its place is not taken for it.
  mkdirSync(folder, { recursive: true });
  plug(mount, other);
  await expect.poll(async () => (await status()).directory, SOON).toBe(found);
});
