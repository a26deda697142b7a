/**
 * Certificates of the site. Devices pin the public key, not the certificate: SHA-256 over its SubjectPublicKeyInfo
 * (RFC 7469, 2.4), so that a new certificate for new addresses needs no new pairing.
 */
import 'reflect-metadata';
import { createPrivateKey, createPublicKey, generateKeyPairSync, webcrypto } from 'node:crypto';
import { isIP } from 'node:net';
import {
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  KeyUsageFlags,
  KeyUsagesExtension,
  SubjectAlternativeNameExtension,
  X509Certificate,
  X509CertificateGenerator,
} from '@peculiar/x509';
import { DAY_MS } from '../../durations.ts';
import { sha256Hex } from '../../files/content-hash.ts';

/** Browsers refuse certificates that are valid for longer than 398 days. */
const LIFETIME_MS = 397 * DAY_MS;
/** Backdated, so that computers with a slow clock accept the certificate. */
const BACKDATED_MS = DAY_MS;
const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;

/** A new private key (P-256) as PKCS#8 PEM. */
export function newPrivateKey(): string {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return privateKey.export({ type: 'pkcs8', format: 'pem' }) as string;
}

/** The pin: lower-case hex of SHA-256 over the SubjectPublicKeyInfo in DER. */
export function fingerprintOfSpki(spki: Uint8Array): string {
  return sha256Hex(spki);
}

/** The pin of a private key's public half. */
export function fingerprintOfKey(privateKeyPem: string): string {
  return fingerprintOfSpki(createPublicKey(privateKeyPem).export({ type: 'spki', format: 'der' }));
}

/** A self-signed certificate over `hosts` (addresses and names) as PEM. */
export async function makeCertificate(input: {
  privateKeyPem: string;
  commonName: string;
  hosts: readonly string[];
  nowMs: number;
}): Promise<string> {
  const { subtle } = webcrypto;
  const pkcs8 = createPrivateKey(input.privateKeyPem).export({ type: 'pkcs8', format: 'der' });
  const spki = createPublicKey(input.privateKeyPem).export({ type: 'spki', format: 'der' });
  // Node's key usages are newer than the library's types.
  const keys = {
    privateKey: await subtle.importKey('pkcs8', pkcs8, ALGORITHM, false, ['sign']),
    publicKey: await subtle.importKey('spki', spki, ALGORITHM, true, ['verify']),
  } as CryptoKeyPair;
  const certificate = await X509CertificateGenerator.createSelfSigned(
    {
      name: [{ CN: [input.commonName] }],
      notBefore: new Date(input.nowMs - BACKDATED_MS),
      notAfter: new Date(input.nowMs + LIFETIME_MS),
      signingAlgorithm: ALGORITHM,
      keys,
      extensions: [
        new BasicConstraintsExtension(false, undefined, true),
        new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
        new ExtendedKeyUsageExtension([ExtendedKeyUsage.serverAuth]),
        new SubjectAlternativeNameExtension(
          input.hosts.map((host) => ({ type: isIP(host) ? ('ip' as const) : ('dns' as const), value: host })),
        ),
      ],
    },
    webcrypto as Crypto,
  );
  return certificate.toString('pem');
}

/** Returns the hosts, validity and pin of a certificate. */
export function readCertificate(pem: string): {
  hosts: string[];
  notBeforeMs: number;
  notAfterMs: number;
  fingerprint: string;
} {
  const certificate = new X509Certificate(pem);
  const names = certificate.getExtension(SubjectAlternativeNameExtension)?.names.items ?? [];
  return {
    hosts: names.map(({ value }) => value),
    notBeforeMs: certificate.notBefore.getTime(),
    notAfterMs: certificate.notAfter.getTime(),
    fingerprint: fingerprintOfSpki(new Uint8Array(certificate.publicKey.rawData)),
  };
}
