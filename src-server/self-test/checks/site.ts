/** A whole site: created, started with both listeners, signed in to, and closed. */
import { join } from 'node:path';
import { type Check, expectSame, type SelfTestContext } from '../check.ts';
import { AWKWARD_FOLDERS } from './storage.ts';

const ADMINISTRATOR = { email: 'self@test.local', password: 'self-test' };

async function checkWholeSite({ dir, entries, fork }: SelfTestContext): Promise<void> {
  const { createClient } = await import('../../api/contract/client.ts');
  const { tryAddress } = await import('../../lan/self-check.ts');
  const { initSite } = await import('../../site/folder.ts');
  const { startSite } = await import('../../site/server.ts');
  const folder = join(dir, 'site', ...AWKWARD_FOLDERS);
  await initSite(folder, { account: 'Self-test', timeZone: 'Asia/Tokyo', ...ADMINISTRATOR });
  const site = await startSite({
    dir: folder,
    port: 0,
    entries,
    lan: { port: 0, host: '127.0.0.1', addresses: () => ['127.0.0.1'], discovery: false },
    logLevel: 'error',
    ...(fork && { fork }),
  });
  try {
    const session = await createClient({ baseUrl: site.url }).call('login', { body: ADMINISTRATOR });
    expectSame('the signed-in user', session.user.email, ADMINISTRATOR.email);
    const [url = ''] = site.lan.urls;
    expectSame('a device at the address of the site', await tryAddress(url, [site.lan.fingerprint ?? '']), 'reached');
  } finally {
    await site.close();
  }
}

export const siteChecks: readonly Check[] = [
  {
    name: 'whole-site',
    subject: 'A site that is created, started, signed in to and closed',
    advice: 'See the failed checks above. If there are none, send this report to support.',
    run: checkWholeSite,
  },
];
