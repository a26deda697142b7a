/**
 * Calls of a device over TLS with a pinned key (`resources/protocol/pairing.md`, section 1). No certificate authority is used:
 * after the handshake, before the first byte of a request, the server's public key must be one of the pinned keys.
 */

import { Agent, type ClientRequestArgs, type IncomingMessage, request } from 'node:http';
import type { Duplex } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect, type TLSSocket } from 'node:tls';
import { bareHost } from '../../addresses.ts';
import { sha256Hex } from '../../files/content-hash.ts';

/** The server's key is not pinned: it is another computer, and nothing was sent to it. */
export class PinMismatch extends Error {
  constructor(met: string) {
    super(`Another computer answers at the address of the site (key ${met.slice(0, 16)}). Nothing was sent to it.`);
    this.name = 'PinMismatch';
  }
}

/** An error response of the site; callers act on `code`. */
export class Refusal extends Error {
  readonly status: number;
  readonly code: string;
  /** For uploads: the same file must not be retried automatically. */
  readonly permanent: boolean;
  readonly retryAfterSeconds?: number;
  /** For uploads: the offset from which to continue. */
  readonly offset?: number;

  constructor({ status, headers, body }: Answer) {
    const { message, code, permanent, offset } = (body ?? {}) as Record<string, unknown>;
    super(typeof message === 'string' ? message : `The site answered ${status}.`);
    this.name = 'Refusal';
    this.status = status;
    this.code = String(code ?? headers['outpost-code'] ?? 'UNKNOWN');
    this.permanent = permanent === true || headers['outpost-permanent'] === 'true';
    const retryAfter = Number(headers['retry-after']);
    if (Number.isFinite(retryAfter)) this.retryAfterSeconds = retryAfter;
    if (typeof offset === 'number') this.offset = offset;
  }
}

export interface Answer {
  status: number;
  headers: Record<string, string | undefined>;
  /** Parsed JSON; undefined without a body. */
  body: unknown;
}

export interface Call {
  method?: string;
  /** Below `/api/v1`. */
  path: string;
  json?: unknown;
  headers?: Record<string, string | number>;
  bytes?: Uint8Array;
  /** Cuts the connection after this many bytes of the body. */
  cutAfterBytes?: number;
  /** Limits the rate of the body. */
  bytesPerSecond?: number;
}

export interface SiteAddress {
  /** `https://address:port`, tried in order. */
  urls: readonly string[];
  /** Accepted fingerprints; if empty, the first one seen is trusted (pairing by a typed code). */
  pins: string[];
  token?: string;
}

class StaleConnection extends Error {}

const CONNECT_TIMEOUT_MS = 10_000;
const IDLE_TIMEOUT_MS = 60_000;

export class Connection {
  readonly site: SiteAddress;
  readonly #agent: PinnedAgent;
  #preferred = 0;

  constructor(site: SiteAddress) {
    this.site = site;
    this.#agent = new PinnedAgent(site);
  }

  /** Makes a call that must succeed. @throws Refusal, PinMismatch, network errors */
  async call(call: Call): Promise<Answer> {
    const answer = await this.send(call);
    if (answer.status >= 400) throw new Refusal(answer);
    return answer;
  }

  /** Returns the JSON of a successful response. @throws as {@link call} */
  async json<T>(path: string, json?: unknown, method?: string): Promise<T> {
    return (await this.call({ path, json, ...(method !== undefined && { method }) })).body as T;
  }

  /** Returns any response. Tries the next address of the site when one is unreachable. @throws PinMismatch, network errors */
  async send(call: Call): Promise<Answer> {
    let failure: unknown;
    for (let turn = 0; turn < this.site.urls.length; turn++) {
      const index = (this.#preferred + turn) % this.site.urls.length;
      try {
        const answer = await this.#sendTo(this.site.urls[index] ?? '', call);
        this.#preferred = index;
        return answer;
      } catch (thrown) {
        failure = thrown;
        if (!(thrown instanceof PinMismatch) && !isUnreachable(thrown)) throw thrown;
      }
    }
    throw failure;
  }

  close(): void {
    this.#agent.destroy();
  }

  /** Retries once: the site may close an idle connection just as it is reused, and all calls of the protocol are idempotent. */
  async #sendTo(url: string, call: Call): Promise<Answer> {
    try {
      return await this.#sendOnce(url, call);
    } catch (thrown) {
      if (!(thrown instanceof StaleConnection)) throw thrown;
      return await this.#sendOnce(url, call);
    }
  }

  async #sendOnce(url: string, call: Call): Promise<Answer> {
    const { hostname, port, host } = new URL(url);
    const bytes = call.json === undefined ? call.bytes : Buffer.from(JSON.stringify(call.json));
    const { token } = this.site;
    return await new Promise<Answer>((resolve, reject) => {
      const sent = request(
        {
          agent: this.#agent,
          host: bareHost(hostname),
          port: Number(port || 443),
          method: call.method ?? (bytes === undefined ? 'GET' : 'POST'),
          path: `/api/v1${call.path}`,
          headers: {
            host,
            ...(token !== undefined && { authorization: `Bearer ${token}` }),
            ...(call.json !== undefined && { 'content-type': 'application/json' }),
            ...(bytes !== undefined && { 'content-length': bytes.length }),
            ...call.headers,
          },
          timeout: IDLE_TIMEOUT_MS,
        },
        (response) => {
          readAnswer(response).then(resolve, reject);
        },
      );
      sent.on('timeout', () => sent.destroy(new Error('The site did not answer in time.')));
      sent.on('error', (error: NodeJS.ErrnoException) => {
        const isStale = sent.reusedSocket && error.code === 'ECONNRESET' && call.cutAfterBytes === undefined;
        reject(isStale ? new StaleConnection(error.message) : error);
      });
      writeBody(sent, bytes, call).catch(reject);
    });
  }
}

/** Writes per second of a rate-limited body. */
const STEPS_PER_SECOND = 20;

async function writeBody(sent: Sending, bytes: Uint8Array | undefined, call: Call): Promise<void> {
  const { cutAfterBytes, bytesPerSecond } = call;
  if (bytes === undefined || (cutAfterBytes === undefined && bytesPerSecond === undefined)) {
    sent.end(bytes);
    return;
  }
  const stop = Math.min(cutAfterBytes ?? bytes.length, bytes.length);
  const step = bytesPerSecond === undefined ? stop : Math.max(1, Math.floor(bytesPerSecond / STEPS_PER_SECOND));
  for (let at = 0; at < stop; at += step) {
    if (sent.destroyed) return;
    await new Promise<void>((resolve) => sent.write(bytes.subarray(at, Math.min(stop, at + step)), () => resolve()));
    if (bytesPerSecond !== undefined) await sleep(1000 / STEPS_PER_SECOND);
  }
  if (cutAfterBytes === undefined) sent.end();
  else sent.destroy(new Error('The connection was cut on purpose.'));
}

interface Sending {
  destroyed: boolean;
  end(bytes?: Uint8Array): unknown;
  write(bytes: Uint8Array, done: () => void): unknown;
  destroy(reason: Error): unknown;
}

async function readAnswer(response: IncomingMessage): Promise<Answer> {
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString('utf8');
  const isJson = text !== '' && /json/.test(response.headers['content-type'] ?? '');
  return {
    status: response.statusCode ?? 0,
    headers: response.headers as Answer['headers'],
    body: isJson ? (JSON.parse(text) as unknown) : undefined,
  };
}

function isUnreachable(thrown: unknown): boolean {
  const { code, syscall } = thrown as { code?: string; syscall?: string };
  return syscall === 'connect' || code === 'CONNECT_TIMEOUT' || code === 'ENOTFOUND';
}

/** Keep-alive connections whose server key was checked before anything was sent. */
class PinnedAgent extends Agent {
  readonly #site: SiteAddress;

  constructor(site: SiteAddress) {
    super({ keepAlive: true, maxSockets: 4 });
    this.#site = site;
  }

  override createConnection(
    options: ClientRequestArgs,
    done?: (error: Error | null, socket: Duplex) => void,
  ): Duplex | null | undefined {
    const { host, port } = options;
    const socket = connect({
      host: String(host),
      port: Number(port),
      rejectUnauthorized: false,
      minVersion: 'TLSv1.2',
      ALPNProtocols: ['http/1.1'],
    });
    const fail = (error: Error) => {
      socket.destroy();
      done?.(error, socket);
    };
    const timer = setTimeout(
      () => fail(Object.assign(new Error('The site could not be reached in time.'), { code: 'CONNECT_TIMEOUT' })),
      CONNECT_TIMEOUT_MS,
    );
    socket.once('close', () => clearTimeout(timer));
    socket.once('error', fail);
    socket.once('secureConnect', () => {
      clearTimeout(timer);
      socket.off('error', fail);
      const met = fingerprintOf(socket);
      if (this.#site.pins.length === 0) this.#site.pins.push(met);
      if (!this.#site.pins.includes(met)) {
        fail(new PinMismatch(met));
        return;
      }
      done?.(null, socket);
    });
    return undefined;
  }
}

/** SHA-256 of the SubjectPublicKeyInfo of the server's certificate, in hex. */
function fingerprintOf(socket: TLSSocket): string {
  const certificate = socket.getPeerX509Certificate();
  if (!certificate) throw new Error('The server sent no certificate.');
  const spki = certificate.publicKey.export({ type: 'spki', format: 'der' });
  return sha256Hex(spki);
}
