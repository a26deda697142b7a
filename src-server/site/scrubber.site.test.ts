/** A running site that reads everything it has stored, repairs what is damaged, and says so. */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Client } from '../api/contract/client.ts';
import { DAY_MS } from '../durations.ts';
import { sha256Hex } from '../files/content-hash.ts';
import { contentPath } from '../integrity/backup/manifest.ts';
import { restoreSite } from '../integrity/backup/restore.ts';
import { sealedName, sealingKeysOf } from '../integrity/backup/sealed/keys.ts';
import { openBackup } from '../integrity/backup/sources.ts';
import { PACE, Pace, sharedPace } from '../integrity/scrub/pace.ts';
import { readScrubState } from '../integrity/scrub/state.ts';
import { flipByte, seededRandom } from '../testing/bit-flips.ts';
import { addTestRecording } from '../testing/test-recording.ts';
import { jobEnd, makeTestSite, signIn, type TestSite } from '../testing/test-site.ts';
import { type RunningSite, startSite } from './server.ts';

const PASSPHRASE = 'correct horse battery staple';

let parent: string;
let place: TestSite;
let site: RunningSite;
let client: Client;
let ids: string[];
let nowTs = Date.now();

const start = async () => {
  site = await startSite({ dir: place.dir, port: 0, clock: () => nowTs, scrub: { delayMs: DAY_MS, share: 1 } });
  client = await signIn(site.url);
};

beforeEach(async () => {
  nowTs = Date.now();
  parent = await mkdtemp(join(tmpdir(), 'outpost-scrub-'));
  place = await makeTestSite();
  await start();
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

const random = seededRandom(7);
const pathOf = (id: string) => join(place.dir, 'signals', `${id}.sig`);
const backUp = async (directory?: string) =>
  await jobEnd(client, (await client.call('createBackup', { body: directory === undefined ? {} : { directory } })).id);
const attention = async () =>
  (await client.call('listAttention', { params: { accountId: place.accountId } })).items.filter(({ reason }) =>
    reason.startsWith('FILES_'),
  );
const scrub = () => site.scrubber.look({ isAsked: true });

it('repairs a damaged and a missing file from the backup, says so on Today, and notes it in their history', async () => {
  await backUp();
  const [damaged, missing] = ids.map(pathOf) as [string, string];
  const whole = [damaged, missing].map((path) => readFileSync(path));
  flipByte(damaged, random);
  rmSync(missing);
  await scrub();
  expect([damaged, missing].map((path) => readFileSync(path))).toEqual(whole);
  expect(readdirSync(join(place.dir, 'signals')).filter((name) => /partial|damaged/.test(name))).toEqual([]);
  const states = await Promise.all(ids.map((id) => site.folder.store.recordings.require(id)));
  expect(states.map(({ fileState }) => fileState)).toEqual(['PRESENT', 'PRESENT', 'PRESENT']);
  const [item, ...others] = await attention();
  expect(others).toEqual([]);
  expect(item).toMatchObject({ reason: 'FILES_REPAIRED', severity: 'LOW', evidence: { count: 2, code: 'BACKUP' } });
  expect(item?.sentence).toMatch(
    /^2 files were damaged and were repaired from the backup of \d{4}-\d\d-\d\d: Subject 1/,
  );
  const { items } = await client.call('listAccountAudit', {
    params: { accountId: place.accountId },
    query: { entityType: 'recording', entityId: ids[0]! },
  });
  expect(items.map(({ action }) => action)).toContain('backup.return-file');
  expect(await client.call('getScrub')).toMatchObject({
    everyDays: 30,
    last: { found: 2, healed: 2, unreached: [] },
    countOpen: 0,
  });
  // Two weeks later nobody has to read it any more.
  nowTs += 15 * DAY_MS;
  client = await signIn(site.url);
  expect(await attention()).toEqual([]);
});

it('notes the hash of what no row names, and puts site.json back from a backup', async () => {
  await backUp();
  await scrub();
  const path = join(place.dir, 'site.json');
  const whole = readFileSync(path);
  flipByte(path, random);
  await scrub();
  expect(readFileSync(path).equals(whole)).toBe(true);
  expect(site.scrubber.report.findings).toMatchObject([{ part: 'other', file: 'site.json', state: 'HEALED' }]);
});

it('says that no copy was found, and repairs the file as soon as a backup has it', async () => {
  await backUp();
  const [id] = ids as [string];
  const { sha256 } = await site.folder.store.recordings.require(id);
  const whole = readFileSync(pathOf(id));
  const copy = join(place.dir, 'backups', contentPath(sha256));
  flipByte(pathOf(id), random);
  flipByte(copy, random);
  await scrub();
  expect((await site.folder.store.recordings.require(id)).fileState).toBe('DAMAGED');
  const open = await attention();
  expect(open.map(({ reason, evidence }) => [reason, evidence.code])).toEqual([['FILES_DAMAGED', 'NONE']]);
  expect(open[0]?.sentence).toMatch(/^2 files are damaged or missing: .*No copy was found/);
  expect(await client.call('listBackups')).toMatchObject({ items: [{ state: 'damaged' }] });
  // It is in the state of the site, which a restart keeps.
  await site.close();
  await start();
  expect((await attention()).map(({ reason }) => reason)).toEqual(['FILES_DAMAGED']);
  // A person puts the right file back in the backup.
  writeFileSync(copy, whole);
  await site.scrubber.look();
  expect(readFileSync(pathOf(id)).equals(whole)).toBe(true);
  expect((await site.folder.store.recordings.require(id)).fileState).toBe('PRESENT');
  expect((await attention()).map(({ reason }) => reason)).not.toContain('FILES_DAMAGED');
});

async function openBackupOf(directory: string) {
  const source = await openBackup(directory);
  source.close();
  return source;
}

it('asks for the passphrase where only encrypted backups have a copy, and repairs them without it', async () => {
  const directory = join(parent, 'encrypted');
  await client.call('encryptBackups', { body: { directory, passphrase: PASSPHRASE } });
  await backUp();
  // Of a recording that the site still has.
  const { sha256 } = await site.folder.store.recordings.require(ids[1]!);
  const keys = await sealingKeysOf(directory, place.dir);
  const piece = join(directory, contentPath(sealedName(keys!, sha256)));
  const [id] = ids as [string];
  const whole = readFileSync(pathOf(id));
  flipByte(pathOf(id), random);
  flipByte(piece, random);
  await scrub();
  expect((await client.call('getScrub')).findings).toMatchObject([
    { part: 'signals', state: 'DAMAGED', isLocked: true },
    { part: 'backups', directory, state: 'HEALED' },
  ]);
  expect((await attention()).map(({ reason, evidence }) => [reason, evidence.code])).toEqual([
    ['FILES_DAMAGED', 'LOCKED'],
    ['FILES_REPAIRED', 'COPY'],
  ]);
  await client.call('returnLostFiles', { body: { passphrase: PASSPHRASE } });
  expect(readFileSync(pathOf(id)).equals(whole)).toBe(true);
  await site.scrubber.look();
  expect((await client.call('getScrub')).countOpen).toBe(0);
});

it('continues after a restart where it was, and is due again after the days of its setting', async () => {
  await backUp();
  await site.close();
  site = await startSite({
    ...{ dir: place.dir, port: 0, clock: () => nowTs },
    scrub: { delayMs: DAY_MS, share: 1, forMs: 1 },
  });
  // Closed in the middle of a cycle.
  const looking = site.scrubber.look();
  await expect.poll(() => site.scrubber.report.current?.files ?? 0, { timeout: 20_000 }).toBeGreaterThan(2);
  await site.close();
  await looking;
  const stored = await readScrubState(place.dir);
  expect(stored.current?.files).toBeGreaterThan(2);
  expect(stored.last).toBeUndefined();
  await start();
  await site.scrubber.look();
  const { last, current } = site.scrubber.report;
  expect(current).toBeUndefined();
  expect(last?.startedTs).toBe(stored.current?.startedTs);
  nowTs += 29 * DAY_MS;
  await site.scrubber.look();
  expect(site.scrubber.report.last).toEqual(last);
  nowTs += 2 * DAY_MS;
  client = await signIn(site.url);
  await client.call('updateSiteSettings', { body: { scrub: { everyDays: null } } });
  await site.scrubber.look();
  expect(site.scrubber.report.last).toEqual(last);
  await client.call('updateSiteSettings', { body: { scrub: { everyDays: 30 } } });
  await site.scrubber.look();
  expect(site.scrubber.report.last?.finishedTs).toBe(nowTs);
});

it('keeps to a small share of a thread, waits while the site is busy, and stops at once', async () => {
  let clockMs = 0;
  let sleptMs = 0;
  const { shared, say } = sharedPace();
  const pace = new Pace({
    shared,
    now: () => clockMs,
    sleep: async (ms) => {
      clockMs += ms;
      sleptMs += ms;
      // Busy for a second.
      if (sleptMs > 1000 && sleptMs < 2000) say(PACE.BUSY);
      else if (sleptMs >= 2000) say(PACE.IDLE);
    },
  });
  for (let i = 0; i < 1000; i++) {
    clockMs += 5;
    await pace.rest();
  }
  expect(5000 / (5000 + sleptMs)).toBeLessThanOrEqual(0.101);
  say(PACE.STOP);
  const before = sleptMs;
  clockMs += 60_000;
  await pace.rest();
  expect([sleptMs, pace.isStopped]).toEqual([before, true]);
  // A site that is never idle is read all the same, at a hundredth.
  say(PACE.BUSY);
  let waitedMs = 0;
  const busy = new Pace({
    shared,
    now: () => waitedMs,
    sleep: async (ms) => {
      waitedMs += ms;
    },
  });
  await busy.rest();
  expect(waitedMs).toBeGreaterThanOrEqual(600_000);
});

it('restores everything but a damaged file, takes it from another place where that has it, and says what is lost', async () => {
  const disk = join(parent, 'disk');
  mkdirSync(disk);
  await backUp();
  await backUp(disk);
  const [id, other] = ids as [string, string];
  const whole = readFileSync(pathOf(id));
  const [first, second] = await Promise.all([id, other].map((one) => site.folder.store.recordings.require(one)));
  const backups = join(place.dir, 'backups');
  flipByte(join(backups, contentPath(first!.sha256)), random);
  flipByte(join(backups, contentPath(second!.sha256)), random);
  rmSync(join(disk, contentPath(second!.sha256)));
  const to = join(parent, 'restored');
  const { chunks } = (await openBackupOf(backups)).manifest.database;
  flipByte(join(backups, contentPath(chunks![2]!)), random);
  const restored = await restoreSite(backups, to, { copiesIn: [disk] });
  expect(restored).toMatchObject({
    outcome: 'incomplete',
    lost: [{ file: `signals/${other}.sig`, recordingId: other, state: 'DAMAGED' }],
  });
  expect(sha256Hex(readFileSync(join(to, 'signals', `${id}.sig`)))).toBe(sha256Hex(whole));
  const opened = await startSite({ dir: to, port: 0, scrub: { delayMs: DAY_MS, share: 1 } });
  try {
    const there = await signIn(opened.url);
    const { items } = await there.call('listAttention', { params: { accountId: place.accountId } });
    expect(items.find(({ reason }) => reason === 'FILES_DAMAGED')).toMatchObject({
      sentence: expect.stringMatching(/^1 file is damaged or missing: Subject 1/),
    });
  } finally {
    await opened.close();
  }
});

it('never calls a backup complete that took a changed byte from the site', async () => {
  const disk = join(parent, 'disk');
  mkdirSync(disk);
  flipByte(pathOf(ids[0]!), random);
  const { result } = await backUp(disk);
  expect(result).toMatchObject({ outcome: 'incomplete', lacking: [`signals/${ids[0]}.sig`] });
  const to = join(parent, 'restored');
  expect(await restoreSite(disk, to)).toMatchObject({ outcome: 'incomplete', lost: [{ state: 'DAMAGED' }] });
  expect(readdirSync(join(to, 'signals')).filter((name) => name.endsWith('.sig'))).toHaveLength(3);
});
