/** The local network of a running site: pairing, and the listener when there is one. */
import type { RequestListener } from 'node:http';
import type { Network } from '../api/contract/index.ts';
import type { LanPort } from '../api/deps.ts';
import { type Change, SYSTEM } from '../db/index.ts';
import { OutpostError, toOutpostError } from '../errors.ts';
import { PROTOCOL_VERSION } from '../lan/device-identity.ts';
import type { Pins } from '../lan/identity/site-identity.ts';
import { LanService } from '../lan/lan-service.ts';
import { PairingCalls } from '../lan/pairing/calls.ts';
import { PairingDesk } from '../lan/pairing/desk.ts';
import { sweepPairings } from '../lan/pairing/steps.ts';
import { PhoneSignIns } from '../lan/phone/sign-in.ts';
import type { RefusedAttempts } from '../lan/refused-attempts.ts';
import { SecretBox } from '../sealed-text.ts';
import type { SiteFolder } from './folder.ts';
import { createHttpsServer, type StrangerLimits } from './http-server.ts';

/** Where devices find a site when nobody asks for another port: what they were told once keeps working. */
export const DEFAULT_LAN_PORT = 8481;
const SWEEP_EVERY_MS = 5000;

export interface SiteLanOptions {
  /** A port that was asked for must be had; the default one may be taken, then the desk opens all the same. */
  port?: number;
  /** Interface to listen on; default all. */
  host?: string;
  /** Addresses of this computer; default those of its network interfaces. */
  addresses?: () => string[];
  /** Announce by mDNS; default yes. */
  discovery?: boolean;
  limits?: StrangerLimits;
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

  /** @throws PORT_TAKEN for a port that was asked for */
  async start(options: SiteLanOptions, answer: RequestListener): Promise<void> {
    const { site, store } = this.#folder;
    const box = new SecretBox(Buffer.from(site.urlSigningKey, 'hex'));
    try {
      this.#service = await LanService.start({
        ...options,
        keeper: {
          read: async () => {
            const sealed = await store.settings.get('lan.identity');
            return sealed === null ? undefined : (box.open(sealed) ?? '');
          },
          write: async (text) => await store.settings.set('lan.identity', box.seal(text), SYSTEM),
        },
        siteId: site.id,
        siteName: site.displayName,
        port: options.port ?? DEFAULT_LAN_PORT,
        clock: this.#clock,
        makeServer: (credentials) => createHttpsServer(answer, credentials, options.limits),
        onProblem: this.#onProblem,
      });
    } catch (thrown) {
      if (options.port !== undefined) throw thrown;
      this.#failure = toOutpostError(thrown);
      this.#onProblem(thrown);
    }
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
    if (this.#service) {
      const { urls, name, discovery, pins } = this.#service.state;
      return { state: 'listening', urls, name, discovery, pins };
    }
    const { code, message } = this.#failure ?? {};
    return code && message ? { state: 'failed', problem: { code, message }, urls: [] } : { state: 'off', urls: [] };
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
    await this.#service?.close();
  }

  #requireService(): LanService {
    if (this.#service) return this.#service;
    throw new OutpostError('CONFLICT', 'The site does not listen on the local network now, so its key is not in use.');
  }
}
