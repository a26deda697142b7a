/** Uploads belong to the device, across repeated pairings, reassignment of the hub and duplicate files, over TLS. */

import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Upload } from '../../api/contract/index.ts';
import { HOUR_MS } from '../../durations.ts';
import { openTls } from '../../testing/test-device.ts';
import { startTestLanSite, type TestLanSite } from '../../testing/test-lan-site.ts';
import { TestDevice, type UploadFile } from '../../testing/upload-client.ts';
import { makeUploadFile, SENSOR, SENSOR_UDID } from '../../testing/upload-site.ts';

const SENT_BYTES = 20_000;

let test: TestLanSite;
let folder: string;
let ca: string;

const params = () => ({ accountId: test.place.accountId });
const change = () => ({ actor: { type: 'USER', id: test.place.userId } }) as const;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'outpost-paired-again-'));
  test = await startTestLanSite();
  const { store } = test.site.folder;
  const { accountId, studyId, subjectIds } = test.place;
  await store.equipment.register({ accountId, id: SENSOR, type: 'SENSOR', udid: SENSOR_UDID }, change());
  const atTs = Date.now() - 1000 * HOUR_MS;
  await store.equipment.assign(SENSOR, { studyId, subjectId: subjectIds[0] ?? '', atTs }, change());
  const socket = await openTls(test.lanUrl);
  ca = socket.getPeerX509Certificate()?.toString() ?? '';
  socket.destroy();
});
afterAll(async () => {
  await test.close();
  rmSync(folder, { recursive: true });
});

let hoursBack = 900;
/** Each file covers its own hour, because recordings of one sensor must not overlap. */
function makeFile(): Promise<UploadFile> {
  hoursBack -= 1;
  return makeUploadFile(folder, { startUs: (Date.now() - hoursBack * HOUR_MS) * 1000, seconds: 60 });
}

async function pairedUploader(serial: string): Promise<TestDevice> {
  const { token } = await test.pairDevice({ serial });
  return new TestDevice({ url: test.lanUrl, authorization: `Bearer ${token}`, ca });
}

async function sendPart(device: TestDevice, file: UploadFile): Promise<string> {
  const announced = await device.announce(file);
  expect([announced.status, announced.headers['upload-offset']]).toEqual([201, '0']);
  const location = announced.headers.location ?? '';
  const answer = await device.patch(location, 0, file.bytes.subarray(0, SENT_BYTES));
  expect([answer.status, answer.headers['upload-offset']]).toEqual([204, String(SENT_BYTES)]);
  return location;
}

async function uploadsOf(file: UploadFile): Promise<Upload[]> {
  const state = ['RECEIVING', 'RECEIVED', 'STORED', 'QUARANTINED', 'REFUSED', 'EXPIRED', 'ENDED'] as const;
  const { items } = await test.client.call('listUploads', { params: params(), query: { state: [...state] } });
  const own = new Set(
    (await test.site.folder.store.uploads.list({ recordingIds: [file.recordingId] })).map(({ id }) => id),
  );
  return items.filter(({ id }) => own.has(id));
}

const inInbox = () => readdirSync(join(test.place.dir, 'inbox', 'uploads'));

it('continues at the acknowledged offset after the same serial number was paired again', async () => {
  const file = await makeFile();
  const before = await pairedUploader('HUB-1');
  const location = await sendPart(before, file);
  const after = await pairedUploader('HUB-1');

  const head = await before.head(location);
  expect([head.status, head.headers['outpost-code']]).toEqual([401, 'DEVICE_REVOKED']);
  const old = await after.head(location);
  expect([old.status, old.headers['upload-offset']]).toEqual([200, String(SENT_BYTES)]);
  const announced = await after.announce(file);
  expect(announced).toMatchObject({ status: 201, headers: { location, 'upload-offset': String(SENT_BYTES) } });

  expect((await after.upload(file)).body).toMatchObject({ state: 'STORED' });
  const uploads = await uploadsOf(file);
  expect(uploads.map(({ state }) => state)).toEqual(['STORED']);
  expect(inInbox()).toEqual([]);
  // The audit names the credential that sent the rest.
  const [row] = await test.site.folder.store.uploads.list({ recordingIds: [file.recordingId] });
  const device = (await test.site.folder.store.devices.list(test.place.accountId)).find(
    ({ serial }) => serial === 'HUB-1',
  );
  expect(row?.credentialId).toBe(device?.id);
});

it('keeps the bytes of a device that staff revoked, for when it is paired again', async () => {
  const file = await makeFile();
  const before = await pairedUploader('HUB-2');
  const location = await sendPart(before, file);
  const { items } = await test.client.call('listDevices', { params: params() });
  const deviceId = items.find(({ serial }) => serial === 'HUB-2')?.id ?? '';
  await test.client.call('revokeDevice', { params: { ...params(), deviceId } });
  expect((await before.announce(file)).headers['outpost-code']).toBe('DEVICE_REVOKED');
  expect((await uploadsOf(file)).map(({ state }) => state)).toEqual(['RECEIVING']);
  const after = await pairedUploader('HUB-2');
  expect((await after.head(location)).headers['upload-offset']).toBe(String(SENT_BYTES));
  const ended = await after.request('DELETE', location);
  expect(ended.status).toBe(204);
  expect((await after.announce(file)).headers['upload-offset']).toBe('0');
  expect((await after.upload(file)).body).toMatchObject({ state: 'STORED' });
  expect((await uploadsOf(file)).map(({ state }) => state).sort()).toEqual(['ENDED', 'STORED']);
});

it('continues while the hub is handed to another subject: the sensor decides whose recording it is', async () => {
  const file = await makeFile();
  const hub = await pairedUploader('HUB-3');
  const { store } = test.site.folder;
  const { studyId, subjectIds } = test.place;
  const location = await sendPart(hub, file);
  await store.equipment.assign('HUB-3', { studyId, subjectId: subjectIds[1] ?? '' }, change());
  expect((await hub.head(location)).headers['upload-offset']).toBe(String(SENT_BYTES));
  const { body } = await hub.upload(file);
  const recording = await store.recordings.require(String(body.storedRecordingId));
  expect(recording.subjectId).toBe(subjectIds[0]);
});

it('does not show an upload to another device, and settles it once the other has brought the file', async () => {
  const file = await makeFile();
  const [first, second] = [await pairedUploader('HUB-4'), await pairedUploader('HUB-5')];
  const location = await sendPart(first, file);
  expect((await second.head(location)).headers['outpost-code']).toBe('UPLOAD_GONE');
  const announced = await second.announce(file);
  expect(announced.headers['upload-offset']).toBe('0');
  expect(announced.headers.location).not.toBe(location);
  const { body } = await second.upload(file);
  expect(body).toMatchObject({ state: 'STORED' });

  expect((await uploadsOf(file)).map(({ state, deviceId }) => [deviceId, state]).sort()).toEqual([
    ['HUB-4', 'STORED'],
    ['HUB-5', 'STORED'],
  ]);
  expect(inInbox()).toEqual([]);
  const head = await first.head(location);
  expect(head.headers).toMatchObject({
    'upload-offset': String(file.bytes.length),
    'outpost-upload-state': 'STORED',
    'outpost-recording': body.storedRecordingId,
  });
  expect((await first.upload(file)).body).toMatchObject({ state: 'STORED', storedRecordingId: body.storedRecordingId });
});

it('does not let a phone take the serial number of equipment as its id', async () => {
  const serial = '0c3de1f4-6e53-4a30-8a0f-2b8a35b3a001';
  const { store } = test.site.folder;
  const { accountId, studyId, subjectIds } = test.place;
  await store.equipment.register({ accountId, id: serial, type: 'LINK_HUB' }, change());
  const { token } = await test.client.call('createSubjectToken', {
    params: { studyId, subjectId: subjectIds[0] ?? '' },
  });
  const response = await fetch(new URL('/api/v1/phone/sign-in', test.site.url), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token, phoneId: serial }),
  });
  expect([response.status, response.headers.get('outpost-code')]).toEqual([409, 'CONFLICT']);
});
