/** The local network of a running site: pairing, and the listener when there is one. */
import type { RequestListener } from 'node:http';
import { hostname } from 'node:os';
import { bareHost } from '../addresses.ts';
import type { Network, NetworkCheck } from '../api/contract/index.ts';
import type { LanPort } from '../api/deps.ts';
import { type Change, type LanListenerSetting, SYSTEM } from '../db/index.ts';
import { OutpostError, toOutpostError } from '../errors.ts';
import { interfaceOf } from '../lan/addresses.ts';
import { PROTOCOL_VERSION } from '../lan/device-identity.ts';
import type { Pins } from '../lan/identity/site-identity.ts';
import { LanService } from '../lan/lan-service.ts';
import { PairingCalls } from '../lan/pairing/calls.ts';
import { PairingDesk } from '../lan/pairing/desk.ts';
import { sweepPairings } from '../lan/pairing/steps.ts';
import { PhoneSignIns } from '../lan/phone/sign-in.ts';
import type { RefusedAttempts } from '../lan/refused-attempts.ts';
import { SecretBox } from '../secrets/sealed-text.ts';
import type { SiteFolder } from './folder.ts';
import { createHttpsServer, type SenderLimits } from './http-server.ts';

const SWEEP_EVERY_MS = 5000;

export interface SiteLanOptions {
  /**
   * Default: the one of the settings. A port that was asked for here must be had; that of the settings may be taken, then the
   * desk opens all the same.
   */
  port?: number;
  /** Interface to listen on; default all. */
  host?: string;
  /** Addresses of this computer; default those of its network interfaces. */
  addresses?: () => string[];
  /** Announce by mDNS; default yes. */
  discovery?: boolean;
  limits?: SenderLimits;
}

export class SiteLan implements LanPort {
  readonly protocolVersion = PROTOCOL_VERSION;
  readonly desk: PairingDesk;
  readonly calls: PairingCalls;
  readonly phones: PhoneSignIns;
  readonly #folder: SiteFolder;
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
    options: { clock: () => number; refused: RefusedAttempts; onProblem: (problem: unknown) => void },
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
      refused: options.refused,
      box: new SecretBox(Buffer.from(site.urlSigningKey, 'hex')),
      fingerprint: () => this.#service?.pins.fingerprint ?? '',
      addresses: () => this.urls,
    };
    this.desk = new PairingDesk(context);
    this.calls = new PairingCalls(context);
    this.phones = new PhoneSignIns(context);
    // A desk that waits for a device hears by itself that the time is over.
    this.#sweeper = setInterval(() => sweepPairings(context).catch(options.onProblem), SWEEP_EVERY_MS);
    this.#sweeper.unref();
  }

  /**
   * Listens unless the settings say no. Without options it stays off until the next start.
   * @throws PORT_TAKEN for a port that was asked for
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
   * Keeps the settings and follows them at once. Another port is taken beside the present one, which goes on answering until
   * the site ends. Switched off, uploads under way are cut and go on where they were.
   * @throws PORT_TAKEN, and nothing has changed
   */
  async configure(wanted: LanListenerSetting, change: Change): Promise<void> {
    const before = this.#changing;
    const done = before.then(() => this.#configure(wanted, change));
    this.#changing = done.catch(() => undefined);
    await done;
  }

  async #configure(wanted: LanListenerSetting, change: Change): Promise<void> {
    if (this.#start && wanted.isOn) {
      if (this.#service) await this.#service.moveTo(wanted.port);
      else await this.#open(wanted.port);
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
    const { site, store } = this.#folder;
    const box = new SecretBox(Buffer.from(site.urlSigningKey, 'hex'));
    this.#service = await LanService.start({
      ...start.options,
      keeper: {
        read: async () => {
          const sealed = await store.settings.get('lan.identity');
          return sealed === null ? undefined : (box.open(sealed) ?? '');
        },
        write: async (text) => await store.settings.set('lan.identity', box.seal(text), SYSTEM),
      },
      siteId: site.id,
      siteName: site.displayName,
      port,
      clock: this.#clock,
      makeServer: (credentials) => createHttpsServer(start.answer, credentials, start.options.limits),
      onProblem: this.#onProblem,
    });
    this.#failure = undefined;
  }

  /** Where devices call; empty while nothing listens. */
  get urls(): string[] {
    return this.#service?.urls ?? [];
  }

  get fingerprint(): string | undefined {
    return this.#service?.pins.fingerprint;
  }

  /** Why it does not listen though it should. */
  get failure(): OutpostError | undefined {
    return this.#failure;
  }

  /** Names under which requests may come. */
  get hosts(): string[] {
    return this.#service?.hosts ?? [];
  }

  network(): Network {
    const common = {
      computerName: hostname(),
      ...(this.#wanted && { configured: this.#wanted }),
      isAllowed: this.#start !== undefined,
    };
    if (this.#service) {
      const { port, urls, name, discovery, pins, lastCall } = this.#service.state;
      return { ...common, state: 'listening', port, urls, name, discovery, pins, ...(lastCall && { lastCall }) };
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

  /** Follows changes of addresses now instead of in a moment. */
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
    throw new OutpostError('CONFLICT', 'The site does not listen on the local network now, so its key is not in use.');
  }
}
