/**
 * The certificate authority of a site, which browsers can be made to trust. It is made once and kept with the site and its backups,
 * because phones install its root. Its key is not the one that devices pin: it signs certificates over that key.
 *
 * The root signs a single certificate, the issuer's, and its key is never stored. Only the issuer's key is kept, and the name
 * constraints in the issuer's certificate bind it in every client, also in those that ignore the constraints of an installed root.
 */
import { createPrivateKey, randomBytes, X509Certificate } from 'node:crypto';
import { z } from 'zod';
import { DAY_MS } from '../../durations.ts';
import { sha256Hex } from '../../files/content-hash.ts';
import { commonName, commonNameIn } from './common-name.ts';
import { isPermitted, PRIVATE_RANGES } from './name-constraints.ts';
import type { SecretKeeper } from './secret-keeper.ts';

/** Short: what a thief can copy from a device or a backup soon expires, and phones accept it (Apple: at most 825 days). */
export const LEAF_LIFETIME_MS = 30 * DAY_MS;
/** A certificate of the authority is reissued when it has less than this left. */
export const LEAF_RENEW_BEFORE_MS = 10 * DAY_MS;

/**
 * Fixed, so that an authority made while the clock was wrong is valid all the same: a phone that installed it cannot be given
 * another one without a person.
 */
const VALID_FROM_MS = Date.UTC(2025, 0, 1);
const VALID_YEARS_MS = 10 * 366 * DAY_MS;
const EARLIEST_CLOCK_MS = Date.UTC(2026, 0, 1);

const authorityFile = z.object({
  format: z.literal(1),
  /** PEM of the root, which phones install. */
  root: z.string(),
  /** PEM of the certificate and the private key that sign. */
  issuer: z.object({ certificate: z.string(), privateKey: z.string() }),
  /** The name that the constraints permit. */
  siteHostName: z.string(),
});
type AuthorityFile = z.infer<typeof authorityFile>;

export interface AuthorityOptions {
  keeper: SecretKeeper;
  siteName: string;
  /** mDNS name of the site. */
  siteHostName: string;
  clock: () => number;
}

export type AuthorityState =
  | { state: 'UNREADABLE' }
  | {
      state: 'READY' | 'ENDED';
      name: string;
      /** Lower-case hex of the SHA-256 of the root's certificate, as phones show it. */
      fingerprint: string;
      notAfterTs: number;
      /** What it may certify. */
      hostName: string;
      ranges: string[];
    };

export class SiteAuthority {
  readonly #options: AuthorityOptions;
  /** Undefined when what is stored cannot be read: a person decides to replace it, because phones trust it. */
  #file: AuthorityFile | undefined;

  private constructor(options: AuthorityOptions, file: AuthorityFile | undefined) {
    this.#options = options;
    this.#file = file;
  }

  /** Reads the authority, or makes it on first start. */
  static async open(options: AuthorityOptions): Promise<SiteAuthority> {
    const text = await options.keeper.read();
    if (text !== undefined) return new SiteAuthority(options, readAuthority(text));
    const authority = new SiteAuthority(options, undefined);
    await authority.replace();
    return authority;
  }

  /** Makes another authority. What the old one signed stays valid on phones that trust it, until they remove it. */
  async replace(): Promise<void> {
    const { siteName, siteHostName, clock, keeper } = this.#options;
    const { signAuthority } = await import('./sign-certificate.ts');
    const made = await signAuthority({
      name: authorityName(siteName),
      siteHostName,
      notBeforeMs: VALID_FROM_MS,
      notAfterMs: Math.max(clock(), EARLIEST_CLOCK_MS) + VALID_YEARS_MS,
    });
    const file: AuthorityFile = { format: 1, ...made, siteHostName };
    await keeper.write(JSON.stringify(file));
    this.#file = file;
  }

  /** PEM of the root; undefined when the authority cannot be read. */
  get root(): string | undefined {
    return this.#file?.root;
  }

  get state(): AuthorityState {
    if (!this.#file) return { state: 'UNREADABLE' };
    const root = new X509Certificate(this.#file.root);
    return {
      state: this.isUsable ? 'READY' : 'ENDED',
      name: commonNameIn(root.subject) ?? root.subject,
      fingerprint: sha256Hex(root.raw),
      notAfterTs: this.notAfterMs,
      hostName: this.#file.siteHostName,
      ranges: PRIVATE_RANGES.map(({ address, prefix }) => `${address}/${prefix}`),
    };
  }

  /** Whether it can sign now. */
  get isUsable(): boolean {
    return this.#file !== undefined && this.notAfterMs > this.#options.clock();
  }

  /** 0 when it cannot be read. */
  get notAfterMs(): number {
    return this.#file ? Date.parse(new X509Certificate(this.#file.issuer.certificate).validTo) : 0;
  }

  /** The hosts that it may certify. */
  permitted(hosts: readonly string[]): string[] {
    const name = this.#file?.siteHostName;
    return name === undefined ? [] : hosts.filter((host) => isPermitted(host, name));
  }

  /** Whether it signed a certificate (the first of a PEM chain). */
  hasSigned(pem: string): boolean {
    if (!this.#file) return false;
    const issuer = new X509Certificate(this.#file.issuer.certificate);
    const certificate = new X509Certificate(pem);
    return certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey);
  }

  /** Signs a certificate over `hosts`, all of them permitted. Returns PEM, the issuer's certificate after it. */
  async issue(certifiedKeyPem: string, commonName: string, hosts: readonly string[]): Promise<string> {
    if (!this.#file) throw new Error('The authority cannot be read.');
    const { issuer } = this.#file;
    const { signIssuedCertificate } = await import('./sign-certificate.ts');
    const leaf = await signIssuedCertificate({
      certifiedKeyPem,
      issuer,
      commonName,
      hosts,
      nowMs: this.#options.clock(),
      lifetimeMs: LEAF_LIFETIME_MS,
    });
    return `${leaf.trim()}\n${issuer.certificate.trim()}\n`;
  }
}

/** Distinguishes an authority from the one that it replaced. The name of the site is the only word of people in it. */
function authorityName(siteName: string): string {
  return `${commonName(siteName, 40)} ${randomBytes(2).toString('hex').toUpperCase()}`;
}

function readAuthority(text: string): AuthorityFile | undefined {
  try {
    const file = authorityFile.parse(JSON.parse(text));
    const [root, issuer] = [new X509Certificate(file.root), new X509Certificate(file.issuer.certificate)];
    const isWhole = issuer.verify(root.publicKey) && issuer.checkPrivateKey(createPrivateKey(file.issuer.privateKey));
    return isWhole ? file : undefined;
  } catch {
    return undefined;
  }
}
