/** Answers to devices: the state of an upload, and failures with whether and when it should try again. */
import { ERRORS } from '@tus/server';
import type { UploadRecord } from '../../db/index.ts';
import { type ErrorCodeName, OutpostError, toOutpostError } from '../../errors.ts';
import { deviceFailureHeaders, type RetryAdvice, retryAdvice, statusOf } from '../../http-failure.ts';

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

export interface Failure {
  status: number;
  headers: Record<string, string>;
  body: RetryAdvice & {
    message: string;
    code: string;
    /** Where to go on. */
    offset?: number;
    requestId: string;
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
  501: ['INVALID_INPUT', 'Of the extensions of tus only creation, checksum, expiration and termination are offered.'],
};

function toError(thrown: unknown): { error: OutpostError; status?: number } {
  if (thrown instanceof OutpostError) return { error: thrown };
  if (thrown === ERRORS.ABORTED) {
    return { error: new OutpostError('UPLOAD_INTERRUPTED', 'Another connection took this upload over.') };
  }
  const facts = thrown as { status?: unknown; status_code?: unknown } | null;
  const status = facts?.status_code ?? facts?.status;
  const known = typeof status === 'number' ? OF_STATUS[status] : undefined;
  if (typeof status === 'number' && known) {
    // A piece longer than what is missing says nothing against the file.
    return { error: new OutpostError(known[0], known[1], { details: { permanent: false } }), status };
  }
  return { error: toOutpostError(thrown) };
}

/** @param offsetNow asked where the device has to know where to go on */
export async function toFailure(
  thrown: unknown,
  request: { id: string; hasToken: boolean },
  offsetNow: () => Promise<number | undefined>,
): Promise<Failure> {
  const { error, status } = toError(thrown);
  const { code, kind, details } = error;
  const advice = retryAdvice(error, 'upload');
  const headers = deviceFailureHeaders(error, advice, request.hasToken);
  if (status === 412) headers['tus-version'] = '1.0.0';
  if (typeof details?.allow === 'string') headers.allow = details.allow;
  const body: Failure['body'] = {
    message: kind === 'internal' ? 'Something went wrong at the site. Try again later.' : error.message,
    code,
    ...advice,
    requestId: request.id,
  };
  const offset = typeof details?.offset === 'number' ? details.offset : await offsetNow().catch(() => undefined);
  if (!advice.permanent && offset !== undefined) {
    body.offset = offset;
    headers['upload-offset'] = String(offset);
  }
  return { status: status ?? statusOf(error), headers, body };
}
