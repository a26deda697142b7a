/** The certificates of the local network as the API sees them. */
import { X509Certificate } from 'node:crypto';
import { bareHost } from '../../addresses.ts';
import type { CertificatesPort } from '../../api/deps.ts';
import type { Change } from '../../db/index.ts';
import { type Diagnostic, diagnostic } from '../../diagnostics.ts';
import { EXPIRY_WARNING_MS } from '../../lan/identity/own-certificate/names.ts';
import { OwnCertificate, type OwnCertificateState } from '../../lan/identity/own-certificate/own-certificate.ts';
import type { LanService } from '../../lan/lan-service.ts';
import type { SiteFolder } from '../folder.ts';
import { ownCertificateKeeper } from './keepers.ts';

/** What a command set, and whether it is served already or from the next start on. */
export interface SetAtCommand {
  own: OwnCertificateState;
  isServed: boolean;
}

export class LanCertificates implements CertificatesPort {
  readonly #folder: Pick<SiteFolder, 'site' | 'store'>;
  readonly #clock: () => number;
  readonly #service: () => LanService | undefined;
  readonly #require: () => LanService;
  /** Whether this computer reached the site under the clinic's own certificate, when that was last tried. */
  #isOwnReached: boolean | undefined;

  constructor(
    folder: Pick<SiteFolder, 'site' | 'store'>,
    clock: () => number,
    find: { service: () => LanService | undefined; require: () => LanService },
  ) {
    this.#folder = folder;
    this.#clock = clock;
    this.#service = find.service;
    this.#require = find.require;
  }

  state(): ReturnType<CertificatesPort['state']> {
    const service = this.#require();
    const { own, ...state } = service.certificates;
    const url = service.ownUrl;
    const isCovered = (base: string) => state.current.hosts.includes(bareHost(new URL(base).hostname));
    return {
      ...state,
      ...(own &&
        url !== undefined && {
          own: {
            ...{ hostName: own.hostName, url, names: own.names },
            ...{ notBeforeTs: own.notBeforeTs, notAfterTs: own.notAfterTs },
            warnings: this.#warnings(own),
          },
        }),
      urls: state.current.isSigned ? service.urls.filter(isCovered) : [],
    };
  }

  async replaceAuthority(change: Change): Promise<void> {
    const service = this.#require();
    await service.replaceAuthority();
    await this.#folder.store.settings.noteCertificate(
      'authority',
      { fingerprint: this.root()?.fingerprint ?? null },
      change,
    );
  }

  async setOwn(...[files, hostName, change]: Parameters<CertificatesPort['setOwn']>): Promise<void> {
    await this.#require().ownCertificate.set(files, hostName, change);
    await this.#tryOwn();
  }

  async removeOwn(change: Change): Promise<void> {
    await this.#require().ownCertificate.remove(change);
  }

  /**
   * The same for the command line, which needs no listener: what is stored is served as soon as the site listens.
   * @throws CERTIFICATE_..., with nothing changed
   */
  async setOwnAtCommand(...[files, hostName, change]: Parameters<CertificatesPort['setOwn']>): Promise<SetAtCommand> {
    const own = await this.#ownCertificate();
    await own.set(files, hostName, change);
    await this.#tryOwn();
    const state = own.state as OwnCertificateState;
    return { own: { ...state, warnings: this.#warnings(state) }, isServed: this.#service() !== undefined };
  }

  /** Returns false when there was none to remove. */
  async removeOwnAtCommand(change: Change): Promise<boolean> {
    return await (await this.#ownCertificate()).remove(change);
  }

  async #ownCertificate(): Promise<OwnCertificate> {
    const listening = this.#service()?.ownCertificate;
    return listening ?? (await OwnCertificate.open(ownCertificateKeeper(this.#folder), this.#clock));
  }

  /** Calls the site under the name of the certificate, as phones do. */
  async #tryOwn(): Promise<void> {
    const service = this.#service();
    const url = service?.ownUrl;
    if (!service || url === undefined) return;
    this.#isOwnReached = (await service.check()).some((address) => address.url === url && address.result === 'reached');
  }

  #warnings({ warnings }: OwnCertificateState): Diagnostic[] {
    const url = this.#service()?.ownUrl;
    const isLost = this.#isOwnReached === false && url !== undefined;
    return isLost ? [...warnings, diagnostic('CERTIFICATE_NOT_REACHED', { url })] : warnings;
  }

  root(): ReturnType<CertificatesPort['root']> {
    const service = this.#service();
    const pem = service?.authorityRoot;
    const state = service?.certificates.authority;
    if (pem === undefined || state?.state !== 'READY') return undefined;
    const { name, fingerprint, hostName } = state;
    return { der: new X509Certificate(pem).raw, name, fingerprint, hostName };
  }

  noteTrusted(...[address, system]: Parameters<CertificatesPort['noteTrusted']>): void {
    this.#service()?.noteTrusted(address, system);
  }

  ends(): ReturnType<CertificatesPort['ends']> {
    const { own, authority } = this.#service()?.certificates ?? {};
    const ending = (kind: 'OWN' | 'AUTHORITY', name: string, notAfterTs: number) => ({
      ...{ kind, name, notAfterTs, warnFromTs: notAfterTs - EXPIRY_WARNING_MS },
    });
    return [
      ...(own ? [ending('OWN', own.hostName, own.notAfterTs)] : []),
      ...(authority && authority.state !== 'UNREADABLE'
        ? [ending('AUTHORITY', authority.name, authority.notAfterTs)]
        : []),
    ];
  }
}
