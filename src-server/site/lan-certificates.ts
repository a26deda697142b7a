/** The certificates of the local network as the API sees them. */
import { X509Certificate } from 'node:crypto';
import { bareHost } from '../addresses.ts';
import type { CertificatesPort } from '../api/deps.ts';
import type { Change } from '../db/index.ts';
import { diagnostic } from '../diagnostics.ts';
import { EXPIRY_WARNING_MS } from '../lan/identity/own-certificate/names.ts';
import type { LanService } from '../lan/lan-service.ts';
import type { Settings } from '../services/settings.ts';

export class LanCertificates implements CertificatesPort {
  readonly #settings: Settings;
  readonly #service: () => LanService | undefined;
  readonly #require: () => LanService;
  /** Whether this computer reached the site under the clinic's own certificate, when that was last tried. */
  #isOwnReached: boolean | undefined;

  constructor(settings: Settings, find: { service: () => LanService | undefined; require: () => LanService }) {
    this.#settings = settings;
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
            warnings: [
              ...own.warnings,
              ...(this.#isOwnReached === false ? [diagnostic('CERTIFICATE_NOT_REACHED', { url })] : []),
            ],
          },
        }),
      urls: state.current.isSigned ? service.urls.filter(isCovered) : [],
    };
  }

  async replaceAuthority(change: Change): Promise<void> {
    const service = this.#require();
    await service.replaceAuthority();
    await this.#settings.noteCertificate('authority', { fingerprint: this.root()?.fingerprint ?? null }, change);
  }

  async setOwn(...[files, hostName, change]: Parameters<CertificatesPort['setOwn']>): Promise<void> {
    const service = this.#require();
    await service.setOwnCertificate(files, hostName);
    const { names = [], notAfterTs = null, fingerprint = null } = service.certificates.own ?? {};
    await this.#settings.noteCertificate('own', { names: names.join(', '), notAfterTs, fingerprint }, change);
    const url = service.ownUrl;
    this.#isOwnReached = (await service.check()).some((address) => address.url === url && address.result === 'reached');
  }

  async removeOwn(change: Change): Promise<void> {
    await this.#require().removeOwnCertificate();
    await this.#settings.noteCertificate('own', { names: null }, change);
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
