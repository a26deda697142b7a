import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DAY_MS } from '../../durations.ts';
import { startTestApi, type TestApi } from '../../testing/test-api.ts';
import { basicAuthorization, createClient } from '../contract/client.ts';
import { SUBJECT_TOKEN_DAYS } from '../contract/subject-token.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
});
afterAll(() => api.close());

const asMonitor = () =>
  createClient({ baseUrl: api.url, credentials: api.monitor.credentials, validateResponses: true });

describe('sign-in token of a subject', () => {
  const params = () => ({ studyId: api.studyId, subjectId: api.subjectIds[0]! });

  it('is issued without a request body, with exactly three members, and revokes the previous one', async () => {
    const url = api.client.url('createSubjectToken', { params: params() });
    const response = await fetch(url, { method: 'POST', headers: { authorization: api.authorization } });
    expect(response.status).toBe(201);
    const first = (await response.json()) as { token: string };
    expect(first).toEqual({ ...params(), token: expect.stringMatching(/^\S{12,}$/) });
    const second = await api.client.call('createSubjectToken', { params: params() });
    expect(second.token).not.toBe(first.token);
    expect(await api.store.subjects.findByToken(first.token)).toBeUndefined();
    expect((await api.store.subjects.findByToken(second.token))?.id).toBe(params().subjectId);
    const [audited] = await api.store.audit.list({ entityType: 'subject', entityId: params().subjectId });
    expect(audited).toMatchObject({ action: 'subject.token', actor: { type: 'USER', id: api.admin.userId } });
    expect(JSON.stringify(audited)).not.toContain(second.token);
  });

  it('is not a credential of the API', async () => {
    const { token, subjectId } = await api.client.call('createSubjectToken', { params: params() });
    const tries = [
      basicAuthorization({ userId: subjectId, accessToken: token }),
      basicAuthorization({ userId: api.admin.userId, accessToken: token }),
      `Bearer ${token}`,
      `Basic ${btoa(token)}`,
    ];
    for (const authorization of tries) {
      const response = await fetch(api.client.url('getSubject', { params: params() }), { headers: { authorization } });
      expect(response.status).toBe(401);
    }
  });

  it('expires unused after the number of days that the desk shows', async () => {
    const { token } = await api.client.call('createSubjectToken', { params: params() });
    api.clock.advance(SUBJECT_TOKEN_DAYS * 24 * 3_600_000 - 1);
    expect((await api.store.subjects.findByToken(token))?.id).toBe(params().subjectId);
    api.clock.advance(1);
    expect(await api.store.subjects.findByToken(token)).toBeUndefined();
  });

  it('cannot be issued by a monitor', async () => {
    await expect(asMonitor().call('createSubjectToken', { params: params() })).rejects.toMatchObject({ status: 403 });
  });
});

describe('own password', () => {
  const change = (client: Pick<typeof api.client, 'call'>, currentPassword: string, password: string) =>
    client.call('changePassword', { body: { currentPassword, password } });

  it('changes with the current one, ends other sessions and unused codes, and keeps this session', async () => {
    const { id } = await api.client.call('createUser', { body: newUser('own@example.org', 'password-8') });
    const [here, there] = [
      await api.signIn('own@example.org', 'password-8'),
      await api.signIn('own@example.org', 'password-8'),
    ];
    const { code } = await api.client.call('createPasswordCode', { params: { userId: id } });
    await change(here, 'password-8', 'my new password');
    expect((await here.call('getUser', { params: { userId: id } })).id).toBe(id);
    await expect(there.call('getUser', { params: { userId: id } })).rejects.toMatchObject({ status: 401 });
    await expect(api.signIn('own@example.org', 'password-8')).rejects.toMatchObject({ status: 401 });
    await api.signIn('own@example.org', 'my new password');
    const reset = { body: { code, password: 'password-9' } };
    await expect(createClient({ baseUrl: api.url }).call('resetPassword', reset)).rejects.toMatchObject({
      status: 401,
    });
    const [audited] = await api.store.audit.list({ entityType: 'user', entityId: id });
    expect(audited).toMatchObject({ action: 'user.set-password', actor: { type: 'USER', id }, changes: {} });
  });

  it('stays when the current one is wrong or the new one too short, and guesses are throttled', async () => {
    await api.client.call('createUser', { body: newUser('guess@example.org', 'password-8') });
    const client = await api.signIn('guess@example.org', 'password-8');
    await expect(change(client, 'password-8', 'short')).rejects.toMatchObject({
      status: 400,
      errors: [expect.objectContaining({ path: 'password' })],
    });
    const tries: unknown[] = [];
    for (let i = 0; i < 7; i++) tries.push(await change(client, `wrong ${i}`, 'password-9').catch((error) => error));
    expect(tries[0]).toMatchObject({ status: 400, errors: [{ path: 'currentPassword' }] });
    expect(tries.at(-1)).toMatchObject({ status: 429 });
    api.clock.advance(120_000);
    await change(client, 'password-8', 'password-9');
  });
});

describe('password code', () => {
  const reset = (code: string, password: string) =>
    createClient({ baseUrl: api.url }).call('resetPassword', { body: { code, password } });
  const codeFor = (userId: string) => api.client.call('createPasswordCode', { params: { userId } });
  const coordinator = () => api.coordinator.userId;

  it('sets a password once and ends every session of the user', async () => {
    const { userId, code, expiration } = await codeFor(coordinator());
    expect(userId).toBe(coordinator());
    expect(expiration).toBe(api.clock.now() + 3 * DAY_MS);
    const before = await api.signIn(api.coordinator.email);
    const typed = `${code.slice(0, 5).toLowerCase()}-${code.slice(5, 10)} ${code.slice(10)}`;
    await reset(typed, 'a new password');
    await expect(before.call('getUser', { params: { userId } })).rejects.toMatchObject({ status: 401 });
    await expect(api.signIn(api.coordinator.email)).rejects.toMatchObject({ status: 401 });
    await api.signIn(api.coordinator.email, 'a new password');
    await expect(reset(code, 'once more 123')).rejects.toMatchObject({ status: 401, code: 'LOGIN_FAILED' });
    const actions = (await api.store.audit.list({ entityType: 'user', entityId: userId })).map(({ action }) => action);
    expect(actions.slice(0, 2)).toEqual(['user.set-password', 'user.password-code']);
  });

  it('expires with a newer one, after three days, and when the user is disabled', async () => {
    const first = await codeFor(coordinator());
    const second = await codeFor(coordinator());
    await expect(reset(first.code, 'password-1')).rejects.toMatchObject({ status: 401 });
    api.clock.advance(3 * DAY_MS);
    await expect(reset(second.code, 'password-2')).rejects.toMatchObject({ status: 401 });
    const third = await codeFor(coordinator());
    const params = { accountId: api.accountId, userId: coordinator() };
    await api.client.call('deleteUser', { params });
    await expect(reset(third.code, 'password-3')).rejects.toMatchObject({ status: 401 });
    await expect(codeFor(coordinator())).rejects.toMatchObject({ status: 409 });
  });

  it('requires a password of 8 to 64 characters and stays valid after a rejected one', async () => {
    const { code } = await codeFor(api.monitor.userId);
    for (const password of ['short', 'x'.repeat(65)]) {
      await expect(reset(code, password)).rejects.toMatchObject({
        status: 400,
        errors: [expect.objectContaining({ path: 'password' })],
      });
    }
    await reset(code, 'x'.repeat(64));
    await api.signIn(api.monitor.email, 'x'.repeat(64));
  });

  it('throttles guesses', async () => {
    api.clock.advance(120_000);
    const statuses: number[] = [];
    for (let i = 0; i < 8; i++) {
      statuses.push(
        await reset(`GUESS${i}`, 'password-8').then(
          () => 204,
          (error) => error.status,
        ),
      );
    }
    expect(statuses.slice(0, 3)).toEqual([401, 401, 401]);
    expect(statuses.at(-1)).toBe(429);
    await api.signIn();
    api.clock.advance(120_000);
  });

  it('is issued only by an administrator of the account', async () => {
    const { id } = await api.client.call('createUser', { body: newUser('colleague@example.org', 'password-8') });
    const colleague = await api.signIn('colleague@example.org', 'password-8');
    await expect(colleague.call('createPasswordCode', { params: { userId: api.admin.userId } })).rejects.toMatchObject({
      status: 403,
    });
    await expect(colleague.call('createPasswordCode', { params: { userId: id } })).rejects.toMatchObject({
      status: 403,
    });
    const stranger = createClient({ baseUrl: api.url, credentials: api.otherAccount.credentials });
    await expect(stranger.call('createPasswordCode', { params: { userId: id } })).rejects.toMatchObject({
      status: 404,
    });
  });

  it('is e-mailed to a new user without a password, in the language of the user', async () => {
    await api.client.call('createUser', { body: newUser('ada@example.org') });
    await api.client.call('createUser', { body: newUser('ken@example.org', undefined, 'ja_JP') });
    const mails = await api.store.outbox.list(api.accountId);
    const to = (recipient: string) => mails.find((mail) => mail.recipient === recipient)!;
    expect(to('ada@example.org').subject).toBe('Set your password for Test clinic');
    expect(to('ken@example.org').subject).toContain('パスワード');
    for (const email of ['ada@example.org', 'ken@example.org']) {
      await expect(api.signIn(email, '')).rejects.toMatchObject({ status: 401 });
      const code = /^[A-Z2-9]{20}$/m.exec(to(email).body)![0];
      await reset(code, 'my own password');
      await api.signIn(email, 'my own password');
    }
    expect(mails.some((mail) => mail.recipient === 'colleague@example.org')).toBe(false);
  });
});

describe('roles', () => {
  it('are changed only by administrators, with an audited reason, and never their own', async () => {
    const { id: userId } = await api.client.call('createUser', { body: newUser('rolf@example.org', 'password-8') });
    const body = { role: 'ANALYST', reason: 'New post' } as const;
    await api.client.call('updateUserRole', { params: { userId }, body });
    expect((await api.client.call('getUser', { params: { userId } })).accounts[0]!.role).toBe('ANALYST');
    const [audited] = await api.store.audit.list({ entityType: 'user', entityId: userId });
    expect(audited).toMatchObject({ reason: 'New post', changes: { role: { old: 'COORDINATOR', new: 'ANALYST' } } });
    const rolf = await api.signIn('rolf@example.org', 'password-8');
    await expect(rolf.call('updateUserRole', { params: { userId }, body: { role: 'ADMIN' } })).rejects.toMatchObject({
      status: 403,
    });
    const own = { params: { userId: api.admin.userId }, body };
    await expect(api.client.call('updateUserRole', own)).rejects.toMatchObject({ status: 409 });
  });
});

function newUser(email: string, password?: string, locale: 'en_US' | 'ja_JP' = 'en_US') {
  return {
    email,
    ...(password === undefined ? {} : { password }),
    user: { accountId: api.accountId, email, firstName: 'Ada', lastName: 'Ito', locale, timezone: 'Asia/Tokyo' },
  };
}
