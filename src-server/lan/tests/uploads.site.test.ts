/** Uploads against a complete site: staff decisions, responses to devices, refusals, and backups. */

import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../../api/contract/client.ts';
import type { Upload } from '../../api/contract/index.ts';
import { HOUR_MS, MINUTE_MS } from '../../durations.ts';
import { quarantinePath, uploadPaths } from '../../files/inbox.ts';
import { makeBackup } from '../../integrity/backup/make.ts';
import { restoreSite } from '../../integrity/backup/restore.ts';
import { verifySite } from '../../integrity/verify.ts';
import { clockPath } from '../../signals/index.ts';
import { type RunningSite, startSite } from '../../site/server.ts';
import { makeTestSite, signIn, type TestSite } from '../../testing/test-site.ts';
import { TestDevice, type UploadFile } from '../../testing/upload-client.ts';
import { makeUploadFile, SENSOR, SENSOR_UDID, type TestFileOptions } from '../../testing/upload-site.ts';
import { deviceToken } from '../device-identity.ts';

const HOUR_US = 3_600e6;

let place: TestSite;
let site: RunningSite;
let client: Client;
let folder: string;
let token: string;
let credentialId: string;

const start = (dir: string) => startSite({ dir, port: 0 });
const change = () => ({ actor: { type: 'USER', id: place.userId } }) as const;
const hub = (authorization = `Bearer ${token}`, url = site.url) => new TestDevice({ url, authorization });

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'outpost-uploads-'));
  place = await makeTestSite();
  site = await start(place.dir);
  client = await signIn(site.url);
  const { store } = site.folder;
  const { accountId, studyId } = place;
  await store.equipment.register({ accountId, id: SENSOR, type: 'SENSOR', udid: SENSOR_UDID }, change());
  const atTs = Date.now() - 200 * HOUR_MS;
  await store.equipment.assign(SENSOR, { studyId, subjectId: place.subjectIds[0] ?? '', atTs }, change());
  await store.equipment.register({ accountId, id: 'hub-1', type: 'LINK_HUB' }, change());
  const { device, secret } = await store.devices.add(
    { accountId, kind: 'HUB', serial: 'hub-1', equipmentId: 'hub-1' },
    change(),
  );
  credentialId = device.id;
  token = deviceToken(site.folder.site.id, device.id, secret);
});
afterAll(async () => {
  await site.close();
  await place.remove();
  rmSync(folder, { recursive: true });
});

let hoursBack = 190;
/** Each file covers its own hour, because recordings of one sensor must not overlap. */
function makeFile(options: TestFileOptions = {}): Promise<UploadFile> {
  hoursBack -= 1;
  return makeUploadFile(folder, { startUs: Date.now() * 1000 - hoursBack * HOUR_US, seconds: 60, ...options });
}
const fromTheFuture = () => makeFile({ startUs: Date.now() * 1000 + (100 + hoursBack) * HOUR_US });

async function listed(id: string): Promise<Upload | undefined> {
  const { items } = await client.call('listUploads', {
    params: { accountId: place.accountId },
    query: { state: ['RECEIVED', 'STORED', 'QUARANTINED', 'REJECTED'] },
  });
  return items.find((upload) => upload.id === id);
}

async function coverage(recordingId: string): Promise<string | undefined> {
  const items = await site.folder.store.dataPaths.list(place.studyId, {
    fromTs: 0,
    toTs: Number.MAX_SAFE_INTEGER,
  });
  return items.find((item) => item.recordingId === recordingId)?.state;
}

async function report(file: UploadFile, where: 'SENSOR' | 'HUB' = 'HUB') {
  const response = await fetch(new URL('/api/v1/device/manifest', site.url), {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      recordings: [
        {
          recordingId: file.recordingId,
          sensor: SENSOR,
          place: where,
          sizeBytes: file.bytes.length,
          startTs: Math.floor(file.startUs / 1000),
          stopTs: Math.floor(file.startUs / 1000) + MINUTE_MS,
        },
      ],
    }),
  });
  const { recordings } = (await response.json()) as { recordings: Record<string, string>[] };
  return recordings[0];
}

it('counts a file as under way from its first bytes until it is whole', async () => {
  const file = await makeFile();
  expect(site.filesUnderWay()).toBe(0);
  const { headers } = await hub().announce(file);
  await hub().patch(headers.location ?? '', 0, file.bytes.subarray(0, 100));
  expect(site.filesUnderWay()).toBe(1);
  await hub().patch(headers.location ?? '', 100, file.bytes.subarray(100));
  expect(site.filesUnderWay()).toBe(0);
});

describe('a file in quarantine', () => {
  it('is accepted by a person over HTTP, once, for a subject of that study only', async () => {
    const file = await fromTheFuture();
    const { body } = await hub().upload(file);
    const uploadId = String(body.id);
    expect(await listed(uploadId)).toMatchObject({
      state: 'QUARANTINED',
      code: 'IN_FUTURE',
      actions: ['accept', 'reject'],
    });
    expect(await report(file)).toMatchObject({ action: 'DELETE', state: 'QUARANTINED', code: 'IN_FUTURE' });
    const params = { accountId: place.accountId, uploadId };
    const { studyId } = place;
    const stranger = { studyId, subjectId: place.studyId, reason: 'wrong' };
    await expect(client.call('acceptUpload', { params, body: stranger })).rejects.toMatchObject({ status: 404 });
    const decision = { studyId, subjectId: place.subjectIds[1] ?? '', reason: 'The clock was ahead.' };
    expect(await client.call('acceptUpload', { params, body: decision })).toMatchObject({ actions: [] });
    while ((await listed(uploadId))?.state !== 'STORED') await sleep(20);
    const progress = async () =>
      (await client.call('listUploadProgress', { params: { accountId: place.accountId } })).items.find(
        ({ deviceId }) => deviceId === 'hub-1',
      )!;
    const { recordings, sizeBytes, receivedBytes, verified } = await progress();
    expect({ receivedBytes, verified }).toEqual({ receivedBytes: sizeBytes, verified: recordings });
    expect(verified).toBeGreaterThan(0);
    await expect.poll(async () => (await progress()).analysed, { timeout: MINUTE_MS }).toBe(recordings);
    const recording = await site.folder.store.recordings.require(file.recordingId);
    expect(recording.subjectId).toBe(place.subjectIds[1]);
    await expect
      .poll(async () => (await client.call('listJobs', {})).items.filter(({ kind }) => kind === 'receive'), {
        timeout: 20_000,
      })
      .toContainEqual(
        expect.objectContaining({
          ...{ state: 'done', studyId, subjectId: place.subjectIds[1], recordingId: file.recordingId },
        }),
      );
    expect(existsSync(quarantinePath(site.folder.inboxDir, uploadId))).toBe(false);
    await expect(client.call('acceptUpload', { params, body: decision })).rejects.toMatchObject({ status: 409 });
    const audit = await site.folder.store.audit.list({ entityType: 'upload', entityId: uploadId });
    expect(audit.find(({ reason }) => reason === decision.reason)).toMatchObject({
      actor: { type: 'USER', id: place.userId },
    });
  });

  it('can be rejected, which is permanent for the device, and still be accepted later', async () => {
    const file = await fromTheFuture();
    const uploadId = String((await hub().upload(file)).body.id);
    const params = { accountId: place.accountId, uploadId };
    const { items } = await client.call('listUploadProgress', { params });
    expect(items).toContainEqual(expect.objectContaining({ deviceId: 'hub-1', blocked: 1 }));
    expect(await client.call('rejectUpload', { params, body: { reason: 'A test on the desk.' } })).toMatchObject({
      state: 'REJECTED',
      actions: ['accept'],
      decisionReason: 'A test on the desk.',
    });
    expect((await hub().announce(file)).body).toMatchObject({
      code: 'UPLOAD_REJECTED',
      permanent: true,
      message: "The site's staff decided against this recording: A test on the desk.",
    });
    expect(await report(file)).toMatchObject({ action: 'DELETE', state: 'REJECTED' });
    const decision = { studyId: place.studyId, subjectId: place.subjectIds[1] ?? '', reason: 'It was none.' };
    await client.call('acceptUpload', { params, body: decision });
    while ((await listed(uploadId))?.state !== 'STORED') await sleep(20);
  });
});

describe('the way of a recording', () => {
  it('is visible at each step, and the manifest answers with an action', async () => {
    const file = await makeFile();
    expect(await report(file, 'SENSOR')).toEqual({ recordingId: file.recordingId, action: 'SEND' });
    expect(await coverage(file.recordingId)).toBe('ON_SENSOR');
    await report(file);
    expect(await coverage(file.recordingId)).toBe('ON_HUB');
    const device = hub();
    const location = (await device.announce(file)).headers.location ?? '';
    await device.patch(location, 0, file.bytes.subarray(0, 1000));
    expect(await report(file)).toMatchObject({ action: 'SEND', state: 'RECEIVING' });
    expect(await coverage(file.recordingId)).toBe('RECEIVING');
    await device.upload(file);
    expect(await report(file)).toMatchObject({ action: 'DELETE', state: 'STORED' });
    while ((await coverage(file.recordingId)) !== 'ANALYSED') await sleep(50);
  });

  it('that staff must correct first is KEEP, then SEND', async () => {
    const file = { ...(await makeFile()), metadata: { sensor: 'SN-LATE' } };
    expect((await hub().announce(file)).body).toMatchObject({ code: 'SENSOR_UNKNOWN' });
    expect(await report(file)).toMatchObject({ action: 'KEEP', state: 'REFUSED', code: 'SENSOR_UNKNOWN' });
    const { accountId, studyId, subjectIds } = place;
    const { equipment } = site.folder.store;
    await equipment.register({ accountId, id: 'SN-LATE', type: 'SENSOR' }, change());
    expect(await report(file)).toMatchObject({ action: 'KEEP' });
    await equipment.assign('SN-LATE', { studyId, subjectId: subjectIds[1] ?? '', atTs: 1 }, change());
    expect(await report(file)).toMatchObject({ action: 'SEND' });
  });
});

describe('a refused device', () => {
  it('receives the reason: no token, unknown, of another site, revoked', async () => {
    const file = await makeFile();
    const { id: siteId } = site.folder.site;
    const other = { accountId: place.accountId, kind: 'HUB', serial: 'hub-9' } as const;
    const { device, secret } = await site.folder.store.devices.add(other, change());
    const revoked = deviceToken(siteId, device.id, secret);
    await site.folder.store.devices.revoke(device.id, change());
    const wrongSite = token.replace(siteId, '0197c9f0-5d2b-7d0e-9d4f-0b6a4a3c1f11');
    for (const [authorization, code, words] of [
      ['', 'UNAUTHORIZED', 'for paired devices'],
      [`Bearer ${client.credentials?.accessToken ?? ''}`, 'UNAUTHORIZED', 'for paired devices'],
      [`Bearer ${deviceToken(siteId, credentialId, 'x'.repeat(43))}`, 'UNAUTHORIZED', 'not known here'],
      [`Bearer ${wrongSite}`, 'DEVICE_WRONG_SITE', 'another site'],
      [`Bearer ${revoked}`, 'DEVICE_REVOKED', 'removed from the site'],
    ] as const) {
      const answer = await hub(authorization).announce(file);
      expect(answer, code).toMatchObject({ status: 401, body: { code, message: expect.stringContaining(words) } });
    }
    expect(await site.folder.store.uploads.list({ recordingIds: [file.recordingId] })).toEqual([]);
  });

  it('is the one whose announcement cannot be read; it is in the audit, once', async () => {
    const file = { ...(await makeFile()), metadata: { startUs: '../../etc' } };
    for (let turn = 0; turn < 3; turn++) {
      expect((await hub().announce(file)).body).toMatchObject({ code: 'UPLOAD_METADATA', permanent: true });
    }
    const rows = await site.folder.store.audit.list({ entityType: 'refusal', entityId: credentialId });
    expect(rows).toMatchObject([
      {
        action: 'refusal.upload',
        actor: { type: 'DEVICE', id: credentialId },
        changes: { code: { new: 'UPLOAD_METADATA' } },
      },
    ]);
  });

  it('is a file of 10 GB where the disk has less, or more than that anywhere; ids that are paths too', async () => {
    const file = await makeFile();
    const huge = await hub().announce({ ...file, metadata: { size: '10000000001' } });
    expect(huge).toMatchObject({ status: 413, body: { code: 'UPLOAD_TOO_LARGE', permanent: true } });
    for (const recordingId of ['../../site.db', '..\\site.db', 'a/b', '\0', `${file.recordingId}/..`]) {
      const answer = await hub().announce({ ...file, metadata: { recordingId } });
      expect(answer).toMatchObject({ status: 400, body: { code: 'UPLOAD_METADATA' } });
    }
  });
});

describe('a backup', () => {
  it('contains quarantined files and clock maps; a partial upload restarts after the restore', async () => {
    const waiting = await fromTheFuture();
    const uploadId = String((await hub().upload(waiting)).body.id);
    const plain = await makeFile();
    const corrected = { ...plain, syncPoints: [[plain.startUs, plain.startUs + 2e6]] as [number, number][] };
    expect((await hub().upload(corrected)).body.state).toBe('STORED');
    const half = await makeFile();
    const location = (await hub().announce(half)).headers.location ?? '';
    const halfId = location.split('/').at(-1) ?? '';
    await hub().patch(location, 0, half.bytes.subarray(0, 5000));
    const to = join(folder, 'site.zip');
    const made = await makeBackup({ siteDir: place.dir, to, reason: 'manual', nowTs: Date.now() });
    expect(made.problems).toEqual([]);

    const dir = join(folder, 'restored');
    expect((await restoreSite(to, dir)).problems).toEqual([]);
    expect(readFileSync(quarantinePath(join(dir, 'inbox'), uploadId)).equals(waiting.bytes)).toBe(true);
    const map = clockPath(join(dir, 'signals', `${corrected.recordingId}.sig`));
    expect(existsSync(map)).toBe(true);
    expect(existsSync(uploadPaths(join(dir, 'inbox'), halfId).data)).toBe(false);
    expect((await verifySite(dir)).problems).toEqual([]);
    const restored = await start(dir);
    try {
      const device = hub(undefined, restored.url);
      expect(await device.head(location)).toMatchObject({ status: 200, headers: { 'upload-offset': '0' } });
      expect((await device.upload(half)).body.state).toBe('STORED');
      expect((await device.announce(waiting)).headers['outpost-upload-state']).toBe('QUARANTINED');
    } finally {
      await restored.close();
    }
    const bytes = readFileSync(map, 'utf8');
    rmSync(map);
    rmSync(quarantinePath(join(dir, 'inbox'), uploadId));
    const messages = (await verifySite(dir)).problems.map(({ message }) => message);
    expect(messages).toEqual([
      expect.stringContaining(`The clock map of recording ${corrected.recordingId} is missing`),
      expect.stringContaining(`The file of upload ${uploadId}, which is awaiting a decision, is missing`),
    ]);
    writeFileSync(map, bytes.replace(/\d{9},/, '123456789,'));
    expect((await verifySite(dir)).problems[0]?.message).toContain('is damaged');
  });
});
