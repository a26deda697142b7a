/** Races with password hashing, which takes tens of milliseconds: a session that ends meanwhile must not take effect afterwards. */
import { setTimeout as after } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { hashPassword, SYSTEM } from '../../db/index.ts';
import { startTestApi, type TestApi } from '../../testing/test-api.ts';
import { createClient } from '../contract/client.ts';

const PASSWORD = 'correct horse 1';
/** Long enough for the request to arrive, and shorter than argon2. */
const ARRIVED_MS = 8;
const TRIES = 6;

let api: TestApi;
let otherHash: string;
let number = 0;
beforeAll(async () => {
  api = await startTestApi();
  otherHash = await hashPassword('another password');
});
afterAll(() => api.close());

async function newUser(role: 'ADMIN' | 'MONITOR' = 'MONITOR') {
  const email = `user-${number++}@example.org`;
  const names = { accountId: api.accountId, email, firstName: 'A', lastName: 'B' } as const;
  const user = { ...names, locale: 'en_US', timezone: 'US/Eastern', role } as const;
  const { id } = await api.client.call('createUser', { body: { email, password: PASSWORD, user } });
  // Otherwise the throttle attributes all tries to one person.
  api.clock.advance(61_000);
  return { id, email, user };
}

const isAlive = async (userId: string, accessToken: string) =>
  await createClient({ baseUrl: api.url, credentials: { userId, accessToken } })
    .call('getUser', { params: { userId } })
    .then(
      () => true,
      () => false,
    );

it.each<[string, (userId: string) => Promise<unknown>]>([
  ['a reset of the password', (id) => api.store.users.setPassword(id, otherHash, SYSTEM)],
  [
    'disabling and enabling the user',
    async (id) => {
      await api.store.users.disable(id, SYSTEM);
      await api.store.users.setPassword(id, otherHash, SYSTEM);
      await api.store.users.enable(id, SYSTEM);
    },
  ],
])('a sign-in that races %s leaves no session behind', async (_name, end) => {
  for (let i = 0; i < TRIES; i++) {
    const { id, email } = await newUser();
    const login = createClient({ baseUrl: api.url })
      .call('login', { body: { email, password: PASSWORD } })
      .catch((error: { status: number }) => error);
    await after(ARRIVED_MS);
    await end(id);
    const answer = await login;
    if ('accessToken' in answer) expect(await isAlive(id, answer.accessToken)).toBe(false);
    else expect(answer.status).toBe(401);
  }
});

it('does not undo a password reset with a concurrent change', async () => {
  for (let i = 0; i < TRIES; i++) {
    const { id, email } = await newUser();
    const session = await api.signIn(email, PASSWORD);
    const change = session
      .call('changePassword', { body: { currentPassword: PASSWORD, password: 'stolen password' } })
      .then(() => 204)
      .catch((error: { status: number }) => error.status);
    await after(ARRIVED_MS);
    await api.store.users.setPassword(id, otherHash, SYSTEM);
    expect([204, 401]).toContain(await change);
    // The change may have succeeded only before the reset, which then replaced it.
    await expect(api.signIn(email, 'stolen password')).rejects.toMatchObject({ status: 401 });
    await api.signIn(email, 'another password');
  }
});

it('sets one password when a code is used twice concurrently', async () => {
  const { id, email } = await newUser();
  const { code } = await api.client.call('createPasswordCode', { params: { userId: id } });
  const passwords = ['first password', 'second password'];
  const statuses = await Promise.all(
    passwords.map((password) =>
      createClient({ baseUrl: api.url })
        .call('resetPassword', { body: { code, password } })
        .then(() => 204)
        .catch((error: { status: number }) => error.status),
    ),
  );
  expect(statuses.toSorted()).toEqual([204, 401]);
  await api.signIn(email, passwords[statuses.indexOf(204)]);
});

it('does not create a user for an administrator who lost the role meanwhile', async () => {
  for (let i = 0; i < TRIES; i++) {
    const { id, email } = await newUser('ADMIN');
    const admin = await api.signIn(email, PASSWORD);
    const made = `made-${number++}@example.org`;
    const user = { accountId: api.accountId, email: made, firstName: 'A', lastName: 'B', locale: 'en_US' } as const;
    const creation = admin
      .call('createUser', { body: { email: made, password: PASSWORD, user: { ...user, timezone: 'US/Eastern' } } })
      .then(() => 201)
      .catch((error: { status: number }) => error.status);
    await after(ARRIVED_MS);
    await api.store.users.update(id, { role: 'MONITOR' }, SYSTEM);
    const demoted = (await api.store.audit.list({ entityType: 'user', entityId: id }))[0]!;
    const status = await creation;
    const entry = (await api.store.users.list(api.accountId)).find((one) => one.email === made);
    expect(status === 201).toBe(entry !== undefined);
    if (entry) {
      const [created] = await api.store.audit.list({ entityType: 'user', entityId: entry.id });
      expect(created!.sequence).toBeLessThan(demoted.sequence);
    } else expect(status).toBe(403);
  }
});

it('does not revive old codes when a disabled user is enabled again', async () => {
  const { id } = await newUser();
  const { code } = await api.client.call('createPasswordCode', { params: { userId: id } });
  const params = { accountId: api.accountId, userId: id };
  await api.client.call('deleteUser', { params });
  await api.client.call('enableUser', { params });
  await expect(
    createClient({ baseUrl: api.url }).call('resetPassword', { body: { code, password: 'password-3' } }),
  ).rejects.toMatchObject({ status: 401 });
});
