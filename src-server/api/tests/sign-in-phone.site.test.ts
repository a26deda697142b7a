import { afterAll, beforeEach, expect, it } from 'vitest';
import { newId, SYSTEM } from '../../db/index.ts';
import { DAY_MS, MINUTE_MS } from '../../durations.ts';
import { startTestApi, type TestApi } from '../../testing/test-api.ts';

const opened: TestApi[] = [];
let api: TestApi;
let place: { studyId: string; subjectId: string };
beforeEach(async () => {
  api = await startTestApi();
  opened.push(api);
  place = { studyId: api.studyId, subjectId: api.subjectIds[0]! };
});
afterAll(() => Promise.all(opened.map((one) => one.close())));

const newCode = async () => (await api.client.call('createSubjectToken', { params: place })).token;

async function signIn(token: string, phoneId: string) {
  const response = await fetch(`${api.url}/api/v1/phone/sign-in`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token, phoneId }),
  });
  return { status: response.status, body: (await response.json()) as { token: string; code?: string } };
}

const status = async (token: string) =>
  (await fetch(`${api.url}/api/v1/device/status`, { headers: { authorization: `Bearer ${token}` } })).status;

it('rejects a used code, at once and 300 days later, and leaves the first phone signed in', async () => {
  const [code, phoneId] = [await newCode(), newId()];
  const phone = await signIn(code, phoneId);
  expect([phone.status, await status(phone.body.token)]).toEqual([201, 200]);
  for (const laterMs of [0, MINUTE_MS, 300 * DAY_MS]) {
    api.clock.advance(laterMs);
    const again = await signIn(code, phoneId);
    expect([again.status, again.body.code]).toEqual([401, 'LOGIN_FAILED']);
    expect(await status(phone.body.token)).toBe(200);
  }
});

it('lets the phone repeat the call within ten minutes after a lost response', async () => {
  const [code, phoneId] = [await newCode(), newId()];
  const first = await signIn(code, phoneId);
  api.clock.advance(5 * MINUTE_MS);
  const second = await signIn(code, phoneId);
  api.clock.advance(5 * MINUTE_MS);
  const third = await signIn(code, phoneId);
  expect([first.status, second.status, third.status]).toEqual([201, 201, 201]);
  expect((await signIn(code, newId())).status).toBe(401);
  api.clock.advance(1);
  expect((await signIn(code, phoneId)).status).toBe(401);
  expect(await status(first.body.token)).toBe(401);
  expect(await status(second.body.token)).toBe(401);
  expect(await status(third.body.token)).toBe(200);
});

it('rejects a repeat after staff revoked the credential or issued another code', async () => {
  const [code, phoneId] = [await newCode(), newId()];
  expect((await signIn(code, phoneId)).status).toBe(201);
  const [device] = await api.store.devices.list(api.accountId);
  await api.store.devices.revoke(device!.id, SYSTEM);
  expect((await signIn(code, phoneId)).status).toBe(401);

  const older = await newCode();
  expect((await signIn(older, phoneId)).status).toBe(201);
  const newer = await newCode();
  expect((await signIn(older, phoneId)).status).toBe(401);
  expect((await signIn(newer, phoneId)).status).toBe(201);
});

it('signs a phone in with a new code and revokes its former credential', async () => {
  const phoneId = newId();
  const former = await signIn(await newCode(), phoneId);
  expect(await status(former.body.token)).toBe(200);
  const present = await signIn(await newCode(), phoneId);
  expect([await status(former.body.token), await status(present.body.token)]).toEqual([401, 200]);
});

it('keeps older credentials when a new one is revoked between look-up and first use', async () => {
  const older = await api.addDevice('HUB', 'hub-1');
  const newer = await api.addDevice('HUB', 'hub-1');
  await api.store.devices.revoke(newer.id, SYSTEM);
  await expect(api.store.devices.recordFirstUse(newer.id)).rejects.toMatchObject({ code: 'DEVICE_REVOKED' });
  expect((await api.store.devices.require(older.id)).revokedTs).toBeUndefined();
});
