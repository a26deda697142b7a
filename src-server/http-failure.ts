/**
 * Failures over HTTP: the frozen mapping from error kinds to status numbers, and what a device has to know
 * besides the code, whether and when to try again. `resources/protocol/upload.md`, section 6, promises both on every failure.
 */
import { ERROR_CODES, type ErrorCodeName, type ErrorKind, type OutpostError } from './errors.ts';

const STATUS_OF_KIND: Readonly<Record<ErrorKind, number>> = Object.freeze({
  invalid: 400,
  unauthorized: 401,
  forbidden: 403,
  'not-found': 404,
  conflict: 409,
  'too-large': 413,
  unsupported: 415,
  throttled: 429,
  unavailable: 503,
  'disk-full': 507,
  cancelled: 409,
  internal: 500,
});

/** Codes with a status of their own within their kind; 410 and 460 are those that tus clients go by. */
const STATUS_OF_CODE: Readonly<Partial<Record<ErrorCodeName, number>>> = Object.freeze({
  METHOD_NOT_ALLOWED: 405,
  RANGE_NOT_SATISFIABLE: 416,
  REQUEST_TIMEOUT: 408,
  CHECKSUM_MISMATCH: 460,
  FILE_HASH_MISMATCH: 460,
  UPLOAD_GONE: 410,
});

export function statusOf(error: OutpostError): number {
  return STATUS_OF_CODE[error.code] ?? STATUS_OF_KIND[error.kind];
}

/** What a failed call was about: a file, which is kept and offered again, or the JSON of one request. */
export type FailureScope = 'upload' | 'call';

/** Refusals of a file, of a pairing code or of a report: the same again fails the same way. */
const PERMANENT: ReadonlySet<ErrorCodeName> = new Set([
  'UPLOAD_METADATA',
  'UPLOAD_TOO_LARGE',
  'UPLOAD_REJECTED',
  'SENSOR_UNKNOWN',
  'SENSOR_UNASSIGNED',
  'SENSOR_NOT_SERVED',
  'STUDY_COMPLETE',
  'RECORDING_ID_TAKEN',
  'FORMAT_TOO_NEW',
  'UNSUPPORTED_FORMAT',
  'FILE_DAMAGED',
  'FILE_EMPTY',
  'PAIRING_VERSION',
  'PAIRING_WRONG_SITE',
  'PAIRING_CODE_WRONG',
  'PAIRING_TOO_MANY_TRIES',
  'PAIRING_USED',
  'PAIRING_EXPIRED',
  'PAIRING_CANCELLED',
  'PAIRING_REFUSED',
  'LOGIN_FAILED',
]);

/**
 * Requests that are wrong in themselves. A JSON call is dropped or mended; a file is kept, as its headers can be put right
 * while its bytes cannot be had again.
 */
const WRONG_CALL: ReadonlySet<ErrorCodeName> = new Set([
  'INVALID_INPUT',
  'INVALID_JSON',
  'METHOD_NOT_ALLOWED',
  'BODY_TOO_LARGE',
  'UNSUPPORTED_MEDIA_TYPE',
]);

/** Retry immediately: nothing at the site has to change first. */
const AT_ONCE: ReadonlySet<ErrorCodeName> = new Set(['CHECKSUM_MISMATCH', 'FILE_HASH_MISMATCH', 'UPLOAD_INTERRUPTED']);
/** States of the site that pass without the device's doing. */
const PASSING: ReadonlySet<ErrorKind> = new Set(['throttled', 'unavailable', 'disk-full', 'internal']);
const RETRY_AFTER_SECONDS = 30;

/** When the device should try again, and whether at all. */
export interface RetryAdvice {
  /** The same request must not be repeated unchanged without a person. */
  permanent: boolean;
  /** Absent: after a back-off of the device's own. */
  retryAfterSeconds?: number;
}

export function retryAdvice({ code, kind, details }: OutpostError, scope: FailureScope): RetryAdvice {
  const permanent = details?.permanent === true || PERMANENT.has(code) || (scope === 'call' && WRONG_CALL.has(code));
  if (permanent && details?.permanent !== false) return { permanent: true };
  const stated = details?.retryAfterSeconds;
  if (stated !== undefined) return { permanent: false, retryAfterSeconds: Number(stated) };
  if (AT_ONCE.has(code)) return { permanent: false, retryAfterSeconds: 0 };
  const passes = PASSING.has(kind) && (ERROR_CODES[code].retryable || kind === 'internal');
  return { permanent: false, ...(passes && { retryAfterSeconds: RETRY_AFTER_SECONDS }) };
}

/** Headers that every failure on a device path has, also where the answer has no body (HEAD). */
export function deviceFailureHeaders(
  error: OutpostError,
  advice: RetryAdvice,
  hasToken: boolean,
): Record<string, string> {
  return {
    'outpost-code': error.code,
    'outpost-permanent': String(advice.permanent),
    ...(advice.retryAfterSeconds !== undefined && { 'retry-after': String(advice.retryAfterSeconds) }),
    // RFC 6750, section 3: no error is named to a caller who showed no token at all.
    ...(error.kind === 'unauthorized' && {
      'www-authenticate': `Bearer realm="Outpost devices"${hasToken ? ', error="invalid_token"' : ''}`,
    }),
  };
}

/** A path that hubs and phones call, `/api/v1/device/...` or `/v1/phone/...`; undefined for every other. */
export function deviceScope(path: string): FailureScope | undefined {
  const match = /^\/(?:api\/)?v1\/(?:device|phone)(?:\/([^/]*)|$)/i.exec(path);
  if (!match) return undefined;
  return match[1]?.toLowerCase() === 'uploads' && /\/device\//i.test(match[0]) ? 'upload' : 'call';
}
