import { existsSync, readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { cp, mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { makeBackup } from '../../integrity/backup/make.ts';
import { encryptFolder } from '../../integrity/backup/sealed/passphrase.ts';
import { verifySite } from '../../integrity/verify.ts';
import { addTestRecording } from '../../testing/test-recording.ts';
import { makeTestSite, type TestSite } from '../../testing/test-site.ts';
import { openSite } from '../folder.ts';
import { finishReplacement, replaceSite } from './beside.ts';
import { findGoodBackup } from './newest-good.ts';
import { putSiteFileBack, rebuildInPlace, restoreInPlace } from './recover.ts';
import { siteState } from './state.ts';

const UDID = 'AA:BB:CC:00:00:01';
const HOUR_US = 3600e6;

let template: TestSite;
let parent: string;
let dir: string;
/** Recordings before the backup, and the one that came after it. */
let before: string[];
let after: string;

beforeAll(async () => {
  template = await makeTestSite();
  const folder = await openSite(template.dir);
  const { store, signalsDir } = folder;
  const { studyId, accountId, userId } = template;
  const change = { actor: { type: 'USER', id: userId } } as const;
  await store.equipment.register({ accountId, id: 'SN-1', type: 'SENSOR', udid: UDID }, change);
  await store.equipment.assign(
    'SN-1',
    { studyId, subjectId: template.subjectIds[1]!, atTs: Date.UTC(2026, 0, 1) },
    change,
  );
  const place = { studyId, subjectId: template.subjectIds[1]! };
  const startUs = Date.UTC(2026, 0, 15, 11) * 1000;
  const added = [];
  for (const hours of [0, 1]) {
    added.push(await addTestRecording(store, signalsDir, place, { udid: UDID, startUs: startUs + hours * HOUR_US }));
  }
  before = added.map(({ id }) => id);
  await folder.close();
  await makeBackup({
    siteDir: template.dir,
    to: join(template.dir, 'backups'),
    reason: 'scheduled',
    nowTs: Date.now(),
  });
  const again = await openSite(template.dir);
  const last = await addTestRecording(again.store, again.signalsDir, place, {
    udid: UDID,
    startUs: startUs + 5 * HOUR_US,
  });
  after = last.id;
  await again.close();
});
afterAll(async () => await template.remove());
beforeEach(async () => {
  parent = await mkdtemp(join(tmpdir(), 'outpost-recover-'));
  dir = join(parent, 'site');
  await cp(template.dir, dir, { recursive: true });
});
afterEach(async () => await rm(parent, { recursive: true, force: true }));

const overwrite = (path: string, at: number, text: string) => {
  const bytes = readFileSync(path);
  bytes.write(text, at);
  writeFileSync(path, bytes);
};

/** What happens to databases. */
const DAMAGE: Record<string, (database: string) => void> = {
  'another header': (database) => overwrite(database, 0, 'This is not a database.'),
  'a torn page in the middle': (database) =>
    overwrite(database, Math.floor(statSync(database).size / 8192) * 4096, 'x'.repeat(4096)),
  'no bytes': (database) => truncateSync(database, 0),
  'no file': (database) => rmSync(database),
};

it.each(Object.keys(DAMAGE))('restores the newest good backup over a database with %s', async (name) => {
  DAMAGE[name]!(join(dir, 'site.db'));
  const damagedBytes = existsSync(join(dir, 'site.db')) && readFileSync(join(dir, 'site.db'));
  const { code } = await siteState(dir);
  expect(code).toBe(name === 'no file' ? 'SITE_MISSING' : 'SITE_CORRUPT');
  const { good, rejected } = await findGoodBackup(dir);
  expect(rejected).toEqual([]);
  expect(good).toMatchObject({ countRecordings: 2, lacking: [] });
  const recovered = await restoreInPlace(dir, good!.path);
  expect(recovered.adopted).toMatchObject({ added: 1, unassigned: 0, partial: [], unreadable: [] });
  expect((await verifySite(dir)).problems).toEqual([]);
  const folder = await openSite(dir);
  // The recording that came after the backup went to the subject who wore the sensor.
  expect(await folder.store.recordings.require(after)).toMatchObject({
    subjectId: template.subjectIds[1],
    fileState: 'PRESENT',
  });
  expect(await folder.store.jobs.list({ kind: 'analyse', limit: 10 })).toHaveLength(1);
  await folder.close();
  // The damaged site is as it was, but for its backups, which move to the restored one.
  if (damagedBytes) expect(readFileSync(join(recovered.damagedDir, 'site.db'))).toEqual(damagedBytes);
  expect(readdirSync(join(recovered.damagedDir, 'signals')).filter((file) => file.endsWith('.sig'))).toHaveLength(3);
  expect(readdirSync(join(dir, 'backups')).some((file) => file.startsWith('backup-'))).toBe(true);
  expect(existsSync(`${dir}.recovery.json`)).toBe(false);
});

it('takes an older backup when the newer ones are damaged, and says why', async () => {
  const to = join(dir, 'backups');
  const newer = await makeBackup({ siteDir: dir, to, reason: 'manual', nowTs: Date.now() });
  const manifest = JSON.parse(readFileSync(join(newer.path, 'manifest.json'), 'utf8')) as {
    database: { chunks: string[] };
  };
  const older = (await findGoodBackup(template.dir)).good!;
  const known = readFileSync(join(to, `backup-${older.id}`, 'manifest.json'), 'utf8');
  const own = manifest.database.chunks.find((chunk) => !known.includes(chunk))!;
  const piece = join(to, 'files', own.slice(0, 2), own);
  overwrite(piece, 100, 'damage');
  const { good, rejected } = await findGoodBackup(dir);
  expect(good?.id).toBe(older.id);
  expect(rejected).toMatchObject([{ path: newer.path, message: expect.stringContaining('site.db') }]);
});

it('finds backups that went elsewhere, while the database cannot tell where', async () => {
  const elsewhere = join(parent, 'usb', 'backups');
  rmSync(join(dir, 'backups'), { recursive: true });
  await makeBackup({ siteDir: dir, to: elsewhere, reason: 'manual', nowTs: Date.now() });
  truncateSync(join(dir, 'site.db'), 0);
  rmSync(join(dir, 'site.json'));
  expect((await findGoodBackup(dir)).good).toMatchObject({ countRecordings: 3 });
  await rename(join(parent, 'usb'), join(parent, 'unplugged'));
  const search = await findGoodBackup(dir);
  expect(search.good).toBeUndefined();
  expect(search.places).toContainEqual({ path: elsewhere, isThere: false });
  const asked = await findGoodBackup(dir, { places: [join(parent, 'unplugged', 'backups')] });
  expect(asked.good).toMatchObject({ countRecordings: 3 });
});

it('names folders of encrypted backups whose passphrase is not known, and reads them with it', async () => {
  const to = join(parent, 'encrypted');
  await encryptFolder(to, dir, 'correct horse battery staple');
  await makeBackup({ siteDir: dir, to, reason: 'manual', nowTs: Date.now() });
  rmSync(join(dir, 'backups'), { recursive: true });
  rmSync(join(dir, 'site.json'));
  expect(await findGoodBackup(dir)).toMatchObject({ locked: [to], rejected: [] });
  // A new site.json would separate the site from its devices, while a backup has the right one.
  await expect(putSiteFileBack(dir)).rejects.toMatchObject({ code: 'BACKUP_ENCRYPTED' });
  expect(existsSync(join(dir, 'site.json'))).toBe(false);
  let asked = 0;
  const askPassphrase = async () => {
    asked += 1;
    return 'correct horse battery staple';
  };
  expect(await putSiteFileBack(dir, { askPassphrase })).toMatchObject({ source: 'backup' });
  const search = await findGoodBackup(dir, { askPassphrase });
  expect(search).toMatchObject({ locked: [], good: { countRecordings: 3 } });
  expect(asked).toBe(2);
});

it('rebuilds recordings from their own files alone, as far as their files are whole', async () => {
  truncateSync(join(dir, 'site.db'), 0);
  rmSync(join(dir, 'backups'), { recursive: true });
  const [torn, unreadable] = before;
  const tornPath = join(dir, 'signals', `${torn}.sig`);
  truncateSync(tornPath, statSync(tornPath).size - 40);
  overwrite(join(dir, 'signals', `${unreadable}.sig`), 0, 'no signal file at all');
  const rebuilt = await rebuildInPlace(dir);
  expect(rebuilt.adopted).toMatchObject({
    added: 2,
    unassigned: 2,
    unreadable: [{ file: `${unreadable}.sig` }],
  });
  const { problems } = await verifySite(dir);
  expect(problems.filter(({ code }) => code !== 'FILE_SET_ASIDE')).toEqual([]);
  const folder = await openSite(dir);
  const row = await folder.store.recordings.require(after);
  expect(await folder.store.subjects.require(row.subjectId)).toMatchObject({ displayName: `Sensor ${UDID}` });
  expect(await folder.store.users.findForLogin(rebuilt.email)).toBeDefined();
  await folder.close();
  expect(existsSync(join(rebuilt.damagedDir, 'signals', `${unreadable}.sig`))).toBe(true);
});

it('puts site.json back from a backup, or makes one, and changes nothing else', async () => {
  const whole = readFileSync(join(dir, 'site.json'), 'utf8');
  rmSync(join(dir, 'site.json'));
  expect(await siteState(dir)).toMatchObject({ code: 'SITE_CORRUPT', part: 'site-file' });
  expect(await putSiteFileBack(dir)).toMatchObject({ source: 'backup' });
  expect(JSON.parse(readFileSync(join(dir, 'site.json'), 'utf8'))).toEqual(JSON.parse(whole));
  expect(await siteState(dir)).toEqual({});
  writeFileSync(join(dir, 'site.json'), '{"format":');
  rmSync(join(dir, 'backups'), { recursive: true });
  expect(await putSiteFileBack(dir)).toEqual({ source: 'new' });
  expect(await siteState(dir)).toEqual({});
  expect(readdirSync(dir).some((name) => name.startsWith('site.json.damaged-'))).toBe(true);
});

it('ends an interrupted replacement at the next opening, and forgets one that was not complete', async () => {
  truncateSync(join(dir, 'site.db'), 0);
  await expect(
    replaceSite(dir, Date.now(), async (newDir) => {
      await cp(template.dir, newDir, { recursive: true });
      throw new Error('The power failed.');
    }),
  ).rejects.toThrow('power');
  expect(readdirSync(parent)).toEqual(['site']);
  // As a kill between the two renames leaves it.
  await cp(template.dir, join(parent, 'site.restoring-1'), { recursive: true });
  rmSync(join(parent, 'site.restoring-1', 'backups'), { recursive: true });
  const journal = { state: 'ready', newName: 'site.restoring-1', asideName: 'site-damaged-1' };
  writeFileSync(`${dir}.recovery.json`, JSON.stringify(journal));
  await rename(dir, join(parent, 'site-damaged-1'));
  const folder = await openSite(dir);
  expect(await folder.store.recordings.get(after)).toBeDefined();
  await folder.close();
  expect(readdirSync(parent).sort()).toEqual(['site', 'site-damaged-1']);
  expect(readdirSync(join(dir, 'backups')).some((name) => name.startsWith('backup-'))).toBe(true);
  await finishReplacement(dir);
});
