/** Calls from a subject's phone: codes as people type them, revoked credentials, impossible times. */

import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { DAY_MS, HOUR_MS } from '../../durations.ts';
import { startTestApi, type TestApi } from '../../testing/test-api.ts';

let api: TestApi;
let taskId: string;

beforeAll(async () => {
  api = await startTestApi();
  const { studyId, store } = api;
  const walk = { displayName: 'Walk', mode: 'UNSUPERVISED', durationSec: 60, instructions: 'Walk.', questions: [] };
  const study = await store.studies.putDefinition(studyId, { activities: [walk] }, { actor: { type: 'SYSTEM' } });
  taskId = study.activities[0]?.id ?? '';
  await store.studies.move(studyId, 'start', { actor: { type: 'SYSTEM' } });
});
afterAll(async () => {
  await api.close();
});

const place = () => ({ studyId: api.studyId, subjectId: api.subjectIds[0] ?? '' });
const newToken = async () => (await api.client.call('createSubjectToken', { params: place() })).token;

async function post(path: string, body: unknown, token?: string) {
  const answer = await fetch(new URL(`/api/v1${path}`, api.url), {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) },
    body: JSON.stringify(body),
  });
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
}

it.each([
  ['as it is shown', (token: string) => token],
  ['in small letters', (token: string) => token.toLowerCase()],
  ['in groups', (token: string) => token.replace(/(.{4})(?=.)/g, '$1-')],
  ['with spaces around and within', (token: string) => ` ${token.replace(/(.{5})(?=.)/g, '$1 ')} `],
  ['with a dash of a typesetter', (token: string) => token.replace(/(.{10})(?=.)/g, '$1 – ')],
  [
    'in full-width letters',
    (token: string) => token.replace(/./g, (one) => String.fromCharCode(one.charCodeAt(0) + 0xfee0)),
  ],
])('takes the sign-in code %s', async (_name, type) => {
  const { status } = await post('/phone/sign-in', { token: type(await newToken()), phoneId: randomUUID() });
  expect(status).toBe(201);
});

it('accepts a code for a new password as people type it', async () => {
  const { code } = await api.store.tokens.createPasswordCode(api.monitor.userId, { actor: { type: 'SYSTEM' } });
  const typed = code.toLowerCase().replace(/(.{4})(?=.)/g, '$1-');
  const user = await api.store.tokens.redeemPasswordCode(typed, 'hash');
  expect(user.id).toBe(api.monitor.userId);
});

it('asks a phone with a revoked credential to sign in again, and a hub to be paired again', async () => {
  const token = await newToken();
  const phoneId = randomUUID();
  const first = await post('/phone/sign-in', { token, phoneId });
  await post('/phone/sign-in', { token, phoneId });
  const answer = await post('/phone/reports', { reports: [] }, String(first.body.token));
  expect(answer).toMatchObject({ status: 401, body: { code: 'DEVICE_REVOKED', permanent: false } });
  expect(answer.body.message).toContain('sign in again');
  expect(answer.body.message).not.toContain('pair');
  expect(answer.body.reason).toBe('SIGNED_IN_AGAIN');

  const hub = await api.addDevice('HUB', 'HUB-1');
  await api.store.devices.revoke(hub.id, { actor: { type: 'SYSTEM' } });
  const refused = await post('/device/contact', {}, hub.authorization.replace('Bearer ', ''));
  expect(refused.body.message).toContain('pair it again');
});

it('refuses a report from before the enrolment or from the future, by any of its times', async () => {
  const signedIn = await post('/phone/sign-in', { token: await newToken(), phoneId: randomUUID() });
  const token = String(signedIn.body.token);
  const now = api.clock.now();
  const sound = { taskId, startTs: now, stopTs: now + 1000, answers: [] };
  const report = async (change: object) => {
    const id = randomUUID();
    const { status, body } = await post('/phone/reports', { reports: [{ id, ...sound, ...change }] }, token);
    expect(status).toBe(200);
    const [outcome] = body.outcomes as Record<string, unknown>[];
    expect(await api.store.annotations.get(id)).toEqual(outcome?.state === 'STORED' ? expect.anything() : undefined);
    return [outcome?.state, outcome?.code, outcome?.permanent];
  };
  const refused = ['REFUSED', 'INVALID_INPUT', true];
  const stored = ['STORED', undefined, undefined];
  const early = now - 400 * DAY_MS;
  expect(await report({})).toEqual(stored);
  expect(await report({ startTs: early, stopTs: early + 1000 })).toEqual(refused);
  expect(await report({ startTs: 1, stopTs: 2 })).toEqual(refused);
  expect(await report({ startTs: early })).toEqual(refused);
  for (const name of ['intendedTs', 'openedTs', 'completedTs']) {
    expect(await report({ [name]: early }), name).toEqual(refused);
    expect(await report({ [name]: now + 37 * HOUR_MS }), name).toEqual(refused);
    expect(await report({ [name]: now + 1000 }), name).toEqual(stored);
  }
  const mark = (startTs: number, stopTs: number) => ({
    marks: [{ id: randomUUID(), displayName: 'Standing', startTs, stopTs }],
  });
  expect(await report(mark(early, now))).toEqual(refused);
  expect(await report(mark(now, now + 400 * DAY_MS))).toEqual(refused);
  expect(await report(mark(now + 900, now + 100))).toEqual(refused);
  // A phone with the wrong time zone is still accepted.
  const { createdTs } = await api.store.subjects.require(place().subjectId);
  expect(await report({ startTs: createdTs - 35 * HOUR_MS, stopTs: createdTs - 34 * HOUR_MS })).toEqual(stored);
});

it('discards faults from before the enrolment or from the future', async () => {
  const signedIn = await post('/phone/sign-in', { token: await newToken(), phoneId: randomUUID() });
  const now = api.clock.now();
  const fault = (faultTs: number) => ({
    ...{ id: randomUUID(), faultTs, faultClass: 'FLAT_BATTERY' },
    ...{ faultType: 'PHONE_FAULT', faultFlag: 'BATTERY' },
  });
  const faults = [fault(now), fault(1), fault(now - 400 * DAY_MS), fault(now + 37 * HOUR_MS)];
  const answer = await post('/device/contact', { clockTs: now, faults }, String(signedIn.body.token));
  expect(answer).toMatchObject({ status: 200, body: { storedFaults: 1 } });
});
