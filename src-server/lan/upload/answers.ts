/** What a device is told: the state of an upload, and failures with whether and when it should try again. */
import type { UploadRecord } from '../../db/index.ts';
import { ERROR_CODES, type ErrorCodeName, type ErrorKind, OutpostError, toOutpostError } from '../../errors.ts';

/** The JSON of an upload. `offset` is left out once nothing is to be sent. */
export function answerBody(upload: UploadRecord, offset: number | undefined) {
  return {
    id: upload.id,
    recordingId: upload.recordingId,
    state: upload.state,
    size: upload.sizeBytes,
    ...(offset !== undefined && { offset }),
    ...(upload.storedRecordingId && { storedRecordingId: upload.storedRecordingId }),
    ...(upload.code && { code: upload.code, message: upload.message ?? '' }),
  };
}

/** The device must not try again by itself: the same file would fail the same way. */
const PERMANENT: ReadonlySet<ErrorCodeName> = new Set([
  'UPLOAD_METADATA',
  'UPLOAD_TOO_LARGE',
  'UPLOAD_REJECTED',
  'SENSOR_UNKNOWN',
  'SENSOR_UNASSIGNED',
  'STUDY_COMPLETE',
  'RECORDING_ID_TAKEN',
  'FORMAT_TOO_NEW',
  'UNSUPPORTED_FORMAT',
  'FILE_DAMAGED',
  'FILE_EMPTY',
]);

const STATUS_OF_KIND: Readonly<Record<ErrorKind, number>> = {
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
};

/** Those that tus, or a device, goes by. */
const STATUS_OF_CODE: Partial<Record<ErrorCodeName, number>> = {
  CHECKSUM_MISMATCH: 460,
  FILE_HASH_MISMATCH: 460,
  UPLOAD_GONE: 410,
};

const RETRY_AFTER_SECONDS = 30;

export interface Failure {
  status: number;
  headers: Record<string, string>;
  body: {
    message: string;
    code: string;
    permanent: boolean;
    retryAfterSeconds?: number;
    /** Where to go on. */
    offset?: number;
  };
}

/** Refusals of the tus server itself, by status. */
const OF_STATUS: Readonly<Record<number, [ErrorCodeName, string]>> = {
  400: ['INVALID_INPUT', 'The headers of the request are not those of tus 1.0.'],
  403: ['INVALID_INPUT', 'A PATCH needs Upload-Offset and Content-Type: application/offset+octet-stream.'],
  404: ['UPLOAD_GONE', 'There is no such upload of this device. Announce the file again.'],
  409: ['UPLOAD_OFFSET', 'The offset is not that of the upload. Go on from the offset of this answer.'],
  410: ['UPLOAD_GONE', 'This upload was given up. Announce the file again.'],
  412: ['INVALID_INPUT', 'The request needs the header Tus-Resumable: 1.0.0.'],
  413: ['UPLOAD_TOO_LARGE', 'The request has more bytes than the upload still needs.'],
};

function toError(thrown: unknown): { error: OutpostError; status?: number } {
  if (thrown instanceof OutpostError) return { error: thrown };
  const facts = thrown as { status?: unknown; status_code?: unknown } | null;
  const status = facts?.status_code ?? facts?.status;
  const known = typeof status === 'number' ? OF_STATUS[status] : undefined;
  if (typeof status === 'number' && known) return { error: new OutpostError(known[0], known[1]), status };
  return { error: toOutpostError(thrown) };
}

/** @param offsetNow asked where the device has to know where to go on */
export async function toFailure(thrown: unknown, offsetNow: () => Promise<number | undefined>): Promise<Failure> {
  const { error, status } = toError(thrown);
  const { code, kind, details } = error;
  const isExcess = code === 'UPLOAD_TOO_LARGE' && status !== undefined;
  const permanent = details?.permanent === true || (PERMANENT.has(code) && !isExcess);
  const headers: Record<string, string> = {};
  const body: Failure['body'] = {
    message: kind === 'internal' ? 'Something went wrong at the site. Try again later.' : error.message,
    code,
    permanent,
  };
  if (!permanent && (ERROR_CODES[code].retryable || kind === 'internal') && code !== 'UPLOAD_OFFSET') {
    const seconds = Number(details?.retryAfterSeconds ?? (AT_ONCE.has(code) ? 0 : RETRY_AFTER_SECONDS));
    body.retryAfterSeconds = seconds;
    headers['retry-after'] = String(seconds);
  }
  const offset = typeof details?.offset === 'number' ? details.offset : await offsetNow().catch(() => undefined);
  if (!permanent && offset !== undefined) {
    body.offset = offset;
    headers['upload-offset'] = String(offset);
  }
  headers['outpost-code'] = code;
  headers['outpost-permanent'] = String(permanent);
  return { status: status ?? STATUS_OF_CODE[code] ?? STATUS_OF_KIND[kind], headers, body };
}

/** Nothing has to pass first. */
const AT_ONCE: ReadonlySet<ErrorCodeName> = new Set(['CHECKSUM_MISMATCH', 'FILE_HASH_MISMATCH', 'UPLOAD_INTERRUPTED']);
