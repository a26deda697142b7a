/** Change streams that stay open while the roles of their reader change. */
import { setTimeout as after } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { SYSTEM } from '../../db/index.ts';
import { startTestApi, type TestApi } from '../../testing/test-api.ts';
import type { Change } from '../contract/index.ts';

let api: TestApi;
const stop = new AbortController();
beforeAll(async () => {
  api = await startTestApi();
});
afterAll(async () => {
  stop.abort();
  await api.close();
});

async function open(email: string) {
  const client = await api.signIn(email);
  const changes: Change[] = [];
  let end!: () => void;
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  await new Promise<void>((resolve) => {
    (async () => {
      for await (const change of client.live(stop.signal, resolve)) changes.push(change);
    })().then(end, end);
  });
  return { client, changes, ended };
}

async function newUser(email: string, role: 'ADMIN' | 'COORDINATOR') {
  const names = { accountId: api.accountId, email, firstName: 'A', lastName: 'B' } as const;
  const user = { ...names, locale: 'en_US', timezone: 'US/Eastern', role } as const;
  return (await api.client.call('createUser', { body: { email, password: 'correct horse 1', user } })).id;
}

const ofStudy = (changes: readonly Change[]) => changes.filter(({ studyId }) => studyId === api.studyId);
const newSubject = (displayName: string) =>
  api.client.call('createSubject', {
    params: { studyId: api.studyId },
    body: { displayName, timezone: 'US/Eastern' },
  });

async function until(isTrue: () => boolean) {
  for (let i = 0; i < 200 && !isTrue(); i++) await after(20);
  expect(isTrue()).toBe(true);
}

it('gives each user a limited number of streams, and others theirs', async () => {
  await newUser('windows@example.org', 'COORDINATOR');
  await newUser('colleague@example.org', 'COORDINATOR');
  const many = await api.signIn('windows@example.org');
  const held = new AbortController();
  const follow = (client: TestApi['client'], signal: AbortSignal) =>
    new Promise<void>((resolve, reject) => {
      (async () => {
        for await (const _ of client.live(signal, resolve));
      })().catch(reject);
    });
  const ones = Array.from({ length: 32 }, () => new AbortController());
  await Promise.all(ones.map(({ signal }) => follow(many, signal)));
  await expect(follow(many, held.signal)).rejects.toMatchObject({
    status: 429,
    code: 'THROTTLED',
    retryAfterSeconds: 30,
  });
  await follow(await api.signIn('colleague@example.org'), held.signal);
  // A closed window gives its place back.
  ones[0]!.abort();
  await vi.waitFor(() => follow(many, held.signal), 5000);
  for (const one of [...ones, held]) one.abort();
});

it('notifies a removed member of the removal, then of nothing in the study, and denies the next request', async () => {
  const userId = await newUser('member@example.org', 'COORDINATOR');
  const params = { studyId: api.studyId, userId };
  await api.client.call('setStudyMember', { params, body: { role: 'COORDINATOR' } });
  const { client, changes } = await open('member@example.org');
  await newSubject('Seen');
  await until(() => ofStudy(changes).length > 0);
  await api.client.call('setStudyMember', { params, body: { role: 'MONITOR' } });
  await until(() => changes.some(({ topic, id }) => topic === 'membership' && id === userId));
  await expect(
    client.call('createSubject', { params, body: { displayName: 'Not mine', timezone: 'US/Eastern' } }),
  ).rejects.toMatchObject({ status: 403 });
  changes.length = 0;
  await api.client.call('removeStudyMember', { params, query: {} });
  await until(() => changes.some(({ topic, id }) => topic === 'membership' && id === userId));
  await newSubject('Unseen');
  await api.client.call('updateUser', { params: { userId }, body: { firstName: 'Bo' } });
  await until(() => changes.some(({ topic, id }) => topic === 'user' && id === userId));
  expect(ofStudy(changes)).toEqual([]);
  await expect(client.call('getStudy', { params: { studyId: api.studyId } })).rejects.toMatchObject({ status: 404 });
});

it('follows the current role in the account and ends when the user is disabled', async () => {
  const userId = await newUser('second@example.org', 'ADMIN');
  const { changes, ended } = await open('second@example.org');
  await newSubject('As administrator');
  await until(() => ofStudy(changes).length > 0);
  await api.client.call('updateUserRole', { params: { userId }, body: { role: 'MONITOR', reason: 'New post' } });
  await until(() => changes.some(({ topic, id }) => topic === 'user' && id === userId));
  changes.length = 0;
  await newSubject('As monitor of nothing');
  await api.client.call('updateUser', { params: { userId }, body: { firstName: 'Bo' } });
  await until(() => changes.some(({ topic, id }) => topic === 'user' && id === userId));
  expect(ofStudy(changes)).toEqual([]);
  await api.store.users.disable(userId, SYSTEM);
  await ended;
});

it('excludes changes of other accounts', async () => {
  const { changes } = await open(api.monitor.email);
  const userId = await newUser('third@example.org', 'COORDINATOR');
  await api.client.call('updateUser', { params: { userId }, body: { firstName: 'Bo' } });
  await until(() => changes.some(({ topic }) => topic === 'user'));
  expect(changes.filter(({ topic, id }) => topic === 'user' && id !== undefined)).toEqual([]);
});
