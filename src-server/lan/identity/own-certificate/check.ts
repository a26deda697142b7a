/**
 * Whether a certificate of the clinic can serve the site's page to browsers: key, chain, names, dates, purpose, strength. Errors refuse
 * it; warnings are shown.
 */
import 'reflect-metadata';
import { type KeyObject, X509Certificate } from 'node:crypto';
import { getCACertificates, rootCertificates } from 'node:tls';
import { X509Certificate as ParsedCertificate } from '@peculiar/x509';
import { type Diagnostic, diagnostic } from '../../../diagnostics.ts';
import { DAY_MS } from '../../../durations.ts';
import { type ErrorCodeName, OutpostError } from '../../../errors.ts';
import { commonNameIn } from '../common-name.ts';
import { isServed } from './names.ts';
import type { OpenedCertificate } from './opened-certificate.ts';

/** Apple's systems refuse longer ones from every authority. */
const APPLE_LIFETIME_MS = 825 * DAY_MS;
const LEAST_RSA_BITS = 2048;
/** Each handshake signs with the key while nothing else runs: 5 ms with 4096 bits, some 300 ms with 16384. */
const MOST_LEAF_RSA_BITS = 4096;
const CURVES: ReadonlySet<string> = new Set(['prime256v1', 'secp384r1', 'secp521r1']);
/** Browsers verify authorities with P-521, but offer no handshake with it. */
const LEAF_CURVES: ReadonlySet<string> = new Set(['prime256v1', 'secp384r1']);
/** Public authorities allow as many; each handshake compares them all. */
const MOST_NAMES = 100;
/** From the server's certificate to the root. */
const LONGEST_CHAIN = 10;
const MOST_SHOWN = 300;
const SERVER_AUTH = '1.3.6.1.5.5.7.3.1';
const EXTENDED_KEY_USAGE = '2.5.29.37';
const ANY_PURPOSE = '2.5.29.37.0';

/** A certificate that passed, ready to be served. */
export interface CheckedCertificate {
  /** PEM: the certificate, then those between it and its root, which is left out. */
  chain: string;
  privateKey: string;
  /** Names that it is served for, lower case; a wildcard as it is written. */
  names: string[];
  notBeforeMs: number;
  notAfterMs: number;
  /** What an administrator should know, apart from its end. */
  notes: Diagnostic[];
}

const refuse = (code: ErrorCodeName, message: string) => new OutpostError(code, message);

/** @throws CERTIFICATE_KEY, _CHAIN, _NAMES, _EXPIRED, _PURPOSE, _WEAK */
export function checkCertificate(opened: OpenedCertificate, nowMs: number): CheckedCertificate {
  const { leaf, key } = leafAndKey(opened);
  const chain = orderedChain(leaf, opened.certificates);
  for (const certificate of chain) checkStrength(certificate);
  checkLeafKey(leaf);
  checkPurpose(leaf);
  for (const certificate of chain) checkDates(certificate, nowMs);
  const { served, others } = namesOf(leaf);
  if (served.length + others.length > MOST_NAMES) {
    throw refuse(
      'CERTIFICATE_NAMES',
      `The certificate is for more than ${MOST_NAMES} names. Ask for one with the names of this computer alone.`,
    );
  }
  if (served.length === 0) {
    throw refuse(
      'CERTIFICATE_NAMES',
      others.length === 0
        ? 'The certificate names no computer (subject alternative name), so no browser accepts it. Ask for one with the name of this computer.'
        : `The certificate is only for ${others.map(visible).join(', ')}. Devices find the site there by its own key; ask for a certificate with a name of the clinic's network, such as outpost.clinic.example.`,
    );
  }
  const notBeforeMs = Date.parse(leaf.validFrom);
  const notAfterMs = Math.min(...chain.map(({ validTo }) => Date.parse(validTo)));
  const notes: Diagnostic[] = [];
  if (others.length > 0) notes.push(diagnostic('CERTIFICATE_OTHER_NAMES', { names: others.map(visible).join(', ') }));
  if (Date.parse(leaf.validTo) - notBeforeMs > APPLE_LIFETIME_MS) notes.push(diagnostic('CERTIFICATE_TOO_LONG'));
  return {
    chain: chain.map((certificate) => `${certificate.toString().trim()}\n`).join(''),
    privateKey: key.export({ type: 'pkcs8', format: 'pem' }) as string,
    names: served,
    notBeforeMs,
    notAfterMs,
    notes,
  };
}

function leafAndKey({ certificates, keys }: OpenedCertificate): { leaf: X509Certificate; key: KeyObject } {
  if (certificates.length === 0) {
    throw refuse(
      'CERTIFICATE_UNREADABLE',
      'There is no certificate in this file. Export it again with its certificate.',
    );
  }
  if (keys.length === 0) {
    throw refuse(
      'CERTIFICATE_KEY',
      'The private key is missing. Add the file with the key that belongs to the certificate.',
    );
  }
  for (const key of keys) {
    const leaf = certificates.find((certificate) => certificate.checkPrivateKey(key));
    if (leaf) return { leaf, key };
  }
  throw refuse(
    'CERTIFICATE_KEY',
    'The private key belongs to another certificate. Choose the key that was made with this certificate.',
  );
}

const isIssuedBy = (certificate: X509Certificate, issuer: X509Certificate): boolean =>
  certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey);

const subjectOf = ({ subject }: X509Certificate): string =>
  visible(commonNameIn(subject) ?? subject.replaceAll('\n', ', '));

/** As a sentence can show it. */
const visible = (name: string): string => name.replaceAll(/\p{C}/gu, '\u{FFFD}').slice(0, MOST_SHOWN);

/** The certificate and those that lead to its root, in the order of TLS; others in the file are dropped, and so is the root. */
function orderedChain(leaf: X509Certificate, given: readonly X509Certificate[]): X509Certificate[] {
  const chain = [leaf];
  for (;;) {
    const last = chain.at(-1) as X509Certificate;
    if (isIssuedBy(last, last)) {
      if (chain.length > 1) return chain.slice(0, -1);
      throw refuse(
        'CERTIFICATE_CHAIN',
        'The certificate is self-signed, so no phone trusts it. Use one from a certificate authority, or install the authority of this site on the phones.',
      );
    }
    const issuer = given.find((candidate) => !chain.includes(candidate) && isIssuedBy(last, candidate));
    if (!issuer) {
      if (isIssuedByKnownRoot(last)) return chain;
      const missing = visible(commonNameIn(last.issuer) ?? last.issuer.replaceAll('\n', ', '));
      throw refuse(
        'CERTIFICATE_CHAIN',
        `The certificate of "${missing}", which issued "${subjectOf(last)}", is missing. Add the certificates of all authorities above, up to the root, to the file.`,
      );
    }
    if (chain.length === LONGEST_CHAIN) {
      throw refuse(
        'CERTIFICATE_CHAIN',
        `More than ${LONGEST_CHAIN} certificates lie between this one and its root. Leave only those that lead to it.`,
      );
    }
    chain.push(issuer);
  }
}

/** Roots that browsers bring or this computer trusts. */
function isIssuedByKnownRoot(certificate: X509Certificate): boolean {
  const known = [...rootCertificates, ...getCACertificates('system')];
  return known.some((pem) => {
    const root = new X509Certificate(pem);
    return root.subject === certificate.issuer && isIssuedBy(certificate, root);
  });
}

function checkStrength(certificate: X509Certificate): void {
  const who = subjectOf(certificate);
  const { asymmetricKeyType: type, asymmetricKeyDetails: details } = certificate.publicKey;
  const bits = details?.modulusLength ?? 0;
  const isStrong =
    type === 'rsa' || type === 'rsa-pss'
      ? bits >= LEAST_RSA_BITS
      : type === 'ec' && CURVES.has(details?.namedCurve ?? '');
  if (!isStrong) {
    throw refuse(
      'CERTIFICATE_WEAK',
      `Browsers do not accept the key of "${who}" (${[type, bits || details?.namedCurve].filter(Boolean).join(', ')}). Ask for a certificate with an RSA key of 2048 bits or more, or a P-256 key.`,
    );
  }
  const { hash } = new ParsedCertificate(new Uint8Array(certificate.raw)).signatureAlgorithm as { hash?: unknown };
  const name = typeof hash === 'string' ? hash : (hash as { name?: string } | undefined)?.name;
  if (name === 'SHA-1' || name === 'MD5' || name === undefined) {
    throw refuse(
      'CERTIFICATE_WEAK',
      `The signature of "${who}" is too weak (${name ?? 'unknown'}). Ask for a certificate that is signed with SHA-256.`,
    );
  }
}

/** The key of the handshake, for which browsers accept less than for authorities. */
function checkLeafKey(leaf: X509Certificate): void {
  const { asymmetricKeyType: type, asymmetricKeyDetails: details } = leaf.publicKey;
  const bits = details?.modulusLength ?? 0;
  if (type === 'rsa' ? bits <= MOST_LEAF_RSA_BITS : type === 'ec' && LEAF_CURVES.has(details?.namedCurve ?? '')) return;
  throw refuse(
    'CERTIFICATE_WEAK',
    `Browsers cannot use the key of "${subjectOf(leaf)}" for a connection, or only slowly (${[type, bits || details?.namedCurve].filter(Boolean).join(', ')}). Ask for a certificate with a P-256 key, or an RSA key of 2048 to ${MOST_LEAF_RSA_BITS} bits.`,
  );
}

function checkPurpose(leaf: X509Certificate): void {
  const purposes: string[] = leaf.keyUsage ?? [];
  if (leaf.ca) {
    throw refuse(
      'CERTIFICATE_PURPOSE',
      'This is the certificate of an authority, not of a server. Its key must not lie on this computer; ask for a server certificate.',
    );
  }
  const hasPurposes = new ParsedCertificate(new Uint8Array(leaf.raw)).getExtension(EXTENDED_KEY_USAGE) !== null;
  if (hasPurposes && !purposes.includes(SERVER_AUTH) && !purposes.includes(ANY_PURPOSE)) {
    throw refuse(
      'CERTIFICATE_PURPOSE',
      'The certificate is not for servers (extended key usage). Ask for one for TLS server authentication.',
    );
  }
}

function checkDates(certificate: X509Certificate, nowMs: number): void {
  const [from, to] = [Date.parse(certificate.validFrom), Date.parse(certificate.validTo)];
  const day = (ms: number) => new Date(ms).toISOString().slice(0, 10);
  if (!Number.isFinite(from) || !Number.isFinite(to)) {
    throw refuse(
      'CERTIFICATE_EXPIRED',
      `The dates of the certificate of "${subjectOf(certificate)}" cannot be read. Ask for another one.`,
    );
  }
  if (to <= nowMs) {
    throw refuse(
      'CERTIFICATE_EXPIRED',
      `The certificate of "${subjectOf(certificate)}" ended on ${day(to)}. Use a renewed one.`,
    );
  }
  if (from > nowMs) {
    throw refuse(
      'CERTIFICATE_EXPIRED',
      `The certificate of "${subjectOf(certificate)}" begins on ${day(from)}. Wait until then, or correct the clock of this computer.`,
    );
  }
}

/** Names that the certificate is served for, and those for which devices find the key of the site: addresses and mDNS names. */
function namesOf(leaf: X509Certificate): { served: string[]; others: string[] } {
  const parsed = new ParsedCertificate(new Uint8Array(leaf.raw));
  const names = subjectAlternativeNames(parsed);
  return { served: names.filter(isServed), others: names.filter((name) => !isServed(name)) };
}

function subjectAlternativeNames(parsed: ParsedCertificate): string[] {
  const extension = parsed.extensions.find(({ type }) => type === '2.5.29.17');
  const list = (extension as { names?: { items?: { type: string; value: string }[] } } | undefined)?.names?.items ?? [];
  return list.filter(({ type }) => type === 'dns' || type === 'ip').map(({ value }) => value.toLowerCase());
}
