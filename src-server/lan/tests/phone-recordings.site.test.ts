/** Recordings that a subject's phone uploads for the sensors it serves, and how the site answers with them afterwards. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { MASTER_ID } from '../../api/contract/channels.ts';
import { METRICS_PIPELINE } from '../../api/contract/index.ts';
import { HOUR_MS, MINUTE_MS } from '../../durations.ts';
import { writeIntervalRecording } from '../../testing/interval-recording.ts';
import { openTls } from '../../testing/test-device.ts';
import { startTestPhoneSite, type TestPhone, type TestPhoneSite } from '../../testing/test-phone-site.ts';
import { TestDevice, type UploadFile } from '../../testing/upload-client.ts';
import { makeUploadFile, SENSOR, SENSOR_UDID, type TestFileOptions } from '../../testing/upload-site.ts';

const STRAP = 'STRAP-0001';
const CHANGE = { actor: { type: 'SYSTEM' } } as const;
let test: TestPhoneSite;
let phone: TestPhone;
let folder: string;
let device: TestDevice;
let hoursAgo = 40;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'outpost-phone-recordings-'));
  test = await startTestPhoneSite();
  phone = await test.signIn();
  const { accountId } = test.place;
  const { equipment } = test.store;
  for (const [id, udid] of [
    [SENSOR, SENSOR_UDID],
    [STRAP, 'A0:9E:1A:00:00:01'],
  ] as const) {
    await equipment.register({ accountId, id, type: 'SENSOR', udid }, CHANGE);
    await equipment.assign(id, { ...phone.place, atTs: Date.now() - 48 * HOUR_MS }, CHANGE);
  }
  const socket = await openTls(test.lan.lanUrl);
  const ca = socket.getPeerX509Certificate()!.toString();
  socket.destroy();
  device = new TestDevice({ url: test.lan.lanUrl, authorization: `Bearer ${phone.token}`, ca });
});
afterAll(async () => {
  await test.close();
  rmSync(folder, { recursive: true });
});

async function send(options: TestFileOptions): Promise<UploadFile> {
  hoursAgo -= 1;
  const startUs = (Date.now() - hoursAgo * HOUR_MS) * 1000;
  const file = await makeUploadFile(folder, { startUs, seconds: 60, ...options });
  expect((await device.upload(file)).body.state).toBe('STORED');
  return file;
}

it('serves recordings whose header leaves the settings of the sensor open, in the shape of the interface', async () => {
  const bare = await send({ sensorConfig: {} });
  const foreign = await send({
    physicalConfig: { location: 'SACRUM', side: 'NONE', strap: 'wide' } as TestFileOptions['physicalConfig'] & object,
    sensorConfig: { sensingType: 7, afe: 'high', gyro: { periodMs: null }, led: 'off' },
  });
  const again = await send({ sensorConfig: { sensingType: '' } });
  const params = phone.place;
  const { studyId } = params;
  const { items } = await test.client.call('listSubjectRecordings', { params });
  const settingsOf = ({ recordingId }: UploadFile) => items.find(({ id }) => id === recordingId)?.sensorConfig;
  expect(settingsOf(bare)).toEqual({ sensingType: '' });
  expect(settingsOf(foreign)).toEqual({ sensingType: '', led: 'off' });
  expect(items.find(({ id }) => id === foreign.recordingId)?.physicalConfig).toEqual({
    location: 'SACRUM',
    side: 'NONE',
  });

  // Calls of a study and of devices show the configurations that the recordings made.
  await test.client.call('listStudyRecordings', { params: { studyId } });
  const { deviceConfigs } = await test.client.call('getStudy', { params: { studyId } });
  const added = deviceConfigs.filter(({ sensorConfig }) => sensorConfig.sensingType === '');
  expect(added.map(({ physicalConfig }) => physicalConfig.location)).toEqual(['MEDIAL_CHEST', 'SACRUM']);
  const configOf = ({ recordingId }: UploadFile) => items.find(({ id }) => id === recordingId)?.deviceConfigId;
  expect(configOf(again)).toBe(configOf(bare));
  await test.client.call('getDefinition', { params: { studyId } });
  const { items: assigned } = await phone.get('/device/assignments');
  expect(JSON.stringify(assigned)).not.toContain('strap');
  const { items: sensors } = await phone.get('/phone/sensors');
  expect(sensors.find(({ serial }: { serial: string }) => serial === SENSOR)?.sensorConfig).toEqual({
    sensingType: '',
  });

  // The file is as the phone sent it.
  const stored = readFileSync(join(test.lan.site.folder.signalsDir, `${foreign.recordingId}.sig`));
  expect(stored.equals(foreign.bytes)).toBe(true);
});

it('analyses the intervals of a strap that the subject holds, sent without any signal', async () => {
  const { place } = phone;
  const startMs = Date.now() - 2 * HOUR_MS;
  const beatsUs = [startMs * 1000];
  for (let i = 1; i < 750; i++) beatsUs.push(beatsUs.at(-1)! + 1000 * Math.round(800 + 25 * Math.sin(i / 3)));
  const { path, header } = await writeIntervalRecording(folder, beatsUs);
  const { recordingId } = header;
  const file = { recordingId, sensor: STRAP, bytes: readFileSync(path), startUs: beatsUs[1]! };
  expect((await device.upload(file)).body.state).toBe('STORED');

  const recording = await test.store.recordings.require(recordingId);
  expect(recording).toMatchObject({
    subjectId: place.subjectId,
    equipmentId: STRAP,
    sensorConfig: { sensingType: 'RR' },
  });
  const params = { studyId: place.studyId, subjectId: place.subjectId, pipelineId: METRICS_PIPELINE.id };
  const query = { masterId: MASTER_ID, from: startMs, to: startMs + 10 * MINUTE_MS };
  const rates = async () => {
    const { channels } = await test.client.call('getChannels', { params, query });
    const { values } = channels.find(({ type }) => type === 'heart_rate') ?? { values: [] };
    return values.filter((value) => typeof value === 'number' && Math.abs(value - 75) < 3).length;
  };
  await expect.poll(rates, { timeout: MINUTE_MS, interval: 200 }).toBeGreaterThan(6);
});
