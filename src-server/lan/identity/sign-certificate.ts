/** Signing certificates of the site, see `certificate.ts`. */
import 'reflect-metadata';
import { createPrivateKey, createPublicKey, webcrypto } from 'node:crypto';
import { isIP } from 'node:net';
import {
  AuthorityKeyIdentifierExtension,
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  Extension,
  type JsonNameParams,
  KeyUsageFlags,
  KeyUsagesExtension,
  Name,
  SubjectAlternativeNameExtension,
  SubjectKeyIdentifierExtension,
  X509Certificate,
  X509CertificateGenerator,
} from '@peculiar/x509';
import { DAY_MS } from '../../durations.ts';
import { commonName } from './common-name.ts';
import { nameConstraints } from './name-constraints.ts';

export interface CertificateInput {
  privateKeyPem: string;
  commonName: string;
  hosts: readonly string[];
  nowMs: number;
}

/** A certificate for `publicKeyOf`, signed by an authority. */
export interface IssuedCertificateInput extends Omit<CertificateInput, 'privateKeyPem'> {
  /** PEM of the private key whose public half is certified. */
  certifiedKeyPem: string;
  issuer: { certificate: string; privateKey: string };
  lifetimeMs: number;
}

export interface AuthorityInput {
  /** Named in the subject, for people who look for it among the certificates of a phone. */
  name: string;
  siteHostName: string;
  notBeforeMs: number;
  notAfterMs: number;
}

/** Browsers refuse certificates that are valid for longer than 398 days. */
const LIFETIME_MS = 397 * DAY_MS;
/** Backdated, so that computers with a slow clock accept the certificate. */
const BACKDATED_MS = DAY_MS;
const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;
const NAME_CONSTRAINTS = '2.5.29.30';

const { subtle } = webcrypto;
const provider = webcrypto as Crypto;

/** A self-signed certificate over `hosts` (addresses and names) as PEM. */
export async function signCertificate(input: CertificateInput): Promise<string> {
  const certificate = await X509CertificateGenerator.createSelfSigned(
    {
      name: nameOf(input.commonName),
      notBefore: new Date(input.nowMs - BACKDATED_MS),
      notAfter: new Date(input.nowMs + LIFETIME_MS),
      signingAlgorithm: ALGORITHM,
      keys: await importedKeys(input.privateKeyPem),
      extensions: serverExtensions(input.hosts),
    },
    provider,
  );
  return certificate.toString('pem');
}

/** A certificate over `hosts`, signed by `issuer`, as PEM without the issuer's. It never outlives the issuer's. */
export async function signIssuedCertificate(input: IssuedCertificateInput): Promise<string> {
  const { publicKey } = await importedKeys(input.certifiedKeyPem);
  const issuer = new X509Certificate(input.issuer.certificate);
  const { privateKey } = await importedKeys(input.issuer.privateKey);
  const certificate = await X509CertificateGenerator.create(
    {
      subject: nameOf(input.commonName),
      issuer: issuer.subjectName,
      notBefore: new Date(input.nowMs - BACKDATED_MS),
      notAfter: new Date(Math.min(input.nowMs + input.lifetimeMs, issuer.notAfter.getTime())),
      signingAlgorithm: ALGORITHM,
      publicKey,
      signingKey: privateKey,
      extensions: [
        ...serverExtensions(input.hosts),
        await SubjectKeyIdentifierExtension.create(publicKey, false, provider),
        await AuthorityKeyIdentifierExtension.create(issuer.publicKey, false, provider),
      ],
    },
    provider,
  );
  return certificate.toString('pem');
}

/**
 * A new authority: a root that phones trust, and the one certificate that the root ever signs, whose key signs the site's
 * certificates. Both carry the name constraints. The root's key cannot be exported and is gone when this function returns.
 */
export async function signAuthority(
  input: AuthorityInput,
): Promise<{ root: string; issuer: { certificate: string; privateKey: string } }> {
  const rootKeys = (await subtle.generateKey(ALGORITHM, false, ['sign', 'verify'])) as CryptoKeyPair;
  const issuerKeys = (await subtle.generateKey(ALGORITHM, true, ['sign', 'verify'])) as CryptoKeyPair;
  const validity = { notBefore: new Date(input.notBeforeMs), notAfter: new Date(input.notAfterMs) };
  const authorityExtensions = async (publicKey: CryptoKey, pathLength: number) => [
    new BasicConstraintsExtension(true, pathLength, true),
    new KeyUsagesExtension(KeyUsageFlags.keyCertSign, true),
    new Extension(NAME_CONSTRAINTS, true, nameConstraints(input.siteHostName)),
    await SubjectKeyIdentifierExtension.create(publicKey, false, provider),
  ];
  const subject = (what: string) => nameOf(`${input.name}${what}`, { O: ['Outpost'] });
  const root = await X509CertificateGenerator.createSelfSigned(
    {
      name: subject(''),
      ...validity,
      signingAlgorithm: ALGORITHM,
      keys: rootKeys,
      extensions: await authorityExtensions(rootKeys.publicKey, 1),
    },
    provider,
  );
  const issuer = await X509CertificateGenerator.create(
    {
      subject: subject(' issuer'),
      issuer: root.subjectName,
      ...validity,
      signingAlgorithm: ALGORITHM,
      publicKey: issuerKeys.publicKey,
      signingKey: rootKeys.privateKey,
      extensions: [
        ...(await authorityExtensions(issuerKeys.publicKey, 0)),
        // Binds what the key may sign: servers, neither mail nor programs.
        new ExtendedKeyUsageExtension([ExtendedKeyUsage.serverAuth]),
        await AuthorityKeyIdentifierExtension.create(root.publicKey, false, provider),
      ],
    },
    provider,
  );
  const pkcs8 = Buffer.from(await subtle.exportKey('pkcs8', issuerKeys.privateKey as webcrypto.CryptoKey));
  const privateKey = createPrivateKey({ key: pkcs8, format: 'der', type: 'pkcs8' });
  return {
    root: root.toString('pem'),
    issuer: {
      certificate: issuer.toString('pem'),
      privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
    },
  };
}

/** In this form the text is taken as it is: a plain one that begins with `#` would be read as hexadecimal, and backslashes be lost. */
const nameOf = (text: string, ...before: JsonNameParams): Name =>
  new Name([...before, { CN: [{ utf8String: commonName(text) }] }]);

function serverExtensions(hosts: readonly string[]): Extension[] {
  return [
    new BasicConstraintsExtension(false, undefined, true),
    new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
    new ExtendedKeyUsageExtension([ExtendedKeyUsage.serverAuth]),
    new SubjectAlternativeNameExtension(
      hosts.map((host) => ({ type: isIP(host) ? ('ip' as const) : ('dns' as const), value: host })),
    ),
  ];
}

async function importedKeys(privateKeyPem: string): Promise<CryptoKeyPair> {
  const pkcs8 = createPrivateKey(privateKeyPem).export({ type: 'pkcs8', format: 'der' });
  const spki = createPublicKey(privateKeyPem).export({ type: 'spki', format: 'der' });
  // Node's key usages are newer than the library's types.
  return {
    privateKey: await subtle.importKey('pkcs8', pkcs8, ALGORITHM, false, ['sign']),
    publicKey: await subtle.importKey('spki', spki, ALGORITHM, true, ['verify']),
  } as CryptoKeyPair;
}
