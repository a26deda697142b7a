/**
 * What the certificates of a site are, read from what is stored. A running site stores each before it serves it, so the report is the same
 * whether it runs or not.
 */
import type { ReadStore } from '../../db/index.ts';
import type { SiteFile } from '../../integrity/site-file.ts';
import { type AuthorityState, SiteAuthority } from '../../lan/identity/authority.ts';
import { readCertificate } from '../../lan/identity/certificate.ts';
import { OwnCertificate, type OwnCertificateState } from '../../lan/identity/own-certificate/own-certificate.ts';
import { LanIdentity } from '../../lan/identity/site-identity.ts';
import { readSecret } from './keepers.ts';

interface ServedCertificate {
  names: string[];
  issuer: string;
  notBeforeTs: number;
  notAfterTs: number;
  /** SHA-256 of the certificate, and of its key as devices pin it: lower-case hex. */
  fingerprint: string;
  pin: string;
}

export interface CertificateReport {
  /** Whether the site listens for devices while it runs, and where. */
  listener: { isOn: boolean; port: number };
  /** The certificate over the site's key; null before the first start on the network. */
  site: (ServedCertificate & { isSignedByAuthority: boolean }) | null;
  /** Announced to devices; takes over at `fromTs`. */
  nextKey: { pin: string; fromTs: number } | null;
  authority: AuthorityState | null;
  /** The clinic's own certificate. UNREADABLE: it is stored, but this site cannot open it. */
  own:
    | { state: 'UNREADABLE' }
    | ({ state: 'SERVED' } & ServedCertificate & Pick<OwnCertificateState, 'hostName' | 'warnings'>)
    | null;
}

/** @throws SITE_CORRUPT when the key of the site cannot be read */
export async function certificateReport(
  site: SiteFile,
  { settings }: Pick<ReadStore, 'settings'>,
  clock: () => number,
): Promise<CertificateReport> {
  const keeper = async (key: Parameters<typeof readSecret>[2]) => {
    const text = await readSecret(site, settings, key);
    return { text, keeper: { read: async () => text, write: readsOnly, remove: readsOnly } };
  };
  const [identityText, authorityText, ownText] = [
    await keeper('lan.identity'),
    await keeper('lan.authority'),
    await keeper('lan.ownCertificate'),
  ];
  const about = { siteName: '', siteHostName: '', clock };
  const authority = await SiteAuthority.open({
    ...about,
    keeper: { ...authorityText.keeper, read: async () => authorityText.text ?? '' },
  });
  const identity = await LanIdentity.stored({ keeper: identityText.keeper, authority, commonName: '', clock });
  const { cert } = identity?.credentials ?? {};
  const next = identity?.pins.next;
  const own = (await OwnCertificate.open(ownText.keeper, clock)).state;
  return {
    listener: await settings.get('lan.listener'),
    site: cert === undefined ? null : { ...servedFacts(cert), isSignedByAuthority: authority.hasSigned(cert) },
    nextKey: next ? { pin: next.fingerprint, fromTs: next.fromTs } : null,
    authority: authorityText.text === undefined ? null : authority.state,
    own: own ? ownFacts(own) : ownText.text === undefined ? null : { state: 'UNREADABLE' },
  };
}

function servedFacts(pem: string): ServedCertificate {
  const { hosts, issuer, notBeforeMs, notAfterMs, fingerprint, certificateFingerprint } = readCertificate(pem);
  const validity = { notBeforeTs: notBeforeMs, notAfterTs: notAfterMs };
  return { names: hosts, issuer, ...validity, fingerprint: certificateFingerprint, pin: fingerprint };
}

function ownFacts(own: OwnCertificateState): NonNullable<CertificateReport['own']> {
  const { fingerprint: pin, certificateFingerprint: fingerprint, ...facts } = own;
  return { state: 'SERVED', ...facts, fingerprint, pin };
}

async function readsOnly(): Promise<never> {
  throw new Error('A report changes nothing.');
}
