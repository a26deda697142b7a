import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Client } from '../api/contract/client.ts';
import { makeBackup } from '../integrity/backup/make.ts';
import { restoreSite } from '../integrity/backup/restore.ts';
import { SecretBox } from '../secrets/sealed-text.ts';
import { jobEnd, makeTestSite, signIn, type TestSite } from '../testing/test-site.ts';
import { csvRecords, zipContents } from '../testing/zip-contents.ts';
import { type RunningSite, startSite } from './server.ts';

/** The plain-text key, as an earlier version stored it in the settings. */
const OPEN_KEY = 'c0ffee'.repeat(11).slice(0, 64);

let place: TestSite;
let parent: string;
let codes: string[];
beforeAll(async () => {
  place = await makeTestSite();
  parent = join(place.dir, '..');
});
afterAll(() => place.remove());

async function withSite<T>(dir: string, work: (client: Client, site: RunningSite) => Promise<T>): Promise<T> {
  const site = await startSite({ dir, port: 0 });
  try {
    return await work(await signIn(site.url), site);
  } finally {
    await site.close();
  }
}

const requestExport = async (client: Client) => {
  const params = { studyId: place.studyId };
  const made = await client.call('requestStudyExport', { params, body: { format: 'ARCHIVE', deidentified: true } });
  return { made, job: await jobEnd(client, made.id) };
};

/** Returns the subject codes in a de-identified export. */
async function codesOf(client: Client): Promise<string[]> {
  const { made } = await requestExport(client);
  const params = { studyId: place.studyId, exportId: made.id };
  const { href } = await client.call('getStudyExportFile', { params });
  const contents = await zipContents(Buffer.from(await (await fetch(href)).arrayBuffer()));
  const name = [...contents.keys()].find((one) => one.endsWith('subjects.csv'));
  return csvRecords(String(contents.get(name!)))
    .map(({ id }) => id!)
    .toSorted();
}

async function filesWith(dir: string, ...words: string[]): Promise<string[]> {
  const found: string[] = [];
  for (const entry of await readdir(dir, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isFile()) {
      const bytes = await readFile(path);
      if (words.some((word) => bytes.includes(word))) found.push(entry.name);
    }
  }
  return found;
}

it('seals the key that an earlier version stored in plain text, and erases it from the database', async () => {
  const database = join(place.dir, 'site.db');
  const sqlite = new BetterSqlite3(database);
  const setting = sqlite.prepare('INSERT INTO setting (key, value, modifiedTs) VALUES (?, ?, 0)');
  setting.run('exports.deidentificationKey', JSON.stringify(OPEN_KEY));
  sqlite.close();
  expect(await filesWith(place.dir, OPEN_KEY)).toEqual(['site.db']);
  codes = await withSite(place.dir, async (client) => {
    expect(await filesWith(place.dir, OPEN_KEY)).toEqual([]);
    return await codesOf(client);
  });
  expect(codes).toHaveLength(2);
  expect(await filesWith(place.dir, OPEN_KEY)).toEqual([]);
  expect((await stat(join(place.dir, 'site.key'))).mode & 0o777).toBe(0o600);
  await withSite(place.dir, async (client, { folder }) => {
    expect(await codesOf(client)).toEqual(codes);
    const sealed = await folder.store.settings.get('exports.deidentificationKey');
    const key = Buffer.from((await readFile(join(place.dir, 'site.key'), 'utf8')).trim(), 'hex');
    expect(new SecretBox(key).open(sealed ?? '')).toBe(OPEN_KEY);
  });
});

it('is not part of a backup; a restored site needs the key file to produce the same codes', async () => {
  const key = (await readFile(join(place.dir, 'site.key'), 'utf8')).trim();
  const to = join(parent, 'backups');
  await mkdir(to);
  const backup = await makeBackup({ siteDir: place.dir, to, reason: 'manual', nowTs: Date.now() });
  expect(await filesWith(to, key, OPEN_KEY)).toEqual([]);
  expect(await filesWith(to, 'site.key')).toEqual([]);

  const without = join(parent, 'without');
  await restoreSite(backup.path, without);
  await withSite(without, async (client) => {
    const { job } = await requestExport(client);
    expect(job).toMatchObject({ state: 'failed', error: { code: 'SITE_KEY_MISSING' } });
    await writeFile(join(without, 'site.key'), `${key}\n`);
    expect(await codesOf(client)).toEqual(codes);
  });

  const restored = join(parent, 'restored');
  const keyFile = join(place.dir, 'site.key');
  await restoreSite(backup.path, restored, { keyFile });
  await withSite(restored, async (client) => expect(await codesOf(client)).toEqual(codes));
  await expect(restoreSite(backup.path, join(parent, 'none'), { keyFile: join(to, 'none') })).rejects.toMatchObject({
    code: 'NOT_FOUND',
  });
  await writeFile(join(parent, 'no-key'), 'hello');
  await expect(
    restoreSite(backup.path, join(parent, 'none'), { keyFile: join(parent, 'no-key') }),
  ).rejects.toMatchObject({ code: 'FILE_DAMAGED' });
  await rm(to, { recursive: true });
});

it('is not replaced when it is lost, because a new key would give subjects other codes', async () => {
  await rm(join(place.dir, 'site.key'));
  await withSite(place.dir, async (client) => {
    const { job } = await requestExport(client);
    expect(job).toMatchObject({ state: 'failed', error: { code: 'SITE_KEY_MISSING' } });
  });
  await expect(stat(join(place.dir, 'site.key'))).rejects.toMatchObject({ code: 'ENOENT' });
});

it('has its key from the first opening on, so that a copy kept then fits later exports', async () => {
  const fresh = await makeTestSite();
  try {
    const keyFile = join(fresh.dir, 'site.key');
    const copy = await withSite(fresh.dir, () => readFile(keyFile, 'utf8'));
    expect((await stat(keyFile)).mode & 0o777).toBe(0o600);
    await withSite(fresh.dir, async (client) => {
      const body = { format: 'ARCHIVE', deidentified: true } as const;
      const made = await client.call('requestStudyExport', { params: { studyId: fresh.studyId }, body });
      expect(await jobEnd(client, made.id)).toMatchObject({ state: 'done' });
    });
    expect(await readFile(keyFile, 'utf8')).toBe(copy);
  } finally {
    await fresh.remove();
  }
});
