import type { LookupAddress } from 'node:dns';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestReceiver, type TestReceiver } from '../../testing/test-receiver.ts';
import { type PostRequest, post } from './post.ts';

let receiver: TestReceiver;
beforeAll(async () => {
  receiver = await startTestReceiver();
});
afterAll(() => receiver.close());

/** A post to a name that resolves to another address each time it is asked for. */
async function postToName(answers: string[], allowLocal: boolean) {
  let asked = 0;
  const request: PostRequest = {
    url: `http://rebinding.test:${receiver.port}/`,
    headers: { 'content-type': 'application/json' },
    body: '{}',
    allowLocal,
    timeoutMs: 300,
    signal: new AbortController().signal,
    resolve: (_host, done) => {
      const address = answers[Math.min(asked++, answers.length - 1)]!;
      done(null, [{ address, family: 4 } satisfies LookupAddress]);
    },
  };
  return { outcome: await post(request), asked };
}

it('connects to the checked address, regardless of what the name resolves to next', async () => {
  // 192.0.2.0/24 is for documentation (RFC 5737): nothing answers there.
  const rebound = await postToName(['192.0.2.1', '127.0.0.1'], false);
  expect(rebound.asked).toBe(1);
  expect(rebound.outcome.status).toBeUndefined();
  const local = await postToName(['127.0.0.1'], false);
  expect(local.outcome.diagnostic?.message).toMatch(/^Nothing was sent to rebinding\.test: 127\.0\.0\.1 is a local/);
  expect(receiver.posts).toEqual([]);
  const allowed = await postToName(['127.0.0.1', '192.0.2.1'], true);
  expect(allowed).toMatchObject({ asked: 1, outcome: { status: 204 } });
  expect(receiver.posts).toHaveLength(1);
});

it('rejects with the reason of its signal', async () => {
  const abort = new AbortController();
  const request = { url: receiver.url, headers: {}, body: '{}', allowLocal: true, timeoutMs: 10_000 };
  receiver.answer = () => abort.abort(new Error('the site closes'));
  await expect(post({ ...request, signal: abort.signal })).rejects.toThrow('the site closes');
});
