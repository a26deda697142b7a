/** An address that was signed for a person ends when the person's rights do, and changes to it are refused. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { hashPassword, SYSTEM } from '../../db/index.ts';
import type { Role } from '../../study/permissions.ts';
import { startTestApi, type TestApi } from '../../testing/test-api.ts';
import { testJpeg } from '../../testing/test-jpeg.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi({ withRecording: true });
});
afterAll(() => api.close());

let made = 0;
let userId: string;
let href: string;

/** A member of the study who requested an address. */
async function holder(role: Role) {
  const email = `holder${made++}@example.org`;
  const { id } = await api.store.users.create(
    {
      ...{
        accountId: api.accountId,
        email,
        firstName: 'Hol',
        lastName: 'Der',
        locale: 'en_US',
        timezone: 'US/Eastern',
      },
      role: 'ANALYST',
      passwordHash: await hashPassword(api.admin.password),
    },
    SYSTEM,
  );
  await api.store.studies.setMember(api.studyId, id, role, SYSTEM);
  const client = await api.signIn(email);
  const params = { studyId: api.studyId, recordingId: api.recordingId };
  const signed = await client.call('getRecordingExport', { params, query: { format: 'edf' } });
  return { id, email, client, href: signed.href };
}

const take = async () => {
  const response = await fetch(href);
  return [response.status, response.ok ? '' : ((await response.json()).message as string)];
};
const ENDED = [403, 'The rights by which this address was made have ended. Sign in and request a new one.'];

beforeEach(async () => {
  const made = await holder('ANALYST');
  ({ id: userId, href } = made);
  expect((await take())[0]).toBe(200);
});

describe('a signed address ends when its user', () => {
  it('is disabled, and stays ended when the user is enabled again', async () => {
    await api.store.users.disable(userId, SYSTEM);
    expect(await take()).toEqual(ENDED);
    await api.store.users.enable(userId, SYSTEM);
    expect(await take()).toEqual(ENDED);
  });

  it('is no longer a member of the study', async () => {
    await api.store.studies.setMember(api.studyId, userId, null, SYSTEM);
    expect(await take()).toEqual(ENDED);
  });

  it('gets a role in the study that may not export', async () => {
    await api.store.studies.setMember(api.studyId, userId, 'MONITOR', SYSTEM);
    expect(await take()).toEqual(ENDED);
  });

  it('is signed out everywhere', async () => {
    await api.client.call('endSessions', { params: { userId } });
    expect(await take()).toEqual(ENDED);
  });

  it('gets another password', async () => {
    await api.store.users.setPassword(userId, await hashPassword('another password'), SYSTEM);
    expect(await take()).toEqual(ENDED);
  });
});

describe('a signed address', () => {
  it('outlives a single sign-out, as scripts sign out before they download', async () => {
    const { client, href: own } = await holder('ANALYST');
    await client.call('logout');
    href = own;
    expect((await take())[0]).toBe(200);
  });

  it('cannot be given the rights of another person or a later round', async () => {
    for (const [name, value] of [
      ['user', api.admin.userId],
      ['round', '1'],
      ['operation', 'study.read'],
      ['expires', String(api.clock.now() + 1_000_000)],
    ]) {
      const changed = new URL(href);
      changed.searchParams.set(name!, value!);
      expect((await fetch(changed)).status).toBe(403);
    }
  });

  it('of a phone ends with its credential', async () => {
    const phone = await api.addDevice('PHONE', 'PHONE-1', api.subjectIds[0]);
    const headers = { authorization: phone.authorization, 'content-type': 'application/json' };
    const image = {
      id: randomUUID(),
      mimeType: 'image/jpeg',
      base64: testJpeg({ sizeBytes: 2000 }).toString('base64'),
    };
    const sent = {
      clock: { phoneTs: api.clock.now() },
      messages: [{ id: randomUUID(), body: 'Red.', images: [image] }],
    };
    const address = `${api.url}/api/v1/phone/messages`;
    const stored = await fetch(address, { method: 'POST', headers, body: JSON.stringify(sent) });
    expect(await stored.json()).toMatchObject({ outcomes: [{ state: 'STORED' }] });
    href = (await (await fetch(address, { headers })).json()).items[0].image.href;
    expect((await take())[0]).toBe(200);
    await api.store.devices.revoke(phone.id, SYSTEM);
    expect(await take()).toEqual(ENDED);
  });
});
