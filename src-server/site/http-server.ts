/** The HTTP server of a site: how long a sender may take. A long upload is fine, a silent or dripping one is not. */
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import { createServer as createTlsServer, type Server as TlsServer } from 'node:https';
import { answerClientErrors } from '../api/framework/guards.ts';

/** What a sender may do. Whole requests have no time limit, as a day of signals may take its time. */
export interface SenderLimits {
  /** For the handshake of TLS, then for the head of a request; a spare connection is closed after it too. */
  patienceMs: number;
  /** How often connections are looked at. */
  lookEveryMs: number;
  /** How long a connection may idle between requests. */
  keepAliveMs: number;
  /** How often a request whose body is under way is looked at. */
  periodMs: number;
  /** Fewer bytes than this in a period cut the connection. */
  minimumBytes: number;
}

/** Half a kilobyte a second: a phone at the edge of the network is faster, one that holds sockets open is not. */
const BODY_LIMITS = { periodMs: 30_000, minimumBytes: 15_000 };

/**
 * Idle connections outlive the 60 s after which common proxies and clients drop theirs: the side that sends next should be
 * the one that closes, or a request can meet a connection that is just closing.
 */
const DESK_LIMITS: SenderLimits = { ...BODY_LIMITS, patienceMs: 20_000, lookEveryMs: 5000, keepAliveMs: 65_000 };

/**
 * Anyone who reaches the local network may connect, and connections are few. `Keep-Alive: timeout=5` in each answer names
 * the limit, and Node keeps the connection a second longer than it says.
 */
const STRANGER_LIMITS: SenderLimits = { ...BODY_LIMITS, patienceMs: 10_000, lookEveryMs: 1000, keepAliveMs: 5000 };

const serverOptions = ({ patienceMs, lookEveryMs, keepAliveMs }: SenderLimits) => ({
  headersTimeout: patienceMs,
  requestTimeout: 0,
  connectionsCheckingInterval: lookEveryMs,
  keepAliveTimeout: keepAliveMs,
});

/** A server that is not listening yet. */
export function createHttpServer(answer: RequestListener, limits: SenderLimits = DESK_LIMITS): Server {
  const server = createServer(serverOptions(limits), answer);
  answerClientErrors(server);
  server.on('request', (request) => cutWhenSlow(request, limits));
  return server;
}

/** The same over TLS for the local network, with less patience. `key` and `cert` are PEM. */
export function createHttpsServer(
  answer: RequestListener,
  credentials: { key: string; cert: string },
  limits: SenderLimits = STRANGER_LIMITS,
): TlsServer {
  const server = createTlsServer(
    { ...credentials, ...serverOptions(limits), minVersion: 'TLSv1.2', handshakeTimeout: limits.patienceMs },
    answer,
  );
  answerClientErrors(server);
  // Without a finished greeting nothing can be answered, and an answer that waits for it would keep the connection.
  server.on('tlsClientError', (_error, socket) => socket.destroy());
  server.on('request', (request) => cutWhenSlow(request, limits));
  return server;
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

/** Cuts the connection when the body comes too slowly. What waits unread here is no fault of the sender. */
function cutWhenSlow(request: IncomingMessage, { periodMs, minimumBytes }: typeof BODY_LIMITS): void {
  if (!hasBody(request)) return;
  const { socket } = request;
  let seenBytes = socket.bytesRead;
  let wasHeldUp = false;
  const timer = setInterval(() => {
    const isHeldUp = request.readableLength > 0;
    const received = socket.bytesRead - seenBytes;
    if (request.complete) clearInterval(timer);
    // The sender gets a whole period of its own after the site has read on.
    else if (received < minimumBytes && !isHeldUp && !wasHeldUp) socket.destroy();
    seenBytes = socket.bytesRead;
    wasHeldUp = isHeldUp;
  }, periodMs);
  timer.unref();
  request.once('close', () => clearInterval(timer));
}
