import { spawnSync } from 'node:child_process';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../api/contract/client.ts';
import type { SubjectExport } from '../api/contract/index.ts';
import { sha256Hex } from '../files/content-hash.ts';
import { edflibReader, missingEdfReaders, readWithMne } from '../testing/edf-readers.ts';
import { addPerson, type Person } from '../testing/person.ts';
import { allJobsEnd, makeTestSite, signIn, TEST_PASSWORD, type TestSite } from '../testing/test-site.ts';
import { csvRecords, zipContents } from '../testing/zip-contents.ts';
import { type RunningSite, startSite } from './server.ts';

let place: TestSite;
let site: RunningSite;
let client: Client;
let scratch: string;
let person: Person;
let other: Person;
let made: SubjectExport;
let zip: Buffer;
let members: Map<string, Buffer>;

const params = ({ studyId, subjectId }: Person) => ({ studyId, subjectId });
const json = (path: string) => JSON.parse(String(members.get(path)));

async function exported(one: Person): Promise<SubjectExport> {
  const { id } = await client.call('requestSubjectExport', { params: params(one) });
  await allJobsEnd(client);
  const { items } = await client.call('listSubjectExports', { params: params(one) });
  return items.find((item) => item.id === id)!;
}

async function download(one: Person, exportId: string): Promise<Buffer> {
  const { href } = await client.call('getSubjectExportFile', { params: { ...params(one), exportId } });
  return Buffer.from(await (await fetch(href)).arrayBuffer());
}

beforeAll(async () => {
  place = await makeTestSite({ timeZones: [] });
  scratch = await mkdtemp(join(tmpdir(), 'outpost-subject-export-'));
  site = await startSite({ dir: place.dir, port: 0 });
  client = await signIn(site.url);
  const about = { accountId: place.accountId, studyId: place.studyId, userId: place.userId };
  person = await addPerson(site.folder, { ...about, tag: 'Quandary', seed: 1 });
  other = await addPerson(site.folder, { ...about, tag: 'Remainer', seed: 2 });
  const { store } = site.folder;
  const change = { actor: { type: 'USER', id: place.userId } } as const;
  // The other one's sensor comes to the person, and both are mentioned together.
  await store.equipment.unassign(other.sensorId, params(other), change);
  await store.equipment.assign(other.sensorId, params(person), { ...change, reason: `Was with ${other.words.name}` });
  const body = `As with ${other.words.name}, see ${other.recordingIds[0]} and 痛み`;
  await store.messages.post({ ...params(person), body }, change);
  await store.subjects.update(person.subjectId, { age: 45 }, { ...change, reason: `Mistaken for ${other.subjectId}` });
  made = await exported(person);
  zip = await download(person, made.id);
  members = await zipContents(zip);
}, 90_000);
afterAll(async () => {
  await site.close();
  await place.remove();
  await rm(scratch, { recursive: true, force: true });
});

describe("a subject's own copy", () => {
  it('holds every record, word and byte of the subject', async () => {
    expect(made).toMatchObject({ state: 'READY', subjectId: person.subjectId, requestedBy: { id: place.userId } });
    expect(sha256Hex(zip)).toBe(made.sha256);
    const all = Buffer.concat([...members.values()]);
    const { firstRecording: _first, secondRecording: _second, ...words } = person.words;
    for (const [name, word] of Object.entries(words)) expect(all.includes(word), name).toBe(true);
    for (const [name, bytes] of Object.entries(person.bytes)) expect(all.includes(bytes), name).toBe(true);
    expect(json('subject.json').subject).toMatchObject({
      id: person.subjectId,
      displayName: person.words.name,
      age: 45,
    });
    expect(
      json('recordings.json')
        .map(({ id }: { id: string }) => id)
        .sort(),
    ).toEqual([...person.recordingIds].sort());
    expect(json('messages.json')).toHaveLength(3);
    expect(json('annotations.json')).toMatchObject([{ displayName: person.words.label }]);
    expect(json('signatures.json')).toMatchObject([{ comment: person.words.comment, state: 'changed' }]);
    expect(json('equipment.json').map(({ equipmentId }: { equipmentId: string }) => equipmentId)).toContain(
      person.sensorId,
    );
    const actions = json('audit.json').map(({ action }: { action: string }) => action);
    for (const action of ['subject.create', 'subject.update', 'recording.add', 'message.post', 'export.request'])
      expect(actions, action).toContain(action);
    expect([...members.keys()].some((name) => /^messages\/.+\.png$/.test(name))).toBe(true);
    const days = csvRecords(String(members.get('metrics/daily.csv')));
    expect(days.map(({ DATE }) => DATE)).toEqual(['2026-01-15', '2026-01-16']);
    expect(json('exports.json')).toMatchObject([{ id: made.id, format: 'SUBJECT' }]);
  });

  it('holds nothing of the subject with whom a sensor was shared, in any byte', () => {
    const { note: _, ...words } = other.words;
    for (const [path, content] of members) {
      for (const [name, word] of Object.entries(words))
        expect(content.includes(word), `${name} in ${path}`).toBe(false);
      for (const [name, bytes] of Object.entries(other.bytes))
        expect(content.includes(bytes), `${name} in ${path}`).toBe(false);
      expect(path).not.toContain(other.subjectId);
    }
    const texts = json('messages.json').map(({ body }: { body: string }) => body);
    expect(texts).toContain('As with [withheld: another subject], see [withheld: another subject] and 痛み');
    expect(json('manifest.json').textsWithheld).toBeGreaterThanOrEqual(3);
  });

  it('holds no secret', () => {
    const all = Buffer.concat([...members.values()]).toString('latin1');
    expect(all).not.toContain(person.phone.secret);
    expect(all).not.toMatch(/tokenHash|passwordHash|sealedSecret/);
  });

  it('says in plain words what each file is, in both languages, and names every file', () => {
    for (const [file, lang, word] of [
      ['index.html', 'en', 'Where the data came from'],
      ['index.ja.html', 'ja', 'データの取得元'],
    ] as const) {
      const page = String(members.get(file));
      expect(page).toContain(`<html lang="${lang}">`);
      expect(page).toContain(word);
      expect(page).toContain(person.words.name!);
      expect(page).not.toMatch(/undefined|\{\{|src=|https?:/);
      for (const path of members.keys()) {
        if (/^(index|messages\/|consents\/|metrics\/minutes\/|recordings\/)/.test(path)) continue;
        expect(page, path).toContain(path);
      }
    }
    const { files } = json('manifest.json') as { files: { path: string; sha256: string }[] };
    expect(files.map(({ path }) => path)).toEqual([...members.keys()].filter((path) => path !== 'manifest.json'));
    for (const { path, sha256 } of files) expect(sha256Hex(members.get(path)!), path).toBe(sha256);
  });

  it('is read by unzip and by the JSON and CSV readers of Python', async () => {
    const path = join(scratch, 'copy.zip');
    await writeFile(path, zip);
    expect(spawnSync('unzip', ['-tqq', path]).status).toBe(0);
    const program = `
import csv, io, json, sys, zipfile
with zipfile.ZipFile(sys.argv[1]) as z:
    assert z.testzip() is None
    for name in z.namelist():
        if name.endswith('.json'): json.loads(z.read(name).decode('utf-8'))
        if name.endswith('.csv'):
            rows = list(csv.reader(io.StringIO(z.read(name).decode('utf-8'), newline='')))
            assert len(rows) > 1 and all(len(row) == len(rows[0]) for row in rows), name
    print(len(z.namelist()))
`;
    const { status, stdout, stderr } = spawnSync('python3', ['-I', '-S', '-c', program, path], { encoding: 'utf8' });
    expect(stderr).toBe('');
    expect([status, stdout.trim()]).toEqual([0, String(members.size)]);
  });

  it.skipIf(missingEdfReaders().length > 0)('has recordings that EDFlib and MNE read, with the labels', async () => {
    const names = [...members.keys()].filter((path) => path.endsWith('.edf')).sort();
    expect(names).toHaveLength(2);
    const path = join(scratch, 'first.edf');
    await writeFile(path, members.get(names[0]!)!);
    const read = edflibReader(scratch)(path);
    expect(read.error).toBeUndefined();
    expect(read.annotations.map(({ text }) => text)).toContain(person.words.label);
    const { samples, channels } = readWithMne(path);
    expect([channels.length > 0, samples > 0]).toEqual([true, true]);
  });

  it('is in the history of the subject and not among the exports of the study', async () => {
    const { items } = await client.call('listStudyExports', { params: { studyId: place.studyId } });
    expect(items.map(({ id }) => id)).not.toContain(made.id);
    for (const call of ['getStudyExport', 'getStudyExportFile', 'deleteStudyExport'] as const)
      await expect(client.call(call, { params: { studyId: place.studyId, exportId: made.id } })).rejects.toMatchObject({
        status: 404,
      });
    await expect(
      client.call('getSubjectExportFile', { params: { ...params(other), exportId: made.id } }),
    ).rejects.toMatchObject({ status: 404 });
    const audit = await site.folder.store.audit.list({ subjectId: person.subjectId, entityType: 'export' });
    expect(audit.map(({ action }) => action)).toContain('export.request');
  });

  it('can be continued in the middle, and deleted', async () => {
    const { id } = await exported(person);
    const { href } = await client.call('getSubjectExportFile', { params: { ...params(person), exportId: id } });
    const rest = await fetch(href, { headers: { range: 'bytes=100-199' } });
    expect([rest.status, (await rest.arrayBuffer()).byteLength]).toEqual([206, 100]);
    await client.call('deleteSubjectExport', { params: { ...params(person), exportId: id } });
    expect((await fetch(href)).status).toBe(404);
    expect((await readdir(site.folder.exportsDir)).some((name) => name.includes(id))).toBe(false);
  });

  it('goes with an erasure of the subject, after which none can be requested or made again', async () => {
    const { href } = await client.call('getSubjectExportFile', { params: { ...params(person), exportId: made.id } });
    expect((await fetch(href)).status).toBe(200);
    expect(await client.call('getErasurePreview', { params: params(person) })).toMatchObject({ exports: 1 });
    await client.call('eraseSubject', {
      params: params(person),
      body: { reason: 'Asked for in writing', confirmation: person.words.name!, password: TEST_PASSWORD },
    });
    expect((await fetch(href)).status).toBe(404);
    expect((await readdir(site.folder.exportsDir)).some((name) => name.includes(made.id))).toBe(false);
    await expect(client.call('requestSubjectExport', { params: params(person) })).rejects.toMatchObject({
      status: 404,
    });
    await expect(client.call('listSubjectExports', { params: params(person) })).rejects.toMatchObject({ status: 404 });
    expect((await exported(other)).state).toBe('READY');
  });
});
