/**
 * A certificate of the clinic for a name in the clinic's network, such as `outpost.clinic.example`. It is served to those who ask for
 * one of its names (SNI). All others, devices that pin the site's key among them, keep
 * getting the certificate over that key.
 */
import { createSecureContext, type SecureContext } from 'node:tls';
import { z } from 'zod';
import type { Change } from '../../../db/index.ts';
import { type Diagnostic, diagnostic } from '../../../diagnostics.ts';
import { OutpostError } from '../../../errors.ts';
import { readCertificate } from '../certificate.ts';
import type { CheckedCertificate } from './check.ts';
import { covers, EXPIRY_WARNING_MS, isServed } from './names.ts';
import type { CertificateFiles } from './open.ts';

const keptFile = z.object({
  format: z.literal(1),
  /** PEM, without the root. */
  chain: z.string(),
  privateKey: z.string(),
  names: z.array(z.string()),
  /** The name that phones use. */
  hostName: z.string(),
  notBeforeTs: z.int(),
  notAfterTs: z.int(),
  /** What was to be said of it when it was set, other than its end. */
  notes: z.array(z.custom<Diagnostic>((note) => typeof (note as Diagnostic | null)?.message === 'string')),
});
type KeptFile = z.infer<typeof keptFile>;

/** Storage of the certificate. A change and its entry in the audit trail are one: a power cut leaves both or neither. */
export interface OwnCertificateKeeper {
  /** Undefined if there is none; empty if it cannot be read. */
  read(): Promise<string | undefined>;
  write(text: string, facts: Record<string, string | number | null>, change: Change): Promise<void>;
  remove(change: Change): Promise<void>;
}

export interface OwnCertificateState {
  hostName: string;
  names: string[];
  /** Common name of the authority that issued it. */
  issuer: string;
  notBeforeTs: number;
  notAfterTs: number;
  /** Pin of its key. */
  fingerprint: string;
  /** Lower-case hex of the SHA-256 of the certificate itself. */
  certificateFingerprint: string;
  warnings: Diagnostic[];
}

export class OwnCertificate {
  readonly #keeper: OwnCertificateKeeper;
  readonly #clock: () => number;
  #file: KeptFile | undefined;
  #context: SecureContext | undefined;
  /** The last change. One at a time: what is stored and what is served must be the same one. */
  #changing: Promise<unknown> = Promise.resolve();

  private constructor(keeper: OwnCertificateKeeper, clock: () => number) {
    this.#keeper = keeper;
    this.#clock = clock;
  }

  /** One that cannot be read is as good as none: the site answers with its own, and an administrator sets it again. */
  static async open(keeper: OwnCertificateKeeper, clock: () => number): Promise<OwnCertificate> {
    const own = new OwnCertificate(keeper, clock);
    const text = await keeper.read();
    if (text === undefined || text === '') return own;
    try {
      const file = keptFile.parse(JSON.parse(text));
      own.#context = secureContextOf(file);
      own.#file = file;
    } catch {
      own.#file = undefined;
      own.#context = undefined;
    }
    return own;
  }

  /**
   * Checks a certificate and serves it from now on, instead of an earlier one.
   * @param hostName the name that phones use; needed when all names are wildcards
   * @throws CERTIFICATE_..., with nothing changed
   */
  async set(files: CertificateFiles, hostName: string | undefined, change: Change): Promise<void> {
    // Loaded here: their libraries have 200 modules, and a clinic needs them once a year.
    const [{ openCertificate }, { checkCertificate }] = await Promise.all([import('./open.ts'), import('./check.ts')]);
    const checked = checkCertificate(await openCertificate(files), this.#clock());
    const { chain, privateKey, names, notBeforeMs, notAfterMs, notes } = checked;
    const file: KeptFile = {
      ...{ format: 1, chain, privateKey, names, hostName: chosenName(checked, hostName) },
      ...{ notBeforeTs: notBeforeMs, notAfterTs: notAfterMs, notes },
    };
    // Before it is stored: what TLS refuses must not come back at every start.
    const context = secureContextOf(file);
    const { fingerprint } = readCertificate(chain);
    const facts = { names: names.join(', '), notAfterTs: notAfterMs, fingerprint };
    await this.#inTurn(async () => {
      await this.#keeper.write(JSON.stringify(file), facts, change);
      this.#file = file;
      this.#context = context;
    });
  }

  /** Returns false when there was none to remove. */
  async remove(change: Change): Promise<boolean> {
    return await this.#inTurn(async () => {
      const isSet = (await this.#keeper.read()) !== undefined;
      if (isSet) await this.#keeper.remove(change);
      this.#file = undefined;
      this.#context = undefined;
      return isSet;
    });
  }

  get state(): OwnCertificateState | undefined {
    if (!this.#file) return undefined;
    const { hostName, names, notBeforeTs, notAfterTs, chain, notes } = this.#file;
    const { issuer, fingerprint, certificateFingerprint } = readCertificate(chain);
    const warnings = [...this.#expiry(), ...notes];
    return { hostName, names, issuer, notBeforeTs, notAfterTs, fingerprint, certificateFingerprint, warnings };
  }

  /** Names that requests may have as their Host. */
  get hosts(): string[] {
    const { hostName, names = [] } = this.#file ?? {};
    return hostName === undefined ? [] : [...new Set([hostName, ...names.filter((name) => !name.startsWith('*'))])];
  }

  /** What TLS serves to a client that asks for a name; undefined: the certificate of the site. */
  contextFor(serverName: string): SecureContext | undefined {
    const name = serverName.toLowerCase();
    // Some devices ask for an address by SNI, and a wildcard such as *.168.1.5 covers addresses.
    return isServed(name) && this.#file?.names.some((own) => covers(own, name)) ? this.#context : undefined;
  }

  #expiry(): Diagnostic[] {
    const { notAfterTs = 0 } = this.#file ?? {};
    const now = this.#clock();
    const date = new Date(notAfterTs).toISOString().slice(0, 10);
    if (notAfterTs <= now) return [diagnostic('CERTIFICATE_ENDED', { date })];
    return notAfterTs - now < EXPIRY_WARNING_MS ? [diagnostic('CERTIFICATE_ENDS_SOON', { date })] : [];
  }

  async #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#changing.then(work);
    this.#changing = done.catch(() => undefined);
    return await done;
  }
}

function secureContextOf({ chain, privateKey }: KeptFile): SecureContext {
  try {
    return createSecureContext({ key: privateKey, cert: chain, minVersion: 'TLSv1.2' });
  } catch (thrown) {
    throw new OutpostError('CERTIFICATE_KEY', 'This certificate and key cannot be used for TLS. Ask for others.', {
      cause: thrown,
    });
  }
}

function chosenName({ names }: CheckedCertificate, hostName: string | undefined): string {
  const wanted = hostName?.trim().toLowerCase().replace(/\.$/, '');
  if (wanted) {
    if (!wanted.includes('*') && names.some((name) => covers(name, wanted))) return wanted;
    throw new OutpostError(
      'CERTIFICATE_NAMES',
      `The certificate does not cover ${wanted}. It is for ${names.join(', ')}.`,
    );
  }
  const exact = names.find((name) => !name.startsWith('*'));
  if (exact !== undefined) return exact;
  throw new OutpostError(
    'CERTIFICATE_NAMES',
    `The certificate is for ${names.join(', ')}. Enter the name of this computer that phones are to use.`,
  );
}
