import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { answerStatus, hang, startTestReceiver } from '../testing/test-receiver.ts';
import { makeTestSite, signIn, startServerProcess } from '../testing/test-site.ts';

it('loses no event and keeps event ids when killed between or during webhook attempts', async () => {
  const site = await makeTestSite();
  const receiver = await startTestReceiver();
  let server = await startServerProcess(site.dir);
  try {
    let client = await signIn(server.url);
    await client.call('updateSiteSettings', { body: { webhooks: { allowLocalTargets: true } } });
    const params = { accountId: site.accountId };
    const hook = { displayName: 'Hook', url: receiver.url };
    const { id: webhookId, secret } = await client.call('createWebhook', { params, body: hook });
    const subjects: string[] = [];
    const cause = async () => {
      const body = { displayName: `Hooked ${subjects.length}`, timezone: 'US/Eastern' };
      subjects.push((await client.call('createSubject', { params: { studyId: site.studyId }, body })).id);
    };

    receiver.answer = answerStatus(500);
    await cause();
    await receiver.whenPosts(1);
    // Kill right after the acknowledgement, before or after the dispatcher has picked up the event.
    await cause();
    await server.kill();

    receiver.answer = hang;
    server = await startServerProcess(site.dir);
    client = await signIn(server.url);
    await receiver.whenPosts(2);
    await cause();
    await server.kill();

    receiver.answer = answerStatus(200);
    server = await startServerProcess(site.dir);
    client = await signIn(server.url);
    const arrived = () => new Set(receiver.posts.map(({ event }) => event.referenceId));
    while (arrived().size < subjects.length) await sleep(20);
    const deliveries = async () =>
      (await client.call('listWebhookDeliveries', { params: { ...params, webhookId } })).items;
    while ((await deliveries()).some(({ state }) => state !== 'delivered')) await sleep(20);

    for (const post of receiver.posts) receiver.verify(post, secret);
    for (const subject of subjects) {
      const ids = receiver.posts.filter(({ event }) => event.referenceId === subject).map(({ id, body }) => id + body);
      expect(new Set(ids).size).toBe(1);
    }
    const firstTimes = [...arrived()];
    expect(firstTimes).toEqual(subjects);
    expect(await server.stop()).toBe(0);
  } finally {
    await server.kill();
    await receiver.close();
    await site.remove();
  }
});
