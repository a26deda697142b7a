import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hashPassword, SYSTEM } from '../../db/index.ts';
import { HOUR_MS, MINUTE_MS } from '../../durations.ts';
import { SecretBox } from '../../secrets/sealed-text.ts';
import { oneTimePassword, stepAt } from '../../secrets/totp.ts';
import { startTestApi, type TestApi } from '../../testing/test-api.ts';
import { CodeThrottle } from '../resources/access/code-throttle.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
});
afterAll(() => api.close());

const STEP_MS = 30_000;
let made = 0;

/** A new user with a second factor, and what only their phone and paper know. */
async function withFactor() {
  const email = `factor${made++}@example.org`;
  const { id } = await api.store.users.create(
    {
      ...{
        accountId: api.accountId,
        email,
        firstName: 'Fac',
        lastName: 'Tor',
        locale: 'en_US',
        timezone: 'US/Eastern',
      },
      role: 'COORDINATOR',
      passwordHash: await hashPassword(api.admin.password),
    },
    SYSTEM,
  );
  const client = await api.signIn(email);
  const { secret } = await client.call('setUpSecondFactor', { body: { currentPassword: api.admin.password } });
  const bytes = await secretOf(id);
  const codeAt = (away = 0) => oneTimePassword(bytes, stepAt(api.clock.now()) + away);
  const { recoveryCodes } = await client.call('confirmSecondFactor', { body: { code: codeAt() } });
  // The code that confirmed it cannot sign in as well.
  api.clock.advance(STEP_MS);
  return { id, email, client, secret, codeAt, recoveryCodes };
}

async function secretOf(userId: string): Promise<Buffer> {
  const factor = (await api.store.secondFactors.find(userId))!;
  return Buffer.from(new SecretBox(api.deps.secrets.urlSigningKey).open(factor.secret)!, 'hex');
}

async function logIn(email: string, code?: string, password = api.admin.password) {
  const response = await fetch(`${api.url}/api/v1/users/login/email`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email, password, ...(code !== undefined && { code }) }),
  });
  const body = await response.json();
  return { status: response.status, code: body.code as string | undefined, body };
}

describe('a second factor', () => {
  it('is asked for only after the right password, and only of users who have one', async () => {
    const { email, codeAt } = await withFactor();
    expect(await logIn(email, undefined, 'wrong password')).toMatchObject({ status: 401, code: 'LOGIN_FAILED' });
    expect(await logIn(email, codeAt(), 'wrong password')).toMatchObject({ status: 401, code: 'LOGIN_FAILED' });
    expect(await logIn(email)).toMatchObject({ status: 401, code: 'SECOND_FACTOR_NEEDED' });
    expect(await logIn(email, codeAt())).toMatchObject({ status: 200 });
    expect(await logIn(api.admin.email)).toMatchObject({ status: 200 });
    expect(Object.keys((await logIn(api.admin.email)).body)).toEqual(['accessToken', 'expiration', 'user']);
  });

  it('accepts the step before and after, each once, and no earlier one after a later', async () => {
    const { email, codeAt } = await withFactor();
    api.clock.advance(10 * STEP_MS);
    expect((await logIn(email, codeAt(-2))).code).toBe('SECOND_FACTOR_WRONG');
    expect((await logIn(email, codeAt(2))).code).toBe('SECOND_FACTOR_WRONG');
    const next = codeAt(1);
    expect((await logIn(email, next)).status).toBe(200);
    expect((await logIn(email, next)).code).toBe('SECOND_FACTOR_WRONG');
    expect((await logIn(email, codeAt())).code).toBe('SECOND_FACTOR_WRONG');
    api.clock.advance(2 * STEP_MS);
    expect((await logIn(email, codeAt())).status).toBe(200);
  });

  it('gives one session to two sign-ins that race with the same code', async () => {
    const { email, codeAt } = await withFactor();
    const code = codeAt();
    const statuses = (await Promise.all([logIn(email, code), logIn(email, code), logIn(email, code)])).map(
      ({ status }) => status,
    );
    expect(statuses.sort()).toEqual([200, 401, 401]);
  });

  it('has ten recovery codes that sign in once each, typed in any way, at any time', async () => {
    const { id, email, recoveryCodes } = await withFactor();
    expect(new Set(recoveryCodes).size).toBe(10);
    expect(recoveryCodes[0]).toMatch(/^(?:[A-Z2-9]{4}-){3}[A-Z2-9]{4}$/);
    const typed = recoveryCodes[0]!.toLowerCase().replaceAll('-', ' ');
    expect((await logIn(email, typed)).status).toBe(200);
    expect((await logIn(email, typed)).code).toBe('SECOND_FACTOR_WRONG');
    expect((await api.client.call('getSecondFactor', { params: { userId: id } })).recoveryCodesLeft).toBe(9);
    // A clock that is years away changes nothing about them.
    api.clock.advance(400 * 24 * HOUR_MS);
    expect((await logIn(email, recoveryCodes[1]!)).status).toBe(200);
    api.clock.advance(-400 * 24 * HOUR_MS);
  });

  it('works again after the clock of the site was ahead and then corrected', async () => {
    const { email, codeAt } = await withFactor();
    api.clock.advance(365 * 24 * HOUR_MS);
    const ahead = codeAt();
    expect((await logIn(email, ahead)).status).toBe(200);
    expect((await logIn(email, ahead)).code).toBe('SECOND_FACTOR_WRONG');
    api.clock.advance(-365 * 24 * HOUR_MS);
    expect((await logIn(email, codeAt())).status).toBe(200);
    expect((await logIn(email, codeAt())).code).toBe('SECOND_FACTOR_WRONG');
  });

  it('ends the other sessions when it is turned on, and keeps the one that did', async () => {
    const other = await api.signIn(api.coordinator.email);
    const own = await api.signIn(api.coordinator.email);
    await own.call('setUpSecondFactor', { body: { currentPassword: api.admin.password } });
    const code = oneTimePassword(await secretOf(api.coordinator.userId), stepAt(api.clock.now()));
    await expect(own.call('confirmSecondFactor', { body: { code: '000000' } })).rejects.toMatchObject({ status: 400 });
    await other.call('getUser', { params: { userId: api.coordinator.userId } });
    await own.call('confirmSecondFactor', { body: { code } });
    await expect(other.call('getUser', { params: { userId: api.coordinator.userId } })).rejects.toMatchObject({
      status: 401,
    });
    await own.call('getUser', { params: { userId: api.coordinator.userId } });
    await api.store.secondFactors.reset(api.coordinator.userId, SYSTEM);
  });

  it('is set up only with the password, and changed only with password and code', async () => {
    const { id, client, codeAt, recoveryCodes } = await withFactor();
    const wrong = { currentPassword: 'wrong password' };
    const right = { currentPassword: api.admin.password };
    await expect(client.call('setUpSecondFactor', { body: wrong })).rejects.toMatchObject({ status: 400 });
    await expect(client.call('setUpSecondFactor', { body: right })).rejects.toMatchObject({ status: 409 });
    const remove = (body: { currentPassword: string; code: string }) => client.call('removeSecondFactor', { body });
    await expect(remove({ ...wrong, code: codeAt() })).rejects.toMatchObject({ status: 400 });
    await expect(remove({ ...right, code: '000000' })).rejects.toMatchObject({ status: 400 });
    const renewed = await client.call('renewRecoveryCodes', { body: { ...right, code: codeAt() } });
    expect(renewed.recoveryCodes).toHaveLength(10);
    await expect(remove({ ...right, code: recoveryCodes[0]! })).rejects.toMatchObject({ status: 400 });
    await remove({ ...right, code: renewed.recoveryCodes[0]! });
    expect(await api.client.call('getSecondFactor', { params: { userId: id } })).toEqual({
      ...{ userId: id, isOn: false, isRequired: false, recoveryCodesLeft: 0 },
    });
  });

  it('is stored sealed and its recovery codes hashed, and neither is in the audit trail or the log', async () => {
    const { id, secret, recoveryCodes } = await withFactor();
    const factor = await api.store.secondFactors.find(id);
    expect(factor?.secret).toMatch(/^v1\./);
    const audit = JSON.stringify(await api.store.audit.list({ entityType: 'user', entityId: id }));
    const everything = audit + api.logLines.join('\n') + JSON.stringify(factor);
    for (const hidden of [secret, recoveryCodes[0]!, recoveryCodes[0]!.replaceAll('-', ''), factor!.secret.slice(3)])
      expect(audit + api.logLines.join('\n')).not.toContain(hidden);
    expect(everything).not.toContain(secret);
    expect(audit).toContain('user.second-factor');
  });
});

describe('wrong codes', () => {
  it('are refused after five in a minute, with when to retry, and neither lock the password nor a recovery code', async () => {
    const { email, codeAt, recoveryCodes } = await withFactor();
    const wrong = () => logIn(email, codeAt(5));
    for (let i = 0; i < 5; i++) expect((await wrong()).status).toBe(401);
    const refused = await wrong();
    expect(refused).toMatchObject({ status: 429, code: 'THROTTLED' });
    expect(await logIn(email, codeAt())).toMatchObject({ status: 429 });
    expect(await logIn(email)).toMatchObject({ status: 401, code: 'SECOND_FACTOR_NEEDED' });
    expect(await logIn(email, recoveryCodes[0]!)).toMatchObject({ status: 200 });
    api.clock.advance(MINUTE_MS + STEP_MS);
    expect(await logIn(email, codeAt())).toMatchObject({ status: 200 });
  });

  it('of strangers stop strangers, from however many addresses, and never a known address or session', () => {
    let nowTs = 1_800_000_000_000;
    const throttle = new CodeThrottle(() => nowTs);
    let accepted = 0;
    for (let i = 0; i < 1000; i++) {
      nowTs += 1000;
      try {
        throttle.begin('user', `10.0.${i >> 8}.${i & 255}`, false);
        accepted += 1;
      } catch {}
    }
    expect(accepted).toBe(20);
    expect(() => throttle.begin('user', '192.168.1.5', true)()).not.toThrow();
    expect(() => throttle.begin('other', '10.0.0.1', false)()).not.toThrow();
    // One computer has as many IPv6 addresses as it likes.
    for (let i = 0; i < 5; i++) throttle.begin('user', `2001:db8::${i}`, true);
    expect(() => throttle.begin('user', '2001:db8::ffff', true)).toThrow(/too many wrong codes/);
  });
});

describe('a required second factor', () => {
  it('is set up at the next sign-in and cannot be turned off, while an open session stays', async () => {
    const { email, userId } = api.monitor;
    const open = await api.signIn(email);
    const monitor = await api.signIn(email);
    await expect(
      monitor.call('requireSecondFactor', { params: { userId }, body: { isRequired: false } }),
    ).rejects.toMatchObject({ status: 403 });
    await api.client.call('requireSecondFactor', { params: { userId }, body: { isRequired: true } });
    await open.call('getUser', { params: { userId } });
    expect(await logIn(email)).toMatchObject({ status: 401, code: 'SECOND_FACTOR_SETUP' });
    const given = { email, password: api.admin.password };
    const anybody = api.client;
    await expect(
      anybody.call('setUpRequiredFactor', { body: { ...given, password: 'wrong password' } }),
    ).rejects.toMatchObject({ status: 401 });
    await expect(
      anybody.call('setUpRequiredFactor', { body: { email: api.admin.email, password: api.admin.password } }),
    ).rejects.toMatchObject({ status: 409 });
    await anybody.call('setUpRequiredFactor', { body: given });
    await expect(anybody.call('confirmRequiredFactor', { body: { ...given, code: '000000' } })).rejects.toMatchObject({
      status: 401,
      code: 'SECOND_FACTOR_WRONG',
    });
    const secret = await secretOf(userId);
    const codeAt = () => oneTimePassword(secret, stepAt(api.clock.now()));
    const confirmed = await anybody.call('confirmRequiredFactor', { body: { ...given, code: codeAt() } });
    expect(confirmed.recoveryCodes).toHaveLength(10);
    expect(confirmed.session.user.id).toBe(userId);
    // Nobody who has the password alone can set up another.
    await expect(anybody.call('setUpRequiredFactor', { body: given })).rejects.toMatchObject({ status: 409 });
    api.clock.advance(STEP_MS);
    expect(await logIn(email, codeAt())).toMatchObject({ status: 200 });
    const own = await api.store.secondFactors.find(userId);
    expect(own?.confirmedTs).toBeDefined();
  });

  it('is reset by another administrator, never by its own user, which ends all sessions', async () => {
    const { id, email, client } = await withFactor();
    await expect(client.call('resetSecondFactor', { params: { userId: id } })).rejects.toMatchObject({ status: 403 });
    await expect(api.client.call('resetSecondFactor', { params: { userId: api.admin.userId } })).rejects.toMatchObject({
      status: 409,
    });
    await api.client.call('resetSecondFactor', { params: { userId: id } });
    await expect(client.call('getUser', { params: { userId: id } })).rejects.toMatchObject({ status: 401 });
    expect(await logIn(email)).toMatchObject({ status: 200 });
    const [, audited] = await api.store.audit.list({ entityType: 'user', entityId: id, limit: 3 });
    expect(JSON.stringify(await api.store.audit.list({ entityType: 'user', entityId: id }))).toContain(
      'user.reset-second-factor',
    );
    expect(audited).toBeDefined();
  });
});
