import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Client } from '../../api/contract/client.ts';
import { type RunningSite, startSite } from '../../site/server.ts';
import { addTestRecording } from '../../testing/test-recording.ts';
import { allJobsEnd, jobEnd, makeTestSite, signIn, type TestSite } from '../../testing/test-site.ts';
import { contentPath } from './manifest.ts';

const PASSPHRASE = 'correct horse battery staple';

let parent: string;
let place: TestSite;
let site: RunningSite;
let client: Client;
let ids: string[];
beforeEach(async () => {
  parent = await mkdtemp(join(tmpdir(), 'outpost-return-'));
  place = await makeTestSite();
  site = await startSite({ dir: place.dir, port: 0 });
  client = await signIn(site.url);
  ids = [];
  for (const startUs of [0, 3600e6, 7200e6]) {
    const where = { studyId: place.studyId, subjectId: place.subjectIds[0]! };
    ids.push((await addTestRecording(site.folder.store, site.folder.signalsDir, where, { startUs })).id);
  }
});
afterEach(async () => {
  await site.close();
  await place.remove();
  await rm(parent, { recursive: true, force: true });
});

const pathOf = (id: string) => join(place.dir, 'signals', `${id}.sig`);
const rowOf = (id: string) => site.folder.store.recordings.require(id);
const backUp = async (directory?: string) =>
  await jobEnd(client, (await client.call('createBackup', { body: directory === undefined ? {} : { directory } })).id);
const verify = async () => await jobEnd(client, (await client.call('verifySite')).id);
const lost = async () => (await client.call('listLostFiles')).items;
const takeFiles = (body: { passphrase?: string } = {}) => client.call('returnLostFiles', { body });
const flip = (path: string) => {
  const bytes = readFileSync(path);
  bytes[bytes.length >> 1]! ^= 1;
  writeFileSync(path, bytes);
};

it('takes exactly the lost and damaged files from a backup, and leaves the good ones alone', async () => {
  await backUp();
  expect(await lost()).toEqual([]);
  const [missing, damaged, good] = ids.map(pathOf) as [string, string, string];
  const whole = [missing, damaged].map((path) => readFileSync(path));
  const untouched = statSync(good, { bigint: true });
  rmSync(missing);
  rmSync(missing.replace('.sig', '.overview'), { force: true });
  flip(damaged);
  await verify();
  expect(await lost()).toMatchObject([
    {
      recordingId: expect.anything(),
      subjectName: 'Subject 1',
      copy: { isEncrypted: false, createdTs: expect.any(Number) },
    },
    { copy: { isEncrypted: false } },
  ]);
  expect(await takeFiles()).toEqual({ returned: 2, locked: 0, failed: [] });
  expect([missing, damaged].map((path) => readFileSync(path))).toEqual(whole);
  expect(existsSync(missing.replace('.sig', '.overview'))).toBe(true);
  const now = statSync(good, { bigint: true });
  expect([now.ino, now.mtimeNs]).toEqual([untouched.ino, untouched.mtimeNs]);
  expect((await Promise.all(ids.map(rowOf))).map(({ fileState }) => fileState)).toEqual(Array(3).fill('PRESENT'));
  expect((await verify()).result).toMatchObject({ problems: [] });
  const { items } = await client.call('listAccountAudit', {
    params: { accountId: place.accountId },
    query: { entityType: 'recording', entityId: ids[0]! },
  });
  expect(items.map(({ action }) => action)).toContain('backup.return-file');
  expect(await takeFiles()).toEqual({ returned: 0, locked: 0, failed: [] });
  await allJobsEnd(client);
});

it('never puts a damaged copy in place, and recognises a file that is back already', async () => {
  await backUp();
  const [id] = ids as [string];
  const { sha256 } = await rowOf(id);
  const copy = join(place.dir, 'backups', contentPath(sha256));
  rmSync(pathOf(id));
  await verify();
  flip(copy);
  expect(await takeFiles()).toMatchObject({ returned: 0, failed: [{ file: `signals/${id}.sig` }] });
  expect(existsSync(pathOf(id))).toBe(false);
  flip(copy);
  // A file that a person put back by hand is recognised, not replaced.
  writeFileSync(pathOf(id), readFileSync(copy));
  const { ino } = statSync(pathOf(id));
  expect(await takeFiles()).toMatchObject({ returned: 1 });
  expect(statSync(pathOf(id)).ino).toBe(ino);
  expect((await rowOf(id)).fileState).toBe('PRESENT');
});

it('takes files from encrypted backups with their passphrase, which nothing keeps', async () => {
  const directory = join(parent, 'encrypted');
  await client.call('encryptBackups', { body: { directory, passphrase: PASSPHRASE } });
  await backUp();
  const [id] = ids as [string];
  const whole = readFileSync(pathOf(id));
  rmSync(pathOf(id));
  await verify();
  expect(await lost()).toMatchObject([{ copy: { directory, isEncrypted: true, createdTs: expect.any(Number) } }]);
  expect(await takeFiles()).toEqual({ returned: 0, locked: 1, failed: [] });
  await expect(takeFiles({ passphrase: 'not the passphrase' })).rejects.toMatchObject({ code: 'PASSPHRASE_WRONG' });
  expect(await takeFiles({ passphrase: PASSPHRASE })).toEqual({ returned: 1, locked: 0, failed: [] });
  expect(readFileSync(pathOf(id))).toEqual(whole);
});
