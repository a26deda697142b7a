/** The app where the phone trusts the site: it can be installed, and opens without the network from what its worker keeps. */
import { expect } from '@playwright/test';
import { test } from '../support/lan-site.ts';
import { browserThatTrusts, hasCertutil } from '../support/trust-store.ts';

test.use({ siteName: 'phone-offline' });
// A service worker needs a trusted certificate, which certutil puts into the store of the browser.
test.skip(!hasCertutil(), 'certutil is missing: install libnss3-tools.');

test('opens without the network once the site is trusted', async ({ lan }) => {
  const params = { studyId: lan.place.studyId, subjectId: lan.place.subjectIds[0]! };
  const { token } = await lan.client.call('createSubjectToken', { params });
  const root = await (await fetch(`${lan.site.url}/phone/trust/authority.crt`)).arrayBuffer();
  const pem = `-----BEGIN CERTIFICATE-----\n${Buffer.from(root).toString('base64')}\n-----END CERTIFICATE-----\n`;
  const phone = await browserThatTrusts([pem]);
  try {
    const context = await phone.browser.newContext({ viewport: { width: 360, height: 780 }, locale: 'en-US' });
    const page = await context.newPage();
    const expiry = Math.round(Date.now() / 1000) + 3600;
    await page.goto(`${lan.lanUrl}/phone#1&s=site&n=Harbour&t=${token}&e=${expiry}`);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByRole('button', { name: 'Yes, this is right' }).click();
    await expect.poll(() => page.evaluate(() => navigator.serviceWorker.controller?.state)).toBe('activated');

    const devtools = await context.newCDPSession(page);
    const { installabilityErrors } = await devtools.send('Page.getInstallabilityErrors');
    // A context of a test counts as a private window.
    expect(installabilityErrors.filter(({ errorId }) => errorId !== 'in-incognito')).toEqual([]);
    const { errors, url } = await devtools.send('Page.getAppManifest');
    expect([errors, url]).toEqual([[], `${lan.lanUrl}/phone/manifest.webmanifest`]);

    const kept = await page.evaluate(async () => {
      const requests = await Promise.all((await caches.keys()).map(async (name) => (await caches.open(name)).keys()));
      return requests.flat().map(({ url: address }) => new URL(address).pathname);
    });
    expect(kept).toContain('/phone/');
    expect(kept.filter((path) => path.includes('/api/'))).toEqual([]);

    await context.setOffline(true);
    await page.reload();
    await expect(page.getByText('Your study has not started yet')).toBeVisible();
    // The browser notes the paint some frames after it.
    const paint = await page.waitForFunction(
      () => performance.getEntriesByName('first-contentful-paint')[0]?.startTime,
    );
    const paintMs = await paint.jsonValue();
    test.info().annotations.push({ type: 'first paint offline', description: `${Math.round(paintMs ?? 0)} ms` });
    process.stdout.write(`First paint without the network: ${Math.round(paintMs ?? 0)} ms\n`);
    // What is not the app is not kept: the site's other page is as far away as the site.
    await expect(page.goto(`${lan.lanUrl}/phone/trust`)).rejects.toThrow(/ERR_INTERNET_DISCONNECTED/);
  } finally {
    await phone.close();
  }
});
