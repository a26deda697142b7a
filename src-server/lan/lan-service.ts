/**
 * The site on the local network: its key and certificate, the HTTPS listener, its announcement, and the addresses it has
 * at the moment (they change when a computer moves or its router gives out others).
 */
import type { Server } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { OutpostError } from '../errors.ts';
import { lanUrl, mdnsName, networkAddresses } from './addresses.ts';
import { type Announcement, announce } from './discovery.ts';
import { type IdentityKeeper, LanIdentity, type Pins } from './identity/site-identity.ts';

/** Enough for a ward of hubs and phones; more only use memory up. */
const MAX_CONNECTIONS = 256;
/** Of one address: a hub uses two. Leaves room for others whatever one sender does. */
const MAX_CONNECTIONS_PER_ADDRESS = 32;
const LOOK_EVERY_MS = 15_000;

export interface LanOptions {
  keeper: IdentityKeeper;
  siteId: string;
  siteName: string;
  /** 0 takes a free one. */
  port: number;
  clock: () => number;
  /** Makes the server that answers, not listening yet. */
  makeServer: (credentials: { key: string; cert: string }) => Server;
  /** Hears of what does not stop the site. */
  onProblem: (problem: unknown) => void;
  /** Interface to listen on; default all. */
  host?: string;
  /** Addresses of this computer; default those of its network interfaces. */
  addresses?: () => string[];
  /** Announce by mDNS; default yes. */
  discovery?: boolean;
}

export interface LanState {
  port: number;
  /** Where devices call: `https://192.168.1.20:8481`. */
  urls: string[];
  name: string;
  discovery: 'announced' | 'off' | 'failed';
  pins: Pins;
}

export class LanService {
  readonly #options: LanOptions;
  readonly #identity: LanIdentity;
  readonly #server: Server;
  readonly #sockets: Set<Socket>;
  readonly #name: string;
  readonly #port: number;
  readonly #timer: NodeJS.Timeout;
  #addresses: string[];
  #announcement: Announcement | undefined;
  #refreshing: Promise<void> | undefined;

  private constructor(
    options: LanOptions,
    parts: { identity: LanIdentity; server: Server; sockets: Set<Socket>; port: number; addresses: string[] },
  ) {
    this.#options = options;
    this.#identity = parts.identity;
    this.#server = parts.server;
    this.#sockets = parts.sockets;
    this.#port = parts.port;
    this.#addresses = parts.addresses;
    this.#name = mdnsName(options.siteName, options.siteId);
    this.#timer = setInterval(() => this.refresh().catch(options.onProblem), LOOK_EVERY_MS);
    this.#timer.unref();
    this.#announce();
  }

  /**
   * Starts listening.
   * @throws PORT_TAKEN, and SITE_CORRUPT when the key of the site cannot be read
   */
  static async start(options: LanOptions): Promise<LanService> {
    const addresses = currentAddresses(options);
    const identity = await LanIdentity.open(
      { keeper: options.keeper, commonName: options.siteName.slice(0, 64), clock: options.clock },
      certifiedHosts(addresses, mdnsName(options.siteName, options.siteId)),
    );
    const server = options.makeServer(identity.credentials);
    const sockets = limitConnections(server);
    const port = await listen(server, options.port, options.host);
    server.on('error', options.onProblem);
    return new LanService(options, { identity, server, sockets, port, addresses });
  }

  get state(): LanState {
    return {
      port: this.#port,
      urls: this.urls,
      name: this.#name,
      discovery: this.#options.discovery === false ? 'off' : this.#announcement?.isFailed ? 'failed' : 'announced',
      pins: this.pins,
    };
  }

  get urls(): string[] {
    return this.#addresses.map((address) => lanUrl(address, this.#port));
  }

  get pins(): Pins {
    return this.#identity.pins;
  }

  /** Names and addresses under which requests may come, as in a Host header without port. */
  get hosts(): string[] {
    return [this.#name, ...this.#addresses.map((address) => (address.includes(':') ? `[${address}]` : address))];
  }

  /** Follows changes of addresses and of the key. One at a time. */
  refresh(): Promise<void> {
    this.#refreshing ??= this.#refresh().finally(() => {
      this.#refreshing = undefined;
    });
    return this.#refreshing;
  }

  /** Announces a new key that takes over at `fromTs`; a time that has come takes it at once. @throws CONFLICT */
  async replaceKey(fromTs: number): Promise<Pins> {
    await this.#identity.announceRotation(fromTs);
    await this.refresh();
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
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    this.#server.closeAllConnections();
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }

  async #refresh(): Promise<void> {
    const addresses = currentAddresses(this.#options);
    const moved = addresses.join() !== this.#addresses.join();
    this.#addresses = addresses;
    const before = this.pins.fingerprint;
    if (await this.#identity.refresh(certifiedHosts(addresses, this.#name))) {
      this.#server.setSecureContext({ ...this.#identity.credentials, minVersion: 'TLSv1.2' });
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
    this.#announcement = announce({ siteName, siteId, host: this.#name, port: this.#port, fingerprint, onProblem });
  }
}

/** A computer without a network still answers programs of its own. */
function currentAddresses(options: LanOptions): string[] {
  const found = (options.addresses ?? networkAddresses)();
  return found.length > 0 ? found : ['127.0.0.1'];
}

function certifiedHosts(addresses: readonly string[], name: string): string[] {
  return [...new Set([...addresses, '127.0.0.1', name, 'localhost'])];
}

/** Caps connections altogether and per address; answers the set of open sockets, those still greeting included. */
function limitConnections(server: Server): Set<Socket> {
  const sockets = new Set<Socket>();
  const perAddress = new Map<string, number>();
  server.maxConnections = MAX_CONNECTIONS;
  server.on('connection', (socket: Socket) => {
    const address = socket.remoteAddress ?? '';
    const count = (perAddress.get(address) ?? 0) + 1;
    if (count > MAX_CONNECTIONS_PER_ADDRESS) {
      socket.destroy();
      return;
    }
    perAddress.set(address, count);
    sockets.add(socket);
    socket.once('close', () => {
      sockets.delete(socket);
      const left = (perAddress.get(address) ?? 1) - 1;
      if (left > 0) perAddress.set(address, left);
      else perAddress.delete(address);
    });
  });
  return sockets;
}

function listen(server: Server, port: number, host: string | undefined): Promise<number> {
  return new Promise((resolve, reject) => {
    const refused = (error: NodeJS.ErrnoException) => {
      const isTaken = error.code === 'EADDRINUSE' || error.code === 'EACCES';
      const advice = 'Close that program, or choose another port with --lan-port.';
      const message = `Port ${port} for the local network cannot be used: another program has it. ${advice}`;
      reject(isTaken ? new OutpostError('PORT_TAKEN', message, { details: { port } }) : error);
    };
    server.once('error', refused);
    server.listen(port, host, () => {
      server.off('error', refused);
      resolve((server.address() as AddressInfo).port);
    });
  });
}
