/** Reads request bodies: JSON under both media types, and the form of the legacy log-in. Handlers read multipart bodies. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Request, type Response, raw } from 'express';
import { OutpostError } from '../../errors.ts';
import type { BodyKind } from '../contract/route.ts';
import { requireModestJson } from './json-bounds.ts';

const LIMIT_BYTES = 1024 * 1024 - 1;
const LARGE_BYTES = 256 * 1024;

const rawBodies = new Map<number, ReturnType<typeof raw>>();

function rawBody(limitBytes: number): ReturnType<typeof raw> {
  const made = rawBodies.get(limitBytes) ?? raw({ type: () => true, limit: limitBytes });
  rawBodies.set(limitBytes, made);
  return made;
}

/** Media type in lower case without parameters; empty when the header is absent. */
function mediaTypeOf(request: Request): string {
  return (request.headers['content-type'] ?? '').split(';')[0]!.trim().toLowerCase();
}

function kindOf(mediaType: string): BodyKind | undefined {
  // Without a content type, JSON is assumed: some scripts send none.
  if (mediaType === '' || mediaType === 'application/json' || mediaType === 'text/json') return 'json';
  if (mediaType === 'application/x-www-form-urlencoded') return 'form';
  if (mediaType === 'multipart/form-data') return 'multipart';
  return undefined;
}

const NAMES: Record<BodyKind, string> = {
  json: 'application/json',
  form: 'application/x-www-form-urlencoded',
  multipart: 'multipart/form-data',
};

/** Returns the kind of the body. @throws UNSUPPORTED_MEDIA_TYPE unless it is one of `kinds` */
export function requireBodyKind(request: Request, kinds: readonly BodyKind[]): BodyKind {
  const mediaType = mediaTypeOf(request);
  const kind = kindOf(mediaType);
  if (kind && kinds.includes(kind)) return kind;
  const wanted = kinds.map((one) => NAMES[one]).join(' or ');
  const came = mediaType === '' ? 'came without a content type' : `came as ${mediaType}`;
  throw new OutpostError('UNSUPPORTED_MEDIA_TYPE', `The body ${came}; this address accepts ${wanted}.`);
}

export interface BodyRules {
  kinds: readonly BodyKind[];
  limitBytes?: number | undefined;
  /** Who sends the body, where it may be long. */
  sender?: string | undefined;
}

/** Reads the body as an object. @throws INVALID_JSON, BODY_TOO_LARGE, UNSUPPORTED_MEDIA_TYPE, THROTTLED */
export async function readBody(
  request: Request,
  response: Response,
  { kinds, limitBytes = LIMIT_BYTES, sender = '' }: BodyRules,
): Promise<object> {
  const kind = requireBodyKind(request, kinds);
  const isLong = limitBytes > LIMIT_BYTES && !(Number(request.headers['content-length']) <= LIMIT_BYTES);
  if (!isLong) return await readObject(request, response, kind, limitBytes);
  const ofSender = longBodies.filter((one) => one === sender).length;
  if (longBodies.length >= MOST_LONG_BODIES || ofSender >= MOST_LONG_BODIES_OF_SENDER) {
    throw new OutpostError('THROTTLED', 'Too many large calls arrive at once. Try again in a few seconds.', {
      details: { retryAfterSeconds: 5 },
    });
  }
  longBodies.push(sender);
  try {
    return await readObject(request, response, kind, limitBytes);
  } finally {
    longBodies.splice(longBodies.indexOf(sender), 1);
  }
}

/** Senders of bodies beyond the usual limit that are being received; their number bounds the memory that they take. */
const longBodies: string[] = [];
const MOST_LONG_BODIES = 8;
/** A slow phone takes hours for 8 MB, and one that repeats a call that was cut has two: it must leave room for the others. */
const MOST_LONG_BODIES_OF_SENDER = 2;

async function readObject(request: Request, response: Response, kind: BodyKind, limitBytes: number): Promise<object> {
  const bytes = await new Promise<unknown>((resolve, reject) => {
    rawBody(limitBytes)(request, response, (error?: unknown) => (error ? reject(error) : resolve(request.body)));
  });
  const isLarge = bytes instanceof Uint8Array && bytes.length > LARGE_BYTES;
  if (isLarge) await nextTurn();
  const text = decodeUtf8(bytes instanceof Uint8Array ? bytes : new Uint8Array());
  // Each step over a large body takes some milliseconds, so other requests go in between.
  if (isLarge) await nextTurn();
  if (kind === 'form') return Object.fromEntries(new URLSearchParams(text));
  requireModestJson(text);
  if (isLarge) await nextTurn();
  return parseObject(text);
}

function decodeUtf8(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new OutpostError('INVALID_JSON', 'The body is not valid UTF-8. Encode it as UTF-8 and send it again.');
  }
}

function parseObject(text: string): object {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new OutpostError('INVALID_JSON', 'The body is not valid JSON. Check commas, quotes and brackets.');
  }
  // The first test skips through text without escapes, such as a picture, much faster.
  if (text.includes('\\u') && LONE_SURROGATE.test(text) && !isWellFormed(value)) {
    throw new OutpostError(
      'INVALID_JSON',
      'The body contains a lone surrogate: an escape from \\ud800 to \\udfff without its counterpart.',
    );
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  throw new OutpostError('INVALID_JSON', 'The body must be a JSON object in braces.');
}

const LONE_SURROGATE = /\\ud[89a-f]/i;

/** Returns false when a text contains a lone surrogate, which UTF-8 cannot encode: the stored text would differ. */
function isWellFormed(value: unknown): boolean {
  if (typeof value === 'string') return value.isWellFormed();
  if (typeof value !== 'object' || value === null) return true;
  return Object.entries(value).every(([name, member]) => name.isWellFormed() && isWellFormed(member));
}
