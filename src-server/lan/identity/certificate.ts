/**
 * Certificates of the site. Devices pin the public key, not the certificate: SHA-256 over its SubjectPublicKeyInfo
 * (RFC 7469, 2.4), so that a new certificate for new addresses needs no new pairing.
 */
import { createPublicKey, generateKeyPairSync, X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import { sha256Hex } from '../../files/content-hash.ts';
import { commonNameIn } from './common-name.ts';
import type { CertificateInput } from './sign-certificate.ts';

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
export async function makeCertificate(input: CertificateInput): Promise<string> {
  // Loaded here: its library has 200 modules, and a site needs a certificate once a year.
  const { signCertificate } = await import('./sign-certificate.ts');
  return await signCertificate(input);
}

/** `IP Address:127.0.0.1, DNS:site.local`; quoted as JSON where a name holds a comma. */
const ALTERNATIVE_NAME = /(?:DNS|IP Address):("(?:[^"\\]|\\.)*"|[^,]*)/g;

/** The names of a certificate, addresses in the form in which they are written. */
function hostsOf(certificate: X509Certificate): string[] {
  return [...(certificate.subjectAltName ?? '').matchAll(ALTERNATIVE_NAME)].map(([, text = '']) => {
    const name = text.startsWith('"') ? (JSON.parse(text) as string) : text;
    // Written out in full; a URL has the usual short form.
    return isIP(name) === 6 ? new URL(`http://[${name}]`).hostname.slice(1, -1) : name;
  });
}

/** What a certificate (the first of a PEM chain) says. */
export interface CertificateFacts {
  hosts: string[];
  /** Common name of its issuer. */
  issuer: string;
  notBeforeMs: number;
  notAfterMs: number;
  /** Pin of its key. */
  fingerprint: string;
  /** Lower-case hex of the SHA-256 of the certificate itself, as browsers and OpenSSL show it. */
  certificateFingerprint: string;
}

export function readCertificate(pem: string): CertificateFacts {
  const certificate = new X509Certificate(pem);
  return {
    hosts: hostsOf(certificate),
    issuer: commonNameIn(certificate.issuer) ?? certificate.issuer.replaceAll('\n', ', '),
    notBeforeMs: Date.parse(certificate.validFrom),
    notAfterMs: Date.parse(certificate.validTo),
    fingerprint: fingerprintOfSpki(certificate.publicKey.export({ type: 'spki', format: 'der' })),
    certificateFingerprint: sha256Hex(certificate.raw),
  };
}
