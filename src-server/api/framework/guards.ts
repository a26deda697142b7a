/** Middleware before every route: request id, access log, host check, security headers; and answers to malformed HTTP. */
import { randomUUID } from 'node:crypto';
import { type Server as HttpServer, IncomingMessage, ServerResponse, STATUS_CODES } from 'node:http';
import type { Server as HttpsServer } from 'node:https';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { RequestHandler, Response } from 'express';
import helmet from 'helmet';
import type { Logger } from 'pino';
import { isLoopbackName } from '../../addresses.ts';
import { OutpostError } from '../../errors.ts';
import { HEADERS_TOO_LARGE, statusOf } from '../../http-failure.ts';
import type { Listener } from '../deps.ts';
import { errorBodyOf, sendError } from './errors.ts';

/** Rights that a signed address is made by: those of a user for an operation in a study or the account, or those of a device. */
export type Rights =
  | { kind: 'USER'; userId: string; accessRound: number; operation: string; studyId?: string; subjectId?: string }
  | { kind: 'DEVICE'; deviceId: string };

/** Facts about a request that later steps add to and that the access log writes. */
export interface RequestContext {
  requestId: string;
  routeId?: string;
  userId?: string;
  deviceId?: string;
  /** By whose rights the request was admitted; a signed address ends with them. */
  rights?: Rights;
  /** Cause of a 5xx, for the log only. */
  failure?: unknown;
}

export function requestContext(response: Response): RequestContext {
  return response.locals.facts as RequestContext;
}

/** Assigns request ids and logs one line per request. Queries and headers may hold secrets and are never logged. */
export function accessLog(log: Logger): RequestHandler {
  return (request, response, next) => {
    const facts: RequestContext = { requestId: randomUUID() };
    response.locals.facts = facts;
    response.setHeader('x-request-id', facts.requestId);
    const started = performance.now();
    response.once('close', () => {
      const entry = {
        requestId: facts.requestId,
        method: request.method,
        path: request.originalUrl.split('?', 1)[0],
        status: response.statusCode,
        completed: response.writableFinished,
        durationMs: Math.round(performance.now() - started),
        ...(facts.routeId ? { routeId: facts.routeId } : {}),
        ...(facts.userId ? { userId: facts.userId } : {}),
        ...(facts.deviceId ? { deviceId: facts.deviceId } : {}),
      };
      if (facts.failure !== undefined) log.error({ ...entry, err: facts.failure }, 'request failed');
      else log.info(entry, 'request');
    });
    next();
  };
}

function hostNameOf(origin: string): string {
  return URL.canParse(origin) ? new URL(origin).hostname.toLowerCase() : '';
}

function isSameOrigin(origin: string, host: string | undefined): boolean {
  return URL.canParse(origin) && URL.canParse(`https://${host}`) && origin === new URL(`https://${host}`).origin;
}

/**
 * Refuses foreign Host headers, which protects against DNS rebinding. Refuses writes from pages of other origins too: such a
 * page could not read the answer, but it could exhaust the log-in attempts. On the local network a page of another port of the same
 * computer is foreign as well.
 */
export function hostCheck(allowedHosts: () => readonly string[], listener: Listener): RequestHandler {
  const isOurs = (name: string) =>
    isLoopbackName(name) || allowedHosts().some((allowed) => allowed.toLowerCase() === name);
  return (request, response, next) => {
    const name = (request.headers.host ?? '').toLowerCase().replace(/:\d+$/, '');
    const { origin, 'sec-fetch-site': site } = request.headers;
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    // A request line may hold a whole address, with another host than the header (RFC 9112, 3.2.2). No browser sends that.
    const hostIsOurs = isOurs(name) && request.url.startsWith('/');
    const isOurPage = () => {
      if (site === 'cross-site') return false;
      if (origin === undefined) return true;
      return listener === 'lan' ? isSameOrigin(origin, request.headers.host) : isOurs(hostNameOf(origin));
    };
    if (hostIsOurs && (isRead || isOurPage())) return next();
    const message = hostIsOurs
      ? 'Pages of other origins cannot change anything here. Open the site under its own address.'
      : 'This site does not answer under that host name. Use its own address.';
    sendError(response, new OutpostError('FORBIDDEN', message), requestContext(response).requestId);
  };
}

/** Sets the security headers. Inline styles are allowed, as the UI kit positions with them; inline scripts are not. */
export function securityHeaders(): RequestHandler {
  const headers = headersOf(HELMET);
  return (_request, response, next) => {
    for (const [name, value] of headers) response.setHeader(name, value);
    next();
  };
}

/** Returns the headers that a handler sets, the same for every request, so that it need not run for each. */
function headersOf(handler: typeof HELMET): [string, string][] {
  const response = new ServerResponse(new IncomingMessage(new Socket()));
  handler(response.req, response, (thrown?: unknown) => {
    if (thrown !== undefined) throw thrown;
  });
  return Object.entries(response.getHeaders()).map(([name, value]) => [name, String(value)]);
}

const HELMET = helmet({
  contentSecurityPolicy: {
    useDefaults: false,
    directives: {
      defaultSrc: ["'self'"],
      scriptSrc: ["'self'"],
      styleSrc: ["'self'", "'unsafe-inline'"],
      imgSrc: ["'self'", 'data:', 'blob:'],
      fontSrc: ["'self'"],
      connectSrc: ["'self'"],
      workerSrc: ["'self'", 'blob:'],
      objectSrc: ["'none'"],
      baseUri: ["'self'"],
      formAction: ["'self'"],
      frameAncestors: ["'none'"],
    },
  },
  // The site speaks plain HTTP on loopback; its LAN side has its own certificate rules.
  strictTransportSecurity: false,
  referrerPolicy: { policy: 'no-referrer' },
});

/** Time for an error to reach a peer that does not close its side, in ms. */
const LINGER_MS = 1000;

/**
 * Answers requests that the HTTP parser refuses: 400 for malformed HTTP, 431 for oversized headers, 408 for an incomplete
 * request head.
 *
 * A connection that carried nothing is closed without an answer: browsers open spare connections and would take an
 * unsolicited answer as that to their next request. A connection whose answer has started is only closed, since an error in
 * the middle of a body would pass for data.
 */
export function answerClientErrors(server: HttpServer | HttpsServer): void {
  const openResponses = new WeakMap<Duplex, Set<ServerResponse>>();
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const { socket } = request;
    const open = openResponses.get(socket) ?? new Set();
    openResponses.set(socket, open.add(response));
    response.once('close', () => open.delete(response));
  });
  server.on('clientError', (error: NodeJS.ErrnoException, duplex: Duplex) => {
    const socket = duplex as Socket;
    const isMidAnswer = [...(openResponses.get(socket) ?? [])].some(({ headersSent }) => headersSent);
    if (error.code === 'ECONNRESET' || !socket.writable || socket.bytesRead === 0 || isMidAnswer) {
      socket.destroy();
      return;
    }
    socket.end(refusalOf(error.code));
    setTimeout(() => socket.destroy(), LINGER_MS).unref();
  });
}

/** Returns the error for a request that Node's HTTP parser refused with `code`. */
function parserError(code: string | undefined): OutpostError {
  if (code === 'HPE_HEADER_OVERFLOW') return new OutpostError('INVALID_INPUT', 'The request headers are too long.');
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT')
    return new OutpostError('REQUEST_TIMEOUT', 'The request did not arrive in full in time. Send it again.');
  return new OutpostError('INVALID_INPUT', 'The request is not valid HTTP.');
}

/** Returns the complete HTTP answer to a request that could not be parsed. */
function refusalOf(code: string | undefined): string {
  const error = parserError(code);
  const status = code === 'HPE_HEADER_OVERFLOW' ? HEADERS_TOO_LARGE : statusOf(error);
  const body = JSON.stringify(errorBodyOf(error, randomUUID()));
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nContent-Type: application/json; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(body)}\r\nOutpost-Code: ${error.code}\r\nOutpost-Permanent: false\r\nConnection: close\r\n\r\n${body}`;
}
