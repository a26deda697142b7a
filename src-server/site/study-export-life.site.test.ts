import { mkdir, readdir, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Client } from '../api/contract/client.ts';
import { newId, SYSTEM } from '../db/index.ts';
import { DAY_MS } from '../durations.ts';
import { neutralName } from '../exporters/study-export/neutral-name.ts';
import { Part, writePart } from '../exporters/study-export/part-file.ts';
import { EXPORT_LIMITS, removeExports } from '../jobs/handlers/export-eviction.ts';
import { addDays, fixedZone, midnightWindow } from '../study/day-windows.ts';
import { storeTestAnalytics } from '../testing/test-analytics.ts';
import { addTestRecording } from '../testing/test-recording.ts';
import { jobEnd, makeTestSite, signIn, startServerProcess, type TestSite } from '../testing/test-site.ts';
import { zipContents } from '../testing/zip-contents.ts';
import { openSite, type SiteFolder } from './folder.ts';
import { startSite } from './server.ts';

const ZONE = 'US/Eastern';

let place: TestSite;
beforeEach(async () => {
  place = await makeTestSite();
});
afterEach(() => place.remove());

/** Stores a short recording and the analytics of each day, for every subject. */
async function fillDays(folder: SiteFolder, count: number): Promise<void> {
  const dates = Array.from({ length: count }, (_, i) => addDays('2026-01-10', i));
  const spans = dates.map((date) => midnightWindow(date, fixedZone(ZONE)));
  const { studyId } = place;
  for (const subjectId of place.subjectIds) {
    for (const { startMs } of spans) {
      const options = { startUs: startMs * 1000, durationSeconds: 1 };
      await addTestRecording(folder.store, folder.signalsDir, { studyId, subjectId }, options);
    }
    await storeTestAnalytics(folder.store, { studyId, subjectId }, ZONE, dates, spans);
  }
}

const request = (client: Client, body: { subjectIds?: string[] } = {}) =>
  client.call('requestStudyExport', { params: { studyId: place.studyId }, body: { format: 'ARCHIVE', ...body } });
const exportsIn = async (dir: string) => (await readdir(join(dir, 'exports'))).sort();

async function fileOf(client: Client, exportId: string): Promise<Response> {
  const signed = await client.call('getStudyExportFile', { params: { studyId: place.studyId, exportId } });
  return await fetch(signed.href);
}

it('completes an export after the site was killed, and never lists a partial file', async () => {
  const folder = await openSite(place.dir);
  await fillDays(folder, 8);
  await folder.close();
  const first = await startServerProcess(place.dir);
  let exportId: string;
  try {
    const client = await signIn(first.url);
    exportId = (await request(client)).id;
    while (!(await exportsIn(place.dir)).some((name) => name.endsWith('.partial'))) await sleep(1);
    const params = { studyId: place.studyId, exportId };
    expect((await client.call('getStudyExport', { params })).state).not.toBe('READY');
    await expect(client.call('getStudyExportFile', { params })).rejects.toMatchObject({ status: 404 });
  } finally {
    await first.kill();
  }
  expect(await exportsIn(place.dir)).toEqual([expect.stringMatching(/\.partial$/)]);
  const second = await startServerProcess(place.dir);
  try {
    const client = await signIn(second.url);
    expect((await jobEnd(client, exportId)).state).toBe('done');
    expect(await exportsIn(place.dir)).toEqual([expect.stringMatching(/\.zip$/)]);
    const members = await zipContents(new Uint8Array(await (await fileOf(client, exportId)).arrayBuffer()));
    const manifest = JSON.parse(members.get('manifest.json')!.toString()) as { files: { path: string }[] };
    expect([...members.keys()].sort()).toEqual([...manifest.files.map(({ path }) => path), 'manifest.json'].sort());
    expect([...members.keys()].filter((name) => name.startsWith('channels/'))).toHaveLength(16);
  } finally {
    await second.stop();
  }
});

/** Stores recordings long enough that an export of them can be interrupted. */
async function fillHours(folder: SiteFolder, count: number): Promise<void> {
  const [subjectId] = place.subjectIds;
  for (let i = 0; i < count; i++) {
    const options = { startUs: Date.UTC(2026, 0, 10, i) * 1000, durationSeconds: 3600 };
    await addTestRecording(folder.store, folder.signalsDir, { studyId: place.studyId, subjectId: subjectId! }, options);
  }
}

/** Resolves with the parts of an export once it has one that ends so, and the export is not finished. */
async function firstParts(exportId: string, ending: '.part' | '.part.partial' = '.part'): Promise<string[]> {
  for (;;) {
    const parts = await readdir(join(place.dir, 'exports', `parts-${exportId}`)).catch(() => []);
    const found = parts.filter((name) => name.endsWith(ending));
    if (found.length > 0) return found;
    await sleep(1);
  }
}

/** Puts recognizable samples into a finished part. */
async function markPart(exportId: string, name: string): Promise<Buffer> {
  const path = join(place.dir, 'exports', `parts-${exportId}`, name);
  const part = await Part.open(path);
  const content = part.names.map((member) => ({ name: member, content: [MARK] }));
  await part.close();
  await writePart(path, name.replace('.part', ''), content, () => []);
  return MARK;
}

const MARK = Buffer.from('made before the site was killed');

/** Members of an export, by name. */
async function membersOf(client: Client, exportId: string): Promise<Map<string, Buffer>> {
  return await zipContents(new Uint8Array(await (await fileOf(client, exportId)).arrayBuffer()));
}

const requestBids = async (client: Client) => {
  const body = { format: 'BIDS', deidentified: true } as const;
  return (await client.call('requestStudyExport', { params: { studyId: place.studyId }, body })).id;
};

it('continues a killed export with the recordings that it had encoded, to the same members', async () => {
  const folder = await openSite(place.dir);
  await fillHours(folder, 3);
  await folder.close();
  const first = await startServerProcess(place.dir);
  let exportId: string;
  try {
    exportId = await requestBids(await signIn(first.url));
    await firstParts(exportId);
  } finally {
    await first.kill();
  }
  const [finished] = await firstParts(exportId);
  await markPart(exportId, finished!);
  expect((await exportsIn(place.dir)).filter((name) => !name.endsWith('.partial'))).toEqual([`parts-${exportId}`]);
  const second = await startServerProcess(place.dir);
  try {
    const client = await signIn(second.url);
    const job = await jobEnd(client, exportId);
    expect(job.state).toBe('done');
    expect(await exportsIn(place.dir)).toEqual([expect.stringMatching(/\.zip$/)]);
    const whole = await requestBids(client);
    expect((await jobEnd(client, whole)).state).toBe('done');
    const [resumed, fresh] = [await membersOf(client, exportId), await membersOf(client, whole)];
    const marked = [...resumed].filter(([, bytes]) => bytes.equals(MARK)).map(([name]) => name);
    expect(marked.map((name) => name.replace(/^.*_/, '')).sort()).toEqual(['beh.tsv', 'motion.tsv', 'physio.tsv.gz']);
    for (const name of [...marked, 'outpost.json']) for (const members of [resumed, fresh]) members.delete(name);
    expect(resumed).toEqual(fresh);
  } finally {
    await second.stop();
  }
});

it('removes everything of a cancelled export, during it and after a kill', async () => {
  const folder = await openSite(place.dir);
  await fillHours(folder, 6);
  await folder.close();
  const first = await startServerProcess(place.dir);
  let exportId: string;
  try {
    const client = await signIn(first.url);
    const cancelled = await requestBids(client);
    // In the middle of a recording.
    await firstParts(cancelled, '.part.partial');
    await client.call('cancelJob', { params: { jobId: cancelled } });
    expect((await client.call('getJob', { params: { jobId: cancelled } })).state).toBe('cancelled');
    expect(await exportsIn(place.dir)).toEqual([]);
    exportId = await requestBids(client);
    await firstParts(exportId);
  } finally {
    await first.kill();
  }
  const second = await startServerProcess(place.dir);
  try {
    const client = await signIn(second.url);
    await client.call('cancelJob', { params: { jobId: exportId } });
    expect(await exportsIn(place.dir)).toEqual([]);
  } finally {
    await second.stop();
  }
});

it('lists an export, serves it in ranges, and deletes it during and after its creation', async () => {
  const site = await startSite({ dir: place.dir, port: 0 });
  try {
    await fillDays(site.folder, 3);
    const client = await signIn(site.url);
    const params = { studyId: place.studyId };
    const [made, dropped] = [await request(client), await request(client, { subjectIds: [place.subjectIds[1]!] })];
    await client.call('deleteStudyExport', { params: { ...params, exportId: dropped.id } });
    expect((await client.call('getJob', { params: { jobId: dropped.id } })).state).toBe('cancelled');
    expect((await jobEnd(client, made.id)).state).toBe('done');
    const { items } = await client.call('listStudyExports', { params });
    const requestedBy = { id: expect.any(String), displayName: expect.any(String) };
    expect(items).toEqual([expect.objectContaining({ id: made.id, state: 'READY', deidentified: false, requestedBy })]);
    const whole = Buffer.from(await (await fileOf(client, made.id)).arrayBuffer());
    expect(whole).toHaveLength(items[0]!.sizeBytes!);
    const { href } = await client.call('getStudyExportFile', { params: { ...params, exportId: made.id } });
    const part = await fetch(href, { headers: { range: 'bytes=10-19' } });
    expect([part.status, Buffer.from(await part.arrayBuffer())]).toEqual([206, whole.subarray(10, 20)]);

    await client.call('deleteStudyExport', { params: { ...params, exportId: made.id } });
    expect(await exportsIn(place.dir)).toEqual([]);
    const gone = await fetch(href);
    expect([gone.status, ((await gone.json()) as { code: string }).code]).toEqual([404, 'NOT_FOUND']);
    expect((await client.call('listStudyExports', { params })).items).toEqual([]);
    expect((await client.call('getStudy', { params })).export).toBeUndefined();
    const again = client.call('deleteStudyExport', { params: { ...params, exportId: made.id } });
    await expect(again).rejects.toMatchObject({ status: 404 });
  } finally {
    await site.close();
  }
});

it('rejects subjects of other studies, test subjects and a base export of another kind', async () => {
  const site = await startSite({ dir: place.dir, port: 0 });
  try {
    const client = await signIn(site.url);
    const params = { studyId: place.studyId };
    const tester = await client.call('createSubject', {
      params,
      body: { displayName: 'Try-out', timezone: ZONE, isTest: true },
    });
    const base = await request(client);
    await jobEnd(client, base.id);
    const refused: [object, RegExp][] = [
      [{ subjectIds: [newId()] }, /names no subject of this study/],
      [{ subjectIds: [tester.id] }, /test subjects are never exported/],
      [{ sinceExportId: newId() }, /names no export of this study/],
      [{ sinceExportId: base.id, deidentified: true }, /must be false, as in the earlier export/],
      [{ sinceExportId: base.id, subjectIds: [place.subjectIds[0]] }, /must be those of the earlier export/],
      [{ sinceExportId: base.id, sinceTs: 0 }, /cannot be given together/],
      [{ sinceTs: Date.now() + DAY_MS }, /must not be in the future/],
      [{ includeDefinition: true }, /applies to de-identified exports/],
    ];
    for (const [body, message] of refused) {
      const answer = client.call('requestStudyExport', { params, body: { format: 'ARCHIVE', ...body } });
      await expect(answer).rejects.toMatchObject({ status: 400, message: expect.stringMatching(message) });
    }
    // A base export made by older de-identification rules: its codes and times would not match.
    const { store } = site.folder;
    const old = { studyId: place.studyId, format: 'ARCHIVE', isDeidentified: true, requestedTs: Date.now() } as const;
    const { record } = await store.exports.request(old, SYSTEM);
    const file = { name: 'old.zip', sizeBytes: 1, sha256: '0'.repeat(64), auditSequence: 1 };
    await store.exports.finish(record.id, file, SYSTEM);
    const answer = client.call('requestStudyExport', {
      params,
      body: { format: 'ARCHIVE', sinceExportId: record.id },
    });
    await expect(answer).rejects.toMatchObject({ status: 409, message: expect.stringMatching(/by older rules/) });
  } finally {
    await site.close();
  }
});

it('evicts expired exports, then the oldest, but no foreign files and none of the last hour', async () => {
  const folder = await openSite(place.dir);
  try {
    const { store, exportsDir } = folder;
    const now = Date.now();
    const limits = { ...EXPORT_LIMITS, leastFreeBytes: 0 };
    const lay = async (name: string, ageMs: number, bytes = 10) => {
      await writeFile(join(exportsDir, name), Buffer.alloc(bytes));
      await utimes(join(exportsDir, name), (now - ageMs) / 1000, (now - ageMs) / 1000);
      return name;
    };
    const change = { actor: { type: 'USER', id: place.userId } } as const;
    const addExport = async (ageMs: number, bytes = 10) => {
      const input = {
        studyId: place.studyId,
        format: 'ARCHIVE',
        isDeidentified: true,
        requestedTs: now - ageMs,
      } as const;
      const { record } = await store.exports.request(input, change);
      const name = await lay(`${neutralName('study', record.id)}.zip`, ageMs, bytes);
      const facts = { name, sizeBytes: bytes, sha256: '0'.repeat(64), auditSequence: 1 };
      await store.exports.finish(record.id, facts, change);
      return { id: record.id, name };
    };
    const expired = await addExport(31 * DAY_MS);
    const kept = await addExport(29 * DAY_MS);
    const oldRecording = await lay(`${newId()}.zip`, 8 * DAY_MS);
    const oldCoded = await lay(`${neutralName('recording', newId())}.edf`, 8 * DAY_MS);
    const recording = await lay(`${newId()}.edf`, 6 * DAY_MS);
    const lost = await lay(`study-${place.studyId}-${newId()}.zip`, 0);
    await mkdir(join(exportsDir, `parts-${newId()}`));
    const foreign = await lay('notes of a person.zip', 400 * DAY_MS);
    await mkdir(join(exportsDir, 'folder of a person'));
    expect((await removeExports(folder, limits, now)).sort()).toEqual(
      [expired.name, oldRecording, oldCoded, lost].sort(),
    );
    expect((await store.exports.require(expired.id)).removed).toMatchObject({ because: 'EXPIRED' });
    expect(await exportsIn(place.dir)).toEqual([kept.name, recording, foreign, 'folder of a person'].sort());

    const fresh = await addExport(60_000, 1000);
    const tight = { ...limits, mostBytes: 1000 };
    expect(await removeExports(folder, tight, now)).toEqual([kept.name, recording]);
    expect((await store.exports.require(kept.id)).removed).toMatchObject({ because: 'SPACE' });
    expect((await stat(join(exportsDir, fresh.name))).size).toBe(1000);
    // Freeing space on a nearly full disk follows the same order.
    const full = { ...limits, leastFreeBytes: Number.MAX_SAFE_INTEGER };
    expect(await removeExports(folder, full, now + 2 * 3_600_000)).toEqual([fresh.name]);
    expect(await exportsIn(place.dir)).toEqual([foreign, 'folder of a person'].sort());
  } finally {
    await folder.close();
  }
});
