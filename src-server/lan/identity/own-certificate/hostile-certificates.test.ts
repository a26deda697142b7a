/** Certificates and files that no authority writes: they are refused in words, at once, and change nothing. */
import 'reflect-metadata';
import { execFileSync } from 'node:child_process';
import { generateKeyPairSync, type KeyObject, webcrypto } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  BasicConstraintsExtension,
  Extension,
  KeyUsageFlags,
  KeyUsagesExtension,
  SubjectAlternativeNameExtension,
  X509CertificateGenerator,
} from '@peculiar/x509';
import { Constructed, Integer, OctetString, Primitive, Sequence } from 'asn1js';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { SYSTEM } from '../../../db/index.ts';
import type { CertificateFiles } from './open.ts';
import { OwnCertificate } from './own-certificate.ts';
import { Effort, UnknownEncryption } from './password-encryption.ts';

const NAME = 'outpost.clinic.example';
const P256 = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;
const provider = webcrypto as Crypto;
const { subtle } = webcrypto;

const dir = mkdtempSync(join(tmpdir(), 'outpost-hostile-certificates-'));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

interface Party {
  name: string;
  keys: CryptoKeyPair;
  pem: string;
}

let root: Party;
beforeAll(async () => {
  const keys = (await subtle.generateKey(P256, true, ['sign', 'verify'])) as CryptoKeyPair;
  const made = await X509CertificateGenerator.createSelfSigned(
    {
      ...{ name: 'CN=root', keys, signingAlgorithm: P256 },
      ...{ notBefore: new Date('2020-01-01'), notAfter: new Date('2049-01-01') },
      extensions: [new BasicConstraintsExtension(true), new KeyUsagesExtension(KeyUsageFlags.keyCertSign)],
    },
    provider,
  );
  root = { name: 'root', keys, pem: made.toString('pem') };
});

/** A certificate below `by` with these names, as PEM and its key. */
async function issue(
  given: {
    names?: readonly string[];
    sanValue?: ArrayBuffer;
    by?: Party;
    subject?: string;
    ca?: boolean;
    keys?: CryptoKeyPair;
    notBefore?: string;
    notAfter?: string;
  } = {},
): Promise<Party & { files: CertificateFiles }> {
  const { by = root, subject = 'leaf', ca = false, names = [NAME] } = given;
  const keys = given.keys ?? ((await subtle.generateKey(P256, true, ['sign', 'verify'])) as CryptoKeyPair);
  const san =
    given.sanValue === undefined
      ? new SubjectAlternativeNameExtension(names.map((value) => ({ type: 'dns' as const, value })))
      : new Extension('2.5.29.17', false, given.sanValue);
  const made = await X509CertificateGenerator.create(
    {
      ...{
        subject: `CN=${subject}`,
        issuer: `CN=${by.name}`,
        publicKey: keys.publicKey,
        signingKey: by.keys.privateKey,
      },
      ...{ notBefore: new Date(given.notBefore ?? '2026-01-01'), notAfter: new Date(given.notAfter ?? '2027-06-01') },
      signingAlgorithm: P256,
      extensions: [new BasicConstraintsExtension(ca), ...(ca ? [] : [san])],
    },
    provider,
  );
  const pem = made.toString('pem');
  const pkcs8 = Buffer.from(await subtle.exportKey('pkcs8', keys.privateKey as webcrypto.CryptoKey)).toString('base64');
  const privateKey = `-----BEGIN PRIVATE KEY-----\n${pkcs8}\n-----END PRIVATE KEY-----\n`;
  return { name: subject, keys, pem, files: { certificate: `${pem}\n${root.pem}`, privateKey } };
}

let kept: string | undefined;
let now: number;
beforeEach(() => {
  kept = undefined;
  now = Date.UTC(2026, 10, 23);
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

async function refusal(files: CertificateFiles): Promise<string> {
  const own = await open();
  const code = await own.set(files, undefined, SYSTEM).then(
    () => 'none',
    (thrown: { code?: string; message?: string }) => {
      // A sentence, not the words of a library, and nothing that breaks a line.
      expect(thrown.message).toMatch(/^[A-Z][^\p{Cc}]{10,800}\.$/u);
      return String(thrown.code);
    },
  );
  expect([kept, own.state]).toEqual([undefined, undefined]);
  return code;
}

describe('names', () => {
  it.each([
    ['a NUL', 'bank.example\0.clinic.example'],
    ['letters of another script', '診療所.example'],
    ['a space', 'outpost clinic.example'],
    ['a line break', 'outpost\nclinic.example'],
    ['a wildcard alone', '*'],
    ['wildcards in a row', '*.*'],
    ['a wildcard inside', 'out*.clinic.example'],
    ['a wildcard after a name', 'outpost.*.example'],
    ['a final dot, which would pass as no .local name', 'clinic.local.'],
    ['an address', '192.168.1.5'],
    ['an address with a final dot', '192.168.1.5.'],
    ['an address as a URL may write it', '192.168.0x105'],
    ['an address as one number', '0.3232235781'],
    ['an mDNS name', 'clinic.local'],
    ['a name that is too long', `${'a'.repeat(60)}.`.repeat(5).concat('example')],
    ['nothing', ''],
  ])('are not served with %s', async (_what, name) => {
    const latin = /^[\p{ASCII}]*$/u.test(name);
    const bytes = Uint8Array.from(Buffer.from(name, latin ? 'latin1' : 'utf8'));
    const dns = new Primitive({ idBlock: { tagClass: 3, tagNumber: 2 }, valueHex: bytes.buffer });
    const { files } = await issue({ sanValue: new Sequence({ value: [dns] }).toBER() });
    expect(await refusal(files)).toBe('CERTIFICATE_NAMES');
  });

  it('are a hundred at most, and at least one', async () => {
    const many = Array.from({ length: 5000 }, (_, i) => `n${i}.clinic.example`);
    expect(await refusal((await issue({ names: many })).files)).toBe('CERTIFICATE_NAMES');
    expect(await refusal((await issue({ names: [] })).files)).toBe('CERTIFICATE_NAMES');
    const own = await open();
    await own.set((await issue({ names: many.slice(0, 100) })).files, undefined, SYSTEM);
    expect(own.state?.names).toHaveLength(100);
  });

  it('that cannot be read in the certificate make it refused', async () => {
    const broken = new OctetString({ valueHex: new Uint8Array(9).buffer }).toBER();
    expect(await refusal((await issue({ sanValue: broken })).files)).toMatch(/^CERTIFICATE_/);
  });
});

describe('keys', () => {
  const withOpenssl = (kind: string[]): CertificateFiles => {
    const openssl = (...parameters: string[]) => execFileSync('openssl', parameters, { cwd: dir, stdio: 'pipe' });
    openssl('genpkey', ...kind, '-out', 'x.key');
    writeFileSync(join(dir, 'x.cnf'), `subjectAltName=DNS:${NAME}\n`);
    openssl('req', '-new', '-key', 'x.key', '-out', 'x.csr', '-subj', '/CN=x');
    openssl(
      'req',
      '-x509',
      '-newkey',
      'ec',
      '-pkeyopt',
      'ec_paramgen_curve:P-256',
      '-nodes',
      '-keyout',
      'c.key',
      '-out',
      'c.pem',
      '-subj',
      '/CN=c',
    );
    openssl(
      'x509',
      '-req',
      '-in',
      'x.csr',
      '-CA',
      'c.pem',
      '-CAkey',
      'c.key',
      '-CAcreateserial',
      '-extfile',
      'x.cnf',
      '-days',
      '90',
      '-out',
      'x.pem',
    );
    const read = (name: string) => readFileSync(join(dir, name), 'utf8');
    now = Date.now() + 60_000;
    return { certificate: read('x.pem') + read('c.pem'), privateKey: read('x.key') };
  };

  it.each([
    ['Ed25519', ['-algorithm', 'ED25519']],
    ['Ed448', ['-algorithm', 'ED448']],
    ['P-521', ['-algorithm', 'EC', '-pkeyopt', 'ec_paramgen_curve:P-521']],
    ['secp256k1', ['-algorithm', 'EC', '-pkeyopt', 'ec_paramgen_curve:secp256k1']],
    ['RSA with 1024 bits', ['-algorithm', 'RSA', '-pkeyopt', 'rsa_keygen_bits:1024']],
    ['RSA-PSS', ['-algorithm', 'RSA-PSS', '-pkeyopt', 'rsa_keygen_bits:2048']],
  ])('of %s are refused, because browsers do', (_what, kind) =>
    expect(refusal(withOpenssl(kind))).resolves.toBe('CERTIFICATE_WEAK'),
  );

  it('of DSA are refused', async () => {
    execFileSync(
      'openssl',
      ['genpkey', '-genparam', '-algorithm', 'DSA', '-pkeyopt', 'dsa_paramgen_bits:1024', '-out', 'dsa.prm'],
      { cwd: dir, stdio: 'pipe' },
    );
    expect(await refusal(withOpenssl(['-paramfile', 'dsa.prm']))).toBe('CERTIFICATE_WEAK');
  });

  it('of RSA with more bits than a handshake can afford are refused', async () => {
    const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 5120 });
    const imported = async (key: KeyObject, type: 'spki' | 'pkcs8', uses: ('sign' | 'verify')[]) =>
      await subtle.importKey(
        type,
        key.export({ type, format: 'der' } as never) as never,
        { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' },
        true,
        uses,
      );
    const keys = {
      privateKey: await imported(privateKey, 'pkcs8', ['sign']),
      publicKey: await imported(publicKey, 'spki', ['verify']),
    } as CryptoKeyPair;
    expect(await refusal((await issue({ keys })).files)).toBe('CERTIFICATE_WEAK');
  });
});

describe('chains', () => {
  it('in a loop, and of many certificates with the same name, end in a refusal', async () => {
    const a = await issue({ subject: 'a', ca: true, by: { ...root, name: 'b' } });
    const b = await issue({ subject: 'b', ca: true, by: a });
    const again = await issue({ subject: 'a', ca: true, keys: a.keys, by: b });
    const leaf = await issue({ by: a });
    const loop = { ...leaf.files, certificate: [leaf, again, b, again, b].map(({ pem }) => pem).join('\n') };
    expect(await refusal(loop)).toBe('CERTIFICATE_CHAIN');
    let above = root;
    const long: string[] = [root.pem];
    for (let i = 0; i < 12; i += 1) {
      above = await issue({ subject: `level ${i}`, ca: true, by: above });
      long.push(above.pem);
    }
    const deep = await issue({ by: above });
    expect(await refusal({ ...deep.files, certificate: [deep.pem, ...long].join('\n') })).toBe('CERTIFICATE_CHAIN');
    const twin = await issue({ subject: 'root', ca: true });
    const many = [leaf.pem, ...Array(10_000).fill(twin.pem)].join('\n');
    expect(await refusal({ ...leaf.files, certificate: many })).toBe('CERTIFICATE_UNREADABLE');
  });
});

describe('dates', () => {
  it('reach from 1950 to 9999, and are compared as such', async () => {
    expect(await refusal((await issue({ notBefore: '1950-01-01', notAfter: '1951-01-01' })).files)).toBe(
      'CERTIFICATE_EXPIRED',
    );
    const own = await open();
    const eternal = await issue({ notBefore: '1950-01-01', notAfter: '9999-12-31T23:59:59Z' });
    await own.set(eternal.files, undefined, SYSTEM);
    expect(own.state?.notAfterTs).toBe(Date.parse('9999-12-31T23:59:59Z'));
    expect(own.state?.warnings.map(({ code }) => code)).toEqual(['CERTIFICATE_TOO_LONG']);
  });

  it('still hold when the clock goes back behind the first of them', async () => {
    const own = await open();
    await own.set((await issue()).files, undefined, SYSTEM);
    now = Date.UTC(2025, 0, 1);
    const again = await open();
    expect(again.state).toEqual(own.state);
    expect(again.contextFor(NAME)).toBeDefined();
    await expect(again.set((await issue()).files, undefined, SYSTEM)).rejects.toMatchObject({
      ...{ code: 'CERTIFICATE_EXPIRED', message: expect.stringContaining('correct the clock') },
    });
  });
});

describe('PKCS#12 files', () => {
  const sequence = (...value: never[]) => new Sequence({ value });
  const oid = (text: string) => Buffer.from(text, 'hex');
  const raw = (hex: Buffer) =>
    new Primitive({ idBlock: { tagClass: 1, tagNumber: 6 }, valueHex: Uint8Array.from(hex).buffer });
  const explicit = (content: never) => new Constructed({ idBlock: { tagClass: 3, tagNumber: 0 }, value: [content] });
  const DATA = oid('2a864886f70d010701');
  const SHROUDED = oid('2a864886f70d010c0a0102');
  const RC2_40 = oid('2a864886f70d010c0106');

  /** A file whose bags each ask for so many rounds. */
  const fileOf = (bags: number, iterations: number): Buffer => {
    const octets = (bytes: Uint8Array) => new OctetString({ valueHex: Uint8Array.from(bytes).buffer });
    const algorithm = sequence(
      raw(RC2_40) as never,
      sequence(octets(new Uint8Array(8)) as never, new Integer({ value: iterations }) as never) as never,
    );
    const bag = sequence(
      raw(SHROUDED) as never,
      explicit(sequence(algorithm as never, octets(new Uint8Array(16)) as never) as never) as never,
    );
    const contents = sequence(...(Array(bags).fill(bag) as never[])).toBER();
    const safe = sequence(raw(DATA) as never, explicit(octets(new Uint8Array(contents)) as never) as never);
    const safes = sequence(safe as never).toBER();
    const info = sequence(raw(DATA) as never, explicit(octets(new Uint8Array(safes)) as never) as never);
    return Buffer.from(sequence(new Integer({ value: 3 }) as never, info as never).toBER());
  };

  it('with thousands of bags, or a bag that asks for years of rounds, are refused at once', async () => {
    expect(await refusal({ pkcs12: fileOf(3000, 1000), password: 'a' })).toBe('CERTIFICATE_UNREADABLE');
    expect(await refusal({ pkcs12: fileOf(1, 2_000_000_000), password: 'a' })).toBe('CERTIFICATE_UNREADABLE');
    expect(await refusal({ pkcs12: fileOf(1, 1000), password: 'a' })).toBe('CERTIFICATE_PASSWORD');
  });

  it('may spend four million rounds in all their parts together', () => {
    const effort = new Effort();
    for (let part = 0; part < 4; part += 1) effort.spend(1_000_000);
    expect(() => effort.spend(1)).toThrow(UnknownEncryption);
  });

  it('nested a hundred thousand levels deep are refused in words', async () => {
    for (const level of [Buffer.from('3080', 'hex'), Buffer.from('2480', 'hex'), Buffer.from('a080', 'hex')]) {
      expect(await refusal({ pkcs12: Buffer.concat(Array(100_000).fill(level)), password: 'a' })).toBe(
        'CERTIFICATE_UNREADABLE',
      );
    }
  });
});

describe('changes', () => {
  it('leave the old certificate in use and stored when the disk is full', async () => {
    const full = { ...keeper };
    const own = await OwnCertificate.open(full, () => now);
    await own.set((await issue()).files, undefined, SYSTEM);
    const [before, storedBefore] = [own.state, kept];
    full.write = full.remove = async () => {
      throw Object.assign(new Error('database or disk is full'), { code: 'SQLITE_FULL' });
    };
    await expect(own.set((await issue({ names: ['b.example'] })).files, undefined, SYSTEM)).rejects.toThrow(/full/);
    await expect(own.remove(SYSTEM)).rejects.toThrow(/full/);
    expect([own.state, kept]).toEqual([before, storedBefore]);
    expect([own.contextFor(NAME), own.contextFor('b.example')]).toEqual([expect.anything(), undefined]);
  });

  it('at the same time end with the stored one in use, whichever write takes longer', async () => {
    const parties = await Promise.all(['a.example', 'b.example', 'c.example'].map((name) => issue({ names: [name] })));
    let delayMs = 30;
    const slow = {
      ...keeper,
      write: async (text: string) => {
        delayMs -= 10;
        await new Promise((resolve) => setTimeout(resolve, delayMs));
        kept = text;
      },
      remove: async () => {
        await new Promise((resolve) => setTimeout(resolve, 5));
        kept = undefined;
      },
    };
    const own = await OwnCertificate.open(slow, () => now);
    const sets = parties.map(({ files }) => own.set(files, undefined, SYSTEM));
    await Promise.all([...sets, own.remove(SYSTEM)]);
    const stored = kept === undefined ? [] : (JSON.parse(kept) as { names: string[] }).names;
    expect(own.state?.names ?? []).toEqual(stored);
    const again = await OwnCertificate.open(slow, () => now);
    for (const name of ['a.example', 'b.example', 'c.example']) {
      expect(own.contextFor(name) !== undefined).toBe(again.contextFor(name) !== undefined);
    }
  });
});
