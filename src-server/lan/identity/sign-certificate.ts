/** Signing certificates of the site, see `certificate.ts`. */
import 'reflect-metadata';
import { createPrivateKey, createPublicKey, webcrypto } from 'node:crypto';
import { isIP } from 'node:net';
import {
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  KeyUsageFlags,
  KeyUsagesExtension,
  SubjectAlternativeNameExtension,
  X509CertificateGenerator,
} from '@peculiar/x509';
import { DAY_MS } from '../../durations.ts';

export interface CertificateInput {
  privateKeyPem: string;
  commonName: string;
  hosts: readonly string[];
  nowMs: number;
}

/** Browsers refuse certificates that are valid for longer than 398 days. */
const LIFETIME_MS = 397 * DAY_MS;
/** Backdated, so that computers with a slow clock accept the certificate. */
const BACKDATED_MS = DAY_MS;
const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;

/** A self-signed certificate over `hosts` (addresses and names) as PEM. */
export async function signCertificate(input: CertificateInput): Promise<string> {
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
