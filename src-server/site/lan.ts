/** The local network side of a running site: pairing, phone sign-in, and the TLS listener while it is switched on. */
import type { RequestListener } from 'node:http';
import { hostname } from 'node:os';
import { bareHost, isLoopbackName } from '../addresses.ts';
import type { Network, NetworkCheck } from '../api/contract/index.ts';
import type { LanPort } from '../api/deps.ts';
import type { Change, LanListenerSetting } from '../db/index.ts';
import { OutpostError, toOutpostError } from '../errors.ts';
import { interfaceOf, lanUrl } from '../lan/addresses.ts';
import { PROTOCOL_VERSION } from '../lan/device-identity.ts';
import type { Pins } from '../lan/identity/site-identity.ts';
import { LanService } from '../lan/lan-service.ts';
import { PairingCalls } from '../lan/pairing/calls.ts';
import { PairingDesk } from '../lan/pairing/desk.ts';
import { sweepPairings } from '../lan/pairing/steps.ts';
import { PhoneSignIns } from '../lan/phone/sign-in.ts';
import type { RefusedAttempts } from '../lan/refused-attempts.ts';
import { SecretBox } from '../secrets/sealed-text.ts';
import { ownCertificateKeeper, secretKeeper } from './certificates/keepers.ts';
import { LanCertificates } from './certificates/lan-certificates.ts';
import type { SiteFolder } from './folder.ts';
import { createHttpsServer, type SenderLimits } from './http-server.ts';

const SWEEP_INTERVAL_MS = 5000;
const HTTPS_PORT = 443;

export interface SiteLanOptions {
  /**
   * Default: the port from the settings. If a port given here is taken, the start fails; if the one from the settings is
   * taken, the site starts without the listener.
   */
  port?: number;
  /** Interface to listen on; default: all. */
  host?: string;
  /** Addresses of this computer; default: those of its network interfaces. */
  addresses?: () => string[];
  /** Whether to announce the site by mDNS; default true. */
  discovery?: boolean;
  limits?: SenderLimits;
}

export class SiteLan implements LanPort {
  readonly protocolVersion = PROTOCOL_VERSION;
  readonly desk: PairingDesk;
  readonly calls: PairingCalls;
  readonly phones: PhoneSignIns;
  readonly certificates: LanCertificates;
  readonly #folder: SiteFolder;
  /** When the listener got its present port. */
  #openedTs = 0;
  readonly #clock: () => number;
  readonly #onProblem: (problem: unknown) => void;
  readonly #sweeper: NodeJS.Timeout;
  #start: { options: SiteLanOptions; answer: RequestListener } | undefined;
  #wanted: LanListenerSetting | undefined;
  #changing: Promise<void> = Promise.resolve();
  #service: LanService | undefined;
  #failure: OutpostError | undefined;

  constructor(
    folder: SiteFolder,
    options: {
      clock: () => number;
      elapsed: () => number;
      refused: RefusedAttempts;
      onProblem: (problem: unknown) => void;
    },
  ) {
    const { site, store } = folder;
    this.#folder = folder;
    this.#clock = options.clock;
    this.#onProblem = options.onProblem;
    const context = {
      store,
      siteId: site.id,
      siteName: () => site.displayName,
      clock: options.clock,
      elapsed: options.elapsed,
      refused: options.refused,
      box: new SecretBox(Buffer.from(site.urlSigningKey, 'hex')),
      fingerprint: () => this.#service?.pins.fingerprint ?? '',
      addresses: () => this.urls,
    };
    this.desk = new PairingDesk(context);
    this.calls = new PairingCalls(context);
    this.phones = new PhoneSignIns(context);
    this.certificates = new LanCertificates(folder, options.clock, {
      service: () => this.#service,
      require: () => this.#requireService(),
    });
    // Expire pairings in the background, so that a waiting desk receives the change without polling.
    this.#sweeper = setInterval(() => sweepPairings(context).catch(options.onProblem), SWEEP_INTERVAL_MS);
    this.#sweeper.unref();
  }

  /**
   * Listens unless the settings switch it off. Without `options`, the listener stays off until the next start.
   * @throws PORT_TAKEN when `options.port` is taken
   */
  async start(options: SiteLanOptions | undefined, answer: RequestListener): Promise<void> {
    this.#wanted = await this.#folder.store.settings.get('lan.listener');
    if (!options) return;
    this.#start = { options, answer };
    if (!this.#wanted.isOn) return;
    try {
      await this.#open(options.port ?? this.#wanted.port);
    } catch (thrown) {
      if (options.port !== undefined) throw thrown;
      this.#failure = toOutpostError(thrown);
      this.#onProblem(thrown);
    }
  }

  /**
   * Stores and applies the settings. A new port is opened in addition to the current one, which stays open until the site
   * closes. Switching the listener off cuts uploads in progress; they can be resumed.
   * @throws PORT_TAKEN, with nothing changed
   */
  async configure(wanted: LanListenerSetting, change: Change): Promise<void> {
    const before = this.#changing;
    const done = before.then(() => this.#configure(wanted, change));
    this.#changing = done.catch(() => undefined);
    await done;
  }

  async #configure(wanted: LanListenerSetting, change: Change): Promise<void> {
    if (this.#start && wanted.isOn) {
      if (this.#service) {
        await this.#service.moveTo(wanted.port);
        this.#openedTs = this.#clock();
      } else await this.#open(wanted.port);
    }
    await this.#folder.store.settings.set('lan.listener', wanted, change);
    this.#wanted = wanted;
    if (wanted.isOn) return;
    this.#failure = undefined;
    const service = this.#service;
    this.#service = undefined;
    await service?.close();
  }

  async #open(port: number): Promise<void> {
    const start = this.#start;
    if (!start) return;
    const { site } = this.#folder;
    this.#service = await LanService.start({
      ...start.options,
      keepers: {
        identity: secretKeeper(this.#folder, 'lan.identity'),
        authority: secretKeeper(this.#folder, 'lan.authority'),
        ownCertificate: ownCertificateKeeper(this.#folder),
      },
      siteId: site.id,
      siteName: site.displayName,
      port,
      clock: this.#clock,
      makeServer: (credentials, contextFor) =>
        createHttpsServer(start.answer, credentials, start.options.limits, contextFor),
      onProblem: this.#onProblem,
    });
    this.#openedTs = this.#clock();
    this.#failure = undefined;
  }

  /** Addresses that devices connect to; empty while the listener is off. */
  get urls(): string[] {
    return this.#service?.urls ?? [];
  }

  get fingerprint(): string | undefined {
    return this.#service?.pins.fingerprint;
  }

  /** Why the listener is not running although it is switched on. */
  get failure(): OutpostError | undefined {
    return this.#failure;
  }

  /** Host names accepted in requests. */
  get hosts(): string[] {
    return this.#service?.hosts ?? [];
  }

  hasWebHost(host: string, lastCallTs: number): boolean | undefined {
    const service = this.#service;
    if (!service?.isInNetwork) return undefined;
    const url = `https://${host}`;
    if (!URL.canParse(url)) return false;
    const { hostname, port } = new URL(url);
    const isOwn = isLoopbackName(hostname) || service.hosts.some((own) => own.toLowerCase() === hostname);
    if (!isOwn) return false;
    // A forwarded port is not one of the listener's, yet calls arrive there.
    return Number(port || HTTPS_PORT) === service.port || lastCallTs >= this.#openedTs;
  }

  network(): Network {
    const common = {
      computerName: hostname(),
      ...(this.#wanted && { configured: this.#wanted }),
      isAllowed: this.#start !== undefined,
    };
    if (this.#service) {
      const { port, urls, name, discovery, pins, lastCall } = this.#service.state;
      const { ownUrl } = this.#service;
      return {
        ...{ ...common, state: 'listening', port, urls, name, discovery, pins },
        ...(discovery === 'announced' && { nameUrl: lanUrl(name, port) }),
        ...(ownUrl !== undefined && { ownUrl }),
        ...(lastCall && { lastCall }),
      };
    }
    const { code, message } = this.#failure ?? {};
    return code && message
      ? { ...common, state: 'failed', problem: { code, message }, urls: [] }
      : { ...common, state: 'off', urls: [] };
  }

  async check(): Promise<NetworkCheck> {
    const checked = (await this.#service?.check()) ?? [];
    const addresses = checked.map(({ url, result }) => {
      const interfaceName = interfaceOf(bareHost(new URL(url).hostname));
      return { url, result, ...(interfaceName !== undefined && { interfaceName }) };
    });
    const lastCall = this.#service?.state.lastCall;
    return { checkedTs: this.#clock(), addresses, ...(lastCall && { lastCall }) };
  }

  /** Applies address changes immediately instead of at the next poll. */
  async refresh(): Promise<void> {
    await this.#service?.refresh();
  }

  async replaceKey(fromTs: number, change: Change): Promise<Pins> {
    const service = this.#requireService();
    const pins = await service.replaceKey(fromTs);
    await this.#folder.store.devices.noteKeyChange(
      { next: pins.next?.fingerprint ?? pins.fingerprint, fromTs },
      change,
    );
    return pins;
  }

  async keepKey(change: Change): Promise<void> {
    await this.#requireService().keepKey();
    await this.#folder.store.devices.noteKeyChange({ next: null }, change);
  }

  async close(): Promise<void> {
    clearInterval(this.#sweeper);
    await this.#changing;
    await this.#service?.close();
  }

  #requireService(): LanService {
    if (this.#service) return this.#service;
    throw new OutpostError(
      'CONFLICT',
      'The site is not listening on the local network, so its key and certificates are not in use.',
    );
  }
}
