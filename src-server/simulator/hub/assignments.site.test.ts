/** A paired hub receives sensors and subjects that were added after its pairing. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { pairHub } from '../../testing/paired-hubs.ts';
import { pinnedCall } from '../../testing/test-device.ts';
import { startTestLanSite, type TestLanSite } from '../../testing/test-lan-site.ts';
import { SimulatedHub } from './hub.ts';

let test: TestLanSite;
let folder: string;
let hub: SimulatedHub;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'outpost-assignments-'));
  test = await startTestLanSite();
  const { studyId } = test.place;
  await test.client.call('startStudy', { params: { studyId } });
  hub = await SimulatedHub.open({ folder, serial: 'HUB-1' });
  await pairHub(test.client, hub);
});
afterAll(async () => {
  hub.close();
  await test.close();
  rmSync(folder, { recursive: true });
});

const params = () => ({ accountId: test.place.accountId });
const ask = (version?: string) =>
  pinnedCall(test.lanUrl, hub.site?.pins ?? [], {
    path: '/api/v1/device/assignments',
    token: hub.site?.token,
    ...(version !== undefined && { headers: { 'if-none-match': version } }),
  });
const serials = () => hub.knownAssignments.flatMap(({ sensors }) => sensors.map(({ serial }) => serial));

it('receives at its next contact a sensor that was registered and assigned after the pairing', async () => {
  await hub.contact();
  expect(serials()).toEqual([]);
  const before = await ask();
  const { studyId, subjectIds } = test.place;
  await test.client.call('registerEquipment', {
    params: params(),
    body: { id: 'SN-LATE', type: 'SENSOR', udid: 'AA:BB:CC:00:00:99' },
  });
  const subjectId = subjectIds[0] ?? '';
  await test.client.call('assignEquipment', { params: { studyId, subjectId, equipmentId: 'SN-LATE' } });
  await hub.contact();
  expect(hub.knownAssignments).toMatchObject([
    { studyId, subjectId, sensors: [{ serial: 'SN-LATE', udid: 'AA:BB:CC:00:00:99' }] },
  ]);
  expect((await ask()).headers.etag).not.toBe(before.headers.etag);
  expect((await hub.status()) as unknown).toMatchObject({ assignmentsVersion: (await ask()).body.version });
});

it('receives nothing while the list is unchanged, and the full list after any change', async () => {
  const first = await ask();
  expect(first.headers.etag).toBe(`"${first.body.version}"`);
  const etag = String(first.headers.etag);
  expect(await ask(etag)).toMatchObject({ status: 304, body: '' });
  expect((await ask(`"other", W/${etag}`)).status).toBe(304);
  const { studyId, subjectIds } = test.place;
  const subjectId = subjectIds[0] ?? '';
  await test.client.call('unassignEquipment', { params: { studyId, subjectId, equipmentId: 'SN-LATE' } });
  expect((await ask(etag)).status).toBe(200);
  await hub.contact();
  expect(serials()).toEqual([]);
});

it('keeps its assignments when it is switched off', async () => {
  const { studyId, subjectIds } = test.place;
  const subjectId = subjectIds[1] ?? '';
  await test.client.call('assignEquipment', { params: { studyId, subjectId, equipmentId: 'SN-LATE' } });
  await hub.contact();
  hub.close();
  hub = await SimulatedHub.open({ folder, serial: 'HUB-1' });
  expect(hub.knownAssignments.map((one) => one.subjectId)).toEqual([subjectId]);
});
