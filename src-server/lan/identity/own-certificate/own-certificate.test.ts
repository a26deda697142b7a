import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { SYSTEM } from '../../../db/index.ts';
import { DAY_MS } from '../../../durations.ts';
import { readCertificate } from '../certificate.ts';
import type { CertificateFiles } from './open.ts';
import { OwnCertificate } from './own-certificate.ts';

const dir = mkdtempSync(join(tmpdir(), 'outpost-own-certificate-'));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

const at = (name: string) => join(dir, name);
const pem = (name: string) => readFileSync(at(name), 'utf8');
const openssl = (...args: string[]) => execFileSync('openssl', args, { cwd: dir, stdio: 'pipe' });

const NAME = 'outpost.clinic.example';

/** Makes `name.key` and `name.pem` with the program that clinics use. */
function issue(
  name: string,
  by: string | undefined,
  {
    extensions = `subjectAltName=DNS:${NAME}\nextendedKeyUsage=serverAuth\nbasicConstraints=critical,CA:FALSE`,
    key = 'rsa:2048',
    digest = 'sha256',
    days = 90,
  }: { extensions?: string; key?: string; digest?: string; days?: number } = {},
): void {
  writeFileSync(at(`${name}.cnf`), `${extensions}\n`);
  const kind = key.startsWith('ec') ? ['ec', '-pkeyopt', `ec_paramgen_curve:${key.slice(3)}`] : [key];
  openssl(
    'req',
    '-new',
    '-newkey',
    ...kind,
    '-nodes',
    '-keyout',
    `${name}.key`,
    '-out',
    `${name}.csr`,
    '-subj',
    `/CN=${name}`,
  );
  const signer =
    by === undefined ? ['-signkey', `${name}.key`] : ['-CA', `${by}.pem`, '-CAkey', `${by}.key`, '-CAcreateserial'];
  openssl(
    'x509',
    '-req',
    '-in',
    `${name}.csr`,
    ...signer,
    '-days',
    String(days),
    `-${digest}`,
    '-extfile',
    `${name}.cnf`,
    '-out',
    `${name}.pem`,
  );
}

const CA = 'basicConstraints=critical,CA:TRUE\nkeyUsage=keyCertSign';

beforeAll(() => {
  issue('root', undefined, { extensions: CA, days: 3650 });
  issue('middle', 'root', { extensions: CA, key: 'ec:prime256v1', days: 3000 });
  issue('leaf', 'middle');
  issue('leaf-ec', 'middle', { key: 'ec:secp384r1' });
  writeFileSync(at('others.pem'), pem('root.pem') + pem('middle.pem'));
});

let kept: string | undefined;
let now: number;
beforeEach(() => {
  kept = undefined;
  // OpenSSL's certificates begin at this second.
  now = Date.now() + 60_000;
});
const keeper = {
  read: async () => kept,
  write: async (text: string) => {
    kept = text;
  },
  remove: async () => {
    kept = undefined;
  },
};
const open = () => OwnCertificate.open(keeper, () => now);
const chainOf = () => (JSON.parse(kept!) as { chain: string }).chain;
const files = (leaf: string, ...others: string[]): CertificateFiles => ({
  certificate: [leaf, ...others].map((name) => pem(`${name}.pem`)).join(''),
  privateKey: pem(`${leaf}.key`),
});

async function refusal(given: CertificateFiles, hostName?: string): Promise<{ code: string; message: string }> {
  const before = kept;
  const own = await open();
  const thrown = await own.set(given, hostName, SYSTEM).then(
    () => undefined,
    (error: { code: string; message: string }) => error,
  );
  expect(kept).toBe(before);
  return { code: String(thrown?.code), message: String(thrown?.message) };
}

describe('a certificate of the clinic', () => {
  it('is put in order, without its root and what does not belong to it, and survives a restart', async () => {
    const own = await open();
    issue('stranger', undefined, { extensions: CA });
    await own.set(
      { certificate: pem('root.pem') + pem('stranger.pem') + pem('middle.pem') + pem('leaf.pem') + pem('leaf.key') },
      undefined,
      SYSTEM,
    );
    expect(chainOf().match(/BEGIN CERTIFICATE/g)).toHaveLength(2);
    writeFileSync(at('served.pem'), chainOf());
    const verdict = openssl(
      'verify',
      '-CAfile',
      'root.pem',
      '-untrusted',
      'served.pem',
      '-verify_hostname',
      NAME,
      'served.pem',
    );
    expect(verdict.toString()).toBe('served.pem: OK\n');
    expect(own.state).toMatchObject({ hostName: NAME, names: [NAME], warnings: [] });
    const again = await open();
    expect(again.state).toEqual(own.state);
    expect([again.contextFor(NAME.toUpperCase()), again.contextFor('other.clinic.example')]).toEqual([
      expect.anything(),
      undefined,
    ]);
    await again.remove(SYSTEM);
    expect([kept, again.state, again.contextFor(NAME), again.hosts]).toEqual([undefined, undefined, undefined, []]);
  });

  it.each([
    ['of today, AES-256', []],
    ['of old, RC2 and 3DES', ['-legacy']],
    ['AES-128, SHA-512 in the MAC', ['-keypbe', 'AES-128-CBC', '-certpbe', 'AES-128-CBC', '-macalg', 'sha512']],
    ['3DES for both', ['-legacy', '-certpbe', 'PBE-SHA1-3DES', '-keypbe', 'PBE-SHA1-3DES']],
    ['RC2 with 128 bits, 3DES with two keys', ['-legacy', '-certpbe', 'PBE-SHA1-RC2-128', '-keypbe', 'PBE-SHA1-2DES']],
    ['without encryption of the certificates', ['-certpbe', 'NONE']],
  ])('is read from PKCS#12 %s, with RSA and EC keys', async (_what, how) => {
    for (const name of ['leaf', 'leaf-ec']) {
      for (const password of ['pässwörd 日本', '']) {
        openssl(
          'pkcs12',
          '-export',
          '-in',
          `${name}.pem`,
          '-inkey',
          `${name}.key`,
          '-certfile',
          'others.pem',
          ...how,
          '-passout',
          `pass:${password}`,
          '-out',
          'file.p12',
        );
        const pkcs12 = readFileSync(at('file.p12'));
        const own = await open();
        await own.set({ pkcs12, password }, undefined, SYSTEM);
        expect(readCertificate(chainOf()).fingerprint).toBe(readCertificate(pem(`${name}.pem`)).fingerprint);
        expect(chainOf().match(/BEGIN CERTIFICATE/g)).toHaveLength(2);
        expect((await refusal({ pkcs12, password: `${password}x` })).code).toBe('CERTIFICATE_PASSWORD');
      }
    }
  });

  it('is refused in words when the file is no PKCS#12 or is cut', async () => {
    openssl('pkcs12', '-export', '-in', 'leaf.pem', '-inkey', 'leaf.key', '-passout', 'pass:a', '-out', 'file.p12');
    const whole = readFileSync(at('file.p12'));
    for (const pkcs12 of [Buffer.from('text'), Buffer.alloc(0), whole.subarray(0, 500), readFileSync(at('leaf.pem'))]) {
      expect((await refusal({ pkcs12, password: 'a' })).code).toBe('CERTIFICATE_UNREADABLE');
    }
    openssl('pkcs12', '-export', '-in', 'leaf.pem', '-nokeys', '-passout', 'pass:a', '-out', 'bare.p12');
    expect((await refusal({ pkcs12: readFileSync(at('bare.p12')), password: 'a' })).code).toBe('CERTIFICATE_KEY');
  });

  it('needs its own key, which may be encrypted', async () => {
    const certificate = pem('leaf.pem') + pem('others.pem');
    expect((await refusal({ certificate })).code).toBe('CERTIFICATE_KEY');
    expect((await refusal({ certificate, privateKey: pem('leaf-ec.key') })).message).toContain(
      'belongs to another certificate',
    );
    openssl('pkcs8', '-topk8', '-in', 'leaf.key', '-v2', 'aes256', '-passout', 'pass:secret', '-out', 'new.enc');
    openssl('rsa', '-in', 'leaf.key', '-traditional', '-aes128', '-passout', 'pass:secret', '-out', 'old.enc');
    for (const name of ['new.enc', 'old.enc']) {
      expect((await refusal({ certificate, privateKey: pem(name) })).message).toContain('is encrypted');
      expect((await refusal({ certificate, privateKey: pem(name), password: 'x' })).code).toBe('CERTIFICATE_PASSWORD');
      const own = await open();
      await own.set({ certificate, privateKey: pem(name), password: 'secret' }, undefined, SYSTEM);
      expect(own.state?.hostName).toBe(NAME);
      await own.remove(SYSTEM);
    }
  });

  it('is refused at once when its key asks for years of rounds, or has a thousand blocks', async () => {
    const certificate = pem('leaf.pem') + pem('others.pem');
    const rounds = ['-v2', 'aes256', '-iter', '1000001', '-passout', 'pass:secret', '-out', 'slow.enc'];
    openssl('pkcs8', '-topk8', '-in', 'leaf.key', ...rounds);
    expect((await refusal({ certificate, privateKey: pem('slow.enc'), password: 'secret' })).message).toContain(
      'at most 1,000,000 rounds',
    );
    const privateKey = pem('leaf.key').repeat(60);
    expect((await refusal({ certificate, privateKey })).message).toContain('more than 50');
    // Each block without an end was searched for to the end of the text: seconds in which nothing else runs.
    const begins = '-----BEGIN PRIVATE KEY-----'.repeat(7000);
    const own = await open();
    await own.set({ certificate: certificate + begins, privateKey: begins + pem('leaf.key') }, undefined, SYSTEM);
    expect(own.state?.hostName).toBe(NAME);
    await own.remove(SYSTEM);
  });

  it('is never served for an address, whatever its wildcards cover', async () => {
    issue('wild', 'middle', { extensions: `subjectAltName=DNS:*.168.1.5,DNS:${NAME}\nextendedKeyUsage=serverAuth` });
    const own = await open();
    await own.set(files('wild', 'middle', 'root'), NAME, SYSTEM);
    expect([own.contextFor('192.168.1.5'), own.contextFor(NAME)]).toEqual([undefined, expect.anything()]);
    await own.remove(SYSTEM);
  });

  it('needs a whole chain: the missing authority is named', async () => {
    expect(await refusal(files('leaf'))).toEqual({
      code: 'CERTIFICATE_CHAIN',
      message: expect.stringContaining('"middle"'),
    });
    expect((await refusal(files('leaf', 'middle'))).message).toContain('"root"');
    issue('alone', undefined);
    expect((await refusal(files('alone'))).message).toContain('self-signed');
  });

  it('needs a name that phones can use; addresses and mDNS names stay with the site', async () => {
    const server = 'extendedKeyUsage=serverAuth';
    issue('addresses', 'middle', { extensions: `subjectAltName=IP:192.168.1.5,DNS:clinic.local\n${server}` });
    expect((await refusal(files('addresses', 'middle', 'root'))).message).toContain('192.168.1.5, clinic.local');
    issue('unnamed', 'middle', { extensions: server });
    expect((await refusal(files('unnamed', 'middle', 'root'))).code).toBe('CERTIFICATE_NAMES');
    issue('mixed', 'middle', { extensions: `subjectAltName=DNS:*.clinic.example,IP:10.0.0.1\n${server}` });
    const mixed = files('mixed', 'middle', 'root');
    expect((await refusal(mixed)).message).toContain('Enter the name');
    expect((await refusal(mixed, 'a.b.clinic.example')).code).toBe('CERTIFICATE_NAMES');
    const own = await open();
    await own.set(mixed, 'Outpost.Clinic.example', SYSTEM);
    expect(own.state).toMatchObject({
      hostName: NAME,
      warnings: [{ code: 'CERTIFICATE_OTHER_NAMES', facts: { names: '10.0.0.1' } }],
    });
    expect(own.hosts).toEqual([NAME]);
  });

  it('must be valid today, for servers, and strong', async () => {
    const given = files('leaf', 'middle', 'root');
    now = Date.now() + 91 * DAY_MS;
    expect((await refusal(given)).message).toMatch(/"leaf" ended on/);
    now = Date.now() - 2 * DAY_MS;
    expect((await refusal(given)).message).toMatch(/begins on/);
    now = Date.now() + 60_000;
    issue('mail', 'middle', { extensions: `subjectAltName=DNS:${NAME}\nextendedKeyUsage=emailProtection` });
    expect((await refusal(files('mail', 'middle', 'root'))).code).toBe('CERTIFICATE_PURPOSE');
    issue('authority', 'middle', { extensions: `subjectAltName=DNS:${NAME}\n${CA}` });
    expect((await refusal(files('authority', 'middle', 'root'))).code).toBe('CERTIFICATE_PURPOSE');
    issue('short', 'middle', { key: 'rsa:1024' });
    expect((await refusal(files('short', 'middle', 'root'))).message).toContain('rsa, 1024');
    issue('curve', 'middle', { key: 'ec:secp256k1' });
    expect((await refusal(files('curve', 'middle', 'root'))).code).toBe('CERTIFICATE_WEAK');
    issue('old', 'middle', { digest: 'sha1' });
    expect((await refusal(files('old', 'middle', 'root'))).message).toContain('SHA-1');
    issue('long', 'middle', { days: 900 });
    const own = await open();
    await own.set(files('long', 'middle', 'root'), undefined, SYSTEM);
    expect(own.state?.warnings.map(({ code }) => code)).toEqual(['CERTIFICATE_TOO_LONG']);
  });

  it('warns 30 days before its end and after it, and is still served', async () => {
    const own = await open();
    await own.set(files('leaf', 'middle', 'root'), undefined, SYSTEM);
    const { notAfterTs } = own.state!;
    const codes = () => own.state?.warnings.map(({ code }) => code);
    now = notAfterTs - 30 * DAY_MS;
    expect(codes()).toEqual([]);
    now += 1;
    expect(codes()).toEqual(['CERTIFICATE_ENDS_SOON']);
    now = notAfterTs;
    expect(codes()).toEqual(['CERTIFICATE_ENDED']);
    expect(own.contextFor(NAME)).toBeDefined();
  });
});
