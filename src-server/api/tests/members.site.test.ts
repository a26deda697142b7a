import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestApi, type TestApi } from '../../testing/test-api.ts';
import { createClient } from '../contract/client.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
});
afterAll(() => api.close());

const study = () => ({ studyId: api.studyId });

it('grants access in the member role from joining a study until removal', async () => {
  const email = 'nurse@site.example';
  const password = 'correct horse 1';
  const user = {
    accountId: api.accountId,
    email,
    firstName: 'Ann',
    lastName: 'Lee',
    locale: 'en_US',
    timezone: 'US/Eastern',
  } as const;
  const { id: userId } = await api.client.call('createUser', {
    body: { email, password, user: { ...user, role: 'MONITOR' } },
  });
  const nurse = createClient({ baseUrl: api.url, validateResponses: true });
  const { accessToken } = await nurse.call('login', { body: { email, password } });
  nurse.credentials = { userId, accessToken };
  const params = { ...study(), userId };
  await expect(nurse.call('getStudy', { params: study() })).rejects.toMatchObject({ status: 404 });

  await api.client.call('setStudyMember', { params, body: { role: 'MONITOR' } });
  expect((await nurse.call('getStudy', { params: study() })).id).toBe(api.studyId);
  const subject = { params: study(), body: { displayName: 'New', timezone: 'US/Eastern' } } as never;
  await expect(nurse.call('createSubject', subject)).rejects.toMatchObject({ status: 403 });

  await api.client.call('setStudyMember', { params, body: { role: 'COORDINATOR', reason: 'Takes over the ward' } });
  const { items } = await api.client.call('listStudyMembers', { params: study() });
  expect(items.find((item) => item.userId === userId)).toMatchObject({
    ...params,
    role: 'COORDINATOR',
    firstName: 'Ann',
    email,
    isDisabled: false,
  });
  expect(items.map((item) => item.createdTs)).toEqual(items.map((item) => item.createdTs).sort((a, b) => a - b));
  expect((await nurse.call('createSubject', subject)).id).toBeTruthy();
  const own = await nurse.call('listStudyRoles', { params: { userId } });
  expect(own.items).toEqual([{ studyId: api.studyId, role: 'COORDINATOR' }]);
  const other = items.find((item) => item.userId !== userId)?.userId ?? '';
  await expect(nurse.call('listStudyRoles', { params: { userId: other } })).rejects.toMatchObject({ status: 403 });
  expect((await api.client.call('listStudyRoles', { params: { userId } })).items).toEqual(own.items);

  await expect(nurse.call('listStudyMembers', { params: study() })).rejects.toMatchObject({ status: 403 });
  await api.client.call('removeStudyMember', { params, query: {} });
  await expect(nurse.call('getStudy', { params: study() })).rejects.toMatchObject({ status: 404 });
  await expect(api.client.call('removeStudyMember', { params, query: {} })).rejects.toMatchObject({ status: 404 });
});
