/** The OpenAPI 3.1 document, generated from the route objects that the server mounts. */
import { z } from 'zod';
import type { RouteErrorStatus } from '../../vocabulary/error-statuses.ts';
import { errorBody, uploadState } from './common.ts';
import { type RouteId, routes } from './index.ts';
import type {
  Answer,
  Content,
  OpenApiDocument,
  Operation,
  Parameter,
  PathItem,
  RequestBody,
} from './openapi-document.ts';
import type { BodyKind, RouteContract } from './route.ts';
import { TAGS } from './tags.ts';
import { uploadOperations } from './upload-operations.ts';

type Json = Record<string, unknown>;

const ERROR_DESCRIPTIONS: Readonly<Record<RouteErrorStatus, string>> = {
  400: 'The input is not valid; `errors` names the fields.',
  401: 'Missing or wrong credentials.',
  403: 'The caller is not allowed to do this, or a page of another origin sent a write.',
  404: 'The record does not exist, or the caller may not see it.',
  405: 'The method is not supported at this address; Allow lists those that are.',
  409: 'Not allowed in the current state.',
  410: 'The upload has expired or was abandoned: announce the file again.',
  412: 'Tus-Resumable is missing or names another version.',
  413: 'The body is too large.',
  415: 'The media type of the body is not supported.',
  416: 'The requested range is outside the file.',
  460: 'The bytes do not match the checksum.',
  429: 'Too many attempts; Retry-After gives the delay.',
  500: 'An internal error; the log lists it under the requestId.',
  501: 'The tus extension is not supported.',
  503: 'The site is temporarily unable to do this.',
  507: 'The disk is full.',
};

const BODY_MEDIA: Record<BodyKind, readonly string[]> = {
  json: ['application/json', 'text/json'],
  form: ['application/x-www-form-urlencoded'],
  multipart: ['multipart/form-data'],
};

/** Collects named schemas as components while it turns zod into JSON Schema. */
class SchemaWriter {
  readonly components: Record<string, Json> = {};

  write(schema: z.ZodType, io: 'input' | 'output'): Json {
    const { $schema: _, $defs, ...rest } = z.toJSONSchema(schema, { io }) as Json & { $defs?: Record<string, Json> };
    for (const [name, definition] of Object.entries($defs ?? {})) {
      const { id: _id, ...members } = definition;
      this.components[name] = rebase(members) as Json;
    }
    return rebase(rest) as Json;
  }
}

/** Points references at the components and drops the safe-integer bounds, which tell a reader nothing. */
function rebase(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(rebase);
  if (typeof value !== 'object' || value === null) return value;
  const result: Json = {};
  for (const [key, member] of Object.entries(value)) {
    if ((key === 'minimum' || key === 'maximum') && Math.abs(Number(member)) === Number.MAX_SAFE_INTEGER) continue;
    result[key] =
      key === '$ref' && typeof member === 'string'
        ? member.replace('#/$defs/', '#/components/schemas/')
        : rebase(member);
  }
  return result;
}

function parametersOf(writer: SchemaWriter, route: RouteContract, path: string): Parameter[] {
  const parameters: Parameter[] = [];
  const own = (route.params?.shape ?? {}) as Record<string, z.ZodType>;
  for (const [, name = ''] of path.matchAll(/\{(\w+)\}/g)) {
    const schema = own[name] ? describedSchema(writer, own[name]) : { schema: { type: 'string' } };
    parameters.push({ name, in: 'path', required: true, ...schema });
  }
  for (const [name, schema] of Object.entries((route.query?.shape ?? {}) as Record<string, z.ZodType>)) {
    const required = !schema.safeParse(undefined).success;
    parameters.push({ name, in: 'query', required, ...describedSchema(writer, schema) });
  }
  return parameters;
}

function describedSchema(writer: SchemaWriter, schema: z.ZodType): Pick<Parameter, 'description' | 'schema'> {
  const { description, ...rest } = writer.write(schema, 'input');
  return { ...(typeof description === 'string' && { description }), schema: rest };
}

function addFileParts(schema: Json, route: RouteContract): void {
  const properties = { ...(schema.properties as Json) };
  const required = [...((schema.required as string[] | undefined) ?? [])];
  for (const [name, part] of Object.entries(route.files ?? {})) {
    const file = { type: 'string', format: 'binary' };
    properties[name] = part.repeated ? { type: 'array', items: file } : file;
    if (part.required) required.push(name);
  }
  Object.assign(schema, { properties }, required.length > 0 ? { required } : {});
}

function requestBodyOf(
  writer: SchemaWriter,
  route: RouteContract,
  kinds: readonly BodyKind[],
): RequestBody | undefined {
  if (!route.body) return undefined;
  const content: Content = {};
  for (const kind of kinds) {
    const schema = writer.write(route.body, 'input');
    if (kind === 'multipart') addFileParts(schema, route);
    for (const media of BODY_MEDIA[kind]) content[media] = { schema };
  }
  return { required: true, content };
}

function errorStatusesOf(route: RouteContract, path: string): RouteErrorStatus[] {
  const statuses: RouteErrorStatus[] = [400, 500, 503];
  const isDevice = route.access === 'device';
  if (route.access === 'user' || isDevice) statuses.push(401);
  if (route.deviceKinds) statuses.push(403);
  if (route.access === 'signed-url') statuses.push(403, 404, 416);
  if (route.operation || route.method !== 'GET') statuses.push(403);
  if ((route.access === 'user' || isDevice) && path.includes('{')) statuses.push(404);
  if (route.body) statuses.push(413, 415);
  if ((route.access === 'user' || isDevice) && route.method !== 'GET') statuses.push(409, 507);
  // Public routes with a body check a password, code or token.
  if (route.access === 'public' && route.body) statuses.push(route.onLan ? 409 : 401, 429);
  statuses.push(...(route.errorStatuses ?? []));
  return [...new Set(statuses)].sort((a, b) => a - b);
}

function responsesOf(writer: SchemaWriter, route: RouteContract, path: string): Record<string, Answer> {
  const content: Content = {};
  if (route.response) {
    const schema = writer.write(route.response, 'output');
    content['application/json'] = { schema, ...(route.example !== undefined && { example: route.example }) };
  } else if (route.media) {
    content[route.media] = { schema: { type: 'string' } };
  }
  for (const [media, description] of Object.entries(route.alternatives ?? {})) {
    content[media] = { schema: { type: 'string', format: 'binary', description } };
  }
  const success: Answer = {
    description: route.status === 204 ? 'Done; no content.' : route.summary,
    ...(Object.keys(content).length > 0 && { content }),
  };
  const responses: Record<string, Answer> = { [route.status]: success };
  if (route.media && ['application/zip', 'application/octet-stream', 'image/*'].includes(route.media))
    responses['206'] = { ...success, description: 'The requested range.' };
  for (const status of errorStatusesOf(route, path)) {
    responses[status] = { $ref: `#/components/responses/Error${status}` };
  }
  return responses;
}

function securityOf({ access }: RouteContract): Record<string, string[]>[] {
  if (access === 'user') return [{ basic: [] }];
  return access === 'device' ? [{ device: [] }] : [];
}

/** Returns the description, followed by the order of a list. */
function descriptionOf({ description, summary, order }: RouteContract): string {
  const words = [description ?? `${summary}.`];
  if (typeof order === 'string') words.push(`Order: ${order}.`);
  else if (order) {
    const members = order.map((name) => (name.startsWith('-') ? `${name.slice(1)} descending` : name));
    words.push(`Order: ${members.join(', then ')}.`);
  }
  return words.join(' ');
}

function operationOf(
  writer: SchemaWriter,
  id: string,
  route: RouteContract,
  path: string,
  kinds: readonly BodyKind[],
  isAlias: boolean,
): Operation {
  const requestBody = requestBodyOf(writer, route, kinds);
  return {
    operationId: id,
    summary: route.summary,
    description: descriptionOf(route),
    tags: [route.tag],
    ...(isAlias ? { deprecated: true } : {}),
    ...(route.operation ? { 'x-permission': route.operation } : {}),
    security: securityOf(route),
    parameters: parametersOf(writer, route, path),
    ...(requestBody ? { requestBody } : {}),
    responses: responsesOf(writer, route, path),
  };
}

/** Adds one address; an alias that differs only in a parameter's name is the same address to OpenAPI. */
function addOperation(paths: Record<string, PathItem>, path: string, method: string, operation: Operation): void {
  const entry = paths[path] ?? {};
  entry[method.toLowerCase()] = operation;
  paths[path] = entry;
}

/** Builds the document as plain JSON. `version` is that of the service. */
export function buildOpenApi(version: string): OpenApiDocument {
  const writer = new SchemaWriter();
  const paths: Record<string, PathItem> = {};
  for (const [id, route] of Object.entries(routes) as [RouteId, RouteContract][]) {
    const kinds = route.bodyKinds ?? ['json'];
    const own = operationOf(writer, id, route, route.path, kinds, false);
    addOperation(paths, route.path, route.method, own);
    for (const [i, alias] of (route.aliases ?? []).entries()) {
      // The same path at another root is one operation with two servers.
      if (alias.atRoot && alias.path === route.path && (alias.method ?? route.method) === route.method) {
        own.servers = [{ url: '/api/v1' }, { url: '/' }];
        continue;
      }
      const operation = operationOf(writer, `${id}Alias${i + 1}`, route, alias.path, alias.bodyKinds ?? kinds, true);
      if (alias.atRoot) operation.servers = [{ url: '/' }];
      addOperation(paths, alias.path, alias.method ?? route.method, operation);
    }
  }
  const errorSchema = writer.write(errorBody, 'output');
  writer.components.UploadState = writer.write(uploadState, 'output');
  Object.assign(paths, uploadOperations('UploadState'));
  const responses = Object.fromEntries(
    Object.entries(ERROR_DESCRIPTIONS).map(([status, description]) => [
      `Error${status}`,
      { description, content: { 'application/json': { schema: errorSchema } } },
    ]),
  );
  const used = new Set<string>(Object.values(routes).map((route) => route.tag));
  const tags = TAGS.filter(({ name }) => used.has(name));
  return {
    openapi: '3.1.0',
    info: {
      title: 'Outpost remote study data service',
      version,
      description:
        'Remote physiological-monitoring studies over HTTP and JSON. Every path is also served below /v1. Members whose names end in `Ts` are times in epoch milliseconds, UTC.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/api/v1' }],
    tags,
    paths,
    components: {
      schemas: writer.components,
      responses,
      securitySchemes: {
        basic: {
          type: 'http',
          scheme: 'basic',
          description: 'User name: `user.id` of the log-in answer; password: its `accessToken`.',
        },
        device: {
          type: 'http',
          scheme: 'bearer',
          description: 'The token that a hub or phone received when it was paired.',
        },
      },
    },
  };
}
