/** Whom a real browser believes once the authority of a site is in its trust store: the site, and nobody else. */
import 'reflect-metadata';
import { webcrypto } from 'node:crypto';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import {
  AuthorityKeyIdentifierExtension,
  BasicConstraintsExtension,
  type Extension,
  X509Certificate,
  X509CertificateGenerator,
} from '@peculiar/x509';
import { expect } from '@playwright/test';
import { SiteAuthority } from '../../src-server/lan/identity/authority.ts';
import { newPrivateKey } from '../../src-server/lan/identity/certificate.ts';
import { SecretBox } from '../../src-server/secrets/sealed-text.ts';
import type { TestLanSite } from '../../src-server/testing/test-lan-site.ts';
import { expectAccessible } from '../support/desk.ts';
import { test } from '../support/lan-site.ts';
import { overflowsOf } from '../support/overflow.ts';
import { browserThatTrusts, hasCertutil } from '../support/trust-store.ts';

const BANK = 'bank.example';
const PUBLIC_ADDRESS = '203.0.113.9';
const PHONE_SIZE = { width: 360, height: 780 };

test.use({ siteName: 'certificates' });
// Browsers on Linux trust what certutil puts into their store; without it there is no trust to test.
test.skip(!hasCertutil(), 'certutil is missing: install libnss3-tools.');

const rootOf = async ({ site }: TestLanSite) => {
  const answer = await fetch(`${site.url}/phone/trust/authority.crt`);
  return new X509Certificate(await answer.arrayBuffer());
};

test('opens the site without an error once its authority is installed, and tells the desk', async ({ lan, desk }) => {
  const trusted = async () => (await lan.client.call('getCertificates')).trustedCalls.length;
  const url = `${lan.lanUrl}/phone/trust`;

  const name = 'test-clinic.local';
  const port = new URL(lan.lanUrl).port;

  const strange = await browserThatTrusts([], [name]);
  const refused = await strange.browser.newPage();
  await expect(refused.goto(url)).rejects.toThrow(/ERR_CERT_AUTHORITY_INVALID/);
  // A person who dismisses the warning sees the page, but the test on it is not deceived.
  const dismissing = await strange.browser.newContext({ ignoreHTTPSErrors: true, viewport: PHONE_SIZE });
  const page = await dismissing.newPage();
  await page.goto(url);
  await expect(page.getByRole('status')).toHaveText('This phone does not trust the site yet.');
  await expect(page.getByRole('link', { name: 'Back to the app' })).toBeVisible();
  await expect(page.getByRole('link', { name: 'Open the app' })).toBeHidden();
  await expectAccessible(page);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(PHONE_SIZE.width);
  for (const { address, ...look } of [
    { address: `${url}?lang=ja`, locale: 'ja-JP', colorScheme: 'light' },
    { address: `${url}?lang=en`, locale: 'en-US', colorScheme: 'dark' },
  ] as const) {
    const context = await strange.browser.newContext({ ignoreHTTPSErrors: true, viewport: PHONE_SIZE, ...look });
    const looked = await context.newPage();
    await looked.goto(address);
    await expect(looked.getByRole('status')).not.toBeEmpty();
    expect(await looked.locator('html').getAttribute('lang')).toBe(look.locale.slice(0, 2));
    await expectAccessible(looked);
    expect(await overflowsOf(looked)).toEqual([]);
    await context.close();
  }
  expect(await trusted()).toBe(0);
  // The way there and back loses no sign-in link, and shows its token in no other address.
  await page.goto(`https://${name}:${port}/phone#1&s=site&n=Harbour&t=ABCDEFGHJKLMNPQRST23&e=9999999999`);
  await page.getByRole('link', { name: 'Set up the certificate' }).click();
  await expect(page).toHaveURL(/\/phone\/trust\?lang=[a-z]+$/);
  await page.getByRole('link', { name: 'Back to the app' }).click();
  await expect(page.getByText('This code is from Harbour.')).toBeVisible();
  await strange.close();

  await desk.goto('/site/network/trust');
  await expect(desk.getByText('No phone has opened the site')).toBeVisible();
  await expectAccessible(desk);
  const root = await rootOf(lan);
  const phone = await browserThatTrusts([root.toString('pem')], [name]);
  for (const address of [url, `https://${name}:${port}/phone/trust?lang=ja`]) {
    const context = await phone.browser.newContext({ viewport: PHONE_SIZE });
    const opened = await context.newPage();
    await opened.goto(address);
    // A service worker could be registered, which no untrusted page can.
    await expect(opened.getByRole('status')).toHaveText(/^(This phone trusts the site\.|.*信頼しています。)$/);
    await expect(opened.getByRole('link', { name: /^(Open the app|アプリを開く)$/ })).toBeVisible();
    expect(await opened.evaluate(async () => (await navigator.serviceWorker.getRegistrations()).length)).toBe(0);
    await context.close();
  }
  await phone.close();
  expect(await trusted()).toBe(1);
  await expect(desk.getByText('A device (127.0.0.1) opened the site with a trusted connection')).toBeVisible();
});

/** The authority as a thief has it who copied the folder of the site. */
async function stolenAuthority({ site }: TestLanSite) {
  const { folder } = site;
  const box = new SecretBox(Buffer.from(folder.site.urlSigningKey, 'hex'));
  const text = box.open((await folder.store.settings.get('lan.authority')) ?? '');
  const keeper = { read: async () => text, write: () => Promise.reject(), remove: () => Promise.reject() };
  return await SiteAuthority.open({ keeper, siteName: '', siteHostName: '', clock: Date.now });
}

const NAME_CONSTRAINTS = '2.5.29.30';
const AUTHORITY_KEY = '2.5.29.35';
const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;

/** Roots without constraints that sign the stolen issuer's key: once with its constraints, once without. */
async function twinsOf(issuer: X509Certificate) {
  const provider = webcrypto as Crypto;
  const keys = (await provider.subtle.generateKey(ALGORITHM, false, ['sign', 'verify'])) as CryptoKeyPair;
  const { notBefore, notAfter } = issuer;
  const common = { notBefore, notAfter, signingAlgorithm: ALGORITHM };
  const extensions = [new BasicConstraintsExtension(true, 1, true)];
  const root = await X509CertificateGenerator.createSelfSigned(
    { ...common, name: 'CN=Twin', keys, extensions },
    provider,
  );
  const sign = async (keeps: (extension: Extension) => boolean) => {
    const certificate = await X509CertificateGenerator.create(
      {
        ...common,
        subject: issuer.subjectName,
        issuer: root.subjectName,
        publicKey: issuer.publicKey,
        signingKey: keys.privateKey,
        extensions: [
          ...issuer.extensions.filter((extension) => extension.type !== AUTHORITY_KEY && keeps(extension)),
          await AuthorityKeyIdentifierExtension.create(keys.publicKey, false, provider),
        ],
      },
      provider,
    );
    return certificate.toString('pem');
  };
  return {
    root: root.toString('pem'),
    constrained: await sign(() => true),
    unconstrained: await sign(({ type }) => type !== NAME_CONSTRAINTS),
  };
}

async function serve(key: string, cert: string): Promise<{ server: Server; port: number }> {
  const server = createServer({ key, cert }, (_request, response) => response.end('<title>opened</title>'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { server, port: (server.address() as AddressInfo).port };
}

test('refuses a foreign name and a public address that were signed with the stolen key, because of its constraints', async ({
  lan,
}) => {
  const authority = await stolenAuthority(lan);
  const siteRoot = (await rootOf(lan)).toString('pem');
  const servers: Server[] = [];
  const victim = await browserThatTrusts([siteRoot], [BANK, PUBLIC_ADDRESS]);
  let deceived: Awaited<ReturnType<typeof browserThatTrusts>> | undefined;
  try {
    for (const host of [BANK, PUBLIC_ADDRESS]) {
      const key = newPrivateKey();
      const [leaf = '', issuer = ''] = (await authority.issue(key, 'Bank', [host])).split(
        /(?<=-----END CERTIFICATE-----\n)/,
      );
      const twins = await twinsOf(new X509Certificate(issuer));
      deceived = await browserThatTrusts([twins.root], [BANK, PUBLIC_ADDRESS]);
      const open = async (browser: typeof victim, chain: string) => {
        const { server, port } = await serve(key, `${leaf}${chain}\n`);
        servers.push(server);
        const page = await browser.browser.newPage();
        return await page.goto(`https://${host}:${port}/`).then(
          () => page.title(),
          (error: Error) => /ERR_\w+/.exec(error.message)?.[0],
        );
      };
      // The same leaf each time: only what stands above it differs.
      expect([host, await open(victim, issuer)]).toEqual([host, 'ERR_CERT_INVALID']);
      expect([host, await open(deceived, twins.constrained)]).toEqual([host, 'ERR_CERT_INVALID']);
      expect([host, await open(deceived, twins.unconstrained)]).toEqual([host, 'opened']);
      await deceived.close();
    }
  } finally {
    await victim.close();
    for (const server of servers) {
      server.close();
      server.closeAllConnections();
    }
  }
});

test('lets the app install and open without the network', async ({ lan }) => {
  const phone = await browserThatTrusts([(await rootOf(lan)).toString('pem')]);
  const context = await phone.browser.newContext({ viewport: PHONE_SIZE });
  const page = await context.newPage();
  await page.goto(`${lan.lanUrl}/phone/`);
  await page.evaluate(async () => {
    const { active } = await navigator.serviceWorker.ready;
    if (active?.state !== 'activated')
      await new Promise((resolve) => active?.addEventListener('statechange', resolve, { once: true }));
  });
  const session = await context.newCDPSession(page);
  const { installabilityErrors } = await session.send('Page.getInstallabilityErrors');
  // A window of a test is private, which is the one reason that Chromium gives against installing.
  expect(installabilityErrors.filter(({ errorId }) => errorId !== 'in-incognito')).toEqual([]);

  await context.setOffline(true);
  await page.reload();
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  await expect(page.getByText('The connection to the clinic is trusted.')).toBeVisible();
  await phone.close();
});
