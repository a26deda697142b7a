import { createServer as createTcpServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { DAY_MS } from '../../durations.ts';
import { startTestApi, type TestApi } from '../../testing/test-api.ts';
import { makeTestCertificate } from '../../testing/test-certificate.ts';
import { answerStatus, hang, startTestReceiver, type TestReceiver } from '../../testing/test-receiver.ts';
import type { WebhookDelivery } from '../contract/index.ts';

/** Time limit of an attempt in this test: more than a busy machine takes for one post. */
const HANG_MS = 1200;

let api: TestApi;
const cleanUps: (() => Promise<unknown>)[] = [];
beforeAll(async () => {
  api = await startTestApi({ webhookTimeoutMs: HANG_MS });
  await allowLocal(true);
});
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});
afterAll(async () => {
  expect(api.problems).toEqual([]);
  await api.close();
});

const allowLocal = (allowLocalTargets: boolean) =>
  api.client.call('updateSiteSettings', { body: { webhooks: { allowLocalTargets } } });

async function receiverOf(options?: Parameters<typeof startTestReceiver>[0]): Promise<TestReceiver> {
  const receiver = await startTestReceiver(options);
  cleanUps.push(() => receiver.close());
  return receiver;
}

type Registration = Omit<Parameters<typeof api.client.call<'createWebhook'>>[1]['body'], 'displayName'>;

async function register(body: Registration) {
  const params = { accountId: api.accountId };
  const created = await api.client.call('createWebhook', { params, body: { displayName: 'Hook', ...body } });
  const one = { ...params, webhookId: created.id };
  cleanUps.push(() => api.client.call('deleteWebhook', { params: one }).catch(() => undefined));
  const deliveries = async () => (await api.client.call('listWebhookDeliveries', { params: one })).items;
  return {
    params: one,
    secret: created.secret,
    deliveries,
    get: () => api.client.call('getWebhook', { params: one }),
    update: (change: Parameters<typeof api.client.call<'updateWebhook'>>[1]['body']) =>
      api.client.call('updateWebhook', { params: one, body: change }),
    /** The newest delivery, once `isReady` holds for it. */
    newest: async (isReady: (delivery: WebhookDelivery) => boolean): Promise<WebhookDelivery> => {
      for (;;) {
        const [newest] = await deliveries();
        if (newest && isReady(newest)) return newest;
        await sleep(5);
      }
    },
  };
}

const ended = ({ state }: WebhookDelivery) => state !== 'waiting';
const attempted = (count: number) => (delivery: WebhookDelivery) => delivery.attempts.length >= count;

let named = 0;
/** Causes one SUBJECT_CREATED event and returns the subject's id. */
async function causeEvent(studyId = api.studyId): Promise<string> {
  const body = { displayName: `Hooked ${++named}`, timezone: 'US/Eastern' };
  return (await api.client.call('createSubject', { params: { studyId }, body })).id;
}

function pass(ms: number): void {
  api.clock.advance(ms);
  api.integrations.wake();
}

describe('a webhook', () => {
  it('receives each event in the form of Get events, signed, in order', async () => {
    const receiver = await receiverOf();
    const hook = await register({ url: receiver.url });
    const subjects: string[] = [];
    for (let i = 0; i < 5; i++) subjects.push(await causeEvent());
    await receiver.whenPosts(5);
    expect(receiver.posts.map(({ event }) => event.referenceId)).toEqual(subjects);
    for (const post of receiver.posts) receiver.verify(post, hook.secret);
    const raw = await (await api.client.fetch('listEvents', { params: { studyId: api.studyId } })).json();
    expect(receiver.posts.map(({ event }) => event)).toEqual((raw as { items: unknown[] }).items.slice(-5));
    const [first] = receiver.posts;
    expect(first!.headers).toMatchObject({
      'content-type': 'application/json',
      'webhook-id': expect.stringMatching(/^[0-9a-f-]{36}$/),
    });
    expect(() => receiver.verify({ ...first!, body: `${first!.body} ` }, hook.secret)).toThrow();
    const delivery = await hook.newest(ended);
    expect(delivery).toMatchObject({ state: 'delivered', isTest: false, attempts: [{ status: 204 }] });
    expect(delivery.id).toBe(receiver.posts[4]!.id);
    expect((await hook.get()).failingSinceTs).toBeUndefined();
  });

  it('receives only the selected events since its creation', async () => {
    await causeEvent();
    const receiver = await receiverOf();
    const params = { accountId: api.accountId };
    const { id: other } = await api.client.call('createStudy', { params, body: { displayName: `Other ${++named}` } });
    await register({ url: `${receiver.url}/study`, studyIds: [other] });
    await register({ url: `${receiver.url}/action`, actions: ['STUDY_STARTED', 'MESSAGE_POSTED'] });
    await causeEvent();
    const inOther = await causeEvent(other);
    const message = new FormData();
    message.set('body', 'Hello');
    await api.client.call('sendMessage', { params: { studyId: other, subjectId: inOther }, body: message });
    await receiver.whenPosts(3);
    await sleep(50);
    expect(receiver.posts.map(({ path, event }) => `${path} ${event.action}`).sort()).toEqual([
      '/hook/action MESSAGE_POSTED',
      '/hook/study MESSAGE_POSTED',
      '/hook/study SUBJECT_CREATED',
    ]);
  });

  it('retries with the same id and body until it succeeds, then continues in order', async () => {
    const receiver = await receiverOf();
    receiver.answer = answerStatus(503, 'closed for lunch');
    const hook = await register({ url: receiver.url });
    const subjects = [await causeEvent()];
    const failed = await hook.newest(attempted(1));
    expect(failed).toMatchObject({
      state: 'waiting',
      nextAttemptTs: api.clock.now() + 5000,
      attempts: [{ status: 503, error: `127.0.0.1:${receiver.port} answered 503.`, answer: 'closed for lunch' }],
    });
    expect((await hook.get()).failingSinceTs).toBe(api.clock.now());
    subjects.push(await causeEvent(), await causeEvent());
    pass(5000);
    while ((await hook.deliveries()).at(-1)!.attempts.length < 2) await sleep(5);
    pass(4000);
    await sleep(30);
    expect(receiver.posts).toHaveLength(2);
    receiver.answer = answerStatus(200);
    pass(26_000);
    await receiver.whenPosts(5);
    expect(receiver.posts.map(({ event }) => event.referenceId)).toEqual([
      subjects[0],
      subjects[0],
      subjects[0],
      ...subjects.slice(1),
    ]);
    expect(new Set(receiver.posts.slice(0, 3).map(({ id, body }) => id + body)).size).toBe(1);
    for (const post of receiver.posts) receiver.verify(post, hook.secret);
    await hook.newest(ended);
    expect((await hook.get()).failingSinceTs).toBeUndefined();
  });

  it('gives up after 3 days, reports it, and can be sent again by hand', async () => {
    const receiver = await receiverOf();
    receiver.answer = answerStatus(500);
    const hook = await register({ url: receiver.url });
    await causeEvent();
    await hook.newest(attempted(1));
    for (let count = 2; count < 4; count++) {
      pass(DAY_MS);
      expect((await hook.newest(attempted(count))).state).toBe('waiting');
    }
    pass(DAY_MS);
    const delivery = await hook.newest(ended);
    expect(delivery).toMatchObject({ state: 'failed', endedTs: api.clock.now() });
    expect(delivery.attempts).toHaveLength(4);
    receiver.answer = answerStatus(200);
    const params = { ...hook.params, deliveryId: delivery.id };
    await api.client.call('redeliverWebhook', { params });
    expect((await hook.newest(ended)).state).toBe('delivered');
    expect(receiver.posts.at(-1)!.id).toBe(receiver.posts[0]!.id);
    const unknown = { ...params, deliveryId: 'none' };
    await expect(api.client.call('redeliverWebhook', { params: unknown })).rejects.toMatchObject({ status: 404 });
  });

  it('does not let one failing event block the others', async () => {
    const receiver = await receiverOf();
    const bad = await causeEvent();
    receiver.answer = (response, { event }) =>
      answerStatus(event.referenceId === bad ? 500 : 200)(response, undefined!);
    const hook = await register({ url: receiver.url });
    await api.store.webhooks.advance(hook.params.webhookId, (await api.store.events.lastSequence()) - 1);
    const good = await causeEvent();
    const badOne = async () => (await hook.deliveries()).find(({ event }) => event.referenceId === bad);
    for (let count = 1; count < 5; count++) {
      while (((await badOne())?.attempts.length ?? 0) < count) await sleep(5);
      expect(receiver.posts.map(({ event }) => event.referenceId)).toEqual(new Array(count).fill(bad));
      pass(30 * 60_000);
    }
    while (!receiver.posts.some(({ event }) => event.referenceId === good)) await sleep(5);
    // The receiver is back, so the waiting delivery is retried at once.
    while (((await badOne())?.attempts.length ?? 0) < 6) await sleep(5);
    expect((await badOne())?.state).toBe('waiting');
  });

  it('reports a receiver that hangs, drips, redirects or sends garbage, and delays no other webhook', async () => {
    const nonsense = createTcpServer((socket) =>
      socket
        .on('error', () => undefined)
        .resume()
        .end('hello\r\n\r\n'),
    );
    await new Promise<void>((resolve) => nonsense.listen(0, '127.0.0.1', resolve));
    cleanUps.push(() => new Promise((resolve) => nonsense.close(resolve)));
    const { port: nonsensePort } = nonsense.address() as { port: number };
    const [hanging, elsewhere, good] = [await receiverOf(), await receiverOf(), await receiverOf()];
    hanging.answer = hang;
    const redirecting = await receiverOf();
    redirecting.answer = (response) => response.writeHead(307, { location: elsewhere.url }).end();
    const cutting = await receiverOf();
    cutting.answer = (response) => response.destroy();
    const endless = await receiverOf();
    endless.answer = (response) => {
      response.writeHead(200);
      const timer = setInterval(() => response.write('x'.repeat(1000)), 1);
      response.on('close', () => clearInterval(timer));
    };
    const closed = await startTestReceiver();
    await closed.close();
    const urls = [hanging.url, redirecting.url, cutting.url, `http://127.0.0.1:${nonsensePort}/`, closed.url];
    const failing = await Promise.all(urls.map((url) => register({ url })));
    const endlessHook = await register({ url: endless.url });
    await register({ url: good.url });
    const started = performance.now();
    await causeEvent();
    await good.whenPosts(1);
    const goodAfterMs = performance.now() - started;
    const outcomes = await Promise.all(failing.map(({ newest }) => newest(attempted(1))));
    const errors = outcomes.map(({ attempts }) => attempts[0]!.error);
    expect(errors).toEqual([
      `127.0.0.1:${hanging.port} did not answer within 1.2 s.`,
      `127.0.0.1:${redirecting.port} answered 307, a redirect. Redirects are not followed.`,
      `127.0.0.1:${cutting.port} closed the connection before it answered.`,
      `127.0.0.1:${nonsensePort} did not send a valid HTTP response.`,
      `127.0.0.1:${closed.port} refused the connection.`,
    ]);
    const host = (receiver: { port: number }) => `127.0.0.1:${receiver.port}`;
    expect(outcomes.map(({ attempts }) => attempts[0]!.diagnostic)).toEqual([
      { message: errors[0], code: 'RECEIVER_TIMED_OUT', facts: { host: host(hanging), seconds: 1.2 } },
      { message: errors[1], code: 'RECEIVER_REDIRECTED', facts: { host: host(redirecting), status: 307 } },
      { message: errors[2], code: 'RECEIVER_CUT', facts: { host: host(cutting) } },
      { message: errors[3], code: 'RECEIVER_NOT_HTTP', facts: { host: `127.0.0.1:${nonsensePort}` } },
      { message: errors[4], code: 'RECEIVER_NOT_LISTENING', facts: { host: host(closed) } },
    ]);
    expect(elsewhere.posts).toEqual([]);
    const hungMs = outcomes[0]!.attempts[0]!.durationMs;
    expect(hungMs).toBeGreaterThanOrEqual(HANG_MS - 10);
    expect(goodAfterMs).toBeLessThan(hungMs);
    const cut = await endlessHook.newest(ended);
    expect(cut.state).toBe('delivered');
    expect(cut.attempts[0]!.answer!.length).toBeLessThanOrEqual(2000);
  });

  it('is disabled by 410 and, once enabled again, receives only later events', async () => {
    const receiver = await receiverOf();
    receiver.answer = answerStatus(410);
    const hook = await register({ url: receiver.url });
    await causeEvent();
    expect((await hook.newest(ended)).state).toBe('failed');
    const webhook = await hook.get();
    expect(webhook).toMatchObject({
      isEnabled: false,
      disabledReason: expect.stringContaining('410'),
      diagnostic: { code: 'RECEIVER_GONE' },
    });
    const [stopped] = (await api.client.call('listAccountAudit', { params: { accountId: api.accountId }, query: {} }))
      .items;
    expect(stopped).toMatchObject({ action: 'webhook.update', diagnostic: { code: 'RECEIVER_GONE' } });
    await causeEvent();
    await sleep(60);
    expect(receiver.posts).toHaveLength(1);
    receiver.answer = answerStatus(200);
    await hook.update({ isEnabled: true });
    const after = await causeEvent();
    await receiver.whenPosts(2);
    expect(receiver.posts[1]!.event.referenceId).toBe(after);
    expect((await hook.get()).disabledReason).toBeUndefined();
  });

  it('signs with both secrets for a day after a rotation, then only with the new one', async () => {
    const receiver = await receiverOf();
    const hook = await register({ url: receiver.url });
    const rotated = await api.client.call('rotateWebhookSecret', { params: hook.params });
    expect(rotated.previousUntilTs).toBe(api.clock.now() + DAY_MS);
    await causeEvent();
    await receiver.whenPosts(1);
    for (const secret of [hook.secret, rotated.secret]) receiver.verify(receiver.posts[0]!, secret);
    pass(DAY_MS);
    await causeEvent();
    await receiver.whenPosts(2);
    receiver.verify(receiver.posts[1]!, rotated.secret);
    expect(() => receiver.verify(receiver.posts[1]!, hook.secret)).toThrow();
  });

  it('can be tested, enabled or not, with a signed test event', async () => {
    const receiver = await receiverOf();
    const hook = await register({ url: receiver.url, actions: ['MESSAGE_POSTED'] });
    await hook.update({ isEnabled: false });
    const test = () => api.client.call('testWebhook', { params: hook.params });
    expect(await test()).toMatchObject({
      isTest: true,
      state: 'delivered',
      event: { action: 'MESSAGE_POSTED', accountId: api.accountId },
      attempts: [{ status: 204 }],
    });
    receiver.verify(receiver.posts[0]!, hook.secret);
    receiver.answer = hang;
    expect(await test()).toMatchObject({ state: 'failed', attempts: [{ error: expect.stringContaining('1.2 s') }] });
    const [delivery] = await hook.deliveries();
    const params = { ...hook.params, deliveryId: delivery!.id };
    await expect(api.client.call('redeliverWebhook', { params })).rejects.toMatchObject({ status: 409 });
  });

  it('posts over TLS only to a receiver with a trusted authority', async () => {
    const tls = await makeTestCertificate();
    const receiver = await receiverOf({ tls });
    const hook = await register({ url: receiver.url });
    const test = () => api.client.call('testWebhook', { params: hook.params });
    const refused = await test();
    expect(refused.attempts[0]!.error).toMatch(/^The certificate of 127\.0\.0\.1:\d+ is not trusted \([A-Z_]+\)\.$/);
    expect(receiver.posts).toEqual([]);
    await hook.update({ trustedCertificate: tls.cert });
    expect(await test()).toMatchObject({ state: 'delivered' });
    receiver.verify(receiver.posts[0]!, hook.secret);
    await hook.update({ trustedCertificate: null });
    expect((await test()).state).toBe('failed');
  });

  it('reaches no program on this computer unless an administrator allows it', async () => {
    await allowLocal(false);
    cleanUps.push(() => allowLocal(true));
    const receiver = await receiverOf();
    const { port } = receiver;
    const urls = [
      receiver.url,
      `http://localhost:${port}/`,
      `http://[::ffff:127.0.0.1]:${port}/`,
      `http://2130706433:${port}/`,
    ];
    for (const url of [...urls, `http://0.0.0.0:${port}/`, 'http://169.254.169.254/latest/meta-data/']) {
      const hook = await register({ url });
      const { attempts } = await api.client.call('testWebhook', { params: hook.params });
      expect(attempts[0]).toMatchObject({ error: expect.stringMatching(/^Nothing was sent to /) });
      expect(attempts[0]).not.toHaveProperty('status');
    }
    expect(receiver.posts).toEqual([]);
  });

  it('never returns its secret and rejects invalid registrations', async () => {
    const hook = await register({ url: 'https://hooks.example.org/in' });
    const shown = JSON.stringify([
      await hook.get(),
      await api.store.audit.list(),
      api.logLines,
      await api.store.webhooks.get(hook.params.webhookId),
    ]);
    expect(shown).not.toContain(hook.secret.slice(6));
    expect(shown).not.toContain('sealedSecret');
    const params = { accountId: api.accountId };
    const tries = [
      [{ url: 'ftp://x.org/' }, 'url'],
      [{ url: 'https://me:pw@x.org/' }, 'url'],
      [{ url: 'not an address' }, 'url'],
      [{ actions: ['SOMETHING'] }, 'actions.0'],
      [{ studyIds: [api.otherAccount.accountId] }, 'studyIds.0'],
      [{ trustedCertificate: 'none' }, 'trustedCertificate'],
    ] as const;
    for (const [wrong, path] of tries) {
      const body = { displayName: 'X', url: 'https://x.org/', ...wrong } as never;
      const refusal = api.client.call('createWebhook', { params, body });
      await expect(refusal).rejects.toMatchObject({ status: 400, errors: [{ path }] });
    }
  });
});

it('notifies the desk of changes to webhooks and mails', async () => {
  const receiver = await receiverOf();
  const abort = new AbortController();
  const topics: string[] = [];
  const connected = Promise.withResolvers<void>();
  const following = (async () => {
    for await (const { topic } of api.client.live(abort.signal, connected.resolve)) topics.push(topic);
  })().catch(() => undefined);
  await connected.promise;
  await register({ url: receiver.url });
  const heard = async (topic: string, count: number) => {
    while (topics.filter((one) => one === topic).length < count) await sleep(5);
  };
  await heard('webhook', 1);
  await causeEvent();
  await heard('webhook', 3);
  await api.store.outbox.add({ accountId: api.accountId, recipient: 'a@b.c', subject: 'S', body: 'B' });
  await heard('mail', 1);
  abort.abort();
  await following;
});
