/** The HTTP server of a site: how long a sender may take. A long upload is fine, a silent or dripping one is not. */
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import { createServer as createTlsServer, type Server as TlsServer } from 'node:https';
import type { Socket } from 'node:net';
import { answerClientError } from '../api/framework/guards.ts';

/** The head of a request must arrive within this time of the connection, or of the request before it. */
const HEADERS_TIMEOUT_MS = 20_000;

export interface SenderLimits {
  /** How often a request whose body is under way is looked at. */
  periodMs: number;
  /** Fewer bytes than this in a period cut the connection. */
  minimumBytes: number;
}

/** Half a kilobyte a second: a phone at the edge of the network is faster, one that holds sockets open is not. */
const SENDER_LIMITS: SenderLimits = { periodMs: 30_000, minimumBytes: 15_000 };

/** Times for strangers: whoever reaches the local network may connect. */
export interface StrangerLimits extends SenderLimits {
  /** For the greeting of TLS, and then for the head of a request. */
  patienceMs: number;
  /** How often connections are looked at. */
  lookEveryMs: number;
}

const STRANGER_LIMITS: StrangerLimits = { ...SENDER_LIMITS, patienceMs: 10_000, lookEveryMs: 1000 };

/** A server that is not listening yet. Whole requests have no time limit, as a day of signals may take its time. */
export function createHttpServer(answer: RequestListener, limits: SenderLimits = SENDER_LIMITS): Server {
  const server = createServer({ headersTimeout: HEADERS_TIMEOUT_MS, requestTimeout: 0 }, answer);
  server.on('clientError', answerClientError);
  server.on('request', (request) => cutWhenSlow(request, limits));
  return server;
}

/** The same over TLS for the local network, with less patience. `key` and `cert` are PEM. */
export function createHttpsServer(
  answer: RequestListener,
  credentials: { key: string; cert: string },
  limits: StrangerLimits = STRANGER_LIMITS,
): TlsServer {
  const server = createTlsServer(
    {
      ...credentials,
      minVersion: 'TLSv1.2',
      handshakeTimeout: limits.patienceMs,
      headersTimeout: limits.patienceMs,
      requestTimeout: 0,
      connectionsCheckingInterval: limits.lookEveryMs,
    },
    answer,
  );
  server.on('clientError', (error, socket) => {
    answerClientError(error, socket as Socket);
    // A stranger need not take leave: the refusal gets a moment to go out, then the connection is gone.
    setTimeout(() => socket.destroy(), limits.lookEveryMs).unref();
  });
  // Without a finished greeting nothing can be answered, and an answer that waits for it would keep the connection.
  server.on('tlsClientError', (_error, socket) => socket.destroy());
  server.on('request', (request) => cutWhenSlow(request, limits));
  return server;
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

/** Cuts the connection when the body comes too slowly. What waits unread here is no fault of the sender. */
function cutWhenSlow(request: IncomingMessage, { periodMs, minimumBytes }: SenderLimits): void {
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
