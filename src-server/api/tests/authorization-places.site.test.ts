/**
 * The records of a study are closed to everyone without a role in it, regardless of their role in the account. The calls
 * are generated from the contract, so routes that are added later are covered.
 */
import Database from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hashPassword, newId, SYSTEM } from '../../db/index.ts';
import type { Role } from '../../study/permissions.ts';
import { startTestApi, type TestApi } from '../../testing/test-api.ts';
import { fillPath } from '../contract/addresses.ts';
import { basicAuthorization, createClient } from '../contract/client.ts';
import { type RouteId, routes } from '../contract/index.ts';
import type { RouteContract } from '../contract/route.ts';

/** Names of the foreign study; none may appear in a response to a user without a role in it. */
const MARKS = ['Kestrel', 'Osprey', 'Merlin', 'Goshawk', 'Harrier'];
const PASSWORD = 'correct horse 1';
const SENSOR_ADDRESS = 'AA:BB:CC:00:00:09';

let api: TestApi;
let ids: Record<string, string>;
let place: { studyId: string; subjectId: string };
let own: { studyId: string; subjectId: string };
const callers = new Map<string, string>();

/** Account role, then the role in another study, if any. */
const STRANGERS: readonly [Role, Role | undefined][] = [
  ['COORDINATOR', undefined],
  ['ANALYST', undefined],
  ['MONITOR', undefined],
  ['COORDINATOR', 'COORDINATOR'],
  ['ANALYST', 'ANALYST'],
  ['MONITOR', 'MONITOR'],
  ['MONITOR', 'COORDINATOR'],
];
const nameOf = ([account, study]: (typeof STRANGERS)[number]) => `${account}, ${study ?? 'nothing'} of another study`;

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
  api = await startTestApi({ withRecording: true });
  const { client, store, accountId } = api;
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
  const phone = await api.addDevice('PHONE', 'Harrier', place.subjectId);
  const clinicHub = await api.addDevice('HUB', 'hub-of-clinic');
  await store.refusals.note({
    ...{
      kind: 'TOKEN',
      code: 'DEVICE_REVOKED',
      message: 'Merlin was removed.',
      aboutId: hub.id,
      serial: 'hub-of-study',
    },
    ...{ address: '192.0.2.7', attempts: 1, sinceTs: api.clock.now(), lastTs: api.clock.now() },
  });
  await store.heldRecordings.report(
    'hub-of-clinic',
    [
      {
        recordingId: newId(),
        sensorId: 'sensor-of-study',
        place: 'HUB',
        sizeBytes: 7,
        startTs: api.clock.now(),
        stopTs: api.clock.now(),
      },
    ],
    api.clock.now(),
  );
  const message = new FormData();
  message.set('body', 'To Osprey');
  const wanted = { params: { studyId: place.studyId }, body: { format: 'ARCHIVE' } } as const;
  const hook = { displayName: 'Hook', url: 'http://127.0.0.1:9/' };
  const webhookId = (await client.call('createWebhook', { params: account, body: hook })).id;
  const uploadId = await addUpload(hub.id, 'hub-of-study', 'sensor-of-study');
  await addUpload(clinicHub.id, 'hub-of-clinic', 'sensor-of-study');
  await addUpload(hub.id, 'hub-of-study', 'sensor-of-nobody');
  const transferId = newId();
  await store.transfers.decide(
    {
      ...{ id: transferId, accountId, source: 'DOCK', displayName: 'Merlin', fileName: 'a.cwa', sizeBytes: 9 },
      ...{ state: 'FAILED', code: 'FILE_DAMAGED', message: 'Goshawk', ...place, options: {} },
    },
    SYSTEM,
  );
  ids = {
    ...account,
    transferId,
    ...place,
    userId: api.admin.userId,
    recordingId: api.recordingId,
    jobId: api.jobId,
    equipmentId: 'hub-of-study',
    udid: SENSOR_ADDRESS,
    uploadId,
    deviceId: hub.id,
    phoneId: phone.id,
    pairingId: await addPairing('hub-of-study', place),
    messageId: (await client.call('sendMessage', { params: place, body: message })).id,
    annotationId: (await client.call('createLabel', { params: place, body: { displayName: 'Osprey sat', startTs: 1 } }))
      .id,
    exportId: (await client.call('requestStudyExport', wanted)).id,
    webhookId,
    deliveryId: (await client.call('testWebhook', { params: { ...account, webhookId } })).id,
    mailId: await store.outbox.add({ ...account, recipient: 'a@example.org', subject: 'Kestrel', body: 'Osprey' }),
    itemId: 'UPLOAD_REFUSED:sensor-of-study:STUDY_COMPLETE',
    backupId: 'none',
    pipelineId: 'fdd051b8-d753-11e6-ab51-34363bc84032',
    date: '2026-01-01',
    format: 'EDF',
  };
  const study = await client.call('createStudy', { params: account, body: { displayName: 'Own study' } });
  const body = { displayName: 'Own subject', timezone: 'US/Eastern' };
  own = {
    studyId: study.id,
    subjectId: (await client.call('createSubject', { params: { studyId: study.id }, body })).id,
  };
  for (const stranger of STRANGERS) {
    const [account, role] = stranger;
    callers.set(nameOf(stranger), await addUser(account, role && { studyId: study.id, role }));
  }
});
afterAll(() => api.close());

/** Every row of every table that a call could change. */
function dump(): string {
  const db = new Database(api.store.path, { readonly: true });
  try {
    const tables = db.prepare("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name").pluck().all();
    return JSON.stringify(tables.map((name) => [name, db.prepare(`SELECT * FROM "${name}"`).raw().all()]));
  } finally {
    db.close();
  }
}

const userRoutes = (Object.entries(routes) as [RouteId, RouteContract][]).filter(
  ([id, route]) => route.access === 'user' && id !== 'logout' && id !== 'live',
);
/** Parameters of the path that name something of the foreign study. */
const OF_STUDY =
  /\{(studyId|subjectId|recordingId|jobId|equipmentId|deviceId|uploadId|transferId|pairingId|itemId|messageId|annotationId|exportId)\}/;

/** Bodies of the routes whose path names no record, so that the body does. */
const bodyOf: Partial<Record<RouteId, () => unknown>> = {
  startPairing: () => place,
  registerEquipment: () => ({ id: 'hub-of-study', type: 'LINK_HUB' }),
  acceptUpload: () => ({ ...own, reason: 'Mine' }),
  takeTransfer: () => ({ ...own, reason: 'Mine' }),
  dismissTransfer: () => ({ reason: 'Not wanted' }),
  rejectUpload: () => ({ reason: 'Not wanted' }),
  confirmPairing: () => ({ checkCode: '123 456' }),
  renameDevice: () => ({ displayName: 'Mine now' }),
  snoozeAttention: () => ({ untilTs: api.clock.now() + 3_600_000, reason: 'Later' }),
};

function send(id: RouteId, route: RouteContract, authorization: string, params: Record<string, string>) {
  const address = `${api.url}/api/v1${fillPath(route.path, params)}?from=0&to=1&masterId=4e8a80fd-4778-11e6-a313-34363bc3dbe2`;
  return fetch(address, {
    method: route.method,
    headers: { authorization, ...(route.body && { 'content-type': 'application/json' }) },
    ...(route.body && { body: JSON.stringify(bodyOf[id]?.() ?? {}) }),
  });
}

describe.each(STRANGERS.map(nameOf))('%s', (name) => {
  it.each(userRoutes)('%s keeps a foreign study closed', async (id, route) => {
    const variants: Record<string, string>[] = [ids];
    if (route.path.includes('{deviceId}')) variants.push({ ...ids, deviceId: ids.phoneId! });
    if (route.path.includes('{equipmentId}')) variants.push({ ...ids, equipmentId: 'sensor-of-study' });
    // The study may be the caller's own while the record named with it belongs to another.
    if (route.path.includes('{studyId}') && route.path.includes('{equipmentId}')) variants.push({ ...ids, ...own });
    for (const params of variants) {
      const before = dump();
      const response = await send(id, route, callers.get(name)!, params);
      const text = await response.text();
      for (const mark of [...MARKS, place.studyId, place.subjectId]) {
        // The caller's own query may be repeated in a link.
        expect(text.replaceAll(route.path, ''), `${id} answers ${response.status}`).not.toContain(mark);
      }
      if (OF_STUDY.test(route.path)) expect([403, 404], text).toContain(response.status);
      expect(dump() === before, `${id} changed nothing`).toBe(true);
    }
  });
});

describe('a coordinator of another study', () => {
  const client = () => {
    const stranger = callers.get(nameOf(['COORDINATOR', 'COORDINATOR']))!;
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
