import { spawnSync } from 'node:child_process';
import { copyFile, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Client } from '../api/contract/client.ts';
import { sitePaths } from '../integrity/site-file.ts';
import { verifySite } from '../integrity/verify.ts';
import { openStore } from '../services/index.ts';
import { addPerson, findPerson, type Person } from '../testing/person.ts';
import { allJobsEnd, makeTestSite, signIn, TEST_PASSWORD, type TestSite } from '../testing/test-site.ts';
import { zipContents } from '../testing/zip-contents.ts';
import { openSite } from './folder.ts';
import { type RunningSite, startSite } from './server.ts';

let place: TestSite;
let site: RunningSite;
let client: Client;
let scratch: string;
let person: Person;
let other: Person;

const params = ({ studyId, subjectId }: Person) => ({ studyId, subjectId });
const erase = (one: Person, body: object = {}) =>
  client.call('eraseSubject', {
    params: params(one),
    body: { reason: 'Asked for in writing', confirmation: one.words.name!, password: TEST_PASSWORD, ...body },
  });

beforeAll(async () => {
  place = await makeTestSite({ timeZones: [] });
  scratch = await mkdtemp(join(tmpdir(), 'outpost-erasure-'));
  site = await startSite({ dir: place.dir, port: 0 });
  client = await signIn(site.url);
  const about = { accountId: place.accountId, studyId: place.studyId, userId: place.userId };
  person = await addPerson(site.folder, { ...about, tag: 'Quandary', seed: 1 });
  other = await addPerson(site.folder, { ...about, tag: 'Remainer', seed: 2 });
  await client.call('requestStudyExport', { params: { studyId: place.studyId }, body: { format: 'ARCHIVE' } });
  const subjectIds = [person.subjectId, other.subjectId];
  await client.call('requestStudyExport', {
    params: { studyId: place.studyId },
    body: { format: 'ARCHIVE', subjectIds },
  });
  await allJobsEnd(client);
}, 60_000);
afterAll(async () => {
  await site.close();
  await place.remove();
  await rm(scratch, { recursive: true, force: true });
});

describe('an erasure that was interrupted', () => {
  let lost: TestSite;
  let gone: Person;
  beforeEach(async () => {
    lost = await makeTestSite({ timeZones: [] });
    const folder = await openSite(lost.dir);
    const about = { accountId: lost.accountId, studyId: lost.studyId, userId: lost.userId };
    gone = await addPerson(folder, { ...about, tag: 'Interrupted', seed: 3 });
    await folder.store.erasures.order(
      { ...params(gone), confirmation: gone.words.name! },
      { actor: { type: 'USER', id: lost.userId }, reason: 'Asked for in writing' },
    );
    await folder.close();
  });
  afterEach(async () => await lost.remove());

  it('after its order is completed by the next start, before anybody can read', async () => {
    const folder = await openSite(lost.dir);
    expect(await folder.store.erasures.unfinished()).toEqual([]);
    expect(await folder.store.subjects.get(gone.subjectId)).toBeUndefined();
    expect(folder.reconciled.missingRecordings).toEqual([]);
    expect(await folder.store.audit.verify()).toEqual([]);
    await folder.close();
    expect(await findPerson(gone, lost.dir)).toEqual([]);
  });

  it('between rows and files is completed too', async () => {
    const store = openStore(sitePaths(lost.dir).database);
    const [order] = await store.erasures.unfinished();
    await store.erasures.eraseRows(order!.id);
    await store.close();
    expect((await findPerson(gone, join(lost.dir, 'signals'))).length).toBeGreaterThan(0);
    await (await openSite(lost.dir)).close();
    expect(await findPerson(gone, lost.dir)).toEqual([]);
  });

  it('is repeated for a database of an earlier time, and forgets nobody', async () => {
    const { database } = sitePaths(lost.dir);
    const earlier = `${database}-earlier`;
    await copyFile(database, earlier);
    await (await openSite(lost.dir)).close();
    // What a person does who puts an old copy back by hand. It has no order of the erasure.
    await rename(earlier, database);
    const raw = new BetterSqlite3(database);
    raw.exec('DELETE FROM erasure');
    raw.close();
    const folder = await openSite(lost.dir);
    expect(await folder.store.subjects.get(gone.subjectId)).toBeUndefined();
    const [erasure] = await folder.store.erasures.list();
    expect(await folder.store.erasures.traces(erasure!.id)).toMatchObject({ wears: [{ equipmentId: gone.sensorId }] });
    expect(await folder.store.audit.verify()).toEqual([]);
    await folder.close();
    expect(await findPerson(gone, lost.dir)).toEqual([]);
  });

  it('does not open a site whose list of erasures is damaged', async () => {
    await (await openSite(lost.dir)).close();
    await writeFile(join(lost.dir, 'erasures.json'), '{"format":');
    await expect(openSite(lost.dir)).rejects.toMatchObject({ code: 'SITE_CORRUPT' });
  });
});

describe('the erasure of a person', () => {
  it('is in the site before, in every place that is searched', async () => {
    const found = await findPerson(person, place.dir);
    for (const name of [...Object.keys(person.words), ...Object.keys(person.bytes)])
      expect(found.join('\n'), name).toContain(`${name} in`);
    expect(found.join('\n')).toMatch(/name, indexed, in .*site\.db/);
    expect(found.join('\n')).toMatch(/answer, indexed, in .*site\.db/);
  });

  it('shows what it would remove', async () => {
    expect(await client.call('getErasurePreview', { params: params(person) })).toMatchObject({
      recordings: 2,
      annotations: 1,
      messages: 2,
      days: 2,
      signatures: 1,
      devices: 1,
      exports: 2,
      isLocked: false,
      isBackupRunning: false,
      copies: [],
    });
  });

  it('needs the password, the typed name, and a reason that does not name the person', async () => {
    for (const [body, path] of [
      [{ password: 'wrong horse 1' }, 'password'],
      [{ confirmation: 'Zyxelia' }, 'confirmation'],
      [{ reason: `${person.words.name} asked` }, 'reason'],
    ] as const) {
      await expect(erase(person, body)).rejects.toMatchObject({ code: 'INVALID_INPUT', errors: [{ path }] });
    }
    expect(await site.folder.store.erasures.list()).toEqual([]);
  });

  it('is refused while the study is locked', async () => {
    const locked = { params: { studyId: place.studyId }, body: { reason: 'Locked', password: TEST_PASSWORD } };
    await client.call('lockStudy', locked);
    await expect(erase(person)).rejects.toMatchObject({ code: 'STUDY_LOCKED' });
    await client.call('unlockStudy', locked);
  });

  it('leaves no word and no byte of them in any file of the site, and everything of others', async () => {
    // The main thread does not rewrite the file: requests meanwhile wait for their statements alone.
    const inMainThread = vi.spyOn(site.folder.store, 'overwriteDeleted');
    const [erased, meanwhile] = await Promise.all([
      erase(person),
      client.call('getSubject', { params: params(other), query: {} }),
      client.call('updateSubject', { params: params(other), body: { age: 51 } }),
    ]);
    expect(erased).toMatchObject({ isFinished: true });
    expect(meanwhile.id).toBe(other.subjectId);
    expect(inMainThread).not.toHaveBeenCalled();
    expect((await client.call('getSubject', { params: params(other), query: {} })).age).toBe(51);
    expect(await findPerson(person, place.dir)).toEqual([]);
    await expect(client.call('getSubject', { params: params(person) })).rejects.toMatchObject({ status: 404 });
    const found = await findPerson(other, place.dir);
    for (const name of ['name', 'former', 'note', 'label', 'comment', ...Object.keys(other.bytes)])
      expect(found.join('\n'), name).toContain(`${name} in`);
    const { recordings } = await client.call('getSubject', { params: params(other), query: {} });
    expect(recordings).toHaveLength(2);
  });

  it('leaves a tombstone with who, when and why, and a trail that verifies, here and by the program of an export', async () => {
    const { items } = await client.call('listStudyAudit', {
      params: { studyId: place.studyId },
      query: { limit: '500' },
    });
    const tombstone = items.find(({ action }) => action === 'subject.erase')!;
    expect(tombstone).toMatchObject({ reason: 'Asked for in writing', actor: { type: 'USER', id: place.userId } });
    const emptied = items.filter(({ erasedBy }) => erasedBy === tombstone.sequence);
    const told = Object.fromEntries(tombstone.changes.map(({ field, new: value }) => [field, value]));
    expect(told).toMatchObject({ recordings: 2, messages: 2, signatures: 1 });
    expect(emptied.length).toBeGreaterThan(10);
    expect(emptied.every(({ changes, reason, subjectId }) => changes.length === 0 && !reason && !subjectId)).toBe(true);
    const report = await verifySite(place.dir);
    expect(report.problems).toEqual([]);
    const { code, text } = await runVerifier();
    expect(text).toContain('because a person was erased');
    expect(code).toBe(0);
  });

  it('is noticed by both verifiers when the emptied entries are others than the tombstone says', async () => {
    const { code, text } = await runVerifier((csv) => csv.replace(/,message\.post,message,/, ',message.read,message,'));
    expect(text).toMatch(/does not account for|was changed/);
    expect(code).toBe(1);
    // A row that somebody emptied without an erasure.
    const forged = await runVerifier((csv) => {
      const lines = csv.split('\n');
      const at = lines.findIndex((line) => line.includes(other.words.label!));
      const cells = lines[at]!.match(/("([^"]|"")*"|[^,]*)(,|$)/g)!.map((cell) => cell.replace(/,$/, ''));
      const by = /,\{\},(\d+),/.exec(csv)![1]!;
      [cells[7], cells[9], cells[10], cells[11], cells[12]] = ["'", '', '', '{}', by];
      lines[at] = cells.slice(0, 15).join(',');
      return lines.join('\n');
    });
    expect(forged.text).toContain('does not account for');
    expect(forged.code).toBe(1);
  });

  it('cannot be imitated with statements on the database', async () => {
    const { session } = site.folder.store;
    const emptied = { subjectId: null, reason: null, changes: '{}', packedChanges: null };
    for (const wrong of [
      { ...emptied, erasedBy: null },
      { ...emptied, erasedBy: 3 },
      { ...emptied, erasedBy: undefined, action: 'other' },
    ]) {
      const { erasedBy, ...rest } = wrong;
      const values = { ...rest, ...(erasedBy === undefined ? {} : { erasedBy }) };
      await expect(
        session.db.updateTable('audit').set(values).where('sequence', '=', 1).execute(),
        JSON.stringify(values),
      ).rejects.toMatchObject({ code: 'CONFLICT' });
    }
    await expect(session.db.deleteFrom('signature').execute()).rejects.toMatchObject({ code: 'CONFLICT' });
    await expect(session.db.deleteFrom('audit').execute()).rejects.toMatchObject({ code: 'CONFLICT' });
  });

  /** The verifier of an export, on its file or on a changed one. */
  async function runVerifier(change: (csv: string) => string = (csv) => csv) {
    const { href } = await client.call('exportAccountAudit', { params: { accountId: place.accountId }, body: {} });
    const members = await zipContents(Buffer.from(await (await fetch(href)).arrayBuffer()));
    for (const [name, content] of members) {
      const text = name === 'audit.csv' ? change(content.toString()) : content;
      await writeFile(join(scratch, name), text);
    }
    const { status, stdout, stderr } = spawnSync('python3', ['-I', '-S', join(scratch, 'verify-audit.py')]);
    return { code: status, text: `${stdout}${stderr}` };
  }
});
