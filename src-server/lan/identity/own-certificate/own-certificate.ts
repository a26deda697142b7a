/**
 * A certificate of the clinic for a name in the clinic's network, such as `outpost.clinic.example`. It is served to those who ask for
 * one of its names (SNI). All others, devices that pin the site's key among them, keep
 * getting the certificate over that key.
 */
import { createSecureContext, type SecureContext } from 'node:tls';
import { z } from 'zod';
import { type Diagnostic, diagnostic } from '../../../diagnostics.ts';
import { OutpostError } from '../../../errors.ts';
import { readCertificate } from '../certificate.ts';
import type { SecretKeeper } from '../secret-keeper.ts';
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

export interface OwnCertificateState {
  hostName: string;
  names: string[];
  notBeforeTs: number;
  notAfterTs: number;
  /** Pin of its key. */
  fingerprint: string;
  warnings: Diagnostic[];
}

export class OwnCertificate {
  readonly #keeper: SecretKeeper;
  readonly #clock: () => number;
  #file: KeptFile | undefined;
  #context: SecureContext | undefined;

  private constructor(keeper: SecretKeeper, clock: () => number) {
    this.#keeper = keeper;
    this.#clock = clock;
  }

  /** One that cannot be read is as good as none: the site answers with its own, and an administrator sets it again. */
  static async open(keeper: SecretKeeper, clock: () => number): Promise<OwnCertificate> {
    const own = new OwnCertificate(keeper, clock);
    const text = await keeper.read();
    if (text === undefined || text === '') return own;
    try {
      own.#use(keptFile.parse(JSON.parse(text)));
    } catch {
      own.#file = undefined;
    }
    return own;
  }

  /**
   * Checks a certificate and serves it from now on, instead of an earlier one.
   * @param hostName the name that phones use; needed when all names are wildcards
   * @throws CERTIFICATE_..., with nothing changed
   */
  async set(files: CertificateFiles, hostName: string | undefined): Promise<void> {
    // Loaded here: their libraries have 200 modules, and a clinic needs them once a year.
    const [{ openCertificate }, { checkCertificate }] = await Promise.all([import('./open.ts'), import('./check.ts')]);
    const checked = checkCertificate(await openCertificate(files), this.#clock());
    const { chain, privateKey, names, notBeforeMs, notAfterMs, notes } = checked;
    const file: KeptFile = {
      ...{ format: 1, chain, privateKey, names, hostName: chosenName(checked, hostName) },
      ...{ notBeforeTs: notBeforeMs, notAfterTs: notAfterMs, notes },
    };
    // Before it is stored: what TLS refuses must not come back at every start.
    secureContextOf(file);
    await this.#keeper.write(JSON.stringify(file));
    this.#use(file);
  }

  async remove(): Promise<void> {
    await this.#keeper.remove();
    this.#file = undefined;
    this.#context = undefined;
  }

  get state(): OwnCertificateState | undefined {
    if (!this.#file) return undefined;
    const { hostName, names, notBeforeTs, notAfterTs, chain, notes } = this.#file;
    const { fingerprint } = readCertificate(chain);
    return { hostName, names, notBeforeTs, notAfterTs, fingerprint, warnings: [...this.#expiry(), ...notes] };
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

  #use(file: KeptFile): void {
    this.#context = secureContextOf(file);
    this.#file = file;
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
