import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId, SYSTEM } from '../../db/index.ts';
import { startTestApi, type TestApi } from '../../testing/test-api.ts';
import { fillPath } from '../contract/addresses.ts';
import { basicAuthorization, createClient } from '../contract/client.ts';
import { type RouteId, routes } from '../contract/index.ts';
import type { RouteContract } from '../contract/route.ts';

let api: TestApi;
let other: TestApi['otherAccount'];
let deviceTokens: string[];
let revoked: string;
const ids = {
  messageId: '',
  annotationId: '',
  exportId: '',
  webhookId: '',
  deliveryId: '',
  mailId: '',
  pairingId: '',
  deviceId: '',
  uploadId: '',
  transferId: '',
  itemId: 'BACKUP_OVERDUE:site',
};
beforeAll(async () => {
  api = await startTestApi({ withRecording: true });
  other = api.otherAccount;
  const subject = { studyId: api.studyId, subjectId: api.subjectIds[0]! };
  const message = new FormData();
  message.set('body', 'Hello');
  ids.messageId = (await api.client.call('sendMessage', { params: subject, body: message })).id;
  const label = { displayName: 'Here', startTs: 1 };
  const account = { accountId: api.accountId };
  const webhook = { displayName: 'Hook', url: 'http://127.0.0.1:9/' };
  ids.webhookId = (await api.client.call('createWebhook', { params: account, body: webhook })).id;
  ids.deliveryId = (await api.client.call('testWebhook', { params: { ...account, webhookId: ids.webhookId } })).id;
  ids.mailId = await api.store.outbox.add({ ...account, recipient: 'a@example.org', subject: 'S', body: 'B' });
  ids.annotationId = (await api.client.call('createLabel', { params: subject, body: label })).id;
  const wanted = { params: { studyId: api.studyId }, body: { format: 'ARCHIVE' } } as const;
  ids.exportId = (await api.client.call('requestStudyExport', wanted)).id;
  await api.client.call('registerEquipment', {
    params: { accountId: api.accountId },
    body: { id: 'hub-1', type: 'LINK_HUB' },
  });
  const hub = await api.addDevice('HUB', 'hub-1');
  ids.deviceId = hub.id;
  ids.uploadId = newId();
  await api.store.uploads.add(
    {
      ...{ id: ids.uploadId, ...account, credentialId: hub.id, deviceId: 'hub-1', sensorId: 'SN-1' },
      ...{ recordingId: newId(), sizeBytes: 9, sha256: '0'.repeat(64), formatVersion: 1, startUs: 0, syncPoints: [] },
    },
    SYSTEM,
  );
  ids.transferId = newId();
  await api.store.transfers.decide(
    {
      ...{ id: ids.transferId, ...account, source: 'DOCK', displayName: 'AX317_39434', fileName: 'a.cwa' },
      ...{ sizeBytes: 9, state: 'FAILED', code: 'FILE_DAMAGED', ...subject, options: {} },
    },
    SYSTEM,
  );
  ids.pairingId = (await api.client.call('startPairing', { body: {} })).id;
  const phone = await api.addDevice('PHONE', 'phone-1');
  const { token } = await api.client.call('createSubjectToken', { params: subject });
  const basic = (user: string, secret: string) => `Basic ${btoa(`${user}:${secret}`)}`;
  deviceTokens = [
    hub.authorization,
    phone.authorization,
    basic(hub.id, hub.authorization.split('.').at(-1) as string),
    basic(api.admin.userId, hub.authorization.slice('Bearer '.length)),
    basic(api.admin.userId, token),
    basic(subject.subjectId, token),
    `Bearer ${token}`,
  ];
  const lost = await api.addDevice('HUB', 'hub-2');
  await api.store.devices.revoke(lost.id, SYSTEM);
  revoked = lost.authorization;
});
afterAll(() => api.close());

const userRoutes = (Object.entries(routes) as [RouteId, RouteContract][]).filter(
  ([, route]) => route.access === 'user',
);
const deviceRoutes = (Object.entries(routes) as [RouteId, RouteContract][]).filter(
  ([, route]) => route.access === 'device',
);
const changing = userRoutes.filter(([id]) => id !== 'logout');

/** A request to a route with real ids of the first account and a body that would be accepted. */
function requestTo(route: RouteContract, authorization: string | undefined): Promise<Response> {
  const path = fillPath(route.path, {
    accountId: api.accountId,
    userId: api.coordinator.userId,
    studyId: api.studyId,
    subjectId: api.subjectIds[0],
    recordingId: api.recordingId,
    jobId: api.jobId,
    equipmentId: 'hub-1',
    udid: 'AA:BB:CC:00:00:01',
    ...ids,
    pipelineId: 'fdd051b8-d753-11e6-ab51-34363bc84032',
    date: '2026-01-01',
  });
  return fetch(`${api.url}/api/v1${path}?from=0&to=1&masterId=4e8a80fd-4778-11e6-a313-34363bc3dbe2`, {
    method: route.method,
    headers: {
      ...(authorization ? { authorization } : {}),
      ...(route.body ? { 'content-type': 'application/json' } : {}),
    },
    ...(route.body ? { body: '{}' } : {}),
  });
}

async function expectRefusal(response: Response, statuses: number[]) {
  expect(statuses).toContain(response.status);
  const body = await response.json();
  const { permanent, ...rest } = body;
  expect(Object.keys(rest).sort()).toEqual(['code', 'message', 'requestId']);
  // Errors of device calls state whether a retry can succeed.
  expect([undefined, false, true]).toContain(permanent);
}

describe('every route', () => {
  it('is public only where the contract says so', () => {
    const open = Object.entries(routes as Record<string, RouteContract>).filter(
      ([, route]) => route.access !== 'user' && route.access !== 'device',
    );
    expect(open.map(([id]) => id).sort()).toEqual([
      'callPairing',
      'collectCredential',
      'confirmRequiredFactor',
      'deviceHello',
      'downloadAuditExport',
      'downloadConsentDocument',
      'downloadMessageImage',
      'downloadRecordingAs',
      'downloadRecordingDeidentified',
      'downloadRecordingFile',
      'downloadStudyArchive',
      'downloadStudyExport',
      'getDefinitionSchema',
      'getOpenApi',
      'getStatus',
      'login',
      'resetPassword',
      'revealPairingNonce',
      'setUpRequiredFactor',
      'signInPhone',
    ]);
  });

  it.each(userRoutes)('%s: rejects missing, wrong and malformed credentials with 401', async (_id, route) => {
    const { userId } = api.admin;
    const token = api.client.credentials!.accessToken;
    const wrong = [
      undefined,
      'Basic',
      'Basic !!!',
      `Basic ${btoa('no-colon')}`,
      `Bearer ${token}`,
      basicAuthorization({ userId, accessToken: 'AAAAAAAAAAAAAAAA' }),
      basicAuthorization({ userId: api.coordinator.userId, accessToken: token }),
      basicAuthorization({ userId: api.admin.email, accessToken: api.admin.password }),
    ];
    for (const authorization of wrong) await expectRefusal(await requestTo(route, authorization), [401]);
  });

  it.each(userRoutes)('%s: rejects tokens of hubs, phones and subjects with 401', async (_id, route) => {
    for (const authorization of deviceTokens) await expectRefusal(await requestTo(route, authorization), [401]);
  });

  it.each(deviceRoutes)(
    '%s: rejects a missing token, users, other sites and removed devices with 401',
    async (_id, route) => {
      const [token] = deviceTokens as [string];
      const otherSite = token.replace(api.siteId, newId());
      expect(otherSite).not.toBe(token);
      const wrong = [undefined, 'Bearer', api.authorization, `${token.slice(0, -4)}AAAA`, otherSite, revoked];
      for (const authorization of wrong) await expectRefusal(await requestTo(route, authorization), [401]);
    },
  );

  it.each(changing.filter(([, route]) => route.path.includes('{')))(
    '%s: answers a user of another account with 403 or 404',
    async (_id, route) => {
      await expectRefusal(await requestTo(route, other.authorization), [403, 404]);
    },
  );

  it.each(userRoutes)(
    '%s: rejects disabled users, expired tokens and logged-out tokens with 401',
    async (_id, route) => {
      for (const authorization of [api.dead.disabled, api.dead.expired, api.dead.loggedOut]) {
        await expectRefusal(await requestTo(route, authorization), [401]);
      }
    },
  );
});

describe('roles', () => {
  const asMonitor = () =>
    createClient({ baseUrl: api.url, credentials: api.monitor.credentials, validateResponses: true });

  it('lets monitors read their studies, but neither change nor export them', async () => {
    const client = asMonitor();
    const params = { studyId: api.studyId };
    expect((await client.call('getStudy', { params })).id).toBe(api.studyId);
    const subject = { ...params, subjectId: api.subjectIds[0]! };
    expect((await client.call('getSubject', { params: subject })).id).toBe(subject.subjectId);
    const forbidden = { status: 403, code: 'FORBIDDEN' };
    await expect(
      client.call('createSubject', { params, body: { displayName: 'M', timezone: 'US/Eastern' } }),
    ).rejects.toMatchObject(forbidden);
    await expect(client.call('stopStudy', { params })).rejects.toMatchObject(forbidden);
    await expect(
      client.call('getRecordingExport', { params: { ...params, recordingId: api.recordingId } }),
    ).rejects.toMatchObject(forbidden);
    await expect(client.fetch('downloadMetricsCsv', { params: subject })).rejects.toMatchObject(forbidden);
    await expect(
      client.call('createStudy', { params: { accountId: api.accountId }, body: { displayName: 'X' } }),
    ).rejects.toMatchObject(forbidden);
  });

  it("lets users change their own name, and only administrators anyone else's", async () => {
    const client = asMonitor();
    await client.call('updateUser', { params: { userId: api.monitor.userId }, body: { firstName: 'Mo' } });
    expect(await client.call('getUser', { params: { userId: api.monitor.userId } })).toMatchObject({ firstName: 'Mo' });
    const params = { userId: api.admin.userId };
    await expect(client.call('updateUser', { params, body: { firstName: 'X' } })).rejects.toMatchObject({
      status: 403,
    });
  });

  it('show users only the studies they are members of', async () => {
    const client = asMonitor();
    const hidden = await api.client.call('createStudy', {
      params: { accountId: api.accountId },
      body: { displayName: 'Hidden' },
    });
    const studies = await client.call('listStudies', { params: { accountId: api.accountId } });
    expect(studies.map((study) => study.id)).toEqual([api.studyId]);
    await expect(client.call('getStudy', { params: { studyId: hidden.id } })).rejects.toMatchObject({ status: 404 });
  });

  it('find a subject only through its own study', async () => {
    const second = await api.client.call('createStudy', {
      params: { accountId: api.accountId },
      body: { displayName: 'Second' },
    });
    const params = { studyId: second.id, subjectId: api.subjectIds[0]! };
    await expect(api.client.call('getSubject', { params })).rejects.toMatchObject({ status: 404 });
    await expect(
      api.client.call('getRecordingExport', { params: { studyId: second.id, recordingId: api.recordingId } }),
    ).rejects.toMatchObject({ status: 404 });
  });
});
