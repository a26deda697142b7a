import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SYSTEM } from '../../db/index.ts';
import { startTestApi, type TestApi } from '../../testing/test-api.ts';
import { type RouteId, routes } from '../contract/index.ts';
import type { RouteContract } from '../contract/route.ts';
import { ResponseCache } from '../framework/response-cache.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
});
afterAll(() => api.close());

const TWO_WEEKS_MS = 14 * 24 * 60 * 60 * 1000;

describe('the response cache', () => {
  const subjects = (authorization: string) =>
    fetch(`${api.url}/api/v1/studies/${api.studyId}/subjects`, { headers: { authorization } });
  const userOf = async (email: string) => {
    const { id } = await api.client.call('createUser', {
      body: {
        email,
        password: 'correct horse 1',
        user: {
          accountId: api.accountId,
          email,
          firstName: 'A',
          lastName: 'B',
          locale: 'en_US',
          timezone: 'Etc/GMT',
          role: 'ADMIN',
        },
      },
    });
    return { id, client: await api.signIn(email) };
  };

  it('is invalidated by every write, regardless of the writer', async () => {
    const before = await (await subjects(api.authorization)).json();
    expect(await (await subjects(api.authorization)).json()).toEqual(before);
    await api.store.subjects.update(api.subjectIds[0]!, { displayName: 'Renamed' }, SYSTEM);
    const after = await (await subjects(api.authorization)).json();
    expect(after.items[0].displayName).toBe('Renamed');
    expect({ ...after.items[0], modifiedTs: 0 }).toEqual({ ...before.items[0], displayName: 'Renamed', modifiedTs: 0 });
  });

  it('serves nothing after a log-out, a disabled user, a lost role or two weeks', async () => {
    const { id, client } = await userOf('kept@example.org');
    const other = await api.signIn('kept@example.org');
    for (const one of [client, other]) expect((await subjects(one.authorization)).status).toBe(200);
    await client.call('logout');
    expect((await subjects(client.authorization)).status).toBe(401);
    expect((await subjects(other.authorization)).status).toBe(200);
    await api.client.call('updateUserRole', { params: { userId: id }, body: { role: 'ANALYST' } });
    // Without a membership the study is no longer found.
    expect((await subjects(other.authorization)).status).toBe(404);
    await api.client.call('updateUserRole', { params: { userId: id }, body: { role: 'ADMIN' } });
    expect((await subjects(other.authorization)).status).toBe(200);
    await api.client.call('deleteUser', { params: { accountId: api.accountId, userId: id } });
    expect((await subjects(other.authorization)).status).toBe(401);

    const { client: late } = await userOf('late@example.org');
    api.clock.advance(TWO_WEEKS_MS - 1);
    expect((await subjects(late.authorization)).status).toBe(200);
    api.clock.advance(1);
    expect((await subjects(late.authorization)).status).toBe(401);
    api.clock.advance(-TWO_WEEKS_MS);
  });

  it('is separate per caller and address', async () => {
    expect((await subjects(api.authorization)).status).toBe(200);
    expect((await subjects(api.otherAccount.authorization)).status).toBe(404);
    expect((await subjects(api.otherAccount.authorization)).status).toBe(404);
  });

  it('stores no jobs, live changes, site state or exports', () => {
    const stored = (Object.entries(routes) as [RouteId, RouteContract][]).filter(([, route]) => route.isStored);
    expect(stored.length).toBeGreaterThan(5);
    for (const [id, route] of stored) {
      expect(route, id).toMatchObject({ method: 'GET', status: 200, access: 'user' });
      expect(route.path, id).not.toMatch(/jobs|live|site|export/);
    }
  });

  it('does not store a response that a write overlapped', async () => {
    let writes = 1;
    const kept = new ResponseCache<string>({ writeCount: () => writes }, 10);
    expect(
      await kept.getOrMake('a', async () => {
        writes++;
        return 'old';
      }),
    ).toBe('old');
    expect(kept.get('a')).toBeUndefined();
    expect(await kept.getOrMake('a', async () => 'new')).toBe('new');
    expect(kept.get('a')).toBe('new');
    for (let i = 0; i < 30; i++) kept.keep(`key ${i}`, 'x', writes);
    expect(kept.get('a')).toBeUndefined();
    expect(kept.get('key 29')).toBe('x');
  });
});
