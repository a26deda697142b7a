/**
 * HTTP and HTTPS servers of a site, with limits against slow senders. A long upload is allowed; a connection that stalls or
 * trickles is cut.
 */
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import { createServer as createTlsServer, type Server as TlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { SecureContext } from 'node:tls';
import { answerClientErrors } from '../api/framework/guards.ts';
import { portFailure } from '../port-owner.ts';

/** Limits per connection. A whole request has no time limit, because uploading a day of signals can take long. */
export interface SenderLimits {
  /** Time for the TLS handshake, then for the head of a request. A connection that sends neither is closed after it too. */
  headTimeoutMs: number;
  /** Interval at which Node checks connections against these limits. */
  checkIntervalMs: number;
  /** How long a connection may idle between requests. */
  keepAliveMs: number;
  /** Interval at which the progress of a request body is checked. */
  periodMs: number;
  /** The connection is cut when fewer bytes arrive in a period. */
  minimumBytes: number;
}

/** Half a kilobyte per second: a phone at the edge of the network is faster, a slowloris connection is not. */
const BODY_LIMITS = { periodMs: 30_000, minimumBytes: 15_000 };

/**
 * The keep-alive exceeds the 60 s after which common proxies and clients close idle connections. If the server closed first,
 * the next request could hit a closing connection.
 */
const DESK_LIMITS: SenderLimits = { ...BODY_LIMITS, headTimeoutMs: 20_000, checkIntervalMs: 5000, keepAliveMs: 65_000 };

/**
 * Anyone on the local network can connect, and connections are limited. Responses announce `Keep-Alive: timeout=5`; Node
 * holds the connection one second longer.
 */
const LAN_LIMITS: SenderLimits = { ...BODY_LIMITS, headTimeoutMs: 10_000, checkIntervalMs: 1000, keepAliveMs: 5000 };

const serverOptions = ({ headTimeoutMs, checkIntervalMs, keepAliveMs }: SenderLimits) => ({
  headersTimeout: headTimeoutMs,
  requestTimeout: 0,
  connectionsCheckingInterval: checkIntervalMs,
  keepAliveTimeout: keepAliveMs,
});

/** Creates a server that is not listening yet. */
export function createHttpServer(answer: RequestListener, limits: SenderLimits = DESK_LIMITS): Server {
  const server = createServer(serverOptions(limits), answer);
  answerClientErrors(server);
  server.on('request', (request) => cutWhenSlow(request, limits));
  return server;
}

/**
 * Creates a TLS server for the local network, with stricter limits. `key` and `cert` are PEM; `contextFor` has others for the names
 * that it knows.
 */
export function createHttpsServer(
  answer: RequestListener,
  credentials: { key: string; cert: string },
  limits: SenderLimits = LAN_LIMITS,
  contextFor?: (serverName: string) => SecureContext | undefined,
): TlsServer {
  const server = createTlsServer(
    {
      ...credentials,
      ...serverOptions(limits),
      minVersion: 'TLSv1.2',
      handshakeTimeout: limits.headTimeoutMs,
      ...(contextFor && { SNICallback: (name, done) => done(null, contextFor(name)) }),
    },
    answer,
  );
  answerClientErrors(server);
  // No response can be sent before the handshake completes, and waiting for it would keep the connection open.
  server.on('tlsClientError', (_error, socket) => socket.destroy());
  server.on('request', (request) => cutWhenSlow(request, limits));
  return server;
}

/**
 * Listens on 127.0.0.1 and returns the port, which differs from `port` only if that is 0.
 * @throws PORT_TAKEN when the port is in use or not permitted
 */
export function listenOnLoopback(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', (error) => {
      portFailure(error, { port, advice: 'choose another port with --port' }).then(reject, reject);
    });
    server.listen(port, '127.0.0.1', () => resolve((server.address() as AddressInfo).port));
  });
}

/** Stops listening, gives pending responses `graceMs` to finish, then cuts the rest: live event streams never end on their own. */
export async function closeServer(server: Server, graceMs: number): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeIdleConnections();
  const timer = setTimeout(() => server.closeAllConnections(), graceMs);
  await closed;
  clearTimeout(timer);
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

/** Cuts the connection when the body arrives too slowly. Back-pressure on our side (unread bytes) does not count. */
function cutWhenSlow(request: IncomingMessage, { periodMs, minimumBytes }: typeof BODY_LIMITS): void {
  if (!hasBody(request)) return;
  const { socket } = request;
  let seenBytes = socket.bytesRead;
  let wasHeldUp = false;
  const timer = setInterval(() => {
    const isHeldUp = request.readableLength > 0;
    const received = socket.bytesRead - seenBytes;
    if (request.complete) clearInterval(timer);
    // After back-pressure the sender gets one full period before it is judged again.
    else if (received < minimumBytes && !isHeldUp && !wasHeldUp) socket.destroy();
    seenBytes = socket.bytesRead;
    wasHeldUp = isHeldUp;
  }, periodMs);
  timer.unref();
  request.once('close', () => clearInterval(timer));
}
