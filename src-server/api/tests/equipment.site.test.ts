import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SYSTEM } from '../../db/index.ts';
import { startTestApi, type TestApi } from '../../testing/test-api.ts';
import { addTestRecording } from '../../testing/test-recording.ts';
import { createClient } from '../contract/client.ts';

const SENSOR = 'd5la7xna';
const HUB = 'hub-7';
/** Of the recording that the fixture makes for the first subject. */
const UDID = 'AA:BB:CC:00:00:01';

let api: TestApi;
let otherStudyId: string;
let otherSubjectId: string;
beforeAll(async () => {
  api = await startTestApi({ withRecording: true });
  const params = { accountId: api.accountId };
  const sensor = { id: SENSOR, type: 'SENSOR', displayName: 'Chest 1', udid: UDID } as const;
  await api.client.call('registerEquipment', { params, body: sensor });
  await api.client.call('registerEquipment', { params, body: { id: HUB, type: 'LINK_HUB' } });
  otherStudyId = (await api.client.call('createStudy', { params, body: { displayName: 'Second study' } })).id;
  const subject = { displayName: 'Other subject', timezone: 'US/Eastern' };
  const study = { studyId: otherStudyId };
  otherSubjectId = (await api.client.call('createSubject', { params: study, body: subject })).id;
});
afterAll(() => api.close());

const place = (subject = 0) => ({ studyId: api.studyId, subjectId: api.subjectIds[subject]! });
const other = () => ({ studyId: otherStudyId, subjectId: otherSubjectId });
const assign = (equipmentId: string, to: { studyId: string; subjectId: string }) =>
  api.client.call('assignEquipment', { params: { ...to, equipmentId } });
const unassign = (equipmentId: string, from: { studyId: string; subjectId: string }) =>
  api.client.call('unassignEquipment', { params: { ...from, equipmentId } });
const history = (equipmentId: string, client = api.client) =>
  client.call('getEquipmentHistory', { params: { accountId: api.accountId, equipmentId } });
const monitor = () => createClient({ baseUrl: api.url, credentials: api.monitor.credentials, validateResponses: true });

describe('a sensor registered without its address', () => {
  const NAMELESS = 'SN-NOMAC';
  const place = () => ({ studyId: api.studyId, subjectId: api.subjectIds[1]! });
  const update = (equipmentId: string, body: { displayName?: string; udid?: string }) =>
    api.client.call('updateEquipment', { params: { accountId: api.accountId, equipmentId }, body });

  it('is linked to its recordings when it gets its address', async () => {
    const { accountId } = api;
    await api.client.call('registerEquipment', { params: { accountId }, body: { id: NAMELESS, type: 'SENSOR' } });
    const { id } = await addTestRecording(api.store, api.deps.signalsDir, place(), { udid: 'BB-00-00-00-00-01' });
    const sensorOf = async () =>
      (await api.client.call('listSubjectRecordings', { params: place() })).items.find((row) => row.id === id)
        ?.equipmentId;
    expect(await sensorOf()).toBeUndefined();
    await update(NAMELESS, { udid: 'bb:00:00:00:00:01' });
    expect(await sensorOf()).toBe(NAMELESS);
    const span = { from: '2026-01-15', to: '2026-01-15' };
    const { items } = await api.client.call('listCoverage', { params: place(), query: span });
    expect(items[0]?.sensors.map(({ sensorId }) => sensorId)).toEqual([NAMELESS]);
  });

  it('has a unique address, and only sensors have one', async () => {
    await expect(update(NAMELESS, { udid: UDID.toLowerCase() })).rejects.toMatchObject({ status: 409 });
    await expect(update(HUB, { udid: 'CC' })).rejects.toMatchObject({ status: 400 });
    await expect(update('nowhere', { displayName: 'x' })).rejects.toMatchObject({ status: 404 });
    const asMonitor = monitor().call('updateEquipment', {
      params: { accountId: api.accountId, equipmentId: NAMELESS },
      body: { displayName: 'x' },
    });
    await expect(asMonitor).rejects.toMatchObject({ status: 403 });
  });
});

describe('equipment', () => {
  it('log ascends in time across studies and names the holders', async () => {
    expect(await history(SENSOR)).toEqual({ items: [], size: 0 });
    const times: number[] = [];
    const step = async (work: Promise<unknown>) => {
      await work;
      times.push(api.clock.now());
      api.clock.advance(1000);
    };
    await step(assign(SENSOR, other()));
    await step(unassign(SENSOR, other()));
    await step(assign(SENSOR, place()));
    const inSecond = {
      study: { displayName: 'Second study', id: otherStudyId },
      subject: { displayName: 'Other subject', id: otherSubjectId },
    };
    const inFirst = {
      study: { displayName: 'Test study', id: api.studyId },
      subject: { displayName: 'Subject 1', id: api.subjectIds[0] },
    };
    const { items, size } = await history(SENSOR);
    expect(size).toBe(3);
    expect(items).toEqual([
      { id: SENSOR, state: 'ASSIGNED', createdTs: times[0], ...inSecond },
      { id: SENSOR, state: 'UNASSIGNED', createdTs: times[1], ...inSecond },
      { id: SENSOR, state: 'ASSIGNED', createdTs: times[2], ...inFirst },
    ]);
    // A member of one study sees nothing of another.
    expect((await history(SENSOR, monitor())).items).toEqual(items.slice(2));
  });

  it('log answers 404 for an unknown serial number or another account', async () => {
    await expect(history('nowhere')).rejects.toMatchObject({ status: 404 });
    const account = api.otherAccount.accountId;
    await api.store.equipment.register({ accountId: account, id: 'theirs', type: 'LINK_HUB' }, SYSTEM);
    await expect(history('theirs')).rejects.toMatchObject({ status: 404 });
  });

  it('log entries of one instant keep their order', async () => {
    await assign(HUB, other());
    await unassign(HUB, other());
    await assign(HUB, place());
    expect((await history(HUB)).items.map(({ state, subject }) => [state, subject.displayName])).toEqual([
      ['ASSIGNED', 'Other subject'],
      ['UNASSIGNED', 'Other subject'],
      ['ASSIGNED', 'Subject 1'],
    ]);
  });
});

describe('names of sensors', () => {
  const name = async (udid: string, subject = 0) =>
    (await api.client.call('getSensorName', { params: { ...place(subject), udid } })).items;

  it('are looked up by MAC address, in any letter case', async () => {
    const item = { id: SENSOR, displayName: 'Chest 1', udid: UDID };
    expect(await name(UDID)).toEqual([item]);
    expect(await name(UDID.toLowerCase())).toEqual([item]);
  });

  it('default to the address of an unregistered sensor and answer 404 for an unknown address', async () => {
    await expect(name(UDID, 1)).rejects.toMatchObject({ status: 404 });
    await addTestRecording(api.store, api.deps.signalsDir, place(1), { udid: 'AA:BB:CC:00:00:99' });
    expect(await name('AA:BB:CC:00:00:99', 1)).toEqual([
      { displayName: 'AA:BB:CC:00:00:99', udid: 'AA:BB:CC:00:00:99' },
    ]);
  });
});

describe('faults', () => {
  const faultOf = (more: Record<string, unknown>) => ({
    ...place(),
    faultTs: api.clock.now(),
    faultFlag: 'BATTERY_DEPLETED',
    faultType: 'LINK_HUB_SENSOR_FAULT',
    mobileAppVersion: '2.1',
    sensorFirmwareId: '1.0',
    sensorId: UDID,
    ...more,
  });

  it('appear in the equipment, its recording and the statistics', async () => {
    await api.store.faults.add(
      [
        faultOf({ equipmentId: SENSOR, recordingId: api.recordingId }),
        faultOf({ recordingId: api.recordingId, faultFlag: 'MEMORY_FULL' }),
        faultOf({ equipmentId: HUB, faultFlag: 'HUB_ERROR' }),
        faultOf({ sensorId: '00:00:00:00:00:00' }),
      ],
      SYSTEM,
    );
    const { items } = await api.client.call('listEquipment', { params: place() });
    expect(items.map(({ id, state, faults }) => [id, state, faults.map(({ faultFlag }) => faultFlag)])).toEqual([
      [SENSOR, 'ASSIGNED', ['BATTERY_DEPLETED', 'MEMORY_FULL']],
      [HUB, 'ASSIGNED', ['HUB_ERROR']],
    ]);
    expect(items[0]!.faults[0]).toEqual({
      createdTs: api.clock.now(),
      faultTs: api.clock.now(),
      faultFlag: 'BATTERY_DEPLETED',
      faultType: 'LINK_HUB_SENSOR_FAULT',
      mobileAppVersion: '2.1',
      sensorFirmwareId: '1.0',
      sensorId: UDID,
    });
    const [recording] = (await api.client.call('listSubjectRecordings', { params: place() })).items;
    expect(recording!.faults).toHaveLength(2);
    for (const fault of recording!.faults) {
      expect(items[0]!.faults).toContainEqual(fault);
      expect(fault.sensorId).toBe(recording!.udid);
    }
    const shown = items.flatMap(({ faults }) => faults).length;
    const test = { displayName: 'A test', timezone: 'US/Eastern', isTest: true };
    await api.client.call('createSubject', { params: { studyId: api.studyId }, body: test });
    expect(await api.client.call('getFaultStats', { params: { studyId: api.studyId } })).toEqual({
      items: [
        { subjectId: api.subjectIds[0], countFaults: shown },
        { subjectId: api.subjectIds[1], countFaults: 0 },
      ],
      size: 2,
    });
  });

  it('appear in the account list for users who may read their study', async () => {
    const params = { accountId: api.accountId };
    await api.store.faults.add([faultOf({ ...other(), equipmentId: SENSOR, faultFlag: 'ELSEWHERE' })], SYSTEM);
    const flagsFor = async (client: typeof api.client) => {
      const all = (await client.call('listAccountEquipment', { params })).items;
      const one = await client.call('getAccountEquipment', { params: { ...params, equipmentId: SENSOR } });
      expect(all.find(({ id }) => id === SENSOR)).toEqual(one);
      return one.faults.map(({ faultFlag }) => faultFlag);
    };
    expect((await flagsFor(api.client)).sort()).toEqual(['BATTERY_DEPLETED', 'ELSEWHERE', 'MEMORY_FULL']);
    expect((await flagsFor(monitor())).sort()).toEqual(['BATTERY_DEPLETED', 'MEMORY_FULL']);
  });
});
