/**
 * Serves `/device/uploads`, and `/studies/{studyId}/subjects/{subjectId}/uploads` for users: tus 1.0.0 with the extensions creation, checksum, expiration and termination, and GET for the
 * state of an upload as JSON. What the specification (https://tus.io/protocols/resumable-upload) requires is quoted beside
 * the lines that meet it.
 *
 * Three requirements are not met: "The Server MUST support at least the SHA1 checksum algorithm" (only sha256 is accepted),
 * `X-HTTP-Method-Override` (no paired device needs it), and `Upload-Metadata` in the answer to HEAD (the announcement is
 * stored as checked fields, not as it was sent).
 */
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { plainAddress } from '../../addresses.ts';
import type { UploadRecord } from '../../db/index.ts';
import { OutpostError } from '../../errors.ts';
import type { UploadSender } from '../../services/index.ts';
import { answerBody, endedError, TusRefusal, toFailure, uploadGivenUp } from './answers.ts';
import { MAX_UPLOAD_BYTES, parseMetadata, parseMetadataHeader } from './metadata.ts';
import { EXPIRY_MS, type UploadReceiver } from './receiver.ts';
import { bodyOf, type RequestBody } from './request-body.ts';
import { requireAllowed } from './upload-owner.ts';
import { WriterLocks } from './writer-locks.ts';

/** Express's request: the path as it was sent is in `originalUrl`, below the mount in `url`. */
type UploadIncoming = IncomingMessage & { originalUrl?: string };
export type TusHandler = (request: UploadIncoming, response: ServerResponse, sender: UploadSender) => Promise<void>;

interface Call {
  readonly method: string;
  /** Last part of the path; empty for the collection. */
  readonly uploadId: string;
  readonly headers: IncomingHttpHeaders;
  readonly sender: UploadSender;
  readonly body: RequestBody;
  /** The upload of the call, once it is known: the answer then carries its state, a failure its offset. */
  upload?: UploadRecord;
}

interface Answer {
  status: 200 | 201 | 204;
  headers?: Record<string, string | number>;
  json?: unknown;
}

const VERSION = '1.0.0';
const COLLECTION_METHODS = ['POST', 'OPTIONS'];
const UPLOAD_METHODS = ['GET', 'HEAD', 'PATCH', 'DELETE', 'OPTIONS'];
const CHUNK_TYPE = 'application/offset+octet-stream';
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

export function tusHandler(receiver: UploadReceiver, clock: () => number): TusHandler {
  const verbs = new TusVerbs(receiver, clock);
  return async (request, response, sender) => {
    const { method = 'GET', headers } = request;
    const body = bodyOf(request);
    const call: Call = { method, uploadId: uploadIdOf(request), headers, sender, body };
    try {
      send(response, call, await verbs.answer(call));
    } catch (thrown) {
      if (method === 'POST' && thrown instanceof OutpostError) {
        const address = plainAddress(request.socket.remoteAddress);
        await receiver.noteRefusal(sender, address, thrown).catch(() => undefined);
      }
      await sendFailure(response, thrown, sender, async () => {
        if (!call.upload) return undefined;
        return await receiver.offsetOf(await receiver.find(sender, call.upload.id));
      });
    } finally {
      body.release();
    }
  };
}

class TusVerbs {
  readonly #receiver: UploadReceiver;
  readonly #clock: () => number;
  readonly #locks = new WriterLocks();

  constructor(receiver: UploadReceiver, clock: () => number) {
    this.#receiver = receiver;
    this.#clock = clock;
  }

  async answer(call: Call): Promise<Answer> {
    const { method, uploadId, headers } = call;
    requireMethod(method, uploadId === '' ? COLLECTION_METHODS : UPLOAD_METHODS);
    // OPTIONS: "The Client SHOULD NOT include the Tus-Resumable header in the request and the Server MUST ignore the header."
    if (method === 'OPTIONS') return this.#options();
    if (method === 'GET') return await this.#get(call);
    // "If the version specified by the Client is not supported by the Server, it MUST respond with the 412 Precondition
    // Failed status and MUST include the Tus-Version header into the response. In addition, the Server MUST NOT process the
    // request." `toFailure` adds the header.
    if (headers['tus-resumable'] !== VERSION) {
      throw new TusRefusal(412, 'INVALID_INPUT', `The request needs the header Tus-Resumable: ${VERSION}.`);
    }
    if (method === 'POST') return await this.#post(call);
    if (method === 'HEAD') return await this.#head(call);
    return method === 'PATCH' ? await this.#patch(call) : await this.#delete(call);
  }

  #options(): Answer {
    return {
      // "A successful response indicated by the 204 No Content or 200 OK status MUST contain the Tus-Version header."
      status: 204,
      headers: {
        // "The list MUST be sorted by Server's preference where the first one is the most preferred one."
        'tus-version': VERSION,
        // "If the Server supports this extension, it MUST add `creation` to the Tus-Extension header", likewise the others.
        'tus-extension': 'creation,checksum,expiration,termination',
        // "It MUST be a non-negative integer indicating the maximum allowed size of an entire upload in bytes."
        'tus-max-size': MAX_UPLOAD_BYTES,
        // "The Tus-Checksum-Algorithm header MUST be included in the response to an OPTIONS request."
        'tus-checksum-algorithm': 'sha256',
      },
    };
  }

  /** Creation. Bytes sent with it are dropped: they could not follow the offset of an upload that exists already. */
  async #post(call: Call): Promise<Answer> {
    const { headers } = call;
    // Checked before any other header: this failure is permanent, a wrong header of the client is not.
    const metadata = parseMetadataHeader(headerOf(headers, 'upload-metadata'));
    requireValid(headers);
    if (headers['upload-concat'] !== undefined || headers['upload-defer-length'] !== undefined) throw unsupported();
    // "The request MUST include one of the following headers": without Upload-Defer-Length, Upload-Length remains.
    const length = headerOf(headers, 'upload-length');
    if (length === undefined) throw wrongHeader('upload-length');
    // "If the length of the upload exceeds the maximum, [...] the Server MUST respond with the 413 Request Entity Too Large
    // status": `begin` does.
    call.upload = await this.#receiver.begin(call.sender, parseMetadata(metadata), Number(length));
    const { id, sizeBytes } = call.upload;
    const offset = await this.#receiver.offsetOf(call.upload);
    return {
      // "The Server MUST acknowledge a successful upload creation with the 201 Created status."
      status: 201,
      headers: {
        // "The Server MUST set the Location header to the URL of the created resource. This URL MAY be absolute or relative."
        location: `${collectionOf(call.sender)}/${id}`,
        // Beyond tus: a device that lost its state continues where the announced file already is.
        'upload-offset': offset,
        // "If the expiration is known at the creation, the Upload-Expires header MUST be included in the response to the
        // initial POST request."
        ...(offset < sizeBytes && this.#expires(call.upload)),
      },
    };
  }

  /** Takes no lock: a question about the offset must not pre-empt a writer. */
  async #head(call: Call): Promise<Answer> {
    requireValid(call.headers);
    const { upload, offset } = await this.#find(call);
    if (this.#isExpired(upload)) throw uploadGivenUp();
    return {
      status: 200,
      headers: {
        // "The Server MUST always include the Upload-Offset header in the response for a HEAD request, even if the offset is
        // 0, or the upload is already considered completed."
        'upload-offset': offset,
        // "If the size of the upload is known, the Server MUST include the Upload-Length header in the response."
        'upload-length': upload.sizeBytes,
        // "The Server MUST prevent the client and/or proxies from caching the response by adding the Cache-Control: no-store
        // header to the response."
        'cache-control': 'no-store',
      },
    };
  }

  async #patch(call: Call): Promise<Answer> {
    const { headers, uploadId, body } = call;
    // "All PATCH requests MUST use Content-Type: application/offset+octet-stream, otherwise the server SHOULD return a 415
    // Unsupported Media Type status."
    if (headers['content-type'] !== CHUNK_TYPE) {
      throw new OutpostError('UNSUPPORTED_MEDIA_TYPE', `Send a chunk with Content-Type: ${CHUNK_TYPE}.`);
    }
    const sha256 = checksumOf(headerOf(headers, 'upload-checksum'));
    requireValid(headers);
    const header = headerOf(headers, 'upload-offset');
    if (header === undefined && UUID.test(uploadId)) {
      throw new TusRefusal(403, 'INVALID_INPUT', 'A PATCH request needs the header Upload-Offset.');
    }
    // Checked before the lock is taken: a late duplicate of an earlier request must not pre-empt the current writer.
    requireOffset(await this.#find(call), Number(header));
    let isPreempted = false;
    const preempt = () => {
      isPreempted = true;
      body.stop();
    };
    const offset = await this.#locks.run(uploadId, preempt, async () => {
      const found = await this.#find(call);
      if (this.#isExpired(found.upload)) throw uploadGivenUp();
      requireOffset(found, Number(header));
      if (headers['upload-length'] !== undefined) throw unsupported();
      return await this.#append(call, found, sha256);
    });
    const answer = await this.#acknowledge(call, offset);
    return isPreempted ? { ...answer, headers: { ...answer.headers, connection: 'close' } } : answer;
  }

  /**
   * Stores the body and returns the new safe offset. "The Server SHOULD always attempt to store as much of the received data
   * as possible": so it does without a checksum. "Once the entire request has been received, the Server MUST verify the
   * uploaded chunk against the provided checksum [...]. [Otherwise] the uploaded chunk MUST be discarded, and the upload and
   * its offset MUST NOT be updated": so it does with one.
   */
  async #append(call: Call, { upload, offset }: Found, sha256: Uint8Array | undefined): Promise<number> {
    const { body, headers } = call;
    const missingBytes = upload.sizeBytes - offset;
    if (Number(headers['content-length'] ?? 0) > missingBytes) throw chunkTooLong();
    if (upload.state !== 'RECEIVING') return offset;
    let receivedBytes = 0;
    const isTooLong = () => receivedBytes > missingBytes;
    async function* chunks(): AsyncGenerator<Buffer> {
      for await (const chunk of body.chunks) {
        receivedBytes += chunk.length;
        if (isTooLong()) return;
        yield chunk;
      }
    }
    const isComplete = () => body.isComplete() && !isTooLong();
    try {
      const options = { offset, isComplete, ...(sha256 && { sha256 }) };
      const safe = await this.#receiver.append(upload.id, chunks(), options);
      if (!isTooLong()) return safe;
    } catch (thrown) {
      if (!isTooLong()) throw thrown;
    }
    throw chunkTooLong();
  }

  /**
   * "The Server MUST acknowledge successful PATCH requests with the 204 No Content status. It MUST include the Upload-Offset
   * header containing the new offset."
   */
  async #acknowledge(call: Call, offset: number): Promise<Answer> {
    const { upload, uploadId, sender } = call;
    // A sender who lost the right during the request gets no acknowledgement and completes no file; safe bytes stay.
    await requireAllowed(sender);
    const acknowledged = { 'upload-offset': offset };
    if (upload && offset < upload.sizeBytes) {
      // "It MUST be included in every PATCH response if the upload is going to expire."
      return { status: 204, headers: { ...acknowledged, ...this.#expires(upload) } };
    }
    const completed = await this.#receiver.complete(uploadId);
    call.upload = completed;
    if (completed.state === 'REFUSED' || completed.state === 'REJECTED') throw endedError(completed);
    if (completed.state === 'RECEIVING') {
      const message = completed.message ?? 'The whole file differs from the announced one. Send it again.';
      throw new OutpostError('FILE_HASH_MISMATCH', message, { details: { offset: 0 } });
    }
    return { status: 204, headers: acknowledged };
  }

  /** Termination: "the Server SHOULD free associated resources and MUST respond with the 204 No Content status". */
  async #delete({ headers, sender, uploadId }: Call): Promise<Answer> {
    requireValid(headers);
    requireId(uploadId);
    await this.#locks.run(
      uploadId,
      () => undefined,
      async () => await this.#receiver.end(sender, await this.#receiver.find(sender, uploadId)),
    );
    return { status: 204 };
  }

  /** Beyond tus: the state of an upload as JSON. */
  async #get({ sender, uploadId }: Call): Promise<Answer> {
    const upload = await this.#receiver.find(sender, uploadId);
    const offset = upload.state === 'RECEIVING' ? await this.#receiver.offsetOf(upload) : undefined;
    return { status: 200, json: answerBody(upload, offset) };
  }

  async #find(call: Call): Promise<Found> {
    requireId(call.uploadId);
    const upload = await this.#receiver.find(call.sender, call.uploadId);
    call.upload = upload;
    return { upload, offset: await this.#receiver.offsetOf(upload) };
  }

  #isExpired({ state, modifiedTs }: UploadRecord): boolean {
    return state === 'RECEIVING' && this.#clock() - modifiedTs > EXPIRY_MS;
  }

  /** "The value of the Upload-Expires header MUST be in RFC 9110 datetime format", here by the computer's clock. */
  #expires({ modifiedTs }: UploadRecord): { 'upload-expires': string } {
    const ageMs = this.#clock() - modifiedTs;
    return { 'upload-expires': new Date(Date.now() - ageMs + EXPIRY_MS).toUTCString() };
  }
}

interface Found {
  upload: UploadRecord;
  /** Bytes that are safe. */
  offset: number;
}

function uploadIdOf(request: UploadIncoming): string {
  const { pathname } = new URL(request.originalUrl ?? request.url ?? '/', 'http://site');
  return pathname
    .replace(/^(?:\/api)?\/v1\/(?:device|studies\/[^/]+\/subjects\/[^/]+)\/uploads\/?/i, '')
    .replace(/\/$/, '');
}

function collectionOf(sender: UploadSender): string {
  if (sender.kind !== 'USER') return '/api/v1/device/uploads';
  return `/api/v1/studies/${sender.studyId}/subjects/${sender.subjectId}/uploads`;
}

function headerOf(headers: IncomingHttpHeaders, name: string): string | undefined {
  const value = headers[name];
  return Array.isArray(value) ? value.join(', ') : value;
}

/** Headers that are checked on every request that carries them. Sixteen digits hold any size without loss. */
const VALID_HEADERS: Readonly<Record<string, RegExp>> = {
  // "The value MUST be a non-negative integer."
  'upload-offset': /^(?:0|[1-9]\d{0,15})$/,
  'upload-length': /^(?:0|[1-9]\d{0,15})$/,
  // "Its value MUST be 1."
  'upload-defer-length': /^1$/,
  'upload-concat': /^(?:partial$|final;)/,
};

function requireValid(headers: IncomingHttpHeaders): void {
  for (const [name, pattern] of Object.entries(VALID_HEADERS)) {
    const value = headerOf(headers, name);
    if (value !== undefined && !pattern.test(value)) throw wrongHeader(name);
  }
}

function requireMethod(method: string, allowed: readonly string[]): void {
  if (allowed.includes(method)) return;
  const allow = allowed.join(', ');
  throw new OutpostError('METHOD_NOT_ALLOWED', `${method} is not supported at this address. Use one of ${allow}.`, {
    details: { allow },
  });
}

/** "If the resource is not found, the Server SHOULD return either the 404 Not Found, 410 Gone or 403 Forbidden status." */
function requireId(uploadId: string): void {
  if (UUID.test(uploadId)) return;
  throw new TusRefusal(404, 'UPLOAD_GONE', 'There is no such upload of this sender. Announce the file again.');
}

/**
 * "The Upload-Offset header's value MUST be equal to the current offset of the resource. [...] If the offsets do not match,
 * the Server MUST respond with the 409 Conflict status without modifying the upload resource."
 */
function requireOffset({ offset }: Found, sentOffset: number): void {
  if (offset === sentOffset) return;
  throw new OutpostError('UPLOAD_OFFSET', `The upload has ${offset} bytes. Continue from there.`, {
    details: { offset },
  });
}

/** `Upload-Checksum: sha256 <base64 of 32 bytes>`. "400 Bad Request if the checksum algorithm is not supported". */
function checksumOf(header: string | undefined): Uint8Array | undefined {
  if (header === undefined) return undefined;
  const [, base64] = /^sha256 ([A-Za-z0-9+/]{43}=)$/.exec(header) ?? [];
  if (base64 !== undefined) return Buffer.from(base64, 'base64');
  throw new OutpostError('INVALID_INPUT', 'Upload-Checksum must be `sha256 ` and 32 bytes in base64.');
}

function wrongHeader(name: string): OutpostError {
  return new OutpostError('INVALID_INPUT', `The header ${name} is missing or not as tus 1.0 defines it.`);
}

function unsupported(): OutpostError {
  const message = 'Of the tus extensions, only creation, checksum, expiration and termination are supported.';
  return new TusRefusal(501, 'INVALID_INPUT', message);
}

function chunkTooLong(): OutpostError {
  return new TusRefusal(413, 'UPLOAD_TOO_LARGE', 'The request has more bytes than the upload is missing.');
}

function send(response: ServerResponse, { upload }: Call, { status, headers = {}, json }: Answer): void {
  response.statusCode = status;
  // "The Tus-Resumable header MUST be included in every request and response except for OPTIONS requests."
  response.setHeader('tus-resumable', VERSION);
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  if (upload) {
    response.setHeader('outpost-upload-state', upload.state);
    if (upload.storedRecordingId) response.setHeader('outpost-recording', upload.storedRecordingId);
  }
  if (json !== undefined) response.setHeader('content-type', 'application/json');
  response.end(json === undefined ? undefined : JSON.stringify(json));
}

async function sendFailure(
  response: ServerResponse,
  thrown: unknown,
  sender: UploadSender,
  currentOffset: () => Promise<number | undefined>,
): Promise<void> {
  if (response.headersSent || response.destroyed) {
    response.destroy();
    return;
  }
  const request = {
    id: String(response.getHeader('x-request-id') ?? ''),
    hasToken: response.req.headers.authorization !== undefined,
  };
  const { status, headers, body } = await toFailure(thrown, request, currentOffset);
  response.statusCode = status;
  response.setHeader('tus-resumable', VERSION);
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  // The challenge is for devices.
  if (sender.kind === 'USER') response.removeHeader('www-authenticate');
  const json = Buffer.from(JSON.stringify(body));
  response.setHeader('content-type', 'application/json; charset=utf-8');
  response.setHeader('content-length', json.length);
  response.end(response.req.method === 'HEAD' ? undefined : json);
}
