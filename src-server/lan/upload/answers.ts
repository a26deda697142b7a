/** What devices receive: the JSON of an upload, and failures that say whether and when to try again. */
import type { UploadRecord } from '../../db/index.ts';
import { type ErrorCodeName, OutpostError, toOutpostError } from '../../errors.ts';
import { deviceFailureHeaders, type RetryAdvice, retryAdvice, statusOf } from '../../http-failure.ts';
import type { RouteErrorStatus } from '../../vocabulary/error-statuses.ts';

/** The JSON of an upload. `offset` is absent when no bytes are missing. */
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

/** Why an upload ended without a recording: the reason that the device received first. */
export function endedError(upload: UploadRecord): OutpostError {
  if (upload.state === 'REJECTED') {
    const reason = upload.decisionReason ? `: ${upload.decisionReason.replace(/[.。]$/u, '')}` : '';
    return new OutpostError('UPLOAD_REJECTED', `The site's staff decided against this recording${reason}.`);
  }
  if (upload.state === 'REFUSED') return refusedBefore(upload);
  return uploadGivenUp();
}

/** Repeats a refusal. It is permanent, regardless of its code. */
export function refusedBefore({ code, message }: UploadRecord): OutpostError {
  return new OutpostError((code ?? 'FILE_DAMAGED') as ErrorCodeName, message ?? 'The file was refused.', {
    details: { permanent: true },
  });
}

export function uploadGivenUp(): OutpostError {
  return new OutpostError('UPLOAD_GONE', 'This upload was given up. Announce the file again.');
}

/** A refusal whose status tus prescribes, where that of its code differs. It never speaks against the file. */
export class TusRefusal extends OutpostError {
  readonly status: RouteErrorStatus;

  constructor(status: RouteErrorStatus, code: ErrorCodeName, message: string) {
    super(code, message, { details: { permanent: false } });
    this.status = status;
  }
}

export interface Failure {
  status: number;
  headers: Record<string, string>;
  body: RetryAdvice & {
    message: string;
    code: string;
    /** Where to continue. */
    offset?: number;
    requestId: string;
  };
}

/** @param currentOffset called when the device needs to know where to continue */
export async function toFailure(
  thrown: unknown,
  request: { id: string; hasToken: boolean },
  currentOffset: () => Promise<number | undefined>,
): Promise<Failure> {
  const error = toOutpostError(thrown);
  const status = error instanceof TusRefusal ? error.status : statusOf(error);
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
  const offset = typeof details?.offset === 'number' ? details.offset : await currentOffset().catch(() => undefined);
  if (!advice.permanent && offset !== undefined) {
    body.offset = offset;
    headers['upload-offset'] = String(offset);
  }
  return { status, headers, body };
}
