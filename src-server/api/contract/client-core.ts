/**
 * A typed client of the interface over fetch. It knows each endpoint as a method and a path only, so that the desk loads no
 * schema; `client.ts` adds the checks.
 */
import { type AddressTable, fillPath } from './addresses.ts';
import type { ErrorBody } from './common.ts';
import type { RouteId, Routes } from './index.ts';
import type { Change } from './resources/events.ts';
import type { BodyInputOf, ParamsInputOf, QueryInputOf, ResponseOf } from './route.ts';

export interface Credentials {
  userId: string;
  accessToken: string;
}

export interface ClientOptions {
  /** Root of the service, such as `http://127.0.0.1:8484`; empty for the page's own origin. */
  baseUrl: string;
  credentials?: Credentials;
  fetch?: (url: string, init: RequestInit) => Promise<Response>;
}

/** An error answer of the service; `status` is 0 when the service could not be reached. */
export class ApiError extends Error {
  readonly status: number;
  readonly code: string;
  readonly errors: { path: string; message: string }[];
  readonly requestId: string | undefined;
  readonly retryAfterSeconds: number | undefined;
  /** With DEVICE_REVOKED of a subject's own phone: why. */
  readonly reason: ErrorBody['reason'];
  /** When the site answered, by its own clock, epoch ms. */
  readonly siteTs: number | undefined;

  constructor(
    status: number,
    code: string,
    message: string,
    more: {
      errors?: { path: string; message: string }[];
      requestId?: string;
      retryAfterSeconds?: number;
      reason?: ErrorBody['reason'];
      siteTs?: number;
    } = {},
  ) {
    super(message);
    this.name = 'ApiError';
    this.status = status;
    this.code = code;
    this.errors = more.errors ?? [];
    this.requestId = more.requestId;
    this.retryAfterSeconds = more.retryAfterSeconds;
    this.reason = more.reason;
    this.siteTs = more.siteTs;
  }
}

type IfAny<T, Key extends string> = Record<never, never> extends T ? { [K in Key]?: T } : { [K in Key]: T };
type BodyArgument<R> = R extends { bodyKinds: readonly ['multipart'] }
  ? { body: FormData }
  : BodyInputOf<R> extends undefined
    ? Record<never, never>
    : { body: BodyInputOf<R> };

/** What a call of an endpoint takes. */
export type CallOptions<R> = IfAny<ParamsInputOf<R>, 'params'> &
  IfAny<QueryInputOf<R>, 'query'> &
  BodyArgument<R> & {
    signal?: AbortSignal;
    /** Content type to ask for where an endpoint has `alternatives`; read the answer with {@link Client.fetch}. */
    accept?: string;
  };

type CallArguments<R> =
  Record<never, never> extends CallOptions<R> ? [options?: CallOptions<R>] : [options: CallOptions<R>];

interface LooseOptions {
  params?: Record<string, unknown>;
  query?: Record<string, unknown>;
  body?: unknown;
  signal?: AbortSignal;
  accept?: string;
}

export interface Client {
  readonly baseUrl: string;
  credentials: Credentials | undefined;
  /** Calls an endpoint and returns its JSON (undefined for 204). Throws {@link ApiError}. */
  call<K extends RouteId>(route: K, ...options: CallArguments<Routes[K]>): Promise<ResponseOf<Routes[K]>>;
  /** Calls an endpoint and returns the response itself: for CSV, files and streams. Throws {@link ApiError} unless 2xx. */
  fetch<K extends RouteId>(route: K, ...options: CallArguments<Routes[K]>): Promise<Response>;
  /** Fetches a path of a `links` or `export` member (`/v1/...`) with the credentials. */
  follow(href: string, signal?: AbortSignal): Promise<Response>;
  /** Address of an endpoint, with its query. */
  url<K extends RouteId>(route: K, ...options: CallArguments<Routes[K]>): string;
  /** Live changes until `signal` aborts or the connection ends. `onOpen` is called once connected. */
  live(signal: AbortSignal, onOpen?: () => void): AsyncGenerator<Change>;
}

/** Base64 of `userId:token`; both are ASCII. */
export function basicAuthorization(credentials: Credentials): string {
  return `Basic ${btoa(`${credentials.userId}:${credentials.accessToken}`)}`;
}

/** Throws when the JSON of an answer does not match its schema. */
export type CheckAnswer = (id: RouteId, json: unknown) => void;

/**
 * Makes a client of the endpoints in `addresses`. `credentials` may be set later, after `call('login', ...)`. The client
 * skips live changes that are not objects with a topic.
 */
export function createClientOf(addresses: AddressTable, options: ClientOptions, check?: CheckAnswer): Client {
  const send = options.fetch ?? globalThis.fetch.bind(globalThis);

  const unreachable = (thrown: unknown, signal: AbortSignal | null | undefined): unknown =>
    signal?.aborted
      ? thrown
      : new ApiError(0, 'UNREACHABLE', 'The site could not be reached. Check that it is running, then try again.');

  async function request(url: string, init: RequestInit): Promise<Response> {
    const headers = new Headers(init.headers);
    if (client.credentials) headers.set('authorization', basicAuthorization(client.credentials));
    let response: Response;
    try {
      response = await send(url, { ...init, headers });
    } catch (thrown) {
      throw unreachable(thrown, init.signal);
    }
    if (response.ok) return response;
    throw await toApiError(response);
  }

  function addressOf(id: RouteId, call: LooseOptions): string {
    const query = queryString(call.query ?? {});
    return `${options.baseUrl}/api/v1${fillPath(addresses[id].path, call.params ?? {})}${query}`;
  }

  function fetchRoute(id: RouteId, call: LooseOptions = {}): Promise<Response> {
    const init: RequestInit = { method: addresses[id].method, signal: call.signal };
    const headers = new Headers();
    if (call.accept !== undefined) headers.set('accept', call.accept);
    if (call.body instanceof FormData) init.body = call.body;
    else if (call.body !== undefined) {
      init.body = JSON.stringify(call.body);
      headers.set('content-type', 'application/json');
    }
    init.headers = headers;
    return request(addressOf(id, call), init);
  }

  const client: Client = {
    baseUrl: options.baseUrl,
    credentials: options.credentials,
    async call(id, ...[call]) {
      const response = await fetchRoute(id, call as LooseOptions);
      if (!addresses[id].answersJson) {
        await response.arrayBuffer();
        return undefined as never;
      }
      let json: unknown;
      try {
        json = await response.json();
      } catch (thrown) {
        // An answer that broke off on its way, as when the site ends.
        throw unreachable(thrown, (call as LooseOptions | undefined)?.signal);
      }
      check?.(id, json);
      return json as never;
    },
    fetch: (id, ...[call]) => fetchRoute(id, call as LooseOptions),
    follow: (href, signal) => request(`${options.baseUrl}/api${href}`, { signal }),
    url: (id, ...[call]) => addressOf(id, (call ?? {}) as LooseOptions),
    async *live(signal, onOpen) {
      const response = await fetchRoute('live', { signal });
      onOpen?.();
      for await (const data of serverSentData(response)) {
        const change: unknown = JSON.parse(data);
        if (isObject(change) && typeof change.topic === 'string') yield change as Change;
      }
    },
  };
  return client;
}

function queryString(query: Record<string, unknown>): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined) continue;
    for (const one of Array.isArray(value) ? value : [value]) search.append(name, String(one));
  }
  const text = search.toString();
  return text === '' ? '' : `?${text}`;
}

async function toApiError(response: Response): Promise<ApiError> {
  const retryAfter = Number(response.headers.get('retry-after') ?? Number.NaN);
  const body: unknown = await response.json().catch(() => undefined);
  if (!isObject(body) || typeof body.code !== 'string' || typeof body.message !== 'string') {
    return new ApiError(response.status, 'INTERNAL', `The site answered ${response.status} without an explanation.`);
  }
  const { code, message, errors, requestId, reason } = body as ErrorBody;
  const retryAfterSeconds = Number.isNaN(retryAfter) ? undefined : retryAfter;
  const answeredTs = Date.parse(response.headers.get('date') ?? '');
  const siteTs = Number.isNaN(answeredTs) ? undefined : answeredTs;
  return new ApiError(response.status, code, message, { errors, requestId, retryAfterSeconds, reason, siteTs });
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

/** The `data` of each event of a text/event-stream body. */
async function* serverSentData(response: Response): AsyncGenerator<string> {
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  try {
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      text += value;
      const blocks = text.split('\n\n');
      text = blocks.pop() ?? '';
      for (const block of blocks) {
        const data = block.split('\n').filter((line) => line.startsWith('data: '));
        if (data.length > 0) yield data.map((line) => line.slice(6)).join('\n');
      }
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}
