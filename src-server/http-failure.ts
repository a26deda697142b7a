/**
 * Failures over HTTP: the status of each error, and for devices whether and when to retry. `resources/protocol/upload.md`,
 * section 6, promises both on every failure.
 */
import { ERROR_CODES, type ErrorCodeName, type ErrorKind, type OutpostError } from './errors.ts';
import type { ErrorStatus, RouteErrorStatus } from './vocabulary/error-statuses.ts';

const STATUS_OF_KIND: Readonly<Record<ErrorKind, RouteErrorStatus>> = Object.freeze({
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

/** Codes whose status differs from that of their kind; tus clients rely on 410 and 460. */
const STATUS_OF_CODE: Readonly<Partial<Record<ErrorCodeName, ErrorStatus>>> = Object.freeze({
  METHOD_NOT_ALLOWED: 405,
  RANGE_NOT_SATISFIABLE: 416,
  REQUEST_TIMEOUT: 408,
  CHECKSUM_MISMATCH: 460,
  FILE_HASH_MISMATCH: 460,
  UPLOAD_GONE: 410,
});

/** Status of oversized request headers, whose code is INVALID_INPUT. */
export const HEADERS_TOO_LARGE: ErrorStatus = 431;

export function statusOf(error: OutpostError): ErrorStatus {
  return STATUS_OF_CODE[error.code] ?? STATUS_OF_KIND[error.kind];
}

/** What failed: the upload of a file, which the device keeps and offers again, or a JSON call. */
export type FailureScope = 'upload' | 'call';

/** Refusals of a file, a pairing code or a report: repeating the same request fails again. */
const PERMANENT: ReadonlySet<ErrorCodeName> = new Set([
  'UPLOAD_METADATA',
  'UPLOAD_TOO_LARGE',
  'UPLOAD_REJECTED',
  'SENSOR_UNKNOWN',
  'SENSOR_UNASSIGNED',
  'SENSOR_NOT_SERVED',
  'STUDY_COMPLETE',
  'SUBJECT_ERASED',
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
 * Malformed requests. The device drops or corrects a JSON call; it keeps a file, whose headers can be corrected but whose
 * bytes cannot be recovered.
 */
const WRONG_CALL: ReadonlySet<ErrorCodeName> = new Set([
  'INVALID_INPUT',
  'INVALID_JSON',
  'METHOD_NOT_ALLOWED',
  'BODY_TOO_LARGE',
  'UNSUPPORTED_MEDIA_TYPE',
]);

/** Errors after which the device retries immediately. */
const AT_ONCE: ReadonlySet<ErrorCodeName> = new Set(['CHECKSUM_MISMATCH', 'FILE_HASH_MISMATCH', 'UPLOAD_INTERRUPTED']);
/** Transient states of the site. */
const PASSING: ReadonlySet<ErrorKind> = new Set(['throttled', 'unavailable', 'disk-full', 'internal']);
const RETRY_AFTER_SECONDS = 30;

/** Whether and when the device should retry. */
export interface RetryAdvice {
  /** The same request must not be repeated without a person. */
  permanent: boolean;
  /** Absent: the device chooses its own back-off. */
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

/** Returns the headers of every failure on a device path, including answers without a body (HEAD). */
export function deviceFailureHeaders(
  error: OutpostError,
  advice: RetryAdvice,
  hasToken: boolean,
): Record<string, string> {
  return {
    'outpost-code': error.code,
    'outpost-permanent': String(advice.permanent),
    ...(advice.retryAfterSeconds !== undefined && { 'retry-after': String(advice.retryAfterSeconds) }),
    // RFC 6750, section 3: the challenge names no error when the request carried no token.
    ...(error.kind === 'unauthorized' && {
      'www-authenticate': `Bearer realm="Outpost devices"${hasToken ? ', error="invalid_token"' : ''}`,
    }),
  };
}

/** Returns the scope of a path that hubs and phones call, `/api/v1/device/...` or `/v1/phone/...`; otherwise undefined. */
export function deviceScope(path: string): FailureScope | undefined {
  const match = /^\/(?:api\/)?v1\/(?:device|phone)(?:\/([^/]*)|$)/i.exec(path);
  if (!match) return undefined;
  return match[1]?.toLowerCase() === 'uploads' && /\/device\//i.test(match[0]) ? 'upload' : 'call';
}
