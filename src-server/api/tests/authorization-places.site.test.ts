/**
 * The records of a study are closed to everyone without a role in it, regardless of their role in the account: what a call that is
 * allowed may still not do. `authorization-walk.site.test.ts` calls every route.
 */
import Database from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hashPassword, newId, SYSTEM } from '../../db/index.ts';
import type { Role } from '../../study/permissions.ts';
import { startTestApi, type TestApi } from '../../testing/test-api.ts';
import { basicAuthorization, createClient } from '../contract/client.ts';

/** Names of the foreign study; none may appear in a response to a user without a role in it. */
const MARKS = ['Kestrel', 'Osprey', 'Merlin', 'Goshawk', 'Harrier'];
const PASSWORD = 'correct horse 1';
const SENSOR_ADDRESS = 'AA:BB:CC:00:00:09';

let api: TestApi;
let place: { studyId: string; subjectId: string };
let own: { studyId: string; subjectId: string };
let stranger: string;

async function addUser(role: Role, study?: { studyId: string; role: Role }): Promise<string> {
  const { id } = await api.store.users.create(
    {
      accountId: api.accountId,
      email: `${newId()}@example.org`,
      firstName: 'A',
      lastName: role,
      locale: 'en_US',
      timezone: 'US/Eastern',
      role,
      passwordHash: await hashPassword(PASSWORD),
    },
    SYSTEM,
  );
  if (study) await api.store.studies.setMember(study.studyId, id, study.role, SYSTEM);
  const { accessToken } = await api.store.tokens.create(id);
  return basicAuthorization({ userId: id, accessToken });
}

async function addUpload(credentialId: string, deviceId: string, sensorId: string): Promise<string> {
  const id = newId();
  await api.store.uploads.add(
    {
      ...{ id, accountId: api.accountId, credentialId, deviceId, sensorId, recordingId: newId(), sizeBytes: 9 },
      ...{ sha256: id.replaceAll('-', '').padEnd(64, '0'), formatVersion: 1, startUs: api.clock.now() * 1000 },
      ...{ syncPoints: [], state: 'REFUSED', code: 'STUDY_COMPLETE', message: 'The study of Osprey is complete.' },
    },
    SYSTEM,
  );
  return id;
}

/** A pairing that waits for the desk: the device that called gave this serial number. */
async function addPairing(serial: string, subject?: typeof place): Promise<string> {
  const id = newId();
  const { accountId, admin, clock } = api;
  const keys = { secretKey: 'x', codeKey: 'x', expirationTs: clock.now() + 600_000 };
  await api.store.pairings.create(
    { id, accountId, userId: admin.userId, ...keys, ...(subject && { subject }) },
    SYSTEM,
  );
  const device = { kind: 'HUB', serial, displayName: serial } as const;
  await api.store.pairings.update(id, { state: 'COMPARING', device, checkCode: '123 456' }, 'pairing.compare', SYSTEM);
  return id;
}

beforeAll(async () => {
  api = await startTestApi({ isQuiet: true });
  const { client, accountId } = api;
  place = { studyId: api.studyId, subjectId: api.subjectIds[0]! };
  const account = { accountId };
  await client.call('updateStudy', { params: place, body: { displayName: 'Kestrel' } });
  await client.call('updateSubject', { params: place, body: { displayName: 'Osprey' } });
  const equipment = [
    { id: 'hub-of-study', type: 'LINK_HUB', displayName: 'Merlin' },
    { id: 'sensor-of-study', type: 'SENSOR', displayName: 'Goshawk', udid: SENSOR_ADDRESS },
  ] as const;
  for (const body of equipment) await client.call('registerEquipment', { params: account, body });
  await client.call('startStudy', { params: place });
  for (const { id } of equipment) await client.call('assignEquipment', { params: { ...place, equipmentId: id } });
  const hub = await api.addDevice('HUB', 'hub-of-study');
  const clinicHub = await api.addDevice('HUB', 'hub-of-clinic');
  await addUpload(hub.id, 'hub-of-study', 'sensor-of-study');
  await addUpload(clinicHub.id, 'hub-of-clinic', 'sensor-of-study');
  await addUpload(hub.id, 'hub-of-study', 'sensor-of-nobody');
  const study = await client.call('createStudy', { params: account, body: { displayName: 'Own study' } });
  const body = { displayName: 'Own subject', timezone: 'US/Eastern' };
  own = {
    studyId: study.id,
    subjectId: (await client.call('createSubject', { params: { studyId: study.id }, body })).id,
  };
  stranger = await addUser('COORDINATOR', { studyId: study.id, role: 'COORDINATOR' });
});
afterAll(() => api.close());

/** Every row of every table that a call could change. */
/** Without what every request may leave: the access log, and when a session was last used. */
const OF_ACCESS: ReadonlySet<unknown> = new Set(['accessEntry', 'tokenUse', 'sqlite_sequence']);

function dump(): string {
  const db = new Database(api.store.path, { readonly: true });
  try {
    const tables = db.prepare("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name").pluck().all();
    const kept = tables.filter((name) => !OF_ACCESS.has(name));
    return JSON.stringify(kept.map((name) => [name, db.prepare(`SELECT * FROM "${name}"`).raw().all()]));
  } finally {
    db.close();
  }
}

describe('a coordinator of another study', () => {
  const client = () => {
    const [userId, accessToken] = atob(stranger.slice('Basic '.length)).split(':') as [string, string];
    return createClient({ baseUrl: api.url, credentials: { userId, accessToken }, validateResponses: true });
  };

  it('cannot pair a device again that a foreign study holds, and the conflict names nobody', async () => {
    const pairingId = await addPairing('hub-of-study');
    const before = dump();
    const refused = await client()
      .call('confirmPairing', { params: { pairingId }, body: { checkCode: '123 456' } })
      .catch((error) => error);
    expect(refused).toMatchObject({ status: 409, code: 'CONFLICT' });
    for (const mark of MARKS) expect(refused.message).not.toContain(mark);
    expect(dump()).toBe(before);
    await client().call('cancelPairing', { params: { pairingId } });
  });

  it('cannot take over a device by pairing it for a subject of their own study', async () => {
    const pairingId = await addPairing('hub-of-study', own);
    const before = dump();
    await expect(
      client().call('confirmPairing', { params: { pairingId }, body: { checkCode: '123 456' } }),
    ).rejects.toMatchObject({ status: 409, code: 'CONFLICT' });
    expect(dump()).toBe(before);
    await client().call('cancelPairing', { params: { pairingId } });
  });

  it('cannot accept an unassigned file into a foreign study', async () => {
    const clinic = (await api.client.call('listDevices', { params: { accountId: api.accountId } })).items.find(
      ({ serial }) => serial === 'hub-of-clinic',
    )!;
    const uploadId = await addUpload(clinic.id, 'hub-of-clinic', 'sensor-of-nobody');
    await expect(
      client().call('acceptUpload', {
        params: { accountId: api.accountId, uploadId },
        body: { ...place, reason: 'Theirs' },
      }),
    ).rejects.toMatchObject({ status: 404 });
    const listed = await client().call('listUploads', { params: { accountId: api.accountId } });
    expect(listed.items.map(({ id }) => id)).toEqual([uploadId]);
  });
});

describe('a role in the study decides on the records of the study', () => {
  it.each<[Role, Role, number]>([
    ['COORDINATOR', 'MONITOR', 403],
    ['COORDINATOR', 'ANALYST', 403],
    ['MONITOR', 'COORDINATOR', 204],
    ['COORDINATOR', 'COORDINATOR', 204],
    ['ADMIN', 'MONITOR', 204],
  ])('account %s, study %s: revoking a device answers %i', async (account, study, status) => {
    const phone = await api.addDevice('PHONE', `phone-${account}-${study}`, place.subjectId);
    const authorization = await addUser(account, { studyId: place.studyId, role: study });
    const path = `/accounts/${api.accountId}/devices/${phone.id}`;
    const listed = await fetch(`${api.url}/api/v1${path}`, { headers: { authorization } });
    expect(listed.status).toBe(200);
    const response = await fetch(`${api.url}/api/v1${path}`, { method: 'DELETE', headers: { authorization } });
    expect(response.status).toBe(status);
    expect((await api.store.devices.require(phone.id)).revokedTs === undefined).toBe(status !== 204);
  });
});
