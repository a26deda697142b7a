/** Requests to every operation of the interface's document: expected, nearly right, and absurd ones. */
import fc from 'fast-check';
import { type JsonSchema, nearlyValueOf, ODD_TEXT, type Resolve, validValue } from './from-schema.ts';

interface Parameter {
  name: string;
  in: 'path' | 'query';
  required: boolean;
  schema: JsonSchema;
}

export interface Operation {
  operationId: string;
  method: string;
  /** Below the root of the server, parameters in braces. */
  path: string;
  parameters: Parameter[];
  /** Schema by media type; absent when no body is taken. */
  bodies?: Record<string, JsonSchema>;
  /** Media type to schema, by status. An empty object is an answer without a body. */
  answers: Record<string, Record<string, JsonSchema | undefined>>;
}

export interface ApiDocument {
  servers: { url: string }[];
  paths: Record<string, Record<string, DocumentOperation>>;
  components: { schemas: Record<string, JsonSchema>; responses: Record<string, DocumentAnswer> };
}

interface DocumentAnswer {
  $ref?: string;
  content?: Record<string, { schema?: JsonSchema }>;
}

interface DocumentOperation {
  operationId: string;
  parameters?: Parameter[];
  servers?: { url: string }[];
  requestBody?: { content: Record<string, { schema: JsonSchema }> };
  responses: Record<string, DocumentAnswer>;
}

const schemasOf = (content: Record<string, { schema?: JsonSchema }> | undefined) =>
  Object.fromEntries(Object.entries(content ?? {}).map(([media, { schema }]) => [media, schema]));

/** Every operation under every server that the document names for it. */
export function operationsOf(document: ApiDocument): Operation[] {
  const operations: Operation[] = [];
  for (const [path, methods] of Object.entries(document.paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      const answers = Object.entries(operation.responses).map(([status, answer]) => {
        const named = answer.$ref ? document.components.responses[answer.$ref.split('/').at(-1) as string] : answer;
        return [status, schemasOf(named?.content)] as const;
      });
      for (const { url } of operation.servers ?? document.servers) {
        operations.push({
          operationId: operation.operationId,
          method: method.toUpperCase(),
          path: `${url === '/' ? '' : url}${path}`,
          parameters: operation.parameters ?? [],
          ...(operation.requestBody
            ? { bodies: schemasOf(operation.requestBody.content) as Record<string, JsonSchema> }
            : {}),
          answers: Object.fromEntries(answers),
        });
      }
    }
  }
  return operations;
}

export function resolverOf(api: ApiDocument): Resolve {
  return (schema) => {
    const reference = schema.$ref;
    if (typeof reference !== 'string') return schema;
    return api.components.schemas[reference.split('/').at(-1) as string] as JsonSchema;
  };
}

export interface FuzzRequest {
  path: string;
  headers: Record<string, string>;
  body?: string | FormData;
  /** The credentials of this run are sent. */
  signedIn: boolean;
}

/** An address segment that stays one: empty ones and dots lead elsewhere. */
const segment = ODD_TEXT.filter((text) => text !== '' && !/^\.{1,2}$/.test(text) && text.isWellFormed());

function pathOf(
  operation: Operation,
  known: Record<string, readonly string[]>,
  resolve: Resolve,
): fc.Arbitrary<string> {
  const parts = operation.parameters
    .filter((parameter) => parameter.in === 'path')
    .map(({ name, schema }) => {
      const real = known[name] ?? [];
      const value = fc.oneof(
        ...(real.length > 0 ? [{ arbitrary: fc.constantFrom(...real), weight: 12 }] : []),
        {
          arbitrary: validValue(schema, resolve)
            .map(String)
            .filter((text) => text !== '' && !/^\.{1,2}$/.test(text)),
          weight: 1,
        },
        { arbitrary: segment, weight: 1 },
      );
      return value.map((text) => [name, encodeURIComponent(text.toWellFormed())] as const);
    });
  return fc.tuple(...parts).map((values) => {
    const byName = Object.fromEntries(values);
    return operation.path.replace(/\{(\w+)\}/g, (_, name: string) => byName[name] as string);
  });
}

function queryOf(
  operation: Operation,
  known: Record<string, readonly string[]>,
  resolve: Resolve,
): fc.Arbitrary<string> {
  const parts = operation.parameters
    .filter((parameter) => parameter.in === 'query')
    .map(({ name, schema, required }) => {
      const real = known[name] ?? [];
      const value = fc.oneof(
        ...(real.length > 0 ? [{ arbitrary: fc.constantFrom(...real), weight: 6 }] : []),
        {
          arbitrary: validValue(schema, resolve).map((one) => (Array.isArray(one) ? one.map(String) : String(one))),
          weight: 3,
        },
        { arbitrary: ODD_TEXT, weight: 1 },
      );
      return fc.option(
        value.map((one) => (Array.isArray(one) ? one : [one]).map((text) => [name, text] as [string, string])),
        { freq: required ? 15 : 2, nil: [] },
      );
    });
  const unknown = fc.option(
    fc.tuple(ODD_TEXT, ODD_TEXT).map((pair) => [pair]),
    { freq: 10, nil: [] as [string, string][] },
  );
  return fc
    .tuple(
      unknown.map((pairs) => pairs),
      ...parts,
    )
    .map((lists) => {
      const search = new URLSearchParams(
        lists.flat().map(([name, value]) => [name.toWellFormed(), value.toWellFormed()]),
      );
      return search.size === 0 ? '' : `?${search}`;
    });
}

function formOf(fields: unknown, file: Uint8Array<ArrayBuffer> | undefined, schema: JsonSchema): FormData {
  const form = new FormData();
  const properties = (schema.properties ?? {}) as Record<string, JsonSchema>;
  const members = typeof fields === 'object' && fields !== null ? Object.entries(fields) : [];
  for (const [name, value] of members) {
    if (JSON.stringify(properties[name] ?? {}).includes('"binary"')) continue;
    form.append(name, typeof value === 'string' ? value.toWellFormed() : JSON.stringify(value));
  }
  const fileName = Object.keys(properties).find((name) => JSON.stringify(properties[name]).includes('"binary"'));
  if (file && fileName) form.append(fileName, new Blob([file]), 'fuzz.bin');
  return form;
}

type Body = Pick<FuzzRequest, 'body'> & { mediaType?: string };

function bodyOf(operation: Operation, resolve: Resolve): fc.Arbitrary<Body> {
  const bodies = Object.entries(operation.bodies ?? {});
  const stray = fc.constantFrom<Body>({}, { body: '{}', mediaType: 'application/json' });
  if (bodies.length === 0) return operation.method === 'GET' ? fc.constant({}) : stray;
  const intended = bodies.map(([mediaType, given]): fc.Arbitrary<Body> => {
    const schema = resolve(given);
    if (mediaType === 'multipart/form-data') {
      return fc
        .tuple(nearlyValueOf(schema, resolve), fc.option(fc.uint8Array({ maxLength: 600 })))
        .map(([fields, file]) => ({ body: formOf(fields, file ? new Uint8Array(file) : undefined, schema) }));
    }
    return nearlyValueOf(schema, resolve).map((value) => ({
      mediaType,
      body:
        mediaType === 'application/x-www-form-urlencoded'
          ? new URLSearchParams(
              Object.entries(Object(value)).map(([name, member]) => [
                name.toWellFormed(),
                String(member).toWellFormed(),
              ]),
            ).toString()
          : (JSON.stringify(value) ?? ''),
    }));
  });
  const raw = fc.record({
    body: fc.oneof(ODD_TEXT, fc.constantFrom('', '{', '{"a":', '[1,2', `{"a":${'['.repeat(200)}`)),
    mediaType: fc.constantFrom(
      'application/json',
      'text/json',
      'text/plain',
      'application/xml',
      'multipart/form-data',
      '',
    ),
  });
  return fc.oneof(
    { arbitrary: fc.oneof(...intended), weight: 9 },
    { arbitrary: raw, weight: 1 },
    { arbitrary: stray, weight: 1 },
  );
}

const HEADERS = fc.option(
  fc.constantFrom<Record<string, string>>(
    { accept: 'text/html' },
    { accept: '*/*;q=0' },
    { 'if-modified-since': '0' },
    { 'if-none-match': '*' },
    { range: 'bytes=5-2' },
    { range: 'bytes=0-3,9-12' },
    { 'content-encoding': 'br' },
    { 'x-forwarded-host': 'evil.example.org' },
    { 'x-http-method-override': 'DELETE' },
    { origin: 'https://evil.example.org' },
    { 'accept-language': 'ja;q=0.1, *' },
  ),
  { freq: 4, nil: {} },
);

/** Requests to one operation. `known` holds values that exist, by the name of their parameter. */
export function requestsTo(
  operation: Operation,
  known: Record<string, readonly string[]>,
  resolve: Resolve,
): fc.Arbitrary<FuzzRequest> {
  return fc
    .record({
      path: pathOf(operation, known, resolve),
      query: queryOf(operation, known, resolve),
      body: bodyOf(operation, resolve),
      headers: HEADERS,
      signedIn: fc.constantFrom(true, true, true, true, true, true, true, true, true, false),
    })
    .map(({ path, query, body, headers, signedIn }) => ({
      path: path + query,
      headers: { ...headers, ...(body.mediaType ? { 'content-type': body.mediaType } : {}) },
      ...(body.body === undefined ? {} : { body: body.body }),
      signedIn,
    }));
}
