import { expect, it } from 'vitest';
import { createClient } from './client.ts';

it('passes on why a phone lost its access', async () => {
  const body = { code: 'DEVICE_REVOKED', message: 'Signed out.', requestId: 'r', reason: 'SIGNED_OUT' };
  const client = createClient({ baseUrl: '', fetch: async () => Response.json(body, { status: 401 }) });
  await expect(client.call('listPhoneTasks')).rejects.toMatchObject({ code: 'DEVICE_REVOKED', reason: 'SIGNED_OUT' });
});

it('says that the site could not be reached when an answer breaks off', async () => {
  const broken = new ReadableStream({
    start(controller) {
      controller.enqueue(new TextEncoder().encode('{"items": ['));
      controller.error(new TypeError('network error'));
    },
  });
  const client = createClient({ baseUrl: '', fetch: async () => new Response(broken, { status: 200 }) });
  await expect(client.call('listPhoneTasks')).rejects.toMatchObject({ code: 'UNREACHABLE', status: 0 });
});
