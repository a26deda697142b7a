import { execFileSync, spawnSync } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { DAY_MS } from '../../durations.ts';
import { SiteAuthority } from './authority.ts';
import { fingerprintOfKey, makeCertificate, newPrivateKey, readCertificate } from './certificate.ts';
import { LanIdentity } from './site-identity.ts';

const SITE_HOST = 'clinic-north.local';
const HOSTS = ['192.168.1.5', '127.0.0.1', SITE_HOST, 'localhost'];

const dir = mkdtempSync(join(tmpdir(), 'outpost-authority-'));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

let kept: { identity?: string; authority?: string };
let now: number;
beforeEach(() => {
  kept = {};
  now = Date.now();
});
const keeper = (name: keyof typeof kept) => ({
  read: async () => kept[name],
  write: async (text: string) => {
    kept[name] = text;
  },
  remove: async () => {
    kept[name] = undefined;
  },
});
const openAuthority = () =>
  SiteAuthority.open({
    keeper: keeper('authority'),
    siteName: 'Clinic North',
    siteHostName: SITE_HOST,
    clock: () => now,
  });
const openIdentity = async (hosts = HOSTS) =>
  LanIdentity.open(
    { keeper: keeper('identity'), authority: await openAuthority(), commonName: 'Clinic North', clock: () => now },
    hosts,
  );

const hasNss = ['certutil', 'vfychain'].every((program) => spawnSync(program, ['-H']).error === undefined);
if (!hasNss) process.stderr.write('certutil and vfychain (libnss3-tools) are missing: NSS is not tested.\n');

const certificatesOf = (pem: string) => pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];

/** What `openssl verify` says of a chain: OK, or its error. */
function opensslVerify(root: string, chain: string, ...more: string[]): string {
  const [leaf = '', issuer = ''] = certificatesOf(chain);
  const paths = Object.entries({ root, leaf, issuer }).map(([name, text]) => {
    const path = join(dir, `${name}.pem`);
    writeFileSync(path, `${text}\n`);
    return path;
  });
  const [rootPath = '', leafPath = '', issuerPath = ''] = paths;
  const time = ['-attime', String(Math.floor(now / 1000))];
  const trust = [...time, '-no-CAfile', '-no-CApath', '-CAfile', rootPath, '-untrusted', issuerPath];
  try {
    return execFileSync('openssl', ['verify', '-x509_strict', '-purpose', 'sslserver', ...trust, ...more, leafPath], {
      encoding: 'utf8',
      stdio: 'pipe',
    });
  } catch (thrown) {
    return String((thrown as { stderr?: unknown }).stderr);
  }
}

describe('the authority of a site', () => {
  // A site with one of these names must still start, and people compare the name with the one that their phone shows.
  it.each([
    ['#1 Clinic', '#1 Clinic'],
    ['#313233', '#313233'],
    ['Smith, Jones & <Partners> "+;="', 'Smith, Jones & <Partners> "+;="'],
    ['Back\\slash', 'Back\\slash'],
    [`${'x'.repeat(39)}\u{1F600} clinic`, `${'x'.repeat(39)}\u{1F600}`],
    ['Two\nlines\u0001\u202e', 'Two lines'],
    ['\u200b', 'Outpost'],
  ])('is named after a site called %j', async (siteName, expected) => {
    const open = () =>
      SiteAuthority.open({ keeper: keeper('authority'), siteName, siteHostName: SITE_HOST, clock: () => now });
    const { state } = await open();
    const name = state.state === 'UNREADABLE' ? '' : state.name;
    expect(name.slice(0, -5)).toBe(expected);
    expect((await open()).state).toEqual(state);
    const authority = await open();
    const privateKeyPem = newPrivateKey();
    expect(authority.hasSigned(await authority.issue(privateKeyPem, siteName, HOSTS))).toBe(true);
    const selfSigned = await makeCertificate({ privateKeyPem, commonName: siteName, hosts: HOSTS, nowMs: now });
    expect(readCertificate(selfSigned).hosts).toEqual(HOSTS);
  });

  it('signs a chain over the key of the site that OpenSSL accepts for each of its hosts', async () => {
    const identity = await openIdentity();
    const { root } = JSON.parse(kept.authority!) as { root: string };
    const { cert, key } = identity.credentials;
    expect(certificatesOf(cert)).toHaveLength(2);
    expect(readCertificate(cert)).toMatchObject({ hosts: HOSTS, fingerprint: fingerprintOfKey(key) });
    expect(identity.pins).toEqual({ fingerprint: fingerprintOfKey(key) });
    for (const host of HOSTS) {
      const check = /^\d/.test(host) ? '-verify_ip' : '-verify_hostname';
      expect([host, opensslVerify(root, cert, check, host)]).toEqual([host, expect.stringMatching(/: OK\n$/)]);
    }
    expect(opensslVerify(root, cert, '-verify_ip', '192.168.1.6')).toContain('IP address mismatch');
  });

  it('has a root and an issuer with critical constraints, and keeps only the key of the issuer', async () => {
    await openAuthority();
    const file = JSON.parse(kept.authority!) as { root: string; issuer: { certificate: string; privateKey: string } };
    for (const pem of [file.root, file.issuer.certificate]) {
      const text = execFileSync('openssl', ['x509', '-noout', '-text'], { input: pem, encoding: 'utf8' });
      expect(text).toContain('X509v3 Name Constraints: critical');
      const names =
        text
          .match(/Permitted:[\s\S]*?(?=\n {12}X509v3)/)?.[0]
          .split(/\s*\n\s*/)
          .slice(1) ?? [];
      expect(names).toEqual([
        'DNS:clinic-north.local',
        'DNS:localhost',
        'IP:10.0.0.0/255.0.0.0',
        'IP:172.16.0.0/255.240.0.0',
        'IP:192.168.0.0/255.255.0.0',
        'IP:127.0.0.0/255.0.0.0',
        'IP:169.254.0.0/255.255.0.0',
        'IP:FC00:0:0:0:0:0:0:0/FE00:0:0:0:0:0:0:0',
        'IP:FE80:0:0:0:0:0:0:0/FFC0:0:0:0:0:0:0:0',
        'email:outpost.invalid',
        'URI:outpost.invalid',
      ]);
      expect(text).toMatch(
        pem === file.root ? /CA:TRUE, pathlen:1/ : /CA:TRUE, pathlen:0[\s\S]*TLS Web Server Authentication/,
      );
    }
    const rootKey = new X509Certificate(file.root).publicKey.export({ type: 'spki', format: 'der' });
    const kinds = kept.authority!.match(/PRIVATE KEY-----/g) ?? [];
    expect([kinds.length, fingerprintOfKey(file.issuer.privateKey)]).toEqual([
      2,
      expect.not.stringMatching(readCertificate(file.root).fingerprint),
    ]);
    expect(rootKey.length).toBeGreaterThan(0);
  });

  it('cannot certify a foreign name or a public address', async () => {
    const authority = await openAuthority();
    const { root } = JSON.parse(kept.authority!) as { root: string };
    for (const host of ['bank.example', 'clinic-north.local.bank.example', '203.0.113.9', '2001:db8::1']) {
      const stolen = await authority.issue(newPrivateKey(), 'Thief', [host]);
      expect([host, opensslVerify(root, stolen)]).toEqual([
        host,
        expect.stringContaining('permitted subtree violation'),
      ]);
    }
    const fine = await authority.issue(newPrivateKey(), 'Site', ['fd12::1', '169.254.3.4', `a.${SITE_HOST}`]);
    expect(opensslVerify(root, fine)).toMatch(/: OK\n$/);
  });

  it.runIf(hasNss)('binds NSS, the verifier of Firefox, in the same way', async () => {
    const authority = await openAuthority();
    const database = `sql:${mkdtempSync(join(dir, 'nss-'))}`;
    const rootPath = join(dir, 'nss-root.pem');
    writeFileSync(rootPath, authority.root!);
    execFileSync('certutil', ['-N', '--empty-password', '-d', database]);
    execFileSync('certutil', ['-A', '-n', 'root', '-t', 'C,,', '-i', rootPath, '-d', database]);
    for (const [host, status] of [
      [SITE_HOST, 0],
      ['192.168.9.9', 0],
      ['bank.example', 1],
      ['203.0.113.9', 1],
    ] as const) {
      const paths = certificatesOf(await authority.issue(newPrivateKey(), 'x', [host])).map((pem, index) => {
        writeFileSync(join(dir, `nss-${index}.pem`), `${pem}\n`);
        return join(dir, `nss-${index}.pem`);
      });
      // `-pp`: libpkix, as Firefox used it; usage 1: TLS servers.
      for (const verifier of [[], ['-pp']]) {
        const verdict = spawnSync('vfychain', [...verifier, '-d', database, '-u', '1', '-a', ...paths]);
        expect([host, verifier, verdict.status]).toEqual([host, verifier, status]);
      }
    }
  });

  it('is made once, is the same after a restart, and is valid whatever the clock said', async () => {
    now = Date.UTC(2041, 0, 1);
    await openAuthority();
    const made = kept.authority;
    const root = new X509Certificate((JSON.parse(made!) as { root: string }).root);
    expect(Date.parse(root.validFrom)).toBe(Date.UTC(2025, 0, 1));
    now = 0;
    expect((await openAuthority()).root?.trim()).toBe(root.toString().trim());
    expect(kept.authority).toBe(made);
    kept = {};
    const early = new X509Certificate((await openAuthority()).root!);
    expect(Date.parse(early.validTo)).toBeGreaterThan(Date.UTC(2035, 0, 1));
  });

  it('that cannot be read is never replaced automatically: devices get a self-signed certificate over the same key', async () => {
    const { pins } = await openIdentity();
    const whole = kept.authority!;
    for (const text of ['', '{}', whole.slice(0, 300)]) {
      kept.authority = text;
      const identity = await openIdentity();
      expect(identity.pins).toEqual(pins);
      expect(certificatesOf(identity.credentials.cert)).toHaveLength(1);
      expect(kept.authority).toBe(text);
    }
    kept.authority = whole;
    expect(certificatesOf((await openIdentity()).credentials.cert)).toHaveLength(2);
  });
});

describe('the certificate over the key of a site', () => {
  it('of an earlier version is replaced on opening, the pin unchanged', async () => {
    const privateKey = newPrivateKey();
    const certificate = await makeCertificate({ privateKeyPem: privateKey, commonName: 'x', hosts: HOSTS, nowMs: now });
    const previous = { fingerprint: 'a'.repeat(64), untilTs: now + DAY_MS };
    kept.identity = JSON.stringify({ format: 1, privateKey, certificate, previous });
    const identity = await openIdentity();
    expect(identity.pins).toEqual({ fingerprint: fingerprintOfKey(privateKey), previous });
    expect(identity.credentials.key).toBe(privateKey);
    expect(opensslVerify((await openAuthority()).root!, identity.credentials.cert)).toMatch(/: OK\n$/);
  });

  it('leaves out hosts that the authority may not certify, and comes back to them self-signed when there is no other', async () => {
    const identity = await openIdentity([...HOSTS, '203.0.113.9', '2001:db8::5']);
    expect(readCertificate(identity.credentials.cert).hosts).toEqual(HOSTS);
    expect(await identity.refresh([...HOSTS, '203.0.113.9', '2001:db8::5'])).toBe(false);
    expect(await identity.refresh(['203.0.113.9'])).toBe(true);
    expect(certificatesOf(identity.credentials.cert)).toHaveLength(1);
    expect(readCertificate(identity.credentials.cert).hosts).toEqual(['203.0.113.9']);
  });

  it('lives for 30 days, and is renewed with ten left, after the clock was ahead, and under another authority', async () => {
    const identity = await openIdentity();
    const { fingerprint } = identity.pins;
    const validity = () => readCertificate(identity.credentials.cert);
    expect(validity().notAfterMs - validity().notBeforeMs).toBeLessThanOrEqual(31 * DAY_MS);
    now += 19 * DAY_MS;
    expect(await identity.refresh(HOSTS)).toBe(false);
    now += 2 * DAY_MS;
    expect(await identity.refresh(HOSTS)).toBe(true);
    now -= 100 * DAY_MS;
    expect(await identity.refresh(HOSTS)).toBe(true);
    expect(validity().notBeforeMs).toBeLessThan(now);
    expect(await identity.refresh(HOSTS)).toBe(false);

    const old = kept.authority;
    kept.authority = undefined;
    await openAuthority();
    expect(kept.authority).not.toBe(old);
    const moved = await openIdentity();
    expect(opensslVerify((await openAuthority()).root!, moved.credentials.cert)).toMatch(/: OK\n$/);
    expect(moved.pins.fingerprint).toBe(fingerprint);
  });

  it('ends with its authority, after which it is self-signed', async () => {
    const identity = await openIdentity();
    const { notAfterMs } = await openAuthority();
    now = notAfterMs - 5 * DAY_MS;
    expect(await identity.refresh(HOSTS)).toBe(true);
    expect(readCertificate(identity.credentials.cert).notAfterMs).toBe(notAfterMs);
    expect(await identity.refresh(HOSTS)).toBe(false);
    now = notAfterMs + DAY_MS;
    expect(await identity.refresh(HOSTS)).toBe(true);
    expect(certificatesOf(identity.credentials.cert)).toHaveLength(1);
  });
});
