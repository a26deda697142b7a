import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../db/index.ts';
import { startTestApi, type TestApi } from '../../testing/test-api.ts';

const SENSOR = 'AA:BB:CC:00:00:01';

let api: TestApi;
let hub: { id: string; authorization: string };
let place: { studyId: string; subjectId: string };
beforeAll(async () => {
  api = await startTestApi();
  place = { studyId: api.studyId, subjectId: api.subjectIds[0]! };
  const params = { accountId: api.accountId };
  const sensor = { id: 'S-1', type: 'SENSOR', udid: SENSOR } as const;
  await api.client.call('registerEquipment', { params, body: sensor });
  hub = await api.addDevice('HUB', 'H-1');
  await api.client.call('startStudy', { params: { studyId: api.studyId } });
  await api.client.call('assignEquipment', { params: { ...place, equipmentId: 'S-1' } });
});
afterAll(() => api.close());

async function call(path: string, body?: unknown, authorization = hub.authorization) {
  const response = await fetch(`${api.url}/api/v1${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { authorization, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: await response.json() };
}

describe('a report of a device', () => {
  it('stores battery, firmware, address, raw clock readings and faults, and counts a repeated report once', async () => {
    const now = api.clock.now();
    const report = {
      clockTs: now - 1500,
      roundTripMs: 42.5,
      batteryPercent: 81,
      firmwareId: '2.0.1',
      sensors: [{ udid: SENSOR, batteryPercent: 12 }, { udid: 'unknown' }],
      clockReadings: [{ udid: SENSOR, sensorUs: now * 1000 - 250_123, hostUs: now * 1000, roundTripUs: 8400 }],
      faults: [
        {
          id: newId(),
          faultTs: now,
          faultClass: 'FLAT_BATTERY',
          faultType: 'LINK_HUB_SENSOR_FAULT',
          faultFlag: 'BATTERY',
          udid: SENSOR,
        },
        { id: newId(), faultTs: 5, faultClass: 'HUB_ERROR', faultType: 'LINK_HUB_FAULT', faultFlag: 'DISK' },
      ],
    };
    const first = await call('/device/contact', report);
    expect([first.status, first.body.storedFaults, first.body.serverTs]).toEqual([200, 1, now]);
    expect((await call('/device/contact', report)).body.storedFaults).toBe(0);

    const params = { accountId: api.accountId };
    const [device] = (await api.client.call('listDevices', { params })).items;
    expect(device).toMatchObject({
      serial: 'H-1',
      batteryPercent: 81,
      firmwareId: '2.0.1',
      lastContactTs: now,
      address: '127.0.0.1',
    });
    const faults = (await api.client.call('listEquipment', { params: place })).items[0]!.faults;
    expect(faults).toHaveLength(1);
    const [stored] = await api.store.faults.listForSubject(place.subjectId);
    expect(stored).toMatchObject({ faultClass: 'FLAT_BATTERY', equipmentId: 'S-1', mobileAppVersion: '2.0.1' });
    expect((await api.store.equipment.require('S-1')).batteryPercent).toBe(12);
    const sensorClock = await api.store.clockReadings.listForSensor(SENSOR, 0, now * 2000);
    expect(sensorClock).toMatchObject([{ clockUs: now * 1000 - 250_123, hostUs: now * 1000, roundTripUs: 8400 }]);
    const ownClock = await api.store.clockReadings.listForDevice(hub.id, 0, now * 2000);
    expect(ownClock).toMatchObject([{ clockUs: (now - 1500) * 1000, hostUs: now * 1000, roundTripUs: 42_500 }]);
  });

  it('is not required for contact: every call of a device counts', async () => {
    const quiet = await api.addDevice('HUB', 'H-QUIET');
    const params = { accountId: api.accountId, equipmentId: 'H-QUIET' };
    expect((await api.client.call('getFleetItem', { params })).lastContactTs).toBeUndefined();
    expect((await call('/device/assignments', undefined, quiet.authorization)).status).toBe(200);
    expect((await api.client.call('getFleetItem', { params })).lastContactTs).toBe(api.clock.now());
  });

  it('is rejected when invalid, names the field and changes nothing', async () => {
    const answer = await call('/device/contact', { clockTs: 1, faults: [{ id: 'x' }] });
    expect([answer.status, answer.body.code]).toEqual([400, 'INVALID_INPUT']);
    expect(answer.body.errors[0].path).toBe('faults.0.id');
  });
});

describe('assignments', () => {
  it('of a clinic hub are all subjects with sensors; of an assigned hub, its holder', async () => {
    const everyone = await call('/device/assignments');
    expect(everyone.body.items).toEqual([
      {
        ...place,
        timezone: 'US/Eastern',
        sensors: [{ serial: 'S-1', udid: SENSOR, displayName: 'S-1' }],
        deviceConfigs: expect.any(Array),
      },
    ]);
    const other = { ...place, subjectId: api.subjectIds[1]! };
    await api.client.call('assignEquipment', { params: { ...other, equipmentId: 'H-1' } });
    const own = await call('/device/assignments');
    expect(own.body.items.map((item: { subjectId: string }) => item.subjectId)).toEqual([other.subjectId]);
    expect((await call('/device/status')).body.device.subjectId).toBe(other.subjectId);
  });

  it('of an unassigned phone are empty', async () => {
    const phone = await api.addDevice('PHONE', 'P-1');
    expect((await call('/device/assignments', undefined, phone.authorization)).body.items).toEqual([]);
  });
});
