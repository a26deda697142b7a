/**
 * Mounts routes of the contract with their handlers as express endpoints: authenticate, authorize, parse, call, check, send.
 * Handlers receive typed input and return what the schema of the route describes.
 */

import type { Request, RequestHandler, Response } from 'express';
import type { z } from 'zod';
import type { DeviceIdentity } from '../../db/index.ts';
import { OutpostError } from '../../errors.ts';
import { statusOf } from '../../http-failure.ts';
import { type RouteId, type Routes, routes } from '../contract/index.ts';
import type { BodyKind, BodyOf, Method, ParamsOf, QueryOf, ResponseOf, RouteContract } from '../contract/route.ts';
import type { ApiDeps, Listener } from '../deps.ts';
import { noteAccess, noteSigned } from './access-notes.ts';
import { addressOf, authenticate, type Caller, callingDevice, type KnownCallers } from './authenticate.ts';
import { authorize, type Scope, type ScopeOf } from './authorize.ts';
import { readBody, requireBodyKind } from './body.ts';
import { chooseCoding } from './compression.ts';
import { fromThrown, invalidInput, sendError } from './errors.ts';
import { FairTurns } from './fair-turns.ts';
import { addFormerNames, hasFormerNames } from './former-names.ts';
import { type Rights, requestContext } from './guards.ts';
import { parseInSteps } from './parse-in-steps.ts';
import { PathTable, parameterNames } from './path-table.ts';
import { ResponseCache } from './response-cache.ts';
import { requireSignedRights } from './signed-url.ts';
import { StoredAnswers } from './stored-answers.ts';
import { sendJson } from './stream.ts';

/** Returned by a handler that has sent its answer itself (streams, files). */
export const SENT: Sent = Object.freeze({ sent: true });
export interface Sent {
  readonly sent: true;
}

interface ApiRequest<R> {
  params: ParamsOf<R>;
  query: QueryOf<R>;
  body: BodyOf<R>;
  /** Records loaded by authorization: `study` and `subject` when the path names them. */
  scope: ScopeOf<R>;
  caller: R extends { access: 'user' } ? Caller : undefined;
  device: R extends { access: 'device' } ? DeviceIdentity : undefined;
  request: Request;
  response: Response;
  /** When the head of the request arrived, epoch ms. */
  receivedTs: number;
}

type Answer<R> = R extends { response: unknown }
  ? ResponseOf<R> | Sent
  : R extends { media: string }
    ? Sent
    : // biome-ignore lint/suspicious/noConfusingVoidType: a handler of a 204 route has nothing to return.
      void;

export type Handler<R> = (request: ApiRequest<R>) => Promise<Answer<R>> | Answer<R>;
export type Handlers<T extends Record<string, RouteContract>> = { [K in keyof T]: Handler<T[K]> };
export type AllHandlers = { [K in RouteId]: Handler<Routes[K]> };

/** Any handler. Which request it takes depends on its route, so it accepts none without an assertion. */
type AnyHandler = (request: never) => unknown;

/** A request after authorization and parsing, for a route that is known only at run time. */
interface ParsedRequest {
  params: Record<string, unknown>;
  query: Record<string, unknown>;
  body: unknown;
  scope: Scope;
  caller: Caller | undefined;
  device: DeviceIdentity | undefined;
  request: Request;
  response: Response;
  receivedTs: number;
}

/**
 * Calls the handler of a route with a request that the schemas of the same route parsed. TypeScript cannot tie the two
 * through a table lookup by id, hence the assertion.
 */
async function callHandler(handler: AnyHandler, request: ParsedRequest): Promise<unknown> {
  return await handler(request as never);
}

interface Endpoint {
  id: RouteId;
  route: RouteContract;
  method: Method;
  path: string;
  bodyKinds: readonly BodyKind[];
}

const DEFAULT_BODY_KINDS: readonly BodyKind[] = ['json'];

/** Returns all addresses of the contract, including aliases. `atRoot` selects those outside `/api/v1`. */
function endpointsOf(atRoot: boolean): Endpoint[] {
  const endpoints: Endpoint[] = [];
  for (const [id, route] of Object.entries(routes) as [RouteId, RouteContract][]) {
    const own = { id, route, method: route.method, path: route.path, bodyKinds: route.bodyKinds ?? DEFAULT_BODY_KINDS };
    if (!atRoot) endpoints.push(own);
    for (const alias of route.aliases ?? []) {
      if ((alias.atRoot ?? false) !== atRoot) continue;
      endpoints.push({
        ...own,
        method: alias.method ?? own.method,
        path: alias.path,
        bodyKinds: alias.bodyKinds ?? own.bodyKinds,
      });
    }
  }
  return endpoints;
}

/** State shared by all requests: scheduling, and caches of what was read. */
export interface SharedState {
  turns: FairTurns;
  callers: KnownCallers;
  scopes: ResponseCache<Scope>;
  answers: StoredAnswers;
}

const CACHED_RECORDS = 2000;

export function createSharedState({ store }: ApiDeps): SharedState {
  return {
    turns: new FairTurns(),
    callers: new ResponseCache(store, CACHED_RECORDS),
    scopes: new ResponseCache(store, CACHED_RECORDS),
    answers: new StoredAnswers(store),
  };
}

/** What is mounted at one path: an endpoint for each of its methods. */
interface MountedPath {
  methods: Map<Method, { names: readonly string[]; handle: EndpointHandler }>;
}

/** A handler of express, and the addresses that it answers. */
export interface MountedRoutes extends RequestHandler {
  addresses: readonly { method: Method; path: string }[];
}

/**
 * Returns a handler for all endpoints; a known path with another method is 405 with `Allow`. It looks the path up in a table: the
 * router of express compares each route in turn, which took a quarter of the time of a cached answer.
 */
export function mountRoutes(
  deps: ApiDeps,
  shared: SharedState,
  handlers: AllHandlers,
  place: { atRoot: boolean; listener: Listener },
): MountedRoutes {
  const { atRoot, listener } = place;
  const endpoints = endpointsOf(atRoot);
  const table = new PathTable<MountedPath>();
  for (const endpoint of endpoints) {
    const { methods } = table.getOrAdd(endpoint.path, () => ({ methods: new Map() }));
    if (methods.has(endpoint.method)) continue;
    const handle = endpointHandler(deps, shared, endpoint, handlers[endpoint.id], listener);
    methods.set(endpoint.method, { names: parameterNames(endpoint.path), handle });
  }
  const handler: RequestHandler = (request, response, next) => {
    // Not a layer of its own: express matches the path once for each.
    if (!atRoot) response.setHeader('cache-control', 'no-store');
    const found = table.find(request.path);
    const { methods } = found?.value ?? {};
    // GET answers HEAD too: Node sends no body then.
    const method = request.method === 'HEAD' ? 'GET' : (request.method as Method);
    const mounted = methods?.get(method);
    if (found && mounted) {
      const { names, handle } = mounted;
      request.params = Object.fromEntries(names.map((name, i) => [name, decoded(found.segments[i]!)]));
      return handle(request, response);
    }
    // Outside the interface, the desk has views at the same addresses.
    if (!methods || atRoot) return next();
    const allowed = [...methods.keys()].flatMap((one) => (one === 'GET' ? ['GET', 'HEAD'] : [one]));
    response.setHeader('allow', allowed.join(', '));
    throw new OutpostError(
      'METHOD_NOT_ALLOWED',
      `${request.method} is not possible at this address. It accepts ${allowed.join(', ')}.`,
    );
  };
  return Object.assign(handler, { addresses: endpoints.map(({ method, path }) => ({ method, path })) });
}

/** @throws URIError with a status, as express does, for a segment that is not percent-encoded UTF-8 */
function decoded(segment: string): string {
  if (!segment.includes('%')) return segment;
  try {
    return decodeURIComponent(segment);
  } catch (thrown) {
    throw Object.assign(new URIError('A segment of the path cannot be decoded.', { cause: thrown }), { status: 400 });
  }
}

/**
 * Guards the desk on the local network.
 * @throws FORBIDDEN unless an administrator opened the desk to it
 */
export async function requireDeskOpen(deps: Pick<ApiDeps, 'store'>): Promise<void> {
  if (await deps.store.settings.get('lan.deskOpen')) return;
  throw new OutpostError(
    'FORBIDDEN',
    'The desk is not open to the local network. Use it on the computer of the site, or have an administrator open it.',
  );
}

function isForDevices(route: RouteContract): boolean {
  return route.access === 'device' || route.access === 'signed-url' || route.onLan === true;
}

/** Returns the records of the path, cached until one of them changes. A job is held in memory, so it is always read. */
async function scopeOf(
  deps: ApiDeps,
  shared: SharedState,
  caller: Caller,
  { id, route }: Endpoint,
  params: Record<string, string>,
): Promise<Scope> {
  if (params.jobId !== undefined) return await authorize(deps, caller, route, params);
  const key = JSON.stringify([id, caller.user.id, caller.role, params]);
  return await shared.scopes.getOrMake(key, params, async () => await authorize(deps, caller, route, params));
}

function rightsOf({ user }: Caller, operation: string, { study, subject }: Scope): Rights {
  return {
    kind: 'USER',
    userId: user.id,
    accessRound: user.accessRound,
    operation,
    ...(study && { studyId: study.id }),
    ...(subject && { subjectId: subject.id }),
  };
}

type EndpointHandler = (request: Request, response: Response) => Promise<void>;

function endpointHandler(
  deps: ApiDeps,
  shared: SharedState,
  endpoint: Endpoint,
  handler: AnyHandler,
  listener: Listener,
): EndpointHandler {
  const { id, route } = endpoint;
  const needsOpenDesk = listener === 'lan' && !isForDevices(route);
  const isRenamed = route.response !== undefined && hasFormerNames(route.response);
  return async (request, response) => {
    const context = requestContext(response);
    context.routeId = id;
    const receivedTs = deps.clock();
    if (needsOpenDesk) await requireDeskOpen(deps);
    let caller: Caller | undefined;
    let device: DeviceIdentity | undefined;
    let scope: Scope = {};
    await shared.turns.wait();
    const begun = deps.store.writeCount();
    const keys = new Set<string>();
    const place = request.params as Record<string, string>;
    const reading = async <T>(work: () => Promise<T>): Promise<T> =>
      route.isStored ? await deps.store.tracked(place, keys, work) : await work();
    if (route.access === 'signed-url') {
      const signed = await requireSignedRights(deps, request);
      noteSigned(deps.accessLog, route, signed, addressOf(request));
    } else if (route.access === 'device') {
      device = await callingDevice(deps, request, route.deviceKinds);
      context.deviceId = device.credentialId;
      context.rights = { kind: 'DEVICE', deviceId: device.credentialId };
      // The last space of a full disk is for people, who can free more; devices keep their data until then.
      if (endpoint.method !== 'GET') await deps.disk.requireNoEmergency();
    } else if (route.access === 'user') {
      const admitted = await reading(async () => {
        const known = await authenticate(deps, request, shared.callers);
        context.userId = known.user.id;
        return { caller: known, scope: await scopeOf(deps, shared, known, endpoint, place) };
      });
      ({ caller, scope } = admitted);
      const address = addressOf(request);
      deps.accessLog.noteUse(caller.sessionId, address);
      if (route.operation !== undefined) context.rights = rightsOf(caller, route.operation, scope);
      noteAccess(deps.accessLog, route, { caller, scope, query: request.query, address });
    }
    if (listener === 'lan') chooseCoding(route, request, response);
    const answerKey = shared.answers.keyOf(route, request, caller);
    if (answerKey !== undefined && (await shared.answers.send(response, answerKey))) return;
    const params = parse(route.params, request.params);
    const query = parse(route.query, request.query);
    const body = route.body ? await parseBody(endpoint, request, response, device?.credentialId) : undefined;
    const made = await reading(() =>
      callHandler(handler, { params, query, body, scope, caller, device, request, response, receivedTs }),
    );
    if (made === SENT) return;
    if (!route.response) {
      response.status(route.status).end();
      return;
    }
    if (deps.validateResponses) requireSchema(id, route.response, made);
    const answer = isRenamed ? addFormerNames(made) : made;
    if (answerKey !== undefined && (await shared.answers.sendAndKeep(response, answerKey, answer, { keys, begun })))
      return;
    await sendJson(response, route.status, answer);
  };
}

function parse(schema: z.ZodObject | undefined, input: unknown): Record<string, unknown> {
  if (!schema) return {};
  return dataOf(schema.safeParse(input));
}

function dataOf<T>(result: z.ZodSafeParseResult<T>): T {
  if (!result.success) throw invalidInput(result.error);
  return result.data;
}

async function parseBody(
  { route, bodyKinds: kinds }: Endpoint,
  request: Request,
  response: Response,
  sender: string | undefined,
): Promise<unknown> {
  // Multipart bodies are streamed to disk; their handler parses the fields.
  if (kinds.includes('multipart')) return requireBodyKind(request, kinds);
  const { bodyLimitBytes: limitBytes } = route;
  const body = await readBody(request, response, { kinds, limitBytes, sender });
  if (!route.body || limitBytes === undefined) return parse(route.body, body);
  return dataOf(await parseInSteps(route.body, body));
}

function requireSchema(id: RouteId, schema: z.ZodType, answer: unknown): void {
  const result = schema.safeParse(answer);
  if (result.success) return;
  const issue = result.error.issues[0];
  throw new OutpostError(
    'INTERNAL',
    `The answer of ${id} breaks its schema at ${issue?.path.join('.')}: ${issue?.message}`,
  );
}

/** The last handler of the app: converts any thrown value to the error body. */
export function errorHandler(): (thrown: unknown, request: Request, response: Response, next: unknown) => void {
  return (thrown, _request, response, _next) => {
    const context = requestContext(response);
    const error = fromThrown(thrown);
    if (statusOf(error) >= 500) context.failure = thrown;
    sendError(response, error, context.requestId);
  };
}
