import { afterAll, beforeAll, expect, it } from 'vitest';
import { SYSTEM } from '../../db/index.ts';
import { startTestApi, type TestApi } from '../../testing/test-api.ts';
import { createClient } from '../contract/client.ts';

const SENSOR = 'sensor-1';
const UDID = 'AA:BB:CC:00:00:01';
const HUB = 'hub-1';
const DAY = 86_400_000;
let api: TestApi;

beforeAll(async () => {
  api = await startTestApi();
  const params = { accountId: api.accountId };
  await api.client.call('registerEquipment', { params, body: { id: SENSOR, type: 'SENSOR', udid: UDID } });
  await api.client.call('registerEquipment', { params, body: { id: HUB, type: 'LINK_HUB', displayName: 'Hub one' } });
});
afterAll(() => api.close());

const place = () => ({ studyId: api.studyId, subjectId: api.subjectIds[0]! });
const list = async (client = api.client) =>
  (await client.call('listFleet', { params: { accountId: api.accountId } })).items;
const one = (equipmentId: string, client = api.client) =>
  client.call('getFleetItem', { params: { accountId: api.accountId, equipmentId } });
const byId = async (id: string, client = api.client) => (await list(client)).find((item) => item.id === id)!;

it('reports holders, assignment times and the expected contact interval', async () => {
  expect(await byId(SENSOR)).toEqual({
    id: SENSOR,
    type: 'SENSOR',
    state: 'UNASSIGNED',
    displayName: SENSOR,
    udid: UDID,
    faultCounts: [],
  });
  const sinceTs = api.clock.now();
  await api.client.call('assignEquipment', { params: { ...place(), equipmentId: SENSOR } });
  await api.store.equipment.recordContact(SENSOR, { contactTs: sinceTs, batteryPercent: 61, firmwareId: '2.0' });
  const { lifecycleState } = await api.client.call('getStudy', { params: place() });
  expect(await byId(SENSOR)).toMatchObject({
    state: 'ASSIGNED',
    holder: { ...place(), studyName: 'Test study', subjectName: 'Subject 1', sinceTs },
    batteryPercent: 61,
    firmwareId: '2.0',
    lastContactTs: sinceTs,
    ...(lifecycleState === 'IN_PROGRESS' && { expectedEveryMs: DAY }),
  });
  expect((await one(SENSOR)).contacts).toEqual([{ contactTs: sinceTs, batteryPercent: 61 }]);
});

it('counts faults by class and lists them newest first', async () => {
  const fault = { ...place(), faultFlag: 'x', faultType: 'y', mobileAppVersion: '1', sensorFirmwareId: '1' };
  await api.store.faults.add(
    [
      { ...fault, faultTs: 1000, sensorId: UDID, faultClass: 'FLAT_BATTERY' },
      { ...fault, faultTs: 2000, sensorId: UDID, equipmentId: SENSOR, faultClass: 'FLAT_BATTERY' },
      { ...fault, faultTs: 3000, sensorId: UDID },
      { ...fault, faultTs: 4000, sensorId: HUB, equipmentId: HUB, faultClass: 'HUB_ERROR' },
    ],
    { actor: SYSTEM.actor },
  );
  expect(await byId(SENSOR)).toMatchObject({
    faultCounts: [{ faultClass: 'FLAT_BATTERY', count: 2 }, { count: 1 }],
    lastFaultTs: 3000,
  });
  expect((await one(SENSOR)).faults.map(({ faultTs, subjectName }) => [faultTs, subjectName])).toEqual([
    [3000, 'Subject 1'],
    [2000, 'Subject 1'],
    [1000, 'Subject 1'],
  ]);
});

it('reports what a hub and a sensor still hold', async () => {
  const facts = { sensorId: SENSOR, sizeBytes: 500, stopTs: 9000 };
  await api.store.heldRecordings.report(
    HUB,
    [
      { ...facts, recordingId: 'r1', place: 'HUB', startTs: 2000 },
      { ...facts, recordingId: 'r2', place: 'SENSOR', startTs: 1000 },
    ],
    api.clock.now(),
  );
  const reportedTs = api.clock.now();
  expect((await byId(HUB)).held).toEqual({ recordings: 2, sizeBytes: 1000, firstStartTs: 1000, reportedTs });
  expect((await byId(SENSOR)).held).toEqual({ recordings: 1, sizeBytes: 500, firstStartTs: 1000, reportedTs });
  expect((await one(HUB)).heldRecordings.map(({ recordingId }) => recordingId)).toEqual(['r2', 'r1']);
});

it('hides equipment of other studies and answers 404 for unknown equipment', async () => {
  const body = { displayName: 'Closed study' };
  const { id: studyId } = await api.client.call('createStudy', { params: { accountId: api.accountId }, body });
  const subject = { displayName: 'Somebody', timezone: 'US/Eastern' };
  const { id: subjectId } = await api.client.call('createSubject', { params: { studyId }, body: subject });
  await api.client.call('assignEquipment', { params: { studyId, subjectId, equipmentId: HUB } });
  const monitor = createClient({
    baseUrl: api.url,
    credentials: api.monitor.credentials,
    validateResponses: true,
  });
  expect((await byId(HUB)).holder).toMatchObject({ subjectName: 'Somebody' });
  expect(await byId(HUB, monitor)).toBeUndefined();
  const params = { accountId: api.accountId, equipmentId: HUB };
  await expect(monitor.call('getFleetItem', { params })).rejects.toMatchObject({ status: 404 });
  await expect(one('nowhere')).rejects.toMatchObject({ status: 404 });
  await api.store.equipment.register({ accountId: api.otherAccount.accountId, id: 'theirs', type: 'SENSOR' }, SYSTEM);
  await expect(one('theirs')).rejects.toMatchObject({ status: 404 });
});
