/**
 * The site's key on the local network. It is generated once and kept with the site and its backups, because every device pins
 * it. Only an administrator rotates it; the new key is announced before it is used. The certificate over it is signed by the
 * authority of the site (`authority.ts`), for browsers; devices look at the key alone.
 */
import { z } from 'zod';
import { DAY_MS } from '../../durations.ts';
import { OutpostError } from '../../errors.ts';
import { LEAF_RENEW_BEFORE_MS, type SiteAuthority } from './authority.ts';
import { fingerprintOfKey, makeCertificate, newPrivateKey, readCertificate } from './certificate.ts';
import type { SecretKeeper } from './secret-keeper.ts';

/** A self-signed certificate is reissued when it has less than this left. */
const RENEW_BEFORE_MS = 30 * DAY_MS;
/** How long devices are still informed of a replaced key. */
const PREVIOUS_NAMED_MS = 90 * DAY_MS;

const identityFile = z.object({
  format: z.literal(1),
  privateKey: z.string(),
  certificate: z.string(),
  /** A key that takes over at `fromTs`. */
  next: z.object({ privateKey: z.string(), fromTs: z.int() }).optional(),
  previous: z.object({ fingerprint: z.string(), untilTs: z.int() }).optional(),
});
type IdentityFile = z.infer<typeof identityFile>;

/** The pins that devices should hold. */
export interface Pins {
  /** Lower-case hex of the SHA-256 of the public key in use. */
  fingerprint: string;
  next?: { fingerprint: string; fromTs: number };
  previous?: { fingerprint: string; untilTs: number };
}

export interface IdentityOptions {
  keeper: SecretKeeper;
  /** Signs the certificates. While it cannot, they are self-signed, and devices continue. */
  authority: SiteAuthority;
  commonName: string;
  clock: () => number;
}

const sameHosts = (a: readonly string[], b: readonly string[]) =>
  a.length === b.length && [...a].sort().join() === [...b].sort().join();

export class LanIdentity {
  readonly #options: IdentityOptions;
  #file: IdentityFile;
  /** The last change. One at a time: signing takes a while, and must not bring back what was changed meanwhile. */
  #changing: Promise<unknown> = Promise.resolve();

  private constructor(options: IdentityOptions, file: IdentityFile) {
    this.#options = options;
    this.#file = file;
  }

  /**
   * Reads the keys, or generates them on first start; the certificate covers `hosts`.
   * @throws SITE_CORRUPT when they cannot be understood: a new key would cut off every paired device
   */
  static async open(options: IdentityOptions, hosts: readonly string[]): Promise<LanIdentity> {
    const stored = await LanIdentity.stored(options);
    if (stored) {
      await stored.refresh(hosts);
      return stored;
    }
    const privateKey = newPrivateKey();
    const { certificate } = await certificateFor(options, privateKey, hosts);
    const identity = new LanIdentity(options, { format: 1, privateKey, certificate });
    await identity.#save(identity.#file);
    return identity;
  }

  /** Reads the keys and changes nothing; undefined before the first start. @throws SITE_CORRUPT */
  static async stored(options: IdentityOptions): Promise<LanIdentity | undefined> {
    const file = await readIdentity(options.keeper);
    return file && new LanIdentity(options, file);
  }

  /** Key and certificate chain for a TLS server, as PEM. */
  get credentials(): { key: string; cert: string } {
    return { key: this.#file.privateKey, cert: this.#file.certificate };
  }

  get pins(): Pins {
    const { privateKey, next, previous } = this.#file;
    return {
      fingerprint: fingerprintOfKey(privateKey),
      ...(next && { next: { fingerprint: fingerprintOfKey(next.privateKey), fromTs: next.fromTs } }),
      ...(previous && { previous }),
    };
  }

  /**
   * Applies a due key rotation and reissues the certificate for other hosts or before it expires. Returns true when the server
   * must use the new ones.
   */
  async refresh(hosts: readonly string[]): Promise<boolean> {
    return await this.#inTurn(async () => await this.#refresh(hosts));
  }

  async #refresh(hosts: readonly string[]): Promise<boolean> {
    const now = this.#options.clock();
    const { next, previous } = this.#file;
    if (next && next.fromTs <= now) {
      await this.#switchTo(next.privateKey, hosts);
      return true;
    }
    const { previous: _, ...rest } = this.#file;
    const file: IdentityFile = previous && previous.untilTs <= now ? rest : this.#file;
    const isFresh = this.#isFresh(file.certificate, hosts);
    if (isFresh && file === this.#file) return false;
    const issued = isFresh ? file : await certificateFor(this.#options, file.privateKey, hosts);
    await this.#save({ ...file, certificate: issued.certificate });
    return !isFresh;
  }

  /** Whether a certificate covers `hosts` for long enough, signed by whom it should be. */
  #isFresh(pem: string, hosts: readonly string[]): boolean {
    const now = this.#options.clock();
    const { authority } = this.#options;
    const covered = certifiableHosts(authority, hosts);
    const current = readCertificate(pem);
    const isSigned = authority.hasSigned(pem);
    if (isSigned !== covered.isSigned || !sameHosts(current.hosts, covered.hosts)) return false;
    // A certificate issued while the clock was ahead is not valid yet.
    const renewBeforeMs = isSigned ? Math.min(LEAF_RENEW_BEFORE_MS, authority.notAfterMs - now - 1) : RENEW_BEFORE_MS;
    return current.notBeforeMs <= now && current.notAfterMs - now > renewBeforeMs;
  }

  /** Announces a new key that takes over at `fromTs`. @throws CONFLICT while another one is announced */
  async announceRotation(fromTs: number): Promise<Pins> {
    return await this.#inTurn(async () => {
      if (this.#file.next) {
        throw new OutpostError('CONFLICT', 'A new key is announced already. Wait until it is used, or cancel it.');
      }
      await this.#save({ ...this.#file, next: { privateKey: newPrivateKey(), fromTs } });
      return this.pins;
    });
  }

  /** Cancels an announced key. @throws CONFLICT when there is none */
  async cancelRotation(): Promise<void> {
    await this.#inTurn(async () => {
      if (!this.#file.next) throw new OutpostError('CONFLICT', 'No new key is announced.');
      const { next: _, ...rest } = this.#file;
      await this.#save(rest);
    });
  }

  async #inTurn<T>(change: () => Promise<T>): Promise<T> {
    const changed = this.#changing.then(change);
    this.#changing = changed.catch(() => undefined);
    return await changed;
  }

  async #switchTo(privateKey: string, hosts: readonly string[]): Promise<void> {
    const fingerprint = fingerprintOfKey(this.#file.privateKey);
    await this.#save({
      format: 1,
      privateKey,
      ...(await certificateFor(this.#options, privateKey, hosts)),
      previous: { fingerprint, untilTs: this.#options.clock() + PREVIOUS_NAMED_MS },
    });
  }

  async #save(file: IdentityFile): Promise<void> {
    await this.#options.keeper.write(JSON.stringify(file));
    this.#file = file;
  }
}

/** The hosts that a new certificate covers: those that the authority may certify, or all in a self-signed one. */
function certifiableHosts(
  authority: SiteAuthority,
  hosts: readonly string[],
): { isSigned: boolean; hosts: readonly string[] } {
  const permitted = authority.isUsable ? authority.permitted(hosts) : [];
  return permitted.length > 0 ? { isSigned: true, hosts: permitted } : { isSigned: false, hosts };
}

async function certificateFor(
  { authority, commonName, clock }: IdentityOptions,
  privateKey: string,
  hosts: readonly string[],
): Promise<{ certificate: string }> {
  const covered = certifiableHosts(authority, hosts);
  const certificate = covered.isSigned
    ? await authority.issue(privateKey, commonName, covered.hosts)
    : await makeCertificate({ privateKeyPem: privateKey, commonName, hosts, nowMs: clock() });
  return { certificate };
}

async function readIdentity(keeper: SecretKeeper): Promise<IdentityFile | undefined> {
  const text = await keeper.read();
  if (text === undefined) return undefined;
  try {
    const file = identityFile.parse(JSON.parse(text));
    if (readCertificate(file.certificate).fingerprint === fingerprintOfKey(file.privateKey)) return file;
  } catch {
    // Reported below, without details.
  }
  throw new OutpostError(
    'SITE_CORRUPT',
    'The key of the site for the local network cannot be read, so devices cannot be sure who answers. Restore the newest good backup.',
  );
}
