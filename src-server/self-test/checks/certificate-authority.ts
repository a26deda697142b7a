/** Certificates that browsers see: what the authority of a site signs, and the files in which a clinic brings its own. */
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { expectSame, expectThat } from '../check.ts';
import { PKCS12, SITE_KEY } from '../made-under-openssl.ts';

const NAME = 'self-test.local';

export async function checkAuthority(): Promise<void> {
  const { X509Certificate } = await import('node:crypto');
  const { SiteAuthority } = await import('../../lan/identity/authority.ts');
  const { readCertificate } = await import('../../lan/identity/certificate.ts');
  const { signIssuedCertificate } = await import('../../lan/identity/sign-certificate.ts');
  let stored: string | undefined;
  const keeper = {
    read: async () => stored,
    write: async (text: string) => {
      stored = text;
    },
  };
  const options = { keeper, siteName: 'Self-test', siteHostName: NAME, clock: Date.now };
  await SiteAuthority.open(options);
  const authority = await SiteAuthority.open(options);
  expectSame('the state of a new authority that was read again', authority.state.state, 'READY');
  const chain = await authority.issue(SITE_KEY.privateKeyPem, 'Self-test', SITE_KEY.hosts);
  const [leaf, issuer] = chain.split(/(?<=-----END CERTIFICATE-----\n)/).map((pem) => new X509Certificate(pem));
  const root = new X509Certificate(authority.root ?? '');
  expectThat(leaf !== undefined && issuer !== undefined, 'the authority issued no chain of two certificates');
  expectThat(
    leaf.checkIssued(issuer) && leaf.verify(issuer.publicKey),
    'the certificate is not accepted as signed by its issuer',
  );
  expectThat(
    issuer.checkIssued(root) && issuer.verify(root.publicKey),
    'the issuer is not accepted as signed by its root',
  );
  expectThat(
    root.verify(root.publicKey) && root.ca && issuer.ca && !leaf.ca,
    'root, issuer and certificate change roles',
  );
  expectSame('the pin in a signed certificate', readCertificate(chain).fingerprint, SITE_KEY.fingerprint);
  expectSame('the addresses in a signed certificate', readCertificate(chain).hosts, SITE_KEY.hosts);
  const served = { key: SITE_KEY.privateKeyPem, ca: root.toString() };
  expectSame(
    'the verdict of a TLS client about the chain',
    await verdict({ ...served, cert: chain, name: NAME }),
    'trusted',
  );
  const foreign = await signIssuedCertificate({
    ...{ certifiedKeyPem: SITE_KEY.privateKeyPem, commonName: 'bank', hosts: ['bank.example'], nowMs: Date.now() },
    ...{ issuer: issuerOf(stored), lifetimeMs: 60_000 },
  });
  const stolen = await verdict({ ...served, cert: `${foreign}\n${issuer}`, name: 'bank.example' });
  expectThat(stolen !== 'trusted', 'a certificate for a name that the constraints exclude is trusted');
}

/** The key that signs, as the site stores it. */
function issuerOf(stored: string | undefined): { certificate: string; privateKey: string } {
  return (JSON.parse(stored ?? '') as { issuer: { certificate: string; privateKey: string } }).issuer;
}

/** `trusted`, or the code of the error with which a client refuses the chain of a server. */
async function verdict(given: { key: string; cert: string; ca: string; name: string }): Promise<string> {
  const { connect, createServer } = await import('node:tls');
  const server = createServer({ key: given.key, cert: given.cert, minVersion: 'TLSv1.2' }, (socket) => socket.end());
  server.on('tlsClientError', () => undefined);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  try {
    return await new Promise((resolve) => {
      const socket = connect({ host: '127.0.0.1', port, ca: given.ca, servername: given.name }, () => {
        resolve('trusted');
        socket.destroy();
      });
      socket.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    });
  } finally {
    server.close();
  }
}

export async function checkCertificateFiles(): Promise<void> {
  const { openCertificate } = await import('../../lan/identity/own-certificate/open.ts');
  const { checkCertificate } = await import('../../lan/identity/own-certificate/check.ts');
  const { fingerprintOfKey, readCertificate } = await import('../../lan/identity/certificate.ts');
  const { password } = PKCS12;
  for (const way of ['aes', 'legacy'] as const) {
    const pkcs12 = Buffer.from(PKCS12[way], 'base64');
    const { certificates, keys } = await openCertificate({ pkcs12, password });
    const [certificate, key] = [certificates[0], keys[0]];
    expectThat(
      certificate !== undefined && key !== undefined,
      `the PKCS#12 file (${way}) lacks a certificate or its key`,
    );
    expectSame(`the pin in PKCS#12 (${way})`, readCertificate(certificate.toString()).fingerprint, PKCS12.fingerprint);
    const pem = key.export({ type: 'pkcs8', format: 'pem' }) as string;
    expectSame(`the pin of the key in PKCS#12 (${way})`, fingerprintOfKey(pem), PKCS12.fingerprint);
    const refused = await openCertificate({ pkcs12, password: `${password}x` }).catch(codeOf);
    expectSame(`a wrong password of PKCS#12 (${way})`, refused, 'CERTIFICATE_PASSWORD');
  }
  const { issued, key } = await issuedByNobody();
  let code: unknown;
  try {
    checkCertificate(await openCertificate({ certificate: issued, privateKey: key }), Date.now());
  } catch (thrown) {
    code = codeOf(thrown);
  }
  // Compares with the roots of the program and of the system.
  expectSame('the refusal of a chain without its root', code, 'CERTIFICATE_CHAIN');
}

async function issuedByNobody(): Promise<{ issued: string; key: string }> {
  const { signAuthority, signIssuedCertificate } = await import('../../lan/identity/sign-certificate.ts');
  const nowMs = Date.now();
  const { issuer } = await signAuthority({
    ...{ name: 'Nobody', siteHostName: NAME, notBeforeMs: nowMs - 60_000, notAfterMs: nowMs + 60_000 },
  });
  const key = SITE_KEY.privateKeyPem;
  const about = { certifiedKeyPem: key, commonName: NAME, hosts: [NAME], nowMs, lifetimeMs: 60_000 };
  return { issued: await signIssuedCertificate({ ...about, issuer }), key };
}

const codeOf = (thrown: unknown): unknown => (thrown as { code?: unknown }).code;
