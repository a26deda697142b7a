/**
 * The keys of the site on the local network, in `lan.json` of its folder. The key is made once and kept: every device
 * pins it. It changes only when an administrator replaces it; then the new one is announced before it is used.
 */
import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { writeDurably } from '../../durable-files.ts';
import { OutpostError } from '../../errors.ts';
import { fingerprintOfKey, makeCertificate, newPrivateKey, readCertificate } from './certificate.ts';

/** A certificate is made anew when it has less than this left. */
const RENEW_BEFORE_MS = 30 * 24 * 60 * 60 * 1000;
/** How long a key that was replaced is still named to devices. */
const PREVIOUS_NAMED_MS = 90 * 24 * 60 * 60 * 1000;

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
  /** Path of `lan.json`. */
  path: string;
  commonName: string;
  clock: () => number;
}

const sameHosts = (a: readonly string[], b: readonly string[]) =>
  a.length === b.length && [...a].sort().join() === [...b].sort().join();

export class LanIdentity {
  readonly #options: IdentityOptions;
  #file: IdentityFile;

  private constructor(options: IdentityOptions, file: IdentityFile) {
    this.#options = options;
    this.#file = file;
  }

  /**
   * Reads the keys, or makes them on first start; the certificate covers `hosts`.
   * @throws SITE_CORRUPT when the file cannot be understood: a new key would cut off every paired device
   */
  static async open(options: IdentityOptions, hosts: readonly string[]): Promise<LanIdentity> {
    const stored = await readIdentity(options.path);
    if (stored) {
      const identity = new LanIdentity(options, stored);
      await identity.refresh(hosts);
      return identity;
    }
    const privateKey = newPrivateKey();
    const certificate = await certificateFor(options, privateKey, hosts);
    const identity = new LanIdentity(options, { format: 1, privateKey, certificate });
    await identity.#save(identity.#file);
    return identity;
  }

  /** Key and certificate for a TLS server, as PEM. */
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
   * Brings key and certificate up to date: a replacement whose time has come, other hosts, an end that is near.
   * True when the server has to use new ones.
   */
  async refresh(hosts: readonly string[]): Promise<boolean> {
    const now = this.#options.clock();
    const { next, previous } = this.#file;
    if (next && next.fromTs <= now) {
      await this.#switchTo(next.privateKey, hosts);
      return true;
    }
    const { previous: _, ...rest } = this.#file;
    const file: IdentityFile = previous && previous.untilTs <= now ? rest : this.#file;
    const current = readCertificate(file.certificate);
    const isFresh = sameHosts(current.hosts, hosts) && current.notAfterMs - now > RENEW_BEFORE_MS;
    if (isFresh && file === this.#file) return false;
    const certificate = isFresh ? file.certificate : await certificateFor(this.#options, file.privateKey, hosts);
    await this.#save({ ...file, certificate });
    return !isFresh;
  }

  /** Announces a new key that takes over at `fromTs`. @throws CONFLICT while another one is announced */
  async announceRotation(fromTs: number): Promise<Pins> {
    if (this.#file.next) {
      throw new OutpostError('CONFLICT', 'A new key is announced already. Wait until it is used, or take it back.');
    }
    await this.#save({ ...this.#file, next: { privateKey: newPrivateKey(), fromTs } });
    return this.pins;
  }

  /** Takes an announced key back. @throws CONFLICT when there is none */
  async cancelRotation(): Promise<void> {
    if (!this.#file.next) throw new OutpostError('CONFLICT', 'No new key is announced.');
    const { next: _, ...rest } = this.#file;
    await this.#save(rest);
  }

  async #switchTo(privateKey: string, hosts: readonly string[]): Promise<void> {
    const fingerprint = fingerprintOfKey(this.#file.privateKey);
    await this.#save({
      format: 1,
      privateKey,
      certificate: await certificateFor(this.#options, privateKey, hosts),
      previous: { fingerprint, untilTs: this.#options.clock() + PREVIOUS_NAMED_MS },
    });
  }

  async #save(file: IdentityFile): Promise<void> {
    await writeDurably(this.#options.path, `${JSON.stringify(file, null, 2)}\n`, 0o600);
    this.#file = file;
  }
}

function certificateFor(options: IdentityOptions, privateKeyPem: string, hosts: readonly string[]): Promise<string> {
  return makeCertificate({ privateKeyPem, commonName: options.commonName, hosts, nowMs: options.clock() });
}

async function readIdentity(path: string): Promise<IdentityFile | undefined> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw thrown;
  }
  try {
    const file = identityFile.parse(JSON.parse(text));
    if (readCertificate(file.certificate).fingerprint === fingerprintOfKey(file.privateKey)) return file;
  } catch {
    // Told below: what is wrong with it helps nobody.
  }
  throw new OutpostError(
    'SITE_CORRUPT',
    `${path} is damaged, so devices cannot be sure who answers. Put it back from the newest good backup. Without one, remove the file and pair all devices again.`,
  );
}
