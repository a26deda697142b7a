import { expect, it } from 'vitest';
import { createClient } from './client.ts';

it('passes on why a phone lost its access', async () => {
  const body = { code: 'DEVICE_REVOKED', message: 'Signed out.', requestId: 'r', reason: 'SIGNED_OUT' };
  const client = createClient({ baseUrl: '', fetch: async () => Response.json(body, { status: 401 }) });
  await expect(client.call('listPhoneTasks')).rejects.toMatchObject({ code: 'DEVICE_REVOKED', reason: 'SIGNED_OUT' });
});
