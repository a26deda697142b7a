/** Errors over HTTP: the error body of every route, with retry advice for devices. */
import type { Response } from 'express';
import type { z } from 'zod';
import { type FieldError, OutpostError, toOutpostError } from '../../errors.ts';
import { deviceFailureHeaders, deviceScope, retryAdvice, statusOf } from '../../http-failure.ts';
import type { ErrorBody } from '../contract/index.ts';

/** Converts a thrown value. Errors of express and body-parser carry a status; {@link toOutpostError} converts the others. */
export function fromThrown(thrown: unknown): OutpostError {
  if (thrown instanceof OutpostError) return thrown;
  const status = (thrown as { status?: unknown } | null)?.status;
  if (status === 413) {
    const limit = (thrown as { limit?: unknown }).limit;
    const limitMb = typeof limit === 'number' ? Math.ceil(limit / (1024 * 1024)) : 1;
    return new OutpostError(
      'BODY_TOO_LARGE',
      `The body of the request is larger than ${limitMb} MB. Send less at once.`,
    );
  }
  if (status === 415) {
    return new OutpostError(
      'UNSUPPORTED_MEDIA_TYPE',
      'The encoding of the body is not supported. Send it as plain UTF-8.',
    );
  }
  if (status === 416) {
    return new OutpostError('RANGE_NOT_SATISFIABLE', 'The requested range is outside the file.');
  }
  if (status === 404) return notFound('file');
  if (typeof status === 'number' && status >= 400 && status < 500) {
    return new OutpostError('INVALID_INPUT', 'The request could not be read. Check its address, headers and body.', {
      cause: thrown,
    });
  }
  return toOutpostError(thrown);
}

export function notFound(what: string): OutpostError {
  return new OutpostError('NOT_FOUND', `There is no such ${what}, or you may not see it.`);
}

export function invalidField(path: string, problem: string): OutpostError {
  const message = `\`${path}\` ${problem}.`;
  return new OutpostError('INVALID_INPUT', message, { errors: [{ path, message }] });
}

/**
 * Returns a missing or damaged signal file as an error for the caller; path and position stay in the log. Returns any other
 * failure unchanged.
 */
export function signalFileFailure(thrown: unknown, recordingId: string): unknown {
  if (!(thrown instanceof OutpostError)) return thrown;
  if (thrown.code !== 'NOT_FOUND' && thrown.code !== 'SIGNAL_FILE_DAMAGED') return thrown;
  const state = thrown.code === 'NOT_FOUND' ? 'missing' : 'damaged';
  const message = `The stored file of recording ${recordingId} is ${state}. Restore it from a backup, or import the recording again; other sensors can be read by their deviceId.`;
  return new OutpostError('SIGNAL_FILE_DAMAGED', message, { cause: thrown });
}

/** Returns the body of an error. Details of an unexpected failure stay in the log. */
export function errorBodyOf(error: OutpostError, requestId: string): ErrorBody {
  const message =
    error.kind === 'internal' && error.code !== 'SIGNAL_FILE_DAMAGED'
      ? `Something went wrong inside Outpost; the log lists it under ${requestId}. Try again, and tell your administrator if it happens again.`
      : error.message;
  return { message, code: error.code, ...(error.errors ? { errors: error.errors } : {}), requestId };
}

/** Headers that describe the content which an error replaces. */
const HEADERS_OF_CONTENT = [
  'content-disposition',
  'content-encoding',
  'accept-ranges',
  'content-range',
  'content-length',
  'etag',
] as const;

/** Sends the error. Once an answer has started, it cuts the connection, so that no client takes a partial body as complete. */
export function sendError(response: Response, error: OutpostError, requestId: string): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  if (response.hasHeader('etag')) response.setHeader('cache-control', 'no-store');
  for (const name of HEADERS_OF_CONTENT) {
    response.removeHeader(name);
  }
  const { headers, originalUrl } = response.req;
  const scope = deviceScope(pathOf(originalUrl));
  if (scope !== undefined) {
    const advice = retryAdvice(error, scope);
    const all = deviceFailureHeaders(error, advice, headers.authorization !== undefined);
    for (const [name, value] of Object.entries(all)) response.setHeader(name, value);
    if (scope === 'upload') response.setHeader('tus-resumable', '1.0.0');
    const reason = error.code === 'DEVICE_REVOKED' ? error.details?.reason : undefined;
    response
      .status(statusOf(error))
      .json({ ...errorBodyOf(error, requestId), ...advice, ...(reason !== undefined && { reason }) });
    return;
  }
  const retryAfter = error.details?.retryAfterSeconds;
  if (retryAfter !== undefined) response.setHeader('retry-after', String(retryAfter));
  // Browsers would show their own sign-in dialog, so only other clients receive the challenge.
  if (statusOf(error) === 401 && headers['sec-fetch-mode'] === undefined) {
    response.setHeader('www-authenticate', 'Basic realm="Outpost", charset="UTF-8"');
  }
  response.status(statusOf(error)).json(errorBodyOf(error, requestId));
}

/** Returns the path of a request target; a proxy may send the absolute form (RFC 9112, 3.2.2). */
function pathOf(target: string): string {
  return target.replace(/^https?:\/\/[^/]*/i, '').split('?', 1)[0]!;
}

const TYPE_WORDS: Record<string, string> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
};

function problemOf(issue: z.core.$ZodIssue): string {
  if (issue.code === 'invalid_type') {
    if (/received undefined$/.test(issue.message)) return 'is required';
    return /^Invalid input/.test(issue.message)
      ? `must be ${TYPE_WORDS[issue.expected] ?? issue.expected}`
      : issue.message;
  }
  if (issue.code === 'invalid_value') return `must be one of ${issue.values.map(String).join(', ')}`;
  if (issue.code === 'too_small') {
    if (issue.origin === 'string')
      return issue.minimum === 1 ? 'must not be empty' : `must have at least ${issue.minimum} characters`;
    return `must be ${issue.inclusive ? 'at least' : 'more than'} ${issue.minimum}`;
  }
  if (issue.code === 'too_big') {
    if (issue.origin === 'string') return `must have at most ${issue.maximum} characters`;
    if (issue.origin === 'array') return `must have at most ${issue.maximum} entries`;
    return `must be at most ${issue.maximum}`;
  }
  if (issue.code === 'invalid_union') {
    const inner = issue.errors.flat();
    // Prefer a wrong choice to a wrong type: a repeatable parameter is a union of a value and a list.
    const clearest =
      inner.find((one) => one.code === 'invalid_value') ?? inner.find((one) => one.path.length === 0) ?? inner[0];
    return /^Invalid/.test(issue.message) && clearest ? problemOf(clearest) : issue.message;
  }
  if (issue.code === 'invalid_format' && issue.format === 'uuid') return 'must be a UUID';
  return /^(Invalid|Too)/.test(issue.message) ? 'is not valid' : issue.message;
}

/** Returns the error for input that does not match a schema; each problem names its field. */
export function invalidInput(error: z.ZodError): OutpostError {
  const errors: FieldError[] = error.issues.map((issue) => {
    const path = issue.path.map(String).join('.');
    return { path, message: path === '' ? `The request ${problemOf(issue)}.` : `\`${path}\` ${problemOf(issue)}.` };
  });
  const others = errors.length - 1;
  const more = others === 0 ? '' : others === 1 ? ' There is one more problem.' : ` There are ${others} more problems.`;
  return new OutpostError('INVALID_INPUT', `${errors[0]?.message ?? 'The request is not valid.'}${more}`, { errors });
}
