/** One POST to a receiver, with bounded time and response size and without redirects. Every failure becomes a diagnostic. */
import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { isIP } from 'node:net';
import { bareHost } from '../../addresses.ts';
import { type Diagnostic, diagnostic } from '../../diagnostics.ts';
import { checkedLookup, RefusedTarget, refusalOf } from '../targets.ts';

/** How much of a response body the log keeps. */
const ANSWER_BYTES = 2000;
/** After the status has arrived, the body may take this long. */
const ANSWER_WAIT_MS = 2000;

export interface PostRequest {
  url: string;
  headers: Record<string, string>;
  body: string;
  /** PEM of the authority that signed the receiver's certificate. */
  trustedCertificate?: string;
  allowLocal: boolean;
  timeoutMs: number;
  signal: AbortSignal;
  /** Default: the resolver of the system. */
  resolve?: Parameters<typeof checkedLookup>[1];
}

export interface PostOutcome {
  /** Absent without a response. */
  status?: number;
  /** What went wrong; absent after a 2xx. */
  diagnostic?: Diagnostic;
  /** The beginning of the response body, as text. */
  answer?: string;
  durationMs: number;
}

const CERTIFICATE_FAULT = /CERT|SELF_SIGNED|UNABLE_TO_|ALTNAME|HOSTNAME/;

function diagnosticFor(thrown: unknown, { host, hostname }: URL, timeoutMs: number): Diagnostic {
  if (thrown instanceof RefusedTarget) return thrown.diagnostic;
  const fault = thrown as NodeJS.ErrnoException;
  const code = fault.code ?? '';
  if (code === 'TIMED_OUT') return diagnostic('RECEIVER_TIMED_OUT', { host, seconds: timeoutMs / 1000 });
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN' || code === 'EAI_NODATA') {
    return diagnostic('NAME_NOT_FOUND', { host: hostname });
  }
  if (code === 'ECONNREFUSED') return diagnostic('RECEIVER_NOT_LISTENING', { host });
  if (code === 'ETIMEDOUT' || code === 'EHOSTUNREACH' || code === 'ENETUNREACH') {
    return diagnostic('RECEIVER_UNREACHABLE', { host });
  }
  if (code === 'ECONNRESET' || code === 'EPIPE') return diagnostic('RECEIVER_CUT', { host });
  if (CERTIFICATE_FAULT.test(code)) return diagnostic('RECEIVER_CERTIFICATE', { host, detail: code });
  if (code === 'EPROTO' || code.startsWith('ERR_SSL')) return diagnostic('RECEIVER_TLS', { host, detail: code });
  if (code.startsWith('HPE_')) return diagnostic('RECEIVER_NOT_HTTP', { host });
  return diagnostic('RECEIVER_FAILED', { host, detail: fault.message || code || 'unknown reason' });
}

function diagnosticForStatus(status: number, host: string): Diagnostic | undefined {
  if (status >= 200 && status < 300) return undefined;
  if (status === 410) return diagnostic('RECEIVER_GONE');
  return diagnostic(status >= 300 && status < 400 ? 'RECEIVER_REDIRECTED' : 'RECEIVER_REFUSED', { host, status });
}

/** Opens the request. It fails with an `error` event or throws here. */
function open(post: PostRequest, target: URL): ClientRequest {
  const literal = bareHost(target.hostname);
  const refusal = isIP(literal) ? refusalOf(literal, post.allowLocal) : undefined;
  if (refusal) throw new RefusedTarget(target.host, refusal);
  const send = target.protocol === 'https:' ? httpsRequest : httpRequest;
  return send(target, {
    method: 'POST',
    headers: { ...post.headers, 'content-length': Buffer.byteLength(post.body) },
    // A separate connection: no state is shared between receivers.
    agent: false,
    lookup: checkedLookup(post.allowLocal, post.resolve),
    signal: post.signal,
    ...(post.trustedCertificate && { ca: post.trustedCertificate }),
  });
}

/** Reads the beginning of the body and stops at a slow or endless one. */
async function beginningOf(response: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  let length = 0;
  const timer = setTimeout(() => response.destroy(), ANSWER_WAIT_MS);
  response.on('error', () => undefined);
  try {
    for await (const part of response as AsyncIterable<Buffer>) {
      parts.push(part);
      length += part.length;
      if (length >= ANSWER_BYTES) break;
    }
  } catch {
    // The status counts, even if the body breaks off.
  } finally {
    clearTimeout(timer);
  }
  // Drop NUL, which a text column cannot hold, and an incomplete character at the cut.
  return new TextDecoder()
    .decode(Buffer.concat(parts).subarray(0, ANSWER_BYTES), { stream: true })
    .replaceAll('\0', '');
}

/** Sends one request. Never rejects, except with the reason of `signal` if that fires first. */
export async function post(request: PostRequest): Promise<PostOutcome> {
  const started = performance.now();
  const target = new URL(request.url);
  const took = () => Math.round(performance.now() - started);
  let outgoing: ClientRequest | undefined;
  let timer: NodeJS.Timeout | undefined;
  try {
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      outgoing = open(request, target);
      outgoing.once('response', resolve);
      // Not `once`: destroying the connection later may emit another error.
      outgoing.on('error', reject);
      const timedOut = Object.assign(new Error('timed out'), { code: 'TIMED_OUT' });
      timer = setTimeout(() => outgoing?.destroy(timedOut), request.timeoutMs);
      outgoing.end(request.body);
    });
    const status = response.statusCode ?? 0;
    const answer = await beginningOf(response);
    const found = diagnosticForStatus(status, target.host);
    return { status, ...(answer && { answer }), ...(found && { diagnostic: found }), durationMs: took() };
  } catch (thrown) {
    request.signal.throwIfAborted();
    return { diagnostic: diagnosticFor(thrown, target, request.timeoutMs), durationMs: took() };
  } finally {
    clearTimeout(timer);
    outgoing?.destroy();
  }
}
