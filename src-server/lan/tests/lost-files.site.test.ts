/** Restoring a lost or damaged recording file when a device sends the same content again. */

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { HOUR_MS, MINUTE_MS } from '../../durations.ts';
import { overviewPath } from '../../signals/index.ts';
import type { TestDevice } from '../../testing/test-device.ts';
import { openTls } from '../../testing/test-device.ts';
import { startTestLanSite, type TestLanSite } from '../../testing/test-lan-site.ts';
import { allJobsEnd, jobEnd, upload } from '../../testing/test-site.ts';
import { TestDevice as Uploader, type UploadFile } from '../../testing/upload-client.ts';
import { makeUploadFile, SENSOR, SENSOR_UDID } from '../../testing/upload-site.ts';

const HOUR_US = 3_600e6;

let test: TestLanSite;
let hub: TestDevice;
let folder: string;
let startUs: number;

const signalOf = (id: string) => join(test.site.folder.signalsDir, `${id}.sig`);
const rowOf = (id: string) => test.site.folder.store.recordings.require(id);

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'outpost-lost-'));
  test = await startTestLanSite();
  hub = await test.pairDevice({ serial: 'HUB-0001' });
  const { accountId, studyId, subjectIds, userId } = test.place;
  const change = { actor: { type: 'USER', id: userId } } as const;
  const { equipment } = test.site.folder.store;
  await equipment.register({ accountId, id: SENSOR, type: 'SENSOR', udid: SENSOR_UDID }, change);
  startUs = Date.now() * 1000 - 60 * HOUR_US;
  const atTs = startUs / 1000 - HOUR_MS;
  await equipment.assign(SENSOR, { studyId, subjectId: subjectIds[0] ?? '', atTs }, change);
});
afterAll(async () => {
  await test.close();
  rmSync(folder, { recursive: true });
});

async function uploader(): Promise<Uploader> {
  const socket = await openTls(test.lanUrl);
  const ca = socket.getPeerX509Certificate()?.toString() ?? '';
  socket.destroy();
  return new Uploader({ url: test.lanUrl, authorization: `Bearer ${hub.token}`, ca });
}

async function manifest(file: UploadFile): Promise<Record<string, string>> {
  const startTs = Math.floor(file.startUs / 1000);
  const held = { sensor: SENSOR, place: 'HUB', sizeBytes: file.bytes.length, startTs, stopTs: startTs + MINUTE_MS };
  const answer = await hub.call('/device/manifest', { recordings: [{ recordingId: file.recordingId, ...held }] });
  return answer.recordings[0];
}

/** Returns everything that the API shows of the recording and the results derived from it. */
async function shown(id: string): Promise<unknown> {
  const { studyId, subjectIds } = test.place;
  const params = { studyId, subjectId: subjectIds[0] ?? '' };
  const { startUs: firstUs, stopUs, dataState, fileState } = await rowOf(id);
  const clock = await test.site.folder.store.clocks.correctionOf(id);
  const windows = await test.site.folder.store.analytics.windows(params.subjectId, {
    fromTs: firstUs / 1000 - 86_400_000,
    toTs: stopUs / 1000 + 86_400_000,
  });
  return {
    firstUs,
    stopUs,
    dataState,
    fileState,
    clock,
    windows: windows.map(({ date, startTs, stopTs }) => [date, startTs, stopTs]),
  };
}

it('lost or damaged while the site runs is requested from the device and fully restored', async () => {
  // The sensor's clock was two minutes behind: the row's times depend on these readings.
  const source = await makeUploadFile(folder, { startUs: startUs - 120e6, seconds: 600 });
  const points: [number, number][] = [[source.startUs, source.startUs + 120e6]];
  const file = { ...source, syncPoints: points };
  const device = await uploader();
  expect((await device.upload(file)).body).toMatchObject({ state: 'STORED' });
  await allJobsEnd(test.client);
  const id = file.recordingId;
  const before = await shown(id);
  expect(before).toMatchObject({ dataState: 'ANALYSED', fileState: 'PRESENT', firstUs: startUs });
  expect(await manifest(file)).toMatchObject({ action: 'DELETE', state: 'STORED' });
  expect((await device.announce(file)).headers['outpost-upload-state']).toBe('STORED');

  const spoil = {
    lost: () => {
      for (const path of [signalOf(id), overviewPath(signalOf(id)), signalOf(id).replace('.sig', '.clock')])
        rmSync(path);
    },
    'cut off': () => writeFileSync(signalOf(id), file.bytes.subarray(0, 5000)),
    // The size matches, so only a verification of the site finds it.
    flipped: async () => {
      const bytes = Buffer.from(file.bytes);
      bytes[bytes.length >> 1]! ^= 4;
      writeFileSync(signalOf(id), bytes);
      expect(await manifest(file)).toMatchObject({ action: 'DELETE' });
      const job = await test.client.call('verifySite', {});
      expect((await jobEnd(test.client, job.id)).state).toBe('done');
    },
  };
  for (const [how, damage] of Object.entries(spoil)) {
    await damage();
    expect([how, await manifest(file)]).toEqual([how, expect.objectContaining({ action: 'SEND' })]);
    expect([how, (await rowOf(id)).fileState]).toEqual([how, how === 'lost' ? 'MISSING' : 'DAMAGED']);
    const announced = await device.announce(file);
    expect([how, announced.status, announced.headers['upload-offset']]).toEqual([how, 201, '0']);
    // A missing file is requested once; the next announcement resumes it.
    expect((await device.announce(file)).headers.location).toBe(announced.headers.location);
    expect((await device.upload(file)).body).toMatchObject({ state: 'STORED', storedRecordingId: id });
    expect(readFileSync(signalOf(id)).equals(file.bytes)).toBe(true);
    await allJobsEnd(test.client);
    expect(await shown(id)).toEqual(before);
    expect(await manifest(file)).toMatchObject({ action: 'DELETE' });
    const [entry] = (await test.site.folder.store.audit.list({ entityType: 'recording', entityId: id })).filter(
      ({ action }) => action === 'recording.file-state',
    );
    expect(entry).toMatchObject({ actor: { type: 'DEVICE' }, changes: { fileState: { new: 'PRESENT' } } });
  }
  expect((await test.site.folder.store.recordings.listForStudy(test.place.studyId)).map((row) => row.id)).toEqual([id]);
  await test.restart();
  hub.url = test.lanUrl;
  expect(await rowOf(id)).toMatchObject({ fileState: 'PRESENT' });
  const check = await test.client.call('verifySite', {});
  expect((await jobEnd(test.client, check.id)).result).toMatchObject({ problems: [], checked: { recordings: 1 } });
});

it('other bytes under the name of a lost one are refused, and the last copy of an imported one is kept', async () => {
  const file = await makeUploadFile(folder, { startUs: startUs + 2 * HOUR_US, seconds: 60 });
  const device = await uploader();
  await device.upload(file);
  await allJobsEnd(test.client);
  rmSync(signalOf(file.recordingId));
  const other = await makeUploadFile(folder, {
    startUs: startUs + 3 * HOUR_US,
    seconds: 61,
    recordingId: file.recordingId,
  });
  expect((await device.announce(other)).body).toMatchObject({ code: 'RECORDING_ID_TAKEN', permanent: true });
  expect(await rowOf(file.recordingId)).toMatchObject({ fileState: 'PRESENT' });

  const brought = await makeUploadFile(folder, { startUs: startUs + 5 * HOUR_US, seconds: 60 });
  const path = join(folder, 'by-hand.sig');
  writeFileSync(path, brought.bytes);
  const { studyId, subjectIds } = test.place;
  const job = await upload(test.client, { studyId, subjectId: subjectIds[0] ?? '' }, [path]);
  await jobEnd(test.client, job.id);
  await allJobsEnd(test.client);
  expect((await device.announce(brought)).headers['outpost-upload-state']).toBe('STORED');
  expect(await manifest(brought)).toMatchObject({ action: 'DELETE' });
  const imported = (await test.site.folder.store.recordings.listForStudy(studyId)).at(-1)?.id ?? '';
  expect(imported).not.toBe(brought.recordingId);
  rmSync(signalOf(imported));
  expect(await manifest(brought)).toMatchObject({ action: 'KEEP' });
  expect(await device.announce(brought)).toMatchObject({
    status: 500,
    body: { code: 'SIGNAL_FILE_DAMAGED', permanent: false },
  });
});
