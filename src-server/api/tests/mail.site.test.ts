import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { DAY_MS } from '../../durations.ts';
import { startTestApi, type TestApi } from '../../testing/test-api.ts';
import { makeTestCertificate } from '../../testing/test-certificate.ts';
import { startTestMailServer, type TestMailServerOptions } from '../../testing/test-mail-server.ts';
import { createClient } from '../contract/client.ts';
import type { Mail } from '../contract/index.ts';

let api: TestApi;
let tls: Awaited<ReturnType<typeof makeTestCertificate>>;
const cleanUps: (() => Promise<unknown>)[] = [];
beforeAll(async () => {
  tls = await makeTestCertificate();
  api = await startTestApi();
});
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});
afterAll(async () => {
  expect(api.problems).toEqual([]);
  await api.close();
});

const params = () => ({ accountId: api.accountId });
const outbox = async (client = api.client) => (await client.call('listOutbox', { params: params() })).items;
const testMail = (recipient?: string) => api.client.call('sendTestMail', { body: recipient ? { recipient } : {} });

async function serverOf(options?: TestMailServerOptions) {
  const server = await startTestMailServer(options);
  cleanUps.push(() => server.close());
  return server;
}

type MailInput = NonNullable<Parameters<typeof api.client.call<'updateSiteSettings'>>[1]['body']['mail']>;

async function setMail(mail: Partial<MailInput> & { port: number }) {
  const server = { host: '127.0.0.1', security: 'NONE' as const, from: 'outpost@clinic.example', ...mail };
  await api.client.call('updateSiteSettings', { body: { mail: server } });
  cleanUps.push(() => api.client.call('updateSiteSettings', { body: { mail: null } }));
}

let sent = 0;
/** Queues a mail as the study archive does; returns a function that waits for its state. */
async function queueMail(
  more: { recipient?: string; holdsSecret?: boolean; expirationTs?: number; body?: string } = {},
) {
  const subject = `Ready ${++sent}`;
  const mail = {
    ...params(),
    recipient: api.admin.email,
    subject,
    body: 'The archive is ready. 準備ができました。',
    ...more,
  };
  const id = await api.store.outbox.add(mail);
  return {
    id,
    subject,
    when: async (isReady: (mail: Mail) => boolean): Promise<Mail> => {
      for (;;) {
        const found = (await outbox()).find((one) => one.id === id);
        if (found && isReady(found)) return found;
        await sleep(5);
      }
    },
  };
}

const ended = ({ state }: Mail) => state !== 'queued';

function pass(ms: number): void {
  api.clock.advance(ms);
  api.integrations.wake();
}

describe('mail', () => {
  it('stays in the outbox without a mail server and is sent once one is set', async () => {
    const mail = await queueMail();
    await sleep(30);
    expect(await mail.when(() => true)).toMatchObject({ state: 'queued', attempts: 0, isRead: false });
    expect(await testMail()).toMatchObject({
      isSent: false,
      error: expect.stringContaining('No mail server is configured'),
    });
    const server = await serverOf();
    await setMail({ port: server.port });
    expect(await mail.when(ended)).toMatchObject({ state: 'sent', sentTs: api.clock.now(), attempts: 1 });
    const [received] = server.mails;
    expect(received).toMatchObject({ from: 'outpost@clinic.example', to: [api.admin.email], isEncrypted: false });
    expect(received!.raw).toContain(`Subject: ${mail.subject}`);
    expect(received!.raw).toContain(`Message-ID: <${mail.id}@clinic.example>`);
    expect(received!.raw).toMatch(/From: "?Test site"? <outpost@clinic\.example>/);
    expect(server.mails).toHaveLength(1);
  });

  it.each([
    ['STARTTLS', false],
    ['TLS', true],
  ] as const)('is sent over %s with a log-in to a server with a trusted authority', async (security, isSecure) => {
    const login = { user: 'clinic', password: 'correct horse' };
    const server = await serverOf({ tls, isSecure, login });
    const mail = { port: server.port, security, user: login.user, password: login.password };
    await setMail(mail);
    const distrusted = await testMail();
    expect(distrusted).toMatchObject({ isSent: false, error: expect.stringMatching(/self-signed certificate/i) });
    await setMail({ ...mail, trustedCertificate: tls.cert });
    expect(await testMail('someone@example.org')).toEqual({ isSent: true, recipient: 'someone@example.org' });
    expect(server.mails).toMatchObject([{ to: ['someone@example.org'], isEncrypted: true, user: 'clinic' }]);
    await setMail({ ...mail, trustedCertificate: tls.cert, password: 'wrong' });
    const refused = await testMail();
    expect(refused.error).toMatch(/^The mail server rejected the username or password: 535/);
    expect(refused.diagnostic).toMatchObject({ code: 'MAIL_SIGN_IN', facts: { reply: expect.stringMatching(/535/) } });
    expect((await outbox())[0]).toMatchObject({
      state: 'failed',
      error: refused.error,
      diagnostic: refused.diagnostic,
    });
    expect(JSON.stringify([refused, await outbox(), api.logLines])).not.toContain('correct horse');
  });

  it('sends nothing unencrypted to a server without STARTTLS', async () => {
    const server = await serverOf({ login: { user: 'u', password: 'p' } });
    await setMail({ port: server.port, security: 'STARTTLS', user: 'u', password: 'p' });
    expect(await testMail()).toMatchObject({ isSent: false });
    expect(server.mails).toEqual([]);
  });

  it('is retried while the server is unreachable, and fails after 3 days', async () => {
    const first = await startTestMailServer();
    const { port } = first;
    await first.close();
    await setMail({ port });
    const mail = await queueMail();
    const failed = await mail.when(({ attempts }) => attempts === 1);
    expect(failed).toMatchObject({
      state: 'queued',
      error: `The mail server 127.0.0.1:${port} refused the connection.`,
    });
    const server = await serverOf({ port });
    pass(60_000);
    expect((await mail.when(ended)).state).toBe('sent');
    expect(server.mails).toHaveLength(1);
    server.refusals.set(api.admin.email, '451 try later');
    const late = await queueMail();
    for (let count = 1; count <= 4; count++) {
      expect((await late.when(({ attempts }) => attempts === count)).state).toBe(count < 4 ? 'queued' : 'failed');
      pass(DAY_MS);
    }
    server.refusals.clear();
    await api.client.call('retryMail', { params: { ...params(), mailId: late.id } });
    expect((await late.when(ended)).state).toBe('sent');
    const again = { params: { ...params(), mailId: late.id } };
    await expect(api.client.call('retryMail', again)).rejects.toMatchObject({ status: 409 });
  });

  it('that one recipient cannot receive does not delay the others', async () => {
    const server = await serverOf();
    server.refusals.set('gone@example.org', '550 no such user');
    await setMail({ port: server.port });
    const [bad, good] = [await queueMail({ recipient: 'gone@example.org' }), await queueMail()];
    expect(await bad.when(ended)).toMatchObject({
      state: 'failed',
      attempts: 1,
      error: expect.stringMatching(/^The mail server rejected the email: .*550/),
    });
    expect((await good.when(ended)).state).toBe('sent');
  });

  it('to a hanging server fails with a message while the API keeps responding', async () => {
    const silent = createServer((socket) => socket.on('error', () => undefined).resume());
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    cleanUps.push(() => new Promise((resolve) => silent.close(resolve)));
    const { port } = silent.address() as { port: number };
    await setMail({ port });
    const mail = await queueMail();
    const started = performance.now();
    await outbox();
    const answeredMs = performance.now() - started;
    expect((await mail.when(({ attempts }) => attempts === 1)).error).toMatch(/did not respond in time/);
    expect(answeredMs).toBeLessThan((performance.now() - started) / 2);
  });

  it('that waited more than 3 days for a server is not sent', async () => {
    const mail = await queueMail();
    api.clock.advance(3 * DAY_MS + 1);
    const server = await serverOf();
    await setMail({ port: server.port });
    expect(await mail.when(ended)).toMatchObject({ state: 'failed', error: expect.stringContaining('3 days') });
    expect(server.mails.filter(({ raw }) => raw.includes(mail.subject))).toEqual([]);
  });
});

describe('a mail with a one-time code', () => {
  const invite = async (email: string): Promise<string> => {
    const user = {
      ...params(),
      email,
      firstName: 'A',
      lastName: 'B',
      locale: 'en_US' as const,
      timezone: 'US/Eastern',
    };
    return (await api.client.call('createUser', { body: { email, user } })).id;
  };
  const mailTo = async (recipient: string) => (await api.store.outbox.list(api.accountId, { recipient }))[0]!;

  it('is never shown, is sent only over an encrypted connection, and is erased once sent', async () => {
    await invite('first@example.org');
    const { body } = await mailTo('first@example.org');
    const code = /^[A-Z2-9]{20}$/m.exec(body)![0];
    expect(JSON.stringify(await outbox())).not.toContain(code);
    const plain = await serverOf();
    await setMail({ port: plain.port });
    while ((await mailTo('first@example.org')).state === 'waiting') await sleep(5);
    expect(await mailTo('first@example.org')).toMatchObject({
      state: 'failed',
      body: '',
      diagnostic: { code: 'MAIL_UNENCRYPTED', message: expect.stringContaining('not encrypted') },
    });
    expect(plain.mails).toEqual([]);

    const encrypted = await serverOf({ tls, isSecure: true });
    await setMail({ port: encrypted.port, security: 'TLS', trustedCertificate: tls.cert });
    await invite('second@example.org');
    while ((await mailTo('second@example.org')).state === 'waiting') await sleep(5);
    expect(await mailTo('second@example.org')).toMatchObject({ state: 'sent', body: '' });
    const sentCode = /^[A-Z2-9]{20}\r?$/m.exec(encrypted.mails[0]!.raw)![0].trim();
    await createClient({ baseUrl: api.url }).call('resetPassword', {
      body: { code: sentCode, password: 'my password' },
    });
    await api.signIn('second@example.org', 'my password');
    const { id } = await mailTo('second@example.org');
    const retry = api.client.call('retryMail', { params: { ...params(), mailId: id } });
    await expect(retry).rejects.toMatchObject({ status: 409 });
  });

  it('is erased when its code expires', async () => {
    await invite('third@example.org');
    pass(3 * DAY_MS);
    while ((await mailTo('third@example.org')).state === 'waiting') await sleep(5);
    expect(await mailTo('third@example.org')).toMatchObject({ state: 'failed', body: '' });
  });
});

describe('the outbox', () => {
  it('shows administrators all mails, and other users their own', async () => {
    const mine = await queueMail({ recipient: api.monitor.email });
    const theirs = await queueMail({ recipient: api.coordinator.email });
    const signedIn = await api.signIn(api.admin.email);
    const all = (await outbox(signedIn)).map(({ id }) => id);
    expect(all.slice(0, 2)).toEqual([theirs.id, mine.id]);
    const monitor = await api.signIn(api.monitor.email);
    expect((await outbox(monitor)).map(({ id }) => id)).toEqual([mine.id]);
    const foreign = { params: { ...params(), mailId: theirs.id }, body: { isRead: true } };
    await expect(monitor.call('markMailRead', foreign)).rejects.toMatchObject({ status: 404 });
    await monitor.call('markMailRead', { params: { ...params(), mailId: mine.id }, body: { isRead: true } });
    expect(await outbox(monitor)).toMatchObject([{ isRead: true }]);
    const unread = await monitor.call('listOutbox', { params: params(), query: { isRead: false } });
    expect(unread.size).toBe(0);
    await monitor.call('markMailRead', { params: { ...params(), mailId: mine.id }, body: { isRead: false } });
    expect(await outbox(monitor)).toMatchObject([{ isRead: false }]);
    await expect(monitor.call('sendTestMail', { body: {} })).rejects.toMatchObject({ status: 403 });
  });
});
