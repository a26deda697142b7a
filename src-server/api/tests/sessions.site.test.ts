import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../durations.ts';
import { startTestApi, type TestApi } from '../../testing/test-api.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
});
afterAll(() => api.close());

const FIREFOX = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0';

async function signIn(email: string, userAgent = FIREFOX) {
  const response = await fetch(`${api.url}/api/v1/users/login/email`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'user-agent': userAgent },
    body: JSON.stringify({ email, password: api.admin.password }),
  });
  const { accessToken, user, expiration } = await response.json();
  const authorization = `Basic ${Buffer.from(`${user.id}:${accessToken}`).toString('base64')}`;
  return { authorization, expiration, userId: user.id as string };
}

const ask = (path: string, authorization: string, method = 'GET') =>
  fetch(`${api.url}/api/v1${path}`, { method, headers: { authorization } });
const list = async (userId: string, authorization: string) =>
  (await (await ask(`/users/${userId}/sessions`, authorization)).json()).items;

describe('sessions', () => {
  it('are listed with program, system, address, times and a mark on this one', async () => {
    const { authorization, userId } = await signIn(api.monitor.email);
    api.clock.advance(5 * MINUTE_MS);
    const [session] = await list(userId, authorization);
    expect(session).toEqual({
      id: expect.any(String),
      createdTs: api.clock.now() - 5 * MINUTE_MS,
      lastUsedTs: api.clock.now(),
      expiration: api.clock.now() - 5 * MINUTE_MS + 14 * DAY_MS,
      address: '127.0.0.1',
      program: 'Firefox',
      system: 'Windows',
      isCurrent: true,
    });
    expect(JSON.stringify(session)).not.toMatch(/token|hash/i);
  });

  it('keep their last use when the program restarts', async () => {
    const { authorization, userId } = await signIn(api.monitor.email);
    api.clock.advance(HOUR_MS);
    await ask('/users/me', authorization);
    await ask(`/users/${userId}`, authorization);
    await api.deps.accessLog.flush();
    const stored = await api.store.tokens.listSessions(userId);
    expect(Math.max(...stored.map(({ lastUsedTs }) => lastUsedTs))).toBe(api.clock.now());
  });

  it('end one by one, and only those of the user in the path', async () => {
    const [first, second] = [await signIn(api.monitor.email), await signIn(api.monitor.email)];
    const sessions = await list(first.userId, first.authorization);
    const other = sessions.find((session: { isCurrent: boolean }) => !session.isCurrent);
    const foreign = (await api.store.tokens.listSessions(api.admin.userId))[0]!;
    const path = `/users/${first.userId}/sessions`;
    expect((await ask(`${path}/${foreign.id}`, first.authorization, 'DELETE')).status).toBe(404);
    const own = (await list(second.userId, second.authorization)).find((one: { isCurrent: boolean }) => one.isCurrent);
    expect((await ask(`${path}/${own.id}`, first.authorization, 'DELETE')).status).toBe(204);
    expect(other.id).toBeDefined();
    expect((await ask(`/users/${first.userId}`, second.authorization)).status).toBe(401);
    expect((await ask(`/users/${first.userId}`, first.authorization)).status).toBe(200);
  });

  it('end all at once, this one too', async () => {
    const [first, second] = [await signIn(api.monitor.email), await signIn(api.monitor.email)];
    expect((await ask(`/users/${first.userId}/sessions`, first.authorization, 'DELETE')).status).toBe(204);
    for (const { authorization } of [first, second])
      expect((await ask(`/users/${first.userId}`, authorization)).status).toBe(401);
  });

  it('of others are for administrators of the same account', async () => {
    const coordinator = await signIn(api.coordinator.email);
    const path = `/users/${coordinator.userId}/sessions`;
    const monitor = await signIn(api.monitor.email);
    for (const method of ['GET', 'DELETE']) {
      expect((await ask(path, monitor.authorization, method)).status).toBe(403);
      expect((await ask(path, api.otherAccount.authorization, method)).status).toBe(404);
    }
    expect((await list(coordinator.userId, api.authorization)).length).toBeGreaterThan(0);
    expect((await ask(path, api.authorization, 'DELETE')).status).toBe(204);
    expect((await ask(path, coordinator.authorization)).status).toBe(401);
    const [audited] = await api.store.audit.list({ entityType: 'user', entityId: coordinator.userId, limit: 1 });
    expect(audited).toMatchObject({ action: 'user.end-sessions', actor: { id: api.admin.userId } });
  });
});

describe('the absolute end', () => {
  it('is that of the site settings, also of sessions that are open, and never beyond two weeks', async () => {
    const before = await signIn(api.coordinator.email);
    const limit = (maxHours: number) => api.client.call('updateSiteSettings', { body: { sessions: { maxHours } } });
    await expect(limit(337)).rejects.toMatchObject({ status: 400 });
    await limit(12);
    const after = await signIn(api.coordinator.email);
    expect(after.expiration).toBe(api.clock.now() + 12 * HOUR_MS);
    // Used all the time, and ended all the same.
    for (let hour = 0; hour < 11; hour++) {
      api.clock.advance(HOUR_MS);
      expect((await ask(`/users/${before.userId}`, before.authorization)).status).toBe(200);
    }
    api.clock.advance(HOUR_MS);
    for (const { authorization } of [before, after])
      expect((await ask(`/users/${before.userId}`, authorization)).status).toBe(401);
  });
});
