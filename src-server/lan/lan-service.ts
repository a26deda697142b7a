/**
 * The site on the local network: key and certificate, HTTPS listeners, mDNS announcement, and the current addresses, which
 * change when the computer moves or its router assigns others.
 */
import type { Server } from 'node:https';
import type { SecureContext } from 'node:tls';
import { plainAddress, urlHost } from '../addresses.ts';
import { lanUrl, mdnsName, networkAddresses } from './addresses.ts';
import { type Announcement, announce } from './discovery.ts';
import { type AuthorityState, SiteAuthority } from './identity/authority.ts';
import { readCertificate } from './identity/certificate.ts';
import {
  OwnCertificate,
  type OwnCertificateKeeper,
  type OwnCertificateState,
} from './identity/own-certificate/own-certificate.ts';
import type { SecretKeeper } from './identity/secret-keeper.ts';
import { LanIdentity, type Pins } from './identity/site-identity.ts';
import { type Listener, openListener } from './listener.ts';
import { type Reach, tryAddress } from './self-check.ts';

const REFRESH_EVERY_MS = 15_000;
const MAX_TRUSTED_CALLS = 20;

export interface LanOptions {
  keepers: { identity: SecretKeeper; authority: SecretKeeper; ownCertificate: OwnCertificateKeeper };
  siteId: string;
  siteName: string;
  /** 0 selects a free port. */
  port: number;
  clock: () => number;
  /** Creates the server, not listening yet. */
  makeServer: (credentials: { key: string; cert: string }, contextFor: ContextFor) => Server;
  /** Receives failures that do not stop the site. */
  onProblem: (problem: unknown) => void;
  /** Interface to listen on; default all. */
  host?: string;
  /** Addresses of this computer; default those of its network interfaces. */
  addresses?: () => string[];
  /** Announce by mDNS; default yes. */
  discovery?: boolean;
}

/** What TLS serves to a client that asks for a name (SNI); undefined: the default. */
export type ContextFor = (serverName: string) => SecureContext | undefined;

/** Certificates that browsers see, apart from the pins of devices. */
export interface CertificatesState {
  authority: AuthorityState;
  /** The certificate over the site's key. */
  current: { hosts: string[]; notAfterTs: number; isSigned: boolean };
  /** Hosts of the site that the authority may not certify. */
  uncovered: string[];
  own?: OwnCertificateState;
  trustedCalls: TrustedCall[];
}

/** A browser that proved to trust the site's certificate. */
export interface TrustedCall extends LanCall {
  system: 'ANDROID' | 'IOS' | 'OTHER';
}

export interface LanState {
  port: number;
  /** Where devices call: `https://192.168.1.20:8481`. */
  urls: string[];
  name: string;
  discovery: 'announced' | 'off' | 'failed';
  pins: Pins;
  /** The last call from another computer or device since the site began to listen. */
  lastCall?: LanCall;
}

export interface LanCall {
  address: string;
  ts: number;
}

export class LanService {
  readonly #options: LanOptions;
  readonly #authority: SiteAuthority;
  readonly #identity: LanIdentity;
  readonly #own: OwnCertificate;
  /** The listener on the current port, then those on earlier ports: a device that knows only an old port learns the new one there. */
  readonly #listeners: Listener[] = [];
  readonly #name: string;
  readonly #timer: NodeJS.Timeout;
  #addresses: string[];
  #announcement: Announcement | undefined;
  #refreshing: Promise<void> | undefined;
  #lastCall: LanCall | undefined;
  /** Newest first, one for each address. */
  #trustedCalls: TrustedCall[] = [];

  private constructor(
    options: LanOptions,
    { authority, identity, own }: { authority: SiteAuthority; identity: LanIdentity; own: OwnCertificate },
    addresses: string[],
  ) {
    this.#options = options;
    this.#authority = authority;
    this.#identity = identity;
    this.#own = own;
    this.#addresses = addresses;
    this.#name = mdnsName(options.siteName, options.siteId);
    this.#timer = setInterval(() => this.refresh().catch(options.onProblem), REFRESH_EVERY_MS);
    this.#timer.unref();
  }

  /**
   * Starts listening.
   * @throws PORT_TAKEN, and SITE_CORRUPT when the key of the site cannot be read
   */
  static async start(options: LanOptions): Promise<LanService> {
    const addresses = currentAddresses(options);
    const { siteName, clock, keepers } = options;
    const siteHostName = mdnsName(siteName, options.siteId);
    const authority = await SiteAuthority.open({ keeper: keepers.authority, siteName, siteHostName, clock });
    const identity = await LanIdentity.open(
      { keeper: keepers.identity, authority, commonName: siteName, clock },
      certifiedHosts(addresses, siteHostName),
    );
    const own = await OwnCertificate.open(keepers.ownCertificate, clock);
    const service = new LanService(options, { authority, identity, own }, addresses);
    try {
      await service.moveTo(options.port);
    } catch (thrown) {
      await service.close();
      throw thrown;
    }
    return service;
  }

  /** Moves to another port; earlier ones are served until the service closes. @throws PORT_TAKEN, with nothing changed */
  async moveTo(port: number): Promise<void> {
    if (this.#listeners[0]?.port === port) return;
    const known = this.#listeners.findIndex((listener) => listener.port === port);
    const [listener] = known < 0 ? [await this.#listen(port)] : this.#listeners.splice(known, 1);
    if (listener) this.#listeners.unshift(listener);
    await this.#announcement?.end();
    this.#announce();
  }

  /** Calls each of the site's addresses from this computer. */
  async check(): Promise<{ url: string; result: Reach }[]> {
    const { fingerprint, next, previous } = this.pins;
    const pins = [fingerprint, ...[next, previous].flatMap((pin) => (pin ? [pin.fingerprint] : []))];
    const own = this.#own.state;
    return await Promise.all([
      ...(own && this.ownUrl !== undefined ? [called(this.ownUrl, [own.fingerprint])] : []),
      ...this.urls.map((url) => called(url, pins)),
    ]);
  }

  get certificates(): CertificatesState {
    const { cert } = this.#identity.credentials;
    const { hosts, notAfterMs } = readCertificate(cert);
    const own = this.#own.state;
    return {
      authority: this.#authority.state,
      current: { hosts, notAfterTs: notAfterMs, isSigned: this.#authority.hasSigned(cert) },
      uncovered: certifiedHosts(this.#addresses, this.#name).filter((host) => !hosts.includes(host)),
      ...(own && { own }),
      trustedCalls: this.#trustedCalls,
    };
  }

  /** Address under the clinic's own certificate. */
  get ownUrl(): string | undefined {
    const own = this.#own.state;
    return own && `https://${own.hostName}:${this.port}`;
  }

  /** PEM of the authority's root; undefined when it cannot be read. */
  get authorityRoot(): string | undefined {
    return this.#authority.root;
  }

  /** Notes that a browser trusts the site. Anyone can claim it, so nothing depends on it. */
  noteTrusted(from: string, system: TrustedCall['system']): void {
    const address = plainAddress(from);
    const call = { address, system, ts: this.#options.clock() };
    const others = this.#trustedCalls.filter((earlier) => earlier.address !== address);
    this.#trustedCalls = [call, ...others].slice(0, MAX_TRUSTED_CALLS);
  }

  /** Replaces the authority: phones must install the new one. */
  async replaceAuthority(): Promise<void> {
    await this.#authority.replace();
    this.#trustedCalls = [];
    await this.#refreshAnew();
  }

  /** The clinic's own certificate, which is served from the moment on in which it is set. */
  get ownCertificate(): OwnCertificate {
    return this.#own;
  }

  get state(): LanState {
    return {
      port: this.port,
      urls: this.urls,
      name: this.#name,
      discovery: this.#options.discovery === false ? 'off' : this.#announcement?.isFailed ? 'failed' : 'announced',
      pins: this.pins,
      ...(this.#lastCall && { lastCall: this.#lastCall }),
    };
  }

  get port(): number {
    return this.#listeners[0]?.port ?? 0;
  }

  get urls(): string[] {
    return this.#addresses.map((address) => lanUrl(address, this.port));
  }

  get pins(): Pins {
    return this.#identity.pins;
  }

  /** Whether this computer has an address in a network. */
  get isInNetwork(): boolean {
    return (this.#options.addresses ?? networkAddresses)().length > 0;
  }

  /** Allowed values of the Host header, without port. */
  get hosts(): string[] {
    return [this.#name, ...this.#addresses.map(urlHost), ...this.#own.hosts];
  }

  /** Applies changes of the addresses and of the key. One run at a time. */
  refresh(): Promise<void> {
    this.#refreshing ??= this.#refresh().finally(() => {
      this.#refreshing = undefined;
    });
    return this.#refreshing;
  }

  /** A run that began before a change may not have seen it. */
  async #refreshAnew(): Promise<void> {
    await this.#refreshing?.catch(() => undefined);
    await this.refresh();
  }

  /** Announces a new key that takes over at `fromTs`, or immediately if that has passed. @throws CONFLICT */
  async replaceKey(fromTs: number): Promise<Pins> {
    await this.#identity.announceRotation(fromTs);
    await this.#refreshAnew();
    return this.pins;
  }

  /** @throws CONFLICT when no new key is announced */
  async keepKey(): Promise<void> {
    await this.#identity.cancelRotation();
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#refreshing?.catch(() => undefined);
    await this.#announcement?.end();
    await Promise.all(this.#listeners.splice(0).map((listener) => listener.close()));
  }

  async #listen(port: number): Promise<Listener> {
    const { makeServer, host, onProblem } = this.#options;
    const server = makeServer(this.#identity.credentials, (serverName) => this.#own.contextFor(serverName));
    const listener = await openListener(server, { port, ...(host !== undefined && { host }) }, (from) =>
      this.#noteCall(from),
    );
    server.on('error', onProblem);
    return listener;
  }

  /** Ignores calls from this computer itself, which say nothing about the network. */
  #noteCall(from: string): void {
    const address = plainAddress(from);
    if (address === '' || address === '127.0.0.1' || address === '::1' || this.#addresses.includes(address)) return;
    this.#lastCall = { address, ts: this.#options.clock() };
  }

  async #refresh(): Promise<void> {
    const addresses = currentAddresses(this.#options);
    const moved = addresses.join() !== this.#addresses.join();
    this.#addresses = addresses;
    const before = this.pins.fingerprint;
    if (await this.#identity.refresh(certifiedHosts(addresses, this.#name))) {
      const context = { ...this.#identity.credentials, minVersion: 'TLSv1.2' } as const;
      for (const { server } of this.#listeners) server.setSecureContext(context);
    }
    if (moved || before !== this.pins.fingerprint) {
      await this.#announcement?.end();
      this.#announce();
    }
  }

  #announce(): void {
    if (this.#options.discovery === false) return;
    const { siteName, siteId, onProblem } = this.#options;
    const { fingerprint } = this.pins;
    this.#announcement = announce({ siteName, siteId, host: this.#name, port: this.port, fingerprint, onProblem });
  }
}

async function called(url: string, pins: readonly string[]): Promise<{ url: string; result: Reach }> {
  return { url, result: await tryAddress(url, pins) };
}

/** Without a network, the site still serves local programs. */
function currentAddresses(options: LanOptions): string[] {
  const found = (options.addresses ?? networkAddresses)();
  return found.length > 0 ? found : ['127.0.0.1'];
}

function certifiedHosts(addresses: readonly string[], name: string): string[] {
  return [...new Set([...addresses, '127.0.0.1', name, 'localhost'])];
}
