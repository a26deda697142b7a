/** Study exports in every format with recordings, and downloads of one recording, through the real job and its worker. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Client } from '../api/contract/client.ts';
import { SYSTEM } from '../db/index.ts';
import { openZipMembers } from '../importers/csv/zip-members.ts';
import { bidsBreaches } from '../testing/bids-rules.ts';
import { queryDuckDb } from '../testing/read-parquet.ts';
import { addTestRecording } from '../testing/test-recording.ts';
import { jobEnd, makeTestSite, signIn, type TestSite } from '../testing/test-site.ts';
import { zipContents } from '../testing/zip-contents.ts';
import { completeParameters } from '../vocabulary/analysis-parameters.ts';
import { type RunningSite, startSite } from './server.ts';

let place: TestSite;
let site: RunningSite;
let client: Client;
let folder: string;
let recordingId: string;
/** The newest export. */
let exportId: string;
beforeAll(async () => {
  place = await makeTestSite();
  site = await startSite({ dir: place.dir, port: 0 });
  client = await signIn(site.url);
  folder = await mkdtemp(join(tmpdir(), 'outpost-formats-'));
  const { store, signalsDir } = site.folder;
  const owner = { studyId: place.studyId, subjectId: place.subjectIds[0]! };
  recordingId = (await addTestRecording(store, signalsDir, owner, { durationSeconds: 120 })).id;
});
afterAll(async () => {
  await site.close();
  await place.remove();
  await rm(folder, { recursive: true, force: true });
});

/** Returns the members of a study export in a format. */
async function exported(format: 'PARQUET' | 'BIDS', since?: string): Promise<Map<string, Buffer>> {
  const params = { studyId: place.studyId };
  const body = { format, ...(since !== undefined && { sinceExportId: since }) };
  const { id } = await client.call('requestStudyExport', { params, body });
  exportId = id;
  expect(await jobEnd(client, id)).toMatchObject({ state: 'done', result: { recordings: 1 } });
  const subjects = (await site.folder.store.outbox.list(place.accountId)).map(({ subject }) => subject);
  expect(subjects).toContain(`The ${format === 'BIDS' ? 'BIDS dataset' : 'Parquet export'} of Test study is ready`);
  const { href } = await client.call('getStudyExportFile', { params: { ...params, exportId: id } });
  const path = join(folder, `${format}.zip`);
  await writeFile(path, Buffer.from(await (await fetch(href)).arrayBuffer()));
  const zip = await openZipMembers(path);
  const members = new Map<string, Buffer>();
  for (const member of zip.members) {
    const chunks: Uint8Array[] = [];
    for await (const chunk of member.open()) chunks.push(chunk);
    members.set(member.name, Buffer.concat(chunks));
  }
  zip.close();
  return members;
}

it('exports a complete Parquet file', async () => {
  const members = await exported('PARQUET');
  const path = join(folder, 'raw.parquet');
  await writeFile(path, members.get(`raw/${place.subjectIds[0]}/${recordingId}.parquet`)!);
  expect(await queryDuckDb(`SELECT count(*)::INTEGER AS n FROM '${path}' WHERE type = 'ECG'`)).toEqual([{ n: 30_000 }]);
});

it('exports the Parquet files that changed since an earlier export, as long as that one is there', async () => {
  const params = { studyId: place.studyId };
  const whole = await exported('PARQUET');
  const base = exportId;
  const changes = await exported('PARQUET', base);
  expect([...changes.keys()]).toEqual(['manifest.json']);
  const manifest = JSON.parse(String(changes.get('manifest.json')));
  expect(manifest).toMatchObject({ exportId, base: { exportId: base }, removed: [] });
  expect(manifest.files.map(({ path }: { path: string }) => path).sort()).toEqual(
    [...whole.keys()].filter((name) => name !== 'manifest.json').sort(),
  );
  expect(await client.call('getStudyExport', { params: { ...params, exportId } })).toMatchObject({
    sinceExportId: base,
  });
  const request = (body: object) => client.call('requestStudyExport', { params, body: { format: 'PARQUET', ...body } });
  await expect(request({ sinceTs: 0 })).rejects.toMatchObject({
    code: 'INVALID_INPUT',
    errors: [expect.objectContaining({ path: 'sinceTs' })],
  });
  await site.folder.store.exports.remove(base, 'EXPIRED', SYSTEM);
  await expect(request({ sinceExportId: base })).rejects.toMatchObject({ code: 'CONFLICT', status: 409 });
});

it('exports a complete and valid BIDS dataset', async () => {
  expect(bidsBreaches(await exported('BIDS'))).toEqual([]);
});

it.each(['edf', 'parquet'] as const)('exports one recording as %s', async (format) => {
  const params = { studyId: place.studyId, recordingId };
  const { href } = await client.call('getRecordingExport', { params, query: { format } });
  const response = await fetch(href);
  expect(response.status).toBe(200);
  const bytes = Buffer.from(await response.arrayBuffer());
  expect(bytes.subarray(0, 4).toString()).toBe(format === 'edf' ? '0   ' : 'PAR1');
});

it('exports with what the beats of a recording are found, also inside of WFDB', async () => {
  const params = { studyId: place.studyId, recordingId };
  const file = async (format: 'beats-method' | 'wfdb', deidentified = false) => {
    const { href } = await client.call('getRecordingExport', { params, query: { format, deidentified } });
    const response = await fetch(href);
    expect(response.status).toBe(200);
    return Buffer.from(await response.arrayBuffer());
  };
  const { sha256 } = await site.folder.store.recordings.require(recordingId);
  const method = JSON.parse((await file('beats-method')).toString());
  expect(method).toMatchObject({ recordingId, beatsFrom: 'ECG', corrections: 0, inputs: { recordingSha256: sha256 } });
  const coded = (await file('beats-method', true)).toString();
  expect(JSON.parse(coded)).toMatchObject({ beatsFrom: 'ECG', algorithm: method.algorithm });
  for (const secret of [recordingId, sha256]) expect(coded).not.toContain(secret);
  const members = await zipContents(new Uint8Array(await file('wfdb')));
  expect(JSON.parse(members.get('ecg.json')!.toString())).toEqual(method);
  expect(members.get('ecg.hea')!.toString()).toContain(`# inputs_sha256: ${method.inputs.sha256}\n`);
  await site.folder.store.studies.putDefinition(
    place.studyId,
    { analysisParameters: completeParameters({ rhythm: { pauseSeconds: 2 } }) } as never,
    SYSTEM,
  );
  expect(JSON.parse((await file('beats-method')).toString()).parameters.rhythm.pauseSeconds).toBe(2);
});
