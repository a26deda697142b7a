/**
 * A hub or phone as `resources/protocol/pairing.md` describes it, over real TLS, written from that document alone: it
 * shares no code with the site.
 */
import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto';
import { request as httpRequest } from 'node:http';
import { connect, type TLSSocket } from 'node:tls';
import { bareHost } from '../addresses.ts';

interface Answer {
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of many shapes.
  body: any;
  headers: Record<string, string | string[] | undefined>;
}

interface Call {
  method?: string;
  path: string;
  body?: unknown;
  token?: string;
  headers?: Record<string, string>;
}

/** SHA-256 of the public key that a TLS server showed, hex. */
function pinOf(socket: TLSSocket): string {
  const certificate = socket.getPeerX509Certificate();
  if (!certificate) throw new Error('The server showed no certificate.');
  return createHash('sha256')
    .update(certificate.publicKey.export({ type: 'spki', format: 'der' }))
    .digest('hex');
}

/** Opens TLS to `https://address:port` without validating the certificate chain. */
export async function openTls(url: string): Promise<TLSSocket> {
  const { hostname, port } = new URL(url);
  const host = bareHost(hostname);
  return await new Promise((resolve, reject) => {
    const socket = connect({ host, port: Number(port), rejectUnauthorized: false, ALPNProtocols: ['http/1.1'] }, () =>
      resolve(socket),
    );
    // Stays: a connection that is cut later says so by its end.
    socket.on('error', reject);
  });
}

/** Makes one call over a new connection. Nothing is sent unless the server has one of the pinned keys. */
export async function pinnedCall(url: string, pins: readonly string[], call: Call): Promise<Answer> {
  const socket = await openTls(url);
  if (!pins.includes(pinOf(socket))) {
    socket.destroy();
    throw new Error('PIN_MISMATCH: another computer answers at the address of the site.');
  }
  const text = call.body === undefined ? undefined : JSON.stringify(call.body);
  return await new Promise((resolve, reject) => {
    const request = httpRequest(
      {
        createConnection: () => socket,
        method: call.method ?? (text === undefined ? 'GET' : 'POST'),
        path: call.path,
        headers: {
          host: new URL(url).host,
          connection: 'close',
          ...(call.token && { authorization: `Bearer ${call.token}` }),
          ...(text !== undefined && { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }),
          ...call.headers,
        },
      },
      (response) => {
        let received = '';
        response.setEncoding('utf8').on('data', (part: string) => {
          received += part;
        });
        response.on('end', () => {
          const isJson = /json/.test(response.headers['content-type'] ?? '');
          const body: unknown = isJson ? JSON.parse(received) : received;
          resolve({ status: response.statusCode ?? 0, body, headers: response.headers });
        });
        response.on('error', reject);
      },
    );
    request.on('error', reject);
    request.end(text);
  });
}

interface QrCode {
  siteId: string;
  pairingId: string;
  secret: Buffer;
  pin: string;
  expirationTs: number;
  addresses: string[];
}

function readLink(link: string): QrCode {
  const members = new URLSearchParams(link.slice(link.indexOf('#') + 1));
  const member = (name: string) => members.get(name) ?? '';
  return {
    siteId: member('s'),
    pairingId: member('p'),
    secret: Buffer.from(member('k'), 'base64url'),
    pin: Buffer.from(member('f'), 'base64url').toString('hex'),
    expirationTs: Number(member('e')) * 1000,
    addresses: members.getAll('a'),
  };
}

function keyed(key: Buffer, purpose: string, ...parts: Buffer[]): Buffer {
  return createHmac('sha256', key)
    .update(Buffer.concat([Buffer.from(`outpost-pairing-1 ${purpose}\0`), ...parts]))
    .digest();
}

/** A refusal of the site. */
export class DeviceRefused extends Error {
  readonly code: string;
  readonly status: number;

  constructor({ status, body }: Answer) {
    super(`${body.code}: ${body.message}`);
    this.code = body.code;
    this.status = status;
  }
}

export interface TestDeviceOptions {
  kind?: 'HUB' | 'PHONE';
  serial?: string;
  clock?: () => number;
  protocolVersion?: number;
  /** Redirects calls to another address: a man in the middle. */
  url?: string;
}

export class TestDevice {
  readonly nonce = randomBytes(32);
  readonly #options: TestDeviceOptions;
  url = '';
  pins: string[] = [];
  token = '';
  /** The check code, known once the nonce is revealed. */
  checkCode = '';
  pairingId = '';

  constructor(options: TestDeviceOptions = {}) {
    this.#options = options;
  }

  /** A call to the site it knows, with its token. @throws DeviceRefused */
  async call(path: string, body?: unknown, method?: string): Promise<Answer['body']> {
    const answer = await pinnedCall(this.url, this.pins, { path: `/api/v1${path}`, body, method, token: this.token });
    if (answer.status >= 400) throw new DeviceRefused(answer);
    return answer.body;
  }

  /** Calls in with what the QR code says. */
  async scan(link: string): Promise<void> {
    const code = readLink(link);
    this.url = this.#options.url ?? code.addresses[0] ?? '';
    this.pins = [code.pin];
    await this.callIn(code.secret, { siteId: code.siteId, pairingId: code.pairingId });
  }

  /** Calls in with an address and a code that were typed; whatever key the server shows is taken for the moment. */
  async type(url: string, code: string): Promise<void> {
    this.url = this.#options.url ?? url;
    const socket = await openTls(this.url);
    this.pins = [pinOf(socket)];
    socket.destroy();
    const { siteId } = await this.call('/device/hello');
    const letters = code.toUpperCase().replace(/[^A-Z0-9]/g, '');
    await this.callIn(pbkdf2Sync(letters, `outpost-pairing-1 code\0${siteId}`, 200_000, 32, 'sha256'), {});
  }

  /** First and second call; then the check code is known. */
  async callIn(key: Buffer, from: { siteId?: string; pairingId?: string }): Promise<void> {
    const pin = Buffer.from(this.pins[0] ?? '', 'hex');
    const commitment = createHash('sha256').update(this.nonce).digest();
    const { kind = 'HUB', serial = 'HUB-0001', clock = Date.now, protocolVersion = 1 } = this.#options;
    const answer = await this.call('/device/pairings', {
      protocolVersion,
      ...from,
      commitment: commitment.toString('base64url'),
      proof: keyed(key, 'proof', pin, commitment).toString('base64url'),
      clockTs: clock(),
      device: { kind, serial, displayName: `Device ${serial}`, firmwareId: '1.4.0' },
    });
    this.pairingId = answer.pairingId;
    await this.reveal();
    const serverNonce = Buffer.from(answer.serverNonce, 'base64url');
    const digest = keyed(key, 'check', pin, this.nonce, serverNonce).subarray(0, 4).toString('hex').toUpperCase();
    this.checkCode = `${digest.slice(0, 4)}-${digest.slice(4)}`;
  }

  async reveal(): Promise<void> {
    await this.call(`/device/pairings/${this.pairingId}/nonce`, { nonce: this.nonce.toString('base64url') });
  }

  /** Third call. True once the token is there. */
  async collect(): Promise<boolean> {
    const nonce = this.nonce.toString('base64url');
    const answer = await this.call(`/device/pairings/${this.pairingId}/credential`, { nonce });
    if (answer.state !== 'PAIRED') return false;
    this.token = answer.token;
    return true;
  }
}
