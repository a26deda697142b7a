import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApi, type TestApi } from '../../testing/test-api.ts';
import { createClient } from '../contract/client.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
});
afterAll(() => api.close());

function logIn(body: unknown, path = '/api/v1/users/login/email', contentType = 'text/json') {
  return fetch(api.url + path, {
    method: 'POST',
    headers: { 'content-type': contentType },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
}
const right = () => ({ email: api.admin.email, password: api.admin.password });

describe('log in', () => {
  it('returns the token, its expiration in two weeks and the user, as text/json and at both mounts', async () => {
    for (const root of ['/api/v1', '/v1']) {
      const response = await logIn({ ...right(), accountType: 'BRC2' }, `${root}/users/login/email`);
      expect(response.status).toBe(200);
      const session = await response.json();
      expect(session.accessToken).toMatch(/^[A-Za-z0-9+/]{16}$/);
      expect(session.expiration).toBe(api.clock.now() + 14 * 24 * 3600 * 1000);
      expect(session.user).toMatchObject({
        id: api.admin.userId,
        email: api.admin.email,
        locale: 'en_us',
        isDisabled: false,
      });
      expect(session.user.accounts).toEqual([{ id: api.accountId, displayName: expect.any(String), role: 'ADMIN' }]);
    }
  });

  it('accepts the form of older clients only at the legacy address', async () => {
    const form = new URLSearchParams(right()).toString();
    const type = 'application/x-www-form-urlencoded';
    expect((await logIn(form, '/api/v1/user/login/email', type)).status).toBe(200);
    expect((await logIn(form, '/api/v1/users/login/email', type)).status).toBe(415);
  });

  it('accepts an e-mail in any letter case', async () => {
    expect((await logIn({ ...right(), email: api.admin.email.toUpperCase() })).status).toBe(200);
  });

  it('gives the same response to a wrong e-mail and a wrong password', async () => {
    const wrongPassword = await logIn({ ...right(), password: 'not the password' });
    const wrongEmail = await logIn({ ...right(), email: 'nobody@example.org' });
    const [a, b] = [await wrongPassword.json(), await wrongEmail.json()];
    expect([wrongPassword.status, wrongEmail.status]).toEqual([401, 401]);
    expect({ ...a, requestId: '' }).toEqual({ ...b, requestId: '' });
    expect(a.code).toBe('LOGIN_FAILED');
  });

  it('rejects a malformed body and names the field', async () => {
    const response = await logIn({ email: 5, password: 'x' });
    expect(response.status).toBe(400);
    const body = await response.json();
    expect(body.errors).toEqual([{ path: 'email', message: '`email` must be text.' }]);
  });
});

describe('throttle', () => {
  it('limits tries per e-mail, states when to retry, and allows log-in after that', async () => {
    const email = 'victim@example.org';
    api.clock.advance(120_000);
    const statuses: number[] = [];
    for (let i = 0; i < 6; i++) statuses.push((await logIn({ email, password: `guess ${i}` })).status);
    expect(statuses.slice(0, 3)).toEqual([401, 401, 401]);
    expect(statuses.at(-1)).toBe(429);
    const refused = await logIn({ email, password: 'again' });
    const wait = Number(refused.headers.get('retry-after'));
    expect(wait).toBeGreaterThan(0);
    expect(wait).toBeLessThan(90);
    expect((await logIn(right())).status).toBe(200);
    api.clock.advance(wait * 1000);
    expect((await logIn({ email, password: 'again' })).status).toBe(401);
  });

  it('limits tries per address to about 20 a minute, not counting malformed bodies', async () => {
    api.clock.advance(120_000);
    for (let i = 0; i < 30; i++) expect((await logIn('{')).status).toBe(400);
    const statuses: number[] = [];
    for (let i = 0; i < 25; i++)
      statuses.push((await logIn({ email: `user${i}@example.org`, password: 'guess 123' })).status);
    expect(statuses.filter((status) => status === 401)).toHaveLength(20);
    expect(statuses.at(-1)).toBe(429);
    api.clock.advance(61_000);
    expect((await logIn(right())).status).toBe(200);
  });
});

describe('log out', () => {
  const ways = [
    ['POST', '/api/v1/users/logout'],
    ['GET', '/api/v1/users/logout'],
    ['POST', '/v1/user/logout'],
    ['GET', '/v1/user/logout'],
  ] as const;
  it.each(ways)('%s %s revokes only that token', async (method, path) => {
    const [first, second] = [await api.signIn(), await api.signIn()];
    const response = await fetch(api.url + path, {
      method,
      headers: { authorization: first.authorization, ...(method === 'POST' ? { 'content-type': 'text/plain' } : {}) },
    });
    expect(response.status).toBe(204);
    expect(await response.text()).toBe('');
    await expect(first.call('listStudies', { params: { accountId: api.accountId } })).rejects.toMatchObject({
      status: 401,
    });
    await expect(second.call('listStudies', { params: { accountId: api.accountId } })).resolves.toBeInstanceOf(Array);
  });

  it('expires tokens after two weeks', async () => {
    const client = await api.signIn();
    api.clock.advance(14 * 24 * 3600 * 1000 - 1);
    await client.call('listStudies', { params: { accountId: api.accountId } });
    api.clock.advance(1);
    await expect(client.call('listStudies', { params: { accountId: api.accountId } })).rejects.toMatchObject({
      status: 401,
    });
    api.client.credentials = (await api.signIn()).credentials;
  });
});

describe('users', () => {
  const newUser = (email: string, more: Record<string, unknown> = {}) => ({
    email,
    password: 'password-8',
    user: {
      accountId: api.accountId,
      email,
      firstName: 'Ada',
      lastName: 'Ito',
      locale: 'ja_JP' as const,
      timezone: 'Asia/Tokyo',
    },
    ...more,
  });

  it('creates, lists, reads, updates and disables', async () => {
    const { id, links } = await api.client.call('createUser', { body: newUser('ada@example.org') });
    expect(links).toEqual([{ href: `/v1/users/${id}`, rel: 'self' }]);
    const user = await (await api.client.follow(links[0]!.href)).json();
    expect(user).toMatchObject({ id, firstName: 'Ada', locale: 'ja_JP', timezone: 'Asia/Tokyo', isDisabled: false });
    await api.client.call('updateUser', { params: { userId: id }, body: { firstName: 'Adah', locale: 'en_US' } });
    expect(await api.client.call('getUser', { params: { userId: id } })).toMatchObject({
      firstName: 'Adah',
      lastName: 'Ito',
      locale: 'en_US',
    });

    const signedIn = await api.signIn('ada@example.org', 'password-8');
    await api.client.call('deleteUser', { params: { accountId: api.accountId, userId: id } });
    await expect(signedIn.call('getUser', { params: { userId: id } })).rejects.toMatchObject({ status: 401 });
    expect((await logIn({ email: 'ada@example.org', password: 'password-8' })).status).toBe(401);
    const { items, size } = await api.client.call('listUsers', { params: { accountId: api.accountId } });
    expect(size).toBe(items.length);
    expect(items.find((one) => one.id === id)).toMatchObject({ isDisabled: true, disabledTs: expect.any(Number) });

    const params = { accountId: api.accountId, userId: id };
    await expect(signedIn.call('enableUser', { params })).rejects.toMatchObject({ status: 401 });
    await api.client.call('enableUser', { params });
    await expect(signedIn.call('getUser', { params: { userId: id } })).rejects.toMatchObject({ status: 401 });
    const back = await api.signIn('ada@example.org', 'password-8');
    await expect(back.call('enableUser', { params })).rejects.toMatchObject({ status: 403 });

    await expect(api.client.call('createUser', { body: newUser('ADA@example.org') })).rejects.toMatchObject({
      status: 409,
      code: 'DUPLICATE_EMAIL',
    });
  });

  it('rejects two different e-mails, a short or long password, and an unknown locale or zone', async () => {
    const base = newUser('bob@example.org');
    const refused = async (body: unknown, path: string) => {
      const error = await api.client.call('createUser', { body: body as typeof base }).catch((thrown) => thrown);
      expect(error).toMatchObject({ status: 400 });
      expect(error.errors.map((one: { path: string }) => one.path)).toContain(path);
    };
    await refused({ ...base, user: { ...base.user, email: 'other@example.org' } }, 'user.email');
    await refused({ ...base, password: 'seven77' }, 'password');
    await refused({ ...base, password: 'x'.repeat(65) }, 'password');
    await refused({ ...base, user: { ...base.user, locale: 'de_DE' } }, 'user.locale');
    await refused({ ...base, user: { ...base.user, timezone: 'Mars/Olympus' } }, 'user.timezone');
  });

  it('counts a password in characters and uses all 64', async () => {
    const password = '🔒'.repeat(63);
    await api.client.call('createUser', { body: newUser('emoji@example.org', { password: `${password}a` }) });
    expect((await logIn({ email: 'emoji@example.org', password: `${password}b` })).status).toBe(401);
    expect((await logIn({ email: 'emoji@example.org', password: `${password}a` })).status).toBe(200);
  });

  it('does not let users disable themselves', async () => {
    const params = { accountId: api.accountId, userId: api.admin.userId };
    await expect(api.client.call('deleteUser', { params })).rejects.toMatchObject({ status: 409 });
  });

  it('returns the status without credentials', async () => {
    expect(await createClient({ baseUrl: api.url }).call('getStatus')).toEqual({
      version: expect.any(String),
      build: expect.any(String),
    });
  });
});
